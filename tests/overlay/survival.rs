//! Whatever happens to the world and the set-up, the overlay draws what is left of it, or nothing.

use crate::{Screen, bare, log_lines::*, place};
use bevy::{
    asset::AssetPlugin,
    ecs::{entity_disabling::Disabled, schedule::Schedules},
    gizmos::GizmoPlugin,
    mesh::MeshPlugin,
    prelude::*,
};
use bevy_aoi::prelude::*;
use fastrand::Rng;

const ODD: [f32; 9] = [
    f32::NAN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::MAX,
    f32::MIN_POSITIVE,
    1e30,
    -1e30,
    0.0,
    1e-45,
];

#[test]
fn a_world_without_viewers_is_empty() {
    for scope in [
        AoiOverlayScope::All,
        AoiOverlayScope::Marked,
        AoiOverlayScope::Picked,
    ] {
        let mut screen = Screen::new(AoiPlugin::xyz());
        screen.overlay().scope = scope;
        screen.overlay().bands = true;
        screen.overlay().blocks = true;
        assert!(screen.frame().is_empty());
        assert_eq!(screen.overlay().cut, 0);
    }
}

#[test]
fn a_picked_entity_may_go_away() {
    let mut screen = Screen::new(AoiPlugin::xz());
    let picked = screen.spawn((place(Vec3::X), AoiViewer::new(10.0), AoiTarget::default()));
    screen.spawn((place(Vec3::ZERO), AoiTarget::default()));
    screen.spawn(place(Vec3::ZERO));
    screen.pick(picked);
    screen.overlay().bands = true;
    screen.overlay().flash = core::time::Duration::ZERO;
    assert_eq!(screen.frame().circles().len(), 2, "its view, and an enter");

    screen.app.world_mut().entity_mut(picked).insert(Disabled);
    screen.frame();
    assert!(screen.frame().is_empty(), "it takes no part");
    screen
        .app
        .world_mut()
        .entity_mut(picked)
        .remove::<Disabled>();
    assert!(!screen.frame().is_empty(), "it is back");

    let nowhere = place(Vec3::splat(f32::NAN));
    screen.app.world_mut().entity_mut(picked).insert(nowhere);
    screen.frame();
    assert!(screen.frame().is_empty(), "it is nowhere");
    screen
        .app
        .world_mut()
        .entity_mut(picked)
        .insert(place(Vec3::X));
    assert!(!screen.frame().is_empty());

    screen
        .app
        .world_mut()
        .entity_mut(picked)
        .remove::<AoiViewer>();
    screen.frame();
    assert_eq!(screen.frame().circles().len(), 0, "a target has no view");

    screen.app.world_mut().despawn(picked);
    screen.frame();
    assert!(screen.frame().is_empty(), "it is gone");
    for nobody in [Entity::PLACEHOLDER, Entity::from_raw_u32(77_000).unwrap()] {
        screen.pick(nobody);
        assert!(screen.frame().is_empty());
    }
    screen.overlay().picked = None;
    assert!(screen.frame().is_empty());
}

#[test]
fn odd_numbers_draw_nothing_that_is_not_finite() {
    for plugin in [AoiPlugin::xy, AoiPlugin::xz, AoiPlugin::xyz] {
        let mut screen = Screen::new(plugin());
        screen.overlay().limit = usize::MAX;
        screen.overlay().bands = true;
        screen.overlay().blocks = true;
        for odd in ODD {
            for other in ODD {
                for shape in [
                    ViewShape::Round,
                    ViewShape::Square,
                    ViewShape::Cylinder { half_height: other },
                    ViewShape::Box {
                        half: Vec3::new(odd, other, 1.0),
                    },
                ] {
                    let viewer = AoiViewer::new(odd)
                        .with_leave_margin(other)
                        .with_shape(shape);
                    screen.spawn((place(Vec3::new(3.0, 4.0, 5.0)), viewer));
                }
            }
            screen.spawn((place(Vec3::new(odd, 1.0, 2.0)), AoiTarget::default()));
            screen.spawn((place(Vec3::new(1.0, odd, 2.0)), AoiViewer::new(1.0)));
            screen.spawn((place(Vec3::new(1.0, 2.0, odd)), AoiViewer::new(1.0)));
        }
        for _ in 0..3 {
            let drawn = screen.frame();
            let ends = drawn.lines.iter().flat_map(|line| [line.0, line.1]);
            let points = drawn
                .strips
                .iter()
                .flat_map(|strip| strip.0.iter().copied());
            for point in ends.chain(points) {
                assert!(point.is_finite(), "{point}");
            }
        }
    }
}

