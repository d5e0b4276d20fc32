//! What `detect` asks of [`judge`](crate::judge): the candidates, viewer by viewer.

use bevy::prelude::*;

use crate::lifecycle::Orphan;

/// Stands for the number of what a viewer reaches.
pub(crate) const NOT_FOUND: u32 = u32::MAX;

/// A part of the candidates: all of some viewers, ascending.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub pairs: &'a [(Entity, Entity)],
    /// Need no judgement.
    pub came: &'a [(Entity, Entity)],
    /// Need no judgement.
    pub went: &'a [(Entity, Entity)],
    pub wholes: &'a [(Entity, u32)],
    /// Views of viewers that are gone, of others as well.
    pub orphans: &'a [Orphan],
}

/// The candidates of one viewer.
pub(crate) struct Question<'a> {
    pub viewer: Entity,
    pub pairs: &'a [(Entity, Entity)],
    pub came: &'a [(Entity, Entity)],
    pub went: &'a [(Entity, Entity)],
    /// If all that it can have in view is to be judged: the number of what it reaches.
    pub whole: Option<u32>,
    /// Whom it had in view, if it is gone.
    pub orphan: Option<&'a [Entity]>,
}

impl<'a> Asked<'a> {
    /// Splits off the first of so many parts that are left.
    pub fn split(&mut self, parts: usize) -> Self {
        let of_pairs = self.pairs.get(self.pairs.len() / parts);
        let of_wholes = self.wholes.get(self.wholes.len() / parts);
        let end = if self.wholes.len() > self.pairs.len() {
            of_wholes.map(|whole| whole.0)
        } else {
            of_pairs.map(|pair| pair.0)
        };
        // All of a viewer belong to one part, and the last one is all that is left.
        let belongs = |viewer: Entity| parts == 1 || end.is_none_or(|end| viewer < end);
        Self {
            pairs: split_off(&mut self.pairs, |pair| belongs(pair.0)),
            came: split_off(&mut self.came, |pair| belongs(pair.0)),
            went: split_off(&mut self.went, |pair| belongs(pair.0)),
            wholes: split_off(&mut self.wholes, |whole| belongs(whole.0)),
            orphans: split_off(&mut self.orphans, |orphan| belongs(orphan.0)),
        }
    }

    /// Splits off all of the first viewer.
    pub fn next(&mut self) -> Option<Question<'a>> {
        let pairs = [self.pairs, self.came, self.went];
        let first = pairs.map(|pairs| pairs.first().map(|pair| pair.0));
        let whole = self.wholes.first().map(|whole| whole.0);
        let viewer = first.into_iter().chain([whole]).flatten().min()?;
        take_while(&mut self.orphans, |orphan| orphan.0 < viewer);
        let orphan = self.orphans.first().filter(|orphan| orphan.0 == viewer);
        Some(Question {
            viewer,
            pairs: take_while(&mut self.pairs, |pair| pair.0 == viewer),
            came: take_while(&mut self.came, |pair| pair.0 == viewer),
            went: take_while(&mut self.went, |pair| pair.0 == viewer),
            whole: take_while(&mut self.wholes, |whole| whole.0 == viewer)
                .first()
                .map(|whole| whole.1),
            orphan: orphan.map(|orphan| orphan.1.as_slice()),
        })
    }
}

/// Splits off the part of a slice for which a condition holds, by bisection.
fn split_off<'a, T>(rest: &mut &'a [T], holds: impl Fn(&T) -> bool) -> &'a [T] {
    let (head, tail) = rest.split_at(rest.partition_point(holds));
    *rest = tail;
    head
}

/// Splits off the part of a slice for which a condition holds, one by one.
fn take_while<'a, T>(rest: &mut &'a [T], holds: impl Fn(&T) -> bool) -> &'a [T] {
    let end = rest.iter().position(|item| !holds(item));
    let (head, tail) = rest.split_at(end.unwrap_or(rest.len()));
    *rest = tail;
    head
}
