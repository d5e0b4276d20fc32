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
    } else if !(5e-2..1e7).contains(&x.abs()) {
        format!("{x:.1e}")
    } else {
        format!("{x:.1}")
    }
}

pub(crate) fn milliseconds(seconds: f64) -> String {
    format!("{:.3} ms", seconds * 1e3)
}

/// A mask of layers: which bits are set, or all.
pub(crate) fn layers(mask: u32) -> String {
    match mask {
        u32::MAX => "all".into(),
        0 => "none".into(),
        _ => {
            let bits = (0..32).filter(|bit| mask >> bit & 1 == 1);
            let bits: Vec<_> = bits.map(|bit: u32| bit.to_string()).collect();
            bits.join(", ")
        }
    }
}

/// A number in a column, flush right.
pub(crate) fn figure(ui: &mut egui::Ui, text: impl Into<String>) -> egui::Response {
    let text = RichText::new(text).monospace();
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
        text = text.color(ui.visuals().strong_text_color()).underline();
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

/// A small heading with a line above it.
pub(crate) fn heading(ui: &mut egui::Ui, text: &str) -> egui::Response {
    ui.separator();
    ui.strong(text)
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
        assert_eq!(length(0.0025), "2.5e-3");
        assert_eq!(length(-1e-45), "0.0");
        assert_eq!(length(-3e9), "-3.0e9");
        assert_eq!(length(f32::NAN), "NaN");
        assert_eq!(length(f32::NEG_INFINITY), "-∞");
        assert_eq!(milliseconds(0.000_123_4), "0.123 ms");
    }

    #[test]
    fn layers_are_numbered() {
        assert_eq!(layers(u32::MAX), "all");
        assert_eq!(layers(0), "none");
        assert_eq!(layers(0b101), "0, 2");
        assert_eq!(layers(1 << 31), "31");
    }
}
