//! The crowd as a living map in the terminal.
//!
//! Updates come at their real pace, 60 in a second, or as fast as they can; pictures at most 25.
//! Drawing is no part of the times that are shown: it happens between updates. Resting is what shows:
//! an update after 15 ms of rest finds the caches of the processor cold, and takes up to half as long
//! again as one that follows the last at once.

use crate::{
    UPDATES_PER_SECOND,
    map::Map,
    measure::{Meter, Tally},
    screen::{self, Figures},
    walkers::{self, Field},
};
use bevy::prelude::*;
use ratatui::{
    DefaultTerminal,
    crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers},
};
use std::{
    io::{self, Write},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

const PICTURE: Duration = Duration::from_millis(40);

/// How long the figures are means of.
const MEAN: Duration = Duration::from_millis(500);

/// Shows the crowd for so many updates (0, or as soon as a key is pressed: until it is quit), and
/// prints a summary when the terminal is as it was before.
pub fn run(app: &mut App, title: &str, frames: u64, stop: &AtomicBool) -> io::Result<()> {
    let mut meter = Meter::default();
    let mut show = Show::new(app, &mut meter, title, frames);
    // The terminal is given back also if a panic ends the program: this sets a hook.
    let shown = show.run(&mut ratatui::try_init()?, stop);
    let rested = !show.full_speed;
    ratatui::restore();
    shown?;
    let mut out = io::stdout().lock();
    if rested {
        writeln!(
            out,
            "(real time, with rests; updates in one go take less: --headless)"
        )?;
    }
    meter.summarize(&mut out)
}

/// The map, and how it goes on.
struct Show<'a> {
    app: &'a mut App,
    meter: &'a mut Meter,
    title: &'a str,
    map: Map,
    /// The update after which it ends; none: it does not.
    end: Option<u64>,
    paused: bool,
    /// One update although it is paused.
    step: bool,
    full_speed: bool,
    next_update: Instant,
    next_picture: Instant,
    next_mean: Instant,
    mean: Tally,
    /// How long the newest updates took, in microseconds.
    times: Vec<u64>,
}

impl<'a> Show<'a> {
    fn new(app: &'a mut App, meter: &'a mut Meter, title: &'a str, frames: u64) -> Self {
        meter.update(app);
        let now = Instant::now();
        Self {
            map: Map::new(app.world()),
            app,
            meter,
            title,
            end: (frames > 0).then_some(frames),
            paused: false,
            step: false,
            full_speed: false,
            next_update: now,
            next_picture: now,
            next_mean: now,
            mean: Tally::default(),
            times: Vec::new(),
        }
    }

    fn run(&mut self, terminal: &mut DefaultTerminal, stop: &AtomicBool) -> io::Result<()> {
        while !stop.load(Ordering::Relaxed) && !self.is_over() {
            if self.goes_on() && (self.full_speed || Instant::now() >= self.next_update) {
                self.update();
            }
            let start = Instant::now();
            if start >= self.next_picture {
                self.draw(terminal)?;
                // Slow terminals get fewer pictures: at least half of the time is for updates.
                self.next_picture = start + PICTURE.max(2 * start.elapsed());
            }
            if event::poll(self.rest())? && !self.handle(&event::read()?) {
                break;
            }
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.end.is_some_and(|end| self.meter.updates >= end)
    }

    /// How long there is nothing to do but wait for keys.
    fn rest(&self) -> Duration {
        let next = match (self.goes_on(), self.full_speed) {
            (true, true) => return Duration::ZERO,
            (true, false) => self.next_update.min(self.next_picture),
            (false, _) => self.next_picture,
        };
        next.saturating_duration_since(Instant::now())
    }

    fn goes_on(&self) -> bool {
        !self.paused || self.step
    }

    fn update(&mut self) {
        let took = self.meter.update(self.app);
        let now = Instant::now();
        self.step = false;
        // What is late is not made up for: a slow machine shows a slow crowd.
        let pace = Duration::from_secs_f32(1.0 / UPDATES_PER_SECOND);
        self.next_update = (self.next_update + pace).max(now);
        const KEPT: usize = 1024;
        if self.times.len() == KEPT {
            self.times.drain(..KEPT / 2);
        }
        self.times.push(took.as_micros() as u64);
        if now >= self.next_mean || self.paused {
            self.mean = self.meter.take_recent();
            self.next_mean = now + MEAN;
        }
        self.map.keep_somebody(self.app.world());
    }

    fn draw(&mut self, terminal: &mut DefaultTerminal) -> io::Result<()> {
        let size = terminal.size()?;
        let aspect = screen::aspect(size.into());
        let picture = self.map.look(self.app.world(), aspect);
        let figures = Figures {
            title: self.title,
            state: self.state(),
            walkers: self.app.world().contains_resource::<Field>(),
            tally: &self.mean,
            times: &self.times,
        };
        terminal.draw(|frame| screen::draw(frame, &picture, &figures))?;
        Ok(())
    }

    fn state(&self) -> String {
        let updates = self.meter.updates;
        let pace = match (self.paused, self.full_speed) {
            (true, _) => "paused",
            (false, true) => "full speed",
            (false, false) => "real time",
        };
        match self.end {
            Some(end) => format!("update {updates}, ends at {end}; any key: go on"),
            None => format!("update {updates}, {pace}"),
        }
    }

    /// Does what a key stands for; false: quit.
    fn handle(&mut self, event: &Event) -> bool {
        let Event::Key(key) = event else {
            self.next_picture = Instant::now();
            return true;
        };
        if key.kind == KeyEventKind::Release {
            return true;
        }
        // Whoever looks around stays.
        self.end = None;
        self.next_picture = Instant::now();
        self.press(*key)
    }

    fn press(&mut self, key: KeyEvent) -> bool {
        let world = self.app.world_mut();
        match key.code {
            KeyCode::Char('q') | KeyCode::Esc => return false,
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => return false,
            KeyCode::Char(' ') => self.paused = !self.paused,
            KeyCode::Char('.') => (self.paused, self.step) = (true, true),
            KeyCode::Char('t') => self.full_speed = !self.full_speed,
            KeyCode::Char('f') => self.map.follows = !self.map.follows,
            KeyCode::Char('w') => self.map.whole(world),
            KeyCode::Char('+' | '=') => self.map.zoom(world, 0.8),
            KeyCode::Char('-') => self.map.zoom(world, 1.25),
            KeyCode::Char('j') => walkers::jump(world, 1000),
            KeyCode::Char('g') => {
                let spot = self.map.center();
                walkers::gather(world, spot);
            }
            KeyCode::Tab => self.map.pick_next(world, 1),
            KeyCode::BackTab => self.map.pick_next(world, -1),
            KeyCode::Left => self.map.shift(Vec2::NEG_X),
            KeyCode::Right => self.map.shift(Vec2::X),
            KeyCode::Up => self.map.shift(Vec2::Y),
            KeyCode::Down => self.map.shift(Vec2::NEG_Y),
            _ => {}
        }
        self.map.keep_somebody(self.app.world());
        true
    }
}
