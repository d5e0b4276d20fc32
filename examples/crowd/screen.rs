//! Draws the crowd in a terminal of any size: the map, below it figures and keys.

use crate::{
    map::{Picked, Picture},
    measure::Tally,
};
use ratatui::{
    Frame,
    layout::{Constraint, Layout, Rect},
    style::{Color, Style, Stylize},
    symbols::Marker,
    text::{Line, Span},
    widgets::{
        Block, Paragraph, Sparkline,
        canvas::{Canvas, Circle, Context, Points},
    },
};

/// From the palette of Okabe and Ito, told apart by everybody on a dark background; the letters
/// and dots say the same without any colour.
const PICKED: Color = Color::Rgb(0xE6, 0x9F, 0x00);
const SEEN: Color = Color::Rgb(0x56, 0xB4, 0xE9);
const CROWD: Color = Color::Rgb(0x8A, 0x8A, 0x8A);

/// What each key does, the most needed first.
const KEYS: [(&str, &str); 11] = [
    ("q", "quit"),
    ("space", "pause"),
    (".", "step"),
    ("tab", "other"),
    ("+-", "zoom"),
    ("f", "follow"),
    ("w", "whole"),
    ("j", "jump"),
    ("g", "gather"),
    ("t", "full speed"),
    ("←↑↓→", "move"),
];

/// The figures beside the picture.
pub struct Figures<'a> {
    pub title: &'a str,
    /// How it goes on: paused, when it ends.
    pub state: String,
    /// What the last updates did.
    pub tally: &'a Tally,
    /// The newest times of updates, in microseconds, the oldest first.
    pub times: &'a [u64],
}

/// Where things are on the screen. What there is no room for has no height.
struct Places {
    map: Rect,
    figures: Rect,
    times: Rect,
    keys: Rect,
}

impl Places {
    fn new(screen: Rect) -> Self {
        let all_keys = key_lines(screen.width).len() as u16;
        let [figures, times, keys] = match screen.height {
            0..6 => [0, 0, 0],
            6..12 => [1, 0, 1],
            12..20 => [3, 0, 1],
            _ => [3, 2, all_keys.min(3)],
        };
        let [map, figures, times, keys] = Layout::vertical([
            Constraint::Min(1),
            Constraint::Length(figures),
            Constraint::Length(times),
            Constraint::Length(keys),
        ])
        .areas(screen);
        Self {
            map,
            figures,
            times,
            keys,
        }
    }
}

/// The width of the map on such a screen, where its height is 1; a dot is as wide as high.
pub fn aspect(screen: Rect) -> f32 {
    let map = Block::bordered().inner(Places::new(screen).map);
    f32::from(map.width.max(1)) * 2.0 / (f32::from(map.height.max(1)) * 4.0)
}

/// Draws everything.
pub fn draw(frame: &mut Frame, picture: &Picture, figures: &Figures) {
    let places = Places::new(frame.area());
    draw_map(frame, places.map, picture, figures);
    let lines = figure_lines(picture, figures.tally);
    frame.render_widget(Paragraph::new(lines), places.figures);
    draw_times(frame, places.times, figures.times);
    frame.render_widget(Paragraph::new(key_lines(places.keys.width)), places.keys);
}

/// The keys in as many lines of this width as they take.
fn key_lines(width: u16) -> Vec<Line<'static>> {
    let mut lines = vec![Line::default()];
    for (key, does) in KEYS {
        let words = [Span::from(key).bold(), format!(" {does}  ").into()];
        let line = lines.last_mut().expect("it begins with one");
        if line.width() > 0 && line.width() + key.chars().count() + does.len() + 1 > width.into() {
            lines.push(Line::from_iter(words));
        } else {
            line.extend(words);
        }
    }
    lines
}

fn draw_map(frame: &mut Frame, place: Rect, picture: &Picture, figures: &Figures) {
    let Picture { area, one_in, .. } = picture;
    let mut scale = format!(" {} wide ", round(area.width().into()));
    if place.width < 60 {
        scale.clear();
    } else if *one_in > 1 {
        scale += &format!("· 1 in {one_in} drawn ");
    }
    let block = Block::bordered()
        .border_style(Style::new().dark_gray())
        .title(Line::from(format!(" {} ", figures.title)).bold())
        .title_bottom(scale)
        .title_bottom(Line::from(format!(" {} ", figures.state)).right_aligned());
    let inner = block.inner(place);
    let cell = [
        f64::from(area.width()) / f64::from(inner.width.max(1)),
        f64::from(area.height()) / f64::from(inner.height.max(1)),
    ];
    let bounds = |min: f32, max: f32| [f64::from(min), f64::from(max)];
    let canvas = Canvas::default()
        .block(block)
        .marker(Marker::Braille)
        .x_bounds(bounds(area.min.x, area.max.x))
        .y_bounds(bounds(area.min.y, area.max.y))
        .paint(|canvas| paint(canvas, picture, cell));
    frame.render_widget(canvas, place);
}

/// `cell` is the width and height of a character, in the unit of the ground.
fn paint(canvas: &mut Context, picture: &Picture, cell: [f64; 2]) {
    canvas.draw(&Points::new(&picture.crowd, CROWD));
    canvas.layer();
    let Some(Picked {
        at: (x, y), radius, ..
    }) = picture.picked
    else {
        return;
    };
    canvas.draw(&Circle {
        x,
        y,
        radius,
        color: PICKED,
    });
    for &(x, y) in &picture.seen {
        canvas.print(x, y, Span::styled("•", SEEN));
    }
    // The middle of the map may lie on the border of two cells: a quarter of one beside it the sign
    // does not jump to and fro.
    let [right, up] = cell.map(|size| size / 4.0);
    canvas.print(x + right, y - up, Span::styled("@", PICKED).bold());
}

