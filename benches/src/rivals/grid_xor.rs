//! An ablation: a uniform grid with old and new positions side by side, and the old/new test of
//! this crate instead of sets that are diffed. Shows what that test gives by itself.

use super::columns::Asker;
use super::grid::{Ghost, Grid};
use super::roster::{Roster, Stirs, reach};
use super::views::Views;
use super::xor;
use crate::world::World;
use crate::{Changes, Method};

/// Members are in the cell where they stand. Who left the neighbourhood of the cell where it stood
/// before, or the world, is there once more, as a ghost, for this one update.
#[derive(Debug)]
pub struct GridXor {
    /// Width of a cell, in radii of the common viewer.
    cell: f32,
    grid: Grid,
    roster: Roster,
    stirs: Stirs,
    views: Views,
    ghosts: Vec<Ghost>,
    /// Whose old position is not yet the new one, in a grid that is mended.
    unsettled: Vec<u32>,
    /// How far those moved at most who did not jump.
    step: f32,
}

impl GridXor {
    /// `cell`: width of the cells, in radii of the common viewer.
    pub fn new(cell: f32) -> Self {
        Self {
            cell: if cell > 0.0 { cell } else { 1.0 },
            grid: Grid::default(),
            roster: Roster::default(),
            stirs: Stirs::default(),
            views: Views::default(),
            ghosts: Vec::new(),
            unsettled: Vec::new(),
            step: 0.0,
        }
    }

    /// Further is a jump.
    fn longest(&self, world: &World) -> f32 {
        self.cell * self.roster.reach(world) / 8.0
    }

    fn jumped(&self, world: &World, id: u32) -> bool {
        let step = distance(self.roster.held[id as usize], world.positions[id as usize]);
        // Who came has no old position, and a step that is not a number.
        step.is_nan() || step > self.longest(world)
    }

    fn refresh(&mut self, world: &World) {
        self.step = 0.0;
        let longest = self.longest(world);
        for &id in &world.moved {
            let step = distance(self.roster.held[id as usize], world.positions[id as usize]);
            if step <= longest {
                self.step = self.step.max(step);
            }
        }
        let mendable = self.grid.mendable() && self.roster.few_stirred(world);
        if !mendable || !self.mend(world) {
            self.build(world);
        }
    }

    fn build(&mut self, world: &World) {
        let is_target = |id: &&u32| world.members[**id as usize].target;
        let mut ghosts = std::mem::take(&mut self.ghosts);
        ghosts.clear();
        for &id in world.moved.iter().filter(is_target) {
            if self.jumped(world, id) {
                let now = world.positions[id as usize];
                ghosts.push(Ghost { id, now });
            }
        }
        let now = Roster::NOWHERE;
        let went = world.went.iter().filter(is_target);
        ghosts.extend(went.map(|&id| Ghost { id, now }));
        self.ghosts = ghosts;

        let roster = &self.roster;
        let cell = self.cell * roster.reach(world);
        let few = roster.few_stirred(world);
        self.grid.lay_out(cell, &roster.targets, &world.positions);
        if !few && roster.viewers.len() * 16 < roster.targets.len() {
            for &id in &roster.viewers {
                let reach = reach(world, id) + 2.0 * self.step;
                self.grid.cover(world.positions[id as usize], reach);
            }
        }
        let (targets, held) = (&roster.targets, &roster.held);
        self.grid
            .fill(targets, &world.positions, &self.ghosts, held, few);
        self.unsettled.clear();
        if few {
            let stirred = world.moved.iter().chain(&world.came);
            self.unsettled.extend(stirred.filter(is_target));
        }
    }

    /// Moves those who stirred. False: a cell is full.
    fn mend(&mut self, world: &World) -> bool {
        let is_target = |id: &&u32| world.members[**id as usize].target;
        let grid = &mut self.grid;
        grid.remove_ghosts();
        for id in self.unsettled.drain(..) {
            let place = grid.place(id);
            let now = grid.columns.position(place);
            grid.columns.set_held(place, now);
        }
        for &id in world.went.iter().filter(is_target) {
            grid.leave_ghost(id, Roster::NOWHERE);
        }
        for &id in world.moved.iter().filter(is_target) {
            let to = world.positions[id as usize];
            let place = grid.place(id);
            let from = grid.columns.position(place);
            if grid.same_cell(from, to) {
                grid.columns.set(place, id, to);
            } else {
                grid.leave_ghost(id, to);
                let Some(place) = grid.add(id, to) else {
                    return false;
                };
                grid.columns.set_held(place, from);
            }
            self.unsettled.push(id);
        }
        for &id in world.came.iter().filter(is_target) {
            if grid.add(id, world.positions[id as usize]).is_none() {
                return false;
            }
            self.unsettled.push(id);
        }
        true
    }
}

fn distance(from: [f32; 2], to: [f32; 2]) -> f32 {
    let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
    (dx * dx + dy * dy).sqrt()
}

impl Method for GridXor {
    fn name(&self) -> &'static str {
        "grid-xor"
    }

    fn update(&mut self, world: &World, changes: &mut Changes) {
        if !self.roster.begin(world) {
            return;
        }
        self.views.grow(world.positions.len());
        for &id in &world.went {
            self.views.drop_viewer(id, changes);
        }
        self.stirs.mark(world, &self.roster);
        self.refresh(world);
        let columns = &self.grid.columns;
        for &viewer in &self.roster.viewers {
            if !self.stirs.concern(world, &self.roster, viewer) {
                continue;
            }
            let asker = Asker {
                held: self.roster.held[viewer as usize],
                ..Asker::new(world, viewer)
            };
            let mut near = std::mem::take(&mut self.views.near);
            let reach = asker.reach + 2.0 * self.step;
            self.grid.runs(asker.now, reach, |places| {
                columns.turned(places, &asker, &mut near);
            });
            if self.roster.stirred[viewer as usize] && self.jumped(world, viewer) {
                // Those it leaves behind are not around it.
                near.extend_from_slice(self.views.list(viewer));
            }
            self.views.near = near;
            xor::settle(world, viewer, &mut self.views, changes);
        }
        self.roster.end(world);
    }

    fn in_view(&self, viewer: u32) -> Option<&[u32]> {
        Some(self.views.list(viewer))
    }
}
