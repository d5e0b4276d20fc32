//! The Tune tab: a viewer is changed while the game runs, and the overlay switched.

use bevy::prelude::*;
use bevy_egui::egui::{self, DragValue, Slider};

use crate::{
    AoiViewer, ViewShape,
    debug::panel::{
        AoiEdit, AoiPanel, AoiSnapshot,
        look::{self, VERMILION},
    },
};

/// The greatest length that can be entered, in world units.
const LONGEST: f32 = 100_000.0;
/// What a length becomes that was infinite.
const FINITE: f32 = 50.0;

pub(crate) fn show(
    ui: &mut egui::Ui,
    panel: &mut AoiPanel,
    snapshot: &AoiSnapshot,
    edits: &mut Vec<AoiEdit>,
) {
    match &snapshot.detail {
        None => super::pick_first(ui, panel, "No viewer is picked."),
        Some(detail) => {
            panel.drawn.push(detail.entity);
            ui.heading(snapshot.label(detail.entity));
            if let Some(absence) = &detail.absence {
                ui.colored_label(VERMILION, format!("takes no part: it {absence}"));
            }
            match detail.viewer {
                None => {
                    super::pick_first(
                        ui,
                        panel,
                        "It has no AoiViewer, so there is nothing to tune.",
                    );
                }
                Some(before) => {
                    let mut viewer = before;
                    tune(ui, &mut viewer);
                    let now = look::whole(detail.sees.all as f64);
                    ui.label(format!("It has {now} in view."));
                    // NaN is not equal to itself, so what was not touched is compared as text.
                    if format!("{viewer:?}") != format!("{before:?}") {
                        let entity = detail.entity;
                        edits.push(AoiEdit::Viewer { entity, viewer });
                    }
                }
            }
        }
    }
    #[cfg(feature = "overlay")]
    if let Some(before) = &snapshot.overlay {
        ui.separator();
        ui.strong("Overlay");
        let mut overlay = before.clone();
        switches(ui, &mut overlay);
        if overlay != *before {
            edits.push(AoiEdit::Overlay(overlay));
        }
    }
}

fn tune(ui: &mut egui::Ui, viewer: &mut AoiViewer) {
    ui.spacing_mut().slider_width = 200.0;
    egui::Grid::new("viewer")
        .num_columns(3)
        .spacing([12.0, 6.0])
        .show(ui, |ui| {
            ui.label("radius")
                .on_hover_text("a target comes into view at this distance; 0: blind");
            length_slider(ui, &mut viewer.radius);
            let mut unbounded = viewer.radius == f32::INFINITY;
            if ui
                .checkbox(&mut unbounded, "no bound")
                .on_hover_text("an infinite radius: it sees the whole space")
                .changed()
            {
                viewer.radius = if unbounded { f32::INFINITY } else { FINITE };
            }
            ui.end_row();
            ui.label("margin")
                .on_hover_text("a target in view stays in view for this much further");
            length_slider(ui, &mut viewer.leave_margin);
            ui.end_row();
            ui.label("cap")
                .on_hover_text("how many targets are in view by distance, at most");
            ui.horizontal(|ui| {
                let mut capped = viewer.max_targets.is_some();
                let mut cap = viewer.max_targets.unwrap_or(10);
                let mut changed = ui
                    .checkbox(&mut capped, "at most")
                    .on_hover_text("not ticked: no limit")
                    .changed();
                changed |= ui
                    .add_enabled(capped, DragValue::new(&mut cap).speed(0.2))
                    .on_hover_text("so many, the nearest ones")
                    .changed();
                if changed {
                    viewer.max_targets = capped.then_some(cap);
                }
            });
            ui.end_row();
            ui.label("shape")
                .on_hover_text("the form of the area around the viewer");
            ui.horizontal(|ui| shape(ui, &mut viewer.shape, viewer.radius));
            ui.end_row();
            sizes(ui, &mut viewer.shape);
        });
    note(ui, "radius", viewer.radius);
    note(ui, "margin", viewer.leave_margin);
}

/// Enters a length that is finite and not negative; another one is left as it is until then.
fn length_slider(ui: &mut egui::Ui, length: &mut f32) {
    let mut shown = usable(*length);
    let slider = Slider::new(&mut shown, 0.0..=LONGEST)
        .logarithmic(true)
        .smallest_positive(0.1)
        .clamping(egui::SliderClamping::Edits)
        .max_decimals(2);
    if ui.add(slider).changed() && shown.is_finite() {
        *length = shown.max(0.0);
    }
}

