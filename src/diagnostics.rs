//! [`AoiDiagnosticsPlugin`]: the figures of [`AoiStats`] as Bevy's diagnostics.

use bevy::{
    diagnostic::{Diagnostic, DiagnosticPath, Diagnostics, RegisterDiagnostic},
    ecs::schedule::InternedScheduleLabel,
    prelude::*,
};
use core::time::Duration;

use crate::{AoiIndex, AoiStats, AoiSystems, plugin::Runs};

/// Makes [`AoiStats`] known to Bevy's diagnostics, under `aoi/...`: one measurement per update of
/// the [`AoiPlugin`](crate::AoiPlugin), in whichever schedule that runs. Bevy's
/// `LogDiagnosticsPlugin` prints them, and whatever else shows diagnostics shows them.
///
/// Opt-in; may be added before or after `AoiPlugin`. Costs eleven measurements per update, of which
/// each can be switched off in Bevy's `DiagnosticsStore`.
///
/// ```
/// use bevy::{diagnostic::LogDiagnosticsPlugin, prelude::*};
/// use bevy_aoi::prelude::*;
///
/// App::new().add_plugins((
///     MinimalPlugins,
///     AoiPlugin::xz(),
///     AoiDiagnosticsPlugin,
///     LogDiagnosticsPlugin::default(),
/// ));
/// ```
pub struct AoiDiagnosticsPlugin;

impl AoiDiagnosticsPlugin {
    /// Members that are viewers ([`AoiStats::viewers`]).
    pub const VIEWERS: DiagnosticPath = DiagnosticPath::const_new("aoi/viewers");
    /// Members that are targets ([`AoiStats::targets`]).
    pub const TARGETS: DiagnosticPath = DiagnosticPath::const_new("aoi/targets");
    /// Pairs in view ([`AoiStats::pairs_in_view`]).
    pub const PAIRS_IN_VIEW: DiagnosticPath = DiagnosticPath::const_new("aoi/pairs_in_view");
    /// Members that moved in the update ([`AoiStats::moved`]).
    pub const MOVED: DiagnosticPath = DiagnosticPath::const_new("aoi/moved");
    /// Pairs that came into view in the update ([`AoiStats::entered`]).
    pub const ENTERED: DiagnosticPath = DiagnosticPath::const_new("aoi/entered");
    /// Pairs that dropped out of view in the update ([`AoiStats::left`]).
    pub const LEFT: DiagnosticPath = DiagnosticPath::const_new("aoi/left");
    /// Pairs whose distance was looked at in the update ([`AoiStats::pairs_tested`]).
    pub const PAIRS_TESTED: DiagnosticPath = DiagnosticPath::const_new("aoi/pairs_tested");
    /// Entities left out because their position is not finite ([`AoiStats::invalid_positions`]).
    pub const INVALID_POSITIONS: DiagnosticPath =
        DiagnosticPath::const_new("aoi/invalid_positions");
    /// Milliseconds spent in [`AoiSystems::Sync`] ([`AoiStats::sync`]).
    pub const SYNC: DiagnosticPath = DiagnosticPath::const_new("aoi/sync");
    /// Milliseconds spent in [`AoiSystems::Detect`] ([`AoiStats::detect`]).
    pub const DETECT: DiagnosticPath = DiagnosticPath::const_new("aoi/detect");
    /// Milliseconds spent in [`AoiSystems::Emit`] ([`AoiStats::emit`]).
    pub const EMIT: DiagnosticPath = DiagnosticPath::const_new("aoi/emit");
}

/// Each diagnostic with its unit and where its value comes from.
const ALL: [(DiagnosticPath, &str, fn(&AoiStats) -> f64); 11] = {
    type Plugin = AoiDiagnosticsPlugin;
    [
        (Plugin::VIEWERS, "", |stats| stats.viewers as f64),
        (Plugin::TARGETS, "", |stats| stats.targets as f64),
        (Plugin::PAIRS_IN_VIEW, "", |stats| {
            stats.pairs_in_view as f64
        }),
        (Plugin::MOVED, "", |stats| stats.moved as f64),
        (Plugin::ENTERED, "", |stats| stats.entered as f64),
        (Plugin::LEFT, "", |stats| stats.left as f64),
        (Plugin::PAIRS_TESTED, "", |stats| stats.pairs_tested as f64),
        (Plugin::INVALID_POSITIONS, "", |stats| {
            stats.invalid_positions as f64
        }),
        (Plugin::SYNC, "ms", |stats| milliseconds(stats.sync)),
        (Plugin::DETECT, "ms", |stats| milliseconds(stats.detect)),
        (Plugin::EMIT, "ms", |stats| milliseconds(stats.emit)),
    ]
};

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

impl Plugin for AoiDiagnosticsPlugin {
    fn build(&self, app: &mut App) {
        for (path, unit, _) in ALL {
            app.register_diagnostic(Diagnostic::new(path).with_suffix(unit));
        }
        match app.world().get_resource::<Runs>() {
            Some(&Runs { schedule, .. }) => measure_in(app, schedule),
            None => {
                app.add_systems(Startup, warn_if_alone);
            }
        }
    }
}

/// What the `AoiPlugin` does for diagnostics that were added before it.
pub(crate) fn plugin(app: &mut App, schedule: InternedScheduleLabel) {
    if app.is_plugin_added::<AoiDiagnosticsPlugin>() {
        measure_in(app, schedule);
    }
}

fn measure_in(app: &mut App, schedule: InternedScheduleLabel) {
    app.add_systems(schedule, measure.after(AoiSystems::Emit));
}

fn measure(stats: Res<AoiStats>, mut diagnostics: Diagnostics) {
    for (path, _, value) in &ALL {
        diagnostics.add_measurement(path, || value(&stats));
    }
}

fn warn_if_alone(index: Option<Res<AoiIndex>>) {
    if index.is_none() {
        tracing::warn!(
            "AoiDiagnosticsPlugin: there is nothing to measure, since no AoiPlugin was added; \
             add AoiPlugin::xy(), xz() or xyz()"
        );
    }
}
