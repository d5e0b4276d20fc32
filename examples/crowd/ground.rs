//! What a crowd tells to those who show it: where it is, and how fast it may go.

use bevy::{math::Rect, prelude::*};

/// The part of the plane that the crowd keeps to, in its unit.
#[derive(Resource, Debug, Clone, Copy)]
pub struct Ground(pub Rect);

/// How much of its usual way the crowd goes in an update: 1 usually, 0 while it stands still.
#[derive(Resource, Debug, Clone, Copy)]
pub struct Pace(pub f32);

impl Default for Pace {
    fn default() -> Self {
        Self(1.0)
    }
}

/// A run condition.
pub fn goes_on(pace: Res<Pace>) -> bool {
    pace.0 > 0.0
}
