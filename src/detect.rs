//! [`AoiSystems::Detect`](crate::AoiSystems::Detect): from candidates to the changes of the view
//! relation.
//!
//! The structure names pairs that may have changed by position or parameters; what it does not
//! know of (pins, `AlwaysInView`, several spaces, the dead) adds its own. Each candidate is then
//! judged by [`Store::evaluate`], and nothing else decides. Nothing of the world is written here.

use bevy::{
    ecs::{
        entity::{Entities, EntityHashMap, EntityHashSet},
        entity_disabling::Disabled,
        query::Allow,
    },
    platform::time::Instant,
    prelude::*,
};
use smallvec::SmallVec;

use crate::{
    AoiIndex, AoiStats, EnterView, InView, LeaveReason, LeaveView, ReportMoves,
    crosslink::{Candidates, squared},
    evaluate::{Grounds, WhyNot},
    index::{Place, Store, with_store},
    lifecycle::Pending,
};

/// What the update has to tell, and buffers kept from update to update.
#[derive(Resource, Default)]
pub(crate) struct Changes {
    /// Sorted by viewer, then target.
    pub left: Vec<LeaveView>,
    /// Sorted likewise.
    pub entered: Vec<EnterView>,
    /// Views of despawned viewers.
    pub orphans: EntityHashMap<SmallVec<[Entity; 2]>>,
    /// Members that stand elsewhere; only if there are viewers who want to know of moves.
    pub moved: EntityHashSet,
    /// Whether anything moved or was changed at all.
    pub touched: bool,
    candidates: Candidates,
    pairs: Vec<(Entity, Entity)>,
    whole: Vec<Entity>,
    choice: Choice,
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
    let start = Instant::now();
    let changes = &mut *changes;
    changes.moved.clear();
    changes.candidates.list_moved = !reporting.is_empty();
    changes.left.clear();
    changes.entered.clear();
    changes.candidates.clear();
    with_store!(&mut index.spaces, |store| {
        collect(store, changes, &views);
        let judge = Judge { store, entities };
        judge.all(changes, &views);
        // A target that was not there at the last update was in nobody's view, so its `SeenBy`
        // is made by the enters.
        pending
            .seen_by
            .retain(|target| !store.newborn.contains(target));
        store.settle();
    });
    changes.orphans.clear();
    changes.touched =
        changes.candidates.touched || !changes.entered.is_empty() || !changes.left.is_empty();
    stats.moved = changes.candidates.moved;
    stats.pairs_tested = changes.candidates.tested;
    stats.entered = changes.entered.len();
    stats.left = changes.left.len();
    stats.pairs_in_view += stats.entered;
    stats.pairs_in_view -= stats.left;
    stats.detect = start.elapsed();
}

