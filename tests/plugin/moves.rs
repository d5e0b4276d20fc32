//! What viewers with `ReportMoves` are told of those they have in view (21).
//!
//! Numbers in brackets are points of `docs/semantics.md`. Random lives with moves are in
//! `random_life.rs`.

use crate::world::{Game, Setup, Told, at, silence};
use bevy::{ecs::entity_disabling::Disabled, prelude::*};
use bevy_aoi::prelude::*;

fn reporter(game: &mut Game, x: f32, radius: f32) -> Entity {
    game.spawn((at(x, 0.0), AoiViewer::new(radius), ReportMoves))
}

#[test]
fn whichever_end_moved() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        let viewer = reporter(&mut game, 0.0, 10.0);
        let silent = game.viewer(0.0, 0.0, 10.0);
        let walker = game.target(3.0, 0.0);
        let stone = game.target(4.0, 0.0);
        assert_eq!(
            game.tick(),
            silence()
                .enter(viewer, walker)
                .enter(viewer, stone)
                .enter(silent, walker)
                .enter(silent, stone),
            "{setup:?}: an enter is no move"
        );
        assert_eq!(game.tick(), silence(), "{setup:?}: all rest");

        game.move_to(walker, 3.5, 0.0);
        assert_eq!(
            game.tick(),
            silence().moves(viewer, walker, Moved::Target),
            "{setup:?}: only for those who asked"
        );
        game.move_to(viewer, 0.5, 0.0);
        assert_eq!(
            game.tick(),
            silence()
                .moves(viewer, walker, Moved::Viewer)
                .moves(viewer, stone, Moved::Viewer),
            "{setup:?}"
        );
        game.move_to(viewer, 0.0, 0.0);
        game.move_to(stone, 4.5, 0.0);
        assert_eq!(
            game.tick(),
            silence()
                .moves(viewer, walker, Moved::Viewer)
                .moves(viewer, stone, Moved::Both),
            "{setup:?}"
        );
        assert_eq!(game.tick(), silence(), "{setup:?}: and all rest again");
    }
}

#[test]
fn neither_turning_nor_motion_off_the_plane() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        let viewer = reporter(&mut game, 0.0, 10.0);
        let target = game.target(3.0, 0.0);
        game.tick();
        game.change(target, |transform: &mut Transform| {
            transform.rotate_y(1.0);
            transform.scale = Vec3::splat(2.0);
            transform.translation.y = 50.0;
        });
        // Written again, with the same value.
        game.move_to(viewer, 0.0, 0.0);
        assert_eq!(
            game.tick(),
            silence(),
            "{setup:?}: it stands where it stood"
        );

        // There and back between two updates is no move either (13).
        game.move_to(target, 5.0, 0.0);
        game.move_to(target, 3.0, 0.0);
        assert_eq!(game.tick(), silence(), "{setup:?}");
    }
}

#[test]
fn with_the_parent() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        let viewer = reporter(&mut game, 0.0, 10.0);
        let parent = game.spawn(at(1.0, 0.0));
        let child = game.spawn((at(1.0, 0.0), AoiTarget::default(), ChildOf(parent)));
        game.tick();
        game.move_to(parent, 2.0, 0.0);
        assert_eq!(
            game.tick(),
            silence().moves(viewer, child, Moved::Target),
            "{setup:?}: where it stands in the world (1)"
        );
        game.remove::<ChildOf>(child);
        assert_eq!(
            game.tick(),
            silence().moves(viewer, child, Moved::Target),
            "{setup:?}: from 3 to 1"
        );
    }
}

#[test]
fn pairs_in_view_before_and_after() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        let viewer = reporter(&mut game, 0.0, 10.0);
        let target = game.target(3.0, 0.0);
        game.tick();
        game.move_to(target, 11.0, 0.0);
        assert_eq!(
            game.tick(),
            silence().leave(viewer, target, LeaveReason::OutOfRange),
            "{setup:?}: a leave is no move"
        );
        game.move_to(target, 12.0, 0.0);
        assert_eq!(game.tick(), silence(), "{setup:?}: out of view");
        game.move_to(target, 9.0, 0.0);
        assert_eq!(game.tick(), silence().enter(viewer, target), "{setup:?}");

        // Both jump together, also into another space: in view before and after.
        game.move_to(target, 509.0, 0.0);
        game.move_to(viewer, 500.0, 0.0);
        assert_eq!(
            game.tick(),
            silence().moves(viewer, target, Moved::Both),
            "{setup:?}"
        );
        game.insert(target, AoiSpace(2));
        game.insert(viewer, AoiSpace(2));
        assert_eq!(game.tick(), silence(), "{setup:?}: a space is no place");
        game.insert(target, AoiSpace(3));
        game.insert(viewer, AoiSpace(3));
        game.move_to(target, 508.0, 0.0);
        assert_eq!(
            game.tick(),
            silence().moves(viewer, target, Moved::Target),
            "{setup:?}: another space and a step"
        );

        // Gone and back between two updates, elsewhere.
        game.remove::<AoiTarget>(target);
        game.insert(target, AoiTarget::default());
        game.insert(viewer, Disabled);
        game.move_to(viewer, 501.0, 0.0);
        game.remove::<Disabled>(viewer);
        assert_eq!(
            game.tick(),
            silence().moves(viewer, target, Moved::Viewer),
            "{setup:?}: settled, it only moved (13)"
        );

        // Held by a pin, at any distance.
        game.insert(viewer, AoiPins::from_iter([target]));
        game.move_to(target, -9000.0, 0.0);
        assert_eq!(
            game.tick(),
            silence().moves(viewer, target, Moved::Target),
            "{setup:?}"
        );
        game.move_to(target, -9001.0, 0.0);
        assert_eq!(
            game.tick(),
            silence().moves(viewer, target, Moved::Target),
            "{setup:?}"
        );
    }
}

