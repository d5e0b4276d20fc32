//! The cross-linked list (十字链表), unrolled: the structure under the plugin, free of Bevy.
//!
//! # From the textbook to this
//!
//! The plain structure hangs every entity on a list sorted by X and on one sorted by Y. A
//! neighbour query walks the X list both ways for the *X band*, the Y list for the *Y band*, and
//! keeps who is in both. It is right, needs no cell size, and is slow: each step is a cache miss,
//! the X band of a wide world holds almost everybody, and telling who came and went means to
//! compare two neighbour sets for each entity in each update. Three changes keep the idea:
//!
//! ```text
//!   Y                       band 2   [a b c d]<->[e f g]<->[h i j k l]        X order ->
//!   ^   rows (bands),       band 1   [m n o]<->[p q r s t u]
//!   |   ordered by key      band 0   [v]<->[w x y z]
//!                                     `-- a block: x[32] y[32] old x[32] old y[32] id[32] ..
//! ```
//!
//! 1. *Unrolled.* A list node is a `Block` of up to 32 members in structure-of-arrays form, so a
//!    walk is a linear read that the compiler turns into SIMD. Blocks are doubly linked and kept in
//!    X order; members within a block are not sorted, so one that moves within the part of the axis
//!    that belongs to its block stays where it is. A vector of the blocks' first keys is the skip
//!    list: a jump or a fresh insert is found by bisection.
//! 2. *Both axes at once.* The Y order is a list of bands, and each band carries the X list of its
//!    own members (in three dimensions: slabs along Z, bands along Y in a slab). X band and Y band
//!    are intersected by walking only blocks that are in both; no marks are needed, so queries read
//!    only. Height of the bands follows the common radius and is nobody's to choose.
//! 3. *Changes from positions, not from sets.* Each member keeps the position of the last update
//!    beside the new one. A pair can only change if the distance test differs between the two, so
//!    only pairs *on the verge*, within the last step of the bound, are looked at twice:
//!
//! ```text
//!      surely out          .  -  .      a block is met with the blocks around it: first box with
//!                       '  .- -.  '     box, then member with box, then member with 32 members
//!      on the verge -> |  |  o  |  |    at once, by their present distance alone; old and new are
//!                       .  '- -'  .     compared for the few that are left
//!      surely in           '  -  '
//! ```
//!
//!    See `detect.rs`.
//!
//! # Use without Bevy
//!
//! ```
//! use bevy_aoi::crosslink::{CrossLink, Relation, Target, Viewer};
//!
//! let (mut link, mut relation) = (CrossLink::<2>::new(), Relation::new());
//! link.insert(1, [0.0, 0.0]);
//! link.insert(2, [30.0, 40.0]);
//! link.set_viewer(1, Some(Viewer::new(50.0)));
//! link.set_target(2, Some(Target::default()));
//! assert_eq!(relation.update(&mut link).entered, [(1, 2)]);
//!
//! link.move_to(2, [30.0, 41.0]);
//! assert_eq!(relation.update(&mut link).left, [(1, 2)]);
//! ```
//!
//! # Cost
//!
//! With `n` members, of which `b` share a band: `insert`, a jump and `remove` O(log n) plus the
//! shift of a vector of at most `b / 16` keys when a block splits or empties; a short move O(1), and least by
//! `move_many` where most move: then each block reads where its members stand from a table by id;
//! `insert_many` of many O(n log n), sorted once; a query O(log n) plus what it passes. `detect`
//! reads, for each block in which something moved, the blocks around it, and costs nothing for
//! pairs of blocks that are surely all in or all out of range. An update without a change costs
//! O(1).
//!
//! # Rejected
//!
//! A uniform grid with the same test takes about twice as long at its best cell size, and more
//! along a line or in one spot. Trees (k-d, R*) are rebuilt or rebalanced each update. Sorting members
//! within a block costs a shift of six arrays for each overtaking and narrows a walk only by half
//! a block at each end.

mod block;
mod buffer;
mod bulk;
mod check;
mod classes;
mod detect;
mod dirty;
mod inspect;
mod kernel;
mod list;
mod order;
mod query;
mod reach;
mod relation;
mod rows;
mod table;
mod view;

