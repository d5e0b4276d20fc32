//! 灯塔, lighthouses or towers: every cell is a tower with a list of who is in it and a list of who
//! watches it. Who moves tells the watchers of the towers it left and entered; who watches from
//! elsewhere changes its towers. A distance filter makes it exact.
//!
//! A viewer that rests costs nothing but what it is told.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::columns::Asker;
use super::roster::{Roster, floor, padded};
use super::views::Views;
use crate::world::World;
use crate::{Changes, Method};

/// Column and row.
type Cell = [i32; 2];

/// A member that is in no tower.
const OUTSIDE: Seat = Seat {
    tower: u32::MAX,
    place: 0,
};

#[derive(Debug, Default)]
struct Tower {
    cell: Cell,
    inside: Vec<(u32, [f32; 2])>,
    watchers: Vec<u32>,
}

/// Where a target is.
#[derive(Debug, Clone, Copy)]
struct Seat {
    tower: u32,
    place: u32,
}

/// What a viewer watches.
#[derive(Debug, Default, Clone, PartialEq)]
enum Area {
    #[default]
    Nothing,
    /// From the lowest to the highest cell.
    Cells(Cell, Cell),
    /// It sees so far that it looks at every tower, and is told of everybody.
    Everything,
}

#[derive(Debug, Default)]
pub struct Towers {
    roster: Roster,
    views: Views,
    posts: Posts,
    /// The radius that the width of the cells was chosen for.
    radius: f32,
}

/// The towers, who is in them and who watches them.
#[derive(Debug, Default)]
struct Posts {
    scale: f32,
    towers: Vec<Tower>,
    free: Vec<u32>,
    by_cell: HashMap<u64, u32, BuildHasherDefault<CellHasher>>,
    seats: Vec<Seat>,
    areas: Vec<Area>,
    /// The towers of every viewer's area.
    watched: Vec<Vec<u32>>,
    /// Who watches everything.
    far_sighted: Vec<u32>,
}

impl Posts {
    fn grow(&mut self, members: usize) {
        self.seats.resize(members, OUTSIDE);
        self.areas.resize(members, Area::Nothing);
        self.watched.resize_with(members, Vec::new);
    }

    /// Takes everybody out.
    fn reset(&mut self, width: f32) {
        self.scale = 1.0 / width;
        self.by_cell.clear();
        self.free.clear();
        for (index, tower) in (0..).zip(&mut self.towers) {
            tower.inside.clear();
            tower.watchers.clear();
            self.free.push(index);
        }
        self.seats.fill(OUTSIDE);
        self.areas.fill(Area::Nothing);
        self.watched.iter_mut().for_each(Vec::clear);
        self.far_sighted.clear();
    }

    fn cell(&self, at: [f32; 2]) -> Cell {
        at.map(|at| floor(at * self.scale))
    }

    /// The tower of a cell, built if there is none.
    fn tower(&mut self, cell: Cell) -> u32 {
        let key = u64::from(cell[0] as u32) << 32 | u64::from(cell[1] as u32);
        *self.by_cell.entry(key).or_insert_with(|| {
            let index = self.free.pop().unwrap_or_else(|| {
                self.towers.push(Tower::default());
                self.towers.len() as u32 - 1
            });
            self.towers[index as usize].cell = cell;
            index
        })
    }

    /// Takes a tower down if nobody is in it and nobody watches it.
    fn tidy(&mut self, tower: u32) {
        let Tower {
            cell,
            inside,
            watchers,
        } = &self.towers[tower as usize];
        if inside.is_empty() && watchers.is_empty() {
            let key = u64::from(cell[0] as u32) << 32 | u64::from(cell[1] as u32);
            self.by_cell.remove(&key);
            self.free.push(tower);
        }
    }

    fn sit(&mut self, id: u32, at: [f32; 2]) {
        let tower = self.tower(self.cell(at));
        let inside = &mut self.towers[tower as usize].inside;
        let place = inside.len() as u32;
        inside.push((id, at));
        self.seats[id as usize] = Seat { tower, place };
    }

