//! The Entity tab: whom one sees, who sees it, and why it does not see another one.

use bevy::prelude::Entity;
use bevy_egui::egui::{self, Color32, RichText};

use crate::{
    ViewShape, Why, WhyNot,
    debug::panel::{
        AoiPanel, AoiSnapshot,
        look::{self, GREEN, ORANGE, PURPLE, VERMILION},
        roster::HITS,
        snapshot::{Answer, Detail, Row, Seen},
    },
    evaluate::bits,
};

/// Rows of the list of all.
const LISTED: usize = 5;
/// Between the columns of a table.
const GAP: f32 = 5.0;

pub(crate) fn show(ui: &mut egui::Ui, panel: &mut AoiPanel, snapshot: &AoiSnapshot) {
    list(ui, panel, snapshot);
    ui.separator();
    let Some(detail) = &snapshot.detail else {
        super::pick_first(ui, panel, "No entity is picked.");
        return;
    };
    facts(ui, panel, snapshot, detail);
    ui.separator();
    why_not(ui, panel, snapshot);
    ui.separator();
    ui.columns(2, |columns| {
        let sees = detail.viewer.is_some().then_some(&detail.sees);
        side(&mut columns[0], panel, snapshot, "sees", sees);
        let seen = detail.target.is_some().then_some(&detail.seen_by);
        side(&mut columns[1], panel, snapshot, "seen by", seen);
    });
}

/// The list of all, or of those that the search found.
fn list(ui: &mut egui::Ui, panel: &mut AoiPanel, snapshot: &AoiSnapshot) {
    let (search, roster) = (&snapshot.search, &snapshot.roster);
    ui.horizontal(|ui| {
        ui.add(
            egui::TextEdit::singleline(&mut panel.search)
                .hint_text("search: name or id")
                .desired_width(180.0),
        );
        if ui
            .button("×")
            .on_hover_text("clear the search: list all entities")
            .clicked()
        {
            panel.search.clear();
        }
        let count = |count: usize| look::whole(count as f64);
        let text = if !search.is_on() {
            let all = roster.members.len();
            if all > LISTED {
                format!("{LISTED} of {} entities shown, scroll for more", count(all))
            } else {
                format!("{} entities", count(all))
            }
        } else if search.hits.len() >= HITS {
            format!(
                "the first {} found, {LISTED} shown, scroll for more",
                count(HITS)
            )
        } else if search.walk.done {
            let found = count(search.hits.len());
            if search.hits.len() > LISTED {
                format!("{found} found, {LISTED} shown, scroll for more")
            } else {
                format!("{found} found")
            }
        } else {
            let share = search.walk.share(roster) * 100.0;
            format!("{} found, {share:.0} % searched", count(search.hits.len()))
        };
        ui.weak(text);
    });
    let shown: &[Entity] = if search.is_on() {
        &search.hits
    } else {
        &roster.members
    };
    let height = ui.spacing().interact_size.y;
    let spacing = ui.spacing().item_spacing.y;
    let listed = LISTED as f32 * (height + spacing) - spacing;
    ui.push_id("list", |ui| {
        egui::ScrollArea::vertical()
            .max_height(listed)
            .min_scrolled_height(listed)
            .auto_shrink([false, false])
            .show_rows(ui, height, shown.len(), |ui, rows| {
                for &entity in &shown[rows] {
                    ui.horizontal(|ui| look::link(ui, panel, snapshot, entity));
                }
            });
    });
}

