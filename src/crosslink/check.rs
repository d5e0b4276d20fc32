//! Proof of order: what has to hold between any two calls, and a printable form of the lists.

use super::{
    CrossLink, Id,
    block::{LANES, NONE},
};
use core::fmt::{self, Display, Formatter};

/// Fails the check with a message unless a condition holds.
macro_rules! ensure {
    ($holds:expr, $($message:tt)*) => {
        let holds: bool = $holds;
        if !holds {
            return Err(format!($($message)*));
        }
    };
}

impl<const D: usize> CrossLink<D> {
    /// Checks order, links and counts of every list. O(n log n).
    ///
    /// # Errors
    ///
    /// Says the first thing found wrong. There is no way to use the structure that makes this
    /// fail: it is for tests.
    pub fn check_invariants(&self) -> Result<(), String> {
        let mut seen = 0;
        let mut before = None;
        for row in self.rows.iter() {
            let key = self.rows.key_of(row);
            ensure!(before < Some(key), "band {key:?} is out of order");
            before = Some(key);
            let (blocks, keys) = (self.rows.blocks(row), self.rows.keys(row));
            ensure!(!blocks.is_empty(), "band {key:?} is empty");
            ensure!(
                blocks.len() == keys.len(),
                "band {key:?} has a key too many or few"
            );
            ensure!(
                keys[0] == f32::NEG_INFINITY,
                "band {key:?} begins at {}",
                keys[0]
            );
            for (at, &index) in blocks.iter().enumerate() {
                let block = &self.blocks[index as usize];
                let prev = at.checked_sub(1).map_or(NONE, |at| blocks[at]);
                let next = blocks.get(at + 1).copied().unwrap_or(NONE);
                let end = keys.get(at + 1).copied().unwrap_or(f32::INFINITY);
                ensure!(
                    (block.row, block.prev, block.next) == (row, prev, next),
                    "block {index} is linked wrongly"
                );
                ensure!(
                    block.span[0] == [keys[at], end] && keys[at] <= end,
                    "block {index} spans {:?}, keys say {:?}",
                    block.span[0],
                    [keys[at], end]
                );
                self.check_block(index)?;
                seen += block.len;
            }
        }
        ensure!(
            seen == self.len,
            "{seen} members are in the lists, {} are counted",
            self.len
        );
        let known = self.slots.iter().filter(|slot| slot.block != NONE).count();
        ensure!(
            known == self.len,
            "{known} members are known, {} are counted",
            self.len
        );
        let in_use: usize = self
            .rows
            .iter()
            .map(|row| self.rows.blocks(row).len())
            .sum();
        ensure!(
            in_use + self.free.len() == self.blocks.len(),
            "{} blocks are lost",
            self.blocks.len() as i64 - (in_use + self.free.len()) as i64
        );
        for axis in 0..D {
            let mut last = (f32::NEG_INFINITY, 0);
            let mut count = 0;
            for step in self.walk(axis) {
                ensure!(last <= step, "axis {axis}: {step:?} comes after {last:?}");
                (last, count) = (step, count + 1);
            }
            ensure!(
                count == self.len,
                "axis {axis}: {count} of {} walked",
                self.len
            );
        }
        Ok(())
    }

    fn check_block(&self, index: u32) -> Result<(), String> {
        let block = &self.blocks[index as usize];
        let key = self.rows.key_of(block.row);
        ensure!(
            (1..=LANES).contains(&block.len),
            "block {index} has {} members",
            block.len
        );
        let masks = block.viewers | block.targets | block.movers | block.dirty;
        ensure!(
            masks & !block.used() == 0,
            "block {index} has roles for nobody"
        );
        ensure!(
            block.listed || ((block.movers | block.dirty) == 0 && block.gone == 0.0),
            "block {index} moved and is not listed"
        );
        for lane in 0..LANES {
            let at = block.position(lane);
            if lane >= block.len {
                ensure!(
                    at.iter().all(|x| x.is_nan()),
                    "block {index} has a ghost in lane {lane}"
                );
                continue;
            }
            let id = block.ids[lane];
            let member = &self.members[id];
            let slot = self.slots[id];
            ensure!(
                (slot.block, slot.lane) == (index, lane as u32),
                "member {id} is not where it should be"
            );
            ensure!(
                self.places[id].0 == at,
                "member {id} is at {at:?}, not at {:?}",
                self.places[id]
            );
            ensure!(self.rows.key(at) == key, "member {id} is in the wrong band");
            ensure!(
                block.covers(at),
                "member {id} at {at:?} is outside of {:?}",
                block.span
            );
            for axis in 0..D {
                for x in [block.pos[axis][lane], block.old[axis][lane]] {
                    ensure!(
                        block.lo[axis] <= x && x <= block.hi[axis],
                        "member {id} is outside of the box of its block"
                    );
                }
            }
            let bit = |mask: u32| mask >> lane & 1 == 1;
            ensure!(
                bit(block.dirty) == member.dirty,
                "member {id}: dirty or not?"
            );
            let moved = block.position(lane) != block.old_position(lane);
            ensure!(bit(block.movers) || !moved, "member {id} moved unseen");
            ensure!(
                !(moved && member.dirty),
                "member {id} is dirty and has an old place"
            );
            let roles = self.roles(id);
            ensure!(
                (bit(block.viewers), bit(block.targets))
                    == (roles.viewer.is_some(), roles.target.is_some()),
                "member {id} has other roles in its block"
            );
            ensure!(
                self.classes.is_far(member) == member.far
                    && self.classes.far().contains(&id) == member.far
                    && self.classes.far_targets().contains(&id)
                        == self.classes.is_far_target(member),
                "member {id}: far or not?"
            );
            ensure!(
                roles
                    .target
                    .is_none_or(|target| target.extra() <= block.extra),
                "member {id} is seen from further than its block says"
            );
            ensure!(
                roles
                    .target
                    .is_none_or(|target| block.layers & !target.layers == 0),
                "member {id} is on fewer layers than its block says"
            );
        }
        Ok(())
    }

    /// The lists as text: each axis in order, then bands and blocks.
    pub fn dump(&self) -> impl Display + '_ {
        Dump(self)
    }
}

struct Dump<'a, const D: usize>(&'a CrossLink<D>);

impl<const D: usize> Display for Dump<'_, D> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let link = self.0;
        for axis in 0..D {
            write!(f, "{}:", ["x", "y", "z"][axis])?;
            for (at, id) in link.walk(axis) {
                write!(f, " {id}@{at}")?;
            }
            writeln!(f)?;
        }
        for row in link.rows.iter() {
            let [slab, band] = link.rows.key_of(row);
            write!(f, "band {slab}/{band}:")?;
            for &block in link.rows.blocks(row) {
                let block = &link.blocks[block as usize];
                let ids: Vec<&Id> = block.ids[..block.len].iter().collect();
                write!(f, " {ids:?}")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
