//! [`AoiSystems::Detect`](crate::AoiSystems::Detect): from candidates to the changes of the view
//! relation.
//!
//! The structure names pairs that may have changed by position or parameters; what it does not
//! know of (pins, `AlwaysInView`, several spaces, the dead) adds its own. Each candidate is then
//! judged by [`Store::judge`]. Where no override has a say, what differs by distance alone is certain
//! and is told without a look at the relation; the arithmetic is the same. Nothing of the world is
//! written here.

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
    crosslink::{Candidates, Id, pour, recycle, squared},
    evaluate::{Seeing, Why, WhyNot},
    index::{Store, with_store},
    lifecycle::Pending,
    workers::{Pool, parts, run},
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
    pairs_in_view: usize,
    candidates: Candidates,
    /// Viewer and target. A viewer paired with itself stands for all that it can have in view.
    pairs: Vec<(Entity, Entity)>,
    /// Of each part of the pairs.
    verdicts: Vec<Verdict>,
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
    recycle(&mut changes.left);
    recycle(&mut changes.entered);
    changes.candidates.clear();
    with_store!(&mut index.spaces, |store| {
        let certain = is_certain(store);
        collect(store, certain, changes);
        let judge = Judge {
            store,
            entities,
            certain,
        };
        judge.all(changes, &views);
        // What was certain comes first in either list, the rest is sorted: a merge.
        let (left, entered) = (&mut changes.left, &mut changes.entered);
        if !left.is_sorted_by_key(left_key) {
            left.sort_by_key(left_key);
        }
        if !entered.is_sorted_by_key(entered_key) {
            entered.sort_by_key(entered_key);
        }
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
    changes.pairs_in_view += stats.entered;
    changes.pairs_in_view -= stats.left;
    stats.pairs_in_view = changes.pairs_in_view;
    stats.detect = start.elapsed();
}

/// Viewer, then target, as one number: a third off the time of a sort.
fn key(viewer: Entity, target: Entity) -> u128 {
    u128::from(viewer.to_bits()) << 64 | u128::from(target.to_bits())
}

fn left_key(leave: &LeaveView) -> u128 {
    key(leave.viewer, leave.target)
}

fn entered_key(enter: &EnterView) -> u128 {
    key(enter.viewer, enter.target)
}

/// Whether nothing but layers, distance and caps has counted since before the last update.
fn is_certain<const D: usize>(store: &Store<D>) -> bool {
    store.pins.is_empty()
        && store.always.is_empty()
        && (store.before.values()).all(|before| before.pins.is_empty() && !before.always)
}

/// Whether a pin or `AlwaysInView` may have a say in a pair, now or at the last update.
fn may_be_held<const D: usize>(store: &Store<D>, viewer: Entity, target: Entity) -> bool {
    store.pins.contains_key(&viewer)
        || store.always.contains(&target)
        || store.before.contains_key(&viewer)
        || store
            .before
            .get(&target)
            .is_some_and(|before| before.always)
}

/// Gathers every pair that may have changed, sorted by viewer, then target; those that surely did
/// are told at once.
fn collect<const D: usize>(store: &mut Store<D>, certain: bool, changes: &mut Changes) {
    let Changes {
        left,
        entered,
        moved,
        candidates: found,
        pairs,
        ..
    } = changes;
    recycle(pairs);
    for at in 0..store.spaces.len() {
        found.clear_pairs();
        store.spaces[at].link.detect(&Pool, found);
        let space = &store.spaces[at];
        let entity = |id: Id| space.entities[id as usize];
        let both = |&(viewer, target): &(Id, Id)| (entity(viewer), entity(target));
        pairs.extend(found.pairs.iter().map(both));
        for (viewer, target) in found.came.iter().map(both) {
            if certain || !may_be_held(store, viewer, target) {
                entered.push(EnterView { viewer, target });
            } else {
                pairs.push((viewer, target));
            }
        }
        for (viewer, target) in found.went.iter().map(both) {
            if certain || !may_be_held(store, viewer, target) {
                left.push(LeaveView {
                    viewer,
                    target,
                    reason: LeaveReason::OutOfRange,
                });
            } else {
                pairs.push((viewer, target));
            }
        }
        pairs.extend(found.whole.iter().map(|&id| (entity(id), entity(id))));
        moved.extend(found.moved_ids.drain(..).map(entity));
    }
    left.sort_unstable_by_key(left_key);
    entered.sort_unstable_by_key(entered_key);
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
    pairs.extend(changes.orphans.keys().map(|&viewer| (viewer, viewer)));
    // The structure does not know of pins, caps and other spaces.
    pairs.extend(store.before.keys().map(|&viewer| (viewer, viewer)));
    overridden(store, pairs);
    pairs.sort_unstable();
    pairs.dedup();
}

/// Pairs that viewers which did not change may have by pins and `AlwaysInView`, or had. Costs
/// nothing where there are none.
fn overridden<const D: usize>(store: &Store<D>, pairs: &mut Vec<(Entity, Entity)>) {
    if store.before.is_empty() && store.newborn.is_empty() {
        return;
    }
    let touched =
        |entity: &Entity| store.before.contains_key(entity) || store.newborn.contains(entity);
    for (&viewer, pins) in &store.pins {
        let pins = pins.iter().filter(|&pin| touched(pin));
        pairs.extend(pins.map(|&target| (viewer, target)));
    }
    let was = store.before.iter().filter(|(_, before)| before.always);
    let was = was.map(|(&target, before)| (before.space, target));
    let is = store.always.iter().filter(|&target| touched(target));
    let is = is.filter_map(|&target| Some((store.place(target)?.space, target)));
    for (space, target) in was.chain(is) {
        let space = &store.spaces[space as usize];
        let viewers = space.entities.iter().zip(0..);
        let viewers = viewers.filter(|&(_, id)| space.link.viewer(id).is_some());
        pairs.extend(viewers.map(|(&viewer, _)| (viewer, target)));
    }
}

/// Pairs to judge that are worth a task.
const WORTH: usize = 512;

struct Judge<'a, const D: usize> {
    store: &'a Store<D>,
    entities: &'a Entities,
    certain: bool,
}

