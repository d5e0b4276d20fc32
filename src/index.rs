//! [`AoiIndex`]: the resource, and the queries.

use bevy::prelude::*;

use crate::{
    AoiPlane, AoiSpace,
    crosslink::Id,
    store::{Either, Store},
};

/// Where everybody was at the last update, for questions beside the view relation. Read-only, so
/// any number of systems may ask at once.
///
/// Answers are made of the [`AoiTarget`](crate::AoiTarget)s that took part in the last update, and do not see what
/// happened since. Points are world coordinates, of which those on the plane of the plugin count.
/// An unknown entity or space, a NaN coordinate, a negative or NaN radius: an empty answer.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_aoi::prelude::*;
///
/// #[derive(Component)]
/// struct Health(f32);
///
/// fn explode(index: Res<AoiIndex>, mut health: Query<&mut Health>) {
///     let at = Vec3::new(10.0, 0.0, -4.0);
///     for hit in index.within_radius(AoiSpace(0), at, 5.0) {
///         if let Ok(mut health) = health.get_mut(hit) {
///             health.0 -= 10.0;
///         }
///     }
/// }
/// # bevy::ecs::system::assert_is_system(explode);
/// ```
#[derive(Resource)]
pub struct AoiIndex {
    plane: AoiPlane,
    pub(crate) spaces: Spaces,
}

/// The spaces of a plane, or of a three-dimensional world.
pub(crate) enum Spaces {
    Flat(Store<2>),
    Deep(Store<3>),
}

/// Runs `$body` for the store, whatever its dimension.
macro_rules! with_store {
    ($spaces:expr, |$store:ident| $body:expr) => {
        match $spaces {
            $crate::index::Spaces::Flat($store) => $body,
            $crate::index::Spaces::Deep($store) => $body,
        }
    };
}
pub(crate) use with_store;

impl AoiIndex {
    pub(crate) fn new(plane: AoiPlane) -> Self {
        let spaces = match plane {
            AoiPlane::Xy => Spaces::Flat(Store::new([0, 1])),
            AoiPlane::Xz => Spaces::Flat(Store::new([0, 2])),
            AoiPlane::Xyz => Spaces::Deep(Store::new([0, 1, 2])),
        };
        Self { plane, spaces }
    }

    /// The plane that distances are measured on.
    pub fn plane(&self) -> AoiPlane {
        self.plane
    }

    /// How many entities take part.
    pub fn len(&self) -> usize {
        with_store!(&self.spaces, |store| store.members)
    }

    /// Whether nobody takes part.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether `entity` took part in the last update, as viewer or target.
    pub fn contains(&self, entity: Entity) -> bool {
        with_store!(&self.spaces, |store| store.place(entity).is_some())
    }

    /// Whether `entity` is left out because its position is not finite.
    pub(crate) fn is_invalid(&self, entity: Entity) -> bool {
        with_store!(&self.spaces, |store| store.invalid.contains(&entity))
    }

    /// Whether the end of `entity` would have to be noticed.
    pub(crate) fn knows(&self, entity: Entity) -> bool {
        with_store!(&self.spaces, |store| {
            store.place(entity).is_some() || store.invalid.contains(&entity)
        })
    }

