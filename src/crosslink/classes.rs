//! Classes of radius: one viewer with a huge radius must not widen everybody's search.
//!
//! Members whose reach is common take the clean way block by block. Those far beyond it (huge
//! radius, huge extra range) are listed and each looks for itself. Where the line is drawn is
//! chosen by what either way costs: in the list a member passes the area of its own reach twice,
//! in the blocks its reach widens the search of all.

use super::{Id, Member, block::Roles, view::widened};
use alloc::collections::BTreeSet;

extern crate alloc;

#[derive(Clone, Default)]
pub(crate) struct Classes {
    viewers: Side,
    targets: Side,
    /// Members of the far classes, and those that are watchful.
    far: BTreeSet<Id>,
    /// Those of them that are seen from further away than others.
    far_targets: BTreeSet<Id>,
    stale: bool,
}

/// Viewers by reach, or targets by extra range.
#[derive(Clone, Default)]
struct Side {
    /// Ascending by octave.
    octaves: Vec<Octave>,
    /// Octaves from here on are far.
    far_from: Option<u8>,
    /// Greatest range below `far_from`.
    common: f32,
}

/// Ranges that share the exponent of their `f32`.
#[derive(Clone, Copy)]
struct Octave {
    exponent: u8,
    members: u32,
    /// Greatest range there was since the octave was last empty.
    most: f32,
}

impl Classes {
    /// How far a walk around a block has to look for all pairs of the common classes.
    pub fn reach(&self) -> f32 {
        if self.viewers.octaves.is_empty() {
            0.0
        } else {
            widened(self.viewers.common + self.targets.common)
        }
    }

    /// Greatest reach of a viewer of the common class.
    pub fn common_viewer(&self) -> f32 {
        self.viewers.common
    }

    /// How many viewers are of the common class.
    pub fn common_viewers(&self) -> usize {
        let octaves = self.viewers.octaves.iter();
        let common = octaves.filter(|octave| {
            self.viewers
                .far_from
                .is_none_or(|far| octave.exponent < far)
        });
        common.map(|octave| octave.members as usize).sum()
    }

    /// Greatest extra range of a target of the common class.
    pub fn common_target(&self) -> f32 {
        self.targets.common
    }

    pub fn count<const D: usize>(&mut self, member: &Member<D>) {
        self.stale = true;
        if let Some(reach) = viewer_reach(member) {
            self.viewers.add(reach);
        }
        if let Some(target) = member.target {
            self.targets.add(target.extra());
        }
    }

    pub fn forget<const D: usize>(&mut self, member: &Member<D>) {
        self.stale = true;
        if let Some(reach) = viewer_reach(member) {
            self.viewers.subtract(reach);
        }
        if let Some(target) = member.target {
            self.targets.subtract(target.extra());
        }
    }

    /// Draws the lines anew if members changed; whether one was moved.
    pub fn choose(&mut self, members: usize) -> bool {
        if !core::mem::take(&mut self.stale) {
            return false;
        }
        let drawn = (self.viewers.far_from, self.targets.far_from);
        self.viewers.choose(members, 0.0);
        self.targets.choose(members, self.viewers.common);
        drawn != (self.viewers.far_from, self.targets.far_from)
    }

    pub fn roles<const D: usize>(&self, member: &Member<D>) -> Roles<D> {
        Roles {
            viewer: member.viewer.filter(|_| {
                viewer_reach(member).is_some_and(|reach| self.viewers.is_common(reach))
            }),
            target: member
                .target
                .filter(|target| self.targets.is_common(target.extra())),
        }
    }

    pub fn is_far<const D: usize>(&self, member: &Member<D>) -> bool {
        (member.watchful && member.viewer.is_some())
            || viewer_reach(member).is_some_and(|reach| !self.viewers.is_common(reach))
            || self.is_far_target(member)
    }

    pub fn is_far_target<const D: usize>(&self, member: &Member<D>) -> bool {
        member
            .target
            .is_some_and(|target| !self.targets.is_common(target.extra()))
    }

