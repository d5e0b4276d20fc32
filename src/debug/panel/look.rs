//! Colours and figures, the same on all tabs.

use bevy::prelude::*;
use bevy_egui::egui::{self, Color32, RichText};

use super::{AoiPanel, AoiSnapshot};

// The colours of Okabe and Ito, which colour-blind people can tell apart.
pub(crate) const ORANGE: Color32 = Color32::from_rgb(0xE6, 0x9F, 0x00);
pub(crate) const SKY: Color32 = Color32::from_rgb(0x56, 0xB4, 0xE9);
pub(crate) const GREEN: Color32 = Color32::from_rgb(0x00, 0x9E, 0x73);
pub(crate) const VERMILION: Color32 = Color32::from_rgb(0xD5, 0x5E, 0x00);
pub(crate) const PURPLE: Color32 = Color32::from_rgb(0xCC, 0x79, 0xA7);

/// A whole number, in groups of three digits.
pub(crate) fn whole(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) && text != "-" {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// A length or coordinate with one decimal, or what it is instead.
pub(crate) fn length(x: f32) -> String {
    if x.is_nan() {
        "NaN".into()
    } else if x.is_infinite() {
        if x > 0.0 { "∞" } else { "-∞" }.into()
    } else if x.abs() < f32::MIN_POSITIVE {
        "0.0".into()
    } else if (5e-4..5e-2).contains(&x.abs()) {
        format!("{x:.4}")
    } else if !(5e-2..1e7).contains(&x.abs()) {
        format!("{x:.1e}")
    } else {
        format!("{x:.1}")
    }
}

/// How many decimals tell apart what stands so far from each other.
pub(crate) fn decimals(step: f32) -> usize {
    if step.is_finite() && step > 0.0 {
        (-step.log10()).ceil().clamp(1.0, 6.0) as usize
    } else {
        1
    }
}

/// A coordinate in a column: flush right, all with the same decimals, as far as they fit.
pub(crate) fn coordinate(x: f32, decimals: usize, width: usize) -> String {
    let text = if x.is_finite() {
        let fixed = (0..=decimals).rev().map(|decimals| {
            let text = format!("{x:.decimals$}");
            let is_zero = !text.contains(|c: char| ('1'..='9').contains(&c));
            match text.strip_prefix('-') {
                Some(zero) if is_zero => zero.to_owned(),
                _ => text,
            }
        });
        fixed
            .into_iter()
            .find(|text| text.len() <= width)
            .unwrap_or_else(|| format!("{x:.1e}"))
    } else {
        length(x)
    };
    format!("{text:>width$}")
}

pub(crate) fn milliseconds(seconds: f64) -> String {
    format!("{:.3} ms", seconds * 1e3)
}

/// Sets what is easy to read: no text is fainter than 4.5 to 1, and scroll bars can be seen.
pub(crate) fn style(ui: &mut egui::Ui) {
    let scroll = &mut ui.spacing_mut().scroll;
    *scroll = egui::style::ScrollStyle::solid();
    scroll.fade.strength = 0.0;
    let visuals = ui.visuals_mut();
    let (text, weak) = if visuals.dark_mode {
        (200, 155)
    } else {
        (40, 95)
    };
    visuals.widgets.noninteractive.fg_stroke.color = Color32::from_gray(text);
    visuals.weak_text_color = Some(Color32::from_gray(weak));
}

/// The height of as many whole rows as there is room for.
pub(crate) fn whole_rows(ui: &egui::Ui, height: f32) -> f32 {
    let spacing = ui.spacing().item_spacing.y;
    let row = ui.spacing().interact_size.y + spacing;
    let rows = ((height + spacing) / row).floor().max(1.0);
    rows * row - spacing
}

/// A bar of a width, filled to a share.
pub(crate) fn bar(ui: &mut egui::Ui, width: f32, share: f32, color: Color32) {
    let (area, _) = ui.allocate_exact_size(egui::vec2(width, 8.0), egui::Sense::hover());
    let mut full = area;
    full.set_width(width * share.clamp(0.0, 1.0));
    let ground = ui.visuals().widgets.inactive.bg_fill;
    ui.painter().rect_filled(area, 0.0, ground);
    ui.painter().rect_filled(full, 0.0, color);
}

/// A number in a column, flush right.
pub(crate) fn figure(ui: &mut egui::Ui, text: impl Into<String>) -> egui::Response {
    flush_right(ui, RichText::new(text).monospace().strong())
}

/// The head of a column of numbers, flush right.
pub(crate) fn figure_head(ui: &mut egui::Ui, text: impl Into<String>) -> egui::Response {
    flush_right(ui, RichText::new(text).monospace().weak())
}

fn flush_right(ui: &mut egui::Ui, text: RichText) -> egui::Response {
    let right = egui::Layout::right_to_left(egui::Align::Center);
    ui.with_layout(right, |ui| ui.label(text)).inner
}

/// Text of a given width in characters of one width, flush right.
pub(crate) fn right_cell(ui: &mut egui::Ui, width: usize, text: &str) -> egui::Response {
    ui.label(RichText::new(format!("{text:>width$}")).monospace())
}

/// The head of columns of one width.
pub(crate) fn head(ui: &mut egui::Ui, text: String) -> egui::Response {
    let text = RichText::new(text).monospace().weak();
    // Without a row around it a label loses the spaces that it begins with.
    ui.horizontal(|ui| ui.label(text)).inner
}

/// The name of an entity: a click chooses it.
pub(crate) fn link(
    ui: &mut egui::Ui,
    panel: &mut AoiPanel,
    snapshot: &AoiSnapshot,
    entity: Entity,
) {
    panel.drawn.push(entity);
    let chosen = panel.picked == Some(entity);
    let label = snapshot.label(entity);
    let mut text = RichText::new(&label).color(ui.visuals().hyperlink_color);
    if chosen {
        let selection = ui.visuals().selection;
        text = text
            .color(selection.stroke.color)
            .background_color(selection.bg_fill)
            .underline();
    }
    let response = ui
        .add(
            egui::Label::new(text)
                .truncate()
                .selectable(false)
                .sense(egui::Sense::click()),
        )
        .on_hover_cursor(egui::CursorIcon::PointingHand)
        .on_hover_text(label);
    if response.clicked() {
        panel.choose(entity);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_easy_to_read() {
        assert_eq!(whole(0.0), "0");
        assert_eq!(whole(999.4), "999");
        assert_eq!(whole(12_345_678.0), "12 345 678");
        assert_eq!(whole(-1_234.0), "-1 234");
        assert_eq!(whole(-123.0), "-123");
        assert_eq!(length(52.34), "52.3");
        assert_eq!(length(0.25), "0.2");
        assert_eq!(length(0.0025), "0.0025");
        assert_eq!(length(0.000_002_5), "2.5e-6");
        assert_eq!(length(-1e-45), "0.0");
        assert_eq!(length(-3e9), "-3.0e9");
        assert_eq!(length(f32::NAN), "NaN");
        assert_eq!(length(f32::NEG_INFINITY), "-∞");
        assert_eq!(milliseconds(0.000_123_4), "0.123 ms");
    }

    #[test]
    fn coordinates_of_a_column_have_the_same_decimals() {
        for (step, expected) in [
            (50.0, 1),
            (0.5, 1),
            (0.09, 2),
            (0.004, 3),
            (1e-20, 6),
            (0.0, 1),
            (f32::NAN, 1),
            (f32::INFINITY, 1),
        ] {
            assert_eq!(decimals(step), expected, "{step}");
        }
        assert_eq!(coordinate(0.032, 1, 8), "     0.0");
        assert_eq!(coordinate(-0.032, 1, 8), "     0.0");
        assert_eq!(coordinate(-0.032, 2, 8), "   -0.03");
        assert_eq!(coordinate(-629.44, 1, 8), "  -629.4");
        assert_eq!(coordinate(1_234_567.9, 3, 8), " 1234568");
        assert_eq!(coordinate(-3e12, 1, 8), " -3.0e12");
        assert_eq!(coordinate(f32::NEG_INFINITY, 1, 8), "      -∞");
        assert_eq!(coordinate(f32::NAN, 1, 8), "     NaN");
    }
}
