//! From positions to changes, without building a neighbour set.
//!
//! Two ways yield *candidates*; whether a candidate pair is in view is decided elsewhere, by one
//! function, against the relation that holds.
//!
//! The *clean way* serves pairs of which both ends were there at the last update with the same
//! parameters. If such a pair is in view it was within `r + margin` then, if not it was beyond
//! `r`. So it can only come if the test `d <= r` differs between the old and the new positions, and
//! only go if the test `d <= r + margin` does. If neither end has gone further than `g`, that takes a
//! present distance within `g` of one of the bounds: on the *verge*. No per-pair state is read, and
//! nearly all pairs end there. Blocks in which something moved are met with the blocks around them;
//! a pair of blocks, or a member and a block, whose boxes around old and new positions are surely
//! all in or surely all out is passed over whole. That makes one spot and huge radii nearly free. If
//! all viewers of two blocks are alike, one test serves both directions. Without a margin the old
//! positions also say who was in view, so what differs is certain, and nothing has to decide.
//!
//! The *dirty way* serves a member that is new or gone, has other parameters, or jumped further
//! than the walk looks. A dirty viewer: all that it has in view, and all around its new place. A
//! dirty target: the viewers around its old and its new place. A clean viewer that had the target
//! in view was within reach of its old place, so nothing is missed.
//!
//! Members of the far classes (see `classes.rs`) look for themselves, in both ways.
//!
//! Loops over all lanes of a block are compiled for several instruction sets, by `pulp`, which picks
//! one when the program runs. What they compute is the same on each: one rounding per operation.

use core::ops::Range;

use super::{
    CrossLink, Id, Target, Was,
    block::{Axis, BITS, Block, LANES, Lanes, Look, lanes},
    delta, recycle,
    view::{Area, Boxed, Round, Shape, Upright, Verge, Viewer, in_view, squared, widened},
};

/// Pairs that may have come into view or dropped out since the last update.
#[derive(Debug, Default)]
pub(crate) struct Candidates {
    /// Viewer and target; some twice, most truly changed.
    pub pairs: Vec<(Id, Id)>,
    /// Pairs of which it is certain that they came into view, if nothing but layers and distance
    /// counts: without a margin the old positions say who was in view. None twice, and none of
    /// them is in `pairs` or among those of `whole`.
    pub came: Vec<(Id, Id)>,
    /// Likewise, who dropped out of view by distance.
    pub went: Vec<(Id, Id)>,
    /// Viewers of which every pair in view is a candidate, and every one of those that
    /// [`targets_in_reach`](CrossLink::targets_in_reach) finds.
    pub whole: Vec<Id>,
    /// How many pairs of members the distance test was done for.
    pub tested: u64,
    /// How many members stand elsewhere.
    pub moved: usize,
    /// Whether they are to be listed.
    pub list_moved: bool,
    /// Their ids, those that were taken out and put back aside.
    pub moved_ids: Vec<Id>,
    /// Whether anything moved or was changed.
    pub touched: bool,
}

impl Candidates {
    pub fn clear(&mut self) {
        self.clear_pairs();
        self.tested = 0;
        self.moved = 0;
        recycle(&mut self.moved_ids);
        self.touched = false;
    }

    /// Appends what another part of the work found.
    pub fn append(&mut self, other: &mut Self) {
        self.pairs.append(&mut other.pairs);
        self.came.append(&mut other.came);
        self.went.append(&mut other.went);
        self.whole.append(&mut other.whole);
        self.tested += other.tested;
    }

    pub fn clear_pairs(&mut self) {
        recycle(&mut self.pairs);
        recycle(&mut self.came);
        recycle(&mut self.went);
        recycle(&mut self.whole);
    }
}

