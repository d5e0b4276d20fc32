//! Reading the structure: radius, box, nearest, and walks along an axis. Nothing is written, so
//! any number of threads may ask at once.

use super::{CrossLink, Id, Lanes, delta, lanes, squared, view::widened};
use core::cmp::Reverse;
use std::collections::BinaryHeap;

impl<const D: usize> CrossLink<D> {
    /// Members within `radius` of `id`, bound included, without itself, in no particular order.
    /// An unknown id, a negative or NaN radius: nothing. O(log n) plus what it passes.
    pub fn neighbors_in_radius(&self, id: Id, radius: f32) -> impl Iterator<Item = Id> + '_ {
        let center = self.position(id).unwrap_or([f32::NAN; D]);
        self.within_radius(center, radius)
            .filter(move |&other| other != id)
    }

    /// Members within `radius` of a point, bound included, in no particular order. A NaN
    /// coordinate, a negative or NaN radius: nothing.
    pub fn within_radius(&self, center: [f32; D], radius: f32) -> impl Iterator<Item = Id> + '_ {
        self.distances_within(center, radius).map(|(_, id)| id)
    }

    /// Members within `radius` of a point with their squared distances.
    fn distances_within(
        &self,
        center: [f32; D],
        radius: f32,
    ) -> impl Iterator<Item = (f32, Id)> + '_ {
        let valid = radius >= 0.0 && center.iter().all(|x| x.is_finite());
        let square = radius * radius;
        self.rows
            .near(center, center, widened(radius))
            .take_while(move |_| valid)
            .flat_map(move |block| {
                let block = &self.blocks[block as usize];
                let distance = move |lane| squared(delta(center, block.position(lane)));
                let found = (0..block.len).fold(0, |found, lane| {
                    found | Lanes::from(distance(lane) <= square) << lane
                });
                lanes(found).map(move |lane| (distance(lane), block.ids[lane]))
            })
    }

    /// Members within a box, bounds included, in no particular order. A NaN bound, or one corner
    /// beyond the other: nothing.
    pub fn within_box(&self, min: [f32; D], max: [f32; D]) -> impl Iterator<Item = Id> + '_ {
        let valid = (0..D).all(|axis| min[axis] <= max[axis]);
        self.rows
            .near(min, max, 0.0)
            .take_while(move |_| valid)
            .flat_map(move |block| {
                let block = &self.blocks[block as usize];
                (0..block.len)
                    .filter(move |&lane| {
                        let at = block.position(lane);
                        (0..D).all(|axis| min[axis] <= at[axis] && at[axis] <= max[axis])
                    })
                    .map(|lane| block.ids[lane])
            })
    }

    /// The `k` nearest members of a point, nearest first, ties by id. A coordinate that is not
    /// finite: nothing. O(log n + k log k) where density is even.
    pub fn nearest(&self, center: [f32; D], k: usize) -> Vec<Id> {
        self.nearest_by(center, k, Some)
    }

    /// The `k` nearest among those that `keep` gives a key for, as keys; ties by key. Distances
    /// are compared as squares.
    pub(crate) fn nearest_by<K: Ord + Copy>(
        &self,
        center: [f32; D],
        k: usize,
        keep: impl Fn(Id) -> Option<K>,
    ) -> Vec<K> {
        let mut found: Vec<(f32, K)> = Vec::new();
        if k == 0 || self.is_empty() || !center.iter().all(|x| x.is_finite()) {
            return Vec::new();
        }
        let mut radius = self.radius_of(center, k);
        loop {
            found.clear();
            let mut passed = 0;
            for (distance, id) in self.distances_within(center, radius) {
                passed += 1;
                found.extend(keep(id).map(|key| (distance, key)));
            }
            if found.len() >= k || passed == self.len {
                break;
            }
            radius *= 2.0;
        }
        let order = |a: &(f32, K), b: &(f32, K)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        if found.len() > k {
            found.select_nth_unstable_by(k - 1, order);
            found.truncate(k);
        }
        found.sort_unstable_by(order);
        found.into_iter().map(|(_, key)| key).collect()
    }

    /// A radius that holds about `k` members, by the density of the block nearest along X.
    fn radius_of(&self, center: [f32; D], k: usize) -> f32 {
        let block = self
            .rows
            .near(
                center,
                center,
                self.rows.height().min(f64::from(f32::MAX)) as f32,
            )
            .next()
            .or_else(|| self.rows.iter().next().map(|row| self.rows.blocks(row)[0]));
        let Some(block) = block.map(|block| &self.blocks[block as usize]) else {
            return 1.0;
        };
        let width = (0..D)
            .map(|axis| block.hi[axis] - block.lo[axis])
            .fold(f32::MIN_POSITIVE.sqrt(), f32::max);
        let per_axis = (k as f32 / block.len.max(1) as f32).powf(1.0 / D as f32);
        (width * per_axis).clamp(1e-18, 1e18)
    }

    /// All members along an axis, ascending by coordinate, then id. O(n / 32) to begin, then
    /// O(log n) a step; bands are merged and blocks sorted on the way.
    ///
    /// An axis that the structure does not have: nothing.
    pub fn walk(&self, axis: usize) -> impl Iterator<Item = (f32, Id)> + '_ {
        Walk::<D, true>::new(self, axis, None)
    }

    /// The members after `id` in the order of [`walk`](Self::walk). An unknown id: nothing.
    pub fn walk_up(&self, id: Id, axis: usize) -> impl Iterator<Item = (f32, Id)> + '_ {
        let from = self.position(id).map(|at| (at.get(axis).copied(), id));
        from.into_iter()
            .flat_map(move |(at, id)| Walk::<D, true>::new(self, axis, at.map(|at| (at, id))))
    }

    /// The members before `id` in the order of [`walk`](Self::walk), the last one first. An
    /// unknown id: nothing.
    pub fn walk_down(&self, id: Id, axis: usize) -> impl Iterator<Item = (f32, Id)> + '_ {
        let from = self.position(id).map(|at| (at.get(axis).copied(), id));
        from.into_iter()
            .flat_map(move |(at, id)| Walk::<D, false>::new(self, axis, at.map(|at| (at, id))))
    }
}

