//! Compares what an update told with what a scenario expects of it.

use super::{
    Run,
    format::{Expected, Key, reason_name},
};
use bevy::prelude::*;
use bevy_aoi::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// The messages of one update, in the order in which they were written.
#[derive(Debug, Default, Clone)]
pub struct Told {
    /// What came into view.
    pub entered: Vec<EnterView>,
    /// What dropped out of view.
    pub left: Vec<LeaveView>,
}

impl Told {
    /// The pairs (viewer, target) of the enters.
    pub fn entered_pairs(&self) -> impl Iterator<Item = (Entity, Entity)> {
        self.entered.iter().map(|m| (m.viewer, m.target))
    }

    /// The pairs (viewer, target) of the leaves.
    pub fn left_pairs(&self) -> impl Iterator<Item = (Entity, Entity)> {
        self.left.iter().map(|m| (m.viewer, m.target))
    }

    /// Whether nothing was told.
    pub fn is_silent(&self) -> bool {
        self.entered.is_empty() && self.left.is_empty()
    }
}

impl Run {
    /// The messages that were not wanted, those that are lacking, and wrong reasons.
    pub fn compare_messages(&self, told: &Told, expect: &Expected) -> Vec<String> {
        let key = |(viewer, target), sign| (self.name(viewer), sign, self.name(target));
        let mut counts = BTreeMap::<Key, u32>::new();
        let (left, entered) = (told.left_pairs(), told.entered_pairs());
        for key in left
            .map(|pair| key(pair, '-'))
            .chain(entered.map(|pair| key(pair, '+')))
        {
            *counts.entry(key).or_default() += 1;
        }
        let mut differences = Vec::new();
        let keys: BTreeSet<&Key> = counts.keys().chain(expect.0.keys()).collect();
        for key in keys {
            let (viewer, sign, target) = key;
            let count = counts.get(key).copied().unwrap_or(0);
            match (expect.0.contains_key(key), count) {
                (true, 1) => {}
                (true, _) => {
                    differences.push(format!("{viewer}{sign}{target} wanted, told {count} times"));
                }
                (false, _) => differences.push(format!(
                    "{viewer}{sign}{target} not wanted, told {count} times"
                )),
            }
        }
        for leave in &told.left {
            let (viewer, sign, target) = key((leave.viewer, leave.target), '-');
            let reason = reason_name(leave.reason);
            match expect.0.get(&(viewer.clone(), sign, target.clone())) {
                Some(Some(wanted)) if wanted != reason => differences.push(format!(
                    "{viewer}-{target} for the reason {wanted}, told {reason}"
                )),
                _ => {}
            }
        }
        differences
    }

    /// The exact sets that a tick names. An entity without the component has an empty set.
    pub fn compare_lists<C>(
        &mut self,
        field: &str,
        wanted: &BTreeMap<String, Vec<String>>,
        differences: &mut Vec<String>,
    ) -> Result<(), String>
    where
        C: Component,
        for<'a> &'a C: IntoIterator<Item = Entity>,
    {
        for (id, wanted) in wanted {
            let entity = self.living(id)?.id();
            let list = self.app.world().get::<C>(entity);
            let mut have: Vec<_> = list
                .into_iter()
                .flatten()
                .map(|other| self.name(other))
                .collect();
            let mut wanted = wanted.clone();
            have.sort_unstable();
            wanted.sort_unstable();
            if have != wanted {
                differences.push(format!("{field} of {id} wanted {wanted:?}, has {have:?}"));
            }
        }
        Ok(())
    }
}

/// Messages that are not sorted by viewer, then target (point 18 of the contract), and pairs that are
/// told both to leave and to enter (14).
pub fn out_of_order(told: &Told) -> Vec<String> {
    let mut differences = Vec::new();
    if !told
        .left
        .iter()
        .is_sorted_by(|a, b| (a.viewer, a.target) < (b.viewer, b.target))
    {
        differences.push(format!("leaves out of order: {:?}", told.left));
    }
    if !told
        .entered
        .iter()
        .is_sorted_by(|a, b| (a.viewer, a.target) < (b.viewer, b.target))
    {
        differences.push(format!("enters out of order: {:?}", told.entered));
    }
    let left: BTreeSet<_> = told.left_pairs().collect();
    if let Some((viewer, target)) = told.entered_pairs().find(|pair| left.contains(pair)) {
        differences.push(format!("{viewer} told both to lose and to see {target}"));
    }
    differences
}
