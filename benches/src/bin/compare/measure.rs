//! Rounds: systems take turns, so that what disturbs the machine disturbs all of them.

use crate::{
    Args,
    results::{Measured, Row},
    threads,
};
use bevy_aoi_benches::{
    run::{Done, QUERIES, Run},
    scene::{Order, Scene},
    systems::{Entrant, Level, entrants},
    workloads::{Among, Timed, Workload},
};
use std::time::Duration;

/// Updates after the first, before anything is measured, at least.
const WARM_UP: usize = 3;

/// A round is not shorter; in a quick run it is.
const ROUND: Duration = Duration::from_millis(20);
const QUICK_ROUND: Duration = Duration::from_millis(2);

/// Who takes longer for an update is left out.
const TOO_LONG: Duration = Duration::from_secs(10);

/// Of updates that take longer a round may have a single one.
const SHORT: Duration = Duration::from_millis(100);

/// More than enough to hold apart systems that cost next to nothing.
const MOST_UPDATES: usize = 2000;

/// What happens again and again where all come and go, and what can be measured of it.
const CYCLE: [(Order, Option<Timed>); 4] = [
    (Order::Spawn, Some(Timed::Spawn)),
    (Order::Rest, None),
    (Order::Despawn, Some(Timed::Despawn)),
    (Order::Rest, None),
];

/// Who takes part, at work.
struct Contestant {
    entrant: Entrant,
    run: Box<dyn Run>,
    timed: Timed,
    recorded: usize,
    log: Vec<u64>,
    /// What an update takes.
    pace: Duration,
    digest: Option<u64>,
    rounds: Vec<f64>,
    measured: Sums,
}

/// Over all measured updates.
#[derive(Default)]
struct Sums {
    updates: usize,
    allocations: usize,
    stages: Option<[Duration; 3]>,
}

/// Measures a workload on a level.
pub fn measure(workload: &Workload, level: Level, args: &Args) -> Result<Measured, String> {
    let scene = Scene::new(workload)?;
    let queries = matches!(workload.among, Among::Queries(..));
    let mut measured = Measured {
        workload: workload.label(),
        what: workload.what.to_owned(),
        level,
        threads: match level {
            Level::Structure => 1,
            Level::App => threads::own(),
        },
        entities: if queries {
            QUERIES as f64
        } else {
            scene.entities
        },
        in_view: workload.in_view(),
        queries,
        rows: Vec::new(),
        left_out: Vec::new(),
    };
    let mut contestants: Vec<Contestant> = Vec::new();
    let wanted = |entrant: &Entrant| {
        args.systems.is_empty() || args.systems.iter().any(|name| name == entrant.name)
    };
    let round = if args.quick { QUICK_ROUND } else { ROUND };
    for entrant in entrants(level, workload).into_iter().filter(wanted) {
        let excuse = match entrant.excuse(&scene) {
            Some(excuse) => Some(excuse),
            None => {
                let run = entrant.start(level, workload, &scene);
                let mut contestant = Contestant::new(entrant, run, workload, &scene);
                contestant.warm_up(round);
                let too_long = contestant.pace > TOO_LONG;
                if !too_long {
                    join(&mut contestants, contestant);
                }
                too_long.then(|| format!("more than {} s per update", TOO_LONG.as_secs()))
            }
        };
        if let Some(excuse) = excuse {
            let left_out = (entrant.name.to_owned(), excuse);
            if !measured.left_out.contains(&left_out) {
                measured.left_out.push(left_out);
            }
        }
    }
    for _ in 0..args.rounds() {
        for contestant in &mut contestants {
            contestant.round(round);
        }
    }
    let rows = contestants.into_iter();
    measured.rows = rows
        .map(|contestant| contestant.end(measured.entities))
        .collect();
    Ok(measured)
}

/// Of two variants of a system the faster one stays.
fn join(contestants: &mut Vec<Contestant>, new: Contestant) {
    let name = new.entrant.name;
    match contestants
        .iter_mut()
        .find(|other| other.entrant.name == name)
    {
        Some(other) if other.pace <= new.pace => {}
        Some(other) => *other = new,
        None => contestants.push(new),
    }
}

