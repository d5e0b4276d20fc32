//! The Log tab: the last messages.

use bevy_egui::egui::{self, RichText};

use crate::debug::panel::{
    AoiPanel, AoiSnapshot,
    log::{Filter, KEPT, Line, REASONS, What, reason_text},
    look::{self, GREEN, PURPLE, VERMILION},
};

pub(crate) fn show(ui: &mut egui::Ui, panel: &mut AoiPanel, snapshot: &AoiSnapshot) {
    filters(ui, panel, snapshot);
    ui.separator();
    buttons(ui, panel, snapshot);
    lines(ui, panel, snapshot);
}

fn filters(ui: &mut egui::Ui, panel: &mut AoiPanel, snapshot: &AoiSnapshot) {
    let counts = &snapshot.log.counts;
    let filter = &mut panel.filter;
    let check = |ui: &mut egui::Ui, on: &mut bool, name: &str, count: u64, hint: &str| {
        let hint = format!("{hint}\n\nHow many since the panel was opened, listed or not.");
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 4.0;
            ui.checkbox(on, name).on_hover_text(&hint);
            let count = RichText::new(look::whole(count as f64));
            ui.label(count.monospace().strong()).on_hover_text(&hint);
        });
    };
    ui.columns(3, |columns| {
        check(
            &mut columns[0],
            &mut filter.entered,
            "entered",
            counts.entered,
            "EnterView: a pair came into view.",
        );
        check(
            &mut columns[1],
            &mut filter.rings,
            "ring",
            counts.rings,
            "RingChanged: a target came into another ring. Only viewers with AoiRings are told.",
        );
        check(
            &mut columns[2],
            &mut filter.moves,
            "moved",
            counts.moves,
            "MoveInView: one of a pair in view moved. Only viewers with ReportMoves are told; very \
             many.",
        );
        for (at, reason) in REASONS.into_iter().enumerate() {
            let name = format!("left: {}", reason_text(reason));
            let hint = match at {
                0 => "LeaveView: one of the two is gone.",
                1 => "LeaveView: a component was removed, or one is disabled or not finite.",
                2 => "LeaveView: space, layers, pin or AlwaysInView changed.",
                3 => "LeaveView: too far away, or the viewer went blind.",
                _ => "LeaveView: others are nearer, and the viewer has a cap.",
            };
            let column = &mut columns[at % 3];
            check(column, &mut filter.left[at], &name, counts.left[at], hint);
        }
    });
}

fn buttons(ui: &mut egui::Ui, panel: &mut AoiPanel, snapshot: &AoiSnapshot) {
    ui.horizontal(|ui| {
        let pause = if panel.paused { "go on" } else { "pause" };
        if ui
            .button(pause)
            .on_hover_text("keeps the lines as they are; counting goes on")
            .clicked()
        {
            panel.paused ^= true;
        }
        if ui.button("clear").clicked() {
            panel.clear_log = true;
        }
        if ui
            .button("copy")
            .on_hover_text("the lines shown, with tabs between columns")
            .clicked()
        {
            ui.copy_text(text(snapshot));
        }
        if ui.button("all kinds").clicked() {
            panel.filter = Filter {
                only_picked: panel.filter.only_picked,
                ..Filter::default()
            };
        }
        let only = match panel.picked {
            Some(picked) => format!("only {}", snapshot.label(picked)),
            None => "only the picked entity".into(),
        };
        ui.add_enabled(
            panel.picked.is_some(),
            egui::Checkbox::new(&mut panel.filter.only_picked, only),
        );
    });
    let (shown, kept) = (snapshot.log.shown.len(), snapshot.log.lines.len());
    let whole = |count: usize| look::whole(count as f64);
    let text = match (shown, kept) {
        (KEPT, KEPT) => format!("the last {} lines", whole(KEPT)),
        (_, KEPT) => format!("{} of the last {} lines", whole(shown), whole(KEPT)),
        _ => format!("{} lines", whole(shown)),
    };
    let paused = if panel.paused { ", paused" } else { "" };
    ui.weak(format!("{text}{paused}")).on_hover_text(format!(
        "the last {} messages that passed the filter while the panel was open are kept",
        whole(KEPT)
    ));
}

/// The lines shown, for the clipboard.
fn text(snapshot: &AoiSnapshot) -> String {
    let log = &snapshot.log;
    let line = |line: &Line| {
        let Line {
            update,
            viewer,
            target,
            what,
        } = line;
        format!("{update}\t{viewer}\t{target}\t{what}\n")
    };
    let lines = log.shown.iter().filter_map(|&at| log.lines.get(at));
    core::iter::once("update\tviewer\ttarget\twhat\n".to_owned())
        .chain(lines.map(line))
        .collect()
}

/// Half of the width that is left.
fn half<R>(ui: &mut egui::Ui, contents: impl FnOnce(&mut egui::Ui) -> R) {
    let width = (ui.available_width() - ui.spacing().item_spacing.x) / 2.0;
    let size = egui::vec2(width.max(40.0), ui.spacing().interact_size.y);
    let left = egui::Layout::left_to_right(egui::Align::Center);
    ui.allocate_ui_with_layout(size, left, |ui| {
        ui.set_min_width(size.x);
        contents(ui);
    });
}

fn lines(ui: &mut egui::Ui, panel: &mut AoiPanel, snapshot: &AoiSnapshot) {
    let log = &snapshot.log;
    ui.horizontal(|ui| {
        // As wide as the rows, which stand beside a scroll bar.
        ui.set_max_width(ui.available_width() - ui.spacing().scroll.allocated_width());
        look::head(ui, format!("{:>8}", "update"));
        look::head(ui, format!("{:<18}", "what"));
        half(ui, |ui| look::head(ui, "viewer".into()));
        look::head(ui, "target".into());
    });
    let height = ui.spacing().interact_size.y;
    egui::ScrollArea::vertical()
        .max_height(look::whole_rows(ui, ui.available_height()))
        .auto_shrink([false, false])
        .stick_to_bottom(true)
        .scroll_bar_visibility(egui::scroll_area::ScrollBarVisibility::AlwaysVisible)
        .show_rows(ui, height, log.shown.len(), |ui, rows| {
            for line in rows.filter_map(|row| log.lines.get(*log.shown.get(row)?)) {
                ui.horizontal(|ui| {
                    look::right_cell(ui, 8, &line.update.to_string());
                    let color = match line.what {
                        What::Entered => GREEN,
                        What::Left(_) => VERMILION,
                        What::Ring(_) => PURPLE,
                        What::Moved(_) => ui.visuals().text_color(),
                    };
                    let what = RichText::new(format!("{:<18}", line.what.to_string()));
                    ui.label(what.monospace().color(color));
                    half(ui, |ui| look::link(ui, panel, snapshot, line.viewer));
                    look::link(ui, panel, snapshot, line.target);
                });
            }
        });
}
