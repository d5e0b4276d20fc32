//! A crowd in which everybody sees and is seen: how fast the plugin is, with real components,
//! transforms and messages.
//!
//! ```text
//! cargo run --release --example crowd
//! cargo run --release --example crowd -- --agents 1000000 --frames 100
//! cargo run --release --example crowd -- --recording assets/recordings/jue_ao_300.csv
//! ```
//!
//! [`walkers`] and [`playback`] are what is simulated. It is shown as a map in the [`terminal`], in
//! [`plain`] lines where the output is no terminal, and with the feature `window` in a window:
//!
//! ```text
//! cargo run --example crowd --features window
//! ```

mod ground;
mod map;
mod measure;
mod plain;
mod playback;
#[path = "../support/recording.rs"]
mod recording;
mod screen;
mod terminal;
mod walkers;
#[cfg(feature = "window")]
mod window;

use bevy::{prelude::*, time::TimeUpdateStrategy};
use bevy_aoi::prelude::*;
use clap::Parser;
use playback::Playback;
use recording::{Recording, RecordingError};
use std::{
    env,
    io::{self, IsTerminal},
    path::PathBuf,
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use walkers::Walkers;

/// Simulated time; in plain lines nothing waits for it, updates come as fast as the machine can.
const UPDATES_PER_SECOND: f32 = 60.0;

/// How many updates there are unless it is said.
const FRAMES: u64 = 600;

/// A crowd in which everybody sees and is seen.
///
/// In a terminal it is a map. Elsewhere, and with --headless, it goes as fast as the machine can,
/// and prints a line per second of what comes into view and drops out of it. Both end in a summary.
/// The last line is for scripts: `updates N median_ms X p99_ms Y updates_per_s Z in_view V`. The
/// first update, in which everybody appears, is left out of the times and of N; V is how many a
/// viewer had in view, mean over all updates and viewers.
#[derive(Parser)]
struct Args {
    /// How many walk about in a square field
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    agents: u32,

    /// How many others each has in view, on average; the size of the field follows from it
    #[arg(long, value_name = "K", default_value = "30", value_parser = not_negative)]
    #[arg(allow_negative_numbers = true)]
    in_view: f32,

    /// How far everybody sees, in metres [default: 50, with --recording 2]
    #[arg(long, value_name = "R", value_parser = not_negative)]
    #[arg(allow_negative_numbers = true)]
    radius: Option<f32>,

    /// How fast everybody walks, in metres per second; an update is 1/60 s
    #[arg(long, value_name = "S", default_value = "6", value_parser = not_negative)]
    #[arg(allow_negative_numbers = true)]
    speed: f32,

    /// The same seed gives the same crowd
    #[arg(long, value_name = "K", default_value_t = 1)]
    seed: u64,

    /// Play recorded people instead, in a loop, one frame per update; then agents, in-view, speed
    /// and seed play no part
    #[arg(long, value_name = "FILE")]
    recording: Option<PathBuf>,

    /// Stop after so many updates; 0: only at Ctrl-C [default: 600, in a window 0]
    #[arg(long, value_name = "N")]
    frames: Option<u64>,

    /// Only plain lines, as where the output is no terminal
    #[arg(long)]
    headless: bool,

    #[cfg(feature = "window")]
    #[command(flatten)]
    window: window::WindowArgs,
}

impl Args {
    fn walkers(&self) -> Walkers {
        Walkers {
            agents: self.agents,
            in_view: self.in_view,
            radius: self.radius.unwrap_or(50.0),
            step: self.speed / UPDATES_PER_SECOND,
            seed: self.seed,
        }
    }
}

fn not_negative(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(number) if number >= 0.0 && number.is_finite() => Ok(number),
        Ok(_) => Err("it must be 0 or more, and finite".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

fn main() -> ExitCode {
    let args = Args::parse();
    let mut app = App::new();
    #[cfg(feature = "window")]
    if !args.headless {
        match window::missing_display() {
            None => return window::run(&mut app, &args),
            Some(why) => eprintln!("no window, {why}: the crowd goes on in the terminal"),
        }
    }
    let update = Duration::from_secs_f32(1.0 / UPDATES_PER_SECOND);
    app.add_plugins(MinimalPlugins)
        .insert_resource(TimeUpdateStrategy::ManualDuration(update));
    let title = match populate(&mut app, &args) {
        Ok(title) => title,
        Err(error) => return refused(&error),
    };
    match show(&mut app, &title, &args) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
        // Nobody reads on, as with `| head`: that is an end like any other.
        _ => ExitCode::SUCCESS,
    }
}

/// Says why there is no crowd.
fn refused(error: &RecordingError) -> ExitCode {
    eprintln!("error: {error}");
    ExitCode::from(2)
}

/// As a map where there is a terminal that can show one.
fn show(app: &mut App, title: &str, args: &Args) -> io::Result<()> {
    let stop = Arc::new(AtomicBool::new(false));
    let handler = stop.clone();
    ctrlc::set_handler(move || handler.store(true, Ordering::Relaxed)).map_err(io::Error::other)?;
    app.finish();
    app.cleanup();

    let frames = args.frames.unwrap_or(FRAMES);
    let is_dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
    if args.headless || is_dumb || !io::stdout().is_terminal() || !io::stdin().is_terminal() {
        plain::run(app, title, frames, &stop)
    } else {
        terminal::run(app, title, frames, &stop)
    }
}

/// Puts the crowd into the app, and says in words what it is.
fn populate(app: &mut App, args: &Args) -> Result<String, RecordingError> {
    app.add_plugins((walkers::plugin, playback::plugin));
    if let Some(path) = &args.recording {
        let recording = Recording::read(path)?;
        let radius = args.radius.unwrap_or(2.0);
        let title = format!("{}: {recording}; radius {radius}", path.display());
        app.add_plugins(match recording.dimensions {
            2 => AoiPlugin::xy(),
            _ => AoiPlugin::xyz(),
        });
        Playback::new(recording, radius).enter(app.world_mut());
        return Ok(title);
    }
    let walkers = args.walkers();
    let title = format!(
        "walkers: {} at {} m/s in a field {:.0} m wide; radius {} m, seed {}",
        walkers.agents,
        args.speed,
        walkers.side(),
        walkers.radius,
        walkers.seed
    );
    app.add_plugins(AoiPlugin::xy());
    walkers.enter(app.world_mut());
    Ok(title)
}
