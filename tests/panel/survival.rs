//! What could bring a panel down, and does not.

use crate::{
    desk::{Desk, app, camera},
    log_lines::{stay_on_this_thread, warnings},
};
use bevy::{
    camera::RenderTarget,
    ecs::{entity_disabling::Disabled, schedule::ScheduleLabel},
    prelude::*,
    window::WindowRef,
};
use bevy_aoi::prelude::*;
use bevy_egui::{EguiContext, EguiPlugin, EguiPrimaryContextPass, EguiSchedule};

const TABS: [AoiTab; 5] = [
    AoiTab::Overview,
    AoiTab::Entity,
    AoiTab::Log,
    AoiTab::Tune,
    AoiTab::Lists,
];

/// Draws all tabs, and reads a text in the one of the entity.
#[track_caller]
fn draws_all(desk: &mut Desk, in_entity: &str) {
    for tab in TABS {
        desk.show(tab);
        desk.must_read("Area of interest");
        desk.is_tidy();
        if tab == AoiTab::Entity {
            desk.must_read(in_entity);
        }
    }
}

#[test]
fn without_egui_one_line_says_so() {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, AoiPlugin::xy(), AoiPanelPlugin::default()));
    app.world_mut().resource_mut::<AoiPanel>().open = true;
    app.world_mut()
        .spawn((Transform::default(), AoiViewer::new(1.0)));
    let lines = warnings(|| {
        app.finish();
        app.cleanup();
        stay_on_this_thread(&mut app);
        for _ in 0..3 {
            app.update();
        }
    });
    assert_eq!(
        lines,
        ["AoiPanelPlugin shows nothing without egui: add bevy_egui::EguiPlugin to the app"]
    );
}

#[test]
fn without_the_plugin_itself_one_line_says_so() {
    let mut app = app();
    app.add_plugins((EguiPlugin::default(), AoiPanelPlugin::default()));
    // The game has something of its own to draw.
    app.add_systems(EguiPrimaryContextPass, || {});
    app.world_mut().resource_mut::<AoiPanel>().open = true;
    app.world_mut().spawn(camera());
    let lines = warnings(|| {
        app.finish();
        app.cleanup();
        stay_on_this_thread(&mut app);
        for _ in 0..3 {
            app.update();
        }
    });
    assert_eq!(
        lines,
        ["AoiPanelPlugin has nothing to show: add AoiPlugin to the app"]
    );
}

#[test]
fn no_camera_yet_and_none_any_more() {
    let mut app = app();
    app.add_plugins((
        AoiPanelPlugin::default(),
        AoiPlugin::xy(),
        EguiPlugin::default(),
    ));
    app.finish();
    app.cleanup();
    app.world_mut().resource_mut::<AoiPanel>().open = true;
    for _ in 0..3 {
        app.update();
    }
    let mut desk = Desk::of(app);
    desk.settle();
    desk.must_read("viewers");
    let camera = desk.camera;
    desk.app.world_mut().despawn(camera);
    desk.texts.clear();
    desk.settle();
    desk.click_world(300.0, 0.0);
    assert_eq!(desk.all(), "", "there is nothing to draw on");
}

#[test]
fn the_picked_entity_goes() {
    let mut desk = Desk::new();
    let ann = desk.walker("Ann", 0.0, 0.0, 50.0);
    let bob = desk.walker("Bob", 10.0, 0.0, 50.0);
    let mut panel = desk.panel();
    (panel.picked, panel.other) = (Some(ann), Some(bob));
    draws_all(&mut desk, "sees 1");
    desk.app.world_mut().entity_mut(ann).insert(Disabled);
    draws_all(&mut desk, "takes no part: it is disabled");
    desk.app.world_mut().entity_mut(ann).remove::<AoiViewer>();
    desk.app.world_mut().entity_mut(ann).remove::<AoiTarget>();
    draws_all(&mut desk, "it has neither AoiViewer nor AoiTarget");
    desk.app.world_mut().despawn(ann);
    draws_all(&mut desk, "takes no part: it does not exist any more");
    desk.app.world_mut().despawn(bob);
    draws_all(&mut desk, "the viewer does not exist");
    desk.panel().picked = Some(Entity::PLACEHOLDER);
    draws_all(&mut desk, "takes no part: it does not exist any more");
}

#[test]
fn nobody_at_all() {
    let mut desk = Desk::new();
    draws_all(&mut desk, "0 entities");
    desk.show(AoiTab::Overview);
    desk.must_read("No viewers: nothing sees, so nothing is told.");
}

#[test]
fn numbers_that_are_none() {
    let mut desk = Desk::new();
    let numbers = [
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        -1.0,
        1e38,
        1e-42,
    ];
    let mut all = Vec::new();
    for x in numbers {
        for radius in numbers {
            all.push(desk.walker("Odd", x, 0.0, radius));
        }
        let viewer = AoiViewer::new(5.0).with_leave_margin(x);
        all.push(desk.spawn((
            Transform::default(),
            viewer.with_shape(ViewShape::Cylinder { half_height: x }),
        )));
        all.push(desk.spawn((
            Transform::default(),
            viewer.with_shape(ViewShape::Box {
                half: Vec3::splat(x),
            }),
            AoiRings::from_iter([x]),
        )));
        all.push(desk.spawn((
            Transform::default(),
            AoiTarget::default().with_extra_range(x),
        )));
    }
    for pair in all.windows(2) {
        let mut panel = desk.panel();
        (panel.picked, panel.other) = (Some(pair[0]), Some(pair[1]));
        for tab in TABS {
            desk.panel().tab = tab;
            desk.frame(Vec::new());
        }
    }
    desk.panel().picked = Some(all[0]);
    draws_all(
        &mut desk,
        "takes no part: it has a position that is not finite",
    );
}

#[test]
fn a_window_that_is_gone() {
    let mut desk = Desk::new();
    let window = desk.spawn(Window::default());
    desk.panel().window = Some(window);
    desk.settle();
    assert_eq!(desk.all(), "", "nobody draws there");
    desk.app.world_mut().despawn(window);
    desk.settle();
    assert_eq!(desk.all(), "");
    desk.panel().window = None;
    desk.settle();
    desk.must_read("Area of interest");
}

#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
struct SecondPass;

#[test]
fn in_a_second_window() {
    let mut desk = Desk::new();
    let window = desk.spawn(Window::default());
    let second = desk.spawn((
        camera(),
        RenderTarget::Window(WindowRef::Entity(window)),
        EguiContext::default(),
        EguiSchedule::new(SecondPass),
    ));
    desk.app.init_schedule(SecondPass);
    desk.take_over(second);
    desk.settle();
    desk.must_read("Area of interest");
    desk.panel().window = Some(window);
    for _ in 0..4 {
        desk.frame_in(second, SecondPass, Vec::new());
    }
    desk.must_read("Area of interest");
    desk.settle();
    assert_eq!(desk.all(), "", "and no longer in the first one");
}