    fn stand_up(&mut self, id: u32) {
        let Seat { tower, place } = self.seats[id as usize];
        let Some(Tower { inside, .. }) = self.towers.get_mut(tower as usize) else {
            return;
        };
        inside.swap_remove(place as usize);
        if let Some(&(last, _)) = inside.get(place as usize) {
            self.seats[last as usize].place = place;
        }
        self.seats[id as usize] = OUTSIDE;
        self.tidy(tower);
    }

    /// Whether a target may have left a tower for another; takes its position over if not.
    fn stays_seated(&mut self, id: u32, at: [f32; 2]) -> bool {
        let cell = self.cell(at);
        let Seat { tower, place } = self.seats[id as usize];
        match self.towers.get_mut(tower as usize) {
            Some(tower) if tower.cell == cell => {
                tower.inside[place as usize].1 = at;
                true
            }
            _ => false,
        }
    }

    /// Those who are told of what happens in the tower where a target is.
    fn watchers(&self, id: u32) -> impl Iterator<Item = u32> {
        let seat = self.seats[id as usize];
        let tower = self.towers.get(seat.tower as usize);
        let near = tower.into_iter().flat_map(|tower| &tower.watchers);
        near.chain(&self.far_sighted).copied()
    }

    fn unwatch(&mut self, viewer: u32) {
        let mut watched = std::mem::take(&mut self.watched[viewer as usize]);
        for tower in watched.drain(..) {
            remove(&mut self.towers[tower as usize].watchers, viewer);
            self.tidy(tower);
        }
        self.watched[viewer as usize] = watched;
        if self.areas[viewer as usize] == Area::Everything {
            remove(&mut self.far_sighted, viewer);
        }
        self.areas[viewer as usize] = Area::Nothing;
    }

    /// Leaves the towers that are no longer in a viewer's area and enters those that are new.
    fn watch(&mut self, viewer: u32, at: [f32; 2], reach: f32, targets: usize) {
        let low = self.cell(at.map(|at| at - padded(reach, at)));
        let high = self.cell(at.map(|at| at + padded(reach, at)));
        let sides = [0, 1].map(|axis| u64::from(high[axis].abs_diff(low[axis])) + 1);
        let area = if sides[0].saturating_mul(sides[1]) > 4 * targets as u64 + 16 {
            Area::Everything
        } else {
            Area::Cells(low, high)
        };
        let before = self.areas[viewer as usize].clone();
        if area == before {
            return;
        }
        let Area::Cells(low, high) = area else {
            self.unwatch(viewer);
            self.far_sighted.push(viewer);
            self.areas[viewer as usize] = area;
            return;
        };
        if before == Area::Everything {
            self.unwatch(viewer);
        }
        let mut watched = std::mem::take(&mut self.watched[viewer as usize]);
        watched.retain(|&tower| {
            let stays = covers(low, high, self.towers[tower as usize].cell);
            if !stays {
                remove(&mut self.towers[tower as usize].watchers, viewer);
                self.tidy(tower);
            }
            stays
        });
        for row in low[1]..=high[1] {
            for column in low[0]..=high[0] {
                let cell = [column, row];
                if matches!(before, Area::Cells(low, high) if covers(low, high, cell)) {
                    continue;
                }
                let tower = self.tower(cell);
                self.towers[tower as usize].watchers.push(viewer);
                watched.push(tower);
            }
        }
        self.watched[viewer as usize] = watched;
        self.areas[viewer as usize] = area;
    }

    /// Looks at all who are in the viewer's towers.
    fn scan(&self, asker: &Asker, near: &mut Vec<u32>, far: &mut Vec<u32>) {
        if self.areas[asker.id as usize] == Area::Everything {
            self.towers.iter().for_each(|t| t.scan(asker, near, far));
        } else {
            let towers = self.watched[asker.id as usize].iter();
            towers.for_each(|&t| self.towers[t as usize].scan(asker, near, far));
        }
    }
}