pub(crate) use buffer::Buffer;
pub(crate) use detect::{Alone, Candidates, Found, Workers};
pub use inspect::{BandInfo, BlockInfo};
pub(crate) use order::Order;
pub(crate) use reach::{FETCHED, Reach, Reaches};
pub use relation::{Changes, Relation};
pub use view::{Shape, Target, Viewer, in_range, in_view};
pub(crate) use view::{delta, squared};

use block::{Block, Lane, Lanes, NONE, Roles, lanes, set};
use classes::Classes;
use kernel::{Follow, Followed};
use rows::Rows;
use table::Table;

/// Name of a member, chosen by the caller. Numbers that lie together keep the tables small.
pub type Id = u32;

/// Members of a plane (`D` = 2) or of space (`D` = 3), ordered along every axis.
///
/// See the [module page](self) for how it works and what it costs.
#[derive(Clone)]
pub struct CrossLink<const D: usize> {
    /// By id.
    slots: Table<Slot>,
    /// By id.
    members: Table<Member<D>>,
    /// By id: where each member stands.
    places: Table<Place<D>>,
    /// Members of which the blocks are yet to hear where they stand.
    noted: Buffer<Id>,
    len: usize,
    blocks: Vec<Block<D>>,
    free: Vec<u32>,
    rows: Rows<D>,
    classes: Classes,
    /// Members that the clean way does not cover, with what they were at the last update.
    changed: Buffer<Was<D>>,
    /// Number of them at which those who came and went meanwhile are forgotten.
    purge_at: usize,
    /// Blocks written to since the last update.
    listed: Buffer<u32>,
    /// Greatest distance that a clean member has gone since the last update; known in `detect`.
    slack: f32,
}

/// Where a member is.
#[derive(Debug, Clone, Copy)]
struct Slot {
    block: u32,
    lane: u32,
}

/// Where a member stands; not a number for who is none.
#[derive(Debug, Clone, Copy)]
struct Place<const D: usize>([f32; D]);

impl<const D: usize> Default for Place<D> {
    fn default() -> Self {
        Self([f32::NAN; D])
    }
}

const NOWHERE: Slot = Slot {
    block: NONE,
    lane: 0,
};

impl Default for Slot {
    fn default() -> Self {
        NOWHERE
    }
}

/// What a member is, apart from its position.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Member<const D: usize> {
    pub viewer: Option<Viewer<D>>,
    pub target: Option<Target>,
    /// Its whole view is a candidate whenever anything in reach moved.
    pub watchful: bool,
    /// In `changed`.
    dirty: bool,
    /// It was not there at the last update.
    new: bool,
    /// In the lists of the far classes.
    far: bool,
}

impl<const D: usize> Member<D> {
    pub fn new(viewer: Option<Viewer<D>>, target: Option<Target>, watchful: bool) -> Self {
        Self {
            viewer,
            target,
            watchful,
            ..Self::default()
        }
    }
}

/// A member at the last update.
#[derive(Debug, Clone, Copy)]
struct Was<const D: usize> {
    id: Id,
    /// `None` if it was not there.
    at: Option<[f32; D]>,
    viewer: Option<Viewer<D>>,
    target: Option<Target>,
}

