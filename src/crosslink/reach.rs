//! Whole views: all that a viewer can have in view, found anew. Needed for viewers that just came,
//! changed, or jumped; many at once where all are spawned in one update.

use core::hint::black_box;

use super::{
    Buffer, CrossLink, Found, Id, Workers,
    block::{Axis, Block, LANES, Lanes, Look, lanes},
    delta,
    kernel::{BATCH, Hit, near_box, reached, within_each},
    view::{Viewer, widened},
};

/// What a member is called outside.
pub(crate) trait Name: Copy + Ord + Send + 'static {}

impl<N: Copy + Ord + Send + 'static> Name for N {}

/// Whom a viewer reaches: a part of the list in [`Reaches`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reach {
    pub viewer: Id,
    /// It was no member at the last update.
    pub new: bool,
    pub from: usize,
    pub near: u32,
    margin: u32,
}

/// Viewers whose reach is fetched ahead.
pub(crate) const FETCHED: usize = 32;

/// Viewers of a block that are worth an order of all around it.
const CROWD: u32 = 6;

/// Whom some viewers reach, of several structures one after the other. One list for all of them: a list
/// each would be an allocation each.
#[derive(Debug)]
pub(crate) struct Reaches<N> {
    /// In no particular order of viewers.
    pub each: Buffer<Reach>,
    pub targets: Buffer<N>,
    /// Blocks around one block.
    around: Vec<u32>,
    /// Of one viewer.
    margin: Vec<N>,
}

impl<N> Default for Reaches<N> {
    fn default() -> Self {
        Self {
            each: Buffer::default(),
            targets: Buffer::default(),
            around: Vec::new(),
            margin: Vec::new(),
        }
    }
}

impl<N: Copy> Reaches<N> {
    pub fn clear(&mut self) {
        self.each.recycle();
        self.targets.recycle();
    }

    /// Targets within the narrower bound, ascending.
    pub fn near(&self, reach: &Reach) -> &[N] {
        &self.targets[reach.from..][..reach.near as usize]
    }

    /// Targets between the narrower and the wider bound, ascending: in view are those that were in view.
    pub fn margin(&self, reach: &Reach) -> &[N] {
        &self.targets[reach.from + reach.near as usize..][..reach.margin as usize]
    }

    /// Touches what some viewers reach: it was found in the order of space and is asked for in that of
    /// the viewers, so it lies anywhere in memory. To touch it in a short loop lets the processor fetch
    /// it side by side.
    pub fn fetch<'a>(&self, some: impl Iterator<Item = &'a Reach> + Clone) {
        black_box(some.clone().count());
        let touch = |reach| {
            let near = self.near(reach);
            black_box(near.first().copied());
            black_box(near.last().copied());
        };
        some.for_each(touch);
    }
}

impl<N: Name> Found for Reaches<N> {
    fn append(&mut self, other: &mut Self) {
        let by = self.targets.len();
        self.each.extend(other.each.drain(..).map(|reach| Reach {
            from: reach.from + by,
            ..reach
        }));
        self.targets.append(&mut other.targets);
    }
}

/// All that the viewers of a block can reach, in the order of their names.
///
/// What one viewer reaches would have to be sorted for each; sorted once for all of a block, what each
/// finds is in order. That saved a quarter of the plugin's `Detect` where 100 000 come at once.
struct Crowd<N, const D: usize> {
    /// With block and lane.
    found: Vec<(N, u32, u32)>,
    /// Positions, as in a row of blocks.
    axes: Vec<[Axis; D]>,
    /// Of one viewer: lanes within the narrower bound, and within the wider.
    within: Vec<(Lanes, Lanes)>,
}

impl<N: Name, const D: usize> Crowd<N, D> {
    fn new() -> Self {
        Self {
            found: Vec::new(),
            axes: Vec::new(),
            within: Vec::new(),
        }
    }

    /// Gathers all targets that the viewers of a block can reach, if they are all alike.
    fn gather(
        &mut self,
        link: &CrossLink<D>,
        a: &Block<D>,
        around: &[u32],
        name: impl Fn(Id) -> N,
    ) -> bool {
        let Look::Same(viewer) = &a.look else {
            return false;
        };
        self.found.clear();
        for &block in around {
            let b = &link.blocks[block as usize];
            if b.targets == 0 {
                continue;
            }
            if b.extra != 0.0 || viewer.sees & b.layers == 0 {
                return false;
            }
            let lanes = lanes(near_box(viewer, (a.lo, a.hi), &b.pos) & b.targets);
            let found = lanes.map(|lane| (name(b.ids[lane]), block, lane as u32));
            self.found.extend(found);
        }
        self.found.sort_unstable_by_key(|found| found.0);
        self.axes.clear();
        let chunks = self.found.chunks(LANES).map(|some| {
            let mut axes = [Axis([f32::NAN; LANES]); D];
            for (to, &(_, block, lane)) in some.iter().enumerate() {
                let at = link.blocks[block as usize].position(lane as usize);
                for axis in 0..D {
                    axes[axis][to] = at[axis];
                }
            }
            axes
        });
        self.axes.extend(chunks);
        true
    }

