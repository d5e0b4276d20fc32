//! However the plugin is put into an app, it does the same; and where it cannot work, it says so.
//!
//! Numbers are points of `docs/semantics.md`.

use crate::log_lines::{stay_on_this_thread, warnings};
use crate::world::{Game, Setup, at, silence};
use bevy::{
    ecs::{
        entity_disabling::Disabled,
        schedule::{LogLevel, ScheduleBuildSettings, ScheduleLabel, Schedules},
    },
    prelude::*,
};
use bevy_aoi::prelude::*;

/// A position of the game's own.
#[derive(Component)]
struct Spot(Vec3);

impl AoiPosition for Spot {
    fn position(&self) -> Vec3 {
        self.0
    }
}

/// A schedule that nobody runs.
#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
struct NeverRun;

#[test]
fn enter_and_leave_in_each_setup() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        let viewer = game.viewer(0.0, 0.0, 10.0);
        let target = game.target(20.0, 0.0);
        assert_eq!(game.tick(), silence(), "{setup:?}: out of range");

        game.move_to(target, 10.0, 0.0);
        assert_eq!(
            game.tick(),
            silence().enter(viewer, target),
            "{setup:?}: the position is that of this update, not of the one before"
        );
        assert_eq!(game.view(viewer), [target], "{setup:?}");
        assert_eq!(game.seen_by(target), [viewer], "{setup:?}");

        game.move_to(viewer, -5.0, 0.0);
        assert_eq!(
            game.tick(),
            silence().leave(viewer, target, LeaveReason::OutOfRange),
            "{setup:?}: in the same update"
        );
        assert_eq!(game.tick(), silence(), "{setup:?}: nothing happened");
    }
}

#[test]
fn each_plane_looks_at_its_axes() {
    for setup in Setup::ALL {
        for (plugin, seen) in [
            (AoiPlugin::xy(), [true, true, false]),
            (AoiPlugin::xz(), [true, false, true]),
            (AoiPlugin::xyz(), [true, true, true]),
        ] {
            let mut game = Game::new(setup, plugin);
            let viewer = game.viewer(0.0, 0.0, 5.0);
            let moved = [Vec3::X, Vec3::Y, Vec3::Z]
                .map(|axis| game.spawn((Transform::from_translation(axis), AoiTarget::default())));
            game.tick();
            assert_eq!(game.view(viewer).len(), 3, "{setup:?}: all are near");

            for (target, axis) in moved.into_iter().zip([Vec3::X, Vec3::Y, Vec3::Z]) {
                game.insert(target, Transform::from_translation(axis * 6.0));
            }
            game.tick();
            let left = moved.map(|target| !game.view(viewer).contains(&target));
            assert_eq!(left, seen, "{setup:?}: (1) only the plane's axes count");
        }
    }
}

/// Whether the sets after `Sync` run.
#[derive(Resource)]
struct Open(bool);

#[test]
fn sync_may_run_several_times_before_the_rest() {
    // Given a pair in view, and a game that can hold back `Detect` and `Emit`.
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, AoiPlugin::xz()))
        .insert_resource(Open(true))
        .configure_sets(
            PostUpdate,
            (AoiSystems::Detect, AoiSystems::Emit).run_if(|open: Res<Open>| open.0),
        );
    let world = app.world_mut();
    let viewer = world.spawn((at(0.0, 0.0), AoiViewer::new(5.0))).id();
    let target = world.spawn((at(1.0, 0.0), AoiTarget::default())).id();
    app.update();

    // When the target is disabled, and is back, in two updates of which nothing is told.
    app.insert_resource(Open(false));
    app.world_mut().entity_mut(target).insert(Disabled);
    app.update();
    app.world_mut().entity_mut(target).remove::<Disabled>();
    app.update();

    // Then nothing has changed (13, 14).
    app.insert_resource(Open(true));
    app.update();
    let stats = app.world().resource::<AoiStats>();
    let told = (stats.entered, stats.left, stats.pairs_in_view);
    assert_eq!(told, (0, 0, 1), "entered, left, in view");
    let view = app.world().get::<InView>(viewer).unwrap();
    assert_eq!(view.as_slice(), [target]);
}

