//! A wrong set-up is said in one line instead of silence.

use bevy::{ecs::schedule::InternedScheduleLabel, prelude::*};

use crate::{AoiPosition, AoiStats, AoiViewer};

/// Frames that a set-up may take to come to life.
const PATIENCE: u32 = 60;

pub(crate) fn plugin<P: AoiPosition>(app: &mut App, schedule: InternedScheduleLabel) {
    app.add_systems(
        Last,
        move |viewers: Query<(), With<AoiViewer>>,
              positions: Query<(), With<P>>,
              stats: Res<AoiStats>,
              mut idle: Local<Idle>| {
            if idle.said || viewers.is_empty() {
                idle.frames = 0;
                return;
            }
            let runs = stats.updates != core::mem::replace(&mut idle.updates, stats.updates);
            if runs && !positions.is_empty() {
                idle.frames = 0;
                return;
            }
            // A schedule that ran once may rest as long as it likes.
            if !runs && stats.updates != 0 {
                return;
            }
            idle.frames += 1;
            if idle.frames < PATIENCE {
                return;
            }
            idle.said = true;
            if runs {
                tracing::warn!(
                    "AoiPlugin: there are AoiViewers, but no entity has the position source `{}`; \
                     insert it (`GlobalTransform` comes with a `Transform`), or name another one with AoiPlugin::with_position",
                    core::any::type_name::<P>()
                );
            } else {
                tracing::warn!(
                    "AoiPlugin: there are AoiViewers, but AoiSystems have not run for {PATIENCE} \
                     frames; is the schedule {schedule:?} ever run?"
                );
            }
        },
    );
}

#[derive(Default)]
struct Idle {
    updates: u64,
    frames: u32,
    said: bool,
}
