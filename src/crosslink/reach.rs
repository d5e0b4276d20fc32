//! Whole views: all that a viewer can have in view, found anew. Needed for viewers that just came,
//! changed, or jumped; many at once where all are spawned in one update.

use core::hint::black_box;

use super::{
    Candidates, CrossLink, Id, Workers,
    block::{Block, Lanes, lanes},
    delta,
    kernel::{BATCH, Hit, reached},
    recycle,
    view::{Viewer, widened},
};

/// Whom a viewer reaches: a part of the list in [`Reaches`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reach {
    pub viewer: Id,
    near: u32,
    margin: u32,
    from: usize,
}

/// Viewers whose reach is fetched ahead.
pub(crate) const FETCHED: usize = 32;

/// Whom some viewers reach. One list for all of them: a list each would be an allocation each.
#[derive(Debug, Default)]
pub(crate) struct Reaches {
    /// In no particular order of viewers.
    pub each: Vec<Reach>,
    targets: Vec<Id>,
    /// Blocks around one block.
    around: Vec<u32>,
    /// Of one viewer.
    margin: Vec<Id>,
}

impl Reaches {
    pub fn clear(&mut self) {
        recycle(&mut self.each);
        recycle(&mut self.targets);
    }

    /// Targets within the narrower bound, in no particular order.
    pub fn near(&self, reach: &Reach) -> &[Id] {
        &self.targets[reach.from..][..reach.near as usize]
    }

    /// Targets between the narrower and the wider bound, in no particular order: in view are those
    /// that were in view.
    pub fn margin(&self, reach: &Reach) -> &[Id] {
        &self.targets[reach.from + reach.near as usize..][..reach.margin as usize]
    }

    /// Touches what some viewers reach: it was found in the order of space and is asked for in that of
    /// the viewers, so it lies anywhere in memory. To touch it in a short loop lets the processor fetch
    /// it side by side.
    pub fn fetch<'a>(&self, some: impl Iterator<Item = &'a Reach> + Clone) {
        black_box(some.clone().count());
        let touch = |reach| {
            let near = self.near(reach);
            let ends = near.first().into_iter().chain(near.last());
            ends.fold(0, |a, b| a ^ b)
        };
        black_box(some.fold(0, |a, reach| a ^ touch(reach)));
    }

    /// Appends what another part of the work found.
    pub fn append(&mut self, other: &mut Self) {
        let by = self.targets.len();
        self.each.extend(other.each.drain(..).map(|reach| Reach {
            from: reach.from + by,
            ..reach
        }));
        self.targets.append(&mut other.targets);
    }
}

impl<const D: usize> CrossLink<D> {
    /// Finds whom the viewers of [`whole_by_block`](Self::whole_by_block) reach, block by block: what
    /// is around a block is looked up once, and was just read for the block before. When 100 000 come
    /// at once, that saves a fifth of the time of the plugin's `Detect`.
    pub(super) fn reaches(&self, workers: &impl Workers, out: &mut Candidates) {
        let reach = widened(self.classes.reach());
        workers.find(self.listed.len(), out, |range, out| {
            let Reaches {
                each,
                targets,
                around,
                margin,
            } = &mut out.reaches;
            for &index in &self.listed[range] {
                let a = &self.blocks[index as usize];
                let among = a.dirty & a.viewers;
                if among == 0 {
                    continue;
                }
                around.clear();
                around.extend(self.rows.near(a.lo, a.hi, reach));
                for lane in lanes(among) {
                    let (id, at) = (a.ids[lane], a.position(lane));
                    let Some(viewer) = &self.members[id].viewer else {
                        continue;
                    };
                    let from = targets.len();
                    let mut found = |target, is_near| {
                        if is_near {
                            targets.push(target);
                        } else {
                            margin.push(target);
                        }
                    };
                    for some in around.chunks(BATCH) {
                        self.reach_among((id, viewer, at), some, &mut found);
                    }
                    self.reach_far((id, viewer, at), &mut found);
                    each.push(Reach {
                        viewer: id,
                        near: (targets.len() - from) as u32,
                        margin: margin.len() as u32,
                        from,
                    });
                    targets.append(margin);
                }
            }
        });
    }

    /// Whether a viewer whose whole view is a candidate is among those that
    /// [`reaches`](Self::reaches) finds.
    pub(super) fn whole_by_block(&self, id: Id) -> bool {
        self.slot(id)
            .is_some_and(|slot| self.blocks[slot.block as usize].viewers >> slot.lane & 1 == 1)
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
        let reach = widened(viewer.reach() + self.classes.common_target());
        let mut near = self.rows.near(at, at, reach);
        let (mut some, mut last) = ([0; BATCH], false);
        while !last {
            let full;
            (full, last) = near.fill(&mut some);
            self.reach_among((id, viewer, at), &some[..full], &mut found);
        }
        self.reach_far((id, viewer, at), &mut found);
    }

    /// [`targets_in_reach`](Self::targets_in_reach) among the common members of at most [`BATCH`]
    /// blocks.
    fn reach_among(
        &self,
        (id, viewer, at): (Id, &Viewer<D>, [f32; D]),
        some: &[u32],
        found: &mut impl FnMut(Id, bool),
    ) {
        let mut hits = [Hit::default(); BATCH];
        let count = reached(viewer, at, some, &self.blocks, &mut hits);
        for &Hit { block, near, wide } in &hits[..count] {
            let b = &self.blocks[block as usize];
            if viewer.sees & b.layers != 0 && b.extra == 0.0 {
                for lane in lanes(wide) {
                    if b.ids[lane] != id {
                        found(b.ids[lane], near >> lane & 1 == 1);
                    }
                }
            } else {
                self.ask_each((id, viewer, at), b, wide, found);
            }
        }
    }

    /// The same among the members of the far class.
    fn reach_far(
        &self,
        (id, viewer, at): (Id, &Viewer<D>, [f32; D]),
        found: &mut impl FnMut(Id, bool),
    ) {
        for &target in self.classes.far_targets() {
            if let Some(slot) = self.slot(target) {
                let b = &self.blocks[slot.block as usize];
                self.ask_each((id, viewer, at), b, 1 << slot.lane, found);
            }
        }
    }

    /// The same among some lanes, each by its layers and extra range.
    fn ask_each(
        &self,
        (id, viewer, at): (Id, &Viewer<D>, [f32; D]),
        b: &Block<D>,
        among: Lanes,
        found: &mut impl FnMut(Id, bool),
    ) {
        for lane in lanes(among) {
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
        }
    }
}
