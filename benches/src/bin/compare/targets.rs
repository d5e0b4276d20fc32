//! The targets, and whether they are met. One that is missed is printed as missed.

use crate::{
    results::{Measured, Results, Row},
    table::threads,
};
use bevy_aoi_benches::systems::Level::{self, App, Structure};
use comfy_table::{Table, presets};

/// A target and what was measured of it.
pub struct Target {
    pub workload: &'static str,
    pub what: String,
    /// `None`: not measured in this run.
    pub figure: Option<Figure>,
}

pub struct Figure {
    pub value: f64,
    bound: Bound,
    /// Of which workload or rival it is.
    note: String,
}

#[derive(Clone, Copy)]
enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

use Bound::{AtLeast, AtMost};

impl Figure {
    pub fn met(&self) -> bool {
        match self.bound {
            AtLeast(bound) => self.value >= bound,
            AtMost(bound) => self.value <= bound,
        }
    }
}

/// All targets, as a table.
pub fn table(results: &Results, quick: bool) -> String {
    let mut table = Table::new();
    table
        .load_style(presets::ASCII_MARKDOWN)
        .set_header(["target", "", "measured", ""]);
    for target in all(results) {
        let (value, verdict) = match &target.figure {
            None => ("-".to_owned(), "not measured"),
            Some(figure) => (
                format!("{:.2}{}", figure.value, figure.note),
                if figure.met() { "met" } else { "missed" },
            ),
        };
        table.add_row([target.workload, &target.what, &value, verdict]);
    }
    let mut text = format!("\nTargets\n{table}");
    if quick {
        text += "\nquick: the worlds are small, so these figures say nothing about the targets";
    }
    text
}

/// Reads what was measured.
struct Reader<'a>(&'a Results);

