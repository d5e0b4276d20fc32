//! What the plugin writes to the log while a piece of a test runs.
//!
//! The subscriber is that of the current thread, so the schedules of the app must run on it:
//! [`stay_on_this_thread`].

use std::{
    fmt::{self, Write},
    sync::{Arc, Mutex, Once},
};

use bevy::{
    ecs::schedule::{Schedules, SingleThreadedExecutor},
    prelude::*,
};
use tracing::{
    Event, Level, Subscriber,
    field::{Field, Visit},
    subscriber,
};
use tracing_subscriber::{
    Layer,
    layer::{Context, SubscriberExt},
    registry,
};

/// Lets all systems of `app` run on the thread that calls `update`.
pub fn stay_on_this_thread(app: &mut App) {
    let mut schedules = app.world_mut().resource_mut::<Schedules>();
    for (_, schedule) in schedules.iter_mut() {
        schedule.set_executor(SingleThreadedExecutor::new());
    }
}

/// Runs `piece` and returns the warnings and errors that this crate logged meanwhile.
pub fn warnings(piece: impl FnOnce()) -> Vec<String> {
    // While there is one subscriber only, `tracing` asks that of the thread that reaches a line first
    // whether anybody wants it, and keeps the answer for all. So threads without one get a silent one.
    static SILENT: Once = Once::new();
    SILENT.call_once(|| drop(subscriber::set_global_default(registry())));
    let lines = Lines::default();
    let kept = lines.0.clone();
    subscriber::with_default(registry().with(lines), piece);
    core::mem::take(&mut *kept.lock().unwrap())
}

/// A layer that keeps the lines that a user of this crate should act on.
#[derive(Default)]
struct Lines(Arc<Mutex<Vec<String>>>);

impl<S: Subscriber> Layer<S> for Lines {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let metadata = event.metadata();
        // Only the library itself: the tests' own crates are named otherwise.
        if metadata.target().split("::").next() == Some("bevy_aoi")
            && *metadata.level() <= Level::WARN
        {
            let mut line = Line::default();
            event.record(&mut line);
            self.0.lock().unwrap().push(line.0);
        }
    }
}

/// The text of one line: its message and its fields.
#[derive(Default)]
struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() != "message" {
            write!(self.0, " {}=", field.name()).unwrap();
        }
        write!(self.0, "{value:?}").unwrap();
    }
}
