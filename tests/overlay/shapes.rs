//! The form of each view is drawn where it is, on each plane.

use crate::{Circle, Drawn, Screen, alike, place};
use bevy::prelude::*;
use bevy_aoi::prelude::*;

const AT: Vec3 = Vec3::new(30.0, -20.0, 7.0);

/// What is drawn for one viewer at `AT`.
fn shape(plugin: AoiPlugin, viewer: AoiViewer) -> (Drawn, AoiGizmos) {
    let mut screen = Screen::new(plugin);
    screen.spawn((place(AT), viewer));
    (screen.frame(), screen.colors())
}

fn assert_circle(circle: &Circle, center: Vec3, radius: f32, normal: Vec3, color: Color) {
    assert!(circle.center.distance(center) < 1e-3, "{circle:?}");
    assert!((circle.radius - radius).abs() < 1e-3, "{circle:?}");
    assert!((circle.normal - normal).length() < 1e-3, "{circle:?}");
    assert!(alike(circle.color, color), "{circle:?}");
}

#[test]
fn a_round_view_is_a_circle_on_the_plane() {
    let viewer = AoiViewer::new(50.0).with_leave_margin(5.0);
    for (plugin, normal) in [(AoiPlugin::xy(), Vec3::Z), (AoiPlugin::xz(), Vec3::Y)] {
        let (drawn, colors) = shape(plugin, viewer);
        let circles = drawn.circles();
        assert_eq!((circles.len(), drawn.strips.len()), (2, 2));
        assert_eq!(drawn.lines.len(), 0);
        assert_circle(&circles[0], AT, 55.0, normal, colors.margin);
        assert_circle(&circles[1], AT, 50.0, normal, colors.view);
        assert!(colors.margin.alpha() < colors.view.alpha(), "it is fainter");
    }
}

#[test]
fn a_round_view_is_a_sphere_in_space() {
    let viewer = AoiViewer::new(50.0).with_leave_margin(5.0);
    let (drawn, colors) = shape(AoiPlugin::xyz(), viewer);
    let circles = drawn.circles();
    assert_eq!(circles.len(), 6);
    for (axis, normal) in Vec3::AXES.into_iter().enumerate() {
        assert_circle(&circles[axis], AT, 55.0, normal, colors.margin);
        assert_circle(&circles[3 + axis], AT, 50.0, normal, colors.view);
    }
}

#[test]
fn a_square_view_is_a_frame() {
    let viewer = AoiViewer::new(10.0)
        .with_leave_margin(2.0)
        .with_shape(ViewShape::Square);
    for (plugin, extent, frames) in [
        (AoiPlugin::xy(), Vec3::new(1.0, 1.0, 0.0), 2),
        (AoiPlugin::xz(), Vec3::new(1.0, 0.0, 1.0), 2),
        (AoiPlugin::xyz(), Vec3::ONE, 2),
    ] {
        let (drawn, colors) = shape(plugin, viewer);
        let bounds = drawn.frames();
        assert_eq!(bounds.len(), frames);
        for ((min, max, color), (half, expected)) in bounds
            .into_iter()
            .zip([(12.0, colors.margin), (10.0, colors.view)])
        {
            assert_eq!(min, AT - extent * half);
            assert_eq!(max, AT + extent * half);
            assert!(alike(color, expected));
        }
    }
}

#[test]
fn a_box_has_its_own_extent_on_each_axis() {
    // Given: a box as flat as it gets on one axis, whatever the radius.
    let half = Vec3::new(10.0, 20.0, 30.0);
    let viewer = AoiViewer::new(0.0)
        .with_leave_margin(1.0)
        .with_shape(ViewShape::Box { half });
    for (plugin, axes) in [
        (AoiPlugin::xy(), Vec3::new(1.0, 1.0, 0.0)),
        (AoiPlugin::xz(), Vec3::new(1.0, 0.0, 1.0)),
        (AoiPlugin::xyz(), Vec3::ONE),
    ] {
        let (drawn, _) = shape(plugin, viewer);
        let bounds = drawn.frames();
        assert_eq!(bounds.len(), 2);
        assert_eq!(bounds[0].0, AT - axes * (half + 1.0));
        assert_eq!(bounds[0].1, AT + axes * (half + 1.0));
        assert_eq!(bounds[1].0, AT - axes * half);
        assert_eq!(bounds[1].1, AT + axes * half);
    }
}

#[test]
fn a_box_without_an_end_is_drawn_long_and_a_bad_one_flat() {
    let half = Vec3::new(f32::INFINITY, f32::NAN, -3.0);
    let viewer = AoiViewer::new(f32::NAN).with_shape(ViewShape::Box { half });
    let (drawn, _) = shape(AoiPlugin::xyz(), viewer);
    let (min, max, _) = drawn.frames()[0];
    assert!(min.is_finite() && max.is_finite());
    assert!(max.x - min.x > 1000.0);
    assert_eq!((max - min).yz(), Vec2::ZERO);

    // One that is longer than that is drawn as long as it is.
    let half = Vec3::splat(1e6);
    let viewer = viewer.with_shape(ViewShape::Box { half });
    let (drawn, _) = shape(AoiPlugin::xy(), viewer);
    assert_eq!(drawn.frames()[0].0.x, AT.x - 1e6);
}

