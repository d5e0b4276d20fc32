//! Reading the structure: radius, box, nearest, and walks along an axis. Nothing is written, so
//! any number of threads may ask at once.

use super::{
    CrossLink, Id, Lanes,
    block::{BITS, Block, LANES},
    delta, lanes,
    rows::Near,
    squared,
    view::widened,
};
use core::cmp::Reverse;
use smallvec::SmallVec;
use std::collections::BinaryHeap;

/// Which members a query is for.
#[derive(Debug, Clone, Copy)]
enum Who {
    All,
    Viewers,
    /// Those that are on some of these layers, if any are named.
    Targets(Option<u32>),
}

impl<const D: usize> CrossLink<D> {
    /// Members within `radius` of `id`, bound included, without itself, in no particular order.
    /// An unknown id, a negative or NaN radius: nothing. O(log n) plus what it passes.
    pub fn neighbors_in_radius(&self, id: Id, radius: f32) -> impl Iterator<Item = Id> + '_ {
        let center = self.position(id).unwrap_or([f32::NAN; D]);
        self.within_radius(center, radius)
            .filter(move |&other| other != id)
    }

    /// Members within `radius` of a point, bound included, in no particular order. A
    /// coordinate that is not finite, a negative or NaN radius: nothing.
    pub fn within_radius(&self, center: [f32; D], radius: f32) -> impl Iterator<Item = Id> + '_ {
        self.ball(center, radius, Who::All)
    }

    /// Viewers within `radius` of a point.
    pub(crate) fn viewers_within(
        &self,
        center: [f32; D],
        radius: f32,
    ) -> impl Iterator<Item = Id> + '_ {
        self.ball(center, radius, Who::Viewers)
    }

    /// Targets within `radius` of a point, on some of the layers if any are named.
    pub(crate) fn targets_within(
        &self,
        center: [f32; D],
        radius: f32,
        layers: Option<u32>,
    ) -> impl Iterator<Item = Id> + '_ {
        self.ball(center, radius, Who::Targets(layers))
    }

    fn ball(&self, center: [f32; D], radius: f32, who: Who) -> Found<'_, Ball<D>, D> {
        let ball = Ball {
            center,
            square: radius * radius,
        };
        let valid = radius >= 0.0 && center.iter().all(|x| x.is_finite());
        let near = self.rows.near(center, center, widened(radius));
        Found::new(self, ball, who, valid.then_some(near))
    }

    /// Members within a box, bounds included, in no particular order. A NaN bound, or one corner
    /// beyond the other: nothing.
    pub fn within_box(&self, min: [f32; D], max: [f32; D]) -> impl Iterator<Item = Id> + '_ {
        self.cuboid(min, max, Who::All)
    }

    /// Targets within a box, on some of the layers if any are named.
    pub(crate) fn targets_in_box(
        &self,
        min: [f32; D],
        max: [f32; D],
        layers: Option<u32>,
    ) -> impl Iterator<Item = Id> + '_ {
        self.cuboid(min, max, Who::Targets(layers))
    }

    fn cuboid(&self, min: [f32; D], max: [f32; D], who: Who) -> Found<'_, Cuboid<D>, D> {
        let valid = (0..D).all(|axis| min[axis] <= max[axis]);
        let near = self.rows.near(min, max, 0.0);
        Found::new(self, Cuboid { min, max }, who, valid.then_some(near))
    }

    /// Those among some lanes of a block that a query is for.
    fn among(&self, who: Who, block: &Block<D>, found: Lanes) -> Lanes {
        // What the block knows of all its lanes spares a look at each member: that saved half of
        // a query for targets.
        let (sure, rest) = match who {
            Who::All => return found,
            Who::Viewers => (found & block.viewers, found & !block.viewers),
            Who::Targets(mask) => {
                let common = found & block.targets;
                // Targets of the far class are in no mask.
                let far = if self.classes.far().is_empty() {
                    0
                } else {
                    found & !common
                };
                if mask.is_none_or(|mask| mask & block.layers != 0) {
                    (common, far)
                } else {
                    (0, common | far)
                }
            }
        };
        let counts = |&lane: &usize| {
            let member = &self.members[block.ids[lane]];
            match who {
                Who::All => true,
                Who::Viewers => member.viewer.is_some(),
                Who::Targets(mask) => member
                    .target
                    .is_some_and(|target| mask.is_none_or(|mask| mask & target.layers != 0)),
            }
        };
        lanes(rest)
            .filter(counts)
            .fold(sure, |sure, lane| sure | 1 << lane)
    }

    /// The `k` nearest members of a point, nearest first, ties by id. A coordinate that is not
    /// finite: nothing. O(log n + k log k) where density is even.
    pub fn nearest(&self, center: [f32; D], k: usize) -> Vec<Id> {
        self.nearest_by(center, k, Who::All, |id| id)
    }

    /// The `k` nearest targets, on some of the layers if any are named, as keys; ties by key.
    pub(crate) fn nearest_targets<K: Ord + Copy>(
        &self,
        center: [f32; D],
        k: usize,
        layers: Option<u32>,
        key: impl Fn(Id) -> K,
    ) -> Vec<K> {
        self.nearest_by(center, k, Who::Targets(layers), key)
    }

    /// The `k` nearest among some members, as keys; ties by key. Distances are compared as squares.
    fn nearest_by<K: Ord + Copy>(
        &self,
        center: [f32; D],
        k: usize,
        who: Who,
        key: impl Fn(Id) -> K,
    ) -> Vec<K> {
        if k == 0 || self.is_empty() || !center.iter().all(|x| x.is_finite()) {
            return Vec::new();
        }
        // Square and id in one number. Squares as bits are in order too, for none is negative or NaN.
        let mut nearest: SmallVec<[u64; 32]> = SmallVec::new();
        let square_of = |entry: u64| (entry >> 32) as u32;
        let mut batch = Batch::new();
        let mut radius = self.radius_of(center, k);
        loop {
            nearest.clear();
            let mut most = k.max(16).saturating_mul(4);
            let mut ball = Ball {
                center,
                square: radius * radius,
            };
            let mut near = Some(self.rows.near(center, center, widened(radius)));
            let mut passed = 0;
            while near.is_some() {
                passed += pulp::Arch::new().dispatch(Test {
                    blocks: &self.blocks,
                    region: ball,
                    near: &mut near,
                    batch: &mut batch,
                });
                for (block, found) in batch.iter() {
                    let block = &self.blocks[block as usize];
                    for lane in lanes(self.among(who, block, found)) {
                        let square = squared(delta(center, block.position(lane)));
                        let entry = u64::from(square.to_bits()) << 32 | u64::from(block.ids[lane]);
                        nearest.push(entry);
                    }
                }
                // Where far more were found than asked for, those beyond them no longer count:
                // among crowded towns that saved half.
                if nearest.len() > most {
                    keep_least(&mut nearest, k);
                    ball.square = f32::from_bits(square_of(nearest[k - 1]));
                    most = most.max(2 * nearest.len());
                }
            }
            if nearest.len() >= k || passed == self.len {
                break;
            }
            radius *= 2.0;
        }
        if nearest.len() > k {
            keep_least(&mut nearest, k);
        }
        nearest.sort_unstable();
        let mut keys: Vec<_> = nearest.iter().map(|&entry| key(entry as Id)).collect();
        let mut rest = keys.as_mut_slice();
        for ties in nearest.chunk_by(|&a, &b| square_of(a) == square_of(b)) {
            let (head, tail) = rest.split_at_mut(ties.len());
            head.sort_unstable();
            rest = tail;
        }
        keys.truncate(k);
        keys
    }

    /// A radius that is likely to hold `k` members, and few more, by how dense the block is that the
    /// point belongs to: a second pass is rare, which saved half of a query.
    fn radius_of(&self, center: [f32; D], k: usize) -> f32 {
        let near = |reach| self.rows.near(center, center, reach).next();
        let first = || self.rows.iter().next().map(|row| self.rows.blocks(row)[0]);
        let height = self.rows.height().min(f64::from(f32::MAX)) as f32;
        let Some(block) = near(0.0).or_else(|| near(height)).or_else(first) else {
            return 1.0;
        };
        let block = &self.blocks[block as usize];
        let extent = delta(block.lo, block.hi);
        let len = block.len as f32;
        // On a line as if each had a square for itself.
        let least = extent.into_iter().fold(0.0, f32::max) / len;
        let volume: f32 = extent.map(|extent| extent.max(least)).into_iter().product();
        let share = volume * (SPARE * k as f32 / len);
        let radius = if D == 2 { share.sqrt() } else { share.cbrt() };
        let (below, above) = (delta(center, block.lo), delta(block.hi, center));
        let away = core::array::from_fn::<_, D, _>(|axis| below[axis].max(above[axis]).max(0.0));
        (squared(away).sqrt().min(height) + radius).clamp(1e-18, 1e18)
    }

    /// All members along an axis, ascending by coordinate, then id. O(n / 32) to begin, then
    /// O(log n) a step; bands are merged and blocks sorted on the way.
    ///
    /// An axis that the structure does not have: nothing.
    pub fn walk(&self, axis: usize) -> impl Iterator<Item = (f32, Id)> + '_ {
        Walk::<D, true>::new(self, axis, None)
    }

    /// The members after `id` in the order of [`walk`](Self::walk). An unknown id: nothing.
    pub fn walk_up(&self, id: Id, axis: usize) -> impl Iterator<Item = (f32, Id)> + '_ {
        let from = self.position(id).map(|at| (at.get(axis).copied(), id));
        from.into_iter()
            .flat_map(move |(at, id)| Walk::<D, true>::new(self, axis, at.map(|at| (at, id))))
    }

    /// The members before `id` in the order of [`walk`](Self::walk), the last one first. An
    /// unknown id: nothing.
    pub fn walk_down(&self, id: Id, axis: usize) -> impl Iterator<Item = (f32, Id)> + '_ {
        let from = self.position(id).map(|at| (at.get(axis).copied(), id));
        from.into_iter()
            .flat_map(move |(at, id)| Walk::<D, false>::new(self, axis, at.map(|at| (at, id))))
    }
}

