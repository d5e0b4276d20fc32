//! Runs the crowd and says in plain lines how it goes.

use bevy::prelude::*;
use bevy_aoi::prelude::*;
use std::{
    fmt::{self, Display, Formatter},
    io::{self, Write},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

const HEADER: &str = "  agents  in view    entered       left         ms  (means per update)";

/// Updates the app `frames` times (0: without end) or until Ctrl-C. Prints a line per second, one
/// for what is left of the last one, and a summary at the end.
pub fn run(app: &mut App, title: &str, frames: u64) -> io::Result<()> {
    let stop = Arc::new(AtomicBool::new(false));
    let handler = stop.clone();
    ctrlc::set_handler(move || handler.store(true, Ordering::Relaxed)).map_err(io::Error::other)?;
    app.finish();
    app.cleanup();

    let mut out = io::stdout().lock();
    writeln!(out, "{title}")?;
    match frames {
        0 => writeln!(out, "until Ctrl-C")?,
        _ => writeln!(out, "{frames} updates, or until Ctrl-C")?,
    }
    if cfg!(debug_assertions) {
        writeln!(out, "(slow: built without --release)")?;
    }

    let (mut whole, mut second) = (Tally::default(), Tally::default());
    let mut times = Times::default();
    let mut line_at = Instant::now();
    let mut frame = 0;
    while (frame < frames || frames == 0) && !stop.load(Ordering::Relaxed) {
        let start = Instant::now();
        app.update();
        let took = start.elapsed();
        let stats = app.world().resource::<AoiStats>();
        if frame == 0 {
            // Everybody appears at once, which says nothing about the times to come.
            let mut first = Tally::default();
            first.count(took, stats);
            writeln!(out, "first update {}", first.times())?;
            whole.count_views(stats);
            line_at = Instant::now();
        } else {
            whole.count(took, stats);
            second.count(took, stats);
            times.push(took);
        }
        frame += 1;
        let due = line_at.elapsed() >= Duration::from_secs(1) || frame == frames;
        if due && second.updates > 0 {
            if whole.updates == second.updates {
                writeln!(out, "{HEADER}")?;
            }
            writeln!(out, "{:>8}{second}", stats.viewers)?;
            (second, line_at) = (Tally::default(), Instant::now());
        }
    }
    summarize(&mut out, &whole, times)
}

fn summarize(out: &mut impl Write, whole: &Tally, times: Times) -> io::Result<()> {
    writeln!(out, "mean update {}", whole.times())?;
    let [median, p99] = times.quantiles([0.5, 0.99]).map(millis);
    writeln!(
        out,
        "updates {} median_ms {median:.3} p99_ms {p99:.3} updates_per_s {:.1} in_view {:.2}",
        whole.updates,
        ratio(whole.updates as f64, whole.took.as_secs_f64()),
        whole.in_view(),
    )
}

/// What some updates did, added up.
#[derive(Default)]
struct Tally {
    updates: u64,
    took: Duration,
    /// Of it the plugin's sets sync, detect and emit.
    aoi: [Duration; 3],
    entered: usize,
    left: usize,
    pairs: usize,
    viewers: usize,
}

impl Tally {
    fn count(&mut self, took: Duration, stats: &AoiStats) {
        self.updates += 1;
        self.took += took;
        let sets = [stats.sync, stats.detect, stats.emit];
        for (sum, took) in self.aoi.iter_mut().zip(sets) {
            *sum += took;
        }
        self.entered += stats.entered;
        self.left += stats.left;
        self.count_views(stats);
    }

    fn count_views(&mut self, stats: &AoiStats) {
        self.pairs += stats.pairs_in_view;
        self.viewers += stats.viewers;
    }

    fn per_update(&self, sum: f64) -> f64 {
        ratio(sum, self.updates as f64)
    }

    /// How long an update took, and what of that the plugin's sets did.
    fn times(&self) -> String {
        let update = self.per_update(millis(self.took));
        let [sync, detect, emit] = self.aoi.map(|took| self.per_update(millis(took)));
        let aoi = sync + detect + emit;
        format!(
            "{update:.3} ms, of it area of interest {aoi:.3} \
             (sync {sync:.3}, detect {detect:.3}, emit {emit:.3})"
        )
    }

    /// How many one viewer has in view, on average.
    fn in_view(&self) -> f64 {
        ratio(self.pairs as f64, self.viewers as f64)
    }
}

/// The columns of a line, all of them means.
impl Display for Tally {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        write!(
            f,
            "{:>9.2}{:>11.1}{:>11.1}{:>11.3}",
            self.in_view(),
            self.per_update(self.entered as f64),
            self.per_update(self.left as f64),
            self.per_update(millis(self.took)),
        )
    }
}

/// How long the newest updates took, so many that an endless run stays small.
#[derive(Default)]
struct Times {
    newest: Vec<Duration>,
    count: usize,
}

impl Times {
    const KEPT: usize = 1 << 20;

    fn push(&mut self, took: Duration) {
        if self.newest.len() < Self::KEPT {
            self.newest.push(took);
        } else {
            self.newest[self.count % Self::KEPT] = took;
        }
        self.count += 1;
    }

    /// The times that these shares of the updates did not exceed; zero if there was no update.
    fn quantiles<const N: usize>(mut self, shares: [f64; N]) -> [Duration; N] {
        self.newest.sort_unstable();
        let len = self.newest.len();
        shares.map(|share| {
            let rank = (share * len as f64).ceil() as usize;
            let slowest = self.newest.get(rank.saturating_sub(1));
            slowest.copied().unwrap_or_default()
        })
    }
}

fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// `sum / count`, and 0 instead of NaN.
fn ratio(sum: f64, count: f64) -> f64 {
    if count > 0.0 { sum / count } else { 0.0 }
}