impl Contestant {
    fn new(entrant: Entrant, run: Box<dyn Run>, workload: &Workload, scene: &Scene) -> Self {
        Self {
            entrant,
            run,
            timed: workload.timed,
            recorded: scene
                .recording
                .as_ref()
                .map_or(0, |recording| recording.frames()),
            log: Vec::new(),
            pace: Duration::MAX,
            digest: None,
            rounds: Vec::new(),
            measured: Sums::default(),
        }
    }

    fn update(&mut self, order: Order) -> Done {
        let done = self.run.update(order);
        self.log.push(done.told);
        if self.log.len() <= 1 + WARM_UP {
            let before = self.digest.unwrap_or_default().rotate_left(1);
            self.digest = self.run.digest().map(|digest| before ^ digest);
        }
        done
    }

    fn measured(&mut self, order: Order) -> Duration {
        let done = self.update(order);
        self.measured.updates += 1;
        self.measured.allocations += done.allocations;
        if let Some(stages) = self.run.stages() {
            let sums = self.measured.stages.get_or_insert_default();
            for (sum, stage) in sums.iter_mut().zip(stages) {
                *sum += stage;
            }
        }
        done.time
    }

    /// Everybody comes; then updates until memory and caches are as they will be.
    fn warm_up(&mut self, round: Duration) {
        if self.timed != Timed::Each {
            self.pace = self.cycle();
            if self.pace <= TOO_LONG {
                self.pace = self.cycle();
            }
            self.measured = Sums::default();
            return;
        }
        self.update(Order::Spawn);
        let mut sum = Duration::ZERO;
        let mut updates = 0;
        while updates < WARM_UP
            || updates + 1 < self.recorded
            || sum < round && updates < MOST_UPDATES
        {
            let time = self.update(Order::Walk).time;
            self.pace = self.pace.min(time);
            if self.pace > TOO_LONG {
                return;
            }
            sum += time;
            updates += 1;
        }
    }

    /// All come, all go; gives the time of the one that is measured.
    fn cycle(&mut self) -> Duration {
        let mut time = Duration::ZERO;
        for (order, timed) in CYCLE {
            if timed == Some(self.timed) {
                time = self.measured(order);
            } else {
                self.update(order);
            }
        }
        time
    }

    fn round(&mut self, round: Duration) {
        let enough = round.as_secs_f64() / self.pace.as_secs_f64().max(1e-9);
        let short = self.pace < SHORT;
        let updates = match self.recorded {
            0 => (enough.ceil() as usize).clamp(if short { 3 } else { 1 }, MOST_UPDATES),
            // All of it.
            frames => frames,
        };
        if short && self.timed == Timed::Each && self.recorded == 0 {
            // The caches are full of what the others left there.
            self.update(Order::Walk);
        }
        let mut sum = Duration::ZERO;
        for _ in 0..updates {
            sum += match self.timed {
                Timed::Each => self.measured(Order::Walk),
                Timed::Spawn | Timed::Despawn => self.cycle(),
            };
        }
        self.rounds.push(sum.as_nanos() as f64 / updates as f64);
    }

    /// How many updates every system did, whatever its pace.
    fn in_common(&self) -> usize {
        let rounds = self.rounds.len();
        match self.timed {
            Timed::Each if self.recorded > 0 => self.recorded * (1 + rounds),
            Timed::Each => 1 + WARM_UP + rounds,
            Timed::Spawn | Timed::Despawn => CYCLE.len() * (2 + rounds),
        }
    }

    fn end(mut self, entities: f64) -> Row {
        self.rounds.sort_by(f64::total_cmp);
        let updates = self.in_common();
        let measured = &self.measured;
        let per_update = |sum: f64| sum / measured.updates as f64;
        // The first update, in which everybody comes, would outweigh the others.
        let bulk = self.timed == Timed::Each && self.recorded == 0;
        let told = self.log.iter().take(updates).skip(usize::from(bulk));
        Row {
            system: self.entrant.name.to_owned(),
            cell: self.entrant.cell(),
            ns: self.rounds[self.rounds.len() / 2] / entities,
            messages: told.sum(),
            updates: updates - usize::from(bulk),
            rounds: self.rounds.len() as u32,
            allocations: per_update(measured.allocations as f64),
            stages: measured
                .stages
                .map(|stages| stages.map(|stage| per_update(stage.as_nanos() as f64))),
            pairs_in_view: self.run.pairs_in_view(),
            digest: self.digest,
            log: self.log,
            bytes: self.run.end(),
        }
    }
}
