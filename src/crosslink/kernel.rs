//! The inner loops of `detect.rs` and `dirty.rs`: one member, or one box, with all lanes of a block.
//!
//! Loops over all lanes of a block are compiled for several instruction sets, by `pulp`, which picks
//! one when the program runs. What they compute is the same on each: one rounding per operation.

#![expect(
    clippy::needless_range_loop,
    reason = "an index into several arrays is what becomes SIMD"
)]

use core::hint::black_box;

use super::{
    Buffer, Candidates, Found, Id, Place,
    block::{Axis, BITS, Block, LANES, Lanes, lanes},
    table::Table,
    view::{Area, Boxed, Round, Shape, Upright, Verge, Viewer, squared},
};

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
pub(super) use with_area;

/// Clean lanes of `a` that can be in a changed pair with a lane of `b`.
pub(super) fn moved_pairs<const D: usize>(a: &Block<D>, b: &Block<D>) -> Lanes {
    if b.movers == 0 {
        a.movers
    } else {
        a.used() & !a.dirty
    }
}

/// Whether one test for both directions pays: most see, and nobody is seen from further away.
pub(super) fn all_alike<const D: usize>(a: &Block<D>) -> bool {
    a.extra == 0.0 && a.viewers.count_ones() as usize * 2 > a.len
}

/// Those among some lanes of `a` that are on the verge to any lane of `b`.
pub(super) fn on_verge<const D: usize>(
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
pub(super) fn within<const D: usize>(
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

/// [`within`] for many lanes and targets without an extra range.
pub(super) fn within_each<const D: usize>(
    viewer: &Viewer<D>,
    at: [f32; D],
    all: &[[Axis; D]],
    found: &mut Vec<(Lanes, Lanes)>,
) {
    found.resize(all.len(), (0, 0));
    with_area!(viewer, 0.0, |area| pulp::Arch::new().dispatch(WithinEach {
        area,
        at,
        all,
        found
    }));
}

struct WithinEach<'a, A, const D: usize> {
    area: A,
    at: [f32; D],
    all: &'a [[Axis; D]],
    found: &'a mut [(Lanes, Lanes)],
}

impl<A: Area<D>, const D: usize> pulp::NullaryFnOnce for WithinEach<'_, A, D> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for (axes, found) in self.all.iter().zip(self.found) {
            let (area, at) = (self.area, self.at);
            *found = Within { area, at, axes }.call();
        }
    }
}

/// Lanes within the wider bound of a viewer that is somewhere in a box; all that are not in use as well.
pub(super) fn near_box<const D: usize>(
    viewer: &Viewer<D>,
    (lo, hi): ([f32; D], [f32; D]),
    axes: &[Axis; D],
) -> Lanes {
    with_area!(viewer, 0.0, |area| pulp::Arch::new().dispatch(NearBox {
        area,
        lo,
        hi,
        axes
    }))
}

struct NearBox<'a, A, const D: usize> {
    area: A,
    lo: [f32; D],
    hi: [f32; D],
    axes: &'a [Axis; D],
}

impl<A: Area<D>, const D: usize> pulp::NullaryFnOnce for NearBox<'_, A, D> {
    type Output = Lanes;

    #[inline(always)]
    fn call(self) -> Lanes {
        let mut near = 0;
        for lane in 0..LANES {
            let at = core::array::from_fn(|axis| self.axes[axis][lane]);
            let bounds = self.area.bounds(least(at, at, self.lo, self.hi));
            near |= if bounds.1 { BITS[lane] } else { 0 };
        }
        near
    }
}

/// Blocks that are tested together.
pub(super) const BATCH: usize = 16;

/// Reads what is looked at first in some blocks. They lie anywhere in memory, and to touch several in
/// a short loop lets the processor fetch them side by side.
pub(super) fn touch<const D: usize>(blocks: &[Block<D>], some: &[u32]) {
    let header = |&block: &u32| blocks[block as usize].movers;
    black_box(some.iter().map(header).fold(0, |a, b| a ^ b));
    let lines = |&block: &u32| {
        let b = &blocks[block as usize];
        (0..D)
            .flat_map(|axis| [b.pos[axis][0], b.pos[axis][LANES / 2]])
            .fold(0, |a, x| a ^ x.to_bits())
    };
    black_box(some.iter().map(lines).fold(0, |a, b| a ^ b));
}

/// Lanes of a block that a viewer reaches.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Hit {
    pub block: u32,
    pub near: Lanes,
    /// Those within the narrower bound as well.
    pub wide: Lanes,
}