impl<'a> Reader<'a> {
    fn get(&self, workload: &str, level: Level) -> Option<&'a Measured> {
        self.0.get(workload, level, 1)
    }

    fn ours(&self, workload: &str, level: Level) -> Option<&'a Row> {
        self.get(workload, level)?.row("ours")
    }

    /// AOI time: how many times less than the best rival's.
    fn aoi(&self, workload: &str) -> Option<(f64, String)> {
        let measured = self.get(workload, App)?;
        let floor = measured.row("floor")?.ns;
        let rival = measured.best_rival()?;
        let value = (rival.ns - floor) / (measured.row("ours")?.ns - floor);
        Some((value, format!(" ({})", rival.system)))
    }

    /// How many times faster than the best rival.
    fn faster(&self, workload: &str, level: Level) -> Option<(f64, String)> {
        let measured = self.get(workload, level)?;
        let rival = measured.best_rival()?;
        let value = rival.ns / measured.row("ours")?.ns;
        Some((value, format!(" ({})", rival.system)))
    }

    /// How many times faster than a system.
    fn than(&self, system: &str, workload: &str, level: Level) -> Option<(f64, String)> {
        let measured = self.get(workload, level)?;
        let value = measured.row(system)?.ns / measured.row("ours")?.ns;
        Some((value, format!(" ({workload})")))
    }

    fn to_floor(&self, workload: &str) -> Option<(f64, String)> {
        let measured = self.get(workload, App)?;
        let value = measured.row("ours")?.ns / measured.row("floor")?.ns;
        Some((value, String::new()))
    }

    /// Time per entity on one workload by that on another.
    fn to_other(&self, workload: &str, other: &str) -> Option<(f64, String)> {
        let value = self.ours(workload, App)?.ns / self.ours(other, App)?.ns;
        Some((value, String::new()))
    }

    /// Time on W11 less half a nanosecond per pair that it has more than W2, by that on W2.
    fn mixed(&self) -> Option<(f64, String)> {
        let (mixed, city) = (self.ours("W11", App)?, self.ours("W2", App)?);
        let entities = self.get("W11", App)?.entities;
        let pairs = mixed.pairs_in_view? as f64 - city.pairs_in_view? as f64;
        let value = (mixed.ns - 0.5 * pairs / entities) / city.ns;
        Some((
            value,
            format!(" (in all {:.2} times W2)", mixed.ns / city.ns),
        ))
    }

    /// Bytes by those allowed.
    fn memory(&self, workload: &str) -> Option<(f64, String)> {
        let measured = self.get(workload, App)?;
        let ours = measured.row("ours")?;
        let pairs = ours.pairs_in_view? as f64;
        let bytes = measured.bytes(ours) as f64;
        let value = bytes / (100.0 * measured.entities + 16.0 * pairs);
        Some((value, format!(" ({workload})")))
    }

    /// The greatest time per entity by the least, from 1 000 to 1 000 000.
    fn growth(&self) -> Option<(f64, String)> {
        let sizes = ["growth", "W1", "W2", "W3"];
        let ns: Option<Vec<f64>> = sizes
            .iter()
            .map(|size| Some(self.ours(size, App)?.ns))
            .collect();
        let ns = ns?;
        let (least, greatest) = (min(ns.iter().copied()), max(ns.iter().copied()));
        Some((greatest / least, String::new()))
    }

    /// `Detect` and the whole update of W2 with all cores, how many times as fast as on one.
    fn cores(&self, of: fn(&Row) -> Option<f64>) -> Option<(f64, String)> {
        let one = self.ours("W2", App)?;
        let more = self.more("W2")?;
        let value = of(one)? / of(more.row("ours")?)?;
        Some((value, format!(" ({})", threads(more.threads))))
    }

    /// In how many workloads messages or their order differ between numbers of threads.
    fn orders(&self) -> Option<(f64, String)> {
        let ours = self
            .0
            .all
            .iter()
            .filter(|measured| (measured.level, measured.threads) == (App, 1));
        let pairs =
            ours.filter_map(|one| Some((one.row("ours")?, self.more(&one.workload)?.row("ours")?)));
        let digests = pairs.filter_map(|(one, more)| Some((one.digest?, more.digest?)));
        let same: Vec<bool> = digests.map(|(one, more)| one == more).collect();
        let differ = same.iter().filter(|same| !**same).count();
        (!same.is_empty()).then(|| {
            (
                differ as f64,
                format!(" of {} workloads differ", same.len()),
            )
        })
    }

    fn more(&self, workload: &str) -> Option<&'a Measured> {
        let mut all = self.0.all.iter();
        all.find(|measured| measured.workload == workload && measured.threads > 1)
    }

    fn labels(&self) -> impl Iterator<Item = &'a str> {
        let structure = self
            .0
            .all
            .iter()
            .filter(|measured| measured.level == Structure);
        structure
            .filter(|measured| !measured.queries)
            .map(|measured| measured.workload.as_str())
    }
}

fn min(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(f64::INFINITY, f64::min)
}

fn max(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, f64::max)
}

fn least(values: impl Iterator<Item = (f64, String)>) -> Option<(f64, String)> {
    values.min_by(|a, b| a.0.total_cmp(&b.0))
}

fn greatest(values: impl Iterator<Item = (f64, String)>) -> Option<(f64, String)> {
    values.max_by(|a, b| a.0.total_cmp(&b.0))
}

