//! In which ring a target in view is, and when that is told (22).
//!
//! Numbers in brackets are points of `docs/semantics.md`. Random lives with rings are in
//! `random_life.rs`.

use crate::world::{Game, Setup, at, silence};
use bevy::{ecs::entity_disabling::Disabled, prelude::*};
use bevy_aoi::prelude::*;

/// A viewer that sees 100, with these rings and this margin.
fn ringed(game: &mut Game, rings: &[f32], margin: f32) -> Entity {
    game.spawn((
        at(0.0, 0.0),
        AoiViewer::new(100.0).with_leave_margin(margin),
        AoiRings::from_iter(rings.iter().copied()),
    ))
}

fn ring_of(game: &Game, viewer: Entity, target: Entity) -> Option<u8> {
    let rings = game.app.world().get::<InRings>(viewer)?;
    rings.ring_of(target)
}

#[test]
fn told_with_the_enter_and_when_it_changes() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        let viewer = ringed(&mut game, &[10.0, 30.0], 0.0);
        let target = game.target(50.0, 0.0);
        assert_eq!(
            game.tick(),
            silence().enter(viewer, target).ring(viewer, target, 2),
            "{setup:?}: beyond all of them"
        );
        game.move_to(target, 30.5, 0.0);
        assert_eq!(game.tick(), silence(), "{setup:?}: still beyond");
        game.move_to(target, 30.0, 0.0);
        assert_eq!(
            game.tick(),
            silence().ring(viewer, target, 1),
            "{setup:?}: bounds are inclusive"
        );
        game.move_to(target, 1.0, 0.0);
        assert_eq!(
            game.tick(),
            silence().ring(viewer, target, 0),
            "{setup:?}: the innermost"
        );
        assert_eq!(ring_of(&game, viewer, target), Some(0), "{setup:?}");
        game.move_to(viewer, -40.0, 0.0);
        assert_eq!(
            game.tick(),
            silence().ring(viewer, target, 2),
            "{setup:?}: the viewer moved, past a ring"
        );
        game.move_to(target, 200.0, 0.0);
        assert_eq!(
            game.tick(),
            silence().leave(viewer, target, LeaveReason::OutOfRange),
            "{setup:?}: a leave has no ring"
        );
        assert_eq!(ring_of(&game, viewer, target), None, "{setup:?}");
        game.move_to(target, -39.0, 0.0);
        assert_eq!(
            game.tick(),
            silence().enter(viewer, target).ring(viewer, target, 0),
            "{setup:?}: an enter has one, whatever it was"
        );
    }
}

#[test]
fn outward_only_beyond_the_margin() {
    let mut game = Game::xz();
    let viewer = ringed(&mut game, &[10.0, 12.0, 30.0], 5.0);
    let target = game.target(9.0, 0.0);
    assert_eq!(
        game.tick(),
        silence().enter(viewer, target).ring(viewer, target, 0)
    );
    for x in [11.0, 14.0, 15.0] {
        game.move_to(target, x, 0.0);
        assert_eq!(game.tick(), silence(), "{x} is within ring and margin");
    }
    game.move_to(target, 15.5, 0.0);
    assert_eq!(
        game.tick(),
        silence().ring(viewer, target, 2),
        "out of the ring, and into the first that reaches it"
    );
    game.move_to(target, 12.0, 0.0);
    assert_eq!(
        game.tick(),
        silence().ring(viewer, target, 1),
        "inward there is no margin"
    );
    game.move_to(target, 17.0, 0.0);
    assert_eq!(game.tick(), silence());
    game.change(viewer, |viewer: &mut AoiViewer| viewer.leave_margin = 4.0);
    assert_eq!(
        game.tick(),
        silence().ring(viewer, target, 2),
        "a change of the margin is evaluated at the next update"
    );
    game.move_to(target, 104.0, 0.0);
    assert_eq!(
        game.tick(),
        silence().ring(viewer, target, 3),
        "in view by the margin alone (7), beyond all rings"
    );
}

#[test]
fn rings_are_changed_at_run_time() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        let viewer = ringed(&mut game, &[10.0], 0.0);
        let near = game.target(5.0, 0.0);
        let far = game.target(50.0, 0.0);
        game.tick();
        game.change(viewer, |rings: &mut AoiRings| rings.0.push(60.0));
        assert_eq!(
            game.tick(),
            silence(),
            "{setup:?}: the first two rings are where they were"
        );
        game.insert(viewer, AoiRings::from_iter([1.0, 4.0, 60.0]));
        assert_eq!(
            game.tick(),
            silence().ring(viewer, near, 2).ring(viewer, far, 2),
            "{setup:?}"
        );
        game.insert(viewer, AoiRings::from_iter([1.0, 4.0, 60.0]));
        assert_eq!(game.tick(), silence(), "{setup:?}: the same again");
        game.change(viewer, |rings: &mut AoiRings| rings.0.clear());
        assert_eq!(
            game.tick(),
            silence().ring(viewer, near, 0).ring(viewer, far, 0),
            "{setup:?}: without a ring all are beyond the last"
        );
    }
}

