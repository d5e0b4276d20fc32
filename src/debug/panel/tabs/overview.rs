//! The Overview tab: figures, times and plots of all updates.

use bevy_egui::egui::{self, Color32, RichText};
use egui_plot::{AxisHints, Bar, BarChart, Line, Plot, PlotPoints, uniform_grid_spacer};

use crate::debug::panel::{
    AoiSnapshot,
    history::{SPAN, Sums},
    look::{self, GREEN, ORANGE, PURPLE, SKY, VERMILION},
};

/// Height of a plot.
const HEIGHT: f32 = 96.0;
/// Rows that are not of the updates.
const PANEL: &str = "this panel";
const REST: &str = "rest of the frame";
/// The bars of the histogram, at most.
const BARS: usize = 40;

pub(crate) fn show(ui: &mut egui::Ui, snapshot: &AoiSnapshot) {
    egui::ScrollArea::vertical()
        .auto_shrink([false, false])
        .show(ui, |ui| {
            let second = snapshot.history.recent(1.0);
            figures(ui, snapshot, &second);
            ui.separator();
            ui.horizontal(|ui| {
                ui.strong("Time").on_hover_text(
                    "means of the last second; a frame may hold no update, or several",
                );
                let frame = 1e3 * second.per_frame(second.frame);
                let rate = second.per_second(second.frames);
                ui.label(format!("frame {frame:.1} ms, {rate:.0} per second"))
                    .on_hover_text("from one frame to the next");
            });
            times(ui, &second);
            ui.separator();
            ui.columns(2, |columns| {
                plot_times(&mut columns[0], snapshot);
                plot_changes(&mut columns[1], snapshot);
            });
            histogram(ui, snapshot);
        });
}

fn figures(ui: &mut egui::Ui, snapshot: &AoiSnapshot, second: &Sums) {
    let stats = &snapshot.stats;
    let per_update = |sum| second.per_update(sum).map_or("-".into(), mean);
    let row = |ui: &mut egui::Ui, [left, right]: [(&str, String, &str); 2]| {
        for (name, value, hint) in [left, right] {
            ui.label(name).on_hover_text(hint);
            look::figure(ui, value);
        }
        ui.end_row();
    };
    egui::Grid::new("figures")
        .num_columns(4)
        .min_col_width(96.0)
        .spacing([16.0, 3.0])
        .show(ui, |ui| {
            let count = |count: usize| look::whole(count as f64);
            row(
                ui,
                [
                    ("viewers", count(stats.viewers), "entities that see"),
                    (
                        "entered per update",
                        per_update(second.entered),
                        "pairs that came into view, mean of the last second",
                    ),
                ],
            );
            row(
                ui,
                [
                    ("targets", count(stats.targets), "entities that can be seen"),
                    (
                        "left per update",
                        per_update(second.left),
                        "pairs that dropped out of view, mean of the last second",
                    ),
                ],
            );
            row(
                ui,
                [
                    (
                        "pairs in view",
                        count(stats.pairs_in_view),
                        "one for each viewer and target that it sees",
                    ),
                    (
                        "moved per update",
                        per_update(second.moved),
                        "entities whose position changed, mean of the last second",
                    ),
                ],
            );
            row(
                ui,
                [
                    (
                        "not finite",
                        count(stats.invalid_positions),
                        "entities left out because their position is NaN or infinite",
                    ),
                    (
                        "messages per second",
                        look::whole(second.per_second(second.messages)),
                        "EnterView, LeaveView, MoveInView and RingChanged together",
                    ),
                ],
            );
        });
    if stats.viewers == 0 {
        ui.colored_label(VERMILION, "No viewers: nothing sees, so nothing is told.");
    }
}

/// A mean: with a decimal while it is small.
fn mean(value: f64) -> String {
    if value < 100.0 {
        format!("{value:.1}")
    } else {
        look::whole(value)
    }
}

