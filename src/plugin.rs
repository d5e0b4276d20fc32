//! [`AoiPlugin`]: wiring only. What the systems do is in `sync.rs`, `detect.rs` and `emit.rs`.

use bevy::{
    ecs::schedule::{InternedScheduleLabel, ScheduleLabel},
    prelude::*,
    transform::TransformSystems,
};
use core::{any::TypeId, marker::PhantomData};

use crate::{
    AlwaysInView, AoiEvents, AoiIndex, AoiPins, AoiRings, AoiSeenEvents, AoiSpace, AoiStats,
    AoiTarget, AoiViewer, EnterView, InRings, InView, LeaveView, MoveInView, ReportMoves,
    RingChanged, SeenBy, checks, detect, diagnostics, emit, lifecycle, propagate, report, sync,
};

/// Keeps [`AoiIndex`] in step with the positions of [`AoiViewer`]s and [`AoiTarget`]s, and tells
/// with [`EnterView`] and [`LeaveView`] what changed.
///
/// One per app; a second one, also one with another source of positions, panics when it is added.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_aoi::prelude::*;
///
/// let mut app = App::new();
/// // On the ground, once per fixed timestep.
/// app.add_plugins((MinimalPlugins, AoiPlugin::xz().in_schedule(FixedPostUpdate)));
/// ```
///
/// World positions are current when the plugin reads them, in every schedule, and with or without
/// `TransformPlugin`: where Bevy does not propagate transforms before [`AoiSystems::Sync`], the
/// plugin does.
pub struct AoiPlugin<P: AoiPosition = GlobalTransform> {
    plane: AoiPlane,
    schedule: InternedScheduleLabel,
    position: PhantomData<fn(P)>,
}

impl AoiPlugin {
    /// Distances on x and y: two-dimensional games.
    pub fn xy() -> Self {
        Self::on(AoiPlane::Xy)
    }

    /// Distances on x and z, the ground of a three-dimensional game; height plays no part.
    pub fn xz() -> Self {
        Self::on(AoiPlane::Xz)
    }

    /// Distances in space.
    pub fn xyz() -> Self {
        Self::on(AoiPlane::Xyz)
    }

    fn on(plane: AoiPlane) -> Self {
        Self {
            plane,
            schedule: PostUpdate.intern(),
            position: PhantomData,
        }
    }
}

impl<P: AoiPosition> AoiPlugin<P> {
    /// Runs in this schedule instead of [`PostUpdate`]. With interpolated transforms use the fixed
    /// schedule: `PostUpdate` sees what is drawn, which depends on the frame rate.
    pub fn in_schedule(self, schedule: impl ScheduleLabel) -> Self {
        Self {
            schedule: schedule.intern(),
            ..self
        }
    }

    /// Takes positions from a component of the game's own instead of [`GlobalTransform`].
    pub fn with_position<Q: AoiPosition>(self) -> AoiPlugin<Q> {
        AoiPlugin {
            plane: self.plane,
            schedule: self.schedule,
            position: PhantomData,
        }
    }

    /// Whether the plugin has to propagate transforms itself.
    fn propagates(&self, app: &App) -> bool {
        TypeId::of::<P>() == TypeId::of::<GlobalTransform>()
            && !(self.schedule == PostUpdate.intern() && app.is_plugin_added::<TransformPlugin>())
    }
}

/// The world axes that distances are measured on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Reflect)]
#[reflect(Debug, Clone, PartialEq, Hash)]
pub enum AoiPlane {
    /// x and y.
    Xy,
    /// x and z.
    Xz,
    /// All three.
    Xyz,
}

/// A component that says where its entity is. [`GlobalTransform`] is one.
///
/// It is read when the component changed, by Bevy's change detection. What it gives is a position
/// in the world: parents are not applied.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_aoi::prelude::*;
///
/// #[derive(Component)]
/// struct Cell(i32, i32);
///
/// impl AoiPosition for Cell {
///     fn position(&self) -> Vec3 {
///         Vec3::new(self.0 as f32, self.1 as f32, 0.0)
///     }
/// }
///
/// App::new().add_plugins((MinimalPlugins, AoiPlugin::xy().with_position::<Cell>()));
/// ```
pub trait AoiPosition: Component {
    /// The position in world units. While a coordinate on the plane is NaN or infinite the entity
    /// takes no part.
    fn position(&self) -> Vec3;
}

