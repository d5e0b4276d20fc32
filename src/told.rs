//! What an update has to tell, viewer by viewer.
//!
//! A list of messages would hold each viewer and each reason as often as it has changes: three times
//! the memory where all come, or go, at once.

use bevy::prelude::*;

use crate::crosslink::Buffer;

/// Changes of one kind, sorted by viewer, then target. `R` is the reason, if there is one.
#[derive(Debug)]
pub(crate) struct Told<R> {
    runs: Buffer<Run<R>>,
    /// Of all runs, and maybe others.
    targets: Buffer<Entity>,
    len: usize,
    /// The targets are in another order of viewers than the runs.
    scattered: bool,
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
            runs: Buffer::default(),
            targets: Buffer::default(),
            len: 0,
            scattered: false,
        }
    }
}

impl<R: Copy + PartialEq> Told<R> {
    pub fn clear(&mut self) {
        self.runs.recycle();
        self.targets.recycle();
        self.len = 0;
        self.scattered = false;
    }

    /// The targets, if they lie anywhere.
    pub fn scattered(&self) -> Option<&[Entity]> {
        self.scattered.then_some(&self.targets)
    }

    /// How many changes.
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
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

    /// Says that the changes of a viewer are in a list that is [adopted](Self::adopt) later.
    pub fn announce(&mut self, viewer: Entity, reason: R, from: usize, len: u32) {
        if len > 0 {
            self.len += len as usize;
            self.runs.push(Run {
                viewer,
                reason,
                len,
                from,
            });
        }
    }

    /// Takes over the targets that were announced, before there are any others.
    pub fn adopt(&mut self, targets: &mut Buffer<Entity>) {
        debug_assert!(self.targets.is_empty());
        if !self.runs.is_empty() {
            core::mem::swap(&mut self.targets, targets);
        }
    }

    /// Puts the viewers in order.
    pub fn order(&mut self) {
        if !self.runs.is_sorted_by_key(|run| run.viewer) {
            self.runs.sort_by_key(|run| run.viewer);
            self.scattered = true;
        }
    }

    /// Says of whom the targets from an index on are.
    fn note(&mut self, viewer: Entity, reason: R, from: usize) {
        let len = (self.targets.len() - from) as u32;
        self.len += len as usize;
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

    /// Moves all from another list, of which the viewers are behind those here or put in order after.
    pub fn append(&mut self, other: &mut Self) {
        self.len += core::mem::take(&mut other.len);
        for run in other.runs.iter_mut() {
            run.from += self.targets.len();
        }
        other.runs.pour(&mut self.runs);
        other.targets.pour(&mut self.targets);
    }

    /// The targets of a viewer, ascending.
    pub fn of(&self, viewer: Entity) -> &[Entity] {
        let from = self.runs.partition_point(|run| run.viewer < viewer);
        let mut rest = Reader {
            runs: &self.runs[from..],
            ..self.read()
        };
        rest.split_off(viewer).targets()
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
    /// All of the list; those of one viewer lie side by side.
    targets: &'a [Entity],
}

impl<'a, R> Reader<'a, R> {
    /// The viewer of the next change.
    pub fn viewer(&self) -> Option<Entity> {
        self.runs.first().map(|run| run.viewer)
    }

    /// Splits off the changes of a viewer, if it is the next.
    pub fn split_off(&mut self, viewer: Entity) -> Self {
        let of = self.runs.iter().take_while(|run| run.viewer == viewer);
        let (runs, rest) = self.runs.split_at(of.count());
        self.runs = rest;
        Self { runs, ..*self }
    }

    /// Where in the list the next change is.
    pub fn from(&self) -> usize {
        self.runs.first().map_or(0, |run| run.from)
    }

    /// All targets; of one viewer.
    pub fn targets(&self) -> &'a [Entity] {
        let from = self.runs.first().map_or(0, |run| run.from);
        let len = self.runs.iter().map(|run| run.len as usize).sum();
        &self.targets[from..][..len]
    }
}

impl<'a, R> Iterator for Reader<'a, R> {
    type Item = (&'a Run<R>, &'a [Entity]);

    fn next(&mut self) -> Option<Self::Item> {
        let (run, runs) = self.runs.split_first()?;
        self.runs = runs;
        Some((run, &self.targets[run.from..][..run.len as usize]))
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
        assert!(more.is_empty());
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

    #[test]
    fn what_is_adopted_is_told_in_the_order_of_viewers() {
        let [a, b, c] = [1, 2, 3].map(Entity::from_bits);
        // Found in this order, with one between that is nobody's.
        let mut found = Buffer::default();
        found.extend([a, b, c, a]);
        let mut told = Told::default();
        told.announce(c, (), 0, 2);
        told.announce(b, (), 3, 1);
        told.announce(a, (), 2, 0);
        let mut others = Told::default();
        others.push(a, (), c);
        told.adopt(&mut found);
        told.append(&mut others);
        told.order();
        assert_eq!(told.len(), 4);
        let all = [(a, c), (b, a), (c, a), (c, b)];
        let pairs = told.iter().map(|(viewer, (), target)| (viewer, target));
        assert!(pairs.eq(all));
        assert_eq!(told.of(c), [a, b]);
        assert_eq!(told.scattered().map(|all| all[told.read().from()]), Some(c));
        told.clear();
        assert!(told.is_empty() && told.scattered().is_none());
    }
}
