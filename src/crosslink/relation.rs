//! The view relation by id, for those who use the structure without Bevy.

use super::{
    Alone, Candidates, CrossLink, FETCHED, Id, Order, Reaches, buffer::give_back, delta, in_view,
    table::Table,
};

/// Who has whom in view, and what changed in the last update.
///
/// The plugin does not use this: its relation is in the `InView` components, and knows more
/// (spaces, pins, caps). What is shared is the search for candidates and [`in_view`], which
/// decides.
#[derive(Debug, Default)]
pub struct Relation {
    /// By viewer, ascending; held unless it is empty.
    views: Table<Vec<Id>>,
    candidates: Candidates,
    reaches: Reaches<Id>,
    changes: Changes,
    /// Updates for which the lists of the changes have been too large.
    idle: [u8; 2],
    order: Order<Id>,
    /// Of one viewer: within the narrower bound, and beyond.
    reached: [Vec<Id>; 2],
}

/// Pairs (viewer, target) that came into view and that dropped out, ascending.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Changes {
    /// In view now, not before.
    pub entered: Vec<(Id, Id)>,
    /// In view before, not now.
    pub left: Vec<(Id, Id)>,
}

/// A pair as one number, which is quicker to compare.
fn key(&(viewer, target): &(Id, Id)) -> u64 {
    u64::from(viewer) << 32 | u64::from(target)
}

impl Relation {
    /// Nobody sees anybody.
    pub fn new() -> Self {
        Self::default()
    }

    /// What changed since the last call; always with the same structure. Costs what changed, and
    /// what is near to it. The lists may be taken away.
    pub fn update<const D: usize>(&mut self, link: &mut CrossLink<D>) -> &mut Changes {
        self.candidates.clear();
        self.reaches.clear();
        let Changes { entered, left } = &mut self.changes;
        for (list, idle) in [entered, left].into_iter().zip(&mut self.idle) {
            let used = list.len();
            list.clear();
            give_back(list, used, idle);
        }
        link.detect(&Alone, |id| id, &mut self.candidates, &mut self.reaches);
        if !self.candidates.touched {
            return &mut self.changes;
        }
        let Candidates {
            pairs,
            whole,
            came,
            went,
            margin,
            ..
        } = &mut self.candidates;
        for &(viewer, target, now) in &*margin {
            if holds(&self.views, viewer, target) != now {
                if now { &mut *came } else { &mut *went }.push((viewer, target));
            }
        }
        let reaches = &mut self.reaches;
        let Changes { entered, left } = &mut self.changes;
        for (pairs, told) in [(came, &mut *entered), (went, &mut *left)] {
            self.order
                .append(pairs, link.members.end(), |id| id, key, told);
        }
        for came in entered.chunk_by(|a, b| a.0 == b.0) {
            insert(&mut self.views, came);
        }
        for went in left.chunk_by(|a, b| a.0 == b.0) {
            remove(&mut self.views, went);
        }
        let [near, margin] = &mut self.reached;
        whole.sort_unstable();
        for &viewer in &*whole {
            link.targets_in_reach(viewer, |target, is_near| {
                if is_near {
                    near.push(target);
                } else {
                    margin.push(target);
                }
            });
            replace(&mut self.views, viewer, [near, margin], &mut self.changes);
        }
        let mut each = core::mem::take(&mut reaches.each);
        each.sort_unstable_by_key(|reach| reach.viewer);
        for (at, reach) in each.iter().enumerate() {
            if at.is_multiple_of(FETCHED) {
                reaches.fetch(each[at..].iter().take(FETCHED));
            }
            let viewer = reach.viewer;
            if self.views.get(viewer).is_none_or(Vec::is_empty) {
                let near = reaches.near(reach);
                if !near.is_empty() {
                    self.views.hold(viewer);
                    self.views[viewer] = near.to_vec();
                    let came = near.iter().map(|&target| (viewer, target));
                    self.changes.entered.extend(came);
                }
                continue;
            }
            near.extend_from_slice(reaches.near(reach));
            margin.extend_from_slice(reaches.margin(reach));
            replace(&mut self.views, viewer, [near, margin], &mut self.changes);
        }
        reaches.each = each;
        pairs.sort_unstable_by_key(key);
        pairs.dedup();
        for &pair in &*pairs {
            let (viewer, target) = pair;
            // Told already, with all that the viewer sees.
            let held = holds(&self.views, viewer, target);
            match (held, link.sees(viewer, target, held)) {
                (false, true) => {
                    insert(&mut self.views, &[pair]);
                    self.changes.entered.push(pair);
                }
                (true, false) => {
                    remove(&mut self.views, &[pair]);
                    self.changes.left.push(pair);
                }
                _ => {}
            }
        }
        // A few ascending lists one after the other: a merge.
        for list in [&mut self.changes.entered, &mut self.changes.left] {
            if !list.is_sorted_by_key(key) {
                list.sort_by_key(key);
            }
        }
        &mut self.changes
    }