/// Best-first walk along an axis, over blocks, then their members.
struct Walk<'a, const D: usize, const UP: bool> {
    link: &'a CrossLink<D>,
    axis: usize,
    heap: BinaryHeap<Reverse<Step>>,
    after: Option<(Ordered, Id)>,
}

/// A coordinate in walking order.
#[derive(Clone, Copy)]
struct Ordered(f32);

impl PartialEq for Ordered {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ordered {}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> core::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// By coordinate; at one coordinate blocks first, since they may hold a member of a lesser id.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Step(Ordered, Node);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Node {
    Block(u32),
    Member(Id),
}

impl<'a, const D: usize, const UP: bool> Walk<'a, D, UP> {
    fn new(link: &'a CrossLink<D>, axis: usize, after: Option<(f32, Id)>) -> Self {
        let mut walk = Self {
            link,
            axis,
            heap: BinaryHeap::new(),
            after: after.map(|(at, id)| (Self::key(at), Self::turned(id))),
        };
        if axis < D {
            let blocks = link.rows.iter().flat_map(|row| link.rows.blocks(row));
            let steps = blocks.filter_map(|&index| {
                let block = &link.blocks[index as usize];
                let (near, far) = if UP {
                    (block.lo[axis], block.hi[axis])
                } else {
                    (block.hi[axis], block.lo[axis])
                };
                let behind = walk.after.is_some_and(|after| Self::key(far) < after.0);
                (!behind).then(|| Reverse(Step(Self::key(near), Node::Block(index))))
            });
            walk.heap = steps.collect();
        }
        walk
    }

    /// Ascending in walking order; both zeros are one.
    fn key(at: f32) -> Ordered {
        Ordered(if UP { at + 0.0 } else { 0.0 - at })
    }

    fn turned(id: Id) -> Id {
        if UP { id } else { !id }
    }
}

impl<const D: usize, const UP: bool> Iterator for Walk<'_, D, UP> {
    type Item = (f32, Id);

    fn next(&mut self) -> Option<(f32, Id)> {
        loop {
            let Reverse(Step(at, node)) = self.heap.pop()?;
            match node {
                Node::Member(id) => {
                    let at = if UP { at.0 } else { 0.0 - at.0 };
                    return Some((at, Self::turned(id)));
                }
                Node::Block(index) => {
                    let block = &self.link.blocks[index as usize];
                    for lane in 0..block.len {
                        let key = Self::key(block.pos[self.axis][lane]);
                        let id = Self::turned(block.ids[lane]);
                        if self.after.is_none_or(|after| after < (key, id)) {
                            self.heap.push(Reverse(Step(key, Node::Member(id))));
                        }
                    }
                }
            }
        }
    }
}