#[test]
fn two_apps_do_not_mix() {
    // Given two apps in one process, on different planes, with the same ids in both.
    let mut flat = Game::new(Setup::Minimal, AoiPlugin::xy());
    let mut ground = Game::new(Setup::FixedTransforms, AoiPlugin::xz());
    let place = Transform::from_xyz(0.0, 8.0, 3.0);
    let spawn = |game: &mut Game| {
        let viewer = game.viewer(0.0, 0.0, 5.0);
        (viewer, game.spawn((place, AoiTarget::default())))
    };
    let (flat_viewer, flat_target) = spawn(&mut flat);
    let (ground_viewer, ground_target) = spawn(&mut ground);

    // When their updates come in turns, then each tells of its own world alone.
    assert_eq!(flat.tick(), silence(), "8 away on x and y");
    assert_eq!(
        ground.tick(),
        silence().enter(ground_viewer, ground_target),
        "3 away on x and z"
    );
    flat.insert(flat_target, Transform::from_xyz(0.0, 4.0, 9.0));
    ground.insert(ground_target, Transform::from_xyz(0.0, 4.0, 9.0));
    assert_eq!(
        ground.tick(),
        silence().leave(ground_viewer, ground_target, LeaveReason::OutOfRange)
    );
    assert_eq!(flat.tick(), silence().enter(flat_viewer, flat_target));
    ground.despawn(ground_target);
    assert_eq!(flat.tick(), silence());
    assert_eq!(ground.tick(), silence());
    assert_eq!(flat.view(flat_viewer), [flat_target]);
}

#[test]
fn a_full_world_is_taken_over_as_it_is() {
    for setup in Setup::ALL {
        // Given a world that has run for a while without the plugin.
        let mut app = App::new();
        app.add_plugins(MinimalPlugins);
        if setup == Setup::Transforms || setup == Setup::FixedTransforms {
            app.add_plugins(TransformPlugin);
        }
        let world = app.world_mut();
        let viewer = world.spawn((at(100.0, 0.0), AoiViewer::new(10.0))).id();
        let near = world.spawn((at(104.0, 0.0), AoiTarget::default())).id();
        let parent = world.spawn(at(100.0, 0.0)).id();
        let child = world
            .spawn((at(0.0, 5.0), AoiTarget::default(), ChildOf(parent)))
            .id();
        let hidden = world
            .spawn((at(101.0, 0.0), AoiTarget::default(), Disabled))
            .id();
        world.spawn((at(102.0, 0.0), AoiTarget::default(), AoiSpace(1)));
        let gone = world.spawn((at(100.0, 1.0), AoiTarget::default())).id();
        for _ in 0..3 {
            app.update();
        }
        app.world_mut().despawn(gone);

        // When the plugin is added.
        app.add_plugins(AoiPlugin::xz().in_schedule(setup.schedule()));

        // Then the next update tells what is in view, once.
        let mut game = Game::watch(app, setup.schedule());
        assert_eq!(
            game.tick(),
            silence().enter(viewer, near).enter(viewer, child),
            "{setup:?}"
        );
        assert_eq!(game.tick(), silence(), "{setup:?}");

        // And what was disabled all along comes into view like any other.
        game.remove::<Disabled>(hidden);
        assert_eq!(game.tick(), silence().enter(viewer, hidden), "{setup:?}");
    }
}

#[test]
fn transform_plugin_may_come_later() {
    for schedule in [PostUpdate.intern(), FixedPostUpdate.intern()] {
        // Given the plugin before Bevy's own propagation.
        let mut app = App::new();
        app.add_plugins((
            MinimalPlugins,
            AoiPlugin::xz().in_schedule(schedule),
            TransformPlugin,
        ));
        let mut game = Game::watch(app, schedule);
        let viewer = game.viewer(0.0, 0.0, 10.0);
        let parent = game.spawn(at(50.0, 0.0));
        let child = game.spawn((at(3.0, 0.0), AoiTarget::default(), ChildOf(parent)));
        assert_eq!(game.tick(), silence());

        // Then a child still moves with its parent in the same update (1).
        game.move_to(parent, 2.0, 0.0);
        assert_eq!(game.tick(), silence().enter(viewer, child), "{schedule:?}");
        game.move_to(parent, 20.0, 0.0);
        assert_eq!(
            game.tick(),
            silence().leave(viewer, child, LeaveReason::OutOfRange),
            "{schedule:?}"
        );
    }
}