#[test]
fn asked_for_at_run_time() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        let viewer = game.viewer(0.0, 0.0, 10.0);
        let target = game.target(3.0, 0.0);
        game.tick();
        game.move_to(target, 4.0, 0.0);
        assert_eq!(game.tick(), silence(), "{setup:?}: nobody asked");
        game.insert(viewer, ReportMoves);
        assert_eq!(
            game.tick(),
            silence(),
            "{setup:?}: that was before the last update"
        );
        game.remove::<ReportMoves>(viewer);
        game.move_to(target, 5.0, 0.0);
        game.tick();
        game.insert(viewer, ReportMoves);
        game.move_to(target, 6.0, 0.0);
        assert_eq!(
            game.tick(),
            silence().moves(viewer, target, Moved::Target),
            "{setup:?}: asked before this update"
        );
        game.insert(viewer, Disabled);
        assert_eq!(
            game.tick(),
            silence().leave(viewer, target, LeaveReason::Removed),
            "{setup:?}"
        );
        game.move_to(target, 7.0, 0.0);
        assert_eq!(game.tick(), silence(), "{setup:?}: it sees nothing");
    }
}

#[test]
fn six_entities_with_squares() {
    // Those who stay in view of a mover are told that it moved, as the scenes that this descends
    // from did.
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xy());
        let square = AoiViewer::new(2.0).with_shape(ViewShape::Square);
        let come = |game: &mut Game, x, y| {
            let place = Transform::from_xyz(x, y, 0.0);
            let one = game.spawn((place, square, AoiTarget::default(), ReportMoves));
            (one, game.tick())
        };
        let both = |told: Told, a, b| told.enter(a, b).enter(b, a);
        let (one, told) = come(&mut game, 1.0, 5.0);
        assert_eq!(told, silence(), "{setup:?}: 1 comes");
        let (two, told) = come(&mut game, 2.0, 2.0);
        assert_eq!(told, silence(), "{setup:?}: 2 comes");
        let (three, told) = come(&mut game, 3.0, 1.0);
        assert_eq!(told, both(silence(), two, three), "{setup:?}: 3 comes");
        let (four, told) = come(&mut game, 5.0, 3.0);
        assert_eq!(told, both(silence(), three, four), "{setup:?}: 4 comes");
        let (five, told) = come(&mut game, 6.0, 6.0);
        assert_eq!(told, silence(), "{setup:?}: 5 comes");
        let (six, told) = come(&mut game, 3.0, 3.0);
        let near = [one, two, three, four];
        let expected = near
            .into_iter()
            .fold(silence(), |told, other| both(told, six, other));
        assert_eq!(
            told, expected,
            "{setup:?}: 6 comes, and nobody moved so far"
        );

        game.change(six, |place: &mut Transform| {
            place.translation = Vec3::new(4.0, 4.0, 0.0);
        });
        let mut expected = both(silence(), six, five);
        for stayed in [two, four] {
            expected = expected
                .moves(stayed, six, Moved::Target)
                .moves(six, stayed, Moved::Viewer);
        }
        for lost in [one, three] {
            expected = expected.leave(lost, six, LeaveReason::OutOfRange).leave(
                six,
                lost,
                LeaveReason::OutOfRange,
            );
        }
        assert_eq!(game.tick(), expected, "{setup:?}: 6 moves");
        assert_eq!(game.tick(), silence(), "{setup:?}: and rests");

        for (gone, seen) in [
            (one, &[][..]),
            (two, &[three, six]),
            (three, &[four]),
            (four, &[six]),
            (five, &[six]),
            (six, &[]),
        ] {
            game.despawn(gone);
            let expected = seen.iter().fold(silence(), |told, &other| {
                told.leave(gone, other, LeaveReason::Despawned).leave(
                    other,
                    gone,
                    LeaveReason::Despawned,
                )
            });
            assert_eq!(
                game.tick(),
                expected,
                "{setup:?}: nobody moves while all go"
            );
        }
    }
}