impl Tower {
    fn scan(&self, asker: &Asker, near: &mut Vec<u32>, far: &mut Vec<u32>) {
        let (mut near_len, mut far_len) = (near.len(), far.len());
        near.resize(near_len + self.inside.len(), 0);
        let margin = asker.enter < asker.leave;
        if margin {
            far.resize(far_len + self.inside.len(), 0);
        }
        for &(id, at) in &self.inside {
            let (dx, dy) = (at[0] - asker.now[0], at[1] - asker.now[1]);
            let square = dx * dx + dy * dy;
            let enters = square <= asker.enter;
            near[near_len] = id;
            near_len += usize::from(enters & (id != asker.id));
            if margin {
                far[far_len] = id;
                far_len += usize::from(!enters & (square <= asker.leave) & (id != asker.id));
            }
        }
        near.truncate(near_len);
        far.truncate(far_len);
    }
}

fn covers(low: Cell, high: Cell, cell: Cell) -> bool {
    (0..2).all(|axis| low[axis] <= cell[axis] && cell[axis] <= high[axis])
}

fn remove(list: &mut Vec<u32>, id: u32) {
    if let Some(place) = list.iter().position(|&other| other == id) {
        list.swap_remove(place);
    }
}

impl Towers {
    /// Tells the watchers at rest of a target that stirred. The others look for themselves.
    fn tell(&mut self, world: &World, target: u32, changes: &mut Changes) {
        for viewer in self.posts.watchers(target) {
            if self.roster.stirred[viewer as usize] {
                continue;
            }
            let had = self.views.has(viewer, target);
            if world.sees(viewer, target, had) != had {
                self.views.flip(viewer, target, changes);
            }
        }
    }

    /// Chooses the cells anew if the common radius is another. True: all viewers have to look.
    fn rebuild(&mut self, world: &World) -> bool {
        let radius = self.roster.reach(world);
        if radius <= 0.0 || (self.radius * 0.5..=self.radius * 2.0).contains(&radius) {
            return false;
        }
        self.radius = radius;
        // A trifle wider, or rounding makes the nine towers sixteen.
        self.posts.reset(radius * 1.001);
        for &id in &self.roster.targets {
            self.posts.sit(id, world.positions[id as usize]);
        }
        true
    }
}

impl Method for Towers {
    fn name(&self) -> &'static str {
        "towers"
    }

    fn update(&mut self, world: &World, changes: &mut Changes) {
        if !self.roster.begin(world) {
            return;
        }
        self.views.grow(world.positions.len());
        self.posts.grow(world.positions.len());
        for &id in &world.went {
            self.views.drop_viewer(id, changes);
            self.posts.unwatch(id);
        }
        let all_look = self.rebuild(world);
        if !all_look {
            let stirred = &self.roster.stirred;
            let mut viewers = self.roster.viewers.iter();
            let some_rest = viewers.any(|&id| !stirred[id as usize]);
            let is_target = |id: &&u32| world.members[**id as usize].target;
            for &id in world.went.iter().filter(is_target) {
                self.tell(world, id, changes);
                self.posts.stand_up(id);
            }
            let stirred = world.moved.iter().chain(&world.came);
            for &id in stirred.filter(is_target) {
                let at = world.positions[id as usize];
                if !self.posts.stays_seated(id, at) {
                    if some_rest {
                        self.tell(world, id, changes);
                    }
                    self.posts.stand_up(id);
                    self.posts.sit(id, at);
                }
                if some_rest {
                    self.tell(world, id, changes);
                }
            }
        }
        let Self {
            roster,
            views,
            posts,
            ..
        } = self;
        for &viewer in &roster.viewers {
            if !all_look && !roster.stirred[viewer as usize] {
                continue;
            }
            let asker = Asker::new(world, viewer);
            posts.watch(viewer, asker.now, asker.reach, roster.targets.len());
            posts.scan(&asker, &mut views.near, &mut views.far);
            views.keep_seen_layers(world, roster, viewer);
            views.replace(viewer, changes);
        }
        roster.end(world);
    }

    fn in_view(&self, viewer: u32) -> Option<&[u32]> {
        Some(self.views.list(viewer))
    }
}

/// Mixes the two halves of a cell. The standard hasher guards against attackers, at a price.
#[derive(Debug, Default)]
struct CellHasher(u64);

impl Hasher for CellHasher {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, key: u64) {
        let mixed = (self.0 ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}