/// Runs `$body` with `$area` worked out for the shape of a viewer that is not blind, and targets
/// with an extra range.
macro_rules! with_area {
    ($viewer:expr, $extra:expr, |$area:ident| $body:expr) => {
        match $viewer.shape {
            Shape::Round => {
                let $area = <Round as Area<D>>::new($viewer, $extra);
                $body
            }
            Shape::Square | Shape::Box { .. } => {
                let $area = <Boxed<D> as Area<D>>::new($viewer, $extra);
                $body
            }
            Shape::Cylinder { .. } => {
                let $area = <Upright as Area<D>>::new($viewer, $extra);
                $body
            }
        }
    };
}

/// Who does the work: one thread, or several that share it.
pub(crate) trait Workers {
    /// Runs `work` for all of `0..count`, in parts, and appends what the parts find in their order.
    fn find(
        &self,
        count: usize,
        out: &mut Candidates,
        work: impl Fn(Range<usize>, &mut Candidates) + Sync,
    );

    /// Runs `work` for all items, in parts.
    fn each<T: Send>(&self, items: &mut [T], work: impl Fn(&mut [T]) + Sync);
}

/// One thread.
pub(crate) struct Alone;

impl Workers for Alone {
    fn find(
        &self,
        count: usize,
        out: &mut Candidates,
        work: impl Fn(Range<usize>, &mut Candidates) + Sync,
    ) {
        work(0..count, out);
    }

    fn each<T: Send>(&self, items: &mut [T], work: impl Fn(&mut [T]) + Sync) {
        work(items);
    }
}

impl<const D: usize> CrossLink<D> {
    /// Appends the candidates since the last call and makes the present positions the settled
    /// ones. Without any change it costs O(1). Candidates and their order do not depend on who
    /// does the work.
    pub(crate) fn detect(&mut self, workers: &impl Workers, out: &mut Candidates) {
        if self.listed.is_empty() && self.changed.is_empty() {
            return;
        }
        out.touched = true;
        self.maintain();
        self.prepare(workers);
        self.clean_way(workers, out);
        self.far_members(out);
        // Where all have just come nobody is there to notice them but themselves.
        let anybody = self.changed.len() < self.len
            || self
                .blocks
                .iter()
                .any(|block| block.used() & !block.dirty != 0);
        workers.find(self.changed.len(), out, |range, out| {
            for was in &self.changed[range] {
                self.dirty_way(was, anybody, out);
            }
        });
        self.settle(workers, out);
    }

    /// Keeps classes and bands fit for what the members have become.
    fn maintain(&mut self) {
        let redrawn = self.classes.choose(self.len);
        if self.rows.is_unfit(self.classes.reach(), self.len) {
            self.rebuild(Vec::new());
        } else if redrawn {
            self.relist_far();
        }
    }

    /// Finds out who moved, and takes those who jumped out of the clean way.
    fn prepare(&mut self, workers: &impl Workers) {
        let jump = self.rows.jump();
        self.slack = 0.0;
        self.each_listed(workers, |blocks| {
            pulp::Arch::new().dispatch(Prepare { blocks });
        });
        for at in 0..self.listed.len() {
            let index = self.listed[at] as usize;
            if self.blocks[index].gone > jump {
                for lane in lanes(self.blocks[index].movers) {
                    if self.blocks[index].gone_of(lane) > jump {
                        self.mark(self.blocks[index].ids[lane]);
                    }
                }
                self.blocks[index].prepare();
            }
            self.slack = self.slack.max(self.blocks[index].gone);
        }
    }

    /// Runs `work`, which passes over blocks that are not listed, for all that are.
    fn each_listed(&mut self, workers: &impl Workers, work: impl Fn(&mut [Block<D>]) + Sync) {
        if self.most_are_listed() {
            workers.each(&mut self.blocks, work);
        } else {
            for &index in &self.listed {
                work(&mut self.blocks[index as usize..=index as usize]);
            }
        }
    }

