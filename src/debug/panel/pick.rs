//! A click in the world picks the entity that is drawn there.

use bevy::{
    camera::RenderTarget,
    prelude::*,
    window::{PrimaryWindow, WindowRef},
};
use bevy_egui::input::EguiWantsInput;

use super::AoiPanel;
use crate::{AoiIndex, AoiTarget, AoiViewer};

/// How far from the cursor an entity may be drawn, in logical pixels.
const REACH: f32 = 14.0;
/// How far the cursor may go between press and release for it to be a click, likewise.
const STEADY: f32 = 4.0;

/// Of some entities, the one that is drawn nearest to a point of the screen, and within a distance
/// of it, all in logical pixels; of those drawn at one point, the nearest to the camera. What is
/// behind the camera, beyond its planes or at no place that is a number is not drawn.
///
/// One look at each entity: it is asked once for each click, and so needs no structure, and is right
/// for every plane, projection and height.
pub(crate) fn nearest_drawn(
    clip_from_world: Mat4,
    viewport: Rect,
    point: Vec2,
    within: f32,
    entities: impl Iterator<Item = (Entity, Vec3)>,
) -> Option<Entity> {
    let mut best = None;
    let mut least = (within * within, 0.0);
    for (entity, at) in entities {
        let clip = clip_from_world * at.extend(1.0);
        let drawn = clip.truncate() / clip.w;
        if !(clip.w > 0.0 && (0.0..=1.0).contains(&drawn.z)) {
            continue;
        }
        let share = Vec2::new(drawn.x + 1.0, 1.0 - drawn.y) / 2.0;
        let away = (viewport.min + share * viewport.size()).distance_squared(point);
        // What is near has the greater depth.
        if away < least.0 || away == least.0 && (best.is_none() || drawn.z > least.1) {
            best = Some(entity);
            least = (away, drawn.z);
        }
    }
    best
}

