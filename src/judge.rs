//! From candidates to changes: which pairs came into view, which left it, and why.
//!
//! Each pair is judged by [`Store::judge`]; a whole view of which nothing but layers and distance decides
//! is compared with the one before.

use bevy::{
    ecs::{entity::Entities, entity_disabling::Disabled, query::Allow},
    prelude::*,
};
use smallvec::SmallVec;
use std::collections::BTreeSet;

use crate::{
    InView, LeaveReason,
    asked::{Asked, Question},
    crosslink::{FETCHED, Id, Reach, Reaches, squared},
    detect::Changes,
    evaluate::{Seeing, Why, WhyNot},
    lifecycle::{Orphan, orphan_of},
    store::Store,
    told::Told,
    workers::{parts, run},
};

/// Pairs to judge that are worth a task.
const WORTH: usize = 512;

pub(crate) struct Judge<'a, const D: usize> {
    pub store: &'a Store<D>,
    pub entities: &'a Entities,
    pub certain: bool,
    /// Views that were taken off their viewers after `Sync`, sorted: the next one will tell of that.
    pub late: &'a [Orphan],
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
        let (v, t) = (store.before(viewer), store.before(target));
        let pins = match v {
            Some(before) => Some(&*before.pins),
            None => store.pins.get(&viewer).map(SmallVec::as_slice),
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
    pub fn all(&self, changes: &mut Changes, views: &Query<&InView, Allow<Disabled>>) {
        let Changes {
            pairs,
            came,
            went,
            wholes,
            verdicts,
            reaches,
            orphans,
            ..
        } = changes;
        let mut rest = Asked {
            pairs,
            came,
            went,
            wholes,
            orphans,
        };
        let reaches = &*reaches;
        let parts = parts(pairs.len() + wholes.len(), WORTH);
        verdicts.resize_with(parts, Verdict::default);
        if let [verdict] = verdicts.as_mut_slice() {
            self.judge(rest, reaches, views, verdict);
        } else {
            let work = verdicts.iter_mut().enumerate().map(|(part, verdict)| {
                let head = rest.split(parts - part);
                (head, verdict)
            });
            run(work, |(asked, verdict)| {
                self.judge(asked, reaches, views, verdict);
            });
        }
        changes.entered.adopt(&mut changes.reaches.targets);
        for verdict in verdicts {
            changes.left.append(&mut verdict.left);
            changes.entered.append(&mut verdict.entered);
            changes.candidates.tested += core::mem::take(&mut verdict.tested);
        }
        changes.entered.order();
    }

    /// Judges some candidates, viewer by viewer; all of a viewer at once.
    fn judge(
        &self,
        mut asked: Asked,
        reaches: &Reaches<Entity>,
        views: &Query<&InView, Allow<Disabled>>,
        verdict: &mut Verdict,
    ) {
        let Verdict {
            left,
            entered,
            tested,
            choice,
        } = verdict;
        if asked.pairs.is_empty() && asked.wholes.is_empty() {
            // Nearly always: nothing is to be judged.
            tell(left, LeaveReason::OutOfRange, asked.went);
            tell(entered, (), asked.came);
            return;
        }
        while let Some(Question {
            viewer,
            pairs,
            came,
            went,
            whole,
            orphan,
        }) = asked.next()
        {
            if pairs.is_empty() && whole.is_none() {
                tell(left, LeaveReason::OutOfRange, went);
                tell(entered, (), came);
                continue;
            }
            if whole.is_some() && asked.wholes.len().is_multiple_of(FETCHED) {
                let next = asked.wholes.iter().take(FETCHED);
                reaches.fetch(next.filter_map(|whole| reaches.each.get(whole.1 as usize)));
            }
            let view = match (orphan, orphan_of(self.late, viewer)) {
                (Some(view), _) => view,
                (None, Some(at)) => self.late[at].1.as_slice(),
                (None, None) => views.get(viewer).map_or(&[][..], InView::as_slice),
            };
            let seeing = self.store.seeing(viewer);
            let cap = self.store.caps.get(&viewer);
            choice.clear();
            if (whole.is_some() || cap.is_some()) && !self.has_pins(viewer) {
                if seeing.is_none() && !self.entities.contains_spawned(viewer) {
                    left.extend(viewer, LeaveReason::Despawned, view.iter().copied());
                    continue;
                }
                if let Some(seeing) = &seeing {
                    let reach = whole.and_then(|number| reaches.each.get(number as usize));
                    self.reach(seeing, reach.map(|reach| (reaches, reach)), choice);
                }
                if view.is_empty() && cap.is_none() && self.store.always.is_empty() {
                    // Who just came.
                    entered.extend(viewer, (), choice.near.iter().copied());
                    continue;
                }
                if seeing.is_some() {
                    choice.set_aside(&self.store.always, view);
                }
                choice.compare(view);
                if cap.is_some_and(|&cap| choice.reached() > cap as usize) {
                    choice.compete(view);
                }
                if let Some(seeing) = &seeing {
                    choice.pool.retain(|&target| {
                        let parted =
                            self.is_parted_by_distance(seeing, target) && !self.is_always(target);
                        if parted {
                            choice.lost.push((target, LeaveReason::OutOfRange));
                        }
                        !parted
                    });
                }
            } else if whole.is_some() || cap.is_some() {
                self.reachable(viewer, seeing.as_ref(), view, &mut choice.pool);
            } else {
                choice.pool.extend(pairs.iter().map(|pair| pair.1));
            }
            *tested += choice.pool.len() as u64;
            for &target in &choice.pool {
                let held = view.binary_search(&target).is_ok();
                match self.store.judge(viewer, seeing.as_ref(), target, held) {
                    Ok(Why::Distance) if cap.is_some() && held => choice.inside.push(target),
                    Ok(Why::Distance) if cap.is_some() => choice.outside.push(target),
                    Ok(_) if !held => choice.came.push(target),
                    Err(why) if held => {
                        choice.lost.push((target, self.reason(viewer, target, why)));
                    }
                    _ => {}
                }
            }
            if let (Some(&cap), Some(seeing)) = (cap, &seeing) {
                let evicted = WhyNot::Cap { max_targets: cap };
                let reason = |target| self.reason(viewer, target, evicted);
                let distance = |target| self.distance(seeing, target);
                choice.take(cap, seeing.viewer.leave_margin, distance, reason);
            }
            choice.lost.sort_unstable_by_key(|lost| lost.0);
            let mut went = went.iter().map(|pair| pair.1).peekable();
            for &(target, reason) in &choice.lost {
                while let Some(other) = went.next_if(|&other| other < target) {
                    left.push(viewer, LeaveReason::OutOfRange, other);
                }
                left.push(viewer, reason, target);
            }
            left.extend(viewer, LeaveReason::OutOfRange, went);
            choice.came.extend(came.iter().map(|pair| pair.1));
            choice.came.sort_unstable();
            entered.extend(viewer, (), choice.came.iter().copied());
        }
    }

    /// Whether a viewer has pins, or had some at the last update.
    fn has_pins(&self, viewer: Entity) -> bool {
        let before = || self.store.before(viewer);
        !self.certain
            && (self.store.pins.contains_key(&viewer)
                || before().is_some_and(|before| !before.pins.is_empty()))
    }

    /// Whether a target is always in view, or was at the last update.
    fn is_always(&self, target: Entity) -> bool {
        let before = || self.store.before(target);
        !self.certain
            && (self.store.always.contains(&target) || before().is_some_and(|before| before.always))
    }

    /// Whether a target that a viewer no longer reaches takes part as before, where nothing but layers
    /// and distance counts: that spares to measure how far away it is.
    fn is_parted_by_distance(&self, seeing: &Seeing<D>, target: Entity) -> bool {
        let Some(place) = self.store.place(target) else {
            return false;
        };
        let seen = self.store.link(place).target(place.id);
        place.space == seeing.place.space
            && seen.is_some_and(|seen| seen.layers & seeing.viewer.sees != 0)
    }

    /// All that a viewer reaches, where nothing but layers and distance counts.
    fn reach(
        &self,
        seeing: &Seeing<D>,
        found: Option<(&Reaches<Entity>, &Reach)>,
        choice: &mut Choice,
    ) {
        let Choice { near, margin, .. } = choice;
        let space = &self.store.spaces[seeing.place.space as usize];
        let entity = |&id: &Id| space.entities[id as usize];
        if let Some((reaches, reach)) = found {
            near.extend_from_slice(reaches.near(reach));
            margin.extend_from_slice(reaches.margin(reach));
        } else {
            space.link.targets_in_reach(seeing.place.id, |id, is_near| {
                if is_near {
                    near.push(entity(&id));
                } else {
                    margin.push(entity(&id));
                }
            });
            near.sort_unstable();
            margin.sort_unstable();
        }
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

    /// From a viewer to another member of its space, on the plane (contract point 12).
    fn distance(&self, seeing: &Seeing<D>, target: Entity) -> f32 {
        let place = self.store.place(target);
        place.map_or(f32::INFINITY, |to| {
            squared(self.store.apart(seeing.place, to)).sqrt()
        })
    }
}

/// Tells of pairs that need no judgement.
fn tell<R: Copy + PartialEq>(told: &mut Told<R>, reason: R, pairs: &[(Entity, Entity)]) {
    for &(viewer, target) in pairs {
        told.push(viewer, reason, target);
    }
}

/// What is in one sorted list and in another, or is not.
fn those(some: &[Entity], are_in: bool, others: &[Entity]) -> impl Iterator<Item = Entity> {
    let mut others = others.iter().peekable();
    some.iter().copied().filter(move |entity| {
        while others.next_if(|&other| other < entity).is_some() {}
        (others.peek() == Some(&entity)) == are_in
    })
}

/// What became of a part of the candidates.
#[derive(Default)]
pub(crate) struct Verdict {
    pub left: Told<LeaveReason>,
    pub entered: Told<()>,
    pub tested: u64,
    choice: Choice,
}

/// Buffers for the judgement of one viewer.
#[derive(Default)]
struct Choice {
    pool: Vec<Entity>,
    /// Near enough to come into view.
    near: Vec<Entity>,
    /// Near enough to stay, but not to come.
    margin: Vec<Entity>,
    came: Vec<Entity>,
    lost: Vec<(Entity, LeaveReason)>,
    /// With a cap: qualify, and were in view.
    inside: Vec<Entity>,
    /// With a cap: qualify, and were not.
    outside: Vec<Entity>,
    /// The former by distance, if there are not places for all.
    stay: Vec<Near>,
    /// The latter likewise.
    come: Vec<Near>,
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
        self.near.clear();
        self.margin.clear();
        self.came.clear();
        self.lost.clear();
        self.inside.clear();
        self.outside.clear();
    }

    /// Distance does not decide about what is always in view: those are judged one by one.
    fn set_aside(&mut self, always: &BTreeSet<Entity>, view: &[Entity]) {
        for &target in always {
            for reached in [&mut self.near, &mut self.margin] {
                if let Ok(at) = reached.binary_search(&target) {
                    reached.remove(at);
                }
            }
            if view.binary_search(&target).is_err() {
                self.pool.push(target);
            }
        }
    }

    /// What is in reach beside what was in view, where nothing but layers and distance counts.
    fn compare(&mut self, view: &[Entity]) {
        if self.near == view {
            return;
        }
        self.came.extend(those(&self.near, false, view));
        // Of these it is only to be said why.
        let gone = those(view, false, &self.near);
        self.pool
            .extend(gone.filter(|target| self.margin.binary_search(target).is_err()));
    }

    /// How many can be in view.
    fn reached(&self) -> usize {
        self.near.len() + self.margin.len()
    }

    /// With a cap and more in reach than it allows: who is near enough is not in view yet, and who was in
    /// view and still could be may not stay.
    fn compete(&mut self, view: &[Entity]) {
        core::mem::swap(&mut self.came, &mut self.outside);
        for reached in [&self.near, &self.margin] {
            self.inside.extend(those(view, true, reached));
        }
    }

    /// Gives the places away: those inside keep theirs, the nearest outside get the free ones, and
    /// then whoever is nearer by more than the margin takes the place of the farthest.
    fn take(
        &mut self,
        max_targets: u32,
        margin: f32,
        distance: impl Fn(Entity) -> f32,
        reason: impl Fn(Entity) -> LeaveReason,
    ) {
        let cap = max_targets as usize;
        if self.inside.len() + self.outside.len() <= cap {
            // As a rule: there is a place for everybody, and nothing to be measured.
            self.came.append(&mut self.outside);
            self.came.sort_unstable();
            return;
        }
        let margin = if margin > 0.0 { margin } else { 0.0 };
        let by_distance = |from: &[Entity], to: &mut Vec<Near>| {
            to.clear();
            to.extend(from.iter().map(|&target| Near {
                distance: distance(target),
                target,
            }));
        };
        by_distance(&self.inside, &mut self.stay);
        by_distance(&self.outside, &mut self.come);
        self.stay.sort_unstable_by(Near::order);
        if self.stay.len() >= cap {
            // As a rule all places are taken, and hardly anyone is near enough to take one.
            let far = self.stay.get(cap.wrapping_sub(1)).copied();
            self.come
                .retain(|near| far.is_some_and(|far| near.distance + margin < far.distance));
        }
        self.come.sort_unstable_by(Near::order);
        let lost = &mut self.lost;
        let mut evict = |near: Near| lost.push((near.target, reason(near.target)));
        while self.stay.len() > cap {
            self.stay.pop().into_iter().for_each(&mut evict);
        }
        let mut come = self.come.iter();
        let free = cap - self.stay.len();
        self.came
            .extend(come.by_ref().take(free).map(|near| near.target));
        for near in come {
            match self.stay.last() {
                Some(&far) if near.distance + margin < far.distance => {
                    self.stay.pop();
                    evict(far);
                    self.came.push(near.target);
                }
                _ => break,
            }
        }
        self.came.sort_unstable();
    }
}
