//! The plugin of this crate.

use crate::{
    app::{
        Told,
        people::{Dress, spawn},
    },
    scene::Stage,
    world::Member,
};
use bevy::prelude::*;
use bevy_aoi::prelude::*;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Viewers and targets.
pub struct Roles;

impl Dress for Roles {
    type Target = AoiTarget;
    type Viewer = AoiViewer;

    fn target(_: u32, member: &Member) -> AoiTarget {
        AoiTarget::default().with_layers(member.layers)
    }

    fn viewer(member: &Member, leave_margin: f32) -> AoiViewer {
        AoiViewer::new(member.radius)
            .with_leave_margin(leave_margin)
            .with_sees(member.sees)
    }
}

pub fn add(app: &mut App) {
    app.add_plugins(AoiPlugin::xy()).add_systems(Last, count);
}

/// `SeenBy` on all, and rings on one in 100.
pub fn spawn_with_service(world: &mut World, stage: &Stage, entities: &mut [Entity]) {
    spawn::<Roles>(world, stage, entities);
    for &id in &stage.world().came {
        let mut entity = world.entity_mut(entities[id as usize]);
        entity.insert(SeenBy::default());
        if id.is_multiple_of(100) {
            entity.insert(AoiRings::from_iter([10.0, 30.0]));
        }
    }
}

fn count(
    mut told: ResMut<Told>,
    mut entered: MessageReader<EnterView>,
    mut left: MessageReader<LeaveView>,
) {
    told.0 += (entered.read().count() + left.read().count()) as u64;
}

/// Stands for the messages of the last update in their order.
pub fn digest(world: &World) -> Option<u64> {
    let left = world.get_resource::<Messages<LeaveView>>()?;
    let entered = world.get_resource::<Messages<EnterView>>()?;
    let mut hasher = DefaultHasher::new();
    for LeaveView { viewer, target, .. } in left.iter_current_update_messages() {
        (viewer, target, 0).hash(&mut hasher);
    }
    for EnterView { viewer, target } in entered.iter_current_update_messages() {
        (viewer, target, 1).hash(&mut hasher);
    }
    Some(hasher.finish())
}
