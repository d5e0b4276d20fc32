//! The components: who sees, who can be seen, and what bends the rule for one entity.
//!
//! All are the game's but [`InView`], [`SeenBy`] and [`InRings`], which are the plugin's: read them.
//! The others may be inserted, removed and changed through `&mut` at any time; the next update tells
//! what it meant.
//!
//! Lists and ties are ordered by `Entity`'s `Ord`. That is a fixed order, but not that of spawning.

use bevy::prelude::*;
#[cfg(feature = "serialize")]
use bevy::reflect::prelude::{ReflectDeserialize, ReflectSerialize};
use smallvec::SmallVec;

use crate::lifecycle;

/// The entity sees: it is told which [`AoiTarget`]s come into its view and drop out of it.
///
/// Distances are in world units, measured on the plane of the [`AoiPlugin`](crate::AoiPlugin)
/// in `f32`. Every field may be changed at run time; the next update tells what follows from it.
/// Requires [`InView`]. Without the component that positions are taken from (`Transform`, unless
/// [`AoiPlugin::with_position`](crate::AoiPlugin::with_position) names another) the entity takes no
/// part.
///
/// ```
/// # use bevy_aoi::prelude::*;
/// let guard = AoiViewer::new(30.0).with_leave_margin(3.0).with_sees(0b10);
/// assert_eq!(guard.radius, 30.0);
/// ```
#[derive(Component, Reflect, Debug, Clone, Copy, PartialEq)]
#[component(on_remove = lifecycle::removed)]
#[reflect(Component, Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serialize", reflect(Serialize, Deserialize))]
#[require(InView)]
pub struct AoiViewer {
    /// A target comes into view at this distance, the bound included (plus its
    /// [`extra_range`](AoiTarget::extra_range)). Zero, negative or NaN: the viewer is blind.
    /// Infinite: it sees the whole space.
    pub radius: f32,
    /// A target in view stays in view for this much further, so that one that walks along the
    /// border does not flicker. Negative or NaN counts as 0.
    pub leave_margin: f32,
    /// The layers this viewer sees, all unless set: a target matches if `target.layers & viewer.sees != 0`.
    pub sees: u32,
    /// The form of the area around the viewer.
    pub shape: ViewShape,
    /// At most this many targets are in view by distance, the nearest first (straight distance on
    /// the plane, whatever the shape); `None`: no limit, `Some(0)`: none. Pinned targets and those
    /// always in view take no place. One inside yields only to one that is nearer by more than
    /// `leave_margin`. Such a viewer is judged against all in its reach whenever one of them moved, which
    /// takes about eight times as long as without a cap, and twenty times while more are in reach or it
    /// has pins.
    pub max_targets: Option<u32>,
}

impl AoiViewer {
    /// A viewer with a round area of `radius` world units that sees all layers.
    pub const fn new(radius: f32) -> Self {
        Self {
            radius,
            leave_margin: 0.0,
            sees: u32::MAX,
            shape: ViewShape::Round,
            max_targets: None,
        }
    }

    /// Sets [`leave_margin`](Self::leave_margin), in world units.
    pub const fn with_leave_margin(mut self, leave_margin: f32) -> Self {
        self.leave_margin = leave_margin;
        self
    }

    /// Sets the mask of layers that this viewer [`sees`](Self::sees).
    pub const fn with_sees(mut self, sees: u32) -> Self {
        self.sees = sees;
        self
    }

    /// Sets the [`shape`](Self::shape) of the area.
    pub const fn with_shape(mut self, shape: ViewShape) -> Self {
        self.shape = shape;
        self
    }

    /// Sets how many targets can be in view by distance ([`max_targets`](Self::max_targets)).
    pub const fn with_max_targets(mut self, max_targets: u32) -> Self {
        self.max_targets = Some(max_targets);
        self
    }
}

impl Default for AoiViewer {
    /// A blind viewer: radius 0.
    fn default() -> Self {
        Self::new(0.0)
    }
}

