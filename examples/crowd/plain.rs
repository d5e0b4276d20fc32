//! Runs the crowd and says in plain lines how it goes: for pipes, files and scripts.

use crate::measure::Meter;
use bevy::prelude::*;
use bevy_aoi::prelude::*;
use std::{
    io::{self, Write},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

const HEADER: &str = "  agents  in view    entered       left         ms  (means per update)";

/// Updates the app `frames` times (0: without end) or until `stop`. Prints a line per second, one
/// for what is left of the last one, and a summary at the end.
pub fn run(app: &mut App, title: &str, frames: u64, stop: &AtomicBool) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{title}")?;
    match frames {
        0 => writeln!(out, "until Ctrl-C")?,
        _ => writeln!(out, "{frames} updates, or until Ctrl-C")?,
    }
    if cfg!(debug_assertions) {
        writeln!(out, "(slow: built without --release)")?;
    }

    let mut meter = Meter::default();
    let mut line_at = Instant::now();
    let mut has_header = false;
    while (meter.updates < frames || frames == 0) && !stop.load(Ordering::Relaxed) {
        meter.update(app);
        if meter.updates == 1 {
            writeln!(out, "first update {}", meter.first.times())?;
            line_at = Instant::now();
        }
        let due = line_at.elapsed() >= Duration::from_secs(1) || meter.updates == frames;
        if due && meter.recent.updates > 0 {
            if !has_header {
                writeln!(out, "{HEADER}")?;
                has_header = true;
            }
            let viewers = app.world().resource::<AoiStats>().viewers;
            writeln!(out, "{viewers:>8}{}", meter.take_recent())?;
            line_at = Instant::now();
        }
    }
    meter.summarize(&mut out)
}
