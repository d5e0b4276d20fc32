//! [`AoiStats`]: what the last update did, always on.

use bevy::prelude::*;
use core::time::Duration;

/// Figures of the last update; complete after [`AoiSystems::Emit`](crate::AoiSystems::Emit).
/// Keeping them costs a few additions per update.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_aoi::prelude::*;
/// fn report(stats: Res<AoiStats>) {
///     println!("{} in view, +{} -{}", stats.pairs_in_view, stats.entered, stats.left);
/// }
/// # bevy::ecs::system::assert_is_system(report);
/// ```
// Not reflected as a resource: scenes would save it, and overwrite that of the app.
#[derive(Resource, Reflect, Debug, Clone, Default, PartialEq, Eq)]
#[reflect(Debug, Clone, Default, PartialEq)]
pub struct AoiStats {
    /// Updates since the plugin was added.
    pub updates: u64,
    /// Entities that take part.
    pub members: usize,
    /// Members that are viewers.
    pub viewers: usize,
    /// Members that are targets.
    pub targets: usize,
    /// Members whose position on the plane changed.
    pub moved: usize,
    /// Pairs of members whose distance was looked at.
    pub pairs_tested: u64,
    /// Pairs that came into view.
    pub entered: usize,
    /// Pairs that dropped out of view.
    pub left: usize,
    /// Pairs in view.
    pub pairs_in_view: usize,
    /// Entities that are left out at present because their position is not finite.
    pub invalid_positions: usize,
    /// Time spent in [`AoiSystems::Sync`](crate::AoiSystems::Sync), transform propagation not
    /// counted.
    pub sync: Duration,
    /// Time spent in [`AoiSystems::Detect`](crate::AoiSystems::Detect).
    pub detect: Duration,
    /// Time spent in [`AoiSystems::Emit`](crate::AoiSystems::Emit), without moves, rings and the
    /// entity events.
    pub emit: Duration,
}
