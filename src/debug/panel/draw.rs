//! Draws the panel into the egui context of its window.

use bevy::{
    ecs::schedule::{InternedScheduleLabel, ScheduleLabel, Schedules},
    platform::collections::HashSet,
    prelude::*,
};
use bevy_egui::{
    EguiContext, EguiPrimaryContextPass, EguiSchedule, PrimaryEguiContext, egui,
    input::WindowToEguiContextMap,
};

use super::{AoiPanel, AoiSnapshot};

type Contexts<'w, 's> = Query<
    'w,
    's,
    (
        Entity,
        &'static mut EguiContext,
        &'static EguiSchedule,
        Has<PrimaryEguiContext>,
    ),
>;

/// The context of a window, or the primary one, and the schedule it is drawn in.
fn context_of(
    window: Option<Entity>,
    contexts: &mut Contexts,
    windows: &WindowToEguiContextMap,
) -> Option<(egui::Context, InternedScheduleLabel)> {
    let of_window = |context, primary| match window {
        None => primary,
        Some(window) => windows.context_to_window.get(&context) == Some(&window),
    };
    contexts
        .iter_mut()
        .filter(|&(context, .., primary)| of_window(context, primary))
        // Several cameras may draw into one window.
        .min_by_key(|&(context, .., primary)| (!primary, context))
        .map(|(_, mut context, schedule, _)| (context.get_mut().clone(), schedule.0))
}

/// The system that draws the panel in a schedule, if its context is drawn in that.
pub(crate) fn draw_in(
    schedule: impl ScheduleLabel,
) -> impl FnMut(ResMut<AoiPanel>, Res<AoiSnapshot>, Contexts, Res<WindowToEguiContextMap>, Commands)
{
    let schedule = schedule.intern();
    move |mut panel, snapshot, mut contexts, windows, mut commands| {
        if panel.embedded || !snapshot.is_gathered() {
            return;
        }
        // Before there is a camera, and after it is gone, there is no context either.
        let context = context_of(panel.window, &mut contexts, &windows);
        let Some((context, _)) = context.filter(|(_, of)| *of == schedule) else {
            return;
        };
        let mut open = true;
        let area = context.content_rect();
        let shown = egui::Window::new("Area of interest")
            .id(egui::Id::new("bevy_aoi"))
            .open(&mut open)
            .default_pos(area.min + egui::vec2(12.0, 12.0))
            .default_size([590.0, (area.height() - 72.0).clamp(240.0, 660.0)])
            .min_width(590.0)
            .show(&context, |ui| super::ui(ui, &mut panel, &snapshot));
        if let Some(edits) = shown.and_then(|shown| shown.inner) {
            for edit in edits {
                commands.queue(edit);
            }
        }
        panel.open &= open;
    }
}

/// Draws in the schedule of another context, once the panel is wanted there.
pub(crate) fn follow_the_window(
    panel: Res<AoiPanel>,
    mut contexts: Contexts,
    windows: Res<WindowToEguiContextMap>,
    mut schedules: ResMut<Schedules>,
    mut known: Local<HashSet<InternedScheduleLabel>>,
) {
    if panel.window.is_none() {
        return;
    }
    let Some((_, schedule)) = context_of(panel.window, &mut contexts, &windows) else {
        return;
    };
    if schedule != EguiPrimaryContextPass.intern() && known.insert(schedule) {
        let is_open = |panel: Res<AoiPanel>| panel.open;
        schedules.add_systems(schedule, draw_in(schedule).run_if(is_open));
    }
}
