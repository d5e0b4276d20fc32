//! The bar below: what can be done to the crowd, what the marks mean, and the keys.

use super::{
    Going,
    camera::View,
    live::{self, Crowds},
    marks::{Drawn, Mark},
};
use crate::{
    ground::Ground,
    walkers::{self, Field, Walker},
};
use bevy::prelude::*;
use bevy_aoi::prelude::*;
use bevy_egui::{
    EguiContexts, EguiInput, EguiPreUpdateSet, EguiPrimaryContextPass,
    egui::{self, Color32},
    input::EguiWantsInput,
};
use std::path::{Path, PathBuf};

/// In the words of the buttons.
const KEYS: [&str; 13] = [
    "click pick",
    "drag move",
    "wheel zoom",
    "Tab next",
    "Space pause",
    ". step",
    "S slow motion",
    "F follow",
    "W show all",
    "J jump",
    "G gather",
    "F3 panel",
    "Q quit",
];

/// The keys that do nothing to a recording.
const WALKERS_ONLY: [&str; 2] = ["J jump", "G gather"];

/// One in ten of real time.
const SLOW: f32 = 0.1;

/// How many walkers there may be.
const AGENTS: std::ops::RangeInclusive<u32> = 1..=100_000;

#[derive(Resource, Default)]
pub struct Bar {
    /// How much of the window it takes from below, in logical pixels.
    pub height: f32,
}

/// What is asked for; done when the world is free.
#[derive(Message, Clone)]
enum Ask {
    Jump,
    Gather,
    Agents(u32),
    Radius(f32),
    Crowd(Option<PathBuf>),
    Next(isize),
}

pub fn plugin(app: &mut App) {
    app.init_resource::<Bar>()
        .add_message::<Ask>()
        .add_systems(
            PreUpdate,
            keep_tab
                .after(EguiPreUpdateSet::ProcessInput)
                .before(EguiPreUpdateSet::BeginPass),
        )
        .add_systems(Update, press)
        .add_systems(EguiPrimaryContextPass, show)
        // Between the frames' own systems, so that the walkers go on from where they are put.
        .add_systems(First, answer);
}

/// Tab picks somebody. For egui it would go to a button, which then has all the keys.
fn keep_tab(mut inputs: Query<&mut EguiInput>) {
    let is_tab = |event: &egui::Event| {
        matches!(
            event,
            egui::Event::Key {
                key: egui::Key::Tab,
                ..
            }
        )
    };
    for mut input in &mut inputs {
        input.events.retain(|event| !is_tab(event));
    }
}

/// The keys.
fn press(
    keys: Res<ButtonInput<KeyCode>>,
    wants: Res<EguiWantsInput>,
    ground: Res<Ground>,
    mut going: ResMut<Going>,
    mut view: ResMut<View>,
    mut asks: MessageWriter<Ask>,
    mut exit: MessageWriter<AppExit>,
) {
    if wants.wants_keyboard_input() {
        return;
    }
    let back = keys.any_pressed([KeyCode::ShiftLeft, KeyCode::ShiftRight]);
    for key in keys.get_just_pressed() {
        match key {
            KeyCode::KeyQ => _ = exit.write(AppExit::Success),
            KeyCode::Space => going.paused ^= true,
            KeyCode::Period => (going.paused, going.step) = (true, true),
            KeyCode::KeyS => going.speed = if going.speed < 1.0 { 1.0 } else { SLOW },
            KeyCode::KeyF => view.follows ^= true,
            KeyCode::KeyW => view.whole(ground.0),
            KeyCode::KeyJ => _ = asks.write(Ask::Jump),
            KeyCode::KeyG => _ = asks.write(Ask::Gather),
            KeyCode::Tab => _ = asks.write(Ask::Next(if back { -1 } else { 1 })),
            _ => {}
        }
    }
}

/// Does what was asked for.
fn answer(world: &mut World) {
    let asks: Vec<Ask> = world.resource_mut::<Messages<Ask>>().drain().collect();
    for ask in asks {
        match ask {
            Ask::Jump => walkers::jump(world, 1000),
            Ask::Gather => {
                let spot = world.resource::<View>().center;
                walkers::gather(world, spot);
            }
            Ask::Agents(agents) => live::set_agents(world, agents),
            Ask::Radius(radius) => live::set_radius(world, radius),
            Ask::Crowd(path) => live::change_crowd(world, path),
            Ask::Next(places) => live::pick_next(world, places),
        }
    }
}

