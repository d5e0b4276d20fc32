//! Area of interest for Bevy.
#![forbid(unsafe_code)]

pub mod crosslink;

mod components;
mod messages;

pub use components::*;
pub use messages::*;