    /// Puts a member into the lists that it belongs to; whether it is far.
    pub fn list<const D: usize>(&mut self, id: Id, member: &Member<D>) -> bool {
        let far = self.is_far(member);
        if far {
            self.far.insert(id);
        }
        if self.is_far_target(member) {
            self.far_targets.insert(id);
        }
        far
    }

    pub fn unlist(&mut self, id: Id) {
        self.far.remove(&id);
        self.far_targets.remove(&id);
    }

    pub fn clear_lists(&mut self) {
        self.far.clear();
        self.far_targets.clear();
    }

    pub fn far(&self) -> &BTreeSet<Id> {
        &self.far
    }

    /// Of these every viewer asks, so those that only see are not among them: a cap for each of 10 000
    /// would cost each of them 10 000 looks.
    pub fn far_targets(&self) -> &BTreeSet<Id> {
        &self.far_targets
    }
}

/// Reach of a member that counts among the viewers.
fn viewer_reach<const D: usize>(member: &Member<D>) -> Option<f32> {
    member
        .viewer
        .filter(|viewer| !member.watchful && !viewer.is_blind())
        .map(|viewer| viewer.reach())
}

fn exponent(range: f32) -> u8 {
    (range.to_bits() >> 23) as u8
}

impl Side {
    fn add(&mut self, range: f32) {
        let exponent = exponent(range);
        match self.octaves.binary_search_by_key(&exponent, |o| o.exponent) {
            Ok(at) => {
                let octave = &mut self.octaves[at];
                octave.members += 1;
                octave.most = octave.most.max(range);
            }
            Err(at) => {
                let octave = Octave {
                    exponent,
                    members: 1,
                    most: range,
                };
                self.octaves.insert(at, octave);
            }
        }
    }

    fn subtract(&mut self, range: f32) {
        if let Ok(at) = self
            .octaves
            .binary_search_by_key(&exponent(range), |o| o.exponent)
        {
            self.octaves[at].members -= 1;
            if self.octaves[at].members == 0 {
                self.octaves.remove(at);
            }
        }
    }

    fn is_common(&self, range: f32) -> bool {
        self.far_from.is_none_or(|far| exponent(range) < far)
    }

    /// Draws the line where both ways together cost least; `base` is added to every range.
    fn choose(&mut self, members: usize, base: f32) {
        let area = |range: f32| f64::from(base + range).powi(2).min(1e30);
        let mut far: f64 = self
            .octaves
            .iter()
            .map(|octave| 2.0 * f64::from(octave.members) * area(octave.most))
            .sum();
        self.common = 0.0;
        self.far_from = None;
        let mut least = f64::INFINITY;
        for (at, octave) in self.octaves.iter().enumerate() {
            far -= 2.0 * f64::from(octave.members) * area(octave.most);
            let cost = members as f64 * area(octave.most) + far.max(0.0);
            if cost <= least {
                least = cost;
                self.common = octave.most;
                self.far_from = self.octaves.get(at + 1).map(|next| next.exponent);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(ranges: &[(f32, usize)]) -> (f32, Option<u8>) {
        let mut side = Side::default();
        for &(range, times) in ranges {
            (0..times).for_each(|_| side.add(range));
        }
        side.choose(ranges.iter().map(|r| r.1).sum(), 0.0);
        (side.common, side.far_from)
    }

    #[test]
    fn one_huge_radius_is_far() {
        assert_eq!(line(&[(50.0, 1000), (2000.0, 1)]).0, 50.0);
        assert_eq!(line(&[(50.0, 1000), (f32::INFINITY, 3)]).0, 50.0);
    }

    #[test]
    fn equal_and_like_radii_are_common() {
        assert_eq!(line(&[(50.0, 1000)]), (50.0, None));
        assert_eq!(line(&[(40.0, 500), (70.0, 500)]), (70.0, None));
    }

    #[test]
    fn an_octave_that_emptied_is_forgotten() {
        let mut side = Side::default();
        side.add(50.0);
        side.add(900.0);
        side.subtract(900.0);
        side.choose(1, 0.0);
        assert_eq!(side.common, 50.0);
    }
}