    fn clean_way(&self, workers: &impl Workers, out: &mut Candidates) {
        if self.classes.reach() == 0.0 {
            return;
        }
        let reach = widened(self.classes.reach() + self.slack);
        // Few viewers among many who move: only around those who see.
        if self.classes.common_viewers() * 4 < self.listed.len() * LANES
            && self.blocks.len() < self.listed.len() * 8
        {
            workers.find(self.blocks.len(), out, |range, out| {
                for a in self.blocks[range].iter().filter(|a| a.viewers != 0) {
                    for other in self.rows.near(a.lo, a.hi, reach) {
                        let b = &self.blocks[other as usize];
                        if a.movers | b.movers != 0 {
                            self.look_at(a, b, out);
                        }
                    }
                }
            });
            return;
        }
        let around = |index: u32, out: &mut Candidates| {
            let a = &self.blocks[index as usize];
            if a.movers == 0 || (a.viewers | a.targets) == 0 {
                return;
            }
            for other in self.rows.near(a.lo, a.hi, reach) {
                let b = &self.blocks[other as usize];
                if b.movers == 0 || index <= other {
                    self.meet(a, b, index == other, out);
                }
            }
        };
        if self.most_are_listed() {
            // In the order of the memory, which is nearly that of the lists, and not in that of the
            // moves: what is near was just read. That saved a third with a million members.
            workers.find(self.blocks.len(), out, |range, out| {
                range.for_each(|index| around(index as u32, out));
            });
        } else {
            workers.find(self.listed.len(), out, |range, out| {
                self.listed[range]
                    .iter()
                    .for_each(|&index| around(index, out));
            });
        }
    }

    fn most_are_listed(&self) -> bool {
        self.listed.len() * 2 >= self.blocks.len()
    }

    /// All pairs of two blocks, in both directions; `same` if they are one.
    fn meet(&self, a: &Block<D>, b: &Block<D>, same: bool, out: &mut Candidates) {
        if a.viewers | b.viewers == 0 {
            return;
        }
        if let (Look::Same(viewer), Look::Same(other)) = (&a.look, &b.look)
            && viewer.is_like(other)
            && all_alike(a)
            && all_alike(b)
        {
            with_area!(viewer, 0.0, |area| {
                if !undecided(area, (a.lo, a.hi), b) {
                    return;
                }
                let verge = Area::<D>::verge(&area, a.gone + b.gone);
                for lane in lanes(on_verge(moved_pairs(a, b), verge, a, b, out)) {
                    // Within one block only the lanes behind, so that each pair is met once.
                    let among = if same {
                        Lanes::MAX << lane & !(1 << lane)
                    } else {
                        Lanes::MAX
                    };
                    for other in lanes(crossed(area, verge, a, lane, b) & among) {
                        let now = area.bounds(delta(a.position(lane), b.position(other)));
                        let then = area.bounds(delta(a.old_position(lane), b.old_position(other)));
                        self.tell((a, lane), (b, other), [then, now], out);
                        self.tell((b, other), (a, lane), [then, now], out);
                    }
                }
            });
            return;
        }
        self.look_at(a, b, out);
        if !same {
            self.look_at(b, a, out);
        }
    }

    /// The viewers of one block against the targets of another.
    fn look_at(&self, a: &Block<D>, b: &Block<D>, out: &mut Candidates) {
        if b.targets == 0 || a.viewers == 0 {
            return;
        }
        if let Look::Same(viewer) = &a.look
            && !worth_a_look(viewer, (a.lo, a.hi), b)
        {
            return;
        }
        for lane in lanes(a.viewers & moved_pairs(a, b)) {
            let viewer = match &a.look {
                Look::Same(viewer) => viewer,
                _ => match &self.members[a.ids[lane]].viewer {
                    Some(viewer) => viewer,
                    None => continue,
                },
            };
            for other in lanes(self.changed_for(viewer, a, lane, b, out)) {
                let extra = if b.extra == 0.0 {
                    0.0
                } else {
                    self.members[b.ids[other]]
                        .target
                        .map_or(0.0, |target| target.extra())
                };
                let now = viewer.bounds(extra, delta(a.position(lane), b.position(other)));
                let then = viewer.bounds(extra, delta(a.old_position(lane), b.old_position(other)));
                self.tell((a, lane), (b, other), [then, now], out);
            }
        }
    }

