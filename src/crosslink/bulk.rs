//! What is done to all members at once: many that come together, and a new order for all.

use super::{
    CrossLink, Id, Member,
    block::{LANES, Lane, NONE},
};

impl<const D: usize> CrossLink<D> {
    /// Adds members with all that they are; those that are there are moved, and changed unless
    /// nothing is said of what they are.
    pub(crate) fn insert_members(
        &mut self,
        members: impl IntoIterator<Item = (Id, [f32; D], Option<Member<D>>)>,
    ) {
        let mut members: Vec<_> = members.into_iter().collect();
        // One by one costs a search and a sixteenth of a split each: cheaper while few.
        if members.len() >= 2 * LANES && members.len() * 4 >= self.len {
            let mut all = Vec::with_capacity(self.len + members.len());
            members.retain(|&(id, at, member)| {
                let new = !self.contains(id) && at.iter().all(|x| x.is_finite());
                if new {
                    self.announce(id, member.unwrap_or_default());
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
        for (id, at, member) in members {
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
            far: false,
            ..new
        };
        self.classes.count(member);
        self.len += 1;
        self.slots[id].block = NONE - 1;
    }

    /// Sorts everything anew, with `more` members added, into bands of a new height.
    pub(super) fn rebuild(&mut self, more: Vec<Lane<D>>) {
        let mut all = more;
        all.reserve_exact(self.len - all.len());
        for block in &self.blocks {
            all.extend((0..block.len).map(|lane| block.lane(lane)));
        }
        self.blocks.clear();
        self.free.clear();
        self.listed.clear();
        self.rows.reset(self.classes.reach(), &all);
        let mut order: Vec<_> = all
            .iter()
            .enumerate()
            .map(|(index, member)| (self.rows.key(member.pos), member.pos[0], index as u32))
            .collect();
        order.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        // Three quarters full: room to grow before the first split.
        const FILL: usize = LANES * 3 / 4;
        let mut from = 0;
        while from < order.len() {
            let (key, _, first) = order[from];
            let row_end = from + order[from..].partition_point(|entry| entry.0 == key);
            let row = self.rows.find_or_add(all[first as usize].pos);
            for (at, chunk) in order[from..row_end].chunks(FILL).enumerate() {
                let block = self.fresh();
                let start = if at == 0 {
                    f32::NEG_INFINITY
                } else {
                    chunk[0].1
                };
                self.link(row, at, block, start);
                for &(_, _, index) in chunk {
                    self.push(block, all[index as usize]);
                }
            }
            from = row_end;
        }
        self.rows.built();
        self.relist_far();
    }

    /// Finds the members of the far classes anew.
    pub(super) fn relist_far(&mut self) {
        self.classes.clear_list();
        for block in 0..self.blocks.len() {
            for lane in 0..self.blocks[block].len {
                let id = self.blocks[block].ids[lane];
                self.members[id].far = false;
                self.classify(id, self.slots[id]);
            }
        }
    }
}
