//! What an update has to tell, viewer by viewer.
//!
//! A list of messages would hold each viewer and each reason as often as it has changes: three times
//! the memory where all come, or go, at once.

use bevy::prelude::*;

use crate::crosslink::{pour, recycle};

/// Changes of one kind, sorted by viewer, then target. `R` is the reason, if there is one.
#[derive(Debug)]
pub(crate) struct Told<R> {
    runs: Vec<Run<R>>,
    targets: Vec<Entity>,
}

/// Changes of one viewer that follow each other and have the same reason.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run<R> {
    pub viewer: Entity,
    pub reason: R,
    /// How many targets.
    len: u32,
    /// Where they begin in the list.
    from: usize,
}

impl<R> Default for Told<R> {
    fn default() -> Self {
        Self {
            runs: Vec::new(),
            targets: Vec::new(),
        }
    }
}

impl<R: Copy + PartialEq> Told<R> {
    pub fn clear(&mut self) {
        recycle(&mut self.runs);
        recycle(&mut self.targets);
    }

    /// How many changes.
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// Adds a change of the last viewer, or of one behind it.
    pub fn push(&mut self, viewer: Entity, reason: R, target: Entity) {
        let from = self.targets.len();
        self.targets.push(target);
        self.note(viewer, reason, from);
    }

    /// Adds changes of the last viewer, or of one behind it.
    pub fn extend(&mut self, viewer: Entity, reason: R, targets: impl IntoIterator<Item = Entity>) {
        let from = self.targets.len();
        self.targets.extend(targets);
        if self.targets.len() > from {
            self.note(viewer, reason, from);
        }
    }

    /// Says of whom the targets from an index on are.
    fn note(&mut self, viewer: Entity, reason: R, from: usize) {
        let len = (self.targets.len() - from) as u32;
        match self.runs.last_mut() {
            Some(last) if last.viewer == viewer && last.reason == reason => last.len += len,
            _ => self.runs.push(Run {
                viewer,
                reason,
                len,
                from,
            }),
        }
    }

    /// Moves all from another list, of which the viewers are behind those here.
    pub fn append(&mut self, other: &mut Self) {
        for run in &mut other.runs {
            run.from += self.targets.len();
        }
        pour(&mut other.runs, &mut self.runs);
        pour(&mut other.targets, &mut self.targets);
    }

    /// The targets of a viewer, ascending.
    pub fn of(&self, viewer: Entity) -> &[Entity] {
        let from = self.runs.partition_point(|run| run.viewer < viewer);
        let runs = self.runs[from..].iter();
        let runs = runs.take_while(|run| run.viewer == viewer);
        let len = runs.map(|run| run.len as usize).sum::<usize>();
        let from = self.runs.get(from).map_or(0, |run| run.from);
        &self.targets[from..][..len]
    }

    /// All, from the first on.
    pub fn read(&self) -> Reader<'_, R> {
        Reader {
            runs: &self.runs,
            targets: &self.targets,
        }
    }

    /// Every change as viewer, reason, target.
    pub fn iter(&self) -> impl Iterator<Item = (Entity, R, Entity)> + '_ {
        self.read().flat_map(|(run, targets)| {
            let each = targets.iter();
            each.map(move |&target| (run.viewer, run.reason, target))
        })
    }
}

/// The rest of a list.
#[derive(Debug, Clone)]
pub(crate) struct Reader<'a, R> {
    runs: &'a [Run<R>],
    targets: &'a [Entity],
}

impl<'a, R> Reader<'a, R> {
    /// The viewer of the next change.
    pub fn viewer(&self) -> Option<Entity> {
        self.runs.first().map(|run| run.viewer)
    }

    /// Splits off the changes of a viewer, if it is the next.
    pub fn split_off(&mut self, viewer: Entity) -> Self {
        let mut rest = Self { ..*self };
        while rest.viewer() == Some(viewer) {
            rest.next();
        }
        let [runs, targets] = [
            self.runs.len() - rest.runs.len(),
            self.targets.len() - rest.targets.len(),
        ];
        let split = Self {
            runs: &self.runs[..runs],
            targets: &self.targets[..targets],
        };
        *self = rest;
        split
    }

    /// All targets.
    pub fn targets(&self) -> &'a [Entity] {
        self.targets
    }
}

impl<'a, R> Iterator for Reader<'a, R> {
    type Item = (&'a Run<R>, &'a [Entity]);

    fn next(&mut self) -> Option<Self::Item> {
        let (run, runs) = self.runs.split_first()?;
        let (targets, rest) = self.targets.split_at(run.len as usize);
        (self.runs, self.targets) = (runs, rest);
        Some((run, targets))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_split_where_viewer_or_reason_changes() {
        let [a, b, c] = [1, 2, 3].map(Entity::from_bits);
        let mut told = Told::default();
        told.push(a, 'x', b);
        told.push(a, 'x', c);
        told.extend(b, 'x', []);
        told.push(b, 'x', a);
        let mut more = Told::default();
        more.push(c, 'x', a);
        more.push(c, 'y', b);
        told.append(&mut more);
        assert_eq!((told.len(), more.len()), (5, 0));
        let all = [
            (a, 'x', b),
            (a, 'x', c),
            (b, 'x', a),
            (c, 'x', a),
            (c, 'y', b),
        ];
        assert!(told.iter().eq(all));
        assert_eq!([a, b, c].map(|viewer| told.of(viewer).len()), [2, 1, 2]);
        assert_eq!(told.of(c), [a, b]);
        assert_eq!(told.of(Entity::from_bits(9)), []);
        let mut rest = told.read();
        let sizes = [a, b, c].map(|viewer| {
            let of = rest.split_off(viewer);
            (of.targets().len(), of.count())
        });
        assert_eq!(sizes, [(2, 1), (1, 1), (2, 2)]);
        assert_eq!(rest.viewer(), None);
    }
}