    /// Tells of a clean pair of which the distance test differs between old and new, in one
    /// direction and if it is one: `then` and `now` are what the narrower and the wider test say.
    fn tell(
        &self,
        (a, lane): (&Block<D>, usize),
        (b, other): (&Block<D>, usize),
        [then, now]: [(bool, bool); 2],
        out: &mut Candidates,
    ) {
        let pair = (a.ids[lane], b.ids[other]);
        if a.viewers >> lane & b.targets >> other & 1 == 0 || pair.0 == pair.1 {
            return;
        }
        let sees = match &a.look {
            Look::Same(viewer) if viewer.sees & b.layers != 0 => true,
            _ => match (&self.members[pair.0].viewer, &self.members[pair.1].target) {
                (Some(viewer), Some(target)) => viewer.sees & target.layers != 0,
                _ => false,
            },
        };
        if !sees {
            return;
        }
        // Within the narrower bound it was in view, beyond the wider one it was not; between them,
        // where there is a margin, only the relation knows.
        match (then, now) {
            ((_, false), (true, _)) => out.came.push(pair),
            ((true, _), (_, false)) => out.went.push(pair),
            ((false, true), (true, _) | (_, false)) => out.pairs.push(pair),
            _ => {}
        }
    }

    /// Lanes of `b` for which the distance test of one viewer differs between old and new.
    fn changed_for(
        &self,
        viewer: &Viewer<D>,
        a: &Block<D>,
        lane: usize,
        b: &Block<D>,
        out: &mut Candidates,
    ) -> Lanes {
        if b.extra == 0.0 {
            return with_area!(viewer, 0.0, |area| {
                let verge = Area::<D>::verge(&area, a.gone + b.gone);
                if on_verge(1 << lane, verge, a, b, out) == 0 {
                    return 0;
                }
                crossed(area, verge, a, lane, b) & b.targets
            });
        }
        let (pos, old) = (a.position(lane), a.old_position(lane));
        if !worth_a_look(viewer, around(pos, old), b) {
            return 0;
        }
        let mut found = 0;
        for target in lanes(b.targets & !b.dirty) {
            let Some(seen) = &self.members[b.ids[target]].target else {
                continue;
            };
            out.tested += 1;
            let now = viewer.bounds(seen.extra(), delta(pos, b.position(target)));
            let then = viewer.bounds(seen.extra(), delta(old, b.old_position(target)));
            found |= Lanes::from(now != then) << target;
        }
        found
    }

    /// Members of the far classes, and watchful ones, each by itself.
    fn far_members(&self, out: &mut Candidates) {
        for &id in self.classes.far() {
            let member = &self.members[id];
            let Some(slot) = self.slot(id) else { continue };
            let a = &self.blocks[slot.block as usize];
            let lane = slot.lane as usize;
            let (lo, hi) = around(a.position(lane), a.old_position(lane));
            let roles = self.roles(id);
            if let Some(viewer) = &member.viewer
                && roles.viewer.is_none()
                && !viewer.is_blind()
                && !member.dirty
            {
                self.far_viewer(viewer, id, (lo, hi), out);
            }
            if let Some(target) = &member.target
                && roles.target.is_none()
                && !member.dirty
            {
                let reach = widened(self.classes.common_viewer() + target.extra() + self.slack);
                for other in self.rows.near(lo, hi, reach) {
                    let b = &self.blocks[other as usize];
                    let moved = if a.movers >> lane & 1 == 1 {
                        Lanes::MAX
                    } else {
                        b.movers
                    };
                    self.viewers_of(b, b.viewers & !b.dirty & moved, id, out);
                }
            }
        }
    }