fn length_drag(ui: &mut egui::Ui, name: &str, length: &mut f32) {
    let mut shown = usable(*length);
    let drag = DragValue::new(&mut shown)
        .prefix(name)
        .range(0.0..=LONGEST)
        .clamp_existing_to_range(false)
        .speed(0.2)
        .max_decimals(2);
    if ui.add(drag).changed() && shown.is_finite() {
        *length = shown.max(0.0);
    }
}

fn usable(length: f32) -> f32 {
    if length.is_finite() {
        length.max(0.0)
    } else {
        0.0
    }
}

/// What a length means that cannot be entered here.
fn note(ui: &mut egui::Ui, name: &str, length: f32) {
    if length.is_nan() || length < 0.0 {
        let meaning = match name {
            "radius" => "the viewer is blind",
            _ => "it counts as 0",
        };
        let text = format!("{name} is {}: {meaning}", look::length(length));
        ui.colored_label(VERMILION, text);
    }
}

fn shape(ui: &mut egui::Ui, shape: &mut ViewShape, radius: f32) {
    let reach = usable(radius);
    let is_cylinder = matches!(shape, ViewShape::Cylinder { .. });
    let is_box = matches!(shape, ViewShape::Box { .. });
    if ui.radio(*shape == ViewShape::Round, "round").clicked() {
        *shape = ViewShape::Round;
    }
    if ui.radio(*shape == ViewShape::Square, "square").clicked() {
        *shape = ViewShape::Square;
    }
    if ui
        .radio(is_cylinder, "cylinder")
        .on_hover_text("upright, in Xyz; on a two-dimensional plane a circle")
        .clicked()
        && !is_cylinder
    {
        *shape = ViewShape::Cylinder { half_height: reach };
    }
    if ui
        .radio(is_box, "box")
        .on_hover_text("with an extent of its own on each axis; the radius plays no part")
        .clicked()
        && !is_box
    {
        let half = Vec3::splat(reach);
        *shape = ViewShape::Box { half };
    }
}

fn sizes(ui: &mut egui::Ui, shape: &mut ViewShape) {
    match shape {
        ViewShape::Round | ViewShape::Square => return,
        ViewShape::Cylinder { half_height } => {
            ui.label("half height");
            length_drag(ui, "", half_height);
        }
        ViewShape::Box { half } => {
            ui.label("half extent");
            ui.horizontal(|ui| {
                length_drag(ui, "x ", &mut half.x);
                length_drag(ui, "y ", &mut half.y);
                length_drag(ui, "z ", &mut half.z);
            });
        }
    }
    ui.end_row();
}

#[cfg(feature = "overlay")]
fn switches(ui: &mut egui::Ui, overlay: &mut crate::AoiOverlay) {
    use crate::AoiOverlayScope as Scope;

    egui::Grid::new("overlay")
        .num_columns(2)
        .spacing([12.0, 6.0])
        .show(ui, |ui| {
            ui.label("of whom");
            ui.horizontal(|ui| {
                for (scope, name, hint) in [
                    (
                        Scope::All,
                        "all",
                        "of every viewer, as far as the limit goes",
                    ),
                    (
                        Scope::Marked,
                        "marked",
                        "of the entities with the component ShowAoi",
                    ),
                    (Scope::Picked, "picked", "of the picked entity"),
                ] {
                    ui.radio_value(&mut overlay.scope, scope, name)
                        .on_hover_text(hint);
                }
            });
            ui.end_row();
            ui.label("what");
            ui.horizontal_wrapped(|ui| {
                for (on, name, hint) in [
                    (
                        &mut overlay.shapes,
                        "shapes",
                        "how far they see, and fainter, where the margin ends",
                    ),
                    (&mut overlay.links, "links", "a line to each one in view"),
                    (
                        &mut overlay.flashes,
                        "flashes",
                        "for a moment, a ring around who has come into view, a cross over who has dropped out",
                    ),
                    (
                        &mut overlay.bands,
                        "bands",
                        "the strips that the structure cuts the plane into",
                    ),
                    (
                        &mut overlay.blocks,
                        "blocks",
                        "the nodes of the list of each band: members side by side",
                    ),
                ] {
                    ui.checkbox(on, name).on_hover_text(hint);
                }
            });
            ui.end_row();
            let hint =
                "at most so many of each kind are drawn; how many more there are is shown here";
            ui.label("limit").on_hover_text(hint);
            ui.horizontal(|ui| {
                ui.add(DragValue::new(&mut overlay.limit).speed(5.0))
                    .on_hover_text(hint);
                if overlay.cut > 0 {
                    let cut = look::whole(overlay.cut as f64);
                    ui.colored_label(VERMILION, format!("{cut} left out"));
                }
            });
            ui.end_row();
        });
}
