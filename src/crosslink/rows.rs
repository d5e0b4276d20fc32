//! The bands: the order along Y (and Z), with the list of blocks of each and its skip index.

use super::block::{Lane, NONE};

/// Place of a band in the order: slab along Z (0 on a plane), band along Y.
pub(crate) type Key = [i64; 2];

/// Bands per member at which bands are made higher: one block should be full before another band
/// is worth a look.
const MEMBERS_PER_ROW: usize = 32;

/// Height of a band in units of the common reach. Measured with the crowd example at 10 000 and
/// 100 000 walkers, 30 and 300 in view: 1.5 took 3 to 8 % longer, 3 took 10 to 20 %, and 0.7 took up
/// to 20 % longer with 30 in view and as long with 300.
const HEIGHT_PER_REACH: f64 = 1.0;

#[derive(Clone)]
pub(crate) struct Rows<const D: usize> {
    /// Height of a band, and of a slab. Infinite: there is one band.
    height: f64,
    rows: Vec<Row>,
    free: Vec<u32>,
    /// Bands ascending by key. Only bands with members exist.
    order: Vec<(Key, u32)>,
    built: Built,
}

/// What the height was chosen for.
#[derive(Clone, Copy, Default)]
struct Built {
    reach: f32,
    members: usize,
    rows: usize,
}

#[derive(Clone, Default)]
struct Row {
    key: Key,
    /// Blocks in X order.
    blocks: Vec<u32>,
    /// Where the part of the axis of each block begins; the first is negative infinity.
    keys: Vec<f32>,
}

impl<const D: usize> Rows<D> {
    pub fn new() -> Self {
        Self {
            height: f64::INFINITY,
            rows: Vec::new(),
            free: Vec::new(),
            order: Vec::new(),
            built: Built::default(),
        }
    }

    /// Height of the bands.
    pub fn height(&self) -> f64 {
        self.height
    }

    /// The greatest way that is no jump. Every walk around a block looks further by
    /// the longest way that was gone, so it has to stay small beside the bands.
    pub fn jump(&self) -> f32 {
        (self.height / 4.0) as f32
    }

    /// The band a position belongs to.
    pub fn key(&self, at: [f32; D]) -> Key {
        let band = self.step(f64::from(at[1]));
        if D == 2 {
            [0, band]
        } else {
            [self.step(f64::from(at[D - 1])), band]
        }
    }

    /// Floor of `y / height`; saturates, and is 0 for a single band.
    fn step(&self, y: f64) -> i64 {
        let steps = y / self.height;
        let down = steps as i64;
        down.saturating_sub(i64::from(down as f64 > steps))
    }

    /// The part of each axis that belongs to a band: exactly the positions that have its key.
    pub fn span(&self, row: u32) -> [[f32; 2]; D] {
        let [slab, band] = self.rows[row as usize].key;
        core::array::from_fn(|axis| match axis {
            0 => [f32::NEG_INFINITY, f32::INFINITY],
            1 => self.limits(band),
            _ => self.limits(slab),
        })
    }