    /// Viewers among some lanes of `b` for which the test of a clean far target differs.
    fn viewers_of(&self, b: &Block<D>, among: Lanes, target: Id, out: &mut Candidates) {
        let (Some(slot), Some(seen)) = (self.slot(target), self.target(target)) else {
            return;
        };
        let a = &self.blocks[slot.block as usize];
        let (pos, old) = (
            a.position(slot.lane as usize),
            a.old_position(slot.lane as usize),
        );
        for lane in lanes(among) {
            let id = b.ids[lane];
            if let Some(viewer) = &self.members[id].viewer
                && id != target
            {
                out.tested += 1;
                let now = delta(b.position(lane), pos);
                let then = delta(b.old_position(lane), old);
                if viewer.bounds(seen.extra(), now) != viewer.bounds(seen.extra(), then) {
                    out.pairs.push((id, target));
                }
            }
        }
    }

    /// A clean viewer of the far class, or a watchful one.
    fn far_viewer(
        &self,
        viewer: &Viewer<D>,
        id: Id,
        (lo, hi): ([f32; D], [f32; D]),
        out: &mut Candidates,
    ) {
        let Some(slot) = self.slot(id) else { return };
        let (a, lane) = (&self.blocks[slot.block as usize], slot.lane as usize);
        let watchful = self.members[id].watchful;
        let moved = a.movers >> lane & 1 == 1;
        if watchful && moved {
            out.whole.push(id);
            return;
        }
        let reach = widened(viewer.reach() + self.classes.common_target() + self.slack);
        for other in self.rows.near(lo, hi, reach) {
            let b = &self.blocks[other as usize];
            if b.targets == 0 || !(moved || b.movers != 0) {
                continue;
            }
            if watchful {
                if viewer.bounds(b.extra, least(lo, hi, b.lo, b.hi)).1 {
                    out.whole.push(id);
                    return;
                }
                continue;
            }
            if worth_a_look(viewer, (lo, hi), b) {
                for target in lanes(self.changed_for(viewer, a, lane, b, out) & b.targets) {
                    if b.ids[target] != id {
                        out.pairs.push((id, b.ids[target]));
                    }
                }
            }
        }
        // Far targets are in no mask.
        for &target in self.classes.far() {
            if target == id || self.roles(target).target.is_some() {
                continue;
            }
            let Some(at) = self.slot(target).filter(|_| self.target(target).is_some()) else {
                continue;
            };
            let b = &self.blocks[at.block as usize];
            if !moved && b.movers >> at.lane & 1 == 0 {
                continue;
            }
            if watchful {
                out.whole.push(id);
                return;
            }
            self.viewers_of(a, 1 << lane, target, out);
        }
    }

    fn dirty_way(&self, was: &Was<D>, anybody: bool, out: &mut Candidates) {
        let id = was.id;
        let now = &self.members[id];
        let at = self.position(id);
        if was.viewer.is_some() || now.viewer.is_some() {
            out.whole.push(id);
        }
        let places = [was.target.zip(was.at), now.target.zip(at)];
        if anybody {
            self.viewers_around(id, places, out);
        }
    }

    /// Targets within the wider bound of a viewer, that are on its layers, and whether they are within
    /// the narrower one: in view are those, and of the others those that were in view.
    pub(crate) fn targets_in_reach(&self, id: Id, mut found: impl FnMut(Id, bool)) {
        let (Some(viewer), Some(at)) = (&self.viewer(id), self.position(id)) else {
            return;
        };
        if viewer.is_blind() {
            return;
        }
        let check = |b: &Block<D>, lane: usize, found: &mut dyn FnMut(Id, bool)| {
            let target = b.ids[lane];
            if let Some(seen) = &self.members[target].target
                && target != id
                && viewer.sees & seen.layers != 0
            {
                let (near, wide) = viewer.bounds(seen.extra(), delta(at, b.position(lane)));
                if wide {
                    found(target, near);
                }
            }
        };
        let reach = widened(viewer.reach() + self.classes.common_target());
        for other in self.rows.near(at, at, reach) {
            let b = &self.blocks[other as usize];
            if b.targets == 0 || !viewer.bounds(b.extra, least(at, at, b.lo, b.hi)).1 {
                continue;
            }
            let (near, wide) = within(viewer, b.extra, at, &b.pos);
            if b.extra == 0.0 && viewer.sees & b.layers != 0 {
                for lane in lanes(b.targets & wide) {
                    if b.ids[lane] != id {
                        found(b.ids[lane], near >> lane & 1 == 1);
                    }
                }
            } else {
                lanes(b.targets & wide).for_each(|lane| check(b, lane, &mut found));
            }
        }
        for &target in self.classes.far() {
            if let Some(slot) = self.slot(target)
                && self.roles(target).target.is_none()
            {
                check(
                    &self.blocks[slot.block as usize],
                    slot.lane as usize,
                    &mut found,
                );
            }
        }
    }