impl AoiPosition for GlobalTransform {
    #[inline]
    fn position(&self) -> Vec3 {
        self.translation()
    }
}

/// The sets of the plugin's systems, chained in this order, in the schedule of the plugin
/// ([`PostUpdate`] unless [`AoiPlugin::in_schedule`] says otherwise).
///
/// Systems that move things belong before `Sync`, and in `PostUpdate` beside Bevy's
/// `TransformPlugin` before [`TransformSystems::Propagate`], which `Sync` runs after. Systems that
/// read the messages of this update belong after `Emit`. Systems that despawn belong before `Sync` or
/// after `Emit`: that an entity was despawned between them is noticed in the next update, which tells
/// what it meant, and what this one tells takes it for alive.
///
/// A run condition may hold back `Detect` and `Emit` only together: `Emit` writes what `Detect` found, so
/// `Detect` alone loses changes, and `Emit` alone writes them twice. `Sync` may run more often than they do.
///
/// Each has its work in a `tracing` span of its own, `aoi_sync`, `aoi_detect` and `aoi_emit`, which
/// profilers such as Tracy show; without a subscriber a span costs next to nothing.
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AoiSystems {
    /// What was spawned, moved, changed and removed reaches the [`AoiIndex`].
    Sync,
    /// The changes of the view relation are worked out.
    Detect,
    /// [`InView`] and [`SeenBy`] are brought up to date, then messages are written.
    Emit,
}

/// How the plugin runs.
#[derive(Resource, Clone, Copy)]
pub(crate) struct Runs {
    pub schedule: InternedScheduleLabel,
    /// Whether transforms are propagated here; known for sure when all plugins are added.
    propagates: bool,
}

impl<P: AoiPosition> Plugin for AoiPlugin<P> {
    fn build(&self, app: &mut App) {
        assert!(
            !app.world().contains_resource::<AoiIndex>(),
            "AoiPlugin was added twice: an app has one area-of-interest plugin, with one plane \
             and one source of positions. Use AoiSpace to keep worlds apart."
        );
        let propagates = self.propagates(app);
        app.insert_resource(AoiIndex::new(self.plane))
            .insert_resource(Runs {
                schedule: self.schedule,
                propagates,
            })
            .init_resource::<AoiStats>()
            .init_resource::<detect::Changes>()
            .add_message::<EnterView>()
            .add_message::<LeaveView>()
            .add_message::<MoveInView>()
            .add_message::<RingChanged>()
            .register_type::<AoiViewer>()
            .register_type::<AoiTarget>()
            .register_type::<AoiSpace>()
            .register_type::<AlwaysInView>()
            .register_type::<AoiPins>()
            .register_type::<AoiRings>()
            .register_type::<ReportMoves>()
            .register_type::<AoiEvents>()
            .register_type::<AoiSeenEvents>()
            .register_type::<InRings>()
            .register_type::<InView>()
            .register_type::<SeenBy>()
            .register_type::<EnterView>()
            .register_type::<LeaveView>()
            .register_type::<MoveInView>()
            .register_type::<RingChanged>()
            .register_type::<AoiStats>()
            .configure_sets(
                self.schedule,
                (AoiSystems::Sync, AoiSystems::Detect, AoiSystems::Emit)
                    .chain()
                    .after(TransformSystems::Propagate),
            )
            .add_systems(
                self.schedule,
                (
                    (
                        propagate::propagate.run_if(|runs: Res<Runs>| runs.propagates),
                        sync::sync::<P>,
                    )
                        .chain()
                        .in_set(AoiSystems::Sync),
                    detect::detect.in_set(AoiSystems::Detect),
                    (emit::emit, report::report_moves, report::report_rings)
                        // Entity events wait until all messages are written.
                        .chain_ignore_deferred()
                        .in_set(AoiSystems::Emit),
                ),
            );
        lifecycle::observe::<P>(app.world_mut());
        checks::plugin::<P>(app, self.schedule);
        diagnostics::plugin(app, self.schedule);
    }

    fn finish(&self, app: &mut App) {
        let propagates = self.propagates(app);
        app.world_mut().resource_mut::<Runs>().propagates = propagates;
    }
}