fn show(
    mut contexts: EguiContexts,
    mut bar: ResMut<Bar>,
    mut going: ResMut<Going>,
    mut view: ResMut<View>,
    ground: Res<Ground>,
    mut crowds: ResMut<Crowds>,
    drawn: Res<Drawn>,
    field: Option<Res<Field>>,
    walkers: Query<(), With<Walker>>,
    viewers: Query<&AoiViewer>,
    mut asks: MessageWriter<Ask>,
) -> Result {
    let context = contexts.ctx_mut()?.clone();
    if going.paused {
        say_paused(&context, view.free);
    }
    const GAP: f32 = 8.0;
    let margin = context.global_style().spacing.window_margin.sum().x;
    let width = (view.free.width() - 2.0 * GAP - margin - 2.0).max(360.0);
    let shown = egui::Window::new("Crowd")
        .title_bar(false)
        .resizable(false)
        .anchor(egui::Align2::RIGHT_BOTTOM, [-GAP, -GAP])
        .show(&context, |ui| {
            ui.set_width(width);
            ui.horizontal_wrapped(|ui| {
                pace(ui, &mut going);
                ui.separator();
                ui.checkbox(&mut view.follows, "follow");
                if ui.button("show all").clicked() {
                    view.whole(ground.0);
                }
                ui.separator();
                ui.add_enabled_ui(field.is_some(), |ui| {
                    if ui.button("jump a thousand").clicked() {
                        asks.write(Ask::Jump);
                    }
                    let spot =
                        "to one spot, as close together as a few million pairs in view allow";
                    if ui.button("gather everyone").on_hover_text(spot).clicked() {
                        asks.write(Ask::Gather);
                    }
                });
            });
            ui.horizontal_wrapped(|ui| {
                choose_crowd(ui, &mut crowds, &mut asks);
                ui.spacing_mut().slider_width = 110.0;
                let mut agents = walkers.iter().len() as u32;
                if field.is_some() {
                    let slider = egui::Slider::new(&mut agents, AGENTS)
                        .logarithmic(true)
                        .custom_formatter(|number, _| grouped(number as usize))
                        .custom_parser(ungrouped);
                    ui.label("number");
                    if ui.add(slider).changed() {
                        asks.write(Ask::Agents(agents));
                    }
                }
                let radius = viewers.iter().next().map_or(0.0, |viewer| viewer.radius);
                let (mut wanted, widest) = (radius, live::widest(ground.0, viewers.iter().len()));
                let slider = egui::Slider::new(&mut wanted, 0.0..=widest.max(radius))
                    .max_decimals(1)
                    .suffix(" m");
                ui.label("radius");
                if ui.add(slider).changed() {
                    asks.write(Ask::Radius(wanted));
                }
            });
            legend(ui);
            lines(ui, &drawn, viewers.iter().len());
            ui.horizontal_wrapped(|ui| {
                for key in KEYS {
                    if field.is_some() || !WALKERS_ONLY.contains(&key) {
                        help(ui, key);
                    }
                }
            });
        });
    if let Some(shown) = shown {
        bar.height = shown.response.rect.height() + 2.0 * GAP;
    }
    Ok(())
}

fn pace(ui: &mut egui::Ui, going: &mut Going) {
    let text = if going.paused {
        "▶ go on"
    } else {
        "⏸ pause"
    };
    if ui.button(text).clicked() {
        going.paused ^= true;
    }
    if ui.button("step").clicked() {
        (going.paused, going.step) = (true, true);
    }
    let mut slow = going.speed < 1.0;
    let hint = "a tenth of real time";
    if ui
        .checkbox(&mut slow, "slow motion")
        .on_hover_text(hint)
        .changed()
    {
        going.speed = if slow { SLOW } else { 1.0 };
    }
}

fn choose_crowd(ui: &mut egui::Ui, crowds: &mut Crowds, asks: &mut MessageWriter<Ask>) {
    let name = |path: Option<&Path>| match path.and_then(Path::file_stem) {
        Some(name) => name.to_string_lossy().into_owned(),
        None => "random walkers".to_owned(),
    };
    let playing = crowds.playing.clone();
    egui::ComboBox::from_id_salt("crowd")
        .width(160.0)
        .selected_text(name(playing.as_deref()))
        .show_ui(ui, |ui| {
            let recordings = crowds.recordings.iter().cloned().map(Some);
            for crowd in std::iter::once(None).chain(recordings) {
                let chosen = crowd == playing;
                if ui
                    .selectable_label(chosen, name(crowd.as_deref()))
                    .clicked()
                    && !chosen
                {
                    asks.write(Ask::Crowd(crowd));
                }
            }
        });
    if let Some(problem) = &crowds.problem {
        ui.colored_label(Color32::from_rgb(0xD5, 0x5E, 0x00), problem);
    }
}