/// Gathers every pair that may have changed, sorted by viewer, then target.
fn collect<const D: usize>(
    store: &mut Store<D>,
    changes: &mut Changes,
    views: &Query<&InView, Allow<Disabled>>,
) {
    let (pairs, whole) = (&mut changes.pairs, &mut changes.whole);
    let moved = &mut changes.moved;
    pairs.clear();
    whole.clear();
    let found = &mut changes.candidates;
    for space in &mut store.spaces {
        found.pairs.clear();
        found.whole.clear();
        space.link.detect(found);
        let entity = |id| space.entities[id as usize];
        pairs.extend(
            found
                .pairs
                .iter()
                .map(|&(viewer, target)| (entity(viewer), entity(target))),
        );
        whole.extend(found.whole.iter().map(|&viewer| entity(viewer)));
        moved.extend(found.moved_ids.drain(..).map(entity));
    }
    if found.list_moved {
        for (&entity, before) in &store.before {
            // Also one that was taken out and put back, maybe into another space.
            let now = store
                .place(entity)
                .and_then(|place| store.link(place).position(place.id));
            if now.is_some() && before.at.is_some() && now != before.at {
                moved.insert(entity);
            }
        }
    }
    whole.extend(changes.orphans.keys());
    overrides(store, pairs, whole);
    whole.sort_unstable();
    whole.dedup();
    for &viewer in &*whole {
        let view = match changes.orphans.get(&viewer) {
            Some(view) => view.as_slice(),
            None => views.get(viewer).map_or(&[][..], InView::as_slice),
        };
        pairs.extend(view.iter().map(|&target| (viewer, target)));
        // A capped viewer chooses anew; so it has to come up even if it sees nobody.
        if store.caps.contains_key(&viewer) {
            pairs.push((viewer, viewer));
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
}

/// Candidates by pin and by `AlwaysInView`. Costs nothing where there are none.
fn overrides<const D: usize>(
    store: &Store<D>,
    pairs: &mut Vec<(Entity, Entity)>,
    whole: &mut Vec<Entity>,
) {
    if store.before.is_empty() && store.newborn.is_empty() {
        return;
    }
    let touched =
        |entity: &Entity| store.before.contains_key(entity) || store.newborn.contains(entity);
    // Pins of a viewer that changed, and of any viewer to a target that did.
    for (&viewer, pins) in &store.pins {
        let all = touched(&viewer);
        let pins = pins.iter().filter(|&pin| all || touched(pin));
        pairs.extend(pins.map(|&target| (viewer, target)));
    }
    // The structure does not know of pins and caps that changed.
    whole.extend(store.before.keys());
    // Targets that are always in view: the new viewers of all of them, all viewers of the new.
    let viewers = |space: u32| {
        let space = &store.spaces[space as usize];
        let viewing = space.entities.iter().zip(0..);
        viewing.filter_map(|(&entity, id)| space.link.viewer(id).map(|_| entity))
    };
    let mut always: Vec<(u32, Entity)> = Vec::new();
    for (&target, before) in &store.before {
        if before.always {
            always.push((before.space, target));
        }
    }
    for &target in &store.always {
        let Some(place) = store.place(target) else {
            continue;
        };
        if touched(&target) {
            always.push((place.space, target));
        } else {
            let touched = store.before.keys().chain(&store.newborn);
            pairs.extend(touched.map(|&viewer| (viewer, target)));
        }
    }
    for (space, target) in always {
        pairs.extend(viewers(space).map(|viewer| (viewer, target)));
    }
}

struct Judge<'a, const D: usize> {
    store: &'a Store<D>,
    entities: &'a Entities,
}

impl<const D: usize> Judge<'_, D> {
    /// Why a pair that was in view no longer is: contract point 17.
    fn reason(&self, viewer: Entity, target: Entity, why: WhyNot) -> LeaveReason {
        match why {
            WhyNot::NoViewer(_) | WhyNot::NoTarget(_) => {
                if self.entities.contains(viewer) && self.entities.contains(target) {
                    LeaveReason::Removed
                } else {
                    LeaveReason::Despawned
                }
            }
            WhyNot::Itself | WhyNot::Space { .. } | WhyNot::Layers { .. } => LeaveReason::Filtered,
            _ if self.was_held(viewer, target) => LeaveReason::Filtered,
            WhyNot::Cap { .. } => LeaveReason::Evicted,
            WhyNot::Blind | WhyNot::OutOfRange { .. } => LeaveReason::OutOfRange,
        }
    }

    /// Whether a pin or `AlwaysInView` held a pair at the last update.
    fn was_held(&self, viewer: Entity, target: Entity) -> bool {
        let store = self.store;
        if store.pins.is_empty() && store.always.is_empty() && store.before.is_empty() {
            return false;
        }
        let (v, t) = (store.before.get(&viewer), store.before.get(&target));
        let pins = match v {
            Some(before) => Some(&before.pins),
            None => store.pins.get(&viewer),
        };
        if pins.is_some_and(|pins| pins.contains(&target)) {
            return true;
        }
        let always = t.map_or_else(|| store.always.contains(&target), |before| before.always);
        if !always {
            return false;
        }
        let sees = match v {
            Some(before) => before.sees,
            None => store.place(viewer).map_or(0, |place| {
                store
                    .link(place)
                    .viewer(place.id)
                    .map_or(0, |viewer| viewer.sees)
            }),
        };
        let layers = match t {
            Some(before) => before.layers,
            None => store.place(target).map_or(0, |place| {
                store
                    .link(place)
                    .target(place.id)
                    .map_or(0, |target| target.layers)
            }),
        };
        sees & layers != 0
    }

    /// Judges all candidates, viewer by viewer.
    fn all(&self, changes: &mut Changes, views: &Query<&InView, Allow<Disabled>>) {
        for group in changes.pairs.chunk_by(|a, b| a.0 == b.0) {
            let viewer = group[0].0;
            let view = match changes.orphans.get(&viewer) {
                Some(view) => view.as_slice(),
                None => views.get(viewer).map_or(&[][..], InView::as_slice),
            };
            if let Some(&cap) = self.store.caps.get(&viewer)
                && let Some(place) = self.store.place(viewer)
            {
                let (left, entered) = (&mut changes.left, &mut changes.entered);
                self.choose(viewer, place, cap, view, &mut changes.choice, left, entered);
                continue;
            }
            for &(_, target) in group {
                let held = view.binary_search(&target).is_ok();
                match self.store.evaluate(viewer, target, held) {
                    Err(why) if held => changes.left.push(self.leave(viewer, target, why)),
                    Ok(_) if !held => changes.entered.push(EnterView { viewer, target }),
                    _ => {}
                }
            }
        }
    }

    fn leave(&self, viewer: Entity, target: Entity, why: WhyNot) -> LeaveView {
        LeaveView {
            viewer,
            target,
            reason: self.reason(viewer, target, why),
        }
    }

    /// The whole view of a viewer with a cap (contract point 12).
    fn choose(
        &self,
        viewer: Entity,
        place: Place,
        cap: u32,
        view: &[Entity],
        choice: &mut Choice,
        left: &mut Vec<LeaveView>,
        entered: &mut Vec<EnterView>,
    ) {
        let space = &self.store.spaces[place.space as usize];
        let Some(seeing) = space.link.viewer(place.id) else {
            return;
        };
        choice.clear();
        // All that may be in view: those that are, those in reach, pins, and the ever visible.
        choice.pool.extend_from_slice(view);
        space.link.targets_in_reach(place.id, |id| {
            choice.pool.push(space.entities[id as usize]);
        });
        let pins = self.store.pins.get(&viewer).into_iter().flatten();
        choice.pool.extend(pins.chain(&self.store.always));
        choice.pool.sort_unstable();
        choice.pool.dedup();
        for &target in &choice.pool {
            let held = view.binary_search(&target).is_ok();
            match self.store.evaluate(viewer, target, held) {
                Ok(Grounds::Override) => choice.now.push(target),
                Ok(Grounds::InRange) => {
                    let to = self.store.place(target).unwrap_or(place);
                    let near = Near {
                        distance: squared(self.store.apart(place, to)).sqrt(),
                        target,
                    };
                    if held {
                        choice.inside.push(near);
                    } else {
                        choice.outside.push(near);
                    }
                }
                Err(why) if held => choice.lost.push((target, why)),
                Err(_) => {}
            }
        }
        choice.take(cap, seeing.leave_margin);
        let lost = choice.lost.iter();
        left.extend(lost.map(|&(target, why)| self.leave(viewer, target, why)));
        let new = |target: &&Entity| view.binary_search(target).is_err();
        let targets = choice.now.iter().filter(new);
        entered.extend(targets.map(|&target| EnterView { viewer, target }));
    }
}

