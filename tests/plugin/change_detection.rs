//! `InView` and `SeenBy`: what they list, and when they count as changed (25).
//!
//! That the lists are sorted, agree with the messages and with each other, and that `Changed` fires
//! for exactly those whose set changed, is checked at each update of every test that uses
//! `support/world.rs`. Here it is told what that means. Numbers in brackets are points of
//! `docs/semantics.md`.

use crate::world::{Game, Setup, at, silence};
use bevy::{
    ecs::{entity_disabling::Disabled, query::Allow},
    prelude::*,
};
use bevy_aoi::prelude::*;

/// Those whose lists a game's own system found changed since it last ran.
#[derive(Resource, Default, Debug, PartialEq)]
struct Changes {
    views: Vec<Entity>,
    watchers: Vec<Entity>,
}

fn find_changes(
    views: Query<Entity, (Changed<InView>, Allow<Disabled>)>,
    watchers: Query<Entity, (Changed<SeenBy>, Allow<Disabled>)>,
    mut changes: ResMut<Changes>,
) {
    changes.views.extend(&views);
    changes.watchers.extend(&watchers);
    changes.views.sort_unstable();
    changes.watchers.sort_unstable();
}

/// A game with [`find_changes`] after the plugin.
fn game(setup: Setup) -> Game {
    let mut game = Game::new(setup, AoiPlugin::xz());
    game.app
        .init_resource::<Changes>()
        .add_systems(setup.schedule(), find_changes.after(AoiSystems::Emit));
    game
}

/// Runs an update; whose `InView` and whose `SeenBy` changed in it.
fn changed(game: &mut Game) -> (Vec<Entity>, Vec<Entity>) {
    *game.world().resource_mut::<Changes>() = Changes::default();
    game.tick();
    let changes = core::mem::take(&mut *game.world().resource_mut::<Changes>());
    (changes.views, changes.watchers)
}

fn nobody() -> (Vec<Entity>, Vec<Entity>) {
    (vec![], vec![])
}

#[test]
fn only_those_whose_set_changed() {
    for setup in Setup::ALL {
        let mut game = game(setup);
        let a = game.viewer(0.0, 0.0, 10.0);
        let b = game.viewer(100.0, 0.0, 10.0);
        let near_a = game.target(1.0, 0.0);
        let near_b = game.target(101.0, 0.0);
        changed(&mut game);
        assert_eq!(changed(&mut game), nobody(), "{setup:?}: nothing happened");

        // Walking within the view changes no set.
        for step in 0..5 {
            game.move_to(near_a, 1.0 + step as f32, 0.0);
            game.move_to(b, 100.0, step as f32);
            assert_eq!(changed(&mut game), nobody(), "{setup:?}: step {step}");
        }
        game.move_to(near_a, 50.0, 0.0);
        assert_eq!(changed(&mut game), (vec![a], vec![near_a]), "{setup:?}");
        game.move_to(near_a, 102.0, 0.0);
        assert_eq!(changed(&mut game), (vec![b], vec![near_a]), "{setup:?}");
        assert_eq!(game.view(b).len(), 2, "{setup:?}");

        // One out, one in: the number is the same, the set is not.
        game.move_to(near_a, 500.0, 0.0);
        let newcomer = game.target(99.0, 0.0);
        let (views, watchers) = changed(&mut game);
        assert_eq!(views, [b], "{setup:?}");
        assert!(watchers.contains(&near_a), "{setup:?}");
        assert!(!watchers.contains(&near_b), "{setup:?}");
        assert_eq!(game.seen_by(newcomer), [b], "{setup:?}");
        game.despawn(newcomer);
        assert_eq!(changed(&mut game), (vec![b], vec![]), "{setup:?}");

        // Touched, inserted again, disabled and enabled: no set changed by that.
        game.insert(a, AoiViewer::new(10.0));
        game.insert(near_b, (AoiTarget::default(), AoiSpace(0)));
        game.change(b, |viewer: &mut AoiViewer| viewer.radius = 9.0);
        game.insert(b, Disabled);
        game.remove::<Disabled>(b);
        assert_eq!(changed(&mut game), nobody(), "{setup:?}");
    }
}