/// The form of the area in which a viewer sees. `r` is
/// `viewer.radius + target.extra_range`; every bound is inclusive.
#[derive(Reflect, Debug, Clone, Copy, PartialEq, Default)]
#[reflect(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum ViewShape {
    /// A circle of radius `r`, in [`AoiPlane::Xyz`](crate::AoiPlane::Xyz) a sphere.
    #[default]
    Round,
    /// A square that reaches `r` to each side, in `Xyz` a cube.
    Square,
    /// In `Xyz` an upright cylinder: a circle of radius `r` on x and z, and at most `half_height`
    /// up or down. On a two-dimensional plane a circle.
    Cylinder {
        /// Half of the height, in world units. Negative or NaN counts as 0.
        half_height: f32,
    },
    /// An axis-aligned box, for regions: at most `half` on each axis of the plane (plus the extra
    /// range). The radius plays no part: with a box also a radius of 0 sees.
    Box {
        /// Half of the extent on each world axis, in world units; an axis that is not on the
        /// plane is not looked at. Negative or NaN counts as 0.
        half: Vec3,
    },
}

/// The entity can be seen by viewers. Like [`AoiViewer`] it needs a position to take part.
///
/// ```
/// # use bevy_aoi::prelude::*;
/// // A lighthouse on layer 3, seen from 200 units further than other things.
/// let lighthouse = AoiTarget::default().with_layers(1 << 3).with_extra_range(200.0);
/// ```
#[derive(Component, Reflect, Debug, Clone, Copy, PartialEq)]
#[component(on_remove = lifecycle::removed)]
#[reflect(Component, Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serialize", reflect(Serialize, Deserialize))]
pub struct AoiTarget {
    /// The layers this target is on, default 1; see [`AoiViewer::sees`].
    pub layers: u32,
    /// How much further than others this target is seen from, in world units. Negative or NaN
    /// counts as 0.
    pub extra_range: f32,
}

impl AoiTarget {
    /// Sets the mask of [`layers`](Self::layers) this target is on.
    pub const fn with_layers(mut self, layers: u32) -> Self {
        self.layers = layers;
        self
    }

    /// Sets the [`extra_range`](Self::extra_range), in world units.
    pub const fn with_extra_range(mut self, extra_range: f32) -> Self {
        self.extra_range = extra_range;
        self
    }
}

impl Default for AoiTarget {
    fn default() -> Self {
        Self {
            layers: 1,
            extra_range: 0.0,
        }
    }
}

/// The space (map, instance, floor) an entity is in; without this component it is space 0. Only
/// entities of one space can see each other.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_aoi::prelude::*;
/// # let mut world = World::new();
/// let dungeon = AoiSpace(7);
/// world.spawn((Transform::default(), AoiTarget::default(), dungeon));
/// ```
#[derive(Component, Reflect, Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[component(on_remove = lifecycle::removed)]
#[reflect(Component, Debug, Clone, PartialEq, Hash, Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serialize", reflect(Serialize, Deserialize))]
pub struct AoiSpace(pub u32);

impl From<u32> for AoiSpace {
    fn from(space: u32) -> Self {
        Self(space)
    }
}

/// On a target: it is in view of every present viewer of its space whose layers match, at any
/// distance. For bosses, flags, the match clock. When it comes, goes or changes, all viewers of its
/// space are looked at.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_aoi::prelude::*;
/// # let mut world = World::new();
/// world.spawn((Transform::default(), AoiTarget::default(), AlwaysInView));
/// ```
#[derive(Component, Reflect, Debug, Clone, Copy, PartialEq, Eq, Default)]
#[component(on_remove = lifecycle::removed)]
#[reflect(Component, Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serialize", reflect(Serialize, Deserialize))]
pub struct AlwaysInView;

