//! The view relation by id, for those who use the structure without Bevy.

use super::{Alone, Candidates, CrossLink, Id, delta, in_view, table::Table};

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
    changes: Changes,
    /// Of one viewer.
    found: Vec<(Id, bool)>,
}

/// Pairs (viewer, target) that came into view and that dropped out, ascending.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Changes {
    /// In view now, not before.
    pub entered: Vec<(Id, Id)>,
    /// In view before, not now.
    pub left: Vec<(Id, Id)>,
}

impl Relation {
    /// Nobody sees anybody.
    pub fn new() -> Self {
        Self::default()
    }

    /// What changed since the last call; always with the same structure. Costs what changed, and
    /// what is near to it.
    pub fn update<const D: usize>(&mut self, link: &mut CrossLink<D>) -> &Changes {
        self.candidates.clear();
        self.changes.entered.clear();
        self.changes.left.clear();
        link.detect(&Alone, &mut self.candidates);
        let Candidates {
            pairs,
            whole,
            came,
            went,
            reaches,
            ..
        } = &mut self.candidates;
        for &(viewer, target) in &*came {
            insert(&mut self.views, viewer, target);
        }
        for &(viewer, target) in &*went {
            remove(&mut self.views, viewer, target);
        }
        self.changes.entered.append(came);
        self.changes.left.append(went);
        for &viewer in &*whole {
            self.found.clear();
            link.targets_in_reach(viewer, |target, near| self.found.push((target, near)));
            compare(&mut self.views, viewer, &mut self.found, &mut self.changes);
        }
        let mut each = core::mem::take(&mut reaches.each);
        each.sort_unstable_by_key(|reach| reach.viewer);
        for reach in &each {
            self.found.clear();
            let near = reaches.near(reach).iter().map(|&target| (target, true));
            self.found.extend(near);
            let margin = reaches.margin(reach).iter();
            self.found.extend(margin.map(|&target| (target, false)));
            compare(
                &mut self.views,
                reach.viewer,
                &mut self.found,
                &mut self.changes,
            );
        }
        reaches.each = each;
        pairs.sort_unstable();
        pairs.dedup();
        for &(viewer, target) in &*pairs {
            // Told already, with all that the viewer sees.
            let held = self
                .views
                .get(viewer)
                .is_some_and(|view| view.binary_search(&target).is_ok());
            match (held, link.sees(viewer, target, held)) {
                (false, true) => {
                    insert(&mut self.views, viewer, target);
                    self.changes.entered.push((viewer, target));
                }
                (true, false) => {
                    remove(&mut self.views, viewer, target);
                    self.changes.left.push((viewer, target));
                }
                _ => {}
            }
        }
        self.changes.entered.sort_unstable();
        self.changes.left.sort_unstable();
        &self.changes
    }

    /// Whom `viewer` has in view, ascending.
    pub fn in_view(&self, viewer: Id) -> &[Id] {
        self.views.get(viewer).map_or(&[], Vec::as_slice)
    }
}

/// Puts a target into a view.
fn insert(views: &mut Table<Vec<Id>>, viewer: Id, target: Id) {
    if views.get(viewer).is_none_or(Vec::is_empty) {
        views.hold(viewer);
    }
    let view = &mut views[viewer];
    let at = view.partition_point(|&other| other < target);
    view.insert(at, target);
}

/// Takes a target out of a view that it is in.
fn remove(views: &mut Table<Vec<Id>>, viewer: Id, target: Id) {
    let view = &mut views[viewer];
    let at = view.partition_point(|&other| other < target);
    view.remove(at);
    if view.is_empty() {
        views.release(viewer);
    }
}

/// Brings a whole view up to date: all that is in reach, and whether it is near enough to come into
/// view, beside all that was in view.
fn compare(
    views: &mut Table<Vec<Id>>,
    viewer: Id,
    reached: &mut Vec<(Id, bool)>,
    changes: &mut Changes,
) {
    let had = views.get(viewer).map_or(&[][..], Vec::as_slice);
    reached.sort_unstable();
    let mut gone = had.iter().copied().peekable();
    reached.retain(|&(target, near)| {
        while let Some(other) = gone.next_if(|&other| other < target) {
            changes.left.push((viewer, other));
        }
        let held = gone.next_if_eq(&target).is_some();
        if near && !held {
            changes.entered.push((viewer, target));
        }
        held || near
    });
    changes.left.extend(gone.map(|other| (viewer, other)));
    match (had.is_empty(), reached.is_empty()) {
        (true, true) => {}
        (false, true) => views.release(viewer),
        (empty, false) => {
            if empty {
                views.hold(viewer);
            }
            let view = &mut views[viewer];
            view.clear();
            view.extend(reached.iter().map(|&(target, _)| target));
        }
    }
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
