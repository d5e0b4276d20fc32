//! Looking into the structure: its bands and blocks, for a debug view. Nothing is copied before it
//! is asked for, so the first few hundred of many cost no more than that.

use super::{CrossLink, block::LANES};

/// A band: all members between two lines across the axes after the first, in one list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BandInfo<const D: usize> {
    /// The part of each axis that belongs to it, from and to, bounds included; infinite where it
    /// has no end, as on axis 0.
    pub span: [[f32; 2]; D],
    /// Least coordinates of its members; where they were at the last update counts as well.
    pub min: [f32; D],
    /// Greatest coordinates, likewise.
    pub max: [f32; D],
    /// How many members it has; never 0.
    pub members: usize,
    /// How many blocks its list has; never 0.
    pub blocks: usize,
}

/// A block: a node of the list of a band.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BlockInfo<const D: usize> {
    /// The part of each axis that belongs to it, from and to, bounds included; infinite where it
    /// has no end.
    pub span: [[f32; 2]; D],
    /// Least coordinates of its members; where they were at the last update counts as well.
    pub min: [f32; D],
    /// Greatest coordinates, likewise.
    pub max: [f32; D],
    /// How many members it has; never 0.
    pub members: usize,
    /// How many it has room for.
    pub capacity: usize,
    /// Which of the [`bands`](CrossLink::bands) it is in, counted from 0.
    pub band: usize,
}

impl<const D: usize> CrossLink<D> {
    /// The bands in order: along the last axis, then along axis 1. Only those with members exist.
    /// Each costs a look at its blocks.
    pub fn bands(&self) -> impl Iterator<Item = BandInfo<D>> + '_ {
        self.rows.iter().map(|row| {
            let mut band = BandInfo {
                span: open(self.rows.span(row)),
                min: [f32::INFINITY; D],
                max: [f32::NEG_INFINITY; D],
                members: 0,
                blocks: self.rows.blocks(row).len(),
            };
            for &block in self.rows.blocks(row) {
                let block = &self.blocks[block as usize];
                band.members += block.len;
                for axis in 0..D {
                    band.min[axis] = band.min[axis].min(block.lo[axis]);
                    band.max[axis] = band.max[axis].max(block.hi[axis]);
                }
            }
            band
        })
    }

    /// What there is of each band to draw: its part of the axes, as far as it has members where
    /// that has no end. A look at two blocks each, as long as there are several bands.
    #[cfg_attr(
        not(feature = "overlay"),
        expect(dead_code, reason = "for the overlay")
    )]
    pub(crate) fn band_boxes(&self) -> impl Iterator<Item = [[f32; 2]; D]> + '_ {
        self.rows.iter().map(|row| {
            let mut span = open(self.rows.span(row));
            let of_row = self.rows.blocks(row);
            for (axis, ends) in span.iter_mut().enumerate() {
                let blocks: &[u32] = match of_row {
                    // Along X they are in order.
                    [first, .., last] if axis == 0 => &[*first, *last],
                    all => all,
                };
                if ends.iter().any(|end| end.is_infinite()) {
                    let blocks = blocks.iter().map(|&block| &self.blocks[block as usize]);
                    let inner = blocks.fold([f32::INFINITY, f32::NEG_INFINITY], |inner, block| {
                        [inner[0].min(block.lo[axis]), inner[1].max(block.hi[axis])]
                    });
                    for (end, inner) in ends.iter_mut().zip(inner) {
                        *end = if end.is_finite() { *end } else { inner };
                    }
                }
            }
            span
        })
    }

    /// The blocks, band by band, in the order of their lists. Each costs O(1).
    pub fn blocks(&self) -> impl Iterator<Item = BlockInfo<D>> + '_ {
        self.rows.iter().enumerate().flat_map(move |(band, row)| {
            self.rows.blocks(row).iter().map(move |&block| {
                let block = &self.blocks[block as usize];
                BlockInfo {
                    span: open(block.span),
                    min: block.lo,
                    max: block.hi,
                    members: block.len,
                    capacity: LANES,
                    band,
                }
            })
        })
    }

    /// How many bands and blocks there are. Costs a look at each band.
    pub fn count_bands_and_blocks(&self) -> (usize, usize) {
        self.rows.iter().fold((0, 0), |(bands, blocks), row| {
            (bands + 1, blocks + self.rows.blocks(row).len())
        })
    }
}

/// Beyond the greatest number there is nobody, so what reaches it has no end.
fn open<const D: usize>(span: [[f32; 2]; D]) -> [[f32; 2]; D] {
    let end = |x: f32| match x {
        f32::MAX => f32::INFINITY,
        f32::MIN => f32::NEG_INFINITY,
        x => x,
    };
    span.map(|ends| ends.map(end))
}