#[test]
fn everything_off_draws_nothing_and_forgets_what_was_cut() {
    let mut screen = Screen::new(AoiPlugin::xz());
    for _ in 0..5 {
        screen.spawn((place(Vec3::ZERO), AoiViewer::new(10.0)));
    }
    screen.overlay().limit = 2;
    screen.frame();
    assert_eq!(screen.overlay().cut, 3);

    // When: by the switches, or by Bevy's own.
    screen.only(|_| {});
    assert!(screen.frame().is_empty());
    assert_eq!(screen.overlay().cut, 0);

    screen.overlay().shapes = true;
    assert!(!screen.frame().is_empty());
    let mut store = screen.app.world_mut().resource_mut::<GizmoConfigStore>();
    store.config_mut::<AoiGizmos>().0.enabled = false;
    assert!(screen.frame().is_empty());
    assert_eq!(screen.overlay().cut, 0);
}

#[test]
fn the_resource_is_marked_as_changed_only_when_it_is() {
    let mut screen = Screen::new(AoiPlugin::xz());
    for _ in 0..5 {
        screen.spawn((place(Vec3::ZERO), AoiViewer::new(10.0)));
    }
    screen.overlay().limit = 2;
    screen.frame();
    screen.app.world_mut().clear_trackers();
    screen.frame();
    assert!(!screen.app.world().is_resource_changed::<AoiOverlay>());
}

#[test]
fn without_gizmos_it_says_so_once() {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, AoiPlugin::xz(), AoiOverlayPlugin));
    app.finish();
    app.world_mut()
        .spawn((place(Vec3::ZERO), AoiViewer::new(10.0)));
    stay_on_this_thread(&mut app);
    let lines = warnings(|| (0..3).for_each(|_| app.update()));
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("GizmoPlugin"), "{lines:?}");
}

#[test]
fn without_the_plugin_it_says_so_once() {
    let mut app = bare();
    app.add_plugins(AoiOverlayPlugin);
    stay_on_this_thread(&mut app);
    let lines = warnings(|| (0..3).for_each(|_| app.update()));
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("AoiPlugin::xy()"), "{lines:?}");
}

#[test]
fn the_order_of_plugins_does_not_matter() {
    // Given: the overlay before all that it needs.
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, AoiOverlayPlugin));
    app.add_plugins(AssetPlugin::default());
    app.add_plugins((MeshPlugin, GizmoPlugin, AoiPlugin::xz()));
    // As the runner of an app does.
    app.finish();
    app.cleanup();
    let mut screen = Screen { app };
    screen.spawn((place(Vec3::ZERO), AoiViewer::new(10.0)));
    assert_eq!(screen.frame().circles().len(), 1);
}

#[test]
fn a_group_that_the_game_has_set_up_is_kept() {
    let mut app = bare();
    let colors = AoiGizmos {
        view: Color::WHITE,
        ..default()
    };
    app.insert_gizmo_config(colors.clone(), GizmoConfig::default());
    app.add_plugins((AoiPlugin::xz(), AoiOverlayPlugin));
    app.finish();
    let screen = Screen { app };
    assert_eq!(screen.colors(), colors);
}

#[test]
fn without_a_clock_a_flash_is_one_frame() {
    // Given: an app without Bevy's `TimePlugin`.
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), AssetPlugin::default()));
    app.add_plugins((MeshPlugin, GizmoPlugin, AoiPlugin::xz(), AoiOverlayPlugin));
    let mut screen = Screen { app };
    screen.only(|overlay| overlay.flashes = true);
    screen.spawn((place(Vec3::ZERO), AoiViewer::new(10.0)));
    screen.spawn((place(Vec3::ZERO), AoiTarget::default()));
    assert_eq!(screen.frame().circles().len(), 1);
    assert!(screen.frame().is_empty());
}

