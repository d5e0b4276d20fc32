//! The node of the list: up to [`LANES`] members side by side.

#![expect(
    clippy::needless_range_loop,
    reason = "an index into several arrays is what becomes SIMD"
)]

use core::ops::{Index, IndexMut};

use super::{
    Id,
    view::{Target, Viewer, delta, squared, widened},
};

/// Members per block. Measured with the crowd example at 10 000 and 100 000 walkers, 30 and 300 in
/// view: 16 took 5 to 15 % longer; more would need wider masks.
pub(crate) const LANES: usize = 32;

/// No block.
pub(crate) const NONE: u32 = u32::MAX;

/// A set of lanes.
pub(crate) type Lanes = u32;

/// An unrolled list node in structure-of-arrays form.
///
/// Members of a block are in no order among themselves: a member that moves within the
/// [`span`](Self::span) of its block stays where it is, which is nearly every move. Unused lanes
/// hold NaN positions, so a loop over all lanes finds no one there.
///
/// What a move or a neighbour reads first lies in the first cache line, and each axis in lines of its
/// own.
#[derive(Clone)]
#[repr(C, align(64))]
pub(crate) struct Block<const D: usize> {
    /// Part of each axis that belongs to this block, bounds included.
    pub span: [[f32; 2]; D],
    /// Box around all positions, old ones included; may be larger than needed.
    pub lo: [f32; D],
    /// See [`lo`](Self::lo).
    pub hi: [f32; D],
    /// Clean lanes of which `pos` and `old` may differ; those of which they do from
    /// [`prepare`](Self::prepare) to [`settle`](Self::settle).
    pub movers: Lanes,
    /// Lanes that the clean way does not cover.
    pub dirty: Lanes,
    /// Lanes that see by distance and are of the common class of radius.
    pub viewers: Lanes,
    /// Lanes that can be seen and are of the common class of extra range.
    pub targets: Lanes,
    /// Greatest extra range of a target among the lanes; may be larger than needed.
    pub extra: f32,
    /// At least the greatest distance between `pos` and `old`; NaN until `prepare` finds it anew.
    pub gone: f32,
    /// Layers that all targets among the lanes are on; may be fewer than there are.
    pub layers: u32,
    /// In the list of blocks that were written to since the last update.
    pub listed: bool,
    /// Position now.
    pub pos: [Axis; D],
    /// Position at the last update; for dirty lanes the same as `pos`.
    pub old: [Axis; D],
    pub ids: [Id; LANES],
    pub len: usize,
    /// What the viewers among the lanes have in common.
    pub look: Look<D>,
    pub row: u32,
    pub prev: u32,
    pub next: u32,
}

/// One coordinate of all lanes.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Axis(pub [f32; LANES]);

impl Index<usize> for Axis {
    type Output = f32;

    #[inline(always)]
    fn index(&self, lane: usize) -> &f32 {
        &self.0[lane]
    }
}

impl IndexMut<usize> for Axis {
    #[inline(always)]
    fn index_mut(&mut self, lane: usize) -> &mut f32 {
        &mut self.0[lane]
    }
}

/// The viewers of a block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Look<const D: usize> {
    /// There was none.
    None,
    /// All are alike but for the layers they see; here are those that all of them do.
    Same(Viewer<D>),
    /// They differ.
    Mixed,
}

/// One member as it is moved from block to block.
#[derive(Clone, Copy)]
pub(crate) struct Lane<const D: usize> {
    pub id: Id,
    pub pos: [f32; D],
    pub old: [f32; D],
    pub dirty: bool,
}

/// What a lane takes part in by the clean way; members of the far classes take no part in it.
#[derive(Clone, Copy)]
pub(crate) struct Roles<const D: usize> {
    pub viewer: Option<Viewer<D>>,
    pub target: Option<Target>,
}

impl<const D: usize> Block<D> {
    pub fn new() -> Self {
        Self {
            pos: [Axis([f32::NAN; LANES]); D],
            old: [Axis([f32::NAN; LANES]); D],
            ids: [0; LANES],
            len: 0,
            viewers: 0,
            targets: 0,
            movers: 0,
            dirty: 0,
            lo: [f32::INFINITY; D],
            hi: [f32::NEG_INFINITY; D],
            look: Look::None,
            extra: 0.0,
            layers: u32::MAX,
            gone: 0.0,
            span: [[f32::NEG_INFINITY, f32::INFINITY]; D],
            row: NONE,
            prev: NONE,
            next: NONE,
            listed: false,
        }
    }

    pub fn position(&self, lane: usize) -> [f32; D] {
        core::array::from_fn(|axis| self.pos[axis][lane])
    }

    pub fn old_position(&self, lane: usize) -> [f32; D] {
        core::array::from_fn(|axis| self.old[axis][lane])
    }