/// A part of space.
trait Region<const D: usize>: Copy {
    /// Whether a position is in it; NaN never is.
    fn holds(&self, at: [f32; D]) -> bool;
}

#[derive(Clone, Copy)]
struct Ball<const D: usize> {
    center: [f32; D],
    square: f32,
}

impl<const D: usize> Region<D> for Ball<D> {
    #[inline(always)]
    fn holds(&self, at: [f32; D]) -> bool {
        squared(delta(self.center, at)) <= self.square
    }
}

#[derive(Clone, Copy)]
struct Cuboid<const D: usize> {
    min: [f32; D],
    max: [f32; D],
}

impl<const D: usize> Region<D> for Cuboid<D> {
    #[inline(always)]
    fn holds(&self, at: [f32; D]) -> bool {
        (0..D).fold(true, |holds, axis| {
            holds & (self.min[axis] <= at[axis]) & (at[axis] <= self.max[axis])
        })
    }
}

/// Keeps the `k` least of more, the greatest of them at the `k`-th place, and behind it those that are as
/// far away: their keys will decide.
fn keep_least(found: &mut SmallVec<[u64; 32]>, k: usize) {
    found.select_nth_unstable(k - 1);
    let (bound, mut kept) = (found[k - 1] >> 32, k);
    for at in k..found.len() {
        if found[at] >> 32 == bound {
            found.swap(at, kept);
            kept += 1;
        }
    }
    found.truncate(kept);
}

