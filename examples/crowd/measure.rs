//! How long the updates take and what they do: kept by [`Meter`], added up by [`Tally`].

use bevy::prelude::*;
use bevy_aoi::prelude::*;
use std::{
    fmt::{self, Display, Formatter},
    io::{self, Write},
    time::{Duration, Instant},
};

/// Updates an app and keeps how long it takes. The first update, in which everybody appears at
/// once, says nothing about the times to come: it is kept apart.
#[derive(Default)]
pub struct Meter {
    /// How many updates there were, the first one among them.
    pub updates: u64,
    pub first: Tally,
    /// All but the first.
    pub whole: Tally,
    /// Those since [`take_recent`](Self::take_recent).
    pub recent: Tally,
    times: Times,
}

impl Meter {
    /// One update; how long it took.
    pub fn update(&mut self, app: &mut App) -> Duration {
        let start = Instant::now();
        app.update();
        let took = start.elapsed();
        let stats = app.world().resource::<AoiStats>();
        if self.updates == 0 {
            self.first.count(took, stats);
            self.whole.count_views(stats);
        } else {
            self.whole.count(took, stats);
            self.recent.count(took, stats);
            self.times.push(took);
        }
        self.updates += 1;
        took
    }

    pub fn take_recent(&mut self) -> Tally {
        std::mem::take(&mut self.recent)
    }

    /// The end of the output; the last line of it is for scripts.
    pub fn summarize(self, out: &mut impl Write) -> io::Result<()> {
        let Self { whole, times, .. } = self;
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
}

/// What some updates did, added up.
#[derive(Default)]
pub struct Tally {
    pub updates: u64,
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
    pub fn times(&self) -> String {
        let [sync, detect, emit] = self.aoi();
        let aoi = sync + detect + emit;
        format!(
            "{:.3} ms, of it area of interest {aoi:.3} \
             (sync {sync:.3}, detect {detect:.3}, emit {emit:.3})",
            self.took(),
        )
    }

    /// How long the plugin's sets took, on average, in milliseconds.
    pub fn aoi(&self) -> [f64; 3] {
        self.aoi.map(|took| self.per_update(millis(took)))
    }

    /// How many one viewer has in view, on average.
    pub fn in_view(&self) -> f64 {
        ratio(self.pairs as f64, self.viewers as f64)
    }

    /// Pairs that came into view in an update, on average.
    pub fn entered(&self) -> f64 {
        self.per_update(self.entered as f64)
    }

    /// Pairs that dropped out of view in an update, on average.
    pub fn left(&self) -> f64 {
        self.per_update(self.left as f64)
    }

    /// How long an update took, on average, in milliseconds.
    pub fn took(&self) -> f64 {
        self.per_update(millis(self.took))
    }
}

/// The columns of a line, all of them means.
impl Display for Tally {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        write!(
            f,
            "{:>9.2}{:>11.1}{:>11.1}{:>11.3}",
            self.in_view(),
            self.entered(),
            self.left(),
            self.took(),
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

pub fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// `sum / count`, and 0 instead of NaN.
fn ratio(sum: f64, count: f64) -> f64 {
    if count > 0.0 { sum / count } else { 0.0 }
}