pub(crate) fn click(
    buttons: Option<Res<ButtonInput<MouseButton>>>,
    wants: Res<EguiWantsInput>,
    index: Res<AoiIndex>,
    windows: Query<(Entity, &Window, Has<PrimaryWindow>)>,
    cameras: Query<(Entity, &Camera, &GlobalTransform, &RenderTarget)>,
    members: Query<(Entity, Option<&GlobalTransform>), Or<(With<AoiViewer>, With<AoiTarget>)>>,
    mut panel: ResMut<AoiPanel>,
    mut pressed: Local<Option<Vec2>>,
) {
    let Some(buttons) = buttons.filter(|_| panel.click) else {
        *pressed = None;
        return;
    };
    let window = windows
        .iter()
        .find(|&(window, _, primary)| panel.window.map_or(primary, |wanted| wanted == window));
    let Some((window, cursor)) =
        window.and_then(|(window, state, _)| Some((window, state.cursor_position()?)))
    else {
        return;
    };
    if buttons.just_pressed(MouseButton::Left) {
        *pressed = (!wants.wants_any_pointer_input()).then_some(cursor);
    }
    if !buttons.just_released(MouseButton::Left) {
        return;
    }
    let steady = |from: Vec2| from.distance(cursor) <= STEADY;
    if !pressed.take().is_some_and(steady) {
        return;
    }
    let draws_there = |target: &RenderTarget| match target {
        RenderTarget::Window(WindowRef::Primary) => {
            windows.get(window).is_ok_and(|(.., primary)| primary)
        }
        RenderTarget::Window(WindowRef::Entity(entity)) => *entity == window,
        _ => false,
    };
    let found = cameras
        .iter()
        .filter(|&(entity, camera, _, target)| {
            panel.camera.map_or(camera.is_active, |one| one == entity) && draws_there(target)
        })
        .filter_map(|(_, camera, at, _)| Some((camera, at, camera.logical_viewport_rect()?)))
        .filter(|(.., viewport)| viewport.contains(cursor))
        .max_by_key(|(camera, ..)| camera.order);
    let Some((camera, at, viewport)) = found else {
        return;
    };
    let clip_from_world = camera.clip_from_view() * at.to_matrix().inverse();
    let members = members.iter().filter_map(|(entity, at)| {
        let drawn = at.map(GlobalTransform::translation);
        Some((entity, drawn.or_else(|| index.position(entity))?))
    });
    if let Some(entity) = nearest_drawn(clip_from_world, viewport, cursor, REACH, members) {
        panel.choose(entity);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VIEWPORT: Rect = Rect {
        min: Vec2::new(100.0, 0.0),
        max: Vec2::new(900.0, 600.0),
    };

    fn entity(number: u32) -> Entity {
        Entity::from_raw_u32(number).unwrap()
    }

    fn picked(clip_from_world: Mat4, point: Vec2, places: &[Vec3]) -> Option<u32> {
        let places = places.iter().enumerate();
        let entities = places.map(|(number, &at)| (entity(number as u32), at));
        let entity = nearest_drawn(clip_from_world, VIEWPORT, point, 10.0, entities)?;
        Some(entity.index_u32())
    }

    /// A unit is a pixel, the origin in the middle, x to the right, y up.
    fn flat() -> Mat4 {
        let (half_width, half_height) = (400.0, 300.0);
        Mat4::orthographic_rh(
            -half_width,
            half_width,
            -half_height,
            half_height,
            1000.0,
            -1000.0,
        )
    }

    /// From a place to a point, a right angle upwards.
    fn deep(from: Vec3, to: Vec3) -> Mat4 {
        let lens =
            Mat4::perspective_infinite_reverse_rh(core::f32::consts::FRAC_PI_2, 4.0 / 3.0, 0.1);
        lens * Mat4::look_at_rh(from, to, Vec3::Y)
    }

    #[test]
    fn from_above_a_plane_the_nearest_in_reach() {
        let places = [
            Vec3::new(0.0, 0.0, 0.0),
            Vec3::new(6.0, 0.0, 3.0),
            Vec3::new(0.0, 200.0, 0.0),
        ];
        let middle = VIEWPORT.center();
        assert_eq!(picked(flat(), middle, &places), Some(0));
        assert_eq!(picked(flat(), middle + Vec2::X * 4.0, &places), Some(1));
        assert_eq!(picked(flat(), middle - Vec2::Y * 195.0, &places), Some(2));
        assert_eq!(picked(flat(), middle - Vec2::Y * 100.0, &places), None);
        assert_eq!(picked(flat(), middle + Vec2::Y * 200.0, &places), None);
    }

    #[test]
    fn through_a_lens_whatever_the_height() {
        let camera = deep(Vec3::new(0.0, 50.0, 50.0), Vec3::ZERO);
        let high = Vec3::new(0.0, 30.0, -20.0);
        // Aside of the middle by as much as it is deep is at the edge above and below.
        let places = [Vec3::ZERO, high];
        assert_eq!(picked(camera, VIEWPORT.center(), &places), Some(0));
        let up = VIEWPORT.center() - Vec2::Y * 300.0 * (20.0 / 90.0);
        assert_eq!(picked(camera, up, &places), None);
        let share = camera.project_point3(high);
        let drawn = VIEWPORT.min + Vec2::new(share.x + 1.0, 1.0 - share.y) / 2.0 * VIEWPORT.size();
        assert_eq!(picked(camera, drawn, &places), Some(1));
    }

    #[test]
    fn what_stands_in_front_hides_what_is_behind_it() {
        let camera = deep(Vec3::ZERO, Vec3::NEG_Z);
        let places = [9.0, 3.0, 6.0].map(|depth| Vec3::NEG_Z * depth);
        assert_eq!(picked(camera, VIEWPORT.center(), &places), Some(1));
    }

    #[test]
    fn what_is_not_drawn_is_not_picked() {
        let camera = deep(Vec3::ZERO, Vec3::NEG_Z);
        let nowhere = [Vec3::Z * 5.0, Vec3::ZERO, Vec3::NAN, Vec3::INFINITY];
        assert_eq!(picked(camera, VIEWPORT.center(), &nowhere), None);
        assert_eq!(picked(Mat4::NAN, VIEWPORT.center(), &[Vec3::NEG_Z]), None);
        assert_eq!(picked(Mat4::ZERO, VIEWPORT.center(), &[Vec3::NEG_Z]), None);
        assert_eq!(picked(camera, Vec2::NAN, &[Vec3::NEG_Z]), None);
    }
}
