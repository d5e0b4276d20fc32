//! The Lists tab: the bands and blocks of the structure, and the order along its axes.

use bevy_egui::egui::{self, RichText};

use crate::debug::panel::{
    AoiPanel, AoiSnapshot,
    look::{self, SKY},
    snapshot::Order,
};

/// Width of a bar that shows how full a block is.
const BAR: f32 = 50.0;

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
    let height = look::whole_rows(ui, (ui.available_height() * 0.4).max(120.0));
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
    let row = ui.spacing().interact_size.y;
    // The bands lie along the last axis of the plane that is not x.
    let axis = snapshot
        .plane
        .and_then(|plane| plane.axes().last().copied())
        .unwrap_or(1);
    let name = ["x", "y", "z"][axis];
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        // The rows below are buttons.
        ui.add_space(ui.spacing().button_padding.x);
        let (from, to) = (format!("{name} from"), format!("{name} to"));
        let title = format!("{:>4} {from:>8} {to:>8} {:>7}", "band", "members");
        look::head(ui, title).on_hover_text("the bands lie one after the other along this axis");
    });
    let spans = lists.bands.iter().map(|band| band.hi[axis] - band.lo[axis]);
    let decimals = look::decimals(spans.fold(f32::INFINITY, f32::min));
    egui::ScrollArea::vertical()
        .id_salt("bands")
        .max_height(height)
        .auto_shrink([false, false])
        .show_rows(ui, row, lists.bands.len(), |ui, rows| {
            scroll_to_own(ui, panel, snapshot, rows.start);
            for at in rows {
                let band = &lists.bands[at];
                let from = look::coordinate(band.lo[axis], decimals, 8);
                let to = look::coordinate(band.hi[axis], decimals, 8);
                let text = format!("{at:>4} {from} {to} {:>7}", band.members);
                let text = RichText::new(text).monospace();
                if ui.selectable_label(lists.band == at, text).clicked() {
                    panel.space = Some(lists.space);
                    panel.band = Some(at);
                    panel.scrolled_to = None;
                }
            }
        });
}

/// Brings the band of the picked entity into sight, once: what is scrolled by hand stays.
fn scroll_to_own(ui: &egui::Ui, panel: &mut AoiPanel, snapshot: &AoiSnapshot, first: usize) {
    let lists = &snapshot.lists;
    let own = Some((lists.space, lists.band));
    if panel.band.is_some() || panel.scrolled_to == own || lists.band >= lists.bands.len() {
        return;
    }
    let (height, spacing) = (ui.spacing().interact_size.y, ui.spacing().item_spacing.y);
    let row = |band: usize| {
        let below = (band as f32 - first as f32) * (height + spacing);
        let top = ui.max_rect().top() + below;
        egui::Rect::from_x_y_ranges(ui.max_rect().x_range(), top..=top + height)
    };
    if ui
        .clip_rect()
        .y_range()
        .contains(row(lists.band).center().y)
    {
        panel.scrolled_to = own;
    } else {
        // In the middle, with a whole row at the top; egui leaves a space above that.
        let beside = (ui.clip_rect().height() / (height + spacing) / 2.0) as usize;
        let top = row(lists.band.saturating_sub(beside)).translate(egui::vec2(0.0, spacing));
        let at_once = egui::style::ScrollAnimation::none();
        ui.scroll_to_rect_animation(top, Some(egui::Align::TOP), at_once);
    }
}

fn blocks(ui: &mut egui::Ui, snapshot: &AoiSnapshot, height: f32) {
    let lists = &snapshot.lists;
    ui.strong(format!("Blocks of band {}", lists.band))
        .on_hover_text("the nodes of the list: members that stand side by side");
    ui.horizontal(|ui| {
        look::head(ui, format!("{:>8} {:>8}", "x from", "x to"));
        ui.add_space(BAR + ui.spacing().item_spacing.x);
        look::head(ui, "members".into())
            .on_hover_text("how many it has, of how many it has room for");
    });
    let ends = lists
        .blocks
        .iter()
        .flat_map(|block| [block.lo.x, block.hi.x]);
    let ends = ends.filter(|x| x.is_finite());
    let decimals = look::decimals(step(ends));
    let row = ui.spacing().interact_size.y;
    egui::ScrollArea::vertical()
        .id_salt("blocks")
        .max_height(height)
        .auto_shrink([false, false])
        .show_rows(ui, row, lists.blocks.len(), |ui, rows| {
            for block in &lists.blocks[rows] {
                ui.horizontal(|ui| {
                    let from = look::coordinate(block.lo.x, decimals, 8);
                    let to = look::coordinate(block.hi.x, decimals, 8);
                    let text = format!("{from} {to}");
                    ui.label(RichText::new(text).monospace());
                    let share = block.members as f32 / block.capacity.max(1) as f32;
                    let text = format!("{:>2} / {:>2}", block.members, block.capacity);
                    look::bar(ui, BAR, share, SKY);
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
    ui.horizontal(|ui| {
        look::head(ui, format!("{name:>9}"));
        look::head(ui, format!("along {name}"));
    });
    let places = order.before.iter().chain(&order.after).map(|&(at, _)| at);
    let decimals = look::decimals(step(places.chain([order.at])));
    let picked = panel.picked.map(|picked| (order.at, picked));
    let before = order.before.iter().rev().copied();
    let after = order.after.iter().copied();
    for (at, entity) in before.chain(picked).chain(after) {
        ui.horizontal(|ui| {
            look::right_cell(ui, 9, &look::coordinate(at, decimals, 9));
            look::link(ui, panel, snapshot, entity);
        });
    }
}

/// The mean distance from one to the next, if they stand in order.
fn step(places: impl Iterator<Item = f32>) -> f32 {
    let (mut least, mut greatest, mut count) = (f32::INFINITY, f32::NEG_INFINITY, 0);
    for at in places {
        (least, greatest) = (least.min(at), greatest.max(at));
        count += 1;
    }
    (greatest - least) / count as f32
}
