//! Queries of a uniform grid.

use std::cell::RefCell;

use super::columns::NOBODY;
use super::grid::Grid;
use crate::Index;
use crate::world::World;

/// A grid that is filled once.
#[derive(Debug)]
pub struct GridIndex {
    grid: Grid,
    cell: f32,
    members: usize,
    nearest: RefCell<Vec<(f32, u32)>>,
}

impl GridIndex {
    /// `cell`: width of the cells, in units of the world.
    pub fn new(world: &World, cell: f32) -> Self {
        let cell = if cell > 0.0 { cell } else { 1.0 };
        let ids: Vec<u32> = super::present(world).map(|(id, _)| id).collect();
        let mut grid = Grid::default();
        grid.lay_out(cell, &ids, &world.positions);
        grid.fill(&ids, &world.positions, &[], &[], false);
        Self {
            grid,
            cell,
            members: ids.len(),
            nearest: RefCell::default(),
        }
    }
}

impl Index for GridIndex {
    fn name(&self) -> &'static str {
        "grid"
    }

    fn within(&self, center: [f32; 2], radius: f32, found: &mut Vec<u32>) {
        let columns = &self.grid.columns;
        let square = radius * radius;
        self.grid.runs(center, radius.max(0.0), |places| {
            columns.compact(places, center, NOBODY, found, |distance| distance <= square);
        });
    }

    fn nearest(&self, center: [f32; 2], k: usize, found: &mut Vec<u32>) {
        let k = k.min(self.members);
        if k == 0 {
            return;
        }
        let columns = &self.grid.columns;
        let mut nearest = self.nearest.borrow_mut();
        // Circles twice as large each time, until one holds enough.
        let mut radius = self.cell;
        loop {
            nearest.clear();
            let square = radius * radius;
            self.grid.runs(center, radius, |places| {
                for place in places {
                    let [x, y] = columns.position(place);
                    let (dx, dy) = (x - center[0], y - center[1]);
                    let distance = dx * dx + dy * dy;
                    if distance <= square {
                        nearest.push((distance, columns.ids[place]));
                    }
                }
            });
            if nearest.len() >= k || !square.is_finite() {
                break;
            }
            radius *= 2.0;
        }
        let by_distance = |a: &(f32, u32), b: &(f32, u32)| a.0.total_cmp(&b.0);
        if nearest.len() > k {
            nearest.select_nth_unstable_by(k - 1, by_distance);
            nearest.truncate(k);
        }
        nearest.sort_unstable_by(by_distance);
        found.extend(nearest.iter().map(|&(_, id)| id));
    }
}
