//! Who has whom in view, as sorted lists, and the two ways to change them: with the whole new set
//! (the published methods), or with those that changed sides (the ablations).

use super::roster::Roster;
use crate::Changes;
use crate::world::World;

/// What every viewer has in view.
#[derive(Debug, Default)]
pub(super) struct Views {
    lists: Vec<Vec<u32>>,
    /// Found within the radius, any order.
    pub near: Vec<u32>,
    /// Found between the radius and the leave margin: stays, but does not enter.
    pub far: Vec<u32>,
    merged: Vec<u32>,
    bits: Vec<u64>,
}

impl Views {
    pub(super) fn grow(&mut self, members: usize) {
        if self.lists.len() < members {
            self.lists.resize_with(members, Vec::new);
        }
    }

    pub(super) fn list(&self, viewer: u32) -> &[u32] {
        self.lists.get(viewer as usize).map_or(&[], Vec::as_slice)
    }

    pub(super) fn has(&self, viewer: u32, target: u32) -> bool {
        self.lists[viewer as usize].binary_search(&target).is_ok()
    }

    /// The viewer is gone or blind.
    pub(super) fn drop_viewer(&mut self, viewer: u32, changes: &mut Changes) {
        let list = &mut self.lists[viewer as usize];
        changes
            .left
            .extend(list.drain(..).map(|target| (viewer, target)));
    }

    /// Forgets whom of `near` and `far` the viewer has no layer for.
    pub(super) fn keep_seen_layers(&mut self, world: &World, roster: &Roster, viewer: u32) {
        if !roster.sees_all_layers(world, viewer) {
            let sees = world.members[viewer as usize].sees;
            let seen = |&id: &u32| world.members[id as usize].layers & sees != 0;
            self.near.retain(seen);
            self.far.retain(seen);
        }
    }

    /// Makes `near`, and what of `far` was in view, the new set of the viewer, and tells the
    /// difference. Leaves both empty.
    pub(super) fn replace(&mut self, viewer: u32, changes: &mut Changes) {
        let old = &mut self.lists[viewer as usize];
        let stays = self.far.drain(..);
        self.near
            .extend(stays.filter(|target| old.binary_search(target).is_ok()));
        sort_ids(&mut self.near, &mut self.bits);
        if *old != self.near {
            difference(old, &self.near, |target, entered| {
                tell(changes, viewer, target, entered);
            });
            old.clear();
            old.extend_from_slice(&self.near);
        }
        self.near.clear();
    }

    /// Turns one target round: if it was in view it leaves, else it enters.
    pub(super) fn flip(&mut self, viewer: u32, target: u32, changes: &mut Changes) {
        let list = &mut self.lists[viewer as usize];
        match list.binary_search(&target) {
            Ok(place) => {
                list.remove(place);
                tell(changes, viewer, target, false);
            }
            Err(place) => {
                list.insert(place, target);
                tell(changes, viewer, target, true);
            }
        }
    }

    /// Asks for every target in `near` whether it is in view now, given whether it was, and tells
    /// the difference. They may be in there twice, as who jumped is found at both ends. Leaves
    /// `near` empty.
    pub(super) fn revise(
        &mut self,
        viewer: u32,
        changes: &mut Changes,
        sees: impl Fn(u32, bool) -> bool,
    ) {
        if self.near.len() <= 2 {
            while let Some(target) = self.near.pop() {
                if sees(target, self.has(viewer, target)) != self.has(viewer, target) {
                    self.flip(viewer, target, changes);
                }
            }
            return;
        }
        sort_ids(&mut self.near, &mut self.bits);
        self.near.dedup();
        self.merged.clear();
        let list = &mut self.lists[viewer as usize];
        let mut rest = list.as_slice();
        for target in self.near.drain(..) {
            let (before, behind) = rest.split_at(skip(rest, target));
            self.merged.extend_from_slice(before);
            let had = behind.first() == Some(&target);
            rest = &behind[usize::from(had)..];
            let has = sees(target, had);
            if has {
                self.merged.push(target);
            }
            if has != had {
                tell(changes, viewer, target, has);
            }
        }
        self.merged.extend_from_slice(rest);
        list.clear();
        list.extend_from_slice(&self.merged);
    }
}

/// How many of a sorted list come before `id`.
fn skip(list: &[u32], id: u32) -> usize {
    if list.len() > 64 {
        list.partition_point(|&other| other < id)
    } else {
        list.iter().take_while(|&&other| other < id).count()
    }
}

fn tell(changes: &mut Changes, viewer: u32, target: u32, entered: bool) {
    if entered {
        changes.entered.push((viewer, target));
    } else {
        changes.left.push((viewer, target));
    }
}

/// Calls back with what is only in `new` (true) or only in `old` (false), both sorted.
fn difference(mut old: &[u32], mut new: &[u32], mut found: impl FnMut(u32, bool)) {
    while let ([was, old_rest @ ..], [is, new_rest @ ..]) = (old, new) {
        if was == is {
            (old, new) = (old_rest, new_rest);
        } else if was < is {
            found(*was, false);
            old = old_rest;
        } else {
            found(*is, true);
            new = new_rest;
        }
    }
    old.iter().for_each(|&id| found(id, false));
    new.iter().for_each(|&id| found(id, true));
}

/// Sorts ids, none twice. A large share of all is sorted by setting bits.
fn sort_ids(ids: &mut Vec<u32>, bits: &mut Vec<u64>) {
    if ids.is_sorted() {
        return;
    }
    let last = ids.iter().copied().max().unwrap_or(0) as usize;
    if ids.len() < 64 || ids.len() * 64 < last {
        ids.sort_unstable();
        return;
    }
    bits.clear();
    bits.resize(last / 64 + 1, 0);
    for &id in &*ids {
        bits[id as usize / 64] |= 1 << (id % 64);
    }
    ids.clear();
    for (word, &set) in (0u32..).zip(&*bits) {
        let mut set = set;
        while set != 0 {
            ids.push(word * 64 + set.trailing_zeros());
            set &= set - 1;
        }
    }
}
