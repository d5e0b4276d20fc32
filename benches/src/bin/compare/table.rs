//! One table per workload and level.

use crate::results::{Measured, Row};
use comfy_table::{CellAlignment, Table, presets};
use std::fmt::Write;

/// What was measured, for people.
pub fn table(measured: &Measured) -> String {
    let mut text = format!(
        "\n{} ({}), level {}, {}: {}",
        measured.workload,
        measured.what,
        measured.level.name(),
        threads(measured.threads),
        if measured.queries {
            "ns per query".to_owned()
        } else {
            format!("{:.0} entities", measured.entities)
        },
    );
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN).set_header([
        "system",
        if measured.queries {
            "ns per query"
        } else {
            "ns per entity and update"
        },
        "to the best rival",
        "to the floor",
        if measured.queries {
            "found"
        } else {
            "messages told"
        },
        "bytes",
    ]);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for row in &measured.rows {
        let to = |other: Option<&Row>| {
            other.map_or("-".to_owned(), |other| format!("{:.2}", row.ns / other.ns))
        };
        table.add_row([
            row.system.clone(),
            ns(row.ns),
            to(measured.best_rival()),
            to(measured.row("floor")),
            row.messages.to_string(),
            measured.bytes(row).to_string(),
        ]);
    }
    let _ = write!(text, "\n{table}");
    for (system, excuse) in &measured.left_out {
        let _ = write!(text, "\nleft out: {system}, {excuse}");
    }
    for row in &measured.rows {
        if let Some(cell) = row.cell {
            let _ = write!(text, "\n{}: cells of {cell} radii", row.system);
        }
    }
    if let Some(row) = measured.row("ours") {
        if let Some([sync, detect, emit]) = row.stages {
            let per_entity = |ns: f64| self::ns(ns / measured.entities);
            let _ = write!(
                text,
                "\nours: Sync {} ns, Detect {} ns, Emit {} ns per entity and update",
                per_entity(sync),
                per_entity(detect),
                per_entity(emit),
            );
        }
        if let (Some(floor), Some(rival)) = (measured.row("floor"), measured.best_rival()) {
            let less = (rival.ns - floor.ns) / (row.ns - floor.ns);
            let _ = write!(
                text,
                "\nAOI time: {less:.1} times less than that of {}",
                rival.system
            );
        }
        let _ = write!(
            text,
            "\nallocations of ours per update: {:.1}",
            row.allocations
        );
    }
    text
}

pub fn threads(count: usize) -> String {
    match count {
        1 => "1 thread".to_owned(),
        count => format!("{count} threads"),
    }
}

/// Three digits.
pub fn ns(ns: f64) -> String {
    match ns {
        ns if ns < 10.0 => format!("{ns:.2}"),
        ns if ns < 100.0 => format!("{ns:.1}"),
        ns => format!("{ns:.0}"),
    }
}