/// A key and what it does, never on two lines.
fn help(ui: &mut egui::Ui, text: &str) {
    let (key, does) = text.split_at(text.find(' ').unwrap_or(text.len()));
    let font = egui::FontId::proportional(11.0);
    let format = |color| egui::TextFormat::simple(font.clone(), color);
    let mut job = egui::text::LayoutJob::default();
    job.append(key, 0.0, format(ui.visuals().strong_text_color()));
    job.append(does, 0.0, format(ui.visuals().text_color()));
    ui.add(egui::Label::new(job).extend());
}

/// What the marks are.
fn legend(ui: &mut egui::Ui) {
    ui.horizontal_wrapped(|ui| {
        for mark in Mark::ALL {
            let [red, green, blue] = mark.color();
            let (place, painter) =
                ui.allocate_painter(egui::vec2(14.0, 14.0), egui::Sense::hover());
            let middle = place.rect.center();
            let corners = mark.corners().iter();
            let corners = corners.map(|[x, y]| middle + egui::vec2(*x, -*y));
            painter.add(egui::Shape::convex_polygon(
                corners.collect(),
                Color32::from_rgb(red, green, blue),
                egui::Stroke::NONE,
            ));
            ui.label(mark.text());
        }
    });
}

/// What the lines of the overlay are, and how many are in the picture.
fn lines(ui: &mut egui::Ui, drawn: &Drawn, all: usize) {
    let AoiGizmos {
        view, enter, leave, ..
    } = AoiGizmos::default();
    let icon = |ui: &mut egui::Ui, color: Color, draw: fn(egui::Pos2, egui::Stroke) -> Shapes| {
        let [red, green, blue, _] = color.to_srgba().to_u8_array();
        let stroke = egui::Stroke::new(1.5, Color32::from_rgb(red, green, blue));
        let (place, painter) = ui.allocate_painter(egui::vec2(14.0, 14.0), egui::Sense::hover());
        painter.extend(draw(place.rect.center(), stroke));
    };
    ui.horizontal_wrapped(|ui| {
        icon(ui, view, |middle, stroke| {
            vec![line(middle, [6.0, 0.0], stroke)]
        });
        ui.label("in view");
        icon(ui, enter, |middle, stroke| {
            vec![egui::Shape::circle_stroke(middle, 5.0, stroke)]
        });
        ui.label("just came");
        icon(ui, leave, |middle, stroke| {
            let arms = [[5.0, 5.0], [5.0, -5.0]];
            arms.map(|arm| line(middle, arm, stroke)).to_vec()
        });
        ui.label("just left");
        ui.separator();
        let sample = match drawn.one_in {
            0 | 1 => String::new(),
            one_in => format!(", 1 in {one_in} drawn"),
        };
        let (there, all) = (grouped(drawn.there), grouped(all));
        ui.label(format!("{there} of {all} on screen{sample}"));
    });
}

type Shapes = Vec<egui::Shape>;

/// As far to one side of its middle as to the other.
fn line(middle: egui::Pos2, arm: [f32; 2], stroke: egui::Stroke) -> egui::Shape {
    let arm = egui::Vec2::from(arm);
    egui::Shape::line_segment([middle - arm, middle + arm], stroke)
}

/// A word over the crowd, so that nobody waits for it.
fn say_paused(context: &egui::Context, free: Rect) {
    egui::Area::new(egui::Id::new("paused"))
        .interactable(false)
        .pivot(egui::Align2::CENTER_TOP)
        .fixed_pos(egui::pos2(free.center().x, free.min.y + 8.0))
        .show(context, |ui| {
            egui::Frame::popup(ui.style()).show(ui, |ui| {
                ui.add(egui::Label::new(egui::RichText::new("paused").heading().strong()).extend());
            });
        });
}

/// A number as the panel writes it: "10 000".
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push('\u{2009}');
        }
        text.push(digit);
    }
    text
}

fn ungrouped(text: &str) -> Option<f64> {
    let digits: String = text.chars().filter(|sign| !sign.is_whitespace()).collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_read_as_it_is_written() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1 000"),
            (100_000, "100 000"),
        ] {
            let grouped = grouped(number);
            assert_eq!(grouped.replace('\u{2009}', " "), text);
            assert_eq!(ungrouped(&grouped), Some(number as f64));
        }
        assert_eq!(ungrouped("many"), None);
    }

    #[test]
    fn keys_that_do_nothing_to_a_recording_are_keys() {
        assert!(WALKERS_ONLY.iter().all(|key| KEYS.contains(key)));
    }
}