/// On a viewer: the targets listed are in view whenever both are present and in one space,
/// whatever distance and layers say. For my party, my pet, my quest target.
///
/// Pins to entities that are gone, do not exist yet, are no targets, or are listed twice do
/// nothing. A pin names an `Entity`: it does not pass on to one that takes its place.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_aoi::prelude::*;
/// # let mut world = World::new();
/// let pet = world.spawn((Transform::default(), AoiTarget::default())).id();
/// world.spawn((Transform::default(), AoiViewer::new(20.0), AoiPins::from_iter([pet])));
/// ```
#[derive(Component, Reflect, Debug, Clone, PartialEq, Eq, Default)]
#[component(on_remove = lifecycle::removed)]
#[reflect(Component, Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serialize", reflect(Serialize, Deserialize))]
pub struct AoiPins(#[entities] pub SmallVec<[Entity; 4]>);

impl FromIterator<Entity> for AoiPins {
    fn from_iter<I: IntoIterator<Item = Entity>>(targets: I) -> Self {
        Self(targets.into_iter().collect())
    }
}

/// On a viewer: its [`EnterView`](crate::EnterView) and [`LeaveView`](crate::LeaveView) messages
/// are also triggered as entity events on it, in the same order, after the messages of the update
/// were written. A viewer that was despawned has none any more.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_aoi::prelude::*;
/// # let mut world = World::new();
/// world
///     .spawn((Transform::default(), AoiViewer::new(20.0), AoiEvents))
///     .observe(|enter: On<EnterView>| println!("I see {}", enter.target));
/// ```
#[derive(Component, Reflect, Debug, Clone, Copy, PartialEq, Eq, Default)]
#[reflect(Component, Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serialize", reflect(Serialize, Deserialize))]
pub struct AoiEvents;

/// On a target: it is told, by the entity events [`Seen`](crate::Seen) and
/// [`Unseen`](crate::Unseen), who has come to see it and who sees it no more. In the order of the
/// messages, which were written before.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_aoi::prelude::*;
/// # let mut world = World::new();
/// world
///     .spawn((Transform::default(), AoiTarget::default(), AoiSeenEvents))
///     .observe(|seen: On<Seen>| println!("{} is looking at me", seen.viewer));
/// ```
#[derive(Component, Reflect, Debug, Clone, Copy, PartialEq, Eq, Default)]
#[reflect(Component, Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serialize", reflect(Serialize, Deserialize))]
pub struct AoiSeenEvents;

/// On a viewer: each update in which it or a target it has in view moved, it gets a
/// [`MoveInView`](crate::MoveInView) for the pair. What a server has to forward. Costs a look at
/// each pair of such viewers in each update in which anything moved.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_aoi::prelude::*;
/// # let mut world = World::new();
/// world.spawn((Transform::default(), AoiViewer::new(20.0), ReportMoves));
/// ```
#[derive(Component, Reflect, Debug, Clone, Copy, PartialEq, Eq, Default)]
#[reflect(Component, Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serialize", reflect(Serialize, Deserialize))]
pub struct ReportMoves;

/// On a viewer: rings around it, by their radii in world units, ascending. Each target in view is
/// in one ring, and a [`RingChanged`](crate::RingChanged) tells which when it enters and when that
/// changes. For update rates and levels of detail.
///
/// Ring k, counted from 0, is the first whose radius reaches the target; those beyond all are in
/// ring `len`. Radii that are NaN, not positive, or not above the one before are left out, and so
/// are those after the 255th. A target leaves its ring outward only when it is further than
/// the radius and [`leave_margin`](AoiViewer::leave_margin), so the border does not flicker.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_aoi::prelude::*;
/// # let mut world = World::new();
/// // Every tick up to 10, every fourth up to 30, every sixteenth beyond.
/// world.spawn((Transform::default(), AoiViewer::new(80.0), AoiRings::from_iter([10.0, 30.0])));
/// ```
#[derive(Component, Reflect, Debug, Clone, PartialEq, Default)]
#[reflect(Component, Debug, Clone, PartialEq, Default)]
#[require(InRings)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serialize", reflect(Serialize, Deserialize))]
pub struct AoiRings(pub SmallVec<[f32; 4]>);

impl FromIterator<f32> for AoiRings {
    fn from_iter<I: IntoIterator<Item = f32>>(radii: I) -> Self {
        Self(radii.into_iter().collect())
    }
}

/// In which ring the targets in view of a viewer with [`AoiRings`] are, as of the last update.
///
/// It belongs to the plugin, like [`InView`], and is neither cloned nor saved. Taken off, no ring is told
/// any more until [`AoiRings`] is inserted anew.
// Not reflected as a component: scenes would save it.
#[derive(Component, Reflect, Debug, Default, PartialEq, Eq)]
#[reflect(Debug, Default, PartialEq)]
#[component(clone_behavior = Ignore)]
pub struct InRings(#[reflect(ignore)] pub(crate) Vec<(Entity, u8)>);

impl InRings {
    /// The ring a target is in; none if it is not in view. O(log n).
    pub fn ring_of(&self, target: Entity) -> Option<u8> {
        let at = self.0.binary_search_by_key(&target, |ring| ring.0).ok()?;
        Some(self.0[at].1)
    }

    /// Targets in view with their rings, ascending by [`Entity`]'s `Ord`.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Entity, u8)> + '_ {
        self.0.iter().copied()
    }
}

macro_rules! entity_list {
    ($(#[$doc:meta])* $name:ident, $($event:ident = $hook:ident),+) => {
        $(#[$doc])*
        // Not reflected as a component: scenes would save it.
        #[derive(Component, Reflect, Debug, Default, PartialEq, Eq)]
        #[reflect(Debug, Default, PartialEq)]
        #[component(clone_behavior = Ignore, $($event = lifecycle::$hook),+)]
        pub struct $name(#[reflect(ignore)] pub(crate) SmallVec<[Entity; 2]>);

        impl $name {
            /// The entities, ascending by [`Entity`]'s `Ord`.
            pub fn iter(&self) -> impl ExactSizeIterator<Item = Entity> + DoubleEndedIterator + '_ {
                self.0.iter().copied()
            }

            /// Whether `entity` is in the list, in O(log n).
            pub fn contains(&self, entity: Entity) -> bool {
                self.0.binary_search(&entity).is_ok()
            }

            /// How many entities there are.
            pub fn len(&self) -> usize {
                self.0.len()
            }

            /// Whether there is none.
            pub fn is_empty(&self) -> bool {
                self.0.is_empty()
            }

            /// The entities, ascending by [`Entity`]'s `Ord`.
            pub fn as_slice(&self) -> &[Entity] {
                &self.0
            }
        }

        impl<'a> IntoIterator for &'a $name {
            type Item = Entity;
            type IntoIter = core::iter::Copied<core::slice::Iter<'a, Entity>>;

            fn into_iter(self) -> Self::IntoIter {
                self.0.iter().copied()
            }
        }
    };
}

entity_list! {
    /// Whom this viewer has in view, as of the last update. Comes with [`AoiViewer`].
    ///
    /// `Changed<InView>` fires only when the set changed. The list belongs to the plugin: it is
    /// neither cloned nor saved with the entity, and it stays, empty, when the viewer component is
    /// removed. It is also the snapshot for a client that joined late or lost its state.
    ///
    /// ```
    /// # use bevy::prelude::*;
    /// # use bevy_aoi::prelude::*;
    /// fn alarmed(guards: Query<(Entity, &InView), Changed<InView>>) {
    ///     for (guard, in_view) in &guards {
    ///         println!("{guard} now sees {} things", in_view.len());
    ///     }
    /// }
    /// # bevy::ecs::system::assert_is_system(alarmed);
    /// ```
    InView, on_discard = view_discarded
}

entity_list! {
    /// On a target, opt-in: which viewers have it in view, as of the last update.
    ///
    /// Insert `SeenBy::default()`, best with the target: later it takes a walk through all views to
    /// fill it at the next update. `Changed<SeenBy>` fires only when the set changed. It belongs to the plugin and is neither cloned nor saved.
    ///
    /// ```
    /// # use bevy::prelude::*;
    /// # use bevy_aoi::prelude::*;
    /// # let mut world = World::new();
    /// world.spawn((Transform::default(), AoiTarget::default(), SeenBy::default()));
    /// ```
    SeenBy, on_insert = seen_by_inserted, on_discard = seen_by_discarded
}
