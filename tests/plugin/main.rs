//! The plugin, one file per behaviour. They are one program, since linking Bevy takes its time.

#[path = "../support/brute_queries.rs"]
mod brute_queries;
#[path = "../support/log_lines.rs"]
mod log_lines;
#[path = "../support/referee.rs"]
mod referee;
#[path = "../support/scenario.rs"]
mod scenario;
#[path = "../support/watch.rs"]
mod watch;
#[path = "../support/world.rs"]
mod world;

mod asking;
mod bad_input;
mod change_detection;
mod diagnostics;
mod hierarchy;
mod inspect;
mod lifecycle;
mod messages;
mod moves;
mod overrides;
mod random_life;
mod rings;
mod scale;
mod setup;
mod variations;