fn times(ui: &mut egui::Ui, second: &Sums) {
    let all = second.sync + second.detect + second.emit;
    let rows = [
        (
            "sync",
            second.sync,
            SKY,
            "brings the index in step with the world",
        ),
        (
            "detect",
            second.detect,
            ORANGE,
            "works out which pairs changed",
        ),
        (
            "emit",
            second.emit,
            GREEN,
            "updates the lists, writes the messages",
        ),
        ("together", all, Color32::GRAY, "the three sets of systems"),
        (
            PANEL,
            second.gathering,
            PURPLE,
            "what the panel gathers, drawing not counted",
        ),
        (
            REST,
            (second.frame - all - second.gathering).max(0.0),
            Color32::from_gray(110),
            "the game, drawing, and waiting for the screen",
        ),
    ];
    egui::Grid::new("times")
        .num_columns(5)
        // Wide enough for any number, so that the columns stand still.
        .min_col_width(92.0)
        .spacing([12.0, 3.0])
        .show(ui, |ui| {
            ui.label("");
            for (name, hint) in [
                (
                    "per update",
                    "mean time of an update; the same as per frame while each frame holds one",
                ),
                (
                    "per frame",
                    "mean time in a frame, which may hold no update or several",
                ),
                ("of the frame", "share of the time from frame to frame"),
            ] {
                look::figure_head(ui, name).on_hover_text(hint);
            }
            ui.end_row();
            for (name, sum, color, hint) in rows {
                ui.horizontal(|ui| {
                    square(ui, color);
                    ui.label(name).on_hover_text(hint);
                });
                let of_updates = name != PANEL && name != REST;
                let update = second.per_update(sum).filter(|_| of_updates);
                look::figure(ui, update.map_or("-".into(), look::milliseconds));
                look::figure(ui, look::milliseconds(second.per_frame(sum)));
                let share = second.per_second(sum) as f32;
                look::figure(ui, format!("{:.1} %", share * 100.0));
                look::bar(ui, 90.0, share, color);
                ui.end_row();
            }
        });
}

fn square(ui: &mut egui::Ui, color: Color32) {
    ui.label(RichText::new("■").color(color));
}

/// What a plot shows, and which colour is what.
fn title(ui: &mut egui::Ui, text: &str, lines: &[(&str, Color32)]) {
    ui.horizontal(|ui| {
        ui.label(text);
        for &(name, color) in lines {
            square(ui, color);
            ui.weak(name);
        }
    });
}

fn plot<'a>(name: &str, x: AxisHints<'a>) -> Plot<'a> {
    let steps = |from_to: (f64, f64), marks: f64| [round((from_to.1 - from_to.0) / marks); 3];
    Plot::new(name)
        .height(HEIGHT)
        .allow_zoom(false)
        .allow_drag(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_axis_zoom_drag(false)
        .allow_double_click_reset(false)
        .show_crosshair(false)
        .include_y(0.0)
        .x_grid_spacer(uniform_grid_spacer(move |input| steps(input.bounds, 5.0)))
        .y_grid_spacer(uniform_grid_spacer(move |input| steps(input.bounds, 3.0)))
        .custom_x_axes(vec![x.label_spacing(24.0..=32.0)])
        .custom_y_axes(vec![
            AxisHints::new_y()
                .formatter(|mark, _| format!("{:.*}", places(mark.step_size), mark.value))
                .label_spacing(12.0..=16.0)
                .min_thickness(44.0),
        ])
}

/// The next greater of 1, 2, 5, 10, 20 ...
fn round(step: f64) -> f64 {
    if !(step > 0.0 && step.is_finite()) {
        return 1.0;
    }
    let power = 10_f64.powf(step.log10().floor());
    let rounds = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power);
    rounds
        .into_iter()
        .find(|round| *round >= step)
        .unwrap_or(step)
}

/// How many decimals the marks at such steps need.
fn places(step: f64) -> usize {
    // A power of ten may come out a little greater.
    (-step.log10() - 1e-9).ceil().clamp(0.0, 9.0) as usize
}

