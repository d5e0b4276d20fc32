//! Draws the crowd in a terminal of any size: the map, below it figures and keys.

use crate::{
    map::{Axis, Picked, Picture},
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

/// From the palette of Okabe and Ito, told apart by everybody on a dark background; the sign and the
/// ring say the same without any colour.
const PICKED: Color = Color::Rgb(0xE6, 0x9F, 0x00);
const SEEN: Color = Color::Rgb(0x56, 0xB4, 0xE9);
const CROWD: Color = Color::Rgb(0x8A, 0x8A, 0x8A);

/// What each key does, the most needed first. Those of [`WALKERS_ONLY`] do nothing to a recording.
const KEYS: [(&str, &str); 11] = [
    ("q", "quit"),
    ("space", "pause"),
    (".", "step"),
    ("tab", "other"),
    ("+-", "zoom"),
    ("f", "follow"),
    ("w", "show all"),
    ("j", "jump"),
    ("g", "gather"),
    ("t", "full speed"),
    ("←↑↓→", "move"),
];

const WALKERS_ONLY: [&str; 2] = ["j", "g"];

/// The figures beside the picture.
pub struct Figures<'a> {
    pub title: &'a str,
    /// How it goes on: paused, when it ends.
    pub state: String,
    /// Whether they are walkers, not recorded people.
    pub walkers: bool,
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
        let all_keys = key_lines(screen.width, true).len() as u16;
        let [figures, times, keys] = match screen.height {
            0..6 => [0, 0, 0],
            6..12 => [1, 0, 1],
            12..20 => [3, 0, 1],
            _ => [3, 1, all_keys.min(3)],
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
    let keys = key_lines(places.keys.width, figures.walkers);
    frame.render_widget(Paragraph::new(keys), places.keys);
}

/// The keys in as many lines of this width as they take.
fn key_lines(width: u16, walkers: bool) -> Vec<Line<'static>> {
    let mut lines = vec![Line::default()];
    let keys = KEYS.iter();
    for (key, does) in keys.filter(|(key, _)| walkers || !WALKERS_ONLY.contains(key)) {
        let words = [Span::from(*key).bold(), format!(" {does}  ").into()];
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
    let mut scale = format!(" {} m wide ", round(area.width().into()));
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
    let center = area.center();
    let x = Axis::new(center.x, area.width(), inner.width, 2);
    let y = Axis::new(-center.y, area.height(), inner.height, 4);
    let canvas = Canvas::default()
        .block(block)
        .marker(Marker::Braille)
        .x_bounds([x.first, x.last])
        .y_bounds([-y.last, -y.first])
        .paint(|canvas| paint(canvas, picture));
    frame.render_widget(canvas, place);
    // A text on the canvas has cells that are off those of its dots.
    let picked = picture.picked.as_ref().filter(|_| !inner.is_empty());
    let at = picked.map(|picked| picked.at);
    if let Some((column, row)) = at.and_then(|at| Some((x.cell(at.0)?, y.cell(-at.1)?))) {
        let sign = Rect::new(inner.x + column, inner.y + row, 1, 1);
        frame.render_widget(Span::styled("@", PICKED).bold(), sign);
    }
}

/// Each layer has its own dots: a cell has one colour, and nobody shall look like another.
fn paint(canvas: &mut Context, picture: &Picture) {
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
    canvas.layer();
    canvas.draw(&Points::new(&picture.seen, SEEN));
}

fn figure_lines(picture: &Picture, tally: &Tally) -> Vec<Line<'static>> {
    let walker = match &picture.picked {
        None => Line::from("nobody is there"),
        Some(picked) => Line::from(vec![
            Span::styled("@", PICKED).bold(),
            format!(
                " {} at {:.1}, {:.1} m sees ",
                picked.entity, picked.at.0, picked.at.1
            )
            .into(),
            Span::styled(format!("{} (blue dots)", picked.sees), SEEN),
            format!(" within {} m", picked.radius).into(),
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
        "in ms: update {}, area of interest {} (sync {}, detect {}, emit {})",
        round(tally.took()),
        round(sync + detect + emit),
        round(sync),
        round(detect),
        round(emit),
    );
    vec![walker, changes.into(), times.into()]
}

/// The times as bars, against the longest of them. In one row: between rows there is a seam.
fn draw_times(frame: &mut Frame, place: Rect, times: &[u64]) {
    let newest = &times[times.len().saturating_sub(place.width.into())..];
    let longest = newest.iter().copied().max().unwrap_or(0);
    let label = format!("each update, █ is {:.2} ms ", longest as f64 / 1e3);
    let width = label.chars().count() as u16;
    let [text, bars] =
        Layout::horizontal([Constraint::Length(width), Constraint::Min(0)]).areas(place);
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
            walkers: true,
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
            "sees 1 (blue dots) within 30 m",
        ] {
            assert!(screen.contains(what), "`{what}` is missing:\n{screen}");
        }
        assert!(
            screen.contains("█ is 2.00 ms"),
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

    /// The dots around the sign in a map without anybody else: columns to the left of its cell, to the
    /// right, rows above, below.
    fn ring(width: u16, height: u16) -> [usize; 4] {
        let screen = shown(width, height);
        let rows: Vec<Vec<char>> = screen.lines().map(|row| row.chars().collect()).collect();
        let find = |row: &Vec<char>| row.iter().position(|&cell| cell == '@');
        let (row, column) = (0..)
            .zip(&rows)
            .find_map(|(y, row)| Some((y, find(row)?)))
            .unwrap();
        // Bits of a braille sign: dots of the left and of the right column, from top to bottom.
        const BITS: [[u32; 4]; 2] = [[0, 1, 2, 6], [3, 4, 5, 7]];
        let has_dot = |x: usize, y: usize| {
            let sign = u32::from(*rows.get(y / 4)?.get(x / 2)?);
            let is_braille = (0x2800..0x2900).contains(&sign);
            Some(is_braille && (sign >> BITS[x % 2][y % 4]) & 1 == 1)
        };
        let (left, right) = (column * 2, column * 2 + 1);
        let (top, bottom) = (row * 4, row * 4 + 3);
        // Two columns and four rows go through the cell; any of them may have the outermost dot.
        let is_in_row = |x| (top..=bottom).any(|y| has_dot(x, y) == Some(true));
        let is_in_column = |y| (left..=right).any(|x| has_dot(x, y) == Some(true));
        [
            (1..).find(|off| is_in_row(left - off)).unwrap(),
            (1..).find(|off| is_in_row(right + off)).unwrap(),
            (1..).find(|off| is_in_column(top - off)).unwrap(),
            (1..).find(|off| is_in_column(bottom + off)).unwrap(),
        ]
    }

    #[test]
    fn the_one_who_sees_is_in_the_middle_of_a_round_ring() {
        for (width, height) in [(80, 24), (81, 24), (80, 25), (81, 25), (120, 40)] {
            let [left, right, above, below] = ring(width, height);
            let of_size = format!("of {width} x {height}");
            assert_eq!(left, right, "left and right, {of_size}");
            assert_eq!(above, below, "above and below, {of_size}");
            // From the middle of the cell, which is 2 dots wide and 4 high.
            assert!(left.abs_diff(above + 1) <= 1, "not round, {of_size}");
        }
    }

    #[test]
    fn keys_that_do_nothing_to_a_recording_are_not_offered() {
        let text = |walkers| {
            let lines = key_lines(80, walkers);
            lines.iter().map(ToString::to_string).collect::<String>()
        };
        assert!(text(true).contains("g gather"));
        assert!(!text(false).contains("gather"));
        assert!(text(false).contains("q quit"));
    }
}
