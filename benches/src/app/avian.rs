//! A physics engine as a rival: sensors that start and end to overlap.
//!
//! Everybody is a circle of half of the radius, so two overlap exactly if each has the other in
//! view: an event stands for two changes. That is what one would do by hand where all have one
//! radius; other workloads are not tried.

use crate::{app::Told, app::people::Dress, scene::RADIUS, world::Member};
use avian2d::prelude::*;
use bevy::prelude::*;

/// A sensor.
pub struct Sensors;

impl Dress for Sensors {
    type Target = (
        RigidBody,
        Collider,
        Sensor,
        CollisionEventsEnabled,
        CollidingEntities,
    );
    type Viewer = ();

    fn target(_: u32, _: &Member) -> Self::Target {
        (
            RigidBody::Kinematic,
            Collider::circle(RADIUS / 2.0),
            Sensor,
            CollisionEventsEnabled,
            CollidingEntities::default(),
        )
    }

    fn viewer(_: &Member, _: f32) {}
}

pub fn add(app: &mut App) {
    app.add_plugins(PhysicsPlugins::new(PostUpdate))
        .add_systems(Last, count);
}

pub fn remove_messages(world: &mut World) {
    world.remove_resource::<Messages<CollisionStart>>();
    world.remove_resource::<Messages<CollisionEnd>>();
}

fn count(
    mut told: ResMut<Told>,
    mut started: MessageReader<CollisionStart>,
    mut ended: MessageReader<CollisionEnd>,
) {
    told.0 += 2 * (started.read().count() + ended.read().count()) as u64;
}