#[test]
fn those_who_left_the_game_too() {
    for setup in Setup::ALL {
        let mut game = game(setup);
        let viewer = game.viewer(0.0, 0.0, 10.0);
        let target = game.target(1.0, 0.0);
        let spare = game.target(2.0, 0.0);
        changed(&mut game);

        game.insert(target, Disabled);
        assert_eq!(
            changed(&mut game),
            (vec![viewer], vec![target]),
            "{setup:?}: the list of one that is disabled is emptied, and that is a change"
        );
        assert_eq!(game.seen_by(target), [], "{setup:?}");
        game.remove::<AoiTarget>(spare);
        assert_eq!(
            changed(&mut game),
            (vec![viewer], vec![spare]),
            "{setup:?}: and of one that can be seen no more"
        );
        game.remove::<Disabled>(target);
        changed(&mut game);
        game.remove::<AoiViewer>(viewer);
        assert_eq!(
            changed(&mut game),
            (vec![viewer], vec![target]),
            "{setup:?}: and of one that sees no more"
        );
        assert_eq!(changed(&mut game), nobody(), "{setup:?}");
    }
}

#[test]
fn lists_are_sorted() {
    // Given many viewers and targets with old and new indices, moving about.
    let mut game = Game::xz();
    let mut rng = fastrand::Rng::with_seed(25);
    let mut all: Vec<Entity> = Vec::new();
    for _ in 0..30 {
        all.push(game.spawn((
            at(rng.f32() * 30.0, rng.f32() * 30.0),
            AoiViewer::new(12.0),
            AoiTarget::default(),
            SeenBy::default(),
        )));
    }
    for _ in 0..50 {
        let slot = rng.usize(..all.len());
        game.despawn(all[slot]);
        all[slot] = game.spawn((
            at(rng.f32() * 30.0, rng.f32() * 30.0),
            AoiViewer::new(12.0),
            AoiTarget::default(),
            SeenBy::default(),
        ));
        game.tick();
        for &entity in &all {
            for list in [game.view(entity), game.seen_by(entity)] {
                assert!(
                    list.is_sorted_by(|a, b| a < b),
                    "sorted, each once: {list:?}"
                );
            }
            // All see equally far, so seeing is mutual.
            assert_eq!(game.view(entity), game.seen_by(entity));
        }
    }
}

#[test]
fn seen_by_added_later_is_filled() {
    for setup in Setup::ALL {
        let mut game = game(setup);
        let a = game.viewer(0.0, 0.0, 10.0);
        let b = game.viewer(1.0, 0.0, 10.0);
        let target = game.spawn((at(2.0, 0.0), AoiTarget::default()));
        game.tick();
        let mut viewers = [a, b];
        viewers.sort_unstable();

        game.insert(target, SeenBy::default());
        assert_eq!(
            game.tick(),
            silence(),
            "{setup:?}: it is filled without a word (25)"
        );
        assert_eq!(game.seen_by(target), viewers, "{setup:?}");
        assert_eq!(changed(&mut game), nobody(), "{setup:?}: filled once");

        // And once more, with changes in the same update.
        game.remove::<SeenBy>(target);
        assert_eq!(game.tick(), silence(), "{setup:?}: nobody asked");
        game.insert(target, SeenBy::default());
        game.move_to(a, 90.0, 0.0);
        let c = game.viewer(3.0, 0.0, 10.0);
        game.tick();
        let mut viewers = [b, c];
        viewers.sort_unstable();
        assert_eq!(game.seen_by(target), viewers, "{setup:?}");

        // One that is disabled is seen by nobody, and filled when it is back.
        game.insert(target, Disabled);
        game.remove::<SeenBy>(target);
        game.tick();
        game.insert(target, SeenBy::default());
        game.tick();
        assert_eq!(game.seen_by(target), [], "{setup:?}");
        game.remove::<Disabled>(target);
        game.tick();
        assert_eq!(game.seen_by(target), viewers, "{setup:?}");

        // On one that is no target it is empty, and no harm.
        let stone = game.spawn((at(0.0, 0.0), SeenBy::default()));
        game.tick();
        assert_eq!(game.seen_by(stone), [], "{setup:?}");
        game.insert(stone, AoiTarget::default());
        game.tick();
        assert_eq!(game.seen_by(stone), viewers, "{setup:?}");
    }
}