fn figure_lines(picture: &Picture, tally: &Tally) -> Vec<Line<'static>> {
    let walker = match &picture.picked {
        None => Line::from("nobody is there"),
        Some(picked) => Line::from(vec![
            Span::styled("@", PICKED).bold(),
            format!(
                " {} at {:.1}, {:.1} sees ",
                picked.entity, picked.at.0, picked.at.1
            )
            .into(),
            Span::styled(format!("• {}", picked.sees), SEEN),
            format!(" within {}", picked.radius).into(),
        ]),
    };
    let changes = format!(
        "in view {:.2} each; entered {:.1}, left {:.1} per update",
        tally.in_view(),
        tally.entered(),
        tally.left(),
    );
    let [sync, detect, emit] = tally.aoi();
    let times = format!(
        "update {} ms: area of interest {} (sync {}, detect {}, emit {})",
        round(tally.took()),
        round(sync + detect + emit),
        round(sync),
        round(detect),
        round(emit),
    );
    vec![walker, changes.into(), times.into()]
}

/// The times as bars, against the longest of them.
fn draw_times(frame: &mut Frame, place: Rect, times: &[u64]) {
    let newest = &times[times.len().saturating_sub(place.width.into())..];
    let longest = newest.iter().copied().max().unwrap_or(0);
    let label = format!("each update, at most {:.2} ms ", longest as f64 / 1e3);
    let [text, bars] =
        Layout::horizontal([Constraint::Length(label.len() as u16), Constraint::Min(0)])
            .areas(place);
    frame.render_widget(Paragraph::new(label), text);
    let newest = &newest[newest.len().saturating_sub(bars.width.into())..];
    frame.render_widget(Sparkline::default().data(newest).style(SEEN), bars);
}

/// A number with about three digits that count.
fn round(number: f64) -> String {
    let decimals = match number.abs() {
        0.0..10.0 => 2,
        10.0..100.0 => 1,
        _ => 0,
    };
    format!("{number:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy::prelude::{Entity, Rect as Area, Vec2};
    use ratatui::{Terminal, backend::TestBackend};

    /// What a terminal of this size shows of somebody in the middle who sees one of two others.
    fn shown(width: u16, height: u16) -> String {
        shown_at(width, height, (0.0, 0.0))
    }

    fn shown_at(width: u16, height: u16, at: (f64, f64)) -> String {
        let screen = Rect::new(0, 0, width, height);
        let size = Vec2::new(100.0 * aspect(screen), 100.0);
        let picture = Picture {
            area: Area::from_center_size(Vec2::ZERO, size),
            crowd: vec![(0.0, 45.0)],
            one_in: 4,
            seen: vec![(10.0, 10.0)],
            picked: Some(Picked {
                entity: Entity::PLACEHOLDER,
                at,
                radius: 30.0,
                sees: 1,
            }),
        };
        let tally = Tally::default();
        let figures = Figures {
            title: "a crowd of three",
            state: "paused".into(),
            tally: &tally,
            times: &[1000, 2000, 1500],
        };
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal
            .draw(|frame| draw(frame, &picture, &figures))
            .unwrap();
        terminal.backend().to_string()
    }

    #[test]
    fn a_usual_terminal_has_room_for_everything() {
        let screen = shown(80, 24);
        for what in [
            "a crowd of three",
            "paused",
            "1 in 4 drawn",
            "@",
            "•",
            "sees • 1 within 30",
        ] {
            assert!(screen.contains(what), "`{what}` is missing:\n{screen}");
        }
        assert!(
            screen.contains("at most 2.00 ms"),
            "the longest time is missing:\n{screen}"
        );
        for (key, does) in KEYS {
            let help = format!("{key} {does}");
            assert!(screen.contains(&help), "`{help}` is missing:\n{screen}");
        }
    }

    #[test]
    fn no_size_is_too_small() {
        for width in 1..30 {
            for height in 1..30 {
                shown(width, height);
            }
        }
        let tiny = shown(12, 5);
        assert!(
            tiny.contains('@'),
            "the walker is on the smallest of maps:\n{tiny}"
        );
    }

    #[test]
    fn the_one_who_sees_does_not_jump() {
        for height in 10..40 {
            let row_of = |noise| {
                let screen = shown_at(80, height, (noise, noise));
                screen.lines().position(|row| row.contains('@'))
            };
            assert_eq!(row_of(1e-5), row_of(-1e-5), "at a height of {height}");
        }
    }

    #[test]
    fn the_one_who_sees_is_in_the_middle_of_its_circle() {
        let screen = shown(80, 24);
        let rows: Vec<Vec<char>> = screen.lines().map(|row| row.chars().collect()).collect();
        let find = |row: &Vec<char>| row.iter().position(|&cell| cell == '@');
        let (row, column) = rows.iter().find_map(|row| Some((row, find(row)?))).unwrap();
        let is_dot = |cell: &char| ('\u{2801}'..='\u{28FF}').contains(cell);
        let right = row[column + 1..].iter().position(is_dot).unwrap();
        let left = row[..column]
            .iter()
            .rev()
            .position(|cell| is_dot(cell))
            .unwrap();
        assert!(right.abs_diff(left) <= 1, "off its middle:\n{screen}");
    }
}
