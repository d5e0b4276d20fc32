//! A click in the world.

use crate::desk::{Desk, SIZE};
use bevy::{
    camera::{ComputedCameraValues, RenderTargetInfo},
    prelude::*,
};
use bevy_aoi::prelude::*;

/// On the right, where the panel is not: the camera of the desk draws a unit as a pixel.
const RIGHT: f32 = 300.0;

#[test]
fn picks_what_is_drawn_there() {
    let mut desk = Desk::new();
    let ann = desk.walker("Ann", RIGHT, 0.0, 50.0);
    let bob = desk.walker("Bob", RIGHT + 20.0, 0.0, 50.0);
    desk.settle();
    desk.click_world(RIGHT + 3.0, -4.0);
    assert_eq!(desk.panel().picked, Some(ann));
    desk.click_world(RIGHT + 13.0, 0.0);
    assert_eq!(desk.panel().picked, Some(bob), "it is nearer");
    desk.click_world(RIGHT, 200.0);
    assert_eq!(
        desk.panel().picked,
        Some(bob),
        "there is nobody, so it stays"
    );
}

#[test]
fn chooses_the_other_one() {
    let mut desk = Desk::new();
    let ann = desk.walker("Ann", RIGHT, 0.0, 50.0);
    let bob = desk.walker("Bob", RIGHT + 120.0, 0.0, 50.0);
    desk.panel().picked = Some(ann);
    desk.show(AoiTab::Entity);
    desk.click("choose the other");
    desk.click_world(RIGHT + 120.0, 0.0);
    assert_eq!(desk.panel().picked, Some(ann));
    assert_eq!(desk.panel().other, Some(bob));
    desk.must_read("too far away: distance 120.0 of 50.0");
}

#[test]
fn over_the_panel_it_is_for_the_panel() {
    let mut desk = Desk::new();
    let title = {
        desk.settle();
        desk.place_of("Area of interest", 0).center()
    };
    let (x, y) = (title.x - SIZE[0] / 2.0, SIZE[1] / 2.0 - title.y);
    desk.walker("Ann", x, y, 50.0);
    desk.settle();
    desk.click_world(x, y);
    assert_eq!(desk.panel().picked, None);
}

#[test]
fn a_drag_is_no_click() {
    let mut desk = Desk::new();
    desk.walker("Ann", RIGHT, 0.0, 50.0);
    desk.settle();
    let cursor = |x: f32| Some(Vec2::new(SIZE[0] / 2.0 + x, SIZE[1] / 2.0));
    desk.point(cursor(RIGHT - 90.0));
    desk.button(true);
    desk.point(cursor(RIGHT));
    desk.button(false);
    assert_eq!(desk.panel().picked, None);
    desk.panel().click = false;
    desk.click_world(RIGHT, 0.0);
    assert_eq!(desk.panel().picked, None, "clicks are switched off");
}

#[test]
fn through_a_lens_in_three_dimensions() {
    for plugin in [AoiPlugin::xz(), AoiPlugin::xyz()] {
        let mut desk = Desk::with(plugin);
        let [width, height] = SIZE;
        let world = desk.app.world_mut();
        let at = Transform::from_xyz(0.0, 40.0, 60.0).looking_at(Vec3::ZERO, Vec3::Y);
        world.entity_mut(desk.camera).insert(at);
        let computed = ComputedCameraValues {
            clip_from_view: Mat4::perspective_infinite_reverse_rh(0.8, width / height, 0.1),
            target_info: Some(RenderTargetInfo {
                physical_size: UVec2::new(width as u32, height as u32),
                scale_factor: 1.0,
            }),
            ..default()
        };
        world.get_mut::<Camera>(desk.camera).unwrap().computed = computed;
        // High above the ground, so that the ground below the cursor is somewhere else.
        let bird = desk.spawn((Transform::from_xyz(9.0, 15.0, 0.0), AoiTarget::default()));
        let stone = desk.spawn((Transform::from_xyz(9.0, 0.0, 0.0), AoiTarget::default()));
        desk.settle();
        // Nobody propagates the camera here but this.
        let world = desk.app.world_mut();
        let global = GlobalTransform::from(at);
        world.entity_mut(desk.camera).insert(global);
        for entity in [bird, stone] {
            let world = desk.app.world();
            let camera = world.get::<Camera>(desk.camera).unwrap();
            let place = world.get::<Transform>(entity).unwrap().translation;
            let drawn = camera.world_to_viewport(&global, place).unwrap();
            desk.click_world(drawn.x - width / 2.0 + 2.0, height / 2.0 - drawn.y);
            assert_eq!(desk.panel().picked, Some(entity));
        }
    }
}
