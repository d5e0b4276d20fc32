//! What is told: one message for each pair whose state changed, at most one per pair and update.

use bevy::prelude::*;

/// `target` has come into the view of `viewer`. Either may be gone again when it is read: if a system
/// despawned it after [`AoiSystems::Sync`](crate::AoiSystems::Sync), or if it is read in another schedule.
///
/// Within one update the messages are sorted by viewer, then target, by [`Entity`]'s `Ord`, which is not
/// the order of spawning; all [`LeaveView`]s of the update come before. When it is read, [`InView`](crate::InView),
/// [`SeenBy`](crate::SeenBy) and [`AoiIndex`](crate::AoiIndex) already have the new state. It is
/// triggered as an entity event on the viewer as well if that has [`AoiEvents`](crate::AoiEvents).
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_aoi::prelude::*;
/// fn wake(mut entered: MessageReader<EnterView>) {
///     for EnterView { viewer, target } in entered.read() {
///         println!("{viewer} wakes up: {target} is near");
///     }
/// }
/// # bevy::ecs::system::assert_is_system(wake);
/// ```
#[derive(Message, EntityEvent, Reflect, Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[reflect(Debug, Clone, PartialEq, Hash)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct EnterView {
    /// Who sees.
    #[event_target]
    pub viewer: Entity,
    /// Who is seen.
    pub target: Entity,
}

/// `target` has dropped out of the view of `viewer`.
///
/// Either may be gone by now; the ids are as they were. Order and state as in [`EnterView`].
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_aoi::prelude::*;
/// fn forget(mut left: MessageReader<LeaveView>) {
///     for LeaveView { viewer, target, reason } in left.read() {
///         if *reason == LeaveReason::Despawned {
///             println!("{viewer} will never see {target} again");
///         }
///     }
/// }
/// # bevy::ecs::system::assert_is_system(forget);
/// ```
#[derive(Message, EntityEvent, Reflect, Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[reflect(Debug, Clone, PartialEq, Hash)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct LeaveView {
    /// Who saw.
    #[event_target]
    pub viewer: Entity,
    /// Who was seen.
    pub target: Entity,
    /// Why the pair is no longer in view.
    pub reason: LeaveReason,
}

/// Why a pair dropped out of view. If several reasons hold it is the first of them in this order.
#[derive(Reflect, Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[reflect(Debug, Clone, PartialEq, Hash)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum LeaveReason {
    /// One of the two entities does not exist any more.
    Despawned,
    /// One of the two takes no part any more: [`AoiViewer`](crate::AoiViewer),
    /// [`AoiTarget`](crate::AoiTarget) or its position source was removed, it is `Disabled`, or its
    /// position is not finite.
    Removed,
    /// Space or layers no longer match, or the pin or `AlwaysInView` that held the pair is gone.
    Filtered,
    /// Too far away, or the viewer went blind.
    OutOfRange,
    /// Within reach, but [`max_targets`](crate::AoiViewer::max_targets) others are nearer.
    Evicted,
}

/// A viewer with [`ReportMoves`](crate::ReportMoves) has `target` in view, as before, and at least
/// one of the two stands elsewhere than at the last update.
///
/// Sorted by viewer, then target. Position is that on the plane: turning on the spot is no move.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_aoi::prelude::*;
/// fn forward(mut moves: MessageReader<MoveInView>) {
///     for MoveInView { viewer, target, moved } in moves.read() {
///         if *moved != Moved::Viewer {
///             println!("tell the client of {viewer} where {target} is now");
///         }
///     }
/// }
/// # bevy::ecs::system::assert_is_system(forward);
/// ```
#[derive(Message, Reflect, Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[reflect(Debug, Clone, PartialEq, Hash)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct MoveInView {
    /// Who sees.
    pub viewer: Entity,
    /// Who is seen.
    pub target: Entity,
    /// Which of the two moved.
    pub moved: Moved,
}

/// Which end of a pair moved.
#[derive(Reflect, Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[reflect(Debug, Clone, PartialEq, Hash)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum Moved {
    /// The viewer.
    Viewer,
    /// The target.
    Target,
    /// Both.
    Both,
}

/// `target`, in view of a viewer with [`AoiRings`](crate::AoiRings), is in another ring than at the
/// last update, or has just come into view. Sorted by viewer, then target.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_aoi::prelude::*;
/// fn detail(mut rings: MessageReader<RingChanged>) {
///     for RingChanged { viewer, target, ring } in rings.read() {
///         println!("{viewer} gets {target} at every {}th tick", 1 << ring.min(&8));
///     }
/// }
/// # bevy::ecs::system::assert_is_system(detail);
/// ```
#[derive(Message, Reflect, Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[reflect(Debug, Clone, PartialEq, Hash)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct RingChanged {
    /// Who sees.
    pub viewer: Entity,
    /// Who is seen.
    pub target: Entity,
    /// The ring it is in now, counted from 0, the innermost.
    pub ring: u8,
}

/// Triggered on a target with [`AoiSeenEvents`](crate::AoiSeenEvents): `viewer` has it in view now.
/// The same change as the [`EnterView`] of the pair.
#[derive(EntityEvent, Reflect, Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[reflect(Debug, Clone, PartialEq, Hash)]
pub struct Seen {
    /// Who is seen.
    #[event_target]
    pub target: Entity,
    /// Who sees.
    pub viewer: Entity,
}

/// Triggered on a target with [`AoiSeenEvents`](crate::AoiSeenEvents): `viewer` no longer has it in
/// view. The same change as the [`LeaveView`] of the pair.
#[derive(EntityEvent, Reflect, Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[reflect(Debug, Clone, PartialEq, Hash)]
pub struct Unseen {
    /// Who was seen.
    #[event_target]
    pub target: Entity,
    /// Who saw.
    pub viewer: Entity,
    /// Why the pair is no longer in view.
    pub reason: LeaveReason,
}
