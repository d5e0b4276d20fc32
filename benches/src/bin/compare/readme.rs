//! The table of ratios in the README.

use crate::{
    results::{Measured, Results},
    table::ns,
};
use bevy_aoi_benches::{systems::Level, workloads::repository};
use comfy_table::{CellAlignment, Table, presets};
use std::{env, fmt::Write, fs, path::PathBuf, process::Command};

const BEGIN: &str = "<!-- compare -->";
const END: &str = "<!-- /compare -->";

const COMMAND: &str =
    "cargo run --release --manifest-path benches/Cargo.toml --bin compare -- --write";

fn path() -> PathBuf {
    repository().join("README.md")
}

/// Where in the README the table goes: after the first marker, before the second.
fn place(text: &str) -> Result<(usize, usize), String> {
    let begin = text.find(BEGIN).map(|at| at + BEGIN.len());
    let place = begin.and_then(|begin| Some((begin, begin + text[begin..].find(END)?)));
    place.ok_or_else(|| {
        format!("README.md has no line `{BEGIN}` with a line `{END}` after it: nothing is written")
    })
}

fn read() -> Result<String, String> {
    let path = path();
    fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Whether there is a place for the table; to be known before hours of measuring.
pub fn check() -> Result<(), String> {
    place(&read()?).map(|_| ())
}

/// Puts the table in its place.
pub fn write(results: &Results) -> Result<(), String> {
    let text = read()?;
    let (begin, end) = place(&text)?;
    let text = format!("{}\n{}\n{}", &text[..begin], section(results), &text[end..]);
    fs::write(path(), text).map_err(|error| format!("{}: {error}", path().display()))
}

fn section(results: &Results) -> String {
    let mut text = String::new();
    for (level, title) in [
        (Level::App, "A whole `App::update`"),
        (Level::Structure, "Arrays in, arrays out"),
    ] {
        let all = results.all.iter();
        let of_level = all.filter(|measured| (measured.level, measured.threads) == (level, 1));
        let table = ratios(&of_level.collect::<Vec<_>>());
        let _ = write!(text, "\n{title}:\n\n{table}\n");
    }
    let _ = write!(
        text,
        "\nns per entity and update (W12: per query) of ours, on one thread; the others in multiples \
         of it: above 1 ours is faster. The floor does all that the app does but for the area of \
         interest. {}, {}, {}.\n\n```sh\n{COMMAND}\n```\n",
        cpu(),
        compiler(),
        time::OffsetDateTime::now_utc().date(),
    );
    text
}

/// A row for each workload, a column for each system.
fn ratios(all: &[&Measured]) -> Table {
    let mut systems: Vec<&str> = Vec::new();
    for row in all.iter().flat_map(|measured| &measured.rows) {
        if row.system != "ours" && !systems.contains(&row.system.as_str()) {
            systems.push(&row.system);
        }
    }
    let mut table = Table::new();
    let header = ["workload", "ours, ns"].into_iter();
    table
        .load_style(presets::ASCII_MARKDOWN)
        .set_header(header.chain(systems.iter().copied()));
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for measured in all {
        let Some(ours) = measured.row("ours") else {
            continue;
        };
        let ratio = |system: &&str| {
            let row = measured.row(system);
            row.map_or(String::new(), |row| ratio(row.ns / ours.ns))
        };
        let cells = [measured.workload.clone(), ns(ours.ns)].into_iter();
        table.add_row(cells.chain(systems.iter().map(ratio)));
    }
    table
}

/// Two digits at least.
fn ratio(ratio: f64) -> String {
    match ratio {
        ratio if ratio < 1.0 => format!("{ratio:.2}"),
        ratio if ratio < 10.0 => format!("{ratio:.1}"),
        ratio => format!("{ratio:.0}"),
    }
}

fn cpu() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info
        .lines()
        .find_map(|line| line.strip_prefix("model name"));
    let name = name.map(|name| name.trim_start_matches([' ', '\t', ':']));
    name.unwrap_or(env::consts::ARCH).to_owned()
}

fn compiler() -> String {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("--version").output();
    let version = output
        .ok()
        .and_then(|output| String::from_utf8(output.stdout).ok());
    version.map_or("rustc".to_owned(), |version| version.trim().to_owned())
}