/// Buffers for the choice of a viewer with a cap.
#[derive(Default)]
struct Choice {
    pool: Vec<Entity>,
    /// In view now.
    now: Vec<Entity>,
    lost: Vec<(Entity, WhyNot)>,
    /// Qualify, and were in view.
    inside: Vec<Near>,
    /// Qualify, and were not.
    outside: Vec<Near>,
}

#[derive(Clone, Copy)]
struct Near {
    distance: f32,
    target: Entity,
}

impl Near {
    fn order(&self, other: &Self) -> core::cmp::Ordering {
        self.distance
            .total_cmp(&other.distance)
            .then(self.target.cmp(&other.target))
    }
}

impl Choice {
    fn clear(&mut self) {
        self.pool.clear();
        self.now.clear();
        self.lost.clear();
        self.inside.clear();
        self.outside.clear();
    }

    /// Gives the places away: those inside keep theirs, the nearest outside get the free ones, and
    /// then whoever is nearer by more than the margin takes the place of the farthest.
    fn take(&mut self, max_targets: u32, margin: f32) {
        let cap = max_targets as usize;
        let margin = if margin > 0.0 { margin } else { 0.0 };
        self.inside.sort_unstable_by(Near::order);
        self.outside.sort_unstable_by(Near::order);
        let lost = &mut self.lost;
        let mut evict = |near: Near| lost.push((near.target, WhyNot::Cap { max_targets }));
        while self.inside.len() > cap {
            self.inside.pop().into_iter().for_each(&mut evict);
        }
        let mut outside = self.outside.iter();
        let free = cap - self.inside.len();
        self.now
            .extend(outside.by_ref().take(free).map(|near| near.target));
        for near in outside {
            match self.inside.last() {
                Some(&far) if near.distance + margin < far.distance => {
                    self.inside.pop();
                    evict(far);
                    self.now.push(near.target);
                }
                _ => break,
            }
        }
        self.now.extend(self.inside.iter().map(|near| near.target));
        self.now.sort_unstable();
        self.lost.sort_unstable_by_key(|lost| lost.0);
    }
}