/// Bevy keeps it apart from the other components, where it gives no columns of change ticks.
#[derive(Component)]
#[component(storage = "SparseSet")]
struct Beacon(f32);

impl AoiPosition for Beacon {
    fn position(&self) -> Vec3 {
        Vec3::new(self.0, 0.0, 0.0)
    }
}

#[test]
fn a_position_in_a_sparse_set() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz().with_position::<Beacon>());
        let viewer = game.spawn((Beacon(0.0), AoiViewer::new(10.0)));
        let target = game.spawn((Beacon(99.0), AoiTarget::default()));
        let idle = game.spawn((Beacon(50.0), AoiTarget::default()));
        assert_eq!(game.tick(), silence(), "{setup:?}: nobody is near");

        game.change(target, |beacon: &mut Beacon| beacon.0 = 9.0);
        assert_eq!(game.tick(), silence().enter(viewer, target), "{setup:?}");
        game.insert(idle, Beacon(1.0));
        assert_eq!(game.tick(), silence().enter(viewer, idle), "{setup:?}");
        assert_eq!(game.tick(), silence(), "{setup:?}: nothing happened");
    }
}

#[test]
fn a_position_of_the_games_own() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz().with_position::<Spot>());
        let spot = |x: f32| Spot(Vec3::new(x, 0.0, 0.0));
        let viewer = game.spawn((spot(0.0), AoiViewer::new(10.0)));
        let target = game.spawn((spot(10.0), AoiTarget::default(), SeenBy::default()));
        let elsewhere = game.spawn((spot(99.0), at(0.0, 0.0), AoiTarget::default()));
        let without = game.spawn((at(0.0, 0.0), AoiTarget::default()));
        assert_eq!(
            game.tick(),
            silence().enter(viewer, target),
            "{setup:?}: the transform plays no part, and without a `Spot` nobody takes part (2)"
        );

        game.change(target, |spot: &mut Spot| spot.0.x = 11.0);
        game.change(elsewhere, |spot: &mut Spot| spot.0.x = 9.0);
        assert_eq!(
            game.tick(),
            silence()
                .leave(viewer, target, LeaveReason::OutOfRange)
                .enter(viewer, elsewhere),
            "{setup:?}: moved through `&mut`"
        );

        game.insert(without, spot(1.0));
        game.remove::<Spot>(elsewhere);
        assert_eq!(
            game.tick(),
            silence()
                .leave(viewer, elsewhere, LeaveReason::Removed)
                .enter(viewer, without),
            "{setup:?}: the position source came and went (15, 16)"
        );

        game.change(without, |spot: &mut Spot| spot.0.z = f32::NAN);
        game.insert(elsewhere, spot(2.0));
        assert_eq!(
            game.tick(),
            silence()
                .leave(viewer, without, LeaveReason::Removed)
                .enter(viewer, elsewhere),
            "{setup:?}: not a place (2)"
        );
    }
}

#[test]
#[should_panic(expected = "plugin was already added")]
fn a_second_plugin_is_an_error() {
    App::new()
        .add_plugins(MinimalPlugins)
        .add_plugins(AoiPlugin::xz())
        .add_plugins(AoiPlugin::xy());
}

#[test]
#[should_panic(expected = "AoiPlugin")]
fn a_second_plugin_with_another_position_is_an_error() {
    App::new()
        .add_plugins(MinimalPlugins)
        .add_plugins(AoiPlugin::xz())
        .add_plugins(AoiPlugin::xz().with_position::<Spot>());
}

#[test]
fn no_system_of_ours_is_in_an_ambiguous_order() {
    for setup in Setup::ALL {
        for own_position in [false, true] {
            let mut game = if own_position {
                Game::new(setup, AoiPlugin::xyz().with_position::<Spot>())
            } else {
                Game::new(setup, AoiPlugin::xyz())
            };
            let mut schedules = game.world().resource_mut::<Schedules>();
            for (_, schedule) in schedules.iter_mut() {
                schedule.set_build_settings(ScheduleBuildSettings {
                    ambiguity_detection: LogLevel::Error,
                    hierarchy_detection: LogLevel::Error,
                    ..default()
                });
            }
            // A system of no interest makes the schedule be built anew, with these settings.
            game.app.add_systems(setup.schedule(), || {});

            let viewer = game.viewer(0.0, 0.0, 10.0);
            game.insert(viewer, Spot(Vec3::ZERO));
            game.tick();
        }
    }
}

