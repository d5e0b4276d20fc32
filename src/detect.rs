//! [`AoiSystems::Detect`](crate::AoiSystems::Detect): from candidates to the changes of the view
//! relation.
//!
//! The structure names pairs that may have changed by position or parameters; what it does not
//! know of (pins, `AlwaysInView`, several spaces, the dead) adds its own. Each candidate is then
//! judged, see `judge.rs`. Where no override has a say, what differs by distance alone is certain
//! and is told without a look at the relation; the arithmetic is the same. Nothing of the world is
//! written here.

use bevy::{
    ecs::{
        entity::{Entities, EntityHashSet},
        entity_disabling::Disabled,
        query::Allow,
    },
    platform::time::Instant,
    prelude::*,
};

use core::hint::black_box;

use crate::{
    AoiIndex, AoiStats, InView, LeaveReason, ReportMoves,
    asked::NOT_FOUND,
    crosslink::{Buffer, Candidates, FETCHED, Id, Order, Reaches, Workers},
    index::with_store,
    judge::{Judge, Verdict},
    lifecycle::{Orphan, Pending, orphan_of},
    store::{Space, Store},
    told::Told,
    workers::Pool,
};

/// What the update has to tell, and buffers kept from update to update.
#[derive(Resource, Default)]
pub(crate) struct Changes {
    pub left: Told<LeaveReason>,
    pub entered: Told<()>,
    /// Views of despawned viewers, ascending.
    pub orphans: Buffer<Orphan>,
    /// Members that stand elsewhere; only if there are viewers who want to know of moves.
    pub moved: EntityHashSet,
    /// Whether anything moved or was changed at all.
    pub touched: bool,
    pairs_in_view: usize,
    pub candidates: Candidates,
    /// Viewer and target, ascending: to be judged.
    pub pairs: Buffer<(Entity, Entity)>,
    /// Those of which it is certain that they came into view, and none of the others. Ascending.
    pub came: Buffer<(Entity, Entity)>,
    /// Likewise, who dropped out of view by distance.
    pub went: Buffer<(Entity, Entity)>,
    order: Order<Entity>,
    /// Viewers of which all that they can have in view is to be judged, ascending; with the number of
    /// what they reach, if it has been found.
    pub wholes: Buffer<(Entity, u32)>,
    pub reaches: Reaches<Entity>,
    /// Of each part of the pairs.
    pub verdicts: Vec<Verdict>,
}

pub(crate) fn detect(
    mut index: ResMut<AoiIndex>,
    mut changes: ResMut<Changes>,
    mut pending: ResMut<Pending>,
    mut stats: ResMut<AoiStats>,
    views: Query<&InView, Allow<Disabled>>,
    reporting: Query<(), With<ReportMoves>>,
    entities: &Entities,
) {
    let _span = tracing::info_span!("aoi_detect").entered();
    let start = Instant::now();
    let changes = &mut *changes;
    changes.moved.clear();
    changes.candidates.list_moved = !reporting.is_empty();
    changes.left.clear();
    changes.entered.clear();
    changes.candidates.clear();
    with_store!(&mut index.spaces, |store| {
        store.order();
        let certain = is_certain(store);
        // A target that was not there at the last update was in nobody's view, so its `SeenBy`
        // is made by the enters.
        pending.seen_by.retain(|&target| !store.is_newborn(target));
        pending.sort_orphans();
        let late = pending.orphans.as_slice();
        collect(store, certain, changes, &views, late);
        let judge = Judge {
            store,
            entities,
            certain,
            late,
        };
        judge.all(changes, &views);
        store.settle();
    });
    changes.orphans.recycle();
    changes.touched =
        changes.candidates.touched || !changes.entered.is_empty() || !changes.left.is_empty();
    stats.moved = changes.candidates.moved;
    stats.pairs_tested = changes.candidates.tested;
    stats.entered = changes.entered.len();
    stats.left = changes.left.len();
    changes.pairs_in_view += stats.entered;
    changes.pairs_in_view -= stats.left;
    stats.pairs_in_view = changes.pairs_in_view;
    stats.detect = start.elapsed();
}

/// Viewer, then target, as one number: a third off the time of a sort.
fn key(&(viewer, target): &(Entity, Entity)) -> u128 {
    u128::from(viewer.to_bits()) << 64 | u128::from(target.to_bits())
}

/// Whether nothing but layers, distance and caps has counted since before the last update.
fn is_certain<const D: usize>(store: &Store<D>) -> bool {
    store.pins.is_empty()
        && store.always.is_empty()
        && (store.before.iter()).all(|(_, before)| before.pins.is_empty() && !before.always)
}

/// Whether a pin or `AlwaysInView` may have a say in a pair, now or at the last update.
fn may_be_held<const D: usize>(store: &Store<D>, (viewer, target): (Entity, Entity)) -> bool {
    store.pins.contains_key(&viewer)
        || store.always.contains(&target)
        || store.before(viewer).is_some()
        || store.before(target).is_some_and(|before| before.always)
}