#[test]
fn no_system_of_the_overlay_is_in_an_ambiguous_order() {
    // Bevy's own gizmos leave some open, so those are counted without it.
    let conflicts = |overlay: bool| {
        let mut app = bare();
        app.add_plugins(AoiPlugin::xz());
        if overlay {
            app.add_plugins(AoiOverlayPlugin);
        }
        let world = app.world_mut();
        let mut schedules = world.resource_mut::<Schedules>();
        let mut schedule = schedules.remove(PostUpdate).unwrap();
        schedule.initialize(world).unwrap();
        schedule.graph().conflicting_systems().len()
    };
    assert_eq!(conflicts(true), conflicts(false));
}

#[test]
fn a_random_life_is_drawn_within_the_limit() {
    let seed = 0xd4a3;
    for plugin in [AoiPlugin::xy, AoiPlugin::xz, AoiPlugin::xyz] {
        let mut rng = Rng::with_seed(seed);
        let mut screen = Screen::new(plugin());
        let mut alive: Vec<Entity> = Vec::new();
        for frame in 0..300 {
            for _ in 0..rng.u32(..8) {
                let spot = Vec3::new(rng.f32(), rng.f32(), rng.f32()) * 60.0;
                let spot = if rng.u32(..20) == 0 {
                    Vec3::splat(ODD[rng.usize(..ODD.len())])
                } else {
                    spot
                };
                let half = Vec3::new(rng.f32(), rng.f32(), rng.f32()) * 20.0;
                let shapes = [
                    ViewShape::Round,
                    ViewShape::Square,
                    ViewShape::Cylinder { half_height: 4.0 },
                    ViewShape::Box { half },
                ];
                let viewer = AoiViewer::new(rng.f32() * 20.0)
                    .with_leave_margin(rng.f32())
                    .with_shape(shapes[rng.usize(..4)]);
                let some = rng.usize(..alive.len().max(1));
                let one = alive.get(some).copied();
                let world = screen.app.world_mut();
                match (rng.u32(..12), one) {
                    (0, Some(one)) => {
                        world.despawn(one);
                        alive.swap_remove(some);
                    }
                    (1, Some(one)) => drop(world.entity_mut(one).insert(Disabled)),
                    (2, Some(one)) => drop(world.entity_mut(one).remove::<Disabled>()),
                    (3, Some(one)) => drop(world.entity_mut(one).insert(ShowAoi)),
                    (4, Some(one)) => drop(world.entity_mut(one).remove::<AoiViewer>()),
                    (5, Some(one)) => drop(world.entity_mut(one).remove::<AoiTarget>()),
                    (6, Some(one)) => {
                        world.entity_mut(one).insert(AoiSpace(rng.u32(..3)));
                    }
                    (7, Some(one)) => {
                        let rings = AoiRings::from_iter([rng.f32() * 9.0, 9.0]);
                        world.entity_mut(one).insert((viewer, rings));
                    }
                    (8 | 9, Some(one)) => drop(world.entity_mut(one).insert(place(spot))),
                    _ => {
                        let parts = (place(spot), AoiTarget::default(), SeenBy::default());
                        let mut new = world.spawn(parts);
                        if rng.bool() {
                            new.insert(viewer);
                        }
                        alive.push(new.id());
                    }
                }
            }
            let picked = alive.get(rng.usize(..alive.len() + 1)).copied();
            let mut overlay = screen.overlay();
            if rng.u32(..10) == 0 {
                overlay.picked = picked;
                overlay.scope = [
                    AoiOverlayScope::All,
                    AoiOverlayScope::Marked,
                    AoiOverlayScope::Picked,
                ][rng.usize(..3)];
                overlay.limit = [0, 1, 7, 500][rng.usize(..4)];
                for switch in 0..5 {
                    let AoiOverlay {
                        shapes,
                        links,
                        flashes,
                        bands,
                        blocks,
                        ..
                    } = &mut *overlay;
                    *[shapes, links, flashes, bands, blocks][switch] = rng.bool();
                }
            }
            let limit = overlay.limit;
            let drawn = screen.frame();
            // A view has two outlines, a flash one, of three circles each at most; a frame is one.
            let strips = drawn.strips.len();
            assert!(
                strips <= (2 + 1) * 3 * limit + 2 * limit,
                "frame {frame} of seed {seed}: {strips} strips"
            );
            let ends = drawn.lines.iter().flat_map(|line| [line.0, line.1]);
            let points = drawn
                .strips
                .iter()
                .flat_map(|strip| strip.0.iter().copied());
            assert!(
                ends.chain(points).all(Vec3::is_finite),
                "frame {frame} of seed {seed}"
            );
        }
    }
}