fn facts(ui: &mut egui::Ui, panel: &mut AoiPanel, snapshot: &AoiSnapshot, detail: &Detail) {
    ui.horizontal(|ui| {
        panel.drawn.push(detail.entity);
        let name = RichText::new(snapshot.label(detail.entity)).heading();
        ui.add(egui::Label::new(name).truncate());
    });
    if let Some(absence) = &detail.absence {
        ui.colored_label(VERMILION, format!("takes no part: it {absence}"));
    }
    let fact = |ui: &mut egui::Ui, name: &str, value: String, hint: &str| {
        ui.label(name).on_hover_text(hint);
        ui.label(RichText::new(value).monospace().strong())
            .on_hover_text(hint);
    };
    egui::Grid::new("facts")
        .num_columns(4)
        .min_col_width(64.0)
        .spacing([12.0, 3.0])
        .show(ui, |ui| {
            let position = detail.position.map_or("-".into(), |at| {
                let [x, y, z] = at.to_array().map(look::length);
                format!("{x}  {y}  {z}")
            });
            fact(
                ui,
                "position",
                position,
                "x, y, z at the last update; 0 on the axis that is not on the plane",
            );
            fact(
                ui,
                "space",
                detail.space.0.to_string(),
                "map, instance or floor: only entities of one space see each other",
            );
            ui.end_row();
            if let Some(viewer) = &detail.viewer {
                fact(
                    ui,
                    "radius",
                    look::length(viewer.radius),
                    "a target comes into view at this distance; not above 0: blind",
                );
                fact(
                    ui,
                    "margin",
                    look::length(viewer.leave_margin),
                    "a target in view stays in view for this much further",
                );
                ui.end_row();
                fact(
                    ui,
                    "shape",
                    shape_text(viewer.shape),
                    "form of the area around the viewer",
                );
                let cap = viewer.max_targets;
                fact(
                    ui,
                    "cap",
                    cap.map_or("none".into(), |cap| cap.to_string()),
                    "how many targets are in view by distance, at most: the nearest; none: no limit",
                );
                ui.end_row();
                fact(
                    ui,
                    "sees layers",
                    bits(viewer.sees),
                    "which bits are set in `sees` of AoiViewer: it sees targets on any of these layers",
                );
                fact(
                    ui,
                    "pins",
                    detail.pins.to_string(),
                    "how many targets AoiPins holds in view, whatever distance and layers say",
                );
                ui.end_row();
                if let Some(rings) = &detail.rings {
                    let radii: Vec<_> = rings.0.iter().map(|&r| look::length(r)).collect();
                    fact(
                        ui,
                        "rings",
                        radii.join("  "),
                        "radii; ring 0 is the innermost",
                    );
                    ui.end_row();
                }
            }
            if let Some(target) = &detail.target {
                fact(
                    ui,
                    "on layers",
                    bits(target.layers),
                    "which bits are set in `layers` of AoiTarget: viewers that see any of them see it",
                );
                let extra = if detail.always {
                    "always".into()
                } else {
                    look::length(target.extra_range)
                };
                fact(
                    ui,
                    "extra range",
                    extra,
                    "how much further than their radius viewers see it; always: it has AlwaysInView",
                );
                ui.end_row();
            }
        });
    let role = match (detail.viewer.is_some(), detail.target.is_some()) {
        (true, false) => "It is no target: nobody sees it.",
        (false, true) => "It is no viewer: it sees nobody.",
        _ => return,
    };
    ui.weak(role);
}

fn shape_text(shape: ViewShape) -> String {
    match shape {
        ViewShape::Round => "round".into(),
        ViewShape::Square => "square".into(),
        ViewShape::Cylinder { half_height } => {
            format!("cylinder ±{}", look::length(half_height))
        }
        ViewShape::Box { half } => {
            let [x, y, z] = half.to_array().map(look::length);
            format!("box ±{x} ±{y} ±{z}")
        }
    }
}

fn why_not(ui: &mut egui::Ui, panel: &mut AoiPanel, snapshot: &AoiSnapshot) {
    ui.horizontal(|ui| {
        ui.strong("Why not?");
        let choose = egui::Button::new("choose the other").selected(panel.choosing_other);
        let choosing = ui.add(choose).on_hover_text(
            "the next entity that you click, in the list, in a table or in the world, is the one \
             to ask about",
        );
        if choosing.clicked() {
            panel.choosing_other ^= true;
        }
        if let Some(other) = panel.other {
            if ui
                .button("swap")
                .on_hover_text("picks the other one, and asks about this one")
                .clicked()
            {
                (panel.picked, panel.other) = (Some(other), panel.picked);
            }
            if ui
                .button("×")
                .on_hover_text("forgets the other one: asks no more")
                .clicked()
            {
                panel.other = None;
            }
            panel.drawn.push(other);
            let label = snapshot.label(other);
            ui.add(egui::Label::new(RichText::new(label).strong()).truncate());
        }
    });
    if panel.choosing_other {
        ui.colored_label(
            ORANGE,
            "Now click the other one: in the list, in a table below, or in the world.",
        );
    } else if panel.other.is_none() {
        ui.weak("Choose another entity to learn which rule keeps the two apart.");
    }
    for answer in snapshot.pair.iter().flatten() {
        let (color, text) = sentence(snapshot, answer);
        ui.horizontal_wrapped(|ui| {
            ui.colored_label(color, "■");
            ui.label(text);
        });
    }
}

