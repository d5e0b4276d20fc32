//! Walkers in a square field: each walks straight on, turning slowly, and turns back at the border.
//!
//! They are reflected there, not taken to the other side. Both keep the density even, but one who
//! jumps across the field trades all it has in view for others at once, which no walker does.

use bevy::{math::Rot2, prelude::*};
use bevy_aoi::prelude::*;
use std::{f32::consts::PI, f64};

/// A field wider than this would be too wide for steps of a few centimetres in `f32`.
const MAX_SIDE: f64 = 1e6;

/// How fast a walker turns, at most, in radians per metre: the smallest circle has 30 m radius.
const MAX_TURN: f32 = 1.0 / 30.0;

/// The crowd: everybody is viewer and target.
pub struct Walkers {
    /// How many there are.
    pub agents: u32,
    /// How many others each has in view, on average.
    pub in_view: f32,
    /// How far each sees, in metres.
    pub radius: f32,
    /// How far each walks in an update, in metres.
    pub step: f32,
    /// Where they start and how they turn.
    pub seed: u64,
}

impl Walkers {
    /// How wide the field must be to have `in_view` others in view on average, in metres.
    ///
    /// In the open that is a density of `in_view / (pi r^2)`. Near the border part of the circle
    /// is outside of the field; with `q = r / side` the share of the others in view of one, mean
    /// over the square, is `q^2 (pi - 8/3 q + q^2 / 2)`. It falls as the field grows, so the side
    /// is found by halving; at a side of one radius nearly all see all, narrower it never gets.
    pub fn side(&self) -> f32 {
        let others = f64::from(self.agents.saturating_sub(1));
        let in_view = |side: f64| {
            let q = f64::from(self.radius) / side;
            others * q * q * (f64::consts::PI - 8.0 / 3.0 * q + q * q / 2.0)
        };
        let (mut narrow, mut wide) = (f64::from(self.radius), MAX_SIDE);
        for _ in 0..64 {
            let side = f64::midpoint(narrow, wide);
            if in_view(side) > f64::from(self.in_view) {
                narrow = side;
            } else {
                wide = side;
            }
        }
        wide as f32
    }
}

impl Plugin for Walkers {
    fn build(&self, app: &mut App) {
        let (side, radius) = (self.side(), self.radius);
        let max_turn = MAX_TURN * self.step;
        let mut rng = fastrand::Rng::with_seed(self.seed);
        // Between -max and max.
        let mut random = move |max: f32| (rng.f32() * 2.0 - 1.0) * max;

        app.add_plugins(AoiPlugin::xz());
        app.world_mut().spawn_batch((0..self.agents).map(move |_| {
            (
                Transform::from_xyz(random(side / 2.0), 0.0, random(side / 2.0)),
                Walker {
                    heading: Rot2::radians(random(PI)),
                    turn: Rot2::radians(random(max_turn)),
                },
                AoiViewer::new(radius),
                AoiTarget::default(),
            )
        }));
        app.insert_resource(Field {
            side,
            step: self.step,
        });
        // A crowd that stands still must not touch its transforms: it is what an idle world costs.
        if self.step > 0.0 {
            app.add_systems(Update, walk);
        }
    }
}

/// What all walkers have in common.
#[derive(Resource)]
struct Field {
    side: f32,
    step: f32,
}

/// Where one is going.
#[derive(Component)]
struct Walker {
    heading: Rot2,
    /// How far the heading turns in an update.
    turn: Rot2,
}

fn walk(field: Res<Field>, mut walkers: Query<(&mut Transform, &mut Walker)>) {
    let (step, border) = (field.step, field.side / 2.0);
    let take_step = |(mut transform, mut walker): (Mut<Transform>, Mut<Walker>)| {
        let Walker { heading, turn } = &mut *walker;
        *heading = (*heading * *turn).fast_renormalize();
        let at = &mut transform.translation;
        at.x = advance(at.x, &mut heading.cos, step, border);
        at.z = advance(at.z, &mut heading.sin, step, border);
    };
    walkers.par_iter_mut().for_each(take_step);
}

/// One step on one axis, thrown back by the border; `heading` is the part of it on this axis.
fn advance(at: f32, heading: &mut f32, step: f32, border: f32) -> f32 {
    let next = at + *heading * step;
    if next.abs() <= border {
        return next;
    }
    *heading = -*heading;
    // Clamped for those whose step is longer than the field.
    (2.0 * border.copysign(next) - next).clamp(-border, border)
}