    /// Clean viewers that had a dirty target in reach at its old place, or have it at its new one,
    /// which may be missing. Dirty viewers look for themselves.
    fn viewers_around(
        &self,
        id: Id,
        [old, new]: [Option<(Target, [f32; D])>; 2],
        out: &mut Candidates,
    ) {
        for (then, place) in [(true, old), (false, new)] {
            let Some((target, at)) = place else { continue };
            let mut check = |b: &Block<D>, lane: usize, certain: bool| {
                let pair = (b.ids[lane], id);
                let Some(viewer) = &self.members[pair.0].viewer else {
                    return;
                };
                if pair.0 == id {
                    return;
                }
                out.tested += 1;
                let sees = |place: Option<(Target, [f32; D])>, from: [f32; D], held: bool| {
                    place.map(|(target, at)| in_view(viewer, &target, delta(from, at), held))
                };
                let was = sees(old, b.old_position(lane), true);
                let is = sees(new, b.position(lane), false);
                let same_layers = new.is_some_and(|(target, _)| viewer.sees & target.layers != 0);
                if viewer.leave_margin > 0.0 || !certain || (then && !same_layers) {
                    if if then { was } else { is } == Some(true) {
                        out.pairs.push(pair);
                    }
                } else if then && was == Some(true) && is == Some(false) {
                    out.went.push(pair);
                } else if !then && is == Some(true) && was != Some(true) {
                    out.came.push(pair);
                }
            };
            if self.classes.reach() > 0.0 {
                let reach = widened(self.classes.common_viewer() + target.extra() + self.slack);
                for other in self.rows.near(at, at, reach) {
                    let b = &self.blocks[other as usize];
                    let mut among = b.viewers & !b.dirty;
                    if let Look::Same(viewer) = &b.look
                        && among != 0
                    {
                        let (near, wide) = within(
                            viewer,
                            target.extra(),
                            at,
                            if then { &b.old } else { &b.pos },
                        );
                        among &= if then { wide } else { near };
                    }
                    lanes(among).for_each(|lane| check(b, lane, true));
                }
            }
            for &viewer in self.classes.far() {
                if let Some(slot) = self.slot(viewer)
                    && self.roles(viewer).viewer.is_none()
                    && !self.members[viewer].dirty
                {
                    check(&self.blocks[slot.block as usize], slot.lane as usize, false);
                }
            }
        }
    }

    /// Present positions become the settled ones.
    fn settle(&mut self, workers: &impl Workers, out: &mut Candidates) {
        let mut changed = core::mem::take(&mut self.changed);
        for was in &changed {
            let now = self.position(was.id);
            if now.is_some() && was.at.is_some() && now != was.at {
                out.moved += 1;
                if out.list_moved {
                    out.moved_ids.push(was.id);
                }
            }
            self.members[was.id].dirty = false;
            if now.is_none() {
                self.slots.release(was.id);
                self.members.release(was.id);
            }
        }
        recycle(&mut changed);
        self.changed = changed;
        for &index in &self.listed {
            let block = &self.blocks[index as usize];
            out.moved += block.movers.count_ones() as usize;
            if out.list_moved {
                out.moved_ids
                    .extend(lanes(block.movers).map(|lane| block.ids[lane]));
            }
        }
        self.each_listed(workers, |blocks| {
            pulp::Arch::new().dispatch(Settle { blocks });
        });
        recycle(&mut self.listed);
        self.slack = 0.0;
    }
}