/// An answer in words.
fn sentence(snapshot: &AoiSnapshot, answer: &Answer) -> (Color32, String) {
    let (viewer, target) = (snapshot.label(answer.viewer), snapshot.label(answer.target));
    match answer.answer {
        Err(WhyNot::Itself) => (VERMILION, format!("{viewer}: {}", WhyNot::Itself)),
        Err(why_not) => (
            VERMILION,
            format!("{viewer} does not see {target}: {why_not}"),
        ),
        Ok(why) => {
            let why = why.map_or("in view".into(), |why| why.to_string());
            let away = answer
                .distance
                .map_or(String::new(), |d| format!(", {} away", look::length(d)));
            (GREEN, format!("{viewer} sees {target}: {why}{away}"))
        }
    }
}

/// A side of the view relation; nothing if the entity can have none.
fn side(
    ui: &mut egui::Ui,
    panel: &mut AoiPanel,
    snapshot: &AoiSnapshot,
    name: &str,
    seen: Option<&Seen>,
) {
    let Some(seen) = seen else {
        ui.weak(format!("{name}: nobody"));
        return;
    };
    ui.horizontal(|ui| {
        ui.strong(format!("{name} {}", look::whole(seen.all as f64)));
        if seen.searched < 1.0 {
            ui.weak(format!("{:.0} % searched", seen.searched * 100.0))
                .on_hover_text("it has no SeenBy, so all views are looked through");
        } else if seen.rows.len() < seen.all {
            ui.weak(format!(
                "the nearest {}",
                look::whole(seen.rows.len() as f64)
            ));
        }
    });
    let ringed = seen.rows.iter().any(|row| row.ring.is_some());
    header(ui, ringed);
    let height = ui.spacing().interact_size.y;
    egui::ScrollArea::vertical()
        .id_salt(name)
        .max_height(look::whole_rows(ui, ui.available_height()))
        .auto_shrink([false, false])
        .min_scrolled_height(60.0)
        .show_rows(ui, height, seen.rows.len(), |ui, rows| {
            for row in &seen.rows[rows] {
                ui.horizontal(|ui| line(ui, panel, snapshot, row, ringed));
            }
        });
}

fn header(ui: &mut egui::Ui, ringed: bool) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = GAP;
        look::head(ui, format!("{:>7}", "away"));
        if ringed {
            look::head(ui, "ring".into())
                .on_hover_text("0 is the innermost; only viewers with AoiRings have rings");
        }
        look::head(ui, format!("{:<6}", "why")).on_hover_text(
            "near: by distance; pin: the viewer has it pinned; always: it is AlwaysInView",
        );
        look::head(ui, "who".into());
    });
}

fn line(ui: &mut egui::Ui, panel: &mut AoiPanel, snapshot: &AoiSnapshot, row: &Row, ringed: bool) {
    ui.spacing_mut().item_spacing.x = GAP;
    look::right_cell(ui, 7, &look::length(row.distance));
    if ringed {
        let ring = row.ring.map_or("-".into(), |ring| ring.to_string());
        look::right_cell(ui, 4, &ring);
    }
    let (why, color) = match row.why {
        Some(Why::Distance) => ("near", ui.visuals().text_color()),
        Some(Why::Pin) => ("pin", ORANGE),
        Some(Why::Always) => ("always", PURPLE),
        None => ("-", Color32::GRAY),
    };
    ui.label(RichText::new(format!("{why:<6}")).monospace().color(color));
    look::link(ui, panel, snapshot, row.entity);
}
