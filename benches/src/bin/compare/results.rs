//! What was measured.

use bevy_aoi_benches::systems::Level;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// One workload on one level with one number of threads.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Measured {
    /// With its part: `W7-spot`.
    pub workload: String,
    pub what: String,
    pub level: Level,
    pub threads: usize,
    pub entities: f64,
    /// By density.
    pub in_view: Option<f32>,
    /// An update stands for so many queries, not entities.
    pub queries: bool,
    pub rows: Vec<Row>,
    /// Who was left out, and why.
    pub left_out: Vec<(String, String)>,
}

/// One system.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Row {
    pub system: String,
    /// The cell size that was the best, in radii.
    pub cell: Option<f32>,
    /// Per entity and update, median of the rounds.
    pub ns: f64,
    /// Told in the updates that every system did; the same in every run with as many rounds.
    pub messages: u64,
    /// How many updates that are.
    pub updates: usize,
    /// Live heap at the end, without world and messages.
    pub bytes: usize,
    pub rounds: u32,
    /// Per update, in all measured ones.
    pub allocations: f64,
    /// `Sync`, `Detect`, `Emit`: ns per update.
    pub stages: Option<[f64; 3]>,
    pub pairs_in_view: Option<usize>,
    /// Stands for the order of the messages in the first updates.
    pub digest: Option<u64>,
    /// What each update told, from the first on.
    pub log: Vec<u64>,
}

impl Row {
    pub fn is_rival(&self) -> bool {
        self.system != "ours" && self.system != "floor" && !self.system.ends_with("-xor")
    }
}

impl Measured {
    pub fn row(&self, system: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.system == system)
    }

    /// The fastest of the rivals.
    pub fn best_rival(&self) -> Option<&Row> {
        let rivals = self.rows.iter().filter(|row| row.is_rival());
        rivals.min_by(|a, b| a.ns.total_cmp(&b.ns))
    }

    /// Live heap less the floor's.
    pub fn bytes(&self, row: &Row) -> i64 {
        let floor = self.row("floor").map_or(0, |floor| floor.bytes);
        row.bytes as i64 - floor as i64
    }

    /// One line for a system.
    pub fn json(&self, row: &Row) -> String {
        json!({
            "workload": self.workload,
            "level": self.level,
            "system": row.system,
            "threads": self.threads,
            "ns_per_entity": (row.ns * 1000.0).round() / 1000.0,
            "messages": row.messages,
            "bytes": self.bytes(row),
            "rounds": row.rounds,
        })
        .to_string()
    }
}

/// How many changes more or less a system may have told until any update. A physics engine rounds
/// in its own way, so it tells a few of thousands an update earlier or later.
fn slack(system: &str) -> i64 {
    if system == "avian" { 100 } else { 0 }
}

#[derive(Debug, Default)]
pub struct Results {
    pub all: Vec<Measured>,
}

impl Results {
    pub fn add(&mut self, measured: Measured) {
        self.all.push(measured);
    }

    pub fn get(&self, workload: &str, level: Level, threads: usize) -> Option<&Measured> {
        self.all.iter().find(|measured| {
            (measured.workload.as_str(), measured.level, measured.threads)
                == (workload, level, threads)
        })
    }

    /// Which systems told what others did not, also between levels and numbers of threads.
    pub fn differences(&self) -> Vec<String> {
        let mut differences = Vec::new();
        for measured in &self.all {
            let first = self
                .all
                .iter()
                .find(|other| other.workload == measured.workload);
            let Some(first) = first.unwrap_or(measured).rows.first() else {
                continue;
            };
            let rows = measured.rows.iter().filter(|row| row.system != "floor");
            for row in rows {
                let slack = slack(&row.system);
                let mut balance = 0;
                let differs = row.log.iter().zip(&first.log).position(|(&a, &b)| {
                    balance += a as i64 - b as i64;
                    balance.abs() > slack
                });
                if let Some(update) = differs {
                    differences.push(format!(
                        "{}, level {}: in update {update} {} told {} changes, {} told {}",
                        measured.workload,
                        measured.level.name(),
                        row.system,
                        row.log[update],
                        first.system,
                        first.log[update],
                    ));
                }
            }
        }
        differences
    }
}