#[test]
fn a_cylinder_stands_upright_in_space_and_is_a_circle_elsewhere() {
    let viewer = AoiViewer::new(8.0)
        .with_leave_margin(1.0)
        .with_shape(ViewShape::Cylinder { half_height: 3.0 });
    let (drawn, colors) = shape(AoiPlugin::xyz(), viewer);
    let circles = drawn.circles();
    assert_eq!((circles.len(), drawn.lines.len()), (4, 8));
    assert_circle(&circles[0], AT + 4.0 * Vec3::Y, 9.0, Vec3::Y, colors.margin);
    assert_circle(&circles[1], AT - 4.0 * Vec3::Y, 9.0, Vec3::Y, colors.margin);
    assert_circle(&circles[2], AT + 3.0 * Vec3::Y, 8.0, Vec3::Y, colors.view);
    assert_circle(&circles[3], AT - 3.0 * Vec3::Y, 8.0, Vec3::Y, colors.view);
    for side in [Vec3::X, Vec3::Z] {
        let foot = AT + side * 8.0;
        let sides = drawn.between(foot - 3.0 * Vec3::Y, foot + 3.0 * Vec3::Y);
        assert_eq!(sides.len(), 1);
    }

    for (plugin, normal) in [(AoiPlugin::xy(), Vec3::Z), (AoiPlugin::xz(), Vec3::Y)] {
        let (drawn, colors) = shape(plugin, viewer);
        let circles = drawn.circles();
        assert_eq!((circles.len(), drawn.lines.len()), (2, 0));
        assert_circle(&circles[1], AT, 8.0, normal, colors.view);
    }
}

#[test]
fn a_view_without_an_end_and_one_that_is_blind_have_no_shape() {
    let shapes = [
        ViewShape::Round,
        ViewShape::Square,
        ViewShape::Cylinder { half_height: 5.0 },
    ];
    for plugin in [AoiPlugin::xy, AoiPlugin::xz, AoiPlugin::xyz] {
        for radius in [0.0, -1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            for shape_of in shapes {
                let viewer = AoiViewer::new(radius)
                    .with_leave_margin(5.0)
                    .with_shape(shape_of);
                let (drawn, _) = shape(plugin(), viewer);
                assert!(drawn.is_empty(), "{viewer:?}: {drawn:?}");
            }
        }
    }
}

#[test]
fn a_margin_that_makes_no_sense_is_not_drawn() {
    for margin in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let viewer = AoiViewer::new(5.0).with_leave_margin(margin);
        let (drawn, colors) = shape(AoiPlugin::xz(), viewer);
        let circles = drawn.circles();
        assert_eq!(circles.len(), 1, "{margin}");
        assert_circle(&circles[0], AT, 5.0, Vec3::Y, colors.view);
    }
}

#[test]
fn a_position_of_the_games_own_has_its_height_from_the_transform() {
    #[derive(Component)]
    struct Cell(f32, f32);
    impl AoiPosition for Cell {
        fn position(&self) -> Vec3 {
            Vec3::new(self.0, 500.0, self.1)
        }
    }
    let mut screen = Screen::new(AoiPlugin::xz().with_position::<Cell>());
    screen.spawn((Cell(1.0, 2.0), AoiViewer::new(5.0)));
    let global = GlobalTransform::from_xyz(9.0, 3.0, 9.0);
    screen.spawn((Cell(4.0, 5.0), global, AoiViewer::new(5.0)));
    let circles = screen.frame().circles();
    assert_eq!(circles.len(), 2);
    let mut centers: Vec<_> = circles.iter().map(|circle| circle.center).collect();
    centers.sort_by(|a, b| a.x.total_cmp(&b.x));
    assert!(centers[0].distance(Vec3::new(1.0, 0.0, 2.0)) < 1e-3);
    assert!(centers[1].distance(Vec3::new(4.0, 3.0, 5.0)) < 1e-3);
}

#[test]
fn the_shape_moves_with_its_viewer_in_the_same_frame() {
    let mut screen = Screen::new(AoiPlugin::xy());
    let viewer = screen.spawn((place(AT), AoiViewer::new(5.0)));
    screen.frame();
    let world = screen.app.world_mut();
    world
        .entity_mut(viewer)
        .insert(place(Vec3::new(1.0, 2.0, 3.0)));
    let circles = screen.frame().circles();
    assert!(circles[0].center.distance(Vec3::new(1.0, 2.0, 3.0)) < 1e-4);
}
