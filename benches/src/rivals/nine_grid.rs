//! 九宫格, the nine-cell grid: uniform cells as wide as a viewer sees, so that whom it sees is in
//! its own cell or in one of the eight around.

use super::columns::Asker;
use super::grid::Grid;
use super::rediff::{Finder, Rediff};
use super::roster::{Roster, reach};
use crate::world::World;

pub type NineGrid = Rediff<NineCells>;

/// Cells follow the common radius; who sees further walks more of them.
#[derive(Debug, Default)]
pub struct NineCells {
    grid: Grid,
}

impl NineCells {
    fn build(&mut self, world: &World, roster: &Roster) {
        let few = roster.few_stirred(world);
        // A trifle wider than the reach, or rounding makes the nine cells sixteen.
        let cell = roster.reach(world) * 1.001;
        self.grid.lay_out(cell, &roster.targets, &world.positions);
        if !few && roster.viewers.len() * 16 < roster.targets.len() {
            for &id in &roster.viewers {
                let reach = reach(world, id);
                self.grid.cover(world.positions[id as usize], reach);
            }
        }
        self.grid
            .fill(&roster.targets, &world.positions, &[], &[], few);
    }

    /// Moves those who stirred. False: a cell is full.
    fn mend(&mut self, world: &World) -> bool {
        let grid = &mut self.grid;
        let is_target = |id: &&u32| world.members[**id as usize].target;
        for &id in world.went.iter().filter(is_target) {
            let place = grid.place(id);
            grid.remove(place, grid.columns.position(place));
        }
        for &id in world.moved.iter().filter(is_target) {
            let (place, to) = (grid.place(id), world.positions[id as usize]);
            let from = grid.columns.position(place);
            if grid.same_cell(from, to) {
                grid.columns.set(place, id, to);
            } else {
                grid.remove(place, from);
                if grid.add(id, to).is_none() {
                    return false;
                }
            }
        }
        let mut came = world.came.iter().filter(is_target);
        came.all(|&id| grid.add(id, world.positions[id as usize]).is_some())
    }
}

impl Finder for NineCells {
    const NAME: &'static str = "nine-grid";

    fn refresh(&mut self, world: &World, roster: &Roster) {
        let mendable = self.grid.mendable() && roster.few_stirred(world);
        if !mendable || !self.mend(world) {
            self.build(world, roster);
        }
    }

    fn find(&mut self, asker: &Asker, near: &mut Vec<u32>, far: &mut Vec<u32>) {
        let columns = &self.grid.columns;
        self.grid.runs(asker.now, asker.reach, |places| {
            columns.within(places, asker, near, far);
        });
    }
}
