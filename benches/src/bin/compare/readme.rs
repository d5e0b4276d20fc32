//! The tables of ratios: whole apps in the README of the crate, arrays in that of this package.

use crate::{
    results::{Measured, Results},
    table::ns,
};
use bevy_aoi_benches::{systems::Level, workloads::repository};
use comfy_table::{CellAlignment, Table, presets};
use std::{env, fs, process::Command, thread};

const BEGIN: &str = "<!-- compare -->";
const END: &str = "<!-- /compare -->";

const COMMAND: &str =
    "cargo run --release --manifest-path benches/Cargo.toml --bin compare -- --write";

/// Where which level goes.
const PLACES: [(&str, Level); 2] = [
    ("README.md", Level::App),
    ("benches/README.md", Level::Structure),
];

/// Where in a file the table goes: after the first marker, before the second.
fn place(file: &str, text: &str) -> Result<(usize, usize), String> {
    let begin = text.find(BEGIN).map(|at| at + BEGIN.len());
    let place = begin.and_then(|begin| Some((begin, begin + text[begin..].find(END)?)));
    place.ok_or_else(|| {
        format!("{file} has no line `{BEGIN}` with a line `{END}` after it: nothing is written")
    })
}

fn read(file: &str) -> Result<String, String> {
    let path = repository().join(file);
    fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Whether there is a place for the tables; to be known before hours of measuring.
pub fn check() -> Result<(), String> {
    PLACES
        .iter()
        .try_for_each(|(file, _)| place(file, &read(file)?).map(|_| ()))
}

/// Puts the tables in their places.
pub fn write(results: &Results) -> Result<(), String> {
    for (file, level) in PLACES {
        let text = read(file)?;
        let (begin, end) = place(file, &text)?;
        let section = section(results, level);
        let text = format!("{}\n{section}\n{}", &text[..begin], &text[end..]);
        let path = repository().join(file);
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

fn section(results: &Results, level: Level) -> String {
    let all = results.all.iter();
    let of_level = all.filter(|measured| (measured.level, measured.threads) == (level, 1));
    // The worlds of the picture are in the picture.
    let listed = of_level.filter(|measured| {
        !measured.workload.starts_with("growth") && !measured.workload.starts_with("density")
    });
    format!(
        "{}, {} cores, {}, {}:\n\n{}\n\n```sh\n{COMMAND}\n```\n",
        cpu(),
        thread::available_parallelism().map_or(1, usize::from),
        compiler(),
        time::OffsetDateTime::now_utc().date(),
        ratios(&listed.collect::<Vec<_>>()),
    )
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
    let header = ["workload", "", "entities", "in view", "ours, ns"].into_iter();
    table
        .load_style(presets::ASCII_MARKDOWN)
        .set_header(header.chain(systems.iter().copied()));
    for column in table.column_iter_mut().skip(2) {
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
        let in_view = measured
            .in_view
            .map_or(String::new(), |in_view| in_view.to_string());
        let entities = if measured.queries {
            String::new()
        } else {
            format!("{:.0}", measured.entities)
        };
        let cells = [
            measured.workload.clone(),
            measured.what.clone(),
            entities,
            in_view,
            ns(ours.ns),
        ]
        .into_iter();
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
