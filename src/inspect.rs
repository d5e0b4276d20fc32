//! Looking into the index for a debug view: the spaces, the bands and blocks of each, the order
//! along an axis. Nothing of it is needed to play.

use bevy::prelude::*;

use crate::{
    AoiIndex, AoiPlane, AoiSpace,
    crosslink::{BandInfo, BlockInfo},
    index::{Spaces, with_store},
    store::{Either, Store},
};

/// A band of the structure of one space: all members between two lines across an axis of the
/// plane, in one list along x. See [`AoiIndex::bands`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AoiBand {
    /// Where the part of the world that belongs to it begins, bounds included; infinite on x, 0 on
    /// an axis off the plane. Whoever stands in that part is a member.
    pub lo: Vec3,
    /// Where it ends, likewise. The part stays as it is while members walk about in it.
    pub hi: Vec3,
    /// Least corner of a box around its members. The box lies in the part from [`lo`](Self::lo) to
    /// [`hi`](Self::hi), is no larger than they need, and never infinite.
    pub min: Vec3,
    /// Greatest corner of that box. It moves with the members that stand farthest out.
    pub max: Vec3,
    /// How many members it has; never 0.
    pub members: usize,
    /// How many blocks its list has; never 0.
    pub blocks: usize,
}

/// A block, a node of the list of a band: members that stand side by side. See
/// [`AoiIndex::blocks`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AoiBlock {
    /// Where the part of the world that belongs to it begins, bounds included; infinite at the
    /// ends of the list, 0 on an axis off the plane. On x it is where the block before it ends.
    pub lo: Vec3,
    /// Where it ends, likewise. On the other axes the part is that of its band.
    pub hi: Vec3,
    /// Least corner of a box around its members. The box lies in the part from [`lo`](Self::lo) to
    /// [`hi`](Self::hi), is no larger than they need, and never infinite: it is what the overlay draws.
    pub min: Vec3,
    /// Greatest corner of that box. It moves with the members that stand farthest out.
    pub max: Vec3,
    /// How many members it has; never 0.
    pub members: usize,
    /// How many it has room for.
    pub capacity: usize,
    /// Which of the [`bands`](AoiIndex::bands) it is in, counted from 0.
    pub band: usize,
}

/// For a debug view: how the structure holds its members, as of the last update.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_aoi::prelude::*;
///
/// fn print(index: Res<AoiIndex>) {
///     for space in index.spaces() {
///         for band in index.bands(space).take(100) {
///             println!("{} members in {} blocks", band.members, band.blocks);
///         }
///     }
/// }
/// # bevy::ecs::system::assert_is_system(print);
/// ```
impl AoiIndex {
    /// The spaces that have members, ascending.
    pub fn spaces(&self) -> impl Iterator<Item = AoiSpace> {
        let mut spaces: Vec<_> = with_store!(&self.spaces, |store| store.numbers().collect());
        spaces.sort_unstable_by_key(|space: &AoiSpace| space.0);
        spaces.into_iter()
    }

    /// The space that an entity took part in; none if it took no part. O(1).
    pub fn space_of(&self, entity: Entity) -> Option<AoiSpace> {
        with_store!(&self.spaces, |store| Some(
            store.number(store.place(entity)?)
        ))
    }

    /// Where an entity was at the last update, with 0 on an axis off the plane; none if it took no
    /// part. O(1).
    pub fn position(&self, entity: Entity) -> Option<Vec3> {
        with_store!(&self.spaces, |store| {
            let place = store.place(entity)?;
            let at = store.link(place).position(place.id)?;
            Some(store.unproject(at))
        })
    }

