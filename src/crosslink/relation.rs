//! The view relation by id, for those who use the structure without Bevy.

use super::{Candidates, CrossLink, Id, delta, in_view};
use std::collections::HashMap;

/// Who has whom in view, and what changed in the last update.
///
/// The plugin does not use this: its relation is in the `InView` components, and knows more
/// (spaces, pins, caps). What is shared is the search for candidates and [`in_view`], which
/// decides.
#[derive(Debug, Default)]
pub struct Relation {
    /// By viewer, ascending; nobody's view is empty.
    views: HashMap<Id, Vec<Id>>,
    candidates: Candidates,
    changes: Changes,
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
        link.detect(&mut self.candidates);
        let pairs = &mut self.candidates.pairs;
        for &(viewer, target) in &self.candidates.came {
            let view = self.views.entry(viewer).or_default();
            let at = view.partition_point(|&other| other < target);
            view.insert(at, target);
        }
        for &(viewer, target) in &self.candidates.went {
            forget(&mut self.views, viewer, target);
        }
        self.changes.entered.append(&mut self.candidates.came);
        self.changes.left.append(&mut self.candidates.went);
        for &viewer in &self.candidates.whole {
            if let Some(view) = self.views.get(&viewer) {
                pairs.extend(view.iter().map(|&target| (viewer, target)));
            }
            link.targets_in_reach(viewer, |target, _| pairs.push((viewer, target)));
        }
        pairs.sort_unstable();
        pairs.dedup();
        for &(viewer, target) in &*pairs {
            let view = self.views.get(&viewer).map_or(&[][..], Vec::as_slice);
            let held = view.binary_search(&target);
            let seen = link.sees(viewer, target, held.is_ok());
            match held {
                Err(at) if seen => {
                    self.views.entry(viewer).or_default().insert(at, target);
                    self.changes.entered.push((viewer, target));
                }
                Ok(_) if !seen => {
                    forget(&mut self.views, viewer, target);
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
        self.views.get(&viewer).map_or(&[], Vec::as_slice)
    }
}

/// Takes a target out of a view.
fn forget(views: &mut HashMap<Id, Vec<Id>>, viewer: Id, target: Id) {
    if let Some(view) = views.get_mut(&viewer) {
        if let Ok(at) = view.binary_search(&target) {
            view.remove(at);
        }
        if view.is_empty() {
            views.remove(&viewer);
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