    /// Least and greatest finite coordinate of a step.
    fn limits(&self, step: i64) -> [f32; 2] {
        // Ascending numbers for ascending floats.
        let float = |rank: i64| {
            let bits = if rank < 0 {
                !rank as u32 | 1 << 31
            } else {
                rank as u32
            };
            f32::from_bits(bits)
        };
        let (least, most) = (
            -i64::from(f32::MAX.to_bits()) - 1,
            i64::from(f32::MAX.to_bits()),
        );
        // Of all floats, the first for which the step is at least `bound`.
        let first = |bound: i64| {
            let (mut low, mut high) = (least, most + 1);
            while low < high {
                let middle = low + (high - low) / 2;
                if self.step(f64::from(float(middle))) < bound {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            low
        };
        let end = step.checked_add(1).map_or(most + 1, &first);
        [float(first(step)), float(end - 1)]
    }

    pub fn key_of(&self, row: u32) -> Key {
        self.rows[row as usize].key
    }

    /// The band of a position.
    pub fn find_or_add(&mut self, at: [f32; D]) -> u32 {
        let key = self.key(at);
        let place = self.place(key);
        match self.order.get(place) {
            Some(&(there, row)) if there == key => row,
            _ => {
                let row = self.free.pop().unwrap_or_else(|| {
                    self.rows.push(Row::default());
                    self.rows.len() as u32 - 1
                });
                self.rows[row as usize].key = key;
                self.order.insert(place, (key, row));
                row
            }
        }
    }

    pub fn remove_if_empty(&mut self, row: u32) {
        if !self.rows[row as usize].blocks.is_empty() {
            return;
        }
        let key = self.rows[row as usize].key;
        if let Ok(place) = self.order.binary_search_by_key(&key, |entry| entry.0) {
            self.order.remove(place);
            self.free.push(row);
        }
    }

    /// Blocks of a band in X order.
    pub fn blocks(&self, row: u32) -> &[u32] {
        &self.rows[row as usize].blocks
    }

    /// First keys of the blocks of a band.
    pub fn keys(&self, row: u32) -> &[f32] {
        &self.rows[row as usize].keys
    }

    /// Bands in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.order.iter().map(|entry| entry.1)
    }

    /// Index of the block that `x` belongs to; none in a band without blocks. O(log n).
    pub fn entry(&self, row: u32, x: f32) -> Option<usize> {
        self.keys(row)
            .partition_point(|&key| key <= x)
            .checked_sub(1)
    }

    /// Index of a block that begins at `key`.
    pub fn index_of(&self, row: u32, block: u32, key: f32) -> usize {
        let row = &self.rows[row as usize];
        // Several blocks begin at one key where many stand on one spot.
        let from = row.keys.partition_point(|&other| other < key);
        let place = row.blocks[from..].iter().position(|&other| other == block);
        from + place.expect("a block is in its row at its key")
    }

    /// The blocks before and after the gap at an index.
    pub fn neighbors(&self, row: u32, at: usize) -> (u32, u32) {
        let blocks = self.blocks(row);
        let block = |at: Option<usize>| at.and_then(|at| blocks.get(at)).copied().unwrap_or(NONE);
        (block(at.checked_sub(1)), block(Some(at)))
    }

    pub fn insert(&mut self, row: u32, at: usize, block: u32, key: f32) {
        let row = &mut self.rows[row as usize];
        row.blocks.insert(at, block);
        row.keys.insert(at, key);
    }

    pub fn remove(&mut self, row: u32, at: usize) {
        let row = &mut self.rows[row as usize];
        row.blocks.remove(at);
        row.keys.remove(at);
    }

    /// Gives the first block of a band all of the axis below it.
    pub fn open(&mut self, row: u32) {
        self.rows[row as usize].keys[0] = f32::NEG_INFINITY;
    }

    /// Drops all bands and chooses a height for these members.
    pub fn reset(&mut self, reach: f32, all: &[Lane<D>]) {
        self.rows.clear();
        self.free.clear();
        self.order.clear();
        self.height = self.choose(reach, all);
        self.built = Built {
            reach,
            members: all.len(),
            rows: 0,
        };
    }

    /// Notes that all members are in their bands.
    pub fn built(&mut self) {
        self.built.rows = self.order.len();
    }

    /// Whether reach, number or distribution of the members have become so different that a new
    /// height is worth a sort.
    pub fn is_unfit(&self, reach: f32, members: usize) -> bool {
        let (built, rows) = (self.built, self.order.len());
        if members < 2 * MEMBERS_PER_ROW {
            return false;
        }
        reach > 2.0 * built.reach
            || reach * 2.0 < built.reach
            || members > 4 * built.members
            || members * 4 < built.members
            || (rows > 2 * (members / MEMBERS_PER_ROW + 1) && rows > 2 * built.rows)
            || rows * 4 < built.rows
    }

    /// A height that follows the reach, raised until bands are worth their while; without a
    /// reach one that makes blocks about as wide as high.
    fn choose(&mut self, reach: f32, all: &[Lane<D>]) -> f64 {
        let stride = (all.len() / 1024).max(1);
        let sample: Vec<_> = all.iter().step_by(stride).map(|lane| lane.pos).collect();
        if sample.is_empty() {
            return f64::INFINITY;
        }
        let mut height = f64::from(reach) * HEIGHT_PER_REACH;
        if height == 0.0 || !height.is_finite() {
            let spread = (1..D).map(|axis| spread(&sample, axis)).fold(0.0, f64::max);
            let blocks = (all.len() as f64 / 24.0).max(1.0);
            height = spread / blocks.powf(1.0 / D as f64);
            if height == 0.0 {
                return f64::INFINITY;
            }
        }
        let most = all.len() / MEMBERS_PER_ROW + 1;
        let mut keys = Vec::with_capacity(sample.len());
        loop {
            self.height = height;
            keys.clear();
            keys.extend(sample.iter().map(|&at| self.key(at)));
            keys.sort_unstable();
            keys.dedup();
            // A sample in which most have a band to themselves does not show how many there are.
            if keys.len() <= most && (keys.len() * 2 <= sample.len() || stride == 1) {
                return height;
            }
            height *= 2.0;
        }
    }

    /// Blocks that can hold a position within `reach`, on every axis, of the box from `lo` to
    /// `hi`: a superset, in X order within each band.
    ///
    /// `reach` has to be [`widened`](super::view::widened), which makes up for the roundings here.
    pub fn near(&self, lo: [f32; D], hi: [f32; D], reach: f32) -> Near<'_, D> {
        let wide = f64::from(reach);
        let band = |axis: usize| {
            let steps = [f64::from(lo[axis]) - wide, f64::from(hi[axis]) + wide];
            steps.map(|y| self.step(y))
        };
        let bands = band(1);
        let slabs = if D == 2 { [0, 0] } else { band(D - 1) };
        Near {
            rows: self,
            place: self.place([slabs[0], bands[0]]),
            slabs,
            bands,
            x: [lo[0], hi[0]],
            reach,
            row: &[],
            keys: &[],
        }
    }