impl<const D: usize> Default for CrossLink<D> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const D: usize> CrossLink<D> {
    /// An empty structure. `D` must be 2 or 3, which is checked when it is compiled.
    pub fn new() -> Self {
        const { assert!(D == 2 || D == 3, "a CrossLink has two or three dimensions") };
        Self {
            slots: Table::new(),
            members: Table::new(),
            places: Table::new(),
            noted: Buffer::default(),
            len: 0,
            blocks: Vec::new(),
            free: Vec::new(),
            rows: Rows::new(),
            classes: Classes::default(),
            changed: Buffer::default(),
            purge_at: 1024,
            listed: Buffer::default(),
            slack: 0.0,
        }
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether `id` is a member.
    pub fn contains(&self, id: Id) -> bool {
        self.slot(id).is_some()
    }

    /// Where `id` stands now.
    pub fn position(&self, id: Id) -> Option<[f32; D]> {
        self.contains(id).then(|| self.places[id].0)
    }

    /// Where `id` stood at the last update, as long as it is known for sure: before any other
    /// change than moves.
    pub(crate) fn settled_position(&self, id: Id) -> Option<[f32; D]> {
        let slot = self.slot(id)?;
        let block = &self.blocks[slot.block as usize];
        (block.dirty >> slot.lane & 1 == 0).then(|| block.old_position(slot.lane as usize))
    }

    /// Whether `id` was no member at the last update.
    pub(crate) fn is_new(&self, id: Id) -> bool {
        self.members.get(id).is_some_and(|member| member.new)
    }

    /// How `id` sees, if it does.
    pub fn viewer(&self, id: Id) -> Option<Viewer<D>> {
        self.slot(id)?;
        self.members[id].viewer
    }

    /// How `id` can be seen, if it can.
    pub fn target(&self, id: Id) -> Option<Target> {
        self.slot(id)?;
        self.members[id].target
    }

    /// Adds a member that neither sees nor can be seen yet; a known one is moved. A coordinate
    /// that is not finite: nothing is done, and the answer is `false`. O(log n).
    pub fn insert(&mut self, id: Id, at: [f32; D]) -> bool {
        self.move_to(id, at)
    }

    /// [`insert`](Self::insert) for many. Sorts once if they are many beside those that are there.
    pub fn insert_many(&mut self, members: impl IntoIterator<Item = (Id, [f32; D])>) {
        let members = members.into_iter().map(|(id, at)| (id, at, None));
        self.insert_members(&mut members.collect());
    }

    /// Moves a member; an unknown one is added. A coordinate that is not finite: nothing is done,
    /// and the answer is `false`. O(1) for a short move, O(log n) for a jump.
    #[inline]
    pub fn move_to(&mut self, id: Id, at: [f32; D]) -> bool {
        if !at.iter().all(|x| x.is_finite()) {
            return false;
        }
        match self.slot(id) {
            Some(slot) => {
                self.places[id] = Place(at);
                self.shift(slot, at);
            }
            None => self.add(id, at),
        }
        true
    }

    #[cold]
    fn add(&mut self, id: Id, at: [f32; D]) {
        self.mark(id);
        self.len += 1;
        self.places[id] = Place(at);
        self.place(Lane {
            id,
            pos: at,
            old: at,
            dirty: true,
        });
    }

    /// [`insert_many`](Self::insert_many) of members that see and can be seen: one sort where
    /// [`set_viewer`](Self::set_viewer) for each would lead to another. Those that are there become what is said
    /// here.
    pub fn insert_many_with(
        &mut self,
        members: impl IntoIterator<Item = (Id, [f32; D], Option<Viewer<D>>, Option<Target>)>,
    ) {
        let members = members.into_iter().map(|(id, at, viewer, target)| {
            let watchful = self.members.get(id).is_some_and(|member| member.watchful);
            (id, at, Some(Member::new(viewer, target, watchful)))
        });
        let mut members = members.collect();
        self.insert_members(&mut members);
    }

    /// [`move_to`](Self::move_to) for many: cheaper than one by one if most move.
    pub fn move_many(&mut self, moves: impl IntoIterator<Item = (Id, [f32; D])>) {
        // Blocks follow even if the iterator panics.
        struct Following<'a, const D: usize>(&'a mut CrossLink<D>);
        impl<const D: usize> Drop for Following<'_, D> {
            fn drop(&mut self) {
                self.0.follow(&Alone);
            }
        }
        let link = Following(self);
        for (id, at) in moves {
            link.0.note(id, at);
        }
    }

    /// [`move_to`](Self::move_to), of which the blocks hear by [`follow`](Self::follow).
    #[inline]
    pub(crate) fn note(&mut self, id: Id, at: [f32; D]) -> bool {
        if !at.iter().all(|x| x.is_finite()) {
            return false;
        }
        match self.places.get_mut(id) {
            Some(place) if !place.0[0].is_nan() => {
                *place = Place(at);
                self.noted.push(id);
            }
            _ => self.add(id, at),
        }
        true
    }

    /// Tells the blocks of all that was noted.
    ///
    /// A few are told one by one. If many moved, each block asks where its members stand: to read from
    /// one small table in any order is faster than to write anywhere into the large blocks: 10 instead of
    /// 15 nanoseconds for each of 100 000 in the plugin's `Sync`.
    pub(crate) fn follow(&mut self, workers: &impl Workers) {
        let mut noted = core::mem::take(&mut self.noted);
        let used = noted.len();
        if used * 4 > self.len {
            let places = &self.places;
            noted.clear();
            let mut followed = Followed {
                listed: core::mem::take(&mut self.listed),
                astray: noted,
            };
            workers.each(&mut self.blocks, &mut followed, |from, blocks, out| {
                pulp::Arch::new().dispatch(Follow {
                    from,
                    blocks,
                    places,
                    out,
                });
            });
            (self.listed, noted) = (followed.listed, followed.astray);
        }
        for &id in &noted {
            if let Some(slot) = self.slot(id) {
                self.shift(slot, self.places[id].0);
            }
        }
        noted.clear();
        noted.used(used);
        self.noted = noted;
    }

    /// Takes a member out; an unknown one is no error, the answer is `false`.
    pub fn remove(&mut self, id: Id) -> bool {
        let Some(slot) = self.slot(id) else {
            return false;
        };
        self.retire(id);
        self.take(slot);
        self.purge();
        true
    }

    /// Ends a member, whose lane is still to be taken.
    fn retire(&mut self, id: Id) {
        self.mark(id);
        let member = &mut self.members[id];
        self.classes.forget(member);
        if member.far {
            self.classes.unlist(id);
        }
        *member = Member {
            dirty: true,
            ..Member::default()
        };
        self.slots[id] = NOWHERE;
        self.places[id] = Place::default();
        self.len -= 1;
    }

    /// Forgets members that came and went since the last update, if they are many: there may never be
    /// another one, where the structure is used for queries only.
    fn purge(&mut self) {
        if self.changed.len() < self.purge_at {
            return;
        }
        let mut changed = core::mem::take(&mut self.changed);
        changed.retain(|was| {
            let keep = was.at.is_some() || self.contains(was.id);
            if !keep {
                self.slots.release(was.id);
                self.members.release(was.id);
                self.places.release(was.id);
            }
            keep
        });
        self.purge_at = 1024.max(2 * changed.len());
        self.changed = changed;
    }

    /// Removes all members.
    pub fn clear(&mut self) {
        let all: Vec<Id> = self.walk(0).map(|(_, id)| id).collect();
        self.remove_many(&all);
    }

    /// Lets a member see, or not. `false` if it is unknown.
    pub fn set_viewer(&mut self, id: Id, viewer: Option<Viewer<D>>) -> bool {
        let Some(&member) = self.members.get(id) else {
            return false;
        };
        self.set_member(id, Member { viewer, ..member })
    }

    /// Lets a member be seen, or not. `false` if it is unknown.
    pub fn set_target(&mut self, id: Id, target: Option<Target>) -> bool {
        let Some(&member) = self.members.get(id) else {
            return false;
        };
        self.set_member(id, Member { target, ..member })
    }

    /// Sets all that a member is. `false` if it is unknown.
    pub(crate) fn set_member(&mut self, id: Id, new: Member<D>) -> bool {
        let Some(slot) = self.slot(id) else {
            return false;
        };
        let had = self.members[id];
        if (had.viewer, had.target, had.watchful) == (new.viewer, new.target, new.watchful) {
            return true;
        }
        self.mark(id);
        let member = &mut self.members[id];
        self.classes.forget(member);
        member.viewer = new.viewer;
        member.target = new.target;
        member.watchful = new.watchful;
        self.classes.count(member);
        self.classify(id, slot);
        true
    }

    #[inline]
    fn slot(&self, id: Id) -> Option<Slot> {
        self.slots
            .get(id)
            .copied()
            .filter(|slot| slot.block != NONE)
    }

    /// Takes the member out of the clean way until the next update, and remembers what it was.
    fn mark(&mut self, id: Id) {
        let known = self.slot(id);
        if known.is_none() && self.members.get(id).is_none_or(|member| !member.dirty) {
            self.slots.hold(id);
            self.members.hold(id);
            self.places.hold(id);
        }
        let member = &mut self.members[id];
        if core::mem::replace(&mut member.dirty, true) {
            return;
        }
        let mut was = Was {
            id,
            at: None,
            viewer: member.viewer,
            target: member.target,
        };
        member.new = known.is_none();
        if let Some(slot) = known {
            let lane = slot.lane as usize;
            let block = &mut self.blocks[slot.block as usize];
            was.at = Some(block.old_position(lane));
            let pos = block.position(lane);
            block.write(lane, pos, pos);
            set(&mut block.dirty, lane, true);
            self.list(slot.block);
        }
        self.changed.push(was);
    }

    #[inline]
    fn list(&mut self, block: u32) {
        if !core::mem::replace(&mut self.blocks[block as usize].listed, true) {
            self.listed.push(block);
        }
    }

    /// The part a member plays in the clean way.
    fn roles(&self, id: Id) -> Roles<D> {
        self.classes.roles(&self.members[id])
    }

    /// Puts a member whose roles changed into the class it belongs to.
    fn classify(&mut self, id: Id, slot: Slot) {
        let roles = self.roles(id);
        self.blocks[slot.block as usize].set_roles(slot.lane as usize, roles);
        let member = &mut self.members[id];
        if member.far {
            self.classes.unlist(id);
        }
        member.far = self.classes.list(id, member);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_only_asks_keeps_no_memory_of_the_gone() {
        let mut link = CrossLink::<2>::new();
        for id in 0..100_000 {
            link.insert(id, [id as f32, 0.0]);
            link.remove(id.wrapping_sub(10));
        }
        link.insert(Id::MAX, [0.0, 0.0]);
        link.check_invariants().unwrap();
        assert_eq!(link.len(), 11);
        assert!(
            link.slots.iter().count() < 8 * 1024,
            "pages of the gone are freed"
        );
        assert!(link.changed.len() < 2048);
    }

    #[test]
    fn unknown_ids_are_no_error() {
        let mut link = CrossLink::<3>::new();
        assert_eq!(
            (link.viewer(0), link.target(9), link.position(3)),
            (None, None, None)
        );
        assert!(!link.set_viewer(5, Some(Viewer::new(1.0))));
        assert!(!link.set_target(5, Some(Target::default())));
        assert!(!link.remove(5));
        assert_eq!(link.neighbors_in_radius(2, 1.0).count(), 0);
    }

    #[test]
    fn moves_that_panic_leave_no_member_between_two_places() {
        let mut link = CrossLink::<2>::new();
        link.insert_many((0..1000).map(|id| (id, [id as f32, 0.0])));
        for stop in [100, 900] {
            let moves = (0..1000).map(|id| {
                assert!(id < stop, "on purpose");
                (id, [id as f32, stop as f32])
            });
            let moves = core::panic::AssertUnwindSafe(|| link.move_many(moves));
            std::panic::catch_unwind(moves).unwrap_err();
            link.check_invariants().unwrap();
            assert_eq!(link.within_radius([50.0, stop as f32], 0.0).count(), 1);
            assert_eq!(link.position(950), Some([950.0, 0.0]));
        }
    }

    #[test]
    fn insert_many_moves_those_that_are_there_and_leaves_them_what_they_are() {
        for count in [3, 500] {
            let mut link = CrossLink::<2>::new();
            link.insert(7, [1.0, 1.0]);
            link.set_viewer(7, Some(Viewer::new(5.0)));
            // One that is there, many new ones, one of them twice, and one that is nowhere.
            let new = (10..10 + count).map(|id| (id, [id as f32, 0.0]));
            let known = [(7, [2.0, 2.0]), (11, [3.0, 3.0]), (9, [f32::NAN, 0.0])];
            link.insert_many(new.chain(known));
            link.check_invariants().unwrap();
            assert_eq!(link.len(), count as usize + 1);
            assert_eq!(link.position(7), Some([2.0, 2.0]));
            assert_eq!(link.viewer(7), Some(Viewer::new(5.0)), "it still sees");
            assert_eq!(link.position(11), Some([3.0, 3.0]), "the last one holds");
            assert!(!link.contains(9));
        }
    }
}
