//! 十字链表, the cross-linked list as it is published: every member hangs on a list sorted by X and
//! on one sorted by Y, with four links in all. A viewer walks its X band both ways and marks who is
//! in it, walks its Y band likewise, and keeps who is in both and in the circle.

use super::columns::Asker;
use super::rediff::{Finder, Rediff};
use super::roster::Roster;
use crate::world::World;

pub type CrosslinkClassic = Rediff<FourLinks>;

/// End of a list. Both lists are circular: the sentinel is the first node.
const SENTINEL: u32 = 0;

/// Steps that one update may walk per member before the lists are sorted anew.
const PATIENCE: usize = 16;

#[derive(Debug, Clone, Copy)]
struct Node {
    at: [f32; 2],
    prev: [u32; 2],
    next: [u32; 2],
    /// The last search that found it in the X band.
    mark: u32,
    listed: bool,
    target: bool,
}

const UNLISTED: Node = Node {
    at: [0.0; 2],
    prev: [SENTINEL; 2],
    next: [SENTINEL; 2],
    mark: 0,
    listed: false,
    target: false,
};

/// The node of a member is its id + 1.
#[derive(Debug, Default)]
pub struct FourLinks {
    nodes: Vec<Node>,
    mark: u32,
    order: Vec<u32>,
}

impl FourLinks {
    fn unlink(&mut self, node: u32, axis: usize) {
        let Node { prev, next, .. } = self.nodes[node as usize];
        self.nodes[prev[axis] as usize].next[axis] = next[axis];
        self.nodes[next[axis] as usize].prev[axis] = prev[axis];
    }

    fn link_behind(&mut self, prev: u32, node: u32, axis: usize) {
        let next = self.nodes[prev as usize].next[axis];
        self.nodes[node as usize].prev[axis] = prev;
        self.nodes[node as usize].next[axis] = next;
        self.nodes[prev as usize].next[axis] = node;
        self.nodes[next as usize].prev[axis] = node;
    }

    /// The last node from `start` backwards whose key is not larger.
    fn back_to(&self, start: u32, key: f32, axis: usize, steps: &mut usize) -> u32 {
        let mut node = start;
        while node != SENTINEL && self.nodes[node as usize].at[axis] > key {
            node = self.nodes[node as usize].prev[axis];
            *steps += 1;
        }
        node
    }

    /// The node before the first one after `start` whose key is larger.
    fn forth_to(&self, start: u32, key: f32, axis: usize, steps: &mut usize) -> u32 {
        let mut node = start;
        loop {
            let next = self.nodes[node as usize].next[axis];
            if next == SENTINEL || self.nodes[next as usize].at[axis] > key {
                return node;
            }
            node = next;
            *steps += 1;
        }
    }

    fn shift(&mut self, node: u32, to: [f32; 2], steps: &mut usize) {
        for axis in 0..2 {
            let Node { at, prev, next, .. } = self.nodes[node as usize];
            self.nodes[node as usize].at[axis] = to[axis];
            let (prev, next) = (prev[axis], next[axis]);
            let fits_prev = prev == SENTINEL || self.nodes[prev as usize].at[axis] <= to[axis];
            let fits_next = next == SENTINEL || self.nodes[next as usize].at[axis] >= to[axis];
            if fits_prev && fits_next {
                continue;
            }
            self.unlink(node, axis);
            let behind = if to[axis] < at[axis] {
                self.back_to(prev, to[axis], axis, steps)
            } else {
                self.forth_to(prev, to[axis], axis, steps)
            };
            self.link_behind(behind, node, axis);
        }
    }

    fn insert(&mut self, node: u32, at: [f32; 2], steps: &mut usize) {
        self.nodes[node as usize].at = at;
        for (axis, key) in at.into_iter().enumerate() {
            let behind = self.forth_to(SENTINEL, key, axis, steps);
            self.link_behind(behind, node, axis);
        }
    }

    /// Takes all positions over and links all nodes anew, in order.
    fn sort(&mut self, world: &World) {
        for (node, at) in self.nodes[1..].iter_mut().zip(&world.positions) {
            node.at = *at;
        }
        for axis in 0..2 {
            let nodes = &self.nodes;
            self.order.clear();
            let listed = (1..nodes.len() as u32).filter(|&node| nodes[node as usize].listed);
            self.order.extend(listed);
            let key = |node: u32| nodes[node as usize].at[axis];
            self.order
                .sort_unstable_by(|&a, &b| key(a).total_cmp(&key(b)));
            let mut last = SENTINEL;
            for &node in &self.order {
                self.nodes[last as usize].next[axis] = node;
                self.nodes[node as usize].prev[axis] = last;
                last = node;
            }
            self.nodes[last as usize].next[axis] = SENTINEL;
            self.nodes[SENTINEL as usize].prev[axis] = last;
        }
    }

    /// Walks the band of an axis both ways.
    #[inline]
    fn walk(nodes: &mut [Node], asker: &Asker, axis: usize, mut meet: impl FnMut(u32, &mut Node)) {
        let Node { prev, next, .. } = nodes[asker.id as usize + 1];
        for (mut node, forth) in [(prev[axis], false), (next[axis], true)] {
            while node != SENTINEL {
                let met = &mut nodes[node as usize];
                let distance = met.at[axis] - asker.now[axis];
                // As rounded as in the circle: who is in that is never left out here.
                if distance * distance > asker.leave {
                    break;
                }
                let here = node;
                node = if forth {
                    met.next[axis]
                } else {
                    met.prev[axis]
                };
                meet(here, met);
            }
        }
    }
}

impl Finder for FourLinks {
    const NAME: &'static str = "crosslink-classic";

    fn refresh(&mut self, world: &World, roster: &Roster) {
        self.nodes.resize(world.positions.len() + 1, UNLISTED);
        for &id in &world.went {
            if !self.nodes[id as usize + 1].listed {
                continue;
            }
            self.unlink(id + 1, 0);
            self.unlink(id + 1, 1);
            self.nodes[id as usize + 1] = UNLISTED;
        }
        let patience = PATIENCE * (roster.held.len() + Roster::stirs(world));
        let mut steps = 0;
        for &id in &world.moved {
            if steps <= patience && self.nodes[id as usize + 1].listed {
                self.shift(id + 1, world.positions[id as usize], &mut steps);
            }
        }
        for &id in &world.came {
            let node = &mut self.nodes[id as usize + 1];
            node.target = world.members[id as usize].target;
            let known = std::mem::replace(&mut node.listed, true);
            if steps <= patience && !known {
                self.insert(id + 1, world.positions[id as usize], &mut steps);
            }
        }
        if steps > patience {
            self.sort(world);
        }
    }

    fn find(&mut self, asker: &Asker, near: &mut Vec<u32>, far: &mut Vec<u32>) {
        self.mark = self.mark.wrapping_add(1);
        let mark = self.mark;
        Self::walk(&mut self.nodes, asker, 0, |_, met| met.mark = mark);
        Self::walk(&mut self.nodes, asker, 1, |node, met| {
            if met.mark == mark && met.target {
                let (dx, dy) = (met.at[0] - asker.now[0], met.at[1] - asker.now[1]);
                let square = dx * dx + dy * dy;
                if square <= asker.enter {
                    near.push(node - 1);
                } else if square <= asker.leave {
                    far.push(node - 1);
                }
            }
        });
    }
}