    /// The bands of a space, in order along the axes of the plane after x (z before y). Each costs
    /// a look at its blocks, and nothing is read ahead. An unknown space has none.
    pub fn bands(&self, space: impl Into<AoiSpace>) -> impl Iterator<Item = AoiBand> + '_ {
        let space = space.into();
        match &self.spaces {
            Spaces::Flat(store) => Either::A(store.bands(space)),
            Spaces::Deep(store) => Either::B(store.bands(space)),
        }
    }

    /// What there is of each band to draw: least and greatest corner. Cheaper than
    /// [`bands`](Self::bands).
    #[cfg(feature = "overlay")]
    pub(crate) fn band_boxes(&self, space: AoiSpace) -> impl Iterator<Item = [Vec3; 2]> + '_ {
        match &self.spaces {
            Spaces::Flat(store) => Either::A(store.band_boxes(space)),
            Spaces::Deep(store) => Either::B(store.band_boxes(space)),
        }
    }

    /// The blocks of a space, band by band, along x. Each costs O(1), and nothing is read ahead.
    pub fn blocks(&self, space: impl Into<AoiSpace>) -> impl Iterator<Item = AoiBlock> + '_ {
        let space = space.into();
        match &self.spaces {
            Spaces::Flat(store) => Either::A(store.blocks(space)),
            Spaces::Deep(store) => Either::B(store.blocks(space)),
        }
    }

    /// How many bands and how many blocks a space has. Costs a look at each band.
    pub fn count_bands_and_blocks(&self, space: impl Into<AoiSpace>) -> (usize, usize) {
        with_store!(&self.spaces, |store| store
            .space(space.into())
            .map_or((0, 0), |space| space.link.count_bands_and_blocks()))
    }

    /// Who comes after an entity in the order of its space along a world axis (0: x, 1: y, 2: z),
    /// nearest first, with their coordinates on it. Viewers and targets; those at one coordinate
    /// in a fixed order. The first one costs a look at each block, each further one a little. An
    /// entity that takes no part, an axis off the plane: nobody.
    pub fn walk_up(&self, entity: Entity, axis: usize) -> impl Iterator<Item = (f32, Entity)> + '_ {
        match &self.spaces {
            Spaces::Flat(store) => Either::A(store.walk(entity, axis, true)),
            Spaces::Deep(store) => Either::B(store.walk(entity, axis, true)),
        }
    }

    /// Who comes before an entity, likewise, nearest first.
    pub fn walk_down(
        &self,
        entity: Entity,
        axis: usize,
    ) -> impl Iterator<Item = (f32, Entity)> + '_ {
        match &self.spaces {
            Spaces::Flat(store) => Either::A(store.walk(entity, axis, false)),
            Spaces::Deep(store) => Either::B(store.walk(entity, axis, false)),
        }
    }
}

impl AoiPlane {
    /// The world axes that count, by number: 0 is x, 1 is y, 2 is z.
    pub const fn axes(self) -> &'static [usize] {
        match self {
            Self::Xy => &[0, 1],
            Self::Xz => &[0, 2],
            Self::Xyz => &[0, 1, 2],
        }
    }
}

impl<const D: usize> Store<D> {
    fn bands(&self, space: AoiSpace) -> impl Iterator<Item = AoiBand> + '_ {
        let bands = self.space(space).into_iter();
        bands
            .flat_map(|space| space.link.bands())
            .map(|band: BandInfo<D>| AoiBand {
                lo: self.unproject(band.span.map(|[from, _]| from)),
                hi: self.unproject(band.span.map(|[_, to]| to)),
                min: self.unproject(band.min),
                max: self.unproject(band.max),
                members: band.members,
                blocks: band.blocks,
            })
    }

    #[cfg(feature = "overlay")]
    fn band_boxes(&self, space: AoiSpace) -> impl Iterator<Item = [Vec3; 2]> + '_ {
        let boxes = self.space(space).into_iter();
        boxes
            .flat_map(|space| space.link.band_boxes())
            .map(|ends| [0, 1].map(|end| self.unproject(ends.map(|span| span[end]))))
    }

    fn blocks(&self, space: AoiSpace) -> impl Iterator<Item = AoiBlock> + '_ {
        let blocks = self.space(space).into_iter();
        blocks
            .flat_map(|space| space.link.blocks())
            .map(|block: BlockInfo<D>| AoiBlock {
                lo: self.unproject(block.span.map(|[from, _]| from)),
                hi: self.unproject(block.span.map(|[_, to]| to)),
                min: self.unproject(block.min),
                max: self.unproject(block.max),
                members: block.members,
                capacity: block.capacity,
                band: block.band,
            })
    }

    fn walk(
        &self,
        entity: Entity,
        axis: usize,
        up: bool,
    ) -> impl Iterator<Item = (f32, Entity)> + '_ {
        let place = self.place(entity);
        let axis = self.axes().iter().position(|&world| world == axis);
        let walk = place.zip(axis).map(|(place, axis)| {
            let space = &self.spaces[place.space as usize];
            let steps = if up {
                Either::A(space.link.walk_up(place.id, axis))
            } else {
                Either::B(space.link.walk_down(place.id, axis))
            };
            steps.map(|(at, id)| (at, space.entities[id as usize]))
        });
        walk.into_iter().flatten()
    }
}