    /// Appends whom one of the viewers reaches, within the narrower bound and beyond.
    fn ask(
        &mut self,
        (own, viewer, at): (N, &Viewer<D>, [f32; D]),
        [near, margin]: [&mut Vec<N>; 2],
    ) {
        within_each(viewer, at, &self.axes, &mut self.within);
        for (some, &(is_near, is_wide)) in self.found.chunks(LANES).zip(&self.within) {
            for (among, list) in [(is_near, &mut *near), (is_wide & !is_near, &mut *margin)] {
                // Filled in one go: to ask each time whether there is room took longer.
                let from = list.len();
                list.resize(from + among.count_ones() as usize, own);
                let mut count = from;
                for lane in lanes(among) {
                    let name = some[lane].0;
                    list[count] = name;
                    count += usize::from(name != own);
                }
                list.truncate(count);
            }
        }
    }
}

impl<const D: usize> CrossLink<D> {
    /// Finds whom the dirty viewers of the common class reach, block by block: what
    /// is around a block is looked up once, and was just read for the block before. When 100 000 come
    /// at once, that saves a fifth of the time of the plugin's `Detect`.
    pub(super) fn reaches<N: Name>(
        &self,
        workers: &impl Workers,
        name: impl Fn(Id) -> N + Sync,
        out: &mut Reaches<N>,
    ) {
        let reach = widened(self.classes.reach());
        workers.find(self.listed.len(), out, |range, out| {
            let mut crowd = Crowd::new();
            let Reaches {
                each,
                targets,
                around,
                margin,
            } = out;
            for &index in &self.listed[range] {
                let a = &self.blocks[index as usize];
                let among = a.dirty & a.viewers;
                if among == 0 {
                    continue;
                }
                around.clear();
                around.extend(self.rows.near(a.lo, a.hi, reach));
                let crowded = among.count_ones() >= CROWD
                    && self.classes.far_targets().is_empty()
                    && crowd.gather(self, a, around, &name);
                let of_block = each.len();
                for lane in lanes(among) {
                    let (id, at) = (a.ids[lane], a.position(lane));
                    // The member lies anywhere in memory: not to read it saved a twentieth of `Detect`
                    // where all come at once.
                    let viewer = match &a.look {
                        Look::Same(viewer) => viewer,
                        _ => match &self.members[id].viewer {
                            Some(viewer) => viewer,
                            None => continue,
                        },
                    };
                    let from = targets.len();
                    if crowded {
                        crowd.ask((name(id), viewer, at), [targets, margin]);
                    } else {
                        let mut found = |target, is_near| {
                            if is_near {
                                targets.push(name(target));
                            } else {
                                margin.push(name(target));
                            }
                        };
                        for some in around.chunks(BATCH) {
                            self.reach_among((id, viewer, at), some, &mut found);
                        }
                        self.reach_far((id, at), &mut found);
                        targets[from..].sort_unstable();
                        margin.sort_unstable();
                    }
                    each.push(Reach {
                        viewer: id,
                        new: false,
                        from,
                        near: (targets.len() - from) as u32,
                        margin: margin.len() as u32,
                    });
                    targets.append(margin);
                }
                // The members lie anywhere: asked in a short loop they are fetched side by side.
                for reach in &mut each[of_block..] {
                    reach.new = self.members[reach.viewer].new;
                }
            }
        });
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
        self.reach_far((id, at), &mut found);
    }

    /// [`targets_in_reach`](Self::targets_in_reach) among the common members of at most [`BATCH`]
    /// blocks. The viewer may see more layers than are said here.
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
                self.ask_each((id, at), b, wide, found);
            }
        }
    }

    /// The same among the members of the far class.
    fn reach_far(&self, (id, at): (Id, [f32; D]), found: &mut impl FnMut(Id, bool)) {
        for &target in self.classes.far_targets() {
            if let Some(slot) = self.slot(target) {
                let b = &self.blocks[slot.block as usize];
                self.ask_each((id, at), b, 1 << slot.lane, found);
            }
        }
    }

    /// The same among some lanes, each by its layers and extra range.
    fn ask_each(
        &self,
        (id, at): (Id, [f32; D]),
        b: &Block<D>,
        among: Lanes,
        found: &mut impl FnMut(Id, bool),
    ) {
        let Some(viewer) = &self.members[id].viewer else {
            return;
        };
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
