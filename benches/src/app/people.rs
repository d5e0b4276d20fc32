//! Entities for the members of a scene: how they appear, walk and go.

use crate::{
    scene::Stage,
    walk::{Ground, Walker},
    world::{Member, World as Flat},
};
use bevy::{ecs::bundle::NoBundleEffect, prelude::*};

/// What a system puts on the entities.
pub trait Dress {
    /// On all.
    type Target: Bundle<Effect: NoBundleEffect>;
    /// On viewers.
    type Viewer: Bundle<Effect: NoBundleEffect>;

    fn target(id: u32, member: &Member) -> Self::Target;

    fn viewer(member: &Member, leave_margin: f32) -> Self::Viewer;
}

/// Nothing.
pub struct Bare;

impl Dress for Bare {
    type Target = ();
    type Viewer = ();

    fn target(_: u32, _: &Member) {}

    fn viewer(_: &Member, _: f32) {}
}

/// Spawns all who came, and notes who plays whom.
pub fn spawn<D: Dress>(world: &mut World, stage: &Stage, entities: &mut [Entity]) {
    let (flat, walkers) = (stage.world(), &stage.scene().walkers);
    let kind = |id: u32| (walkers[id as usize], flat.members[id as usize].radius > 0.0);
    let kinds = |id: &u32| (kind(*id).0.is_some(), kind(*id).1);
    let target = |id: u32| {
        let member = &flat.members[id as usize];
        (place(flat, id), D::target(id, member))
    };
    let viewer = |id: u32| D::viewer(&flat.members[id as usize], flat.leave_margin);
    for alike in flat.came.chunk_by(|a, b| kinds(a) == kinds(b)) {
        let mut note = |spawned: &mut dyn Iterator<Item = Entity>| {
            for (&id, entity) in alike.iter().zip(spawned) {
                entities[id as usize] = entity;
            }
        };
        let walk = |id: u32| {
            kind(id)
                .0
                .unwrap_or_else(|| unreachable!("all of them walk"))
        };
        let ids = alike.iter().copied();
        match kinds(&alike[0]) {
            (true, true) => {
                let bundles = ids.map(|id| (target(id), walk(id), viewer(id)));
                note(&mut world.spawn_batch(bundles));
            }
            (true, false) => {
                let bundles = ids.map(|id| (target(id), walk(id)));
                note(&mut world.spawn_batch(bundles));
            }
            (false, true) => {
                let bundles = ids.map(|id| (target(id), viewer(id)));
                note(&mut world.spawn_batch(bundles));
            }
            (false, false) => note(&mut world.spawn_batch(ids.map(target))),
        }
    }
}

/// Where a member stands.
pub fn place(flat: &Flat, id: u32) -> Transform {
    let [x, y] = flat.positions[id as usize];
    Transform::from_xyz(x, y, 0.0)
}

/// All who walk take a step, but not in the update in which they come.
pub fn walk(
    ground: Res<Ground>,
    mut updates: Local<u32>,
    mut walkers: Query<(&mut Transform, &mut Walker)>,
) {
    if walkers.is_empty() {
        return;
    }
    let update = *updates;
    *updates += 1;
    let Some(update) = update.checked_sub(1) else {
        return;
    };
    let step = |(mut transform, mut walker): (Mut<Transform>, Mut<Walker>)| {
        let at = &mut transform.translation;
        [at.x, at.y] = ground.step(&mut walker, [at.x, at.y], update);
    };
    walkers.par_iter_mut().for_each(step);
}
