//! Bevy's task pool is one per process, and `multi_threaded` changes the rest of the update too: so
//! each number of threads is a process of its own, and one thread is measured without the feature.

use crate::{Args, results::Measured};
use std::{
    env,
    process::{Command, Stdio},
    thread,
};

/// How many threads there can be.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// With how many this process runs apps.
pub fn own() -> usize {
    if cfg!(feature = "parallel") {
        cores()
    } else {
        1
    }
}

/// Whether these numbers of threads can be measured.
pub fn check(counts: &[usize], raw: bool) -> Result<(), String> {
    let cores = cores();
    if let Some(count) = counts.iter().find(|&&count| count != 1 && count != cores) {
        return Err(format!(
            "with {count} threads nothing is measured, only with 1 and with all {cores} cores"
        ));
    }
    if cfg!(feature = "parallel") && counts.contains(&1) && !raw && cores > 1 {
        return Err("one thread is measured without the feature `parallel`".to_owned());
    }
    Ok(())
}

/// The same with all cores, in another process. Only the app, and only ours: no rival has threads.
pub fn other_process(args: &Args) -> Result<Vec<Measured>, String> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .args(["run", "--quiet", "--release", "--features", "parallel"])
        .args([
            "--manifest-path",
            concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"),
        ])
        .args(["--bin", "compare", "--", "--raw", "--level", "app"])
        .args(["--systems", "ours,floor"])
        .args(["--rounds", &args.rounds().to_string()]);
    if args.quick {
        command.arg("--quick");
    }
    if !args.workload.is_empty() {
        command.args(["--workload", &args.workload.join(",")]);
    }
    eprintln!("with {} threads: another build, another process", cores());
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cargo cannot be run: {error}"))?;
    if !output.status.success() {
        return Err(format!(
            "the process with more threads failed: {}",
            output.status
        ));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())
}