/// The targets that a viewer reaches among at most [`BATCH`] blocks, and in how many of these. If
/// targets of a block are seen from further away, all of it is a hit.
pub(super) fn reached<const D: usize>(
    viewer: &Viewer<D>,
    at: [f32; D],
    around: &[u32],
    blocks: &[Block<D>],
    hits: &mut [Hit; BATCH],
) -> usize {
    with_area!(viewer, 0.0, |area| pulp::Arch::new().dispatch(Reached {
        area,
        at,
        around,
        blocks,
        hits
    }))
}

struct Reached<'a, A, const D: usize> {
    area: A,
    at: [f32; D],
    around: &'a [u32],
    blocks: &'a [Block<D>],
    hits: &'a mut [Hit; BATCH],
}

impl<A: Area<D>, const D: usize> pulp::NullaryFnOnce for Reached<'_, A, D> {
    type Output = usize;

    #[inline(always)]
    fn call(self) -> usize {
        let mut count = 0;
        for &block in self.around {
            let b = &self.blocks[block as usize];
            let (near, wide) = if b.extra != 0.0 {
                (Lanes::MAX, Lanes::MAX)
            } else if self.area.bounds(least(self.at, self.at, b.lo, b.hi)).1 {
                let (area, at, axes) = (self.area, self.at, &b.pos);
                Within { area, at, axes }.call()
            } else {
                (0, 0)
            };
            let (near, wide) = (near & b.targets, wide & b.targets);
            if wide != 0 {
                self.hits[count] = Hit { block, near, wide };
                count += 1;
            }
        }
        count
    }
}

/// [`Block::follow`] for some blocks.
pub(super) struct Follow<'a, const D: usize> {
    /// Index of the first.
    pub from: usize,
    pub blocks: &'a mut [Block<D>],
    pub places: &'a Table<Place<D>>,
    pub out: &'a mut Followed,
}

/// What became of blocks that followed their members.
#[derive(Default)]
pub(super) struct Followed {
    /// Blocks that were written to, and had not been.
    pub listed: Buffer<u32>,
    /// Members that no longer belong to their block.
    pub astray: Buffer<Id>,
}

impl Found for Followed {
    fn append(&mut self, other: &mut Self) {
        self.listed.append(&mut other.listed);
        self.astray.append(&mut other.astray);
    }
}

impl<const D: usize> pulp::NullaryFnOnce for Follow<'_, D> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for (block, index) in self.blocks.iter_mut().zip(self.from..) {
            let (moved, astray) = block.follow(|id| self.places[id].0);
            if moved && !core::mem::replace(&mut block.listed, true) {
                self.out.listed.push(index as u32);
            }
            let astray = lanes(astray).map(|lane| block.ids[lane]);
            self.out.astray.extend(astray);
        }
    }
}

/// [`Block::prepare`] for those of some blocks that are listed.
pub(super) struct Prepare<'a, const D: usize> {
    pub blocks: &'a mut [Block<D>],
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
pub(super) struct Settle<'a, const D: usize> {
    pub blocks: &'a mut [Block<D>],
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
pub(super) fn crossed<const D: usize, A: Area<D>>(
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
pub(super) fn undecided<const D: usize, A: Area<D>>(
    area: A,
    (lo, hi): ([f32; D], [f32; D]),
    b: &Block<D>,
) -> bool {
    area.bounds(least(lo, hi, b.lo, b.hi)).1 && !area.bounds(most(lo, hi, b.lo, b.hi)).0
}

/// The same for one viewer, and targets with an extra range.
pub(super) fn worth_a_look<const D: usize>(
    viewer: &Viewer<D>,
    (lo, hi): ([f32; D], [f32; D]),
    b: &Block<D>,
) -> bool {
    viewer.bounds(b.extra, least(lo, hi, b.lo, b.hi)).1
        && !viewer.bounds(0.0, most(lo, hi, b.lo, b.hi)).0
}

/// Least `|d|` between two boxes on each axis, rounded as the differences of their positions are.
#[inline]
pub(super) fn least<const D: usize>(
    lo: [f32; D],
    hi: [f32; D],
    blo: [f32; D],
    bhi: [f32; D],
) -> [f32; D] {
    core::array::from_fn(|axis| (blo[axis] - hi[axis]).max(lo[axis] - bhi[axis]).max(0.0))
}

/// Greatest `|d|` between two boxes on each axis.
#[inline]
pub(super) fn most<const D: usize>(
    lo: [f32; D],
    hi: [f32; D],
    blo: [f32; D],
    bhi: [f32; D],
) -> [f32; D] {
    core::array::from_fn(|axis| (bhi[axis] - lo[axis]).max(hi[axis] - blo[axis]))
}

/// The box around a position and an old one.
#[inline]
pub(super) fn around<const D: usize>(pos: [f32; D], old: [f32; D]) -> ([f32; D], [f32; D]) {
    (
        core::array::from_fn(|axis| pos[axis].min(old[axis])),
        core::array::from_fn(|axis| pos[axis].max(old[axis])),
    )
}
