//! [`AoiSnapshot`]: what the panel shows, apart from the world it was taken from.

use bevy::{ecs::entity::EntityHashMap, platform::time::Instant, prelude::*};

use super::{
    history::History,
    log::Log,
    roster::{Histogram, Roster, Search, Seers},
};
use crate::{
    AoiBand, AoiBlock, AoiPlane, AoiRings, AoiSpace, AoiStats, AoiTarget, AoiViewer, Why, WhyNot,
};

/// What the [panel](crate::AoiPanelPlugin) shows, as of the end of the last frame. The plugin
/// fills it while [`AoiPanel::open`](crate::AoiPanel::open), with what the visible tab needs;
/// [`ui()`](crate::panel_ui) draws it.
#[derive(Resource, Default)]
pub struct AoiSnapshot {
    pub(crate) gathered: Option<Instant>,
    pub(crate) plane: Option<AoiPlane>,
    pub(crate) stats: AoiStats,
    pub(crate) history: History,
    pub(crate) log: Log,
    pub(crate) roster: Roster,
    pub(crate) histogram: Histogram,
    pub(crate) search: Search,
    pub(crate) seers: Seers,
    pub(crate) detail: Option<Detail>,
    /// Whether the picked sees the other, and the other the picked.
    pub(crate) pair: Option<[Answer; 2]>,
    pub(crate) lists: Lists,
    pub(crate) names: EntityHashMap<String>,
    #[cfg(feature = "overlay")]
    pub(crate) overlay: Option<crate::AoiOverlay>,
    /// Which entity the overlay was told of last.
    #[cfg(feature = "overlay")]
    pub(crate) overlaid: Option<Entity>,
}

impl AoiSnapshot {
    /// Whether there is anything in it.
    pub(crate) fn is_gathered(&self) -> bool {
        self.gathered.is_some()
    }

    /// The name of an entity and its id, or its id alone.
    pub(crate) fn label(&self, entity: Entity) -> String {
        match self.names.get(&entity) {
            Some(name) => format!("{name} ({entity})"),
            None => entity.to_string(),
        }
    }
}

/// The picked entity.
#[derive(Debug, Clone)]
pub(crate) struct Detail {
    pub entity: Entity,
    /// Why it takes no part, if so.
    pub absence: Option<String>,
    pub viewer: Option<AoiViewer>,
    pub target: Option<AoiTarget>,
    pub space: AoiSpace,
    pub always: bool,
    pub pins: usize,
    pub rings: Option<AoiRings>,
    /// As of the last update.
    pub position: Option<Vec3>,
    pub sees: Seen,
    pub seen_by: Seen,
}

/// One side of the view relation, nearest first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    /// The nearest of them.
    pub rows: Vec<Row>,
    /// How many there are.
    pub all: usize,
    /// How much was looked through, from 0 to 1.
    pub searched: f32,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    pub entity: Entity,
    pub distance: f32,
    pub ring: Option<u8>,
    pub why: Option<Why>,
}

/// Whether one sees another, and why or why not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Answer {
    pub viewer: Entity,
    pub target: Entity,
    pub distance: Option<f32>,
    pub answer: Result<Option<Why>, WhyNot>,
}

/// The structure of one space.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lists {
    /// When it was looked at.
    pub looked: Option<Instant>,
    /// Of which space, band and entity that was.
    pub of: (Option<AoiSpace>, Option<usize>, Option<Entity>),
    pub spaces: Vec<AoiSpace>,
    pub space: AoiSpace,
    /// The first of them.
    pub bands: Vec<AoiBand>,
    pub all_bands: usize,
    pub band: usize,
    /// The first of those in the band.
    pub blocks: Vec<AoiBlock>,
    /// The order along the axes of the plane around the picked entity.
    pub orders: Vec<Order>,
}

#[derive(Debug, Clone)]
pub(crate) struct Order {
    /// World axis.
    pub axis: usize,
    pub at: f32,
    /// Nearest first.
    pub before: Vec<(f32, Entity)>,
    pub after: Vec<(f32, Entity)>,
}
