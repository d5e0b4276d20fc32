//! What the map in the terminal shows: which part of the ground, whose circle, and who is there.

use crate::ground::Ground;
use bevy::{math::Rect, prelude::*};
use bevy_aoi::prelude::*;

/// More dots than this say no more in a terminal; of a larger crowd every so many-th is drawn.
const MAX_DOTS: usize = 6_000;

/// Where the map is and whom it is about.
pub struct Map {
    /// The walker whose circle is drawn.
    pub picked: Option<Entity>,
    /// Whether the map goes along with it.
    pub follows: bool,
    /// Where the picked one was last seen.
    last: Vec2,
    center: Vec2,
    /// From the lower edge of the map to the upper one, in the unit of the ground.
    height: f32,
}

/// What is to be drawn.
#[derive(Default, Debug, PartialEq)]
pub struct Picture {
    pub area: Rect,
    /// Everybody else.
    pub crowd: Vec<(f64, f64)>,
    /// One in so many of the crowd is drawn.
    pub one_in: u32,
    /// Those that the picked one sees.
    pub seen: Vec<(f64, f64)>,
    pub picked: Option<Picked>,
}

/// The one whose circle is drawn.
#[derive(Debug, PartialEq)]
pub struct Picked {
    pub entity: Entity,
    pub at: (f64, f64),
    pub radius: f64,
    /// How many it has in view.
    pub sees: usize,
}

impl Map {
    /// A map of the middle of the ground, a few view circles high.
    pub fn new(world: &World) -> Self {
        let area = world.resource::<Ground>().0;
        let mut map = Self {
            picked: None,
            follows: true,
            last: area.center(),
            center: area.center(),
            height: area.height(),
        };
        map.keep_somebody(world);
        let radius = map.picked.and_then(|entity| world.get::<AoiViewer>(entity));
        let circles = radius.map_or(f32::INFINITY, |viewer| 4.0 * viewer.radius);
        // A circle that takes half of the ground is best seen with all of it around.
        if circles < area.height() {
            map.height = circles;
        } else {
            map.whole(world);
        }
        map
    }

    /// Picks whoever is nearest to where the picked one was last seen, if that one is gone.
    pub fn keep_somebody(&mut self, world: &World) {
        let place = |entity| world.get::<Transform>(entity);
        match self.picked.and_then(place) {
            Some(transform) => self.last = transform.translation.truncate(),
            None => {
                let index = world.resource::<AoiIndex>();
                let nearest = index.nearest(AoiSpace(0), self.last.extend(0.0), 1);
                self.picked = nearest.first().copied();
            }
        }
        if self.follows {
            self.center = self.last;
        }
    }

    /// Picks the viewer that comes so many places after the picked one.
    pub fn pick_next(&mut self, world: &mut World, places: isize) {
        self.picked = next_viewer(world, self.picked, places);
    }

    /// Shows a part of the ground that is so many times as high.
    pub fn zoom(&mut self, world: &World, factor: f32) {
        let area = world.resource::<Ground>().0;
        let widest = 2.0 * area.height().max(area.width()).max(1.0);
        self.height = (self.height * factor).clamp(widest * 1e-4, widest);
    }

    /// Moves by so many eighths of its height, and no longer follows.
    pub fn shift(&mut self, eighths: Vec2) {
        self.follows = false;
        self.center += eighths * self.height / 8.0;
    }

    /// Shows the whole ground.
    pub fn whole(&mut self, world: &World) {
        let area = world.resource::<Ground>().0;
        self.follows = false;
        self.center = area.center();
        // The terminal is at least twice as wide as high, in equal units.
        self.height = area.height().max(area.width() / 2.0) * 1.05;
    }

    pub fn center(&self) -> Vec2 {
        self.center
    }