/// Clean lanes of `a` that can be in a changed pair with a lane of `b`.
fn moved_pairs<const D: usize>(a: &Block<D>, b: &Block<D>) -> Lanes {
    if b.movers == 0 {
        a.movers
    } else {
        a.used() & !a.dirty
    }
}

/// Whether one test for both directions pays: most see, and nobody is seen from further away.
fn all_alike<const D: usize>(a: &Block<D>) -> bool {
    a.extra == 0.0 && a.viewers.count_ones() as usize * 2 > a.len
}

/// Those among some lanes of `a` that are on the verge to any lane of `b`.
fn on_verge<const D: usize>(
    among: Lanes,
    verge: Option<Verge>,
    a: &Block<D>,
    b: &Block<D>,
    out: &mut Candidates,
) -> Lanes {
    let Some(verge) = verge else { return among };
    // The widest SIMD instructions that this machine has: half the time of SSE2.
    pulp::Arch::new().dispatch(OnVerge {
        among,
        verge,
        a,
        b,
        out,
    })
}

/// Lanes within the narrower and within the wider bound of a viewer that is not blind, between it
/// and a target with an extra range, of which one is at a place and the other in a lane.
fn within<const D: usize>(
    viewer: &Viewer<D>,
    extra: f32,
    at: [f32; D],
    axes: &[Axis; D],
) -> (Lanes, Lanes) {
    with_area!(viewer, extra, |area| pulp::Arch::new().dispatch(Within {
        area,
        at,
        axes
    }))
}

struct Within<'a, A, const D: usize> {
    area: A,
    at: [f32; D],
    axes: &'a [Axis; D],
}

impl<A: Area<D>, const D: usize> pulp::NullaryFnOnce for Within<'_, A, D> {
    type Output = (Lanes, Lanes);

    #[inline(always)]
    fn call(self) -> (Lanes, Lanes) {
        let (mut near, mut wide) = (0, 0);
        for lane in 0..LANES {
            let apart = core::array::from_fn(|axis| self.axes[axis][lane] - self.at[axis]);
            let bounds = self.area.bounds(apart);
            near |= if bounds.0 { BITS[lane] } else { 0 };
            wide |= if bounds.1 { BITS[lane] } else { 0 };
        }
        (near, wide)
    }
}

/// [`Block::prepare`] for those of some blocks that are listed.
struct Prepare<'a, const D: usize> {
    blocks: &'a mut [Block<D>],
}

impl<const D: usize> pulp::NullaryFnOnce for Prepare<'_, D> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for block in self.blocks.iter_mut().filter(|block| block.listed) {
            block.prepare();
        }
    }
}

/// [`Block::settle`] for those of some blocks that are listed.
struct Settle<'a, const D: usize> {
    blocks: &'a mut [Block<D>],
}

impl<const D: usize> pulp::NullaryFnOnce for Settle<'_, D> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for block in self.blocks.iter_mut().filter(|block| block.listed) {
            block.settle();
        }
    }
}

struct OnVerge<'a, const D: usize> {
    among: Lanes,
    verge: Verge,
    a: &'a Block<D>,
    b: &'a Block<D>,
    out: &'a mut Candidates,
}

impl<const D: usize> pulp::NullaryFnOnce for OnVerge<'_, D> {
    type Output = Lanes;

    // Loops over all lanes, without a branch, become SIMD, but only what is inlined.
    #[inline(always)]
    fn call(self) -> Lanes {
        if self.verge.is_one() {
            self.lanes::<true>()
        } else {
            self.lanes::<false>()
        }
    }
}