    /// Index of the first band that is not before `key`.
    fn place(&self, key: Key) -> usize {
        // Most bands lie side by side. Else a search without a branch that the processor cannot
        // foresee. Both together saved a tenth of a query.
        let first = self.order.first().map_or(0, |entry| entry.0[1]);
        let guess = key[1].wrapping_sub(first) as usize;
        if self.order.get(guess).is_some_and(|entry| entry.0 == key) {
            return guess;
        }
        self.order.partition_point(|&([slab, band], _)| {
            (slab < key[0]) | ((slab == key[0]) & (band < key[1]))
        })
    }
}

/// Middle nine tenths of the sample along an axis, so that a few far out do not count.
fn spread<const D: usize>(sample: &[[f32; D]], axis: usize) -> f64 {
    let mut along: Vec<_> = sample.iter().map(|at| at[axis]).collect();
    along.sort_unstable_by(f32::total_cmp);
    let edge = along.len() / 20;
    f64::from(along[along.len() - 1 - edge]) - f64::from(along[edge])
}

/// Iterator of [`Rows::near`].
pub(crate) struct Near<'a, const D: usize> {
    rows: &'a Rows<D>,
    place: usize,
    slabs: [i64; 2],
    bands: [i64; 2],
    x: [f32; 2],
    reach: f32,
    /// Rest of the band that is walked.
    row: &'a [u32],
    keys: &'a [f32],
}

impl<const D: usize> Iterator for Near<'_, D> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        loop {
            if let (Some((&block, row)), Some((&key, keys))) =
                (self.row.split_first(), self.keys.split_first())
            {
                if key - self.x[1] > self.reach {
                    self.row = &[];
                } else {
                    (self.row, self.keys) = (row, keys);
                    return Some(block);
                }
            }
            self.next_row()?;
        }
    }
}

impl<const D: usize> Near<'_, D> {
    /// Puts the next blocks into `out`, as far as there is room for some more; how many, and
    /// whether they were the last.
    ///
    /// Four at a time, of which some may not count: so most rows end without a branch that the
    /// processor cannot foresee, which saved a tenth of a query.
    #[inline(always)]
    pub fn fill<const N: usize>(&mut self, out: &mut [u32; N]) -> (usize, bool) {
        let mut full = 0;
        while let Some(room) = out[full..].first_chunk_mut::<4>() {
            if let (Some(&blocks), Some(&keys)) =
                (self.row.first_chunk::<4>(), self.keys.first_chunk::<4>())
            {
                *room = blocks;
                let near = keys.map(|key| usize::from(key - self.x[1] <= self.reach));
                full += near.iter().sum::<usize>();
                if near[3] == 1 {
                    (self.row, self.keys) = (&self.row[4..], &self.keys[4..]);
                    continue;
                }
                self.row = &[];
            } else if let (Some((&block, row)), Some((&key, keys))) =
                (self.row.split_first(), self.keys.split_first())
            {
                room[0] = block;
                if key - self.x[1] <= self.reach {
                    full += 1;
                    (self.row, self.keys) = (row, keys);
                    continue;
                }
                self.row = &[];
            }
            if self.next_row().is_none() {
                return (full, true);
            }
        }
        (full, false)
    }

    fn next_row(&mut self) -> Option<()> {
        loop {
            let &([slab, band], row) = self.rows.order.get(self.place)?;
            if slab > self.slabs[1] {
                return None;
            }
            if band < self.bands[0] {
                self.place = self.rows.place([slab, self.bands[0]]);
            } else if band > self.bands[1] {
                self.place = self.rows.place([slab.checked_add(1)?, self.bands[0]]);
            } else {
                self.place += 1;
                let (blocks, keys) = (self.rows.blocks(row), self.rows.keys(row));
                // A block is passed over if the next one begins too far below.
                let skip = keys[1..].partition_point(|&end| self.x[0] - end > self.reach);
                (self.row, self.keys) = (&blocks[skip..], &keys[skip..]);
                return Some(());
            }
        }
    }
}
