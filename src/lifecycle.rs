//! Every observer, and nothing else. They decide nothing: each notes an entity to be looked at,
//! and [`sync`](crate::sync) compares what the entity is then with what the index holds. So what
//! happened in between, in which order and how often, makes no difference.
//!
//! Change detection finds what is *inserted*, replaced or changed through `&mut`. It cannot see
//! what is *taken away*, and passes over disabled entities; that is what observers are for:
//!
//! | case | what happened | observer |
//! | --- | --- | --- |
//! | 1 | despawn (children one by one as well), or a component of ours removed | [`component_removed`] |
//! | 2 | the source of positions removed | [`component_removed`] |
//! | 3 | `Disabled` inserted | [`disabled`] |
//! | 4 | `Disabled` removed | [`enabled`] |
//! | 5 | `ChildOf` removed: the entity stands elsewhere, and its `Transform` was not touched | [`orphaned`] |
//! | 6 | `InView` goes with its viewer, or is overwritten | [`view_discarded`] |
//! | 7 | `SeenBy` inserted | [`seen_by_inserted`] |
//!
//! `RemovedComponents` would not do: in a fixed schedule it loses removals. `World::clear_entities`
//! runs no observers and is not supported.

use bevy::{
    ecs::{entity_disabling::Disabled, query::Allow},
    prelude::*,
};
use smallvec::SmallVec;

use crate::{
    AlwaysInView, AoiIndex, AoiPins, AoiPosition, AoiSpace, AoiTarget, AoiViewer, InView, SeenBy,
};

/// What the observers noted since the last update.
#[derive(Resource, Default)]
pub(crate) struct Pending {
    /// Entities to look at; some twice, some gone.
    pub touched: Vec<Entity>,
    /// Views that were taken off their viewers.
    pub orphans: Vec<(Entity, SmallVec<[Entity; 2]>)>,
    /// Entities that got a `SeenBy` that has to be filled.
    pub seen_by: Vec<Entity>,
}

pub(crate) fn observe<P: AoiPosition>(world: &mut World) {
    world.init_resource::<Pending>();
    world.add_observer(component_removed::<AoiViewer>);
    world.add_observer(component_removed::<AoiTarget>);
    world.add_observer(component_removed::<AoiSpace>);
    world.add_observer(component_removed::<AlwaysInView>);
    world.add_observer(component_removed::<AoiPins>);
    world.add_observer(component_removed::<P>);
    world.add_observer(disabled);
    world.add_observer(enabled);
    world.add_observer(orphaned);
    world.add_observer(view_discarded);
    world.add_observer(seen_by_inserted);
}

fn component_removed<C: Component>(
    remove: On<Remove, C>,
    index: Res<AoiIndex>,
    mut pending: ResMut<Pending>,
) {
    if index.knows(remove.entity) {
        pending.touched.push(remove.entity);
    }
}

fn disabled(add: On<Add, Disabled>, index: Res<AoiIndex>, mut pending: ResMut<Pending>) {
    if index.knows(add.entity) {
        pending.touched.push(add.entity);
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

fn view_discarded(
    discard: On<Discard, InView>,
    mut pending: ResMut<Pending>,
    mut views: Query<&mut InView, Allow<Disabled>>,
) {
    // Also an empty one: a viewer that lives on has to get its list back.
    if let Ok(mut view) = views.get_mut(discard.entity) {
        let view = core::mem::take(&mut view.bypass_change_detection().0);
        pending.orphans.push((discard.entity, view));
    }
}

fn seen_by_inserted(insert: On<Insert, SeenBy>, mut pending: ResMut<Pending>) {
    pending.seen_by.push(insert.entity);
}