/// Lines over the last seconds; the height is `least` at least.
fn plot_lines(
    ui: &mut egui::Ui,
    name: &str,
    least: f64,
    snapshot: &AoiSnapshot,
    lines: &[(&'static str, Color32, fn(&Sums) -> Option<f64>)],
) {
    let x = AxisHints::new_x().formatter(|mark, _| {
        if mark.value.abs() < 0.5 {
            "now".into()
        } else {
            format!("{:.0} s", mark.value)
        }
    });
    plot(name, x)
        .include_x(-SPAN)
        // Room for the mark of now.
        .include_x(0.5)
        .include_y(least)
        .set_margin_fraction(egui::vec2(0.0, 0.08))
        .show(ui, |plot| {
            for &(name, color, value) in lines {
                let points: PlotPoints = snapshot
                    .history
                    .steps()
                    .filter_map(|(at, sums)| Some([at.max(-SPAN), value(sums)?]))
                    .collect();
                plot.line(Line::new(name, points).color(color).width(1.5));
            }
        });
}

fn plot_times(ui: &mut egui::Ui, snapshot: &AoiSnapshot) {
    title(
        ui,
        "ms per update",
        &[("sync", SKY), ("detect", ORANGE), ("emit", GREEN)],
    );
    plot_lines(
        ui,
        "plot of times",
        0.1,
        snapshot,
        &[
            ("sync", SKY, |sums| Some(1e3 * sums.per_update(sums.sync)?)),
            ("detect", ORANGE, |sums| {
                Some(1e3 * sums.per_update(sums.detect)?)
            }),
            ("emit", GREEN, |sums| {
                Some(1e3 * sums.per_update(sums.emit)?)
            }),
        ],
    );
}

fn plot_changes(ui: &mut egui::Ui, snapshot: &AoiSnapshot) {
    title(
        ui,
        "pairs per update",
        &[("entered", SKY), ("left", VERMILION)],
    );
    plot_lines(
        ui,
        "plot of changes",
        1.0,
        snapshot,
        &[
            ("entered", SKY, |sums| sums.per_update(sums.entered)),
            ("left", VERMILION, |sums| sums.per_update(sums.left)),
        ],
    );
}

fn histogram(ui: &mut egui::Ui, snapshot: &AoiSnapshot) {
    let (width, bars) = snapshot.histogram.bars(BARS);
    let text = match snapshot.histogram.median_and_most() {
        Some((median, most)) => format!(
            "viewers by how many they see: half see up to {}, one sees {}",
            look::whole(median as f64),
            look::whole(most as f64)
        ),
        None => "viewers by how many they see".into(),
    };
    title(ui, &text, &[]);
    let bars = bars.iter().enumerate().map(|(at, &viewers)| {
        let (from, to) = (at * width, (at + 1) * width);
        let name = if width == 1 {
            format!("see {from}")
        } else {
            format!("see {from} to {}", to - 1)
        };
        Bar::new((from + to) as f64 / 2.0 - 0.5, f64::from(viewers))
            .width(width as f64 * 0.9)
            .name(name)
    });
    let chart = BarChart::new("viewers", bars.collect())
        .color(SKY)
        .element_formatter(Box::new(|bar, _| {
            format!("{} viewers\n{}", look::whole(bar.value), bar.name)
        }));
    plot("plot of views", AxisHints::new_x())
        .include_x(0.0)
        .include_y(1.0)
        .show(ui, |plot| plot.bar_chart(chart));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_stand_at_round_numbers() {
        for (step, expected) in [
            (0.7, 1.0),
            (1.0, 1.0),
            (1.1, 2.0),
            (34.0, 50.0),
            (60.0, 100.0),
        ] {
            assert_eq!(round(step), expected);
        }
        assert!((round(0.003) - 0.005).abs() < 1e-12);
        for (step, expected) in [
            (50.0, 0),
            (1.0, 0),
            (0.5, 1),
            (0.1, 1),
            (0.05, 2),
            (0.002, 3),
        ] {
            assert_eq!(places(step), expected, "{step}");
        }
        for nonsense in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(round(nonsense), 1.0);
        }
    }
}
