//! The Tune tab: what is changed there is changed in the world.

use crate::desk::{Desk, app};
use bevy::{gizmos::GizmoPlugin, prelude::*};
use bevy_aoi::prelude::*;
use bevy_egui::{EguiPlugin, egui};

/// Ann is picked, and Bob 60 away.
fn ann() -> (Desk, Entity) {
    let mut desk = Desk::new();
    let ann = desk.walker("Ann", 0.0, 0.0, 50.0);
    desk.walker("Bob", 60.0, 0.0, 0.0);
    desk.panel().picked = Some(ann);
    desk.show(AoiTab::Tune);
    (desk, ann)
}

fn viewer(desk: &Desk, entity: Entity) -> AoiViewer {
    *desk.app.world().get::<AoiViewer>(entity).unwrap()
}

#[test]
fn a_slider_writes_the_radius_through() {
    let (mut desk, ann) = ann();
    desk.must_read("It has 0 in view.");
    // The slider is between its name and its number.
    let name = desk.place_of("radius", 0);
    let number = desk.place_of("50", 0);
    let y = name.center().y;
    let x = |share: f32| name.right() + 20.0 + (number.left() - name.right() - 40.0) * share;
    let mut last = 0.0;
    for share in [0.2, 0.5, 0.9] {
        desk.drag(egui::pos2(x(0.4), y), egui::pos2(x(share), y));
        let radius = viewer(&desk, ann).radius;
        assert!(radius > last, "{last}, then {radius}");
        last = radius;
    }
    assert!(last > 60.0);
    desk.must_read("It has 1 in view.");
    assert_eq!(viewer(&desk, ann).leave_margin, 0.0, "all else stays");
}

#[test]
fn a_number_is_typed() {
    let (mut desk, ann) = ann();
    desk.enter("50", "61.5");
    assert_eq!(viewer(&desk, ann).radius, 61.5);
    desk.must_read("It has 1 in view.");
    desk.enter("0.0", "7");
    assert_eq!(viewer(&desk, ann).leave_margin, 7.0);
}

#[test]
fn nonsense_cannot_be_entered() {
    for nonsense in ["NaN", "-5", "inf", "-inf", "1e99", "abc", ""] {
        let (mut desk, ann) = ann();
        desk.enter("50", nonsense);
        let radius = viewer(&desk, ann).radius;
        assert!(
            radius.is_finite() && radius >= 0.0,
            "{nonsense:?} became {radius}"
        );
    }
}

#[test]
fn what_makes_no_sense_is_shown_and_can_be_mended() {
    let (mut desk, ann) = ann();
    let world = desk.app.world_mut();
    let mut eyes = world.get_mut::<AoiViewer>(ann).unwrap();
    eyes.radius = f32::NAN;
    eyes.leave_margin = -3.0;
    desk.settle();
    desk.must_read("radius is NaN: the viewer is blind");
    desk.must_read("margin is -3.0: it counts as 0");
    assert!(
        viewer(&desk, ann).radius.is_nan(),
        "looking changes nothing"
    );
    desk.enter("0.0", "70");
    assert_eq!(viewer(&desk, ann).radius, 70.0);
    assert_eq!(viewer(&desk, ann).leave_margin, -3.0);
    desk.must_read("It has 1 in view.");
}

#[test]
fn no_bound_and_back() {
    let (mut desk, ann) = ann();
    desk.click("no bound");
    assert_eq!(viewer(&desk, ann).radius, f32::INFINITY);
    desk.must_read("It has 1 in view.");
    desk.click("no bound");
    assert_eq!(viewer(&desk, ann).radius, 50.0);
}

#[test]
fn a_cap_and_none() {
    let (mut desk, ann) = ann();
    desk.click("at most");
    assert_eq!(viewer(&desk, ann).max_targets, Some(10));
    desk.enter("10", "3");
    assert_eq!(viewer(&desk, ann).max_targets, Some(3));
    desk.click("at most");
    assert_eq!(viewer(&desk, ann).max_targets, None);
}

#[test]
fn the_shapes() {
    let (mut desk, ann) = ann();
    desk.click("square");
    assert_eq!(viewer(&desk, ann).shape, ViewShape::Square);
    desk.click("cylinder");
    let cylinder = |half_height| ViewShape::Cylinder { half_height };
    assert_eq!(viewer(&desk, ann).shape, cylinder(50.0));
    desk.enter("50.0", "8");
    assert_eq!(viewer(&desk, ann).shape, cylinder(8.0));
    desk.click("box");
    let half = |x| ViewShape::Box {
        half: Vec3::new(x, 50.0, 50.0),
    };
    assert_eq!(viewer(&desk, ann).shape, half(50.0));
    desk.enter("50.0", "65");
    assert_eq!(viewer(&desk, ann).shape, half(65.0));
    desk.must_read("It has 1 in view.");
    desk.is_tidy();
    desk.click("round");
    assert_eq!(viewer(&desk, ann).shape, ViewShape::Round);
}

#[test]
fn one_that_sees_nothing_has_nothing_to_tune() {
    let mut desk = Desk::new();
    let stone = desk.spawn((Transform::default(), AoiTarget::default()));
    desk.show(AoiTab::Tune);
    desk.must_read("No viewer is picked.");
    desk.panel().picked = Some(stone);
    desk.settle();
    desk.must_read("It has no AoiViewer");
    desk.click("Go to the list");
    assert_eq!(desk.panel().tab, AoiTab::Entity);
}

#[test]
fn an_edit_of_one_that_is_gone_does_nothing() {
    let mut world = World::new();
    let gone = world.spawn_empty().id();
    world.despawn(gone);
    let stone = world.spawn_empty().id();
    for entity in [gone, stone] {
        let viewer = AoiViewer::new(1.0);
        world.commands().queue(AoiEdit::Viewer { entity, viewer });
    }
    world.flush();
    assert!(!world.entity(stone).contains::<AoiViewer>());
}

#[test]
fn the_switches_of_the_overlay() {
    let mut app = app();
    app.add_plugins((
        GizmoPlugin,
        AoiPlugin::xy(),
        EguiPlugin::default(),
        AoiOverlayPlugin,
        AoiPanelPlugin::default(),
    ));
    let mut desk = Desk::of(app);
    let ann = desk.walker("Ann", 0.0, 0.0, 50.0);
    desk.show(AoiTab::Tune);
    let overlay = |desk: &Desk| desk.app.world().resource::<AoiOverlay>().clone();
    let before = overlay(&desk);
    desk.click("bands");
    desk.click("shapes");
    desk.click("marked");
    desk.enter("500", "20");
    let after = overlay(&desk);
    assert_eq!(
        after,
        AoiOverlay {
            bands: !before.bands,
            shapes: !before.shapes,
            scope: AoiOverlayScope::Marked,
            limit: 20,
            ..before
        }
    );
    desk.panel().picked = Some(ann);
    desk.settle();
    assert_eq!(overlay(&desk).picked, Some(ann), "both show the same one");
}

#[test]
fn without_the_overlay_there_are_no_switches() {
    let (desk, _) = ann();
    assert!(!desk.reads("Overlay"));
}
