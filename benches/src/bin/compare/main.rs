//! Measures this crate against the published ways to do the same, on the same input, interleaved.
//!
//! ```text
//! cargo run --release --manifest-path benches/Cargo.toml --bin compare
//! cargo run --release --manifest-path benches/Cargo.toml --bin compare -- --workload W1,W4
//! cargo run --release --manifest-path benches/Cargo.toml --bin compare -- --quick
//! ```

mod chart;
mod measure;
mod readme;
mod results;
mod table;
mod targets;
mod threads;

use bevy_aoi_benches::{
    systems::Level,
    workloads::{self, Workload},
};
use clap::{Parser, ValueEnum};
use results::{Measured, Results};
use std::{io::Write, process::ExitCode};

/// Measures the crate against other ways to tell who comes into whose view.
///
/// Prints a table for each workload and level, and which of the targets are met. Fails if two
/// systems told different changes on the same workload.
#[derive(Parser)]
struct Args {
    /// Only these, as in W1,W7,clusters; a part is named like W7-spot [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    workload: Vec<String>,

    /// Only these systems, as in ours,nine-grid [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    systems: Vec<String>,

    /// Only this level
    #[arg(long)]
    level: Option<ArgLevel>,

    /// How many rounds are measured; the median counts [default: 7, with --quick 3]
    #[arg(long, value_name = "N")]
    rounds: Option<u32>,

    /// With how many threads the app runs, 1 or as many as there are cores; more than one is
    /// another process, built with `parallel` [default: both, with --quick 1]
    #[arg(long, value_name = "N", value_delimiter = ',')]
    threads: Vec<usize>,

    /// A few thousand entities at most and short rounds: shows that all of it works
    #[arg(long)]
    quick: bool,

    /// One line of JSON for each system instead of tables
    #[arg(long)]
    json: bool,

    /// Put the ratios into README.md and draw assets/compare.svg
    #[arg(long, conflicts_with_all = ["quick", "workload", "systems", "level", "threads", "json"])]
    write: bool,

    /// For the process with more threads: all that was measured, as one JSON document
    #[arg(long, hide = true)]
    raw: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum ArgLevel {
    Structure,
    App,
}

impl Args {
    fn levels(&self) -> Vec<Level> {
        match self.level {
            Some(ArgLevel::Structure) => vec![Level::Structure],
            Some(ArgLevel::App) => vec![Level::App],
            None => vec![Level::Structure, Level::App],
        }
    }

    fn rounds(&self) -> u32 {
        self.rounds.unwrap_or(if self.quick { 3 } else { 7 }).max(1)
    }

    /// Those asked for. An error for a name that is none.
    fn workloads(&self) -> Result<Vec<Workload>, String> {
        let mut all = workloads::all(self.quick)?;
        let matches = |workload: &Workload, name: &String| {
            name.eq_ignore_ascii_case(workload.name) || name.eq_ignore_ascii_case(&workload.label())
        };
        for name in &self.workload {
            if !all.iter().any(|workload| matches(workload, name)) {
                return Err(format!("there is no workload {name}"));
            }
        }
        if !self.workload.is_empty() {
            all.retain(|workload| self.workload.iter().any(|name| matches(workload, name)));
        }
        Ok(all)
    }
}

fn main() -> ExitCode {
    let args = Args::parse();
    match compare(&args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Whether all systems told the same.
fn compare(args: &Args) -> Result<bool, String> {
    if args.write {
        readme::check()?;
    }
    let own = threads::own();
    let counts = match args.threads.as_slice() {
        _ if args.raw => vec![own],
        [] if args.quick => vec![1],
        [] => vec![1, threads::cores()],
        some => some.to_vec(),
    };
    threads::check(&counts, args.raw)?;
    let mut results = Results::default();
    if counts.contains(&own) {
        for workload in args.workloads()? {
            for level in args.levels() {
                let measured = measure::measure(&workload, level, args)?;
                show(args, &measured)?;
                results.add(measured);
            }
        }
    }
    if counts.iter().any(|&count| count > own)
        && args
            .level
            .is_none_or(|level| matches!(level, ArgLevel::App))
    {
        for measured in threads::other_process(args)? {
            show(args, &measured)?;
            results.add(measured);
        }
    }
    let differences = results.differences();
    if args.raw {
        println!(
            "{}",
            serde_json::to_string(&results.all).map_err(|error| error.to_string())?
        );
    } else if !args.json {
        println!("{}", targets::table(&results, args.quick));
    }
    for difference in &differences {
        eprintln!("error: {difference}");
    }
    if args.write {
        readme::write(&results)?;
        chart::draw(&results)?;
    }
    Ok(differences.is_empty())
}

/// Prints what was measured, unless it is printed in the end.
fn show(args: &Args, measured: &Measured) -> Result<(), String> {
    if args.raw {
        return Ok(());
    }
    if args.json {
        for row in &measured.rows {
            println!("{}", measured.json(row));
        }
    } else {
        println!("{}", table::table(measured));
    }
    std::io::stdout().flush().map_err(|error| error.to_string())
}