    /// Looks at the world; `aspect` is the width of the map, where its height is 1.
    pub fn look(&self, world: &World, aspect: f32) -> Picture {
        let size = Vec2::new(self.height * aspect, self.height).max(Vec2::splat(1e-3));
        let area = Rect::from_center_size(self.center, size);
        let point = |entity: Entity| {
            let at = world.get::<Transform>(entity)?.translation;
            Some((f64::from(at.x), f64::from(at.y)))
        };
        let index = world.resource::<AoiIndex>();
        // A little more: the map begins and ends where a dot of the screen does.
        let wide = area.inflate(self.height / 16.0);
        let (min, max) = (wide.min.extend(f32::MIN), wide.max.extend(f32::MAX));
        let there = || index.within_box(AoiSpace(0), min, max);
        let one_in = there().count().div_ceil(MAX_DOTS).next_power_of_two() as u32;
        let view = self
            .picked
            .and_then(|entity| world.get::<InView>(entity))
            .map_or(&[][..], |view| view.as_slice());
        // By their number, so that it is the same ones in the next picture.
        let drawn = there().filter(|entity| entity.index_u32().is_multiple_of(one_in));
        let others = drawn.filter(|entity| Some(*entity) != self.picked && !view.contains(entity));
        Picture {
            area,
            crowd: others.filter_map(point).collect(),
            one_in,
            seen: view.iter().copied().filter_map(point).collect(),
            picked: self.picked.and_then(|entity| {
                Some(Picked {
                    entity,
                    at: point(entity)?,
                    radius: f64::from(world.get::<AoiViewer>(entity)?.radius),
                    sees: view.len(),
                })
            }),
        }
    }
}

/// The dots of the screen from left to right, or from top to bottom.
pub struct Axis {
    /// Where the first dot is, in the unit of the ground.
    pub first: f64,
    pub last: f64,
    /// From a dot to the next.
    step: f64,
    dots_in_cell: u16,
}

impl Axis {
    /// What is in the middle of the map is in the middle of a cell, though the number of cells may be
    /// even: so a circle has its middle where the sign is, and the sign does not jump.
    pub fn new(middle: f32, size: f32, cells: u16, dots_in_cell: u16) -> Self {
        let dots = f64::from(cells.max(1)) * f64::from(dots_in_cell);
        let step = f64::from(size) / dots;
        let before = f64::from(cells / 2 * dots_in_cell) + f64::from(dots_in_cell - 1) / 2.0;
        let first = f64::from(middle) - before * step;
        Self {
            first,
            last: first + (dots - 1.0) * step,
            step,
            dots_in_cell,
        }
    }

    /// The cell of a place, if it is on the map.
    pub fn cell(&self, at: f64) -> Option<u16> {
        let is_there = (self.first..=self.last).contains(&at);
        let dot = ((at - self.first) / self.step).round();
        is_there.then(|| dot as u16 / self.dots_in_cell)
    }
}

/// The viewer that comes so many places after another one, in the order of entities; the first one if
/// there is no other, none if there is no viewer.
pub fn next_viewer(world: &mut World, after: Option<Entity>, places: isize) -> Option<Entity> {
    let mut viewers = world.query_filtered::<Entity, With<AoiViewer>>();
    let mut viewers: Vec<_> = viewers.iter(world).collect();
    viewers.sort_unstable();
    let Some(after) = after else {
        return viewers.first().copied();
    };
    let at = viewers.partition_point(|&viewer| viewer < after) as isize;
    let next = (at + places).checked_rem_euclid(viewers.len() as isize)?;
    viewers.get(next as usize).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_beyond_the_map_has_no_cell() {
        let axis = Axis::new(0.0, 100.0, 17, 4);
        assert_eq!(axis.cell(0.0), Some(8));
        assert_eq!(axis.cell(-49.0), Some(0));
        assert_eq!(axis.cell(49.0), Some(16));
        assert_eq!(axis.cell(51.0), None);
        assert_eq!(axis.cell(f64::NAN), None);
    }
}
