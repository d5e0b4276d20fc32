//! Uniform cells over columns: a counting sort when many move, mended in place when few do.

use std::ops::Range;

use super::columns::{Columns, NOBODY};
use super::roster::{floor, padded};

/// Not put into the grid: no viewer reaches there.
const SKIPPED: u32 = u32::MAX;

/// A member that is still found where it stood before, with the position it has now.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ghost {
    pub id: u32,
    pub now: [f32; 2],
}

/// Cells of one size, row after row, so that neighbours in a row are one run of places.
///
/// A world too wide for its members is folded over: far cells share a place, and the distance
/// test tells them apart.
#[derive(Debug, Default)]
pub(super) struct Grid {
    pub columns: Columns,
    origin: [f32; 2],
    scale: f32,
    size: [usize; 2],
    folded: bool,
    /// First place of every cell, and the end of the last.
    starts: Vec<u32>,
    /// Cell of every entry, in the order of entries.
    cells: Vec<u32>,
    /// Cells that viewers reach; empty: all.
    covered: Vec<bool>,
    /// Whether cells have free places, and `used` and `places` are kept.
    mendable: bool,
    used: Vec<u32>,
    places: Vec<u32>,
    ghost_places: Vec<u32>,
}

impl Grid {
    /// Chooses the cells for these members. [`Self::cover`] may follow, [`Self::fill`] must.
    pub(super) fn lay_out(&mut self, cell: f32, ids: &[u32], positions: &[[f32; 2]]) {
        let (mut low, mut high) = ([f32::MAX; 2], [f32::MIN; 2]);
        for &id in ids {
            let at = positions[id as usize];
            for axis in 0..2 {
                low[axis] = low[axis].min(at[axis]);
                high[axis] = high[axis].max(at[axis]);
            }
        }
        self.origin = low;
        self.scale = 1.0 / cell;
        let limit = 4 * ids.len() + 16;
        let wanted = [0, 1].map(|axis| {
            let last = floor((high[axis] - low[axis]) * self.scale);
            last.max(0) as usize + 1
        });
        self.size = wanted;
        if wanted[0].saturating_mul(wanted[1]) > limit {
            let wide = usize::from(wanted[1] > wanted[0]);
            let narrow = wanted[1 - wide].min(limit.isqrt());
            self.size[1 - wide] = narrow;
            self.size[wide] = wanted[wide].min(limit / narrow);
        }
        self.folded = self.size != wanted;
        self.covered.clear();
    }

    /// Only cells that some viewer reaches are filled.
    pub(super) fn cover(&mut self, at: [f32; 2], reach: f32) {
        if self.covered.is_empty() {
            self.covered.resize(self.size[0] * self.size[1], false);
        }
        let mut covered = std::mem::take(&mut self.covered);
        self.cell_runs(at, reach, |cells| covered[cells].fill(true));
        self.covered = covered;
    }

    /// Puts members into their cells, and `ghosts` where they stood before. `held` may be empty if nobody asks for old positions. With `room`, [`Self::add`],
    /// [`Self::shift`] and [`Self::remove`] may follow.
    pub(super) fn fill(
        &mut self,
        ids: &[u32],
        positions: &[[f32; 2]],
        ghosts: &[Ghost],
        held: &[[f32; 2]],
        room: bool,
    ) {
        let cell_count = self.size[0] * self.size[1];
        self.starts.clear();
        self.starts.resize(cell_count + 1, 0);
        let mut cells = std::mem::take(&mut self.cells);
        cells.clear();
        let here = ids.iter().map(|&id| positions[id as usize]);
        let there = ghosts.iter().map(|ghost| held[ghost.id as usize]);
        for at in here.chain(there) {
            let cell = self.cell(at);
            if self.covered.is_empty() || self.covered[cell] {
                self.starts[cell] += 1;
                cells.push(cell as u32);
            } else {
                cells.push(SKIPPED);
            }
        }
        self.mendable = room;
        if room {
            self.used.clear();
            self.used.extend_from_slice(&self.starts[..cell_count]);
            self.places.resize(positions.len(), 0);
        }
        // The end of every cell's entries; filled from behind, it becomes the first place.
        let mut places = 0;
        for start in &mut self.starts {
            let entries = *start;
            *start = places + entries;
            places += if room {
                entries + entries / 4 + 2
            } else {
                entries
            };
        }
        self.columns.clear(places as usize, !held.is_empty());
        self.ghost_places.clear();
        let (members, ghost_cells) = cells.split_at(ids.len());
        for (ghost, &cell) in ghosts.iter().zip(ghost_cells) {
            if let Some(place) = self.take_place(cell) {
                self.columns.set(place, ghost.id, ghost.now);
                self.columns.set_held(place, held[ghost.id as usize]);
                self.ghost_places.push(place as u32);
            }
        }
        for (&id, &cell) in ids.iter().zip(members).rev() {
            let Some(place) = self.take_place(cell) else {
                continue;
            };
            self.columns.set(place, id, positions[id as usize]);
            if !held.is_empty() {
                self.columns.set_held(place, held[id as usize]);
            }
            if room {
                self.places[id as usize] = place as u32;
            }
        }
        self.cells = cells;
    }