#[test]
fn radii_that_are_left_out() {
    let mut game = Game::xz();
    let rings = [
        f32::NAN,
        -5.0,
        0.0,
        10.0,
        10.0,
        4.0,
        f32::NAN,
        20.0,
        f32::INFINITY,
        30.0,
    ];
    let viewer = ringed(&mut game, &rings, f32::NAN);
    let places = [3.0, 15.0, 25.0];
    let targets = places.map(|x| game.target(x, 0.0));
    let mut expected = silence();
    for (&target, ring) in targets.iter().zip(0..) {
        expected = expected.enter(viewer, target).ring(viewer, target, ring);
    }
    assert_eq!(
        game.tick(),
        expected,
        "10, 20 and infinity are left: NaN, not positive, not ascending"
    );
}

#[test]
fn whatever_holds_the_pair() {
    let mut game = Game::xz();
    let viewer = ringed(&mut game, &[10.0, 500.0], 0.0);
    let pet = game.target(1000.0, 0.0);
    let flag = game.target(400.0, 0.0);
    game.insert(flag, AlwaysInView);
    game.insert(viewer, AoiPins::from_iter([pet]));
    assert_eq!(
        game.tick(),
        silence()
            .enter(viewer, pet)
            .enter(viewer, flag)
            .ring(viewer, pet, 2)
            .ring(viewer, flag, 1),
        "pinned and ever visible ones have a ring, too"
    );
    game.move_to(pet, 3.0, 0.0);
    assert_eq!(game.tick(), silence().ring(viewer, pet, 0));
    game.insert(viewer, Disabled);
    assert_eq!(
        game.tick(),
        silence().leave(viewer, pet, LeaveReason::Removed).leave(
            viewer,
            flag,
            LeaveReason::Removed
        )
    );
    game.remove::<Disabled>(viewer);
    assert_eq!(
        game.tick(),
        silence()
            .enter(viewer, pet)
            .enter(viewer, flag)
            .ring(viewer, pet, 0)
            .ring(viewer, flag, 1)
    );
    game.despawn(pet);
    assert_eq!(
        game.tick(),
        silence().leave(viewer, pet, LeaveReason::Despawned)
    );
}

#[test]
fn only_those_with_rings() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        let viewer = game.viewer(0.0, 0.0, 100.0);
        let target = game.target(5.0, 0.0);
        assert_eq!(game.tick(), silence().enter(viewer, target), "{setup:?}");
        game.insert(viewer, AoiRings::from_iter([10.0]));
        assert_eq!(
            game.tick(),
            silence().ring(viewer, target, 0),
            "{setup:?}: it had no ring before"
        );
        game.remove::<AoiRings>(viewer);
        game.move_to(target, 50.0, 0.0);
        assert_eq!(game.tick(), silence(), "{setup:?}");
        assert_eq!(ring_of(&game, viewer, target), None, "{setup:?}");
    }
}

#[test]
fn an_event_finds_the_rings_of_its_update() {
    /// For each enter: the ring of the target, and how many rings and moves were told by then.
    #[derive(Resource, Default)]
    struct Found(Vec<(Option<u8>, usize, usize)>);

    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        game.app.init_resource::<Found>().add_observer(
            |enter: On<EnterView>,
             in_rings: Query<&InRings>,
             rings: Res<Messages<RingChanged>>,
             moves: Res<Messages<MoveInView>>,
             mut found: ResMut<Found>| {
                let ring = in_rings.get(enter.viewer).unwrap().ring_of(enter.target);
                found.0.push((ring, rings.len(), moves.len()));
            },
        );
        let viewer = ringed(&mut game, &[10.0], 0.0);
        game.insert(viewer, (AoiEvents, ReportMoves));
        let walker = game.target(5.0, 0.0);
        game.tick();
        // Let Bevy forget the messages of the first update.
        for _ in 0..3 {
            game.tick();
        }
        game.world().resource_mut::<Found>().0.clear();

        game.move_to(walker, 6.0, 0.0);
        game.target(7.0, 0.0);
        game.tick();
        let found = &game.app.world().resource::<Found>().0;
        assert_eq!(
            found,
            &[(Some(0), 1, 1)],
            "{setup:?}: events come after all messages of the update were written (23), and find \
             the state of the update (19)"
        );
    }
}
