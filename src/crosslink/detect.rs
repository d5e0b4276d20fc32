//! From positions to changes, without building a neighbour set.
//!
//! Two ways yield *candidates*; whether a candidate pair is in view is decided elsewhere, by one
//! function, against the relation that holds. Where positions and layers alone say what was and what is
//! in view, which is nearly always, the answer is given here, by the same arithmetic (`view.rs`).
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
//! The *dirty way* serves a member that is new or gone, has other parameters, or jumped further than
//! the walk looks: see `dirty.rs` and `reach.rs`.
//!
//! Members of the far classes (see `classes.rs`) look for themselves, in both ways.

use core::ops::Range;

use super::{
    Buffer, CrossLink, Id,
    block::{Block, LANES, Lanes, Look, lanes},
    delta,
    kernel::{
        BATCH, Prepare, Settle, all_alike, around, crossed, least, moved_pairs, on_verge, touch,
        undecided, with_area, worth_a_look,
    },
    reach::{Name, Reaches},
    view::{Area, Boxed, Round, Shape, Upright, Viewer, widened},
};

/// Pairs that may have come into view or dropped out since the last update.
#[derive(Debug, Default)]
pub(crate) struct Candidates {
    /// Viewer and target; some twice, most truly changed.
    pub pairs: Buffer<(Id, Id)>,
    /// Pairs of which it is certain that they came into view, if nothing but layers and distance
    /// counts: without a margin the old positions say who was in view. None twice, and none of
    /// them is in `pairs` or among those of `whole`.
    pub came: Buffer<(Id, Id)>,
    /// Likewise, who dropped out of view by distance.
    pub went: Buffer<(Id, Id)>,
    /// Pairs that were between the bounds, where only the relation knows who is in view, and whether they
    /// are in view now. None twice, and none of them is in `pairs` or among those of `whole`.
    pub margin: Buffer<(Id, Id, bool)>,
    /// Viewers of which every pair in view is a candidate, and every one of those that
    /// [`targets_in_reach`](CrossLink::targets_in_reach) finds.
    pub whole: Buffer<Id>,
    /// How many pairs of members the distance test was done for.
    pub tested: u64,
    /// How many members stand elsewhere.
    pub moved: usize,
    /// Whether they are to be listed.
    pub list_moved: bool,
    /// Their ids, those that were taken out and put back aside.
    pub moved_ids: Buffer<Id>,
    /// Whether anything moved or was changed.
    pub touched: bool,
}

impl Candidates {
    pub fn clear(&mut self) {
        self.clear_pairs();
        self.tested = 0;
        self.moved = 0;
        self.moved_ids.recycle();
        self.touched = false;
    }

    pub fn clear_pairs(&mut self) {
        self.pairs.recycle();
        self.came.recycle();
        self.went.recycle();
        self.margin.recycle();
        self.whole.recycle();
    }
}

/// What parts of the work find.
pub(crate) trait Found: Default + Send + 'static {
    /// Appends what another part of the work found.
    fn append(&mut self, other: &mut Self);
}

/// Nothing.
impl Found for () {
    fn append(&mut self, (): &mut Self) {}
}

impl Found for Candidates {
    fn append(&mut self, other: &mut Self) {
        self.pairs.append(&mut other.pairs);
        self.came.append(&mut other.came);
        self.went.append(&mut other.went);
        self.margin.append(&mut other.margin);
        self.whole.append(&mut other.whole);
        self.tested += other.tested;
    }
}

/// Who does the work: one thread, or several that share it.
pub(crate) trait Workers {
    /// Runs `work` for all of `0..count`, in parts, and appends what the parts find in their order.
    fn find<F: Found>(&self, count: usize, out: &mut F, work: impl Fn(Range<usize>, &mut F) + Sync);

    /// Runs `work` for all items, in parts, each with the index of its first, and appends what the parts
    /// find in their order.
    fn each<T: Send, F: Found>(
        &self,
        items: &mut [T],
        out: &mut F,
        work: impl Fn(usize, &mut [T], &mut F) + Sync,
    );
}

/// One thread.
pub(crate) struct Alone;

impl Workers for Alone {
    fn find<F: Found>(
        &self,
        count: usize,
        out: &mut F,
        work: impl Fn(Range<usize>, &mut F) + Sync,
    ) {
        work(0..count, out);
    }

    fn each<T: Send, F: Found>(
        &self,
        items: &mut [T],
        out: &mut F,
        work: impl Fn(usize, &mut [T], &mut F) + Sync,
    ) {
        work(0, items, out);
    }
}

impl<const D: usize> CrossLink<D> {
    /// Appends the candidates since the last call and makes the present positions the settled
    /// ones. Without any change it costs O(1). Candidates and their order do not depend on who
    /// does the work.
    ///
    /// `reaches` are more viewers like those of [`Candidates::whole`], with those that `targets_in_reach`
    /// would find, under their names.
    pub(crate) fn detect<N: Name>(
        &mut self,
        workers: &impl Workers,
        name: impl Fn(Id) -> N + Sync,
        out: &mut Candidates,
        reaches: &mut Reaches<N>,
    ) {
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
        self.reaches(workers, name, reaches);
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
                let block = &mut self.blocks[index];
                block.gone = f32::NAN;
                block.prepare();
                block.tighten();
            }
            self.slack = self.slack.max(self.blocks[index].gone);
        }
    }

    /// Runs `work`, which passes over blocks that are not listed, for all that are.
    fn each_listed(&mut self, workers: &impl Workers, work: impl Fn(&mut [Block<D>]) + Sync) {
        if self.most_are_listed() {
            workers.each(&mut self.blocks, &mut (), |_, blocks, ()| work(blocks));
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
        let around = |index: u32, cold: bool, out: &mut Candidates| {
            let a = &self.blocks[index as usize];
            if a.movers == 0 || (a.viewers | a.targets) == 0 {
                return;
            }
            let mut near = self.rows.near(a.lo, a.hi, reach);
            let (mut some, mut last) = ([0; BATCH], false);
            while !last {
                let full;
                (full, last) = near.fill(&mut some);
                let some = &some[..full];
                if cold {
                    touch(&self.blocks, some);
                }
                for &other in some {
                    let b = &self.blocks[other as usize];
                    if b.movers == 0 || index <= other {
                        self.meet(a, b, index == other, out);
                    }
                }
            }
        };
        if self.most_are_listed() {
            // In the order of the memory, which is nearly that of the lists, and not in that of the
            // moves: what is near was just read. That saved a third with a million members.
            workers.find(self.blocks.len(), out, |range, out| {
                range.for_each(|index| around(index as u32, false, out));
            });
        } else {
            workers.find(self.listed.len(), out, |range, out| {
                self.listed[range]
                    .iter()
                    .for_each(|&index| around(index, true, out));
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
        if a.viewers != 0
            && b.viewers != 0
            && let (Look::Same(viewer), Look::Same(other)) = (&a.look, &b.look)
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
            ((false, true), (true, _) | (_, false)) => {
                out.margin.push((pair.0, pair.1, now.0));
            }
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
        for &target in self.classes.far_targets() {
            let Some(at) = self.slot(target).filter(|_| target != id) else {
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
            let member = &mut self.members[was.id];
            (member.dirty, member.new) = (false, false);
            if now.is_none() {
                self.slots.release(was.id);
                self.members.release(was.id);
                self.places.release(was.id);
            }
        }
        changed.recycle();
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
        self.listed.recycle();
        self.slack = 0.0;
    }
}