    #[inline]
    fn take_place(&mut self, cell: u32) -> Option<usize> {
        if cell == SKIPPED {
            return None;
        }
        let start = &mut self.starts[cell as usize];
        *start -= 1;
        Some(*start as usize)
    }

    pub(super) fn mendable(&self) -> bool {
        self.mendable
    }

    /// Where a member is.
    pub(super) fn place(&self, id: u32) -> usize {
        self.places[id as usize] as usize
    }

    /// Puts a member into its cell, if there is room.
    pub(super) fn add(&mut self, id: u32, at: [f32; 2]) -> Option<usize> {
        let cell = self.cell(at);
        let place = self.starts[cell] + self.used[cell];
        if place >= self.starts[cell + 1] {
            return None;
        }
        self.used[cell] += 1;
        if self.places.len() <= id as usize {
            self.places.resize(id as usize + 1, 0);
        }
        self.places[id as usize] = place;
        self.columns.set(place as usize, id, at);
        Some(place as usize)
    }

    /// Takes away what is at `place` of the cell at `at`. The last of the cell takes the place.
    pub(super) fn remove(&mut self, place: usize, at: [f32; 2]) {
        let cell = self.cell(at);
        self.used[cell] -= 1;
        let last = (self.starts[cell] + self.used[cell]) as usize;
        let id = self.columns.ids[last];
        if self.places[id as usize] as usize == last {
            self.places[id as usize] = place as u32;
        }
        let position = self.columns.position(last);
        self.columns.set(place, id, position);
        self.columns.set(last, NOBODY, [f32::NAN; 2]);
        if !self.columns.held[0].is_empty() {
            let held = self.columns.held_position(last);
            self.columns.set_held(place, held);
            self.columns.set_held(last, [f32::NAN; 2]);
        }
    }

    /// Makes the entry of a member a ghost: it went, or is to be added elsewhere.
    pub(super) fn leave_ghost(&mut self, id: u32, now: [f32; 2]) {
        let place = self.place(id);
        self.columns.set(place, id, now);
        self.ghost_places.push(place as u32);
    }

    /// Removes all ghosts, before anything else is removed or any old position is set.
    pub(super) fn remove_ghosts(&mut self) {
        // From behind: what takes the place of a ghost is none.
        let mut ghosts = std::mem::take(&mut self.ghost_places);
        ghosts.sort_unstable();
        for place in ghosts.drain(..).rev() {
            let held = self.columns.held_position(place as usize);
            self.remove(place as usize, held);
        }
        self.ghost_places = ghosts;
    }

    /// Whether two positions are in one cell.
    pub(super) fn same_cell(&self, a: [f32; 2], b: [f32; 2]) -> bool {
        self.cell(a) == self.cell(b)
    }

    /// Calls back with every run of places in which members within `reach` can be, none twice.
    pub(super) fn runs(&self, at: [f32; 2], reach: f32, mut found: impl FnMut(Range<usize>)) {
        self.cell_runs(at, reach, |cells| {
            found(self.starts[cells.start] as usize..self.starts[cells.end] as usize);
        });
    }

    /// Runs of cells instead of places.
    fn cell_runs(&self, at: [f32; 2], reach: f32, mut found: impl FnMut(Range<usize>)) {
        if self.size[0] * self.size[1] == 0 {
            return;
        }
        let [width, height] = self.size;
        let (left, columns) = self.span(0, at, reach);
        let (bottom, rows) = self.span(1, at, reach);
        for row in bottom..bottom + rows {
            let row = if row < height { row } else { row - height } * width;
            if left + columns <= width {
                found(row + left..row + left + columns);
            } else {
                found(row + left..row + width);
                found(row..row + left + columns - width);
            }
        }
    }

    /// First cell and number of cells along an axis.
    #[inline]
    fn span(&self, axis: usize, at: [f32; 2], reach: f32) -> (usize, usize) {
        let reach = padded(reach, at[axis]);
        let low = self.step(axis, at[axis] - reach);
        let high = self.step(axis, at[axis] + reach);
        let size = self.size[axis];
        if self.folded {
            let steps = high.abs_diff(low) as usize + 1;
            (self.fold(axis, low), size.min(steps))
        } else {
            let (low, high) = (self.fold(axis, low), self.fold(axis, high));
            (low, high - low + 1)
        }
    }

    #[inline]
    fn cell(&self, at: [f32; 2]) -> usize {
        let column = self.fold(0, self.step(0, at[0]));
        let row = self.fold(1, self.step(1, at[1]));
        row * self.size[0] + column
    }

    /// Unfolded cell along an axis. Rises with the coordinate, whatever rounding does.
    #[inline]
    fn step(&self, axis: usize, at: f32) -> i32 {
        floor((at - self.origin[axis]) * self.scale)
    }

    #[inline]
    fn fold(&self, axis: usize, step: i32) -> usize {
        let size = self.size[axis] as i32;
        if self.folded {
            step.rem_euclid(size) as usize
        } else {
            step.clamp(0, size - 1) as usize
        }
    }
}
