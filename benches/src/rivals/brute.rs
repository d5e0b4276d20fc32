//! All pairs: every viewer looks at every target. What everybody writes first.

use super::columns::{Asker, Columns};
use super::rediff::{Finder, Rediff};
use super::roster::Roster;
use crate::world::World;

pub type Brute = Rediff<AllPairs>;

#[derive(Debug, Default)]
pub struct AllPairs {
    columns: Columns,
    targets: usize,
}

impl Finder for AllPairs {
    const NAME: &'static str = "brute";

    fn refresh(&mut self, world: &World, roster: &Roster) {
        self.targets = roster.targets.len();
        self.columns.clear(self.targets, false);
        for (place, &id) in roster.targets.iter().enumerate() {
            self.columns.set(place, id, world.positions[id as usize]);
        }
    }

    fn find(&mut self, asker: &Asker, near: &mut Vec<u32>, far: &mut Vec<u32>) {
        self.columns.within(0..self.targets, asker, near, far);
    }
}