/// Gathers every pair that may have changed, sorted by viewer, then target; those that surely did
/// aside.
fn collect<const D: usize>(
    store: &mut Store<D>,
    certain: bool,
    changes: &mut Changes,
    views: &Query<&InView, Allow<Disabled>>,
    late: &[Orphan],
) {
    let Changes {
        moved,
        candidates: found,
        pairs,
        came,
        went,
        order,
        wholes,
        reaches,
        entered,
        orphans,
        ..
    } = changes;
    reaches.clear();
    pairs.recycle();
    came.recycle();
    went.recycle();
    wholes.recycle();
    overridden(store, pairs);
    let mut found_before = 0;
    for at in 0..store.spaces.len() {
        found.clear_pairs();
        let Space { link, entities, .. } = &mut store.spaces[at];
        link.detect(&Pool, |id| entities[id as usize], found, reaches);
        let space = &store.spaces[at];
        let entity = |id: Id| space.entities[id as usize];
        let both = |&(viewer, target): &(Id, Id)| (entity(viewer), entity(target));
        weigh(found, entity, views, late);
        pairs.extend(found.pairs.iter().map(both));
        for (found, told, are_new) in [
            (&mut found.came, &mut *came, true),
            (&mut found.went, &mut *went, false),
        ] {
            if !certain || !store.before.is_empty() {
                found.retain(|pair| {
                    let pair = both(pair);
                    // Of one that went and came back under another id only the view knows.
                    let returned = are_new && store.before(pair.1).is_some();
                    let doubtful = returned || (!certain && may_be_held(store, pair));
                    if doubtful {
                        pairs.push(pair);
                    }
                    !doubtful
                });
            }
            order.append(found, space.entities.len(), entity, key, told);
        }
        let mut next = 0;
        let others = found.whole.iter().map(|&id| entity(id));
        let others = others.filter(|&viewer| !store.has_before(viewer, &mut next));
        wholes.extend(others.map(|viewer| (viewer, NOT_FOUND)));
        let numbered = reaches.each.iter().zip(0..).skip(found_before);
        for (reach, number) in numbered {
            let viewer = entity(reach.viewer);
            // Who came back under another id may have somebody in view.
            if reach.new && certain && store.before(viewer).is_none() {
                entered.announce(viewer, (), reach.from, reach.near);
            } else {
                wholes.push((viewer, number));
            }
        }
        found_before = reaches.each.len();
        moved.extend(found.moved_ids.drain(..).map(entity));
    }
    if store.spaces.len() > 1 {
        came.sort_unstable_by_key(key);
        went.sort_unstable_by_key(key);
    }
    if found.list_moved {
        for &(entity, ref before) in &store.before {
            // Also one that was taken out and put back, maybe into another space.
            let now = store
                .place(entity)
                .and_then(|place| store.link(place).position(place.id));
            if now.is_some() && before.at.is_some() && now != before.at {
                moved.insert(entity);
            }
        }
    }
    let mut next = 0;
    let others = orphans.iter().map(|orphan| orphan.0);
    let others = others.filter(|&viewer| !store.has_before(viewer, &mut next));
    wholes.extend(others.map(|viewer| (viewer, NOT_FOUND)));
    // The structure does not know of pins, caps and other spaces.
    wholes.extend(store.before.iter().map(|before| (before.0, NOT_FOUND)));
    if !wholes.is_sorted() {
        wholes.sort_unstable();
    }
    // What was found comes before what was not.
    wholes.dedup_by_key(|whole| whole.0);
    pairs.sort_unstable_by_key(key);
    pairs.dedup();
}

/// Finds out which of the pairs that were between the bounds came or went: their views say whether they
/// were in view. Judged like others they took a quarter of `Detect` more.
fn weigh(
    found: &mut Candidates,
    entity: impl Fn(Id) -> Entity + Sync,
    views: &Query<&InView, Allow<Disabled>>,
    late: &[Orphan],
) {
    let margin = core::mem::take(&mut found.margin);
    let view = |viewer: Entity| match orphan_of(late, viewer) {
        Some(at) => late[at].1.as_slice(),
        None => views.get(viewer).map_or(&[][..], InView::as_slice),
    };
    Pool.find(margin.len(), found, |range, found| {
        for some in margin[range].chunks(FETCHED) {
            // They lie anywhere in memory: touched in short loops they are fetched side by side.
            black_box((some.iter().map(|pair| view(entity(pair.0)).len())).sum::<usize>());
            let touch = |&(viewer, ..): &(Id, _, _)| {
                let view = view(entity(viewer));
                let (third, end) = (view.len() / 3, view.len().wrapping_sub(1));
                let entities = [0, third, 2 * third, end].map(|at| view.get(at));
                let bits = |entity: Option<&Entity>| entity.map_or(0, |entity| entity.index_u32());
                entities.map(bits).iter().fold(0, |a, b| a ^ b)
            };
            black_box(some.iter().map(touch).fold(0, |a, b| a ^ b));
            for &(viewer, target, now) in some {
                let held = view(entity(viewer)).binary_search(&entity(target)).is_ok();
                if held != now {
                    let list = if now {
                        &mut found.came
                    } else {
                        &mut found.went
                    };
                    list.push((viewer, target));
                }
            }
        }
    });
    found.margin = margin;
}

/// Pairs that viewers which did not change may have by pins and `AlwaysInView`, or had. Costs
/// nothing where there are none.
fn overridden<const D: usize>(store: &Store<D>, pairs: &mut Vec<(Entity, Entity)>) {
    if store.before.is_empty() && !store.newcomers {
        return;
    }
    let touched = |&entity: &Entity| store.before(entity).is_some() || store.is_newborn(entity);
    for (&viewer, pins) in &store.pins {
        let pins = pins.iter().filter(|&pin| touched(pin));
        pairs.extend(pins.map(|&target| (viewer, target)));
    }
    let was = store.before.iter().filter(|(_, before)| before.always);
    let was = was.map(|&(target, ref before)| (before.space, target));
    let is = store.always.iter().filter(|&target| touched(target));
    let is = is.filter_map(|&target| Some((store.place(target)?.space, target)));
    for (space, target) in was.chain(is) {
        let space = &store.spaces[space as usize];
        let viewers = space.entities.iter().zip(0..);
        let viewers = viewers.filter(|&(_, id)| space.link.viewer(id).is_some());
        pairs.extend(viewers.map(|(&viewer, _)| (viewer, target)));
    }
}
