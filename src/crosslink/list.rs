//! The list of blocks: members go from block to block, blocks are split, merged, and hung in and out.

use super::{
    CrossLink, Slot,
    block::{Block, LANES, Lane, NONE},
};

impl<const D: usize> CrossLink<D> {
    /// Moves a member that is there.
    #[inline]
    pub(super) fn shift(&mut self, slot: Slot, at: [f32; D]) {
        let block = &mut self.blocks[slot.block as usize];
        if !block.covers(at) {
            self.leave_block(slot, at);
        } else if block.step(slot.lane as usize, at) {
            self.list(slot.block);
        }
    }

    /// Moves a member to where another block is.
    #[cold]
    fn leave_block(&mut self, slot: Slot, at: [f32; D]) {
        let mut member = self.blocks[slot.block as usize].lane(slot.lane as usize);
        member.pos = at;
        if member.dirty {
            member.old = at;
        }
        self.take(slot);
        self.place(member);
    }

    /// Puts a lane where it belongs.
    pub(super) fn place(&mut self, member: Lane<D>) {
        let row = self.rows.find_or_add(member.pos);
        let at = self.rows.entry(row, member.pos[0]);
        let mut block = match at {
            Some(at) => self.rows.blocks(row)[at],
            None => {
                let block = self.fresh();
                self.link(row, 0, block, f32::NEG_INFINITY);
                block
            }
        };
        if self.blocks[block as usize].len == LANES {
            let upper = self.split(block);
            if member.pos[0] >= self.blocks[upper as usize].span[0][0] {
                block = upper;
            }
        }
        self.push(block, member);
    }

    pub(super) fn push(&mut self, block: u32, member: Lane<D>) {
        let roles = self.roles(member.id);
        let lane = self.blocks[block as usize].push(member, roles) as u32;
        self.slots[member.id] = Slot { block, lane };
        // Also for one that merely changes the block: its box has grown by an old position.
        if member.dirty || member.pos != member.old {
            self.list(block);
        }
    }

    /// Takes a lane out of its block.
    pub(super) fn take(&mut self, slot: Slot) {
        let block = &mut self.blocks[slot.block as usize];
        if let Some(moved) = block.swap_remove(slot.lane as usize) {
            self.slots[moved] = slot;
        }
        let (len, row, prev, next) = (block.len, block.row, block.prev, block.next);
        if len == 0 {
            self.unlink(slot.block);
            self.rows.remove_if_empty(row);
        } else if len < LANES / 4 {
            // Merge with a neighbour in the list when both together leave room to grow.
            for (lower, upper) in [(slot.block, next), (prev, slot.block)] {
                if lower != NONE && upper != NONE {
                    let both = self.blocks[lower as usize].len + self.blocks[upper as usize].len;
                    if both <= LANES * 3 / 4 {
                        self.merge(lower, upper);
                        return;
                    }
                }
            }
        }
    }

    /// An unused block.
    pub(super) fn fresh(&mut self) -> u32 {
        match self.free.pop() {
            Some(block) => block,
            None => {
                self.blocks.push(Block::new());
                self.blocks.len() as u32 - 1
            }
        }
    }

    /// Moves the upper half of a full block into a new one behind it.
    fn split(&mut self, lower: u32) -> u32 {
        let upper = self.fresh();
        let block = &mut self.blocks[lower as usize];
        let mut order: [usize; LANES] = core::array::from_fn(|lane| lane);
        order.sort_unstable_by(|&a, &b| block.pos[0][a].total_cmp(&block.pos[0][b]));
        let key = block.pos[0][order[LANES / 2]];
        let mut members = order[LANES / 2..].to_vec();
        let (row, from) = (block.row, block.span[0][0]);
        // From the last lane on, so that those still to be taken keep their lanes.
        members.sort_unstable_by(|a, b| b.cmp(a));
        let at = self.rows.index_of(row, lower, from);
        self.link(row, at + 1, upper, key);
        for lane in members {
            let member = self.blocks[lower as usize].lane(lane);
            if let Some(moved) = self.blocks[lower as usize].swap_remove(lane) {
                self.slots[moved].lane = lane as u32;
            }
            self.push(upper, member);
        }
        upper
    }

    /// Moves all of `upper` into `lower`, its predecessor.
    fn merge(&mut self, lower: u32, upper: u32) {
        for lane in 0..self.blocks[upper as usize].len {
            let member = self.blocks[upper as usize].lane(lane);
            self.push(lower, member);
        }
        self.unlink(upper);
    }

    /// Hangs a block into the list of a row, at an index, from a key on.
    pub(super) fn link(&mut self, row: u32, at: usize, block: u32, key: f32) {
        let (prev, next) = self.rows.neighbors(row, at);
        self.rows.insert(row, at, block, key);
        let end = if next == NONE {
            f32::INFINITY
        } else {
            self.blocks[next as usize].span[0][0]
        };
        let mut span = match (prev, next) {
            (NONE, NONE) => self.rows.span(row),
            (NONE, other) | (other, _) => self.blocks[other as usize].span,
        };
        span[0] = [key, end];
        let new = &mut self.blocks[block as usize];
        (new.row, new.prev, new.next, new.span) = (row, prev, next, span);
        if prev != NONE {
            let prev = &mut self.blocks[prev as usize];
            (prev.next, prev.span[0][1]) = (block, key);
        }
        if next != NONE {
            self.blocks[next as usize].prev = block;
        }
    }

    /// Takes a block out of its list and frees it; its part of the axis goes to a neighbour.
    fn unlink(&mut self, block: u32) {
        let listed = self.blocks[block as usize].listed;
        let gone = core::mem::replace(&mut self.blocks[block as usize], Block::new());
        // Stays in the list of the update, so that it is not listed twice when it is used again.
        self.blocks[block as usize].listed = listed;
        self.free.push(block);
        let at = self.rows.index_of(gone.row, block, gone.span[0][0]);
        self.rows.remove(gone.row, at);
        if gone.prev != NONE {
            let prev = &mut self.blocks[gone.prev as usize];
            (prev.next, prev.span[0][1]) = (gone.next, gone.span[0][1]);
        }
        if gone.next != NONE {
            let next = &mut self.blocks[gone.next as usize];
            next.prev = gone.prev;
            if gone.prev == NONE {
                next.span[0][0] = f32::NEG_INFINITY;
                self.rows.open(gone.row);
            }
        }
    }
}