impl<const D: usize> OnVerge<'_, D> {
    #[inline(always)]
    fn lanes<const ONE: bool>(self) -> Lanes {
        let Self {
            among,
            verge,
            a,
            b,
            out,
        } = self;
        // First against the box of `b`: that spares half of the lanes.
        let mut worth = 0;
        for lane in 0..LANES {
            let at: [f32; D] = core::array::from_fn(|axis| a.pos[axis][lane]);
            let least = squared(least(at, at, b.lo, b.hi));
            let most = squared(most(at, at, b.lo, b.hi));
            worth |= if verge.meets(least, most) {
                BITS[lane]
            } else {
                0
            };
        }
        worth &= among;
        out.tested += u64::from(worth.count_ones()) * b.len as u64;
        let mut found = 0;
        for lane in lanes(worth) {
            let pos = a.position(lane);
            let mut any = false;
            for target in 0..LANES {
                let apart = core::array::from_fn(|axis| b.pos[axis][target] - pos[axis]);
                any |= verge.holds::<ONE>(squared::<D>(apart));
            }
            found |= Lanes::from(any) << lane;
        }
        found
    }
}

/// Clean lanes of `b` for which the distance test from one lane of `a` differs between old and
/// new.
#[inline]
fn crossed<const D: usize, A: Area<D>>(
    area: A,
    verge: Option<Verge>,
    a: &Block<D>,
    lane: usize,
    b: &Block<D>,
) -> Lanes {
    let (pos, old) = (a.position(lane), a.old_position(lane));
    let apart = |target: usize| core::array::from_fn(|axis| b.pos[axis][target] - pos[axis]);
    let was_apart = |target: usize| core::array::from_fn(|axis| b.old[axis][target] - old[axis]);
    let differs = |target: usize| area.bounds(apart(target)) != area.bounds(was_apart(target));
    let found = match verge {
        Some(verge) => (0..LANES).fold(0, |found, target| {
            let holds = verge.holds::<false>(squared(apart(target)));
            found | if holds { BITS[target] } else { 0 }
        }),
        None => b.used(),
    };
    lanes(found & !b.dirty)
        .filter(|&target| differs(target))
        .fold(0, |found, target| found | 1 << target)
}

/// Whether some pair between a box and a block can be in range at one time and not at another.
#[inline]
fn undecided<const D: usize, A: Area<D>>(
    area: A,
    (lo, hi): ([f32; D], [f32; D]),
    b: &Block<D>,
) -> bool {
    area.bounds(least(lo, hi, b.lo, b.hi)).1 && !area.bounds(most(lo, hi, b.lo, b.hi)).0
}

/// The same for one viewer, and targets with an extra range.
fn worth_a_look<const D: usize>(
    viewer: &Viewer<D>,
    (lo, hi): ([f32; D], [f32; D]),
    b: &Block<D>,
) -> bool {
    viewer.bounds(b.extra, least(lo, hi, b.lo, b.hi)).1
        && !viewer.bounds(0.0, most(lo, hi, b.lo, b.hi)).0
}

/// Least `|d|` between two boxes on each axis, rounded as the differences of their positions are.
#[inline]
fn least<const D: usize>(lo: [f32; D], hi: [f32; D], blo: [f32; D], bhi: [f32; D]) -> [f32; D] {
    core::array::from_fn(|axis| (blo[axis] - hi[axis]).max(lo[axis] - bhi[axis]).max(0.0))
}

/// Greatest `|d|` between two boxes on each axis.
#[inline]
fn most<const D: usize>(lo: [f32; D], hi: [f32; D], blo: [f32; D], bhi: [f32; D]) -> [f32; D] {
    core::array::from_fn(|axis| (bhi[axis] - lo[axis]).max(hi[axis] - blo[axis]))
}

/// The box around a position and an old one.
#[inline]
fn around<const D: usize>(pos: [f32; D], old: [f32; D]) -> ([f32; D], [f32; D]) {
    (
        core::array::from_fn(|axis| pos[axis].min(old[axis])),
        core::array::from_fn(|axis| pos[axis].max(old[axis])),
    )
}
