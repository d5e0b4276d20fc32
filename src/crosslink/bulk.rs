//! What is done to all members at once: many that come or go together, and a new order for all.

use core::hint::black_box;

use super::{
    CrossLink, Id, Member, Place,
    block::{LANES, Lane, NONE},
};

impl<const D: usize> CrossLink<D> {
    /// [`remove`](Self::remove) for many. Sorts those who stay anew if many go.
    pub fn remove_many(&mut self, ids: &[Id]) {
        if ids.len() < 2 * LANES || ids.len() * 4 < self.len {
            for &id in ids {
                self.remove(id);
            }
            return;
        }
        for &id in ids {
            if self.contains(id) {
                self.retire(id);
            }
        }
        self.classes.choose(self.len);
        self.rebuild(Vec::new());
        self.purge();
    }

    /// Adds members with all that they are; those that are there are moved, and changed unless
    /// nothing is said of what they are. Leaves the list empty.
    pub(crate) fn insert_members(&mut self, members: &mut Vec<(Id, [f32; D], Option<Member<D>>)>) {
        // One by one costs a search and a sixteenth of a split each: cheaper while few.
        if members.len() >= 2 * LANES && members.len() * 4 >= self.len {
            let mut all = Vec::with_capacity(self.len + members.len());
            members.retain(|&(id, at, member)| {
                let new = !self.contains(id) && at.iter().all(|x| x.is_finite());
                if new {
                    self.announce(id, member.unwrap_or_default());
                    self.places[id] = Place(at);
                    all.push(Lane {
                        id,
                        pos: at,
                        old: at,
                        dirty: true,
                    });
                }
                !new
            });
            self.classes.choose(self.len);
            self.rebuild(all);
        }
        for (id, at, member) in members.drain(..) {
            if self.move_to(id, at)
                && let Some(member) = member
            {
                self.set_member(id, member);
            }
        }
    }

    /// Makes a member known whose place is to be found by a rebuild.
    fn announce(&mut self, id: Id, new: Member<D>) {
        self.mark(id);
        let member = &mut self.members[id];
        *member = Member {
            dirty: true,
            new: member.new,
            far: false,
            ..new
        };
        self.classes.count(member);
        self.len += 1;
        self.slots[id].block = NONE - 1;
    }

    /// Sorts everything anew, with `more` members added, into bands of a new height. Who is in a block
    /// but in no slot is left out.
    pub(super) fn rebuild(&mut self, more: Vec<Lane<D>>) {
        let mut all = more;
        all.reserve_exact(self.len - all.len());
        for block in &self.blocks {
            let lanes = (0..block.len).map(|lane| block.lane(lane));
            all.extend(lanes.filter(|lane| self.contains(lane.id)));
        }
        self.blocks.clear();
        self.free.clear();
        self.listed.clear();
        self.rows.reset(self.classes.reach(), &all);
        self.classes.clear_lists();
        let rows: Vec<_> = all
            .iter()
            .map(|lane| self.rows.find_or_add(lane.pos))
            .collect();
        // Counted band by band, then sorted along each, x and index in one number: with the touching
        // below a quarter of the time of a bulk insert less.
        let mut ends = vec![0; rows.iter().map(|&row| row as usize + 1).max().unwrap_or(0)];
        for &row in &rows {
            ends[row as usize] += 1;
        }
        let in_order: Vec<_> = self.rows.iter().collect();
        let mut from = 0;
        for &row in &in_order {
            from += core::mem::replace(&mut ends[row as usize], from);
        }
        let mut order = vec![0; all.len()];
        for ((lane, &row), index) in all.iter().zip(&rows).zip(0_u32..) {
            let end = &mut ends[row as usize];
            order[*end] = u64::from(ascending(lane.pos[0])) << 32 | u64::from(index);
            *end += 1;
        }
        // Three quarters full: room to grow before the first split.
        const FILL: usize = LANES * 3 / 4;
        let mut from = 0;
        for row in in_order {
            let in_row = &mut order[from..ends[row as usize]];
            from = ends[row as usize];
            in_row.sort_unstable();
            for (at, chunk) in in_row.chunks(FILL).enumerate() {
                let lane = |entry: &u64| all[*entry as u32 as usize];
                // They lie anywhere: touched in a short loop they are fetched side by side.
                let ids = chunk.iter().map(|entry| lane(entry).id);
                black_box(ids.filter(|&id| self.members[id].far).count());
                let block = self.fresh();
                let start = if at == 0 {
                    f32::NEG_INFINITY
                } else {
                    lane(&chunk[0]).pos[0]
                };
                self.link(row, at, block, start);
                for lane in chunk.iter().map(lane) {
                    let member = &mut self.members[lane.id];
                    member.far = self.classes.list(lane.id, member);
                    self.push(block, lane);
                }
            }
        }
        self.rows.built();
    }

    /// Finds the members of the far classes anew.
    pub(super) fn relist_far(&mut self) {
        self.classes.clear_lists();
        for block in 0..self.blocks.len() {
            for lane in 0..self.blocks[block].len {
                let id = self.blocks[block].ids[lane];
                self.members[id].far = false;
                self.classify(id, self.slots[id]);
            }
        }
    }
}

/// Numbers that ascend as floats do.
fn ascending(x: f32) -> u32 {
    let bits = x.to_bits();
    if bits >> 31 == 0 {
        bits | 1 << 31
    } else {
        !bits
    }
}
