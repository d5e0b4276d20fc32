//! Recorded movement of real people, played through the plugin.
//!
//! ```text
//! cargo run --release --example replay -- assets/recordings/jue_ao_300.csv --radius 2
//! ```
//!
//! The recording is a table `frame,id,x,y` or `frame,id,x,y,z`. Everybody in it sees everybody within
//! the radius; at the end you read how many came into view, how many dropped out, how many were still in
//! view, and a digest of all these events in order. Equal digests mean equal events, on any machine: that
//! is how `tests/recordings.rs` compares the plugin with brute force.

use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::{path::PathBuf, process::ExitCode};

#[path = "support/recording.rs"]
mod recording;
#[path = "support/replay.rs"]
mod replay;

use recording::Recording;

/// Play recorded movement through the plugin and count who came into whose view.
#[derive(Parser)]
struct Args {
    /// The recording, a table frame,id,x,y or frame,id,x,y,z
    file: PathBuf,
    /// How far everybody sees, in the unit of the recording
    #[arg(long, value_parser = radius, allow_hyphen_values = true)]
    radius: f64,
    /// Print one line of JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// A radius that a viewer can have and JSON can write.
fn radius(text: &str) -> Result<f64, String> {
    let radius: f64 = text.parse().map_err(|_| "it is not a number".to_owned())?;
    if radius.is_nan() || radius < 0.0 {
        Err("it must be 0 or more".to_owned())
    } else if (radius as f32).is_infinite() {
        Err("it must be a finite 32-bit number".to_owned())
    } else {
        Ok(radius)
    }
}

/// The answer; its fields are those of the line of JSON, in their order.
#[derive(Serialize)]
struct Report {
    file: String,
    radius: f64,
    frames: usize,
    agents: usize,
    enter: u64,
    leave: u64,
    open: u64,
    sha256: String,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let recording = match Recording::read(&args.file) {
        Ok(recording) => recording,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    };

    // On standard error, and only if that is a terminal: standard output is for the answer.
    let style = ProgressStyle::with_template("{wide_bar} frame {pos} of {len}, {eta} left");
    let bar = ProgressBar::new(recording.frames() as u64)
        .with_style(style.expect("the template is right"));
    let outcome = replay::replay(&recording, args.radius as f32, || bar.inc(1));
    bar.finish_and_clear();

    let report = Report {
        file: args.file.display().to_string(),
        radius: args.radius,
        frames: recording.frames(),
        agents: recording.agents(),
        enter: outcome.enter,
        leave: outcome.leave,
        open: outcome.open,
        sha256: outcome.sha256,
    };
    if args.json {
        println!(
            "{}",
            serde_json::to_string(&report).expect("all numbers are finite")
        );
    } else {
        println!("file    {}\nradius  {}", report.file, report.radius);
        println!("frames  {}\nagents  {}", report.frames, report.agents);
        println!(
            "enter   {}\nleave   {}\nopen    {}",
            report.enter, report.leave, report.open
        );
        println!("sha256  {}", report.sha256);
    }
    ExitCode::SUCCESS
}