/// Share of its square (cube) that a radius is to make up for one member each. Measured with 8 of
/// 100 000: 0.45 and 0.8 took a tenth longer, since the first radius was too small or held too many.
const SPARE: f32 = 0.52;

/// Blocks that are tested in one go; one dispatch serves them all.
const BATCH: usize = 16;

/// The members that a query finds. Blocks are tested some at a time, when they are asked for.
struct Found<'a, R, const D: usize> {
    link: &'a CrossLink<D>,
    region: R,
    who: Who,
    /// Blocks that are still to be tested.
    near: Option<Near<'a, D>>,
    batch: Batch,
    /// Those of the batch that were told of.
    told: usize,
    /// Of the block that is told of, ids, and lanes that are still to be told of.
    ids: Option<&'a [Id; LANES]>,
    lanes: Lanes,
}

/// Blocks that were tested, and which lanes were found.
struct Batch {
    blocks: [u32; BATCH],
    found: [Lanes; BATCH],
    full: usize,
}

impl Batch {
    fn new() -> Self {
        Self {
            blocks: [0; BATCH],
            found: [0; BATCH],
            full: 0,
        }
    }

    /// Blocks and lanes.
    fn iter(&self) -> impl Iterator<Item = (u32, Lanes)> + '_ {
        let found = self.found.iter().copied();
        self.blocks.iter().copied().zip(found).take(self.full)
    }
}

impl<'a, R: Region<D>, const D: usize> Found<'a, R, D> {
    #[inline]
    fn new(link: &'a CrossLink<D>, region: R, who: Who, near: Option<Near<'a, D>>) -> Self {
        Self {
            link,
            region,
            who,
            near,
            batch: Batch::new(),
            told: 0,
            ids: None,
            lanes: 0,
        }
    }

    /// Tests some more blocks; none if that is all.
    #[inline(never)]
    fn refill(&mut self) -> Option<()> {
        let (link, batch) = (self.link, &mut self.batch);
        pulp::Arch::new().dispatch(Test {
            blocks: &link.blocks,
            region: self.region,
            near: &mut self.near,
            batch,
        });
        if !matches!(self.who, Who::All) {
            for (&block, found) in batch.blocks.iter().zip(&mut batch.found).take(batch.full) {
                *found = link.among(self.who, &link.blocks[block as usize], *found);
            }
        }
        self.told = 0;
        (batch.full > 0).then_some(())
    }
}