    /// Whom `viewer` has in view, ascending.
    pub fn in_view(&self, viewer: Id) -> &[Id] {
        self.views.get(viewer).map_or(&[], Vec::as_slice)
    }
}

/// Whether a viewer has a target in view.
fn holds(views: &Table<Vec<Id>>, viewer: Id, target: Id) -> bool {
    let view = views.get(viewer);
    view.is_some_and(|view| view.binary_search(&target).is_ok())
}

/// Puts the targets of some pairs of one viewer, ascending, into its view.
fn insert(views: &mut Table<Vec<Id>>, pairs: &[(Id, Id)]) {
    let viewer = pairs[0].0;
    if views.get(viewer).is_none_or(Vec::is_empty) {
        views.hold(viewer);
    }
    let view = &mut views[viewer];
    let mut from = view.len();
    view.resize(from + pairs.len(), 0);
    // From the last on, so that each is moved once.
    let mut to = view.len();
    for &(_, target) in pairs.iter().rev() {
        while from > 0 && view[from - 1] > target {
            (from, to) = (from - 1, to - 1);
            view[to] = view[from];
        }
        to -= 1;
        view[to] = target;
    }
}

/// Takes the targets of some pairs of one viewer, ascending, out of its view.
fn remove(views: &mut Table<Vec<Id>>, pairs: &[(Id, Id)]) {
    let viewer = pairs[0].0;
    let view = &mut views[viewer];
    let mut gone = pairs.iter().map(|pair| pair.1).peekable();
    view.retain(|&target| gone.next_if_eq(&target).is_none());
    if view.is_empty() {
        views.release(viewer);
    }
}

/// Brings a whole view up to date: now it is what is near enough to come into view, and of what is in
/// the margin that which was in view. Empties both.
fn replace(
    views: &mut Table<Vec<Id>>,
    viewer: Id,
    [now, margin]: [&mut Vec<Id>; 2],
    changes: &mut Changes,
) {
    let had = views.get(viewer).map_or(&[][..], Vec::as_slice);
    now.extend(
        margin
            .drain(..)
            .filter(|target| had.binary_search(target).is_ok()),
    );
    now.sort_unstable();
    let mut before = had.iter().copied().peekable();
    for &target in &*now {
        while let Some(other) = before.next_if(|&other| other < target) {
            changes.left.push((viewer, other));
        }
        if before.next_if_eq(&target).is_none() {
            changes.entered.push((viewer, target));
        }
    }
    changes.left.extend(before.map(|other| (viewer, other)));
    match (had.is_empty(), now.is_empty()) {
        (true, true) => {}
        (false, true) => views.release(viewer),
        (empty, false) => {
            if empty {
                views.hold(viewer);
            }
            let view = &mut views[viewer];
            view.clear();
            view.extend_from_slice(now);
        }
    }
    now.clear();
}

impl<const D: usize> CrossLink<D> {
    /// Whether one member sees another by layers and distance, given whether it did.
    fn sees(&self, viewer: Id, target: Id, held: bool) -> bool {
        let known = || {
            let seen = self.viewer(viewer).zip(self.target(target))?;
            let places = self.position(viewer).zip(self.position(target))?;
            Some((seen, places))
        };
        viewer != target
            && known().is_some_and(|((viewer, target), (from, to))| {
                in_view(&viewer, &target, delta(from, to), held)
            })
    }
}
