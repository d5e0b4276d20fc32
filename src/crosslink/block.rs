//! The node of the list: up to [`LANES`] members side by side.

use super::{
    Id,
    view::{Target, Viewer},
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
#[derive(Clone)]
pub(crate) struct Block<const D: usize> {
    /// Position now.
    pub pos: [[f32; LANES]; D],
    /// Position at the last update; for dirty lanes the same as `pos`.
    pub old: [[f32; LANES]; D],
    pub ids: [Id; LANES],
    pub len: usize,
    /// Lanes that see by distance and are of the common class of radius.
    pub viewers: Lanes,
    /// Lanes that can be seen and are of the common class of extra range.
    pub targets: Lanes,
    /// Clean lanes of which `pos` and `old` differ.
    pub movers: Lanes,
    /// Lanes that the clean way does not cover.
    pub dirty: Lanes,
    /// Box around all positions, old ones included; may be larger than needed.
    pub lo: [f32; D],
    /// See [`lo`](Self::lo).
    pub hi: [f32; D],
    /// What the viewers among the lanes have in common.
    pub look: Look<D>,
    /// Greatest extra range of a target among the lanes; may be larger than needed.
    pub extra: f32,
    /// Part of the X axis that belongs to this block: keys are within, bounds included.
    pub span: [f32; 2],
    pub row: u32,
    pub prev: u32,
    pub next: u32,
    /// In the list of blocks that were written to since the last update.
    pub listed: bool,
}

/// The viewers of a block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Look<const D: usize> {
    /// There was none.
    None,
    /// All are alike.
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
            pos: [[f32::NAN; LANES]; D],
            old: [[f32::NAN; LANES]; D],
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
            span: [f32::NEG_INFINITY, f32::INFINITY],
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
                Look::Same(same) if same == viewer => Look::Same(same),
                _ => Look::Mixed,
            };
        }
        if let Some(target) = roles.target {
            self.extra = self.extra.max(target.extra());
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
        }
        (lane != last).then(|| self.ids[lane])
    }

    /// Makes the present positions the old ones, and the box tight.
    pub fn settle(&mut self) {
        self.old = self.pos;
        self.movers = 0;
        self.dirty = 0;
        self.listed = false;
        self.lo = [f32::INFINITY; D];
        self.hi = [f32::NEG_INFINITY; D];
        for axis in 0..D {
            // `min` and `max` pass over the NaN of unused lanes.
            for x in self.pos[axis] {
                self.lo[axis] = self.lo[axis].min(x);
                self.hi[axis] = self.hi[axis].max(x);
            }
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
