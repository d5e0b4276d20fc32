//! Walkers in a square field: each walks straight on, turning slowly, and turns back at the border.
//!
//! They are reflected there, not taken to the other side. Both keep the density even, but one who
//! jumps across the field trades all it has in view for others at once, which no walker does.

use crate::ground::{Ground, Pace, goes_on};
use bevy::{math::Rot2, prelude::*};
use bevy_aoi::prelude::*;
use std::{f32::consts::PI, f64};

/// A field wider than this would be too wide for steps of a few centimetres in `f32`.
const MAX_SIDE: f64 = 1e6;

/// How fast a walker turns, at most, in radians per metre: the smallest circle has 30 m radius.
const MAX_TURN: f32 = 1.0 / 30.0;

/// How many pairs in view [`gather`] makes at most: beyond, it is memory that is measured.
pub const MAX_PAIRS: f32 = 4e6;

/// The crowd: everybody is viewer and target.
#[derive(Clone)]
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

/// Lets walkers walk, if there are any.
pub fn plugin(app: &mut App) {
    // A crowd that stands still must not touch its transforms: it is what an idle world costs.
    let can_walk = |field: Option<Res<Field>>| field.is_some_and(|field| field.walkers.step > 0.0);
    app.init_resource::<Pace>()
        .add_systems(Update, walk.run_if(can_walk.and_then(goes_on)));
}

impl Walkers {
    /// Puts them into a world, at places of their own.
    pub fn enter(self, world: &mut World) {
        let mut field = Field {
            side: self.side(),
            rng: fastrand::Rng::with_seed(self.seed),
            walkers: self,
        };
        let agents = field.walkers.agents;
        world.spawn_batch((0..agents).map(|_| field.somebody()));
        world.insert_resource(Ground(field.area()));
        world.insert_resource(field);
    }
}

/// Where they walk.
#[derive(Resource)]
pub struct Field {
    walkers: Walkers,
    side: f32,
    rng: fastrand::Rng,
}

impl Field {
    fn area(&self) -> Rect {
        Rect::from_center_size(Vec2::ZERO, Vec2::splat(self.side))
    }

    /// How far everybody sees who comes from now on.
    #[cfg(feature = "window")]
    pub fn set_radius(&mut self, radius: f32) {
        self.walkers.radius = radius;
    }

    /// Between -max and max.
    fn random(&mut self, max: f32) -> f32 {
        (self.rng.f32() * 2.0 - 1.0) * max
    }

    fn anywhere(&mut self) -> Vec3 {
        let border = self.side / 2.0;
        Vec3::new(self.random(border), self.random(border), 0.0)
    }

    fn somebody(&mut self) -> (Transform, Walker, AoiViewer, AoiTarget) {
        let at = self.anywhere();
        let heading = Rot2::radians(self.random(PI));
        let turn = Rot2::radians(self.random(MAX_TURN * self.walkers.step));
        (
            Transform::from_translation(at),
            Walker { heading, turn },
            AoiViewer::new(self.walkers.radius),
            AoiTarget::default(),
        )
    }
}

/// Where one is going.
#[derive(Component)]
pub struct Walker {
    heading: Rot2,
    /// How far the heading turns in an update.
    turn: Rot2,
}

fn walk(field: Res<Field>, pace: Res<Pace>, mut walkers: Query<(&mut Transform, &mut Walker)>) {
    let (step, border) = (field.walkers.step * pace.0, field.side / 2.0);
    let take_step = |(mut transform, mut walker): (Mut<Transform>, Mut<Walker>)| {
        let Walker { heading, turn } = &mut *walker;
        let turn = match pace.0 {
            1.0 => *turn,
            part => Rot2::IDENTITY.nlerp(*turn, part),
        };
        *heading = (*heading * turn).fast_renormalize();
        let at = &mut transform.translation;
        at.x = advance(at.x, &mut heading.cos, step, border);
        at.y = advance(at.y, &mut heading.sin, step, border);
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

/// Takes so many walkers, chosen evenly, to places anywhere in the field. Without a field it does
/// nothing: recorded people cannot be led astray.
pub fn jump(world: &mut World, count: usize) {
    let mut walkers = world.query_filtered::<&mut Transform, With<Walker>>();
    let every = (walkers.iter(world).count() / count.max(1)).max(1);
    world.try_resource_scope(|world, mut field: Mut<Field>| {
        let first = field.rng.usize(..every);
        let chosen = walkers.iter_mut(world).skip(first).step_by(every);
        for mut transform in chosen.take(count) {
            transform.translation = field.anywhere();
        }
    });
}

/// Takes everyone to one spot, a fifth of a radius wide, or so much wider that not more than a few
/// million pairs come into view.
pub fn gather(world: &mut World, spot: Vec2) {
    let mut walkers = world.query_filtered::<&mut Transform, With<Walker>>();
    let agents = walkers.iter(world).count() as f32;
    world.try_resource_scope(|world, mut field: Mut<Field>| {
        let size = field.walkers.radius * (agents / MAX_PAIRS.sqrt()).max(0.2);
        for mut transform in walkers.iter_mut(world) {
            let (direction, share) = (Rot2::radians(field.random(PI)), field.rng.f32());
            let at = spot + direction * Vec2::X * size * share.sqrt();
            let border = field.side / 2.0;
            transform.translation = at
                .clamp(Vec2::splat(-border), Vec2::splat(border))
                .extend(0.0);
        }
    });
}

/// Makes the crowd larger or smaller, and the field with it: those who are there move apart or
/// together, so that as many see each other as before. `spared` does not leave while others can.
#[cfg(feature = "window")]
pub fn set_agents(world: &mut World, agents: u32, spared: Option<Entity>) {
    let mut walkers = world.query_filtered::<(Entity, &mut Transform), With<Walker>>();
    let mut present: Vec<_> = walkers.iter(world).map(|(entity, _)| entity).collect();
    present.sort_unstable_by_key(|&entity| (Some(entity) != spared, entity));
    world.try_resource_scope(|world, mut field: Mut<Field>| {
        // As dense as at the beginning, whatever the radius is by now.
        let density = field.walkers.agents.max(1) as f32 / field.side.powi(2);
        let side = (agents.max(1) as f32 / density).sqrt();
        let factor = side / field.side;
        for (_, mut transform) in walkers.iter_mut(world) {
            transform.translation *= factor;
        }
        for entity in present.drain(present.len().min(agents as usize)..) {
            world.despawn(entity);
        }
        field.side = side;
        field.walkers.agents = agents;
        let missing = present.len() as u32..agents;
        world.spawn_batch(missing.map(|_| field.somebody()));
        world.insert_resource(Ground(field.area()));
    });
}