    pub fn lane(&self, lane: usize) -> Lane<D> {
        Lane {
            id: self.ids[lane],
            pos: self.position(lane),
            old: self.old_position(lane),
            dirty: self.dirty >> lane & 1 == 1,
        }
    }

    /// Writes position and old position of a lane in use.
    pub fn write(&mut self, lane: usize, pos: [f32; D], old: [f32; D]) {
        for axis in 0..D {
            self.pos[axis][lane] = pos[axis];
            self.old[axis][lane] = old[axis];
            self.lo[axis] = self.lo[axis].min(pos[axis]).min(old[axis]);
            self.hi[axis] = self.hi[axis].max(pos[axis]).max(old[axis]);
        }
        set(&mut self.movers, lane, pos != old);
        if pos != old {
            self.gone = f32::NAN;
        }
    }

    /// Moves a lane to a position that belongs to this block; whether it was elsewhere.
    #[inline(always)]
    pub fn step(&mut self, lane: usize, pos: [f32; D]) -> bool {
        if self.position(lane) == pos {
            return false;
        }
        // The old position stays where it is, and is not even read: that saved a third of a move.
        let bit = 1 << (lane as u32 % Lanes::BITS);
        for axis in 0..D {
            let x = pos[axis];
            self.pos[axis][lane] = x;
            // None is NaN, so these may be single instructions, unlike `f32::min`.
            self.lo[axis] = if x < self.lo[axis] { x } else { self.lo[axis] };
            self.hi[axis] = if x > self.hi[axis] { x } else { self.hi[axis] };
        }
        self.gone = f32::NAN;
        if self.dirty & bit == 0 {
            self.movers |= bit;
        } else {
            for axis in 0..D {
                self.old[axis][lane] = pos[axis];
            }
        }
        true
    }

    /// Moves all lanes to where they stand; whether one was elsewhere, and those that stand where
    /// another block is, which stay. Inlined like `prepare`.
    #[inline(always)]
    pub fn follow(&mut self, place: impl Fn(Id) -> [f32; D]) -> (bool, Lanes) {
        let mut pos = [[f32::NAN; LANES]; D];
        for lane in 0..self.len {
            let at = place(self.ids[lane]);
            for axis in 0..D {
                pos[axis][lane] = at[axis];
            }
        }
        let (mut moved, mut astray) = (0, 0);
        for lane in 0..LANES {
            let (mut elsewhere, mut out) = (false, false);
            for axis in 0..D {
                // NaN, in lanes that are not in use, is neither.
                let (x, before, [from, to]) =
                    (pos[axis][lane], self.pos[axis][lane], self.span[axis]);
                elsewhere |= (x < before) | (before < x);
                out |= (x < from) | (to < x);
            }
            moved |= if elsewhere { BITS[lane] } else { 0 };
            astray |= if out { BITS[lane] } else { 0 };
        }
        for lane in lanes(astray) {
            for axis in 0..D {
                pos[axis][lane] = self.pos[axis][lane];
            }
        }
        moved &= !astray;
        if moved != 0 {
            for axis in 0..D {
                self.pos[axis].0 = pos[axis];
                let (lo, hi) = extent(&pos[axis]);
                self.lo[axis] = if lo < self.lo[axis] {
                    lo
                } else {
                    self.lo[axis]
                };
                self.hi[axis] = if hi > self.hi[axis] {
                    hi
                } else {
                    self.hi[axis]
                };
                for lane in lanes(self.dirty & moved) {
                    self.old[axis][lane] = pos[axis][lane];
                }
            }
            self.gone = f32::NAN;
            // While it is at hand.
            self.prepare();
        }
        (moved != 0, astray)
    }

    /// Whether a position belongs to this block.
    #[inline]
    pub fn covers(&self, at: [f32; D]) -> bool {
        (0..D).all(|axis| self.span[axis][0] <= at[axis] && at[axis] <= self.span[axis][1])
    }

    /// Works out who moved, and how far, if that is not known. The box around all old and new positions
    /// was kept with each move. Inlined, so that it is compiled for the processor that runs it.
    #[inline(always)]
    pub fn prepare(&mut self) {
        if !self.gone.is_nan() {
            return;
        }
        let mut square = [0.0_f32; LANES];
        for axis in 0..D {
            for lane in 0..LANES {
                let gone = self.pos[axis][lane] - self.old[axis][lane];
                square[lane] += gone * gone;
            }
        }
        self.movers = 0;
        for lane in 0..LANES {
            let mut moved = false;
            for axis in 0..D {
                let (pos, old) = (self.pos[axis][lane], self.old[axis][lane]);
                // NaN, in lanes that are not in use, is neither.
                moved |= (pos < old) | (old < pos);
            }
            self.movers |= if moved { BITS[lane] } else { 0 };
        }
        self.gone = widened(extent(&square).1.max(0.0).sqrt());
    }