#[test]
fn a_schedule_that_never_runs_is_told_once() {
    // Given the plugin in a schedule that nobody runs, and a viewer that waits.
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, AoiPlugin::xz().in_schedule(NeverRun)));
    app.world_mut().spawn((at(0.0, 0.0), AoiViewer::new(10.0)));
    stay_on_this_thread(&mut app);

    let early = warnings(|| (0..50).for_each(|_| app.update()));
    assert!(early.is_empty(), "it may still come: {early:?}");

    let late = warnings(|| (0..200).for_each(|_| app.update()));
    assert_eq!(late.len(), 1, "one line, once: {late:?}");
    assert!(
        late[0].contains("NeverRun"),
        "the line names the schedule: {late:?}"
    );
}

#[test]
fn a_position_that_nobody_has_is_told_once() {
    // Given a game that forgot to give its entities the position that it promised.
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, AoiPlugin::xz().with_position::<Spot>()));
    app.world_mut().spawn((at(0.0, 0.0), AoiViewer::new(10.0)));
    app.world_mut().spawn((at(1.0, 0.0), AoiTarget::default()));
    stay_on_this_thread(&mut app);

    let early = warnings(|| (0..50).for_each(|_| app.update()));
    assert!(early.is_empty(), "it may still come: {early:?}");

    let late = warnings(|| (0..200).for_each(|_| app.update()));
    assert_eq!(late.len(), 1, "one line, once: {late:?}");
    assert!(
        late[0].contains("Spot"),
        "the line names the component: {late:?}"
    );
}

#[test]
fn a_right_setup_writes_no_line() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        stay_on_this_thread(&mut game.app);
        let empty = warnings(|| {
            for _ in 0..150 {
                game.frame();
            }
        });
        assert!(empty.is_empty(), "{setup:?}: nobody is there: {empty:?}");

        let viewer = game.viewer(0.0, 0.0, 10.0);
        let target = game.target(1.0, 0.0);
        let resting = warnings(|| {
            for _ in 0..150 {
                game.frame();
            }
        });
        assert!(resting.is_empty(), "{setup:?}: all rest: {resting:?}");
        assert_eq!(game.view(viewer), [target], "{setup:?}");
    }
}

#[test]
fn slow_fixed_timesteps_write_no_line() {
    // Given frames that are much shorter than a timestep.
    for setup in Setup::FIXED {
        let mut game = Game::new(setup, AoiPlugin::xz());
        game.viewer(0.0, 0.0, 10.0);
        stay_on_this_thread(&mut game.app);
        let lines = warnings(|| {
            for _ in 0..5 {
                for _ in 0..40 {
                    assert!(game.timesteps(0).is_empty());
                }
                game.tick();
            }
        });
        assert!(lines.is_empty(), "{setup:?}: updates do run: {lines:?}");
    }
}

#[test]
fn many_viewers_without_targets() {
    // Given nobody to be seen, then nothing is told, and those who only see are not seen.
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        for i in 0..10 {
            game.viewer(i as f32, 0.0, 100.0);
        }
        assert_eq!(game.tick(), silence(), "{setup:?}");
        assert_eq!(game.stats().viewers, 10, "{setup:?}");
        assert_eq!(game.stats().targets, 0, "{setup:?}");
    }
}

/// What moves before `Sync` has moved when `Sync` reads it (1): the plugin's own propagation belongs
/// to the set, and does not run ahead of it.
#[test]
fn a_system_before_sync_is_in_time() {
    // Given: no other order than the set, in a schedule where the plugin propagates itself.
    for _ in 0..20 {
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, AoiPlugin::xz()));
        let leap = |mut transforms: Query<&mut Transform, With<AoiTarget>>| {
            for mut transform in &mut transforms {
                transform.translation.x += 100.0;
            }
        };
        app.add_systems(PostUpdate, leap.before(AoiSystems::Sync));
        let world = app.world_mut();
        let at = Transform::from_xyz(100.0, 0.0, 0.0);
        let viewer = world.spawn((at, AoiViewer::new(10.0))).id();
        let target = world
            .spawn((Transform::default(), AoiTarget::default()))
            .id();
        app.update();
        let view = app.world().get::<InView>(viewer).unwrap();
        assert_eq!(view.as_slice(), [target]);
    }
}
