//! The Lists tab: the bands and blocks of the structure, and the order along its axes.

use bevy_egui::egui::{self, RichText};

use crate::debug::panel::{
    AoiPanel, AoiSnapshot,
    look::{self, SKY},
    snapshot::Order,
};

pub(crate) fn show(ui: &mut egui::Ui, panel: &mut AoiPanel, snapshot: &AoiSnapshot) {
    let lists = &snapshot.lists;
    if lists.spaces.is_empty() {
        ui.weak("Nobody takes part.");
        return;
    }
    ui.horizontal(|ui| {
        ui.label("space")
            .on_hover_text("each space has a structure of its own");
        egui::ComboBox::from_id_salt("space")
            .selected_text(lists.space.0.to_string())
            .show_ui(ui, |ui| {
                for &space in &lists.spaces {
                    let chosen = lists.space == space;
                    if ui.selectable_label(chosen, space.0.to_string()).clicked() {
                        panel.space = Some(space);
                        panel.band = None;
                    }
                }
            });
        let many = look::whole(lists.all_bands as f64);
        ui.weak(format!("{many} bands"));
        if panel.band.is_some() && ui.button("band of the picked").clicked() {
            panel.space = None;
            panel.band = None;
        }
    });
    ui.separator();
    let height = (ui.available_height() * 0.4).max(120.0);
    ui.columns(2, |columns| {
        bands(&mut columns[0], panel, snapshot, height);
        blocks(&mut columns[1], snapshot, height);
    });
    ui.separator();
    orders(ui, panel, snapshot);
}

fn bands(ui: &mut egui::Ui, panel: &mut AoiPanel, snapshot: &AoiSnapshot, height: f32) {
    let lists = &snapshot.lists;
    ui.strong("Bands").on_hover_text(
        "strips across the plane, each with a list of its members along x; click one to see its \
         blocks",
    );
    let title = format!("{:>4} {:>8} {:>8} {:>7}", "band", "from", "to", "members");
    look::head(ui, title).on_hover_text("on the axis across the bands");
    let row = ui.spacing().interact_size.y;
    // The bands lie along the last axis of the plane that is not x.
    let axis = snapshot
        .plane
        .and_then(|plane| plane.axes().last().copied())
        .unwrap_or(1);
    egui::ScrollArea::vertical()
        .id_salt("bands")
        .max_height(height)
        .auto_shrink([false, false])
        .show_rows(ui, row, lists.bands.len(), |ui, rows| {
            for at in rows {
                let band = &lists.bands[at];
                let (from, to) = (look::length(band.lo[axis]), look::length(band.hi[axis]));
                let text = format!("{at:>4} {from:>8} {to:>8} {:>7}", band.members);
                let text = RichText::new(text).monospace();
                if ui.selectable_label(lists.band == at, text).clicked() {
                    panel.space = Some(lists.space);
                    panel.band = Some(at);
                }
            }
        });
}

fn blocks(ui: &mut egui::Ui, snapshot: &AoiSnapshot, height: f32) {
    let lists = &snapshot.lists;
    ui.strong(format!("Blocks of band {}", lists.band))
        .on_hover_text("the nodes of the list: members that stand side by side");
    look::head(ui, format!("{:>8} {:>8}  full", "x from", "to"))
        .on_hover_text("members of those it has room for");
    let row = ui.spacing().interact_size.y;
    egui::ScrollArea::vertical()
        .id_salt("blocks")
        .max_height(height)
        .auto_shrink([false, false])
        .show_rows(ui, row, lists.blocks.len(), |ui, rows| {
            for block in &lists.blocks[rows] {
                ui.horizontal(|ui| {
                    let (from, to) = (look::length(block.lo.x), look::length(block.hi.x));
                    let text = format!("{from:>8} {to:>8}");
                    ui.label(RichText::new(text).monospace());
                    let share = block.members as f32 / block.capacity.max(1) as f32;
                    let text = format!("{:>2} / {:>2}", block.members, block.capacity);
                    ui.add(
                        egui::ProgressBar::new(share)
                            .desired_width(50.0)
                            .desired_height(8.0)
                            .fill(SKY),
                    );
                    ui.label(RichText::new(text).monospace());
                });
            }
        });
}

fn orders(ui: &mut egui::Ui, panel: &mut AoiPanel, snapshot: &AoiSnapshot) {
    let lists = &snapshot.lists;
    ui.strong("Order along the axes").on_hover_text(
        "who stands next to the picked entity on each axis, however far away on the others",
    );
    if lists.orders.is_empty() {
        ui.weak("Pick an entity of this space to see who stands next to it.");
        return;
    }
    egui::ScrollArea::vertical()
        .id_salt("orders")
        .auto_shrink([false, false])
        .show(ui, |ui| {
            ui.columns(lists.orders.len(), |columns| {
                for (column, order) in columns.iter_mut().zip(&lists.orders) {
                    neighbours(column, panel, snapshot, order);
                }
            });
        });
}

fn neighbours(ui: &mut egui::Ui, panel: &mut AoiPanel, snapshot: &AoiSnapshot, order: &Order) {
    let name = ["x", "y", "z"][order.axis];
    look::head(ui, format!("{name:>9}  along {name}"));
    let picked = panel.picked.map(|picked| (order.at, picked));
    let before = order.before.iter().rev().copied();
    let after = order.after.iter().copied();
    for (at, entity) in before.chain(picked).chain(after) {
        ui.horizontal(|ui| {
            look::right_cell(ui, 9, &look::length(at));
            look::link(ui, panel, snapshot, entity);
        });
    }
}