impl<const D: usize> Judge<'_, D> {
    /// Why a pair that was in view no longer is: contract point 17.
    fn reason(&self, viewer: Entity, target: Entity, why: WhyNot) -> LeaveReason {
        match why {
            WhyNot::NoViewer(_) | WhyNot::NoTarget(_) => {
                if self.entities.contains_spawned(viewer) && self.entities.contains_spawned(target)
                {
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

    /// Judges all candidates.
    fn all(&self, changes: &mut Changes, views: &Query<&InView, Allow<Disabled>>) {
        let Changes {
            pairs,
            verdicts,
            orphans,
            ..
        } = changes;
        let parts = parts(pairs.len(), WORTH);
        verdicts.resize_with(parts, Verdict::default);
        if let [verdict] = verdicts.as_mut_slice() {
            self.judge(pairs, orphans, views, verdict);
        } else {
            // All of a viewer belong to one part.
            let mut rest = pairs.as_slice();
            let work = verdicts.iter_mut().enumerate().map(|(part, verdict)| {
                let end = rest.len() / (parts - part);
                let end = match rest.get(end) {
                    Some(&(viewer, _)) if part + 1 < parts => {
                        end + rest[end..].partition_point(|pair| pair.0 == viewer)
                    }
                    _ => rest.len(),
                };
                let (head, tail) = rest.split_at(end);
                rest = tail;
                (head, verdict)
            });
            run(work, |(pairs, verdict)| {
                self.judge(pairs, orphans, views, verdict);
            });
        }
        for verdict in verdicts {
            pour(&mut verdict.left, &mut changes.left);
            pour(&mut verdict.entered, &mut changes.entered);
            changes.candidates.tested += core::mem::take(&mut verdict.tested);
        }
    }

    /// Judges some candidates, viewer by viewer; all of a viewer at once.
    fn judge(
        &self,
        pairs: &[(Entity, Entity)],
        orphans: &EntityHashMap<SmallVec<[Entity; 2]>>,
        views: &Query<&InView, Allow<Disabled>>,
        verdict: &mut Verdict,
    ) {
        let Verdict {
            left,
            entered,
            tested,
            choice,
        } = verdict;
        for group in pairs.chunk_by(|a, b| a.0 == b.0) {
            let viewer = group[0].0;
            let view = match orphans.get(&viewer) {
                Some(view) => view.as_slice(),
                None => views.get(viewer).map_or(&[][..], InView::as_slice),
            };
            let seeing = self.store.seeing(viewer);
            let cap = self.store.caps.get(&viewer);
            let whole = cap.is_some() || group.iter().any(|&(_, target)| target == viewer);
            choice.clear();
            if whole && self.certain && cap.is_none() {
                if seeing.is_none() && !self.entities.contains_spawned(viewer) {
                    left.extend(view.iter().map(|&target| LeaveView {
                        viewer,
                        target,
                        reason: LeaveReason::Despawned,
                    }));
                    continue;
                }
                self.compare(seeing.as_ref(), view, choice);
            } else if whole {
                self.reachable(viewer, seeing.as_ref(), view, &mut choice.pool);
            } else {
                choice.pool.extend(group.iter().map(|pair| pair.1));
            }
            *tested += choice.pool.len() as u64;
            for &target in &choice.pool {
                let held = view.binary_search(&target).is_ok();
                match self.store.judge(viewer, seeing.as_ref(), target, held) {
                    Ok(Why::Distance) if cap.is_some() => {
                        let near = Near {
                            distance: self.distance(viewer, target),
                            target,
                        };
                        if held {
                            choice.inside.push(near);
                        } else {
                            choice.outside.push(near);
                        }
                    }
                    Ok(_) if !held => choice.came.push(target),
                    Err(why) if held => choice.lost.push((target, why)),
                    _ => {}
                }
            }
            if let (Some(&cap), Some(seeing)) = (cap, &seeing) {
                choice.take(cap, seeing.viewer.leave_margin);
            }
            let lost = choice.lost.iter();
            left.extend(lost.map(|&(target, why)| self.leave(viewer, target, why)));
            let came = choice.came.iter();
            entered.extend(came.map(|&target| EnterView { viewer, target }));
        }
    }

    /// All that a viewer has in view beside what it had, where nothing but layers and distance
    /// counts.
    fn compare(&self, seeing: Option<&Seeing<D>>, view: &[Entity], choice: &mut Choice) {
        let Choice { reached, near, .. } = choice;
        if let Some(seeing) = seeing {
            let space = &self.store.spaces[seeing.place.space as usize];
            let margin = seeing.viewer.leave_margin > 0.0;
            space.link.targets_in_reach(seeing.place.id, |id, is_near| {
                let target = space.entities[id as usize];
                reached.push(target);
                if margin && is_near {
                    near.push(target);
                }
            });
            reached.sort_unstable();
            near.sort_unstable();
            let may_come = if margin { near } else { reached };
            choice.came.extend(without(may_come, view));
        }
        // Of these it is only to be said why.
        choice.pool.extend(without(view, &choice.reached));
    }

    /// All that a viewer may have in view or had, ascending: by the relation, by distance, by pins,
    /// and what is always in view.
    fn reachable(
        &self,
        viewer: Entity,
        seeing: Option<&Seeing<D>>,
        view: &[Entity],
        pool: &mut Vec<Entity>,
    ) {
        pool.extend_from_slice(view);
        let Some(seeing) = seeing else { return };
        let space = &self.store.spaces[seeing.place.space as usize];
        space.link.targets_in_reach(seeing.place.id, |id, _| {
            pool.push(space.entities[id as usize]);
        });
        let pins = self.store.pins.get(&viewer).into_iter().flatten();
        pool.extend(pins.chain(&self.store.always));
        pool.sort_unstable();
        pool.dedup();
    }

    /// Between two members of a space, on the plane (contract point 12).
    fn distance(&self, viewer: Entity, target: Entity) -> f32 {
        let places = self.store.place(viewer).zip(self.store.place(target));
        places.map_or(f32::INFINITY, |(from, to)| {
            squared(self.store.apart(from, to)).sqrt()
        })
    }

    fn leave(&self, viewer: Entity, target: Entity, why: WhyNot) -> LeaveView {
        LeaveView {
            viewer,
            target,
            reason: self.reason(viewer, target, why),
        }
    }
}

/// What is in one sorted list and not in another.
fn without(some: &[Entity], others: &[Entity]) -> impl Iterator<Item = Entity> {
    let mut others = others.iter().peekable();
    some.iter().copied().filter(move |entity| {
        while others.next_if(|&other| other < entity).is_some() {}
        others.peek() != Some(&entity)
    })
}

/// What became of a part of the candidates.
#[derive(Default)]
struct Verdict {
    left: Vec<LeaveView>,
    entered: Vec<EnterView>,
    tested: u64,
    choice: Choice,
}

/// Buffers for the judgement of one viewer.
#[derive(Default)]
struct Choice {
    pool: Vec<Entity>,
    /// Near enough to stay in view.
    reached: Vec<Entity>,
    /// Of these, near enough to come into view; only if there is a margin.
    near: Vec<Entity>,
    came: Vec<Entity>,
    lost: Vec<(Entity, WhyNot)>,
    /// With a cap: qualify, and were in view.
    inside: Vec<Near>,
    /// With a cap: qualify, and were not.
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
        self.reached.clear();
        self.near.clear();
        self.came.clear();
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
        self.came
            .extend(outside.by_ref().take(free).map(|near| near.target));
        for near in outside {
            match self.inside.last() {
                Some(&far) if near.distance + margin < far.distance => {
                    self.inside.pop();
                    evict(far);
                    self.came.push(near.target);
                }
                _ => break,
            }
        }
        self.came.sort_unstable();
        self.lost.sort_unstable_by_key(|lost| lost.0);
    }
}