    /// Makes the box no larger than needed.
    pub fn tighten(&mut self) {
        for axis in 0..D {
            let (now, then) = (extent(&self.pos[axis].0), extent(&self.old[axis].0));
            self.lo[axis] = now.0.min(then.0);
            self.hi[axis] = now.1.max(then.1);
        }
    }

    /// Distance between `pos` and `old` of a lane, rounded up.
    pub fn gone_of(&self, lane: usize) -> f32 {
        widened(squared(delta(self.old_position(lane), self.position(lane))).sqrt())
    }

    /// Appends a member; there must be room.
    pub fn push(&mut self, member: Lane<D>, roles: Roles<D>) -> usize {
        let lane = self.len;
        self.len += 1;
        self.ids[lane] = member.id;
        self.write(lane, member.pos, member.old);
        set(&mut self.dirty, lane, member.dirty);
        self.set_roles(lane, roles);
        lane
    }

    pub fn set_roles(&mut self, lane: usize, roles: Roles<D>) {
        set(&mut self.viewers, lane, roles.viewer.is_some());
        set(&mut self.targets, lane, roles.target.is_some());
        if let Some(viewer) = roles.viewer {
            self.look = match self.look {
                Look::None => Look::Same(viewer),
                Look::Same(same) if same.is_like(&viewer) => Look::Same(Viewer {
                    sees: same.sees & viewer.sees,
                    ..same
                }),
                _ => Look::Mixed,
            };
        }
        if let Some(target) = roles.target {
            self.extra = self.extra.max(target.extra());
            self.layers &= target.layers;
        }
    }

    /// Takes a lane out; the last one takes its place and its id is returned if it is another.
    pub fn swap_remove(&mut self, lane: usize) -> Option<Id> {
        let last = self.len - 1;
        self.len = last;
        for axis in 0..D {
            self.pos[axis][lane] = self.pos[axis][last];
            self.old[axis][lane] = self.old[axis][last];
            self.pos[axis][last] = f32::NAN;
            self.old[axis][last] = f32::NAN;
        }
        self.ids[lane] = self.ids[last];
        for mask in [
            &mut self.viewers,
            &mut self.targets,
            &mut self.movers,
            &mut self.dirty,
        ] {
            let bit = *mask >> last & 1 == 1;
            set(mask, lane, bit);
            set(mask, last, false);
        }
        if self.viewers == 0 {
            self.look = Look::None;
        }
        if self.targets == 0 {
            self.extra = 0.0;
            self.layers = u32::MAX;
        }
        (lane != last).then(|| self.ids[lane])
    }

    /// Makes the present positions the old ones, and the box tight. Inlined like `prepare`.
    #[inline(always)]
    pub fn settle(&mut self) {
        self.old = self.pos;
        self.movers = 0;
        self.dirty = 0;
        self.gone = 0.0;
        self.listed = false;
        for axis in 0..D {
            (self.lo[axis], self.hi[axis]) = extent(&self.pos[axis].0);
        }
    }

    /// Lanes in use.
    pub fn used(&self) -> Lanes {
        // A shift by all bits is none.
        Lanes::MAX
            .checked_shr(Lanes::BITS - self.len as u32)
            .unwrap_or(0)
    }
}

/// Least and greatest of the lanes in use.
#[inline(always)]
fn extent(lanes: &[f32; LANES]) -> (f32, f32) {
    // Eight at a time, and by comparisons that pass over NaN as SIMD instructions do: `f32::min` and
    // a plain fold took four times as long.
    const WIDE: usize = 8;
    let (mut lo, mut hi) = ([f32::INFINITY; WIDE], [f32::NEG_INFINITY; WIDE]);
    for chunk in lanes.chunks_exact(WIDE) {
        for ((&x, lo), hi) in chunk.iter().zip(&mut lo).zip(&mut hi) {
            *lo = if x < *lo { x } else { *lo };
            *hi = if x > *hi { x } else { *hi };
        }
    }
    (
        lo.into_iter().fold(f32::INFINITY, f32::min),
        hi.into_iter().fold(f32::NEG_INFINITY, f32::max),
    )
}

/// The mask of each lane.
pub(crate) const BITS: [Lanes; LANES] = {
    let mut bits = [0; LANES];
    let mut lane = 0;
    while lane < LANES {
        bits[lane] = 1 << lane;
        lane += 1;
    }
    bits
};

/// Sets or clears one lane of a mask.
pub(crate) fn set(mask: &mut Lanes, lane: usize, on: bool) {
    *mask = *mask & !(1 << lane) | (Lanes::from(on) << lane);
}

/// The lanes of a mask.
pub(crate) fn lanes(mut mask: Lanes) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        (mask != 0).then(|| {
            let lane = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            lane
        })
    })
}
