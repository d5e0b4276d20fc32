//! Targets in structure-of-arrays form, and the two inner loops over them.

use std::ops::Range;

use crate::world::World;

/// No member: a free place.
pub(super) const NOBODY: u32 = u32::MAX;

/// How many the old/new test takes at a time.
const LANES: usize = 8;

/// Positions in columns; free places are not a number, which no distance test passes.
#[derive(Debug, Default)]
pub(super) struct Columns {
    pub ids: Vec<u32>,
    pub now: [Vec<f32>; 2],
    /// Where they stood at the last update; empty where that is not asked for.
    pub held: [Vec<f32>; 2],
}

/// Who asks.
#[derive(Debug, Clone, Copy)]
pub struct Asker {
    pub id: u32,
    pub now: [f32; 2],
    pub held: [f32; 2],
    /// How far it keeps others in view.
    pub reach: f32,
    /// Bound of entering, squared.
    pub enter: f32,
    /// Bound of leaving, squared.
    pub leave: f32,
}

impl Asker {
    pub(super) fn new(world: &World, id: u32) -> Self {
        let radius = world.members[id as usize].radius;
        let reach = super::roster::reach(world, id);
        Self {
            id,
            now: world.positions[id as usize],
            held: [f32::NAN; 2],
            reach,
            enter: radius * radius,
            leave: reach * reach,
        }
    }
}

impl Columns {
    /// Makes `places` free places, and as many beyond as the inner loop may look at.
    pub(super) fn clear(&mut self, places: usize, with_held: bool) {
        let padded = places + LANES;
        self.ids.clear();
        self.ids.resize(padded, NOBODY);
        for column in &mut self.now {
            column.clear();
            column.resize(padded, f32::NAN);
        }
        for column in &mut self.held {
            column.clear();
            column.resize(if with_held { padded } else { 0 }, f32::NAN);
        }
    }

    #[inline]
    pub(super) fn set(&mut self, place: usize, id: u32, now: [f32; 2]) {
        self.ids[place] = id;
        self.now[0][place] = now[0];
        self.now[1][place] = now[1];
    }

    #[inline]
    pub(super) fn set_held(&mut self, place: usize, held: [f32; 2]) {
        self.held[0][place] = held[0];
        self.held[1][place] = held[1];
    }

    pub(super) fn position(&self, place: usize) -> [f32; 2] {
        self.now.each_ref().map(|column| column[place])
    }

    pub(super) fn held_position(&self, place: usize) -> [f32; 2] {
        self.held.each_ref().map(|column| column[place])
    }

    /// Appends who is near, and who is between near and far, without the asker. Branches on
    /// nothing that cannot be foretold.
    pub(super) fn within(
        &self,
        places: Range<usize>,
        asker: &Asker,
        near: &mut Vec<u32>,
        far: &mut Vec<u32>,
    ) {
        let Asker {
            id,
            now,
            enter,
            leave,
            ..
        } = *asker;
        if enter < leave {
            self.compact(places.clone(), now, id, near, |square| square <= enter);
            let ring = |square: f32| (square > enter) & (square <= leave);
            self.compact(places, now, id, far, ring);
        } else {
            self.compact(places, now, id, near, |square| square <= enter);
        }
    }

    /// Appends those at a squared distance to be kept, all but one.
    #[inline(always)]
    pub(super) fn compact(
        &self,
        places: Range<usize>,
        [x, y]: [f32; 2],
        without: u32,
        found: &mut Vec<u32>,
        keep: impl Fn(f32) -> bool,
    ) {
        let mut len = found.len();
        found.resize(len + places.len(), 0);
        let xs = &self.now[0][places.clone()];
        let ys = &self.now[1][places.clone()];
        for ((&id, &to_x), &to_y) in self.ids[places].iter().zip(xs).zip(ys) {
            let (dx, dy) = (to_x - x, to_y - y);
            found[len] = id;
            len += usize::from(keep(dx * dx + dy * dy) & (id != without));
        }
        found.truncate(len);
    }

    /// Appends who may have changed sides: the old and the new distance are not on the same side
    /// of a bound. May look at a few places beyond.
    pub(super) fn turned(&self, places: Range<usize>, asker: &Asker, found: &mut Vec<u32>) {
        if asker.enter < asker.leave {
            self.turned_at::<true>(places, asker, found);
        } else {
            self.turned_at::<false>(places, asker, found);
        }
    }

    #[inline(always)]
    fn turned_at<const MARGIN: bool>(
        &self,
        places: Range<usize>,
        asker: &Asker,
        found: &mut Vec<u32>,
    ) {
        let Asker { enter, leave, .. } = *asker;
        let turned = |now: f32, held: f32| {
            let turned = u32::from(now <= enter) ^ u32::from(held <= enter);
            if MARGIN {
                turned | (u32::from(now <= leave) ^ u32::from(held <= leave))
            } else {
                turned
            }
        };
        // A few places beyond belong to others, or are free: looking at them does no harm.
        let rounded = places.start..places.start + places.len().next_multiple_of(LANES);
        let ids = chunks(&self.ids, &rounded);
        let (xs, ys) = (
            chunks(&self.now[0], &rounded),
            chunks(&self.now[1], &rounded),
        );
        let (held_xs, held_ys) = (
            chunks(&self.held[0], &rounded),
            chunks(&self.held[1], &rounded),
        );
        let chunks = xs.iter().zip(ys).zip(held_xs).zip(held_ys).zip(ids);
        for ((((x, y), held_x), held_y), ids) in chunks {
            let (mut now, mut held) = ([0.0; LANES], [0.0; LANES]);
            for lane in 0..LANES {
                let (dx, dy) = (x[lane] - asker.now[0], y[lane] - asker.now[1]);
                now[lane] = dx * dx + dy * dy;
            }
            for lane in 0..LANES {
                let (dx, dy) = (held_x[lane] - asker.held[0], held_y[lane] - asker.held[1]);
                held[lane] = dx * dx + dy * dy;
            }
            let mut any = 0;
            for lane in 0..LANES {
                any |= turned(now[lane], held[lane]);
            }
            if any != 0 {
                for lane in 0..LANES {
                    if turned(now[lane], held[lane]) != 0 {
                        found.push(ids[lane]);
                    }
                }
            }
        }
    }
}

fn chunks<'a, T>(column: &'a [T], places: &Range<usize>) -> &'a [[T; LANES]] {
    column[places.clone()].as_chunks().0
}
