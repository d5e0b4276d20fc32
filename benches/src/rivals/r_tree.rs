//! The R*-tree of the `rstar` crate.

use rstar::primitives::GeomWithData;
use rstar::{PointDistance, RTree};

use super::columns::Asker;
use super::rediff::{Finder, Rediff};
use super::roster::Roster;
use crate::Index;
use crate::world::World;

pub type Rstar = Rediff<RStarTree>;

type Entry = GeomWithData<[f32; 2], u32>;

/// Loaded in bulk if many stirred; else those who did are taken out and put in again.
#[derive(Debug, Default)]
pub struct RStarTree {
    tree: RTree<Entry>,
}

impl Finder for RStarTree {
    const NAME: &'static str = "rstar";

    fn refresh(&mut self, world: &World, roster: &Roster) {
        if !roster.few_stirred(world) {
            let entries = roster.targets.iter();
            let entries = entries.map(|&id| Entry::new(world.positions[id as usize], id));
            self.tree = RTree::bulk_load(entries.collect());
            return;
        }
        let is_target = |id: &&u32| world.members[**id as usize].target;
        for &id in world.went.iter().chain(&world.moved).filter(is_target) {
            self.tree.remove(&Entry::new(roster.held[id as usize], id));
        }
        for &id in world.came.iter().chain(&world.moved).filter(is_target) {
            self.tree
                .insert(Entry::new(world.positions[id as usize], id));
        }
    }

    fn find(&mut self, asker: &Asker, near: &mut Vec<u32>, far: &mut Vec<u32>) {
        for entry in self.tree.locate_within_distance(asker.now, asker.leave) {
            if entry.data == asker.id {
            } else if entry.distance_2(&asker.now) <= asker.enter {
                near.push(entry.data);
            } else {
                far.push(entry.data);
            }
        }
    }
}

/// Queries of a tree that is loaded once.
#[derive(Debug)]
pub struct RstarIndex {
    tree: RTree<Entry>,
}

impl RstarIndex {
    pub fn new(world: &World) -> Self {
        let entries = super::present(world).map(|(id, at)| Entry::new(at, id));
        Self {
            tree: RTree::bulk_load(entries.collect()),
        }
    }
}

impl Index for RstarIndex {
    fn name(&self) -> &'static str {
        "rstar"
    }

    fn within(&self, center: [f32; 2], radius: f32, found: &mut Vec<u32>) {
        let near = self.tree.locate_within_distance(center, radius * radius);
        found.extend(near.map(|entry| entry.data));
    }

    fn nearest(&self, center: [f32; 2], k: usize, found: &mut Vec<u32>) {
        let nearest = self.tree.nearest_neighbor_iter(center);
        found.extend(nearest.take(k).map(|entry| entry.data));
    }
}
