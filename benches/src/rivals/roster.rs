//! What every rival has to know of the members: who views, who can be seen, who stirred.

use crate::world::World;

/// Who is here, kept from update to update.
#[derive(Debug, Default)]
pub struct Roster {
    /// Present viewers, neighbours one after the other: what one has looked at is still at hand
    /// for the next.
    pub viewers: Vec<u32>,
    /// Present targets, ascending.
    pub targets: Vec<u32>,
    /// Where members stood at the last update; not a number for those who were not there.
    pub held: Vec<[f32; 2]>,
    /// Whether a member moved, came or went in this update.
    pub stirred: Vec<bool>,
    /// The common radius: that of the median viewer.
    pub radius: f32,
    /// Layers that every target is on.
    common_layers: u32,
    /// How many came and went since the viewers were sorted and the radius was looked for.
    churn: usize,
    /// Updates since then.
    age: usize,
    radii: Vec<f32>,
    order: Vec<(u64, u32)>,
}

impl Roster {
    pub(super) const NOWHERE: [f32; 2] = [f32::NAN; 2];

    /// Takes the lists of the world over. False: nothing happened.
    pub(super) fn begin(&mut self, world: &World) -> bool {
        if world.moved.is_empty() && world.came.is_empty() && world.went.is_empty() {
            return false;
        }
        self.held.resize(world.positions.len(), Self::NOWHERE);
        self.stirred.resize(world.positions.len(), false);
        for &id in world.moved.iter().chain(&world.came).chain(&world.went) {
            self.stirred[id as usize] = true;
        }
        for &id in &world.came {
            self.held[id as usize] = Self::NOWHERE;
        }
        if !world.came.is_empty() || !world.went.is_empty() {
            self.read_members(world);
        }
        self.age += 1;
        if self.churn * 2 >= self.viewers.len() || self.age >= 64 {
            self.tune(world);
        }
        true
    }

    /// The positions of this update become those of the last.
    pub(super) fn end(&mut self, world: &World) {
        for &id in world.moved.iter().chain(&world.came) {
            self.held[id as usize] = world.positions[id as usize];
            self.stirred[id as usize] = false;
        }
        for &id in &world.went {
            self.held[id as usize] = Self::NOWHERE;
            self.stirred[id as usize] = false;
        }
    }

    /// How far a viewer of the common radius keeps others in view.
    pub(super) fn reach(&self, world: &World) -> f32 {
        self.radius + world.leave_margin.max(0.0)
    }

    /// How many moved, came or went.
    pub(super) fn stirs(world: &World) -> usize {
        world.moved.len() + world.came.len() + world.went.len()
    }

    /// Whether so few stirred that what was built is better mended than built anew.
    pub(super) fn few_stirred(&self, world: &World) -> bool {
        Self::stirs(world) * 16 < self.targets.len()
    }

    /// Whether `viewer` sees a layer of every target, so that layers need not be looked at.
    pub(super) fn sees_all_layers(&self, world: &World, viewer: u32) -> bool {
        world.members[viewer as usize].sees & self.common_layers != 0
    }

    fn read_members(&mut self, world: &World) {
        let is_viewer = |id: &u32| {
            let member = &world.members[*id as usize];
            member.present && member.radius > 0.0
        };
        self.churn += world.came.len() + world.went.len();
        self.viewers.retain(is_viewer);
        let came = world.came.iter().copied();
        self.viewers.extend(came.filter(is_viewer));
        self.targets.clear();
        self.common_layers = !0;
        for (id, member) in (0..).zip(&world.members) {
            if member.present && member.target {
                self.targets.push(id);
                self.common_layers &= member.layers;
            }
        }
    }

    /// Looks for the common radius, and sorts viewers by where they are. Both hold for long.
    fn tune(&mut self, world: &World) {
        (self.churn, self.age) = (0, 0);
        if self.viewers.is_empty() {
            return;
        }
        let radii = self.viewers.iter();
        self.radii.clear();
        self.radii
            .extend(radii.map(|&id| world.members[id as usize].radius));
        let middle = self.radii.len() / 2;
        let (_, median, _) = self.radii.select_nth_unstable_by(middle, f32::total_cmp);
        self.radius = *median;

        let scale = 1.0 / self.reach(world);
        self.order.clear();
        self.order.extend(self.viewers.iter().map(|&id| {
            // Cells row after row, with the sign bit turned so that they sort.
            let cell = world.positions[id as usize].map(|at| floor(at * scale));
            let [column, row] = cell.map(|cell| u64::from(cell as u32 ^ (1 << 31)));
            (row << 32 | column, id)
        }));
        self.order.sort_unstable();
        self.viewers.clear();
        self.viewers.extend(self.order.iter().map(|&(_, id)| id));
    }
}

/// Where something stirred: tells which viewers that rest need not be asked again.
#[derive(Debug, Default)]
pub(super) struct Stirs {
    everywhere: bool,
    scale: f32,
    /// Hashed cells: a viewer may be asked in vain, never be forgotten.
    cells: Vec<bool>,
}

impl Stirs {
    pub(super) fn mark(&mut self, world: &World, roster: &Roster) {
        let stirs = Roster::stirs(world);
        self.everywhere = stirs * 4 >= roster.viewers.len();
        if self.everywhere {
            return;
        }
        self.scale = 1.0 / roster.reach(world);
        self.cells.clear();
        self.cells.resize((stirs * 16).next_power_of_two(), false);
        for &id in world.moved.iter().chain(&world.came).chain(&world.went) {
            if world.members[id as usize].target {
                self.mark_at(roster.held[id as usize]);
                self.mark_at(world.positions[id as usize]);
            }
        }
    }

    fn mark_at(&mut self, at: [f32; 2]) {
        let cell = self.cell(floor(at[0] * self.scale), floor(at[1] * self.scale));
        self.cells[cell] = true;
    }

    fn cell(&self, x: i32, y: i32) -> usize {
        let hash = (x as u64)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .wrapping_add(y as u64)
            .wrapping_mul(0xd6e8_feb8_6659_fd93);
        (hash >> 32) as usize & (self.cells.len() - 1)
    }

    /// Whether what `viewer` has in view may have changed.
    pub(super) fn concern(&self, world: &World, roster: &Roster, viewer: u32) -> bool {
        if self.everywhere || roster.stirred[viewer as usize] {
            return true;
        }
        let reach = reach(world, viewer);
        let at = world.positions[viewer as usize];
        let bounds = at.map(|at| {
            let reach = padded(reach, at);
            let low = floor((at - reach) * self.scale);
            let high = floor((at + reach) * self.scale);
            (low, high)
        });
        let [(left, right), (bottom, top)] = bounds;
        if right.saturating_sub(left) > 8 || top.saturating_sub(bottom) > 8 {
            return true;
        }
        (bottom..=top).any(|y| (left..=right).any(|x| self.cells[self.cell(x, y)]))
    }
}

/// The next whole number below. `f32::floor` is a call where the target has no instruction for it.
pub(super) fn floor(number: f32) -> i32 {
    let truncated = number as i32;
    truncated.saturating_sub(i32::from(truncated as f32 > number))
}

/// How far a viewer keeps others in view.
pub(super) fn reach(world: &World, viewer: u32) -> f32 {
    world.members[viewer as usize].radius + world.leave_margin.max(0.0)
}

/// A reach around a coordinate, a little larger: cells are found with rounded numbers, distances
/// are judged with others.
pub(super) fn padded(reach: f32, at: f32) -> f32 {
    reach + (reach + at.abs()) * (8.0 * f32::EPSILON)
}
