//! The k-d trees of the `kiddo` crate.

use std::num::NonZero;

use kiddo::{ImmutableKdTree, SquaredEuclidean};

use super::columns::Asker;
use super::rediff::{Finder, Rediff};
use super::roster::Roster;
use crate::Index;
use crate::world::World;

pub type Kiddo = Rediff<KdTree>;

/// A bound of the search in the tree, a little wider than that of the test of what it finds.
fn widened(square: f32) -> f32 {
    square * (1.0 + 8.0 * f32::EPSILON)
}

type Tree = ImmutableKdTree<f32, 2>;

/// Built anew if many stirred. If few did, they get a small tree of their own beside the large one,
/// in which they are passed over from then on.
///
/// The mutable tree of the crate is no way to mend it: it panics where more members share a
/// coordinate than fit a bucket.
#[derive(Debug, Default)]
pub struct KdTree {
    entries: Vec<(u32, [f32; 2])>,
    all: Option<Tree>,
    /// Those who stirred since that was built.
    few: Option<Tree>,
    few_ids: Vec<u32>,
    /// Whether the large tree no longer counts for a member.
    passed_over: Vec<bool>,
}

impl KdTree {
    fn build(entries: &[(u32, [f32; 2])]) -> Option<Tree> {
        if entries.is_empty() {
            return None;
        }
        let builder = Tree::builder().with_serial_construction();
        builder.build_from_entries(entries).ok()
    }

    /// Gives those who stirred to the small tree.
    fn mend(&mut self, world: &World) {
        self.passed_over.resize(world.positions.len(), false);
        for &id in world.moved.iter().chain(&world.came).chain(&world.went) {
            if !std::mem::replace(&mut self.passed_over[id as usize], true) {
                self.few_ids.push(id);
            }
        }
        let there = self.few_ids.iter().filter(|&&id| {
            let member = &world.members[id as usize];
            member.present && member.target
        });
        self.entries.clear();
        self.entries
            .extend(there.map(|&id| (id, world.positions[id as usize])));
        self.few = Self::build(&self.entries);
    }
}

impl Finder for KdTree {
    const NAME: &'static str = "kiddo";

    fn refresh(&mut self, world: &World, roster: &Roster) {
        let few = self.few_ids.len() + Roster::stirs(world);
        if few * 8 < roster.targets.len() {
            self.mend(world);
            return;
        }
        for id in self.few_ids.drain(..) {
            self.passed_over[id as usize] = false;
        }
        let targets = roster.targets.iter();
        self.entries.clear();
        self.entries
            .extend(targets.map(|&id| (id, world.positions[id as usize])));
        self.all = Self::build(&self.entries);
        self.few = None;
    }

    fn find(&mut self, asker: &Asker, near: &mut Vec<u32>, far: &mut Vec<u32>) {
        let Asker {
            id: own,
            enter,
            leave,
            ..
        } = *asker;
        let mut search = |tree: &Option<Tree>, passed_over: &[bool]| {
            let Some(tree) = tree else { return };
            tree.query(&asker.now)
                .within::<SquaredEuclidean<f32>>(widened(leave))
                .unsorted()
                .visit(|entry| {
                    let (id, distance) = (entry.item, entry.distance);
                    if id == own || passed_over.get(id as usize) == Some(&true) {
                        return;
                    }
                    if distance <= enter {
                        near.push(id);
                    } else if distance <= leave {
                        far.push(id);
                    }
                });
        };
        if self.few_ids.is_empty() {
            search(&self.all, &[]);
        } else {
            search(&self.all, &self.passed_over);
            search(&self.few, &[]);
        }
    }
}

/// Queries of a tree that is built once.
#[derive(Debug)]
pub struct KiddoIndex {
    tree: Option<Tree>,
}

impl KiddoIndex {
    pub fn new(world: &World) -> Self {
        let entries: Vec<_> = super::present(world).collect();
        Self {
            tree: KdTree::build(&entries),
        }
    }
}

impl Index for KiddoIndex {
    fn name(&self) -> &'static str {
        "kiddo"
    }

    fn within(&self, center: [f32; 2], radius: f32, found: &mut Vec<u32>) {
        let Some(tree) = &self.tree else { return };
        let square = radius * radius;
        tree.query(&center)
            .within::<SquaredEuclidean<f32>>(widened(square))
            .unsorted()
            .visit(|entry| {
                if entry.distance <= square {
                    found.push(entry.item);
                }
            });
    }

    fn nearest(&self, center: [f32; 2], k: usize, found: &mut Vec<u32>) {
        let (Some(tree), Some(k)) = (&self.tree, NonZero::new(k)) else {
            return;
        };
        let nearest = tree
            .query(&center)
            .nearest_n::<SquaredEuclidean<f32>>(k)
            .execute();
        found.extend(nearest.iter().map(|entry| entry.item));
    }
}
