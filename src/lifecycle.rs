//! Every hook and observer, and nothing else. They decide nothing: each notes an entity to be looked
//! at, and [`sync`](crate::sync) compares what the entity is then with what the index holds. So what
//! happened in between, in which order and how often, makes no difference.
//!
//! Change detection finds what is *inserted*, replaced or changed through `&mut`. It cannot see
//! what is *taken away*, and passes over disabled entities; that is what these are for. On components
//! of ours they are hooks: an observer is a system that is run.
//!
//! | case | what happened | hook or observer |
//! | --- | --- | --- |
//! | 1 | despawn (children one by one as well), or a component of ours removed | [`removed`] |
//! | 2 | the source of positions removed | [`position_removed`] |
//! | 3 | `Disabled` inserted | [`disabled`] |
//! | 4 | `Disabled` removed | [`enabled`] |
//! | 5 | `ChildOf` removed: the entity stands elsewhere, and its `Transform` was not touched | [`orphaned`] |
//! | 6 | `InView` goes with its viewer, or is overwritten | [`view_discarded`] |
//! | 7 | `SeenBy` inserted | [`seen_by_inserted`] |
//! | 8 | `SeenBy` taken off its target | [`seen_by_discarded`] |
//!
//! `RemovedComponents` would not do: in a fixed schedule it loses removals. `World::clear_entities`
//! runs no observers and is not supported.

use bevy::{
    ecs::{entity_disabling::Disabled, lifecycle::HookContext, query::Allow, world::DeferredWorld},
    prelude::*,
};
use smallvec::SmallVec;

use crate::{AoiIndex, AoiPosition, AoiTarget, AoiViewer, InView, SeenBy, crosslink::Buffer};

/// A viewer, and the view that was taken off it.
pub(crate) type Orphan = (Entity, SmallVec<[Entity; 2]>);

/// What was noted since the last update.
#[derive(Resource, Default)]
pub(crate) struct Pending {
    /// Entities to look at; some twice, some gone.
    pub touched: Buffer<Entity>,
    /// Views that were taken off their viewers. Of several for one viewer only the first can have
    /// anyone in it. Until the next `Sync` they are brought up to date as if they were on their viewers.
    pub orphans: Buffer<Orphan>,
    /// Entities that got a `SeenBy` that has to be filled.
    pub seen_by: Vec<Entity>,
}

pub(crate) fn observe<P: AoiPosition>(world: &mut World) {
    world.init_resource::<Pending>();
    world.add_observer(position_removed::<P>);
    world.add_observer(disabled);
    world.add_observer(enabled);
    world.add_observer(orphaned);
}

impl Pending {
    fn note(&mut self, entity: Entity) {
        // A despawn removes several components.
        if self.touched.last() != Some(&entity) {
            self.touched.push(entity);
        }
    }

    /// Sorts orphans by viewer; of one viewer they stay in their order.
    pub fn sort_orphans(&mut self) {
        if !self.orphans.is_sorted_by_key(|orphan| orphan.0) {
            self.orphans.sort_by_key(|orphan| orphan.0);
        }
    }

    /// The view of a viewer that was taken off it since the last `Sync`.
    pub fn late_view(&self, viewer: Entity) -> Option<&[Entity]> {
        orphan_of(&self.orphans, viewer).map(|at| self.orphans[at].1.as_slice())
    }
}

/// Where the view of a viewer is among orphans, which are sorted.
pub(crate) fn orphan_of(orphans: &[Orphan], viewer: Entity) -> Option<usize> {
    let at = orphans.partition_point(|orphan| orphan.0 < viewer);
    orphans.get(at).filter(|orphan| orphan.0 == viewer)?;
    Some(at)
}

/// In a world without the plugin nobody is to be told. Whom the index does not know has not to be noticed:
/// while the plugin's schedule is paused, those who come and go would be kept without end.
pub(crate) fn removed(mut world: DeferredWorld, context: HookContext) {
    let entity = context.entity;
    let index = world.get_resource::<AoiIndex>();
    if index.is_some_and(|index| index.knows(entity))
        && let Some(mut pending) = world.get_resource_mut::<Pending>()
    {
        pending.note(entity);
    }
}

fn position_removed<P: AoiPosition>(
    remove: On<Remove, P>,
    index: Res<AoiIndex>,
    mut pending: ResMut<Pending>,
) {
    if index.knows(remove.entity) {
        pending.note(remove.entity);
    }
}

fn disabled(add: On<Add, Disabled>, index: Res<AoiIndex>, mut pending: ResMut<Pending>) {
    if index.knows(add.entity) {
        pending.note(add.entity);
    }
}

fn enabled(
    remove: On<Remove, Disabled>,
    mut pending: ResMut<Pending>,
    takers: Query<(), (Or<(With<AoiViewer>, With<AoiTarget>)>, Allow<Disabled>)>,
    mut transforms: Query<&mut Transform, Allow<Disabled>>,
) {
    if takers.contains(remove.entity) {
        pending.touched.push(remove.entity);
    }
    // It, or its parent, may have moved meanwhile, and propagation has passed over it.
    if let Ok(mut transform) = transforms.get_mut(remove.entity) {
        transform.set_changed();
    }
}

fn orphaned(remove: On<Remove, ChildOf>, mut transforms: Query<&mut Transform, Allow<Disabled>>) {
    if let Ok(mut transform) = transforms.get_mut(remove.entity) {
        transform.set_changed();
    }
}

pub(crate) fn view_discarded(mut world: DeferredWorld, context: HookContext) {
    let Some(mut view) = world.get_mut::<InView>(context.entity) else {
        return;
    };
    let view = core::mem::take(&mut view.bypass_change_detection().0);
    // Also an empty one: a viewer that lives on has to get its list back.
    if let Some(mut pending) = world.get_resource_mut::<Pending>() {
        pending.orphans.push((context.entity, view));
    }
}

/// Nobody takes it along to another target.
pub(crate) fn seen_by_discarded(mut world: DeferredWorld, context: HookContext) {
    if let Some(mut seen_by) = world.get_mut::<SeenBy>(context.entity) {
        seen_by.bypass_change_detection().0.clear();
    }
}

pub(crate) fn seen_by_inserted(mut world: DeferredWorld, context: HookContext) {
    if let Some(mut pending) = world.get_resource_mut::<Pending>() {
        pending.seen_by.push(context.entity);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AoiPlugin;

    #[test]
    fn who_comes_and_goes_between_two_updates_is_not_kept() {
        let mut app = App::new();
        let plugin = AoiPlugin::xy().in_schedule(FixedPostUpdate);
        app.add_plugins((MinimalPlugins, plugin));
        let world = app.world_mut();
        for _ in 0..100 {
            let target = (Transform::default(), AoiTarget::default());
            let target = world.spawn(target).id();
            world.despawn(target);
        }
        assert_eq!(world.resource::<Pending>().touched.len(), 0);
    }
}
