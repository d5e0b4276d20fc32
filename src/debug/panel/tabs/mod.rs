//! Drawing: the tabs, each a plain function of the snapshot.

mod entity;
mod lists;
mod log;
mod overview;
mod tune;

use bevy_egui::egui;

use super::{AoiEdit, AoiPanel, AoiSnapshot, AoiTab, look};

/// Draws the panel into any egui `Ui`: for a game that has it in a window of its own, with
/// [`AoiPanel::embedded`](super::AoiPanel::embedded) set. Give the edits it returns to the world.
///
/// It reads the snapshot alone, so it may be called from any system, and without a window.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_aoi::{panel_ui, prelude::*};
/// use bevy_egui::{EguiContexts, egui};
///
/// fn tools(
///     mut contexts: EguiContexts,
///     mut panel: ResMut<AoiPanel>,
///     snapshot: Res<AoiSnapshot>,
///     mut commands: Commands,
/// ) {
///     let Ok(context) = contexts.ctx_mut() else {
///         return; // no camera, no egui
///     };
///     egui::Window::new("Tools").show(context, |ui| {
///         for edit in panel_ui(ui, &mut panel, &snapshot) {
///             commands.queue(edit);
///         }
///     });
/// }
/// # bevy::ecs::system::assert_is_system(tools);
/// ```
pub fn ui(ui: &mut egui::Ui, panel: &mut AoiPanel, snapshot: &AoiSnapshot) -> Vec<AoiEdit> {
    let mut edits = Vec::new();
    ui.push_id("aoi panel", |ui| {
        look::style(ui);
        bar(ui, panel, snapshot);
        ui.separator();
        if snapshot.plane.is_none() {
            ui.weak("nothing gathered yet");
            return;
        }
        match panel.tab {
            AoiTab::Overview => overview::show(ui, snapshot),
            AoiTab::Entity => entity::show(ui, panel, snapshot),
            AoiTab::Log => log::show(ui, panel, snapshot),
            AoiTab::Tune => tune::show(ui, panel, snapshot, &mut edits),
            AoiTab::Lists => lists::show(ui, panel, snapshot),
        }
    });
    edits
}

fn bar(ui: &mut egui::Ui, panel: &mut AoiPanel, snapshot: &AoiSnapshot) {
    ui.horizontal(|ui| {
        for tab in AoiTab::ALL {
            let hint = match tab {
                AoiTab::Overview => "how many, how long, how much changes",
                AoiTab::Entity => "whom one entity sees, who sees it, and why not",
                AoiTab::Log => "the messages as they are told",
                AoiTab::Tune => "change a viewer while the game runs",
                AoiTab::Lists => "the structure that finds the neighbours",
            };
            ui.selectable_value(&mut panel.tab, tab, format!("{tab:?}"))
                .on_hover_text(hint);
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let second = snapshot.history.recent(1.0);
            let cost = look::milliseconds(second.per_frame(second.gathering));
            ui.label(egui::RichText::new(cost).monospace().weak())
                .on_hover_text(
                    "what this panel costs in a frame beside drawing it, mean of the last second; \
                     closed it costs nothing",
                );
            ui.weak("panel");
        });
    });
}

/// What to do where an entity has to be picked first.
fn pick_first(ui: &mut egui::Ui, panel: &mut AoiPanel, text: &str) {
    ui.add_space(8.0);
    ui.label(text);
    ui.label("Click one in the world, or take it from the list of the Entity tab.");
    if panel.tab != AoiTab::Entity && ui.button("Go to the list").clicked() {
        panel.tab = AoiTab::Entity;
    }
}