impl<R: Region<D>, const D: usize> Iterator for Found<'_, R, D> {
    type Item = Id;

    // Small enough to be inlined since `refill` is not: that saved a twentieth of a query.
    #[inline(always)]
    fn next(&mut self) -> Option<Id> {
        while self.lanes == 0 {
            if self.told >= self.batch.full {
                self.refill()?;
            }
            let block = self.batch.blocks[self.told];
            self.ids = Some(&self.link.blocks[block as usize].ids);
            self.lanes = self.batch.found[self.told];
            self.told += 1;
        }
        let lane = self.lanes.trailing_zeros() as usize;
        self.lanes &= self.lanes - 1;
        Some(self.ids?[lane])
    }
}

/// Fills a batch, as far as there are blocks near; how many members are in the region.
///
/// All lanes are tested, and no box of a block: a look at the boxes first, to pass over blocks that are
/// out of reach or take them whole, took an eighth longer.
struct Test<'a, 'b, R, const D: usize> {
    blocks: &'b [Block<D>],
    region: R,
    near: &'b mut Option<Near<'a, D>>,
    batch: &'b mut Batch,
}

impl<R: Region<D>, const D: usize> pulp::NullaryFnOnce for Test<'_, '_, R, D> {
    type Output = usize;

    #[inline(always)]
    fn call(self) -> usize {
        let Batch {
            blocks,
            found,
            full,
        } = self.batch;
        // First all blocks, then all tests: nothing in between keeps the processor from fetching the
        // positions of several blocks at once.
        *full = 0;
        if let Some(near) = self.near {
            let last;
            (*full, last) = near.fill(blocks);
            if last {
                *self.near = None;
            }
        }
        let mut passed = 0;
        for (&block, found) in blocks.iter().zip(found).take(*full) {
            let block = &self.blocks[block as usize];
            let mut lanes = 0;
            for (lane, bit) in BITS.into_iter().enumerate() {
                let at = core::array::from_fn(|axis| block.pos[axis][lane]);
                lanes |= if self.region.holds(at) { bit } else { 0 };
            }
            *found = lanes;
            passed += lanes.count_ones() as usize;
        }
        passed
    }
}

/// Best-first walk along an axis, over blocks, then their members.
struct Walk<'a, const D: usize, const UP: bool> {
    link: &'a CrossLink<D>,
    axis: usize,
    heap: BinaryHeap<Reverse<Step>>,
    after: Option<(Ordered, Id)>,
}

/// A coordinate in walking order.
#[derive(Clone, Copy)]
struct Ordered(f32);

impl PartialEq for Ordered {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ordered {}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> core::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// By coordinate; at one coordinate blocks first, since they may hold a member of a lesser id.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Step(Ordered, Node);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Node {
    Block(u32),
    Member(Id),
}

impl<'a, const D: usize, const UP: bool> Walk<'a, D, UP> {
    fn new(link: &'a CrossLink<D>, axis: usize, after: Option<(f32, Id)>) -> Self {
        let mut walk = Self {
            link,
            axis,
            heap: BinaryHeap::new(),
            after: after.map(|(at, id)| (Self::key(at), Self::turned(id))),
        };
        if axis < D {
            let blocks = link.rows.iter().flat_map(|row| link.rows.blocks(row));
            let steps = blocks.filter_map(|&index| {
                let block = &link.blocks[index as usize];
                let (near, far) = if UP {
                    (block.lo[axis], block.hi[axis])
                } else {
                    (block.hi[axis], block.lo[axis])
                };
                let behind = walk.after.is_some_and(|after| Self::key(far) < after.0);
                (!behind).then(|| Reverse(Step(Self::key(near), Node::Block(index))))
            });
            walk.heap = steps.collect();
        }
        walk
    }

    /// Ascending in walking order; both zeros are one.
    fn key(at: f32) -> Ordered {
        Ordered(if UP { at + 0.0 } else { 0.0 - at })
    }

    fn turned(id: Id) -> Id {
        if UP { id } else { !id }
    }
}

impl<const D: usize, const UP: bool> Iterator for Walk<'_, D, UP> {
    type Item = (f32, Id);

    fn next(&mut self) -> Option<(f32, Id)> {
        loop {
            let Reverse(Step(at, node)) = self.heap.pop()?;
            match node {
                Node::Member(id) => {
                    let at = if UP { at.0 } else { 0.0 - at.0 };
                    return Some((at, Self::turned(id)));
                }
                Node::Block(index) => {
                    let block = &self.link.blocks[index as usize];
                    for lane in 0..block.len {
                        let key = Self::key(block.pos[self.axis][lane]);
                        let id = Self::turned(block.ids[lane]);
                        if self.after.is_none_or(|after| after < (key, id)) {
                            self.heap.push(Reverse(Step(key, Node::Member(id))));
                        }
                    }
                }
            }
        }
    }
}