    /// Targets within `radius` of `entity` in its space, bound included, without itself, in no
    /// particular order. O(log n) and what it passes.
    pub fn neighbors_in_radius(
        &self,
        entity: Entity,
        radius: f32,
    ) -> impl Iterator<Item = Entity> + '_ {
        self.filtered(None).neighbors_in_radius(entity, radius)
    }

    /// Targets within `radius` of a point, bound included, in no particular order. A number will do
    /// for the space. O(log n) and what it passes, like the other queries.
    pub fn within_radius(
        &self,
        space: impl Into<AoiSpace>,
        center: Vec3,
        radius: f32,
    ) -> impl Iterator<Item = Entity> + '_ {
        self.filtered(None).within_radius(space, center, radius)
    }

    /// Targets in an axis-aligned box, bounds included, in no particular order.
    pub fn within_box(
        &self,
        space: impl Into<AoiSpace>,
        min: Vec3,
        max: Vec3,
    ) -> impl Iterator<Item = Entity> + '_ {
        self.filtered(None).within_box(space, min, max)
    }

    /// The `k` targets nearest to a point, nearest first, ties by [`Entity`]'s `Ord`. Distances
    /// are compared as squares in `f32`.
    pub fn nearest(&self, space: impl Into<AoiSpace>, center: Vec3, k: usize) -> Vec<Entity> {
        self.filtered(None).nearest(space, center, k)
    }

    /// Viewers within `radius` of a point, bound included, in no particular order: who could hear
    /// a shout from there. Passes over targets as well.
    pub fn viewers_within(
        &self,
        space: impl Into<AoiSpace>,
        center: Vec3,
        radius: f32,
    ) -> impl Iterator<Item = Entity> + '_ {
        let space = space.into();
        match &self.spaces {
            Spaces::Flat(store) => Either::A(store.viewers_within(space, center, radius)),
            Spaces::Deep(store) => Either::B(store.viewers_within(space, center, radius)),
        }
    }

    /// The same queries among the targets with `layers & mask != 0`.
    ///
    /// ```
    /// # use bevy::prelude::*;
    /// # use bevy_aoi::prelude::*;
    /// const MONSTERS: u32 = 1 << 4;
    ///
    /// fn taunt(index: Res<AoiIndex>) {
    ///     let _nearest_two = index.in_layers(MONSTERS).nearest(AoiSpace(0), Vec3::ZERO, 2);
    /// }
    /// # bevy::ecs::system::assert_is_system(taunt);
    /// ```
    pub fn in_layers(&self, mask: u32) -> AoiQuery<'_> {
        self.filtered(Some(mask))
    }

    fn filtered(&self, mask: Option<u32>) -> AoiQuery<'_> {
        AoiQuery { index: self, mask }
    }
}

/// The queries of [`AoiIndex`] among some layers; made by [`AoiIndex::in_layers`].
#[derive(Clone, Copy)]
pub struct AoiQuery<'a> {
    index: &'a AoiIndex,
    mask: Option<u32>,
}

impl<'a> AoiQuery<'a> {
    /// See [`AoiIndex::neighbors_in_radius`].
    pub fn neighbors_in_radius(
        self,
        entity: Entity,
        radius: f32,
    ) -> impl Iterator<Item = Entity> + 'a {
        match &self.index.spaces {
            Spaces::Flat(store) => Either::A(store.neighbors(entity, radius, self.mask)),
            Spaces::Deep(store) => Either::B(store.neighbors(entity, radius, self.mask)),
        }
    }

    /// See [`AoiIndex::within_radius`].
    pub fn within_radius(
        self,
        space: impl Into<AoiSpace>,
        center: Vec3,
        radius: f32,
    ) -> impl Iterator<Item = Entity> + 'a {
        let space = space.into();
        match &self.index.spaces {
            Spaces::Flat(store) => Either::A(store.in_radius(space, center, radius, self.mask)),
            Spaces::Deep(store) => Either::B(store.in_radius(space, center, radius, self.mask)),
        }
    }

    /// See [`AoiIndex::within_box`].
    pub fn within_box(
        self,
        space: impl Into<AoiSpace>,
        min: Vec3,
        max: Vec3,
    ) -> impl Iterator<Item = Entity> + 'a {
        let space = space.into();
        match &self.index.spaces {
            Spaces::Flat(store) => Either::A(store.in_box(space, min, max, self.mask)),
            Spaces::Deep(store) => Either::B(store.in_box(space, min, max, self.mask)),
        }
    }

    /// See [`AoiIndex::nearest`].
    pub fn nearest(self, space: impl Into<AoiSpace>, center: Vec3, k: usize) -> Vec<Entity> {
        with_store!(&self.index.spaces, |store| {
            let Some(space) = store.space(space.into()) else {
                return Vec::new();
            };
            let entity = |id: Id| space.entities[id as usize];
            space
                .link
                .nearest_targets(store.project(center), k, self.mask, entity)
        })
    }
}
