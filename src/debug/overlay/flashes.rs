//! What has just come into view or dropped out of it, for a moment.

use bevy::{
    ecs::{entity::EntityHashMap, system::SystemParam},
    prelude::*,
};

use super::{
    AoiGizmos, AoiOverlay, AoiOverlayScope, ShowAoi,
    outlines::{Pen, cross, mark},
};
use crate::{AoiPlane, EnterView, LeaveView};

/// What is told.
#[derive(SystemParam)]
pub(super) struct Told<'w, 's> {
    entered: MessageReader<'w, 's, EnterView>,
    left: MessageReader<'w, 's, LeaveView>,
    marked: Query<'w, 's, (), With<ShowAoi>>,
}

/// The flashes that are seen at present.
#[derive(Default)]
pub(super) struct Flashes {
    flashes: Vec<Flash>,
    /// Where those that are drawn were in the last frame: who has left may be gone.
    places: EntityHashMap<Vec3>,
    /// The same in this frame.
    now: EntityHashMap<Vec3>,
}

struct Flash {
    viewer: Entity,
    target: Entity,
    /// Where the viewer is, or was when it was last there; none: unknown.
    from: Option<Vec3>,
    /// The same of the target.
    to: Vec3,
    enter: bool,
    size: f32,
    /// In seconds.
    age: f32,
}

impl Flashes {
    /// Notes where somebody is who is drawn in this frame.
    pub fn place(&mut self, entity: Entity, at: Vec3) {
        self.now.insert(entity, at);
    }

    /// Forgets everything; what was told meanwhile is not shown later.
    pub fn clear(&mut self, told: &mut Told) {
        self.flashes.clear();
        self.places.clear();
        self.now.clear();
        told.entered.clear();
        told.left.clear();
    }

    /// Makes a flash of what was told since the last frame, and lets older ones age by `seconds`.
    /// How many there was no room for.
    pub fn update(
        &mut self,
        overlay: &AoiOverlay,
        seconds: f32,
        told: &mut Told,
        place: impl Fn(Entity) -> Option<Vec3>,
        size: impl Fn(Entity) -> Option<f32>,
    ) -> usize {
        let lasts = overlay.flash.as_secs_f32();
        self.flashes.retain_mut(|flash| {
            flash.age += seconds;
            // Along with those it is about, for whoever is gone it stays.
            flash.from = place(flash.viewer).or(flash.from);
            flash.to = place(flash.target).unwrap_or(flash.to);
            flash.age < lasts
        });
        let unread = told.left.len() + told.entered.len();
        let pairs = (told
            .left
            .read()
            .map(|leave| (leave.viewer, leave.target, false)))
        .chain(
            told.entered
                .read()
                .map(|enter| (enter.viewer, enter.target, true)),
        );
        let room = overlay.limit.saturating_sub(self.flashes.len());
        let marked = &told.marked;
        let in_scope = |entity: Entity| match overlay.scope {
            AoiOverlayScope::Picked => overlay.picked == Some(entity),
            AoiOverlayScope::Marked => marked.contains(entity),
            AoiOverlayScope::All => true,
        };
        let mut pairs = pairs.filter(|&(viewer, target, _)| in_scope(viewer) || in_scope(target));
        let place = |entity: Entity| place(entity).or_else(|| self.places.get(&entity).copied());
        for (viewer, target, enter) in pairs.by_ref().take(room) {
            if let Some(to) = place(target) {
                self.flashes.push(Flash {
                    viewer,
                    target,
                    from: place(viewer),
                    to,
                    enter,
                    size: size(viewer).unwrap_or(1.0),
                    age: 0.0,
                });
            }
        }
        let cut = if overlay.scope == AoiOverlayScope::All {
            unread.saturating_sub(room)
        } else {
            pairs.count()
        };
        told.left.clear();
        told.entered.clear();
        core::mem::swap(&mut self.places, &mut self.now);
        self.now.clear();
        cut
    }

    pub fn draw(&self, overlay: &AoiOverlay, pen: &mut Pen, plane: AoiPlane, colors: &AoiGizmos) {
        let lasts = overlay.flash.as_secs_f32().max(f32::MIN_POSITIVE);
        for flash in &self.flashes {
            let time = (flash.age / lasts).min(1.0);
            let color = if flash.enter {
                colors.enter
            } else {
                colors.leave
            };
            let color = color.with_alpha(color.alpha() * (1.0 - time));
            if let Some(from) = flash.from {
                pen.line(from, flash.to, color);
            }
            if flash.enter {
                // Closes in.
                mark(pen, plane, flash.to, flash.size * (2.0 - time), color);
            } else {
                cross(pen, plane, flash.to, flash.size * (1.0 + time), color);
            }
        }
    }
}