/// All targets with what was measured of them.
pub fn all(results: &Results) -> Vec<Target> {
    let read = Reader(results);
    let mut targets = Vec::new();
    let mut target = |workload, what: &str, bound, found: Option<(f64, String)>| {
        let (sign, limit) = match bound {
            AtLeast(limit) => ("at least", limit),
            AtMost(limit) => ("at most", limit),
        };
        targets.push(Target {
            workload,
            what: format!("{what}: {sign} {limit}"),
            figure: found.map(|(value, note)| Figure { value, bound, note }),
        });
    };
    let aoi = "AOI time, times less than the best rival's";
    target("W1", aoi, AtLeast(15.0), read.aoi("W1"));
    target("W2", aoi, AtLeast(15.0), read.aoi("W2"));
    target("W2", "update, in floors", AtMost(5.0), read.to_floor("W2"));
    target("W4", aoi, AtLeast(25.0), read.aoi("W4"));
    let grid = |label| read.than("grid-xor", label, Structure);
    let found = least(read.labels().filter_map(grid));
    target(
        "ablations",
        "structure, worst of all, times faster than grid-xor",
        AtLeast(1.0),
        found,
    );
    let hard = ["W7-line-x", "W7-line-y", "W7-spot", "W11", "clusters"];
    let found = least(hard.into_iter().filter_map(grid));
    target(
        "ablations",
        "structure, worst of W7, W11 and clusters, times faster than grid-xor",
        AtLeast(2.0),
        found,
    );
    target(
        "W3",
        "ns per entity, in those of W1",
        AtMost(2.0),
        read.to_other("W3", "W1"),
    );
    target("W5", "update, in floors", AtMost(1.8), read.to_floor("W5"));
    target("W6", "update, in floors", AtMost(1.5), read.to_floor("W6"));
    let lines = ["W7-line-x", "W7-line-y"];
    let found = greatest(
        lines
            .into_iter()
            .filter_map(|line| read.to_other(line, "W1")),
    );
    target(
        "W7",
        "line, ns per entity, in those of W1",
        AtMost(2.0),
        found,
    );
    let faster = "times faster than the best rival";
    target(
        "W7",
        &format!("spot, {faster}"),
        AtLeast(10.0),
        read.faster("W7-spot", App),
    );
    target("W8", faster, AtLeast(1.5), read.faster("W8", App));
    target(
        "W8",
        &format!("structure, {faster}"),
        AtLeast(3.0),
        read.faster("W8", Structure),
    );
    for label in ["W9-spawn", "W9-despawn"] {
        let part = &label[3..];
        target(
            "W9",
            &format!("{part}, {faster}"),
            AtLeast(1.2),
            read.faster(label, App),
        );
        target(
            "W9",
            &format!("{part}, structure, {faster}"),
            AtLeast(3.0),
            read.faster(label, Structure),
        );
    }
    target(
        "W10",
        "update, in floors",
        AtMost(1.5),
        read.to_floor("W10"),
    );
    let idle = |of: fn(&Row) -> f64| Some((of(read.ours("W10", App)?), String::new()));
    target(
        "W10",
        "allocations per update",
        AtMost(0.0),
        idle(|row| row.allocations),
    );
    target(
        "W10",
        "messages",
        AtMost(0.0),
        idle(|row| row.messages as f64),
    );
    target(
        "W11",
        "update less 0.5 ns per pair it adds, in those of W2",
        AtMost(1.5),
        read.mixed(),
    );
    for (label, what, bound) in [
        ("W12-radius", "radius, times faster than kiddo", 3.0),
        ("W12-nearest", "nearest, times faster than kiddo", 1.0),
    ] {
        target("W12", what, AtLeast(bound), read.than("kiddo", label, App));
        let found = read.than("kiddo", label, Structure);
        target("W12", &format!("structure, {what}"), AtLeast(bound), found);
    }
    target(
        "W14",
        "update, in those of W2",
        AtMost(1.6),
        read.to_other("W14", "W2"),
    );
    let detect = read.cores(|row| Some(row.stages?[1]));
    target(
        "cores",
        "W2, Detect, times as fast as on one",
        AtLeast(1.7),
        detect,
    );
    let update = read.cores(|row| Some(row.ns));
    target(
        "cores",
        "W2, update, times as fast as on one",
        AtLeast(1.4),
        update,
    );
    target(
        "cores",
        "workloads with other messages or another order",
        AtMost(0.0),
        read.orders(),
    );
    let found = greatest(
        ["W1", "W2", "W3", "W4"]
            .into_iter()
            .filter_map(|label| read.memory(label)),
    );
    target(
        "memory",
        "bytes by 100 per entity and 16 per pair in view, worst of W1 to W4",
        AtMost(1.0),
        found,
    );
    target(
        "growth",
        "ns per entity from 1 000 to 1 000 000, greatest by least",
        AtMost(2.0),
        read.growth(),
    );
    targets
}