#[test]
fn a_list_that_was_overwritten_is_filled_again() {
    // The reader of `support/world.rs` would call the game's own write a change, so it is not used.
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, AoiPlugin::xz()));
    let world = app.world_mut();
    let viewer = world.spawn((at(0.0, 0.0), AoiViewer::new(10.0))).id();
    let target = world
        .spawn((at(1.0, 0.0), AoiTarget::default(), SeenBy::default()))
        .id();
    app.update();
    app.world_mut().entity_mut(target).insert(SeenBy::default());
    app.update();
    let list = app.world().get::<SeenBy>(target).unwrap();
    assert_eq!(list.as_slice(), [viewer], "added later is added later (25)");
}

#[test]
fn a_view_that_was_overwritten_or_taken_off_comes_back() {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, AoiPlugin::xz()));
    let world = app.world_mut();
    let viewer = world.spawn((at(0.0, 0.0), AoiViewer::new(10.0))).id();
    let target = world.spawn((at(5.0, 0.0), AoiTarget::default())).id();
    let late = world.spawn((at(100.0, 0.0), AoiViewer::new(10.0))).id();
    app.update();

    // When the game writes lists that belong to the plugin: twice, and takes an empty one off.
    app.world_mut().entity_mut(viewer).insert(InView::default());
    app.world_mut().entity_mut(viewer).insert(InView::default());
    app.world_mut().entity_mut(late).remove::<InView>();
    app.update();
    let view = app.world().get::<InView>(viewer).unwrap();
    assert_eq!(view.as_slice(), [target], "nothing is lost (14)");

    // And overwrites one and despawns its viewer in the same update.
    app.world_mut().entity_mut(viewer).insert(InView::default());
    app.world_mut().entity_mut(viewer).despawn();
    let mut transform = app.world_mut().get_mut::<Transform>(late).unwrap();
    transform.translation.x = 0.0;
    app.update();

    // Then the leave is told, and the other viewer has its list again.
    let mut told: Vec<_> = app
        .world_mut()
        .resource_mut::<Messages<LeaveView>>()
        .drain()
        .collect();
    let leave = LeaveView {
        viewer,
        target,
        reason: LeaveReason::Despawned,
    };
    assert_eq!(told.pop(), Some(leave), "(16)");
    assert_eq!(told, [], "and nothing else");
    let view = app.world().get::<InView>(late).unwrap();
    assert_eq!(view.as_slice(), [target], "a viewer never stays without");
}

#[test]
fn clones_start_without_relations() {
    for setup in Setup::ALL {
        let mut game = game(setup);
        let viewer = game.viewer(0.0, 0.0, 10.0);
        let target = game.target(1.0, 0.0);
        game.tick();

        // When both are cloned, by command.
        let mut clones = Vec::new();
        let mut commands = game.world().commands();
        for original in [viewer, target] {
            clones.push(commands.entity(original).clone_and_spawn().id());
        }
        game.world().flush();
        let [second_viewer, second_target] = clones[..] else {
            unreachable!()
        };
        assert_eq!(game.view(second_viewer), [], "{setup:?}: (25)");
        assert_eq!(game.seen_by(second_target), [], "{setup:?}: (25)");

        // Then they are told like any other that comes late (15).
        assert_eq!(
            game.tick(),
            silence()
                .enter(viewer, second_target)
                .enter(second_viewer, target)
                .enter(second_viewer, second_target),
            "{setup:?}"
        );

        // And one that is cloned where it cannot see has nothing in view.
        let blind = game.world().entity_mut(viewer).clone_and_spawn();
        game.insert(blind, at(900.0, 0.0));
        assert_eq!(game.tick(), silence(), "{setup:?}");
        assert_eq!(game.view(blind), [], "{setup:?}");
    }
}

#[test]
fn in_view_is_the_snapshot_for_latecomers() {
    // Given a client that lost its state, then it reads the list; nothing is told again.
    let mut game = Game::xz();
    let viewer = game.viewer(0.0, 0.0, 10.0);
    let target = game.target(1.0, 0.0);
    let told = game.tick();
    let entered: Vec<_> = told.entered.iter().map(|enter| enter.1).collect();
    assert_eq!(game.view(viewer), entered);
    for _ in 0..3 {
        assert_eq!(game.view(viewer), [target]);
        assert_eq!(game.tick(), silence());
    }
}
