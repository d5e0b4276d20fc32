//! What bends the rule of distance: `AlwaysInView`, `AoiPins` (11), and the cap (12).
//!
//! Numbers in brackets are points of `docs/semantics.md`.

use crate::world::{Game, Setup, Told, at, silence};
use bevy::{ecs::entity_disabling::Disabled, prelude::*};
use bevy_aoi::prelude::*;

/// Enters of several targets into one view.
fn enters(viewer: Entity, targets: impl IntoIterator<Item = Entity>) -> Told {
    let targets = targets.into_iter();
    targets.fold(silence(), |told, target| told.enter(viewer, target))
}

#[test]
fn always_in_view() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        let flag = game.target(1e6, 0.0);
        let near = game.viewer(0.0, 0.0, 10.0);
        let blind = game.viewer(0.0, 0.0, 0.0);
        let colour_blind = game.viewer(0.0, 0.0, 10.0);
        game.change(colour_blind, |viewer: &mut AoiViewer| viewer.sees = 0b10);
        let elsewhere = game.viewer(1e6, 0.0, f32::INFINITY);
        game.insert(elsewhere, AoiSpace(1));
        assert_eq!(game.tick(), silence(), "{setup:?}");

        game.insert(flag, AlwaysInView);
        assert_eq!(
            game.tick(),
            silence().enter(near, flag).enter(blind, flag),
            "{setup:?}: at any distance, and blind viewers too, but only those who match"
        );
        game.move_to(flag, -1e6, 3.0);
        assert_eq!(game.tick(), silence(), "{setup:?}");
        let newcomer = game.viewer(7.0, 0.0, 1.0);
        assert_eq!(game.tick(), silence().enter(newcomer, flag), "{setup:?}");
        game.insert(newcomer, Disabled);
        assert_eq!(
            game.tick(),
            silence().leave(newcomer, flag, LeaveReason::Removed),
            "{setup:?}: of present viewers only"
        );

        game.change(flag, |target: &mut AoiTarget| target.layers = 0b10);
        game.change(near, |viewer: &mut AoiViewer| viewer.sees = 0b01);
        assert_eq!(
            game.tick(),
            silence()
                .leave(near, flag, LeaveReason::Filtered)
                .enter(colour_blind, flag),
            "{setup:?}: layers hold (5)"
        );
        game.insert(flag, AoiSpace(1));
        assert_eq!(
            game.tick(),
            silence()
                .leave(blind, flag, LeaveReason::Filtered)
                .leave(colour_blind, flag, LeaveReason::Filtered)
                .enter(elsewhere, flag),
            "{setup:?}: spaces hold (4)"
        );
        game.remove::<AoiSpace>(flag);
        game.tick();

        game.remove::<AlwaysInView>(flag);
        assert_eq!(
            game.tick(),
            silence().leave(blind, flag, LeaveReason::Filtered).leave(
                colour_blind,
                flag,
                LeaveReason::Filtered
            ),
            "{setup:?}: what held them is gone (17)"
        );
        game.despawn(flag);
        assert_eq!(game.tick(), silence(), "{setup:?}");
    }
}

#[test]
fn always_in_view_lost_within_reach() {
    let mut game = Game::xz();
    let viewer = game.spawn((at(0.0, 0.0), AoiViewer::new(10.0).with_leave_margin(5.0)));
    let flag = game.target(12.0, 0.0);
    game.insert(flag, AlwaysInView);
    assert_eq!(game.tick(), silence().enter(viewer, flag));
    game.remove::<AlwaysInView>(flag);
    assert_eq!(
        game.tick(),
        silence(),
        "a pair in view stays in view within the margin (7), however it came in"
    );
    game.move_to(flag, 16.0, 0.0);
    assert_eq!(
        game.tick(),
        silence().leave(viewer, flag, LeaveReason::OutOfRange),
        "by then it was held by distance alone (17)"
    );
    game.insert(flag, AlwaysInView);
    game.tick();
    game.move_to(flag, 17.0, 0.0);
    game.remove::<AlwaysInView>(flag);
    assert_eq!(
        game.tick(),
        silence().leave(viewer, flag, LeaveReason::Filtered),
        "filtered before out of range (17)"
    );
}

#[test]
fn pinned() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        let pet = game.target(4000.0, 0.0);
        game.change(pet, |target: &mut AoiTarget| target.layers = 0);
        let owner = game.viewer(0.0, 0.0, f32::NAN);
        let other = game.viewer(0.0, 0.0, f32::INFINITY);
        assert_eq!(game.tick(), silence(), "{setup:?}");

        game.insert(owner, AoiPins::from_iter([pet]));
        assert_eq!(
            game.tick(),
            silence().enter(owner, pet),
            "{setup:?}: whatever layers, distance and eyes say; nobody else is concerned"
        );
        game.move_to(pet, -9.0, 80.0);
        game.move_to(owner, 9e9, 0.0);
        assert_eq!(game.tick(), silence(), "{setup:?}");
        game.insert(pet, AoiSpace(1));
        assert_eq!(
            game.tick(),
            silence().leave(owner, pet, LeaveReason::Filtered),
            "{setup:?}: in one space only"
        );
        game.insert(owner, AoiSpace(1));
        assert_eq!(game.tick(), silence().enter(owner, pet), "{setup:?}");

        game.remove::<AoiPins>(owner);
        assert_eq!(
            game.tick(),
            silence().leave(owner, pet, LeaveReason::Filtered),
            "{setup:?}: the component is gone, and with it the pin (17)"
        );
        assert_eq!(game.view(other), [], "{setup:?}");
    }
}

#[test]
fn pins_are_changed_at_run_time() {
    let mut game = Game::xz();
    let pets: Vec<_> = (0..8).map(|i| game.target(1e5, i as f32)).collect();
    let owner = game.viewer(0.0, 0.0, 10.0);
    game.insert(owner, AoiPins::default());
    assert_eq!(game.tick(), silence());

    game.change(owner, |pins: &mut AoiPins| pins.0.push(pets[0]));
    assert_eq!(game.tick(), silence().enter(owner, pets[0]));
    game.change(owner, |pins: &mut AoiPins| pins.0.extend(pets.clone()));
    assert_eq!(
        game.tick(),
        enters(owner, pets[1..].iter().copied()),
        "more than fit in place, and one of them twice"
    );
    game.change(owner, |pins: &mut AoiPins| pins.0.reverse());
    assert_eq!(game.tick(), silence(), "their order means nothing");
    game.change(owner, |pins: &mut AoiPins| {
        pins.0.retain(|pet| *pet != pets[3]);
    });
    assert_eq!(
        game.tick(),
        silence().leave(owner, pets[3], LeaveReason::Filtered)
    );
    game.insert(owner, AoiPins::from_iter([pets[3], pets[4]]));
    let expected = pets.iter().fold(silence(), |told, &pet| {
        if pet == pets[3] {
            told.enter(owner, pet)
        } else if pet == pets[4] {
            told
        } else {
            told.leave(owner, pet, LeaveReason::Filtered)
        }
    });
    assert_eq!(game.tick(), expected, "replaced as a whole");

    // Unpinned and pinned again within one frame is nothing (13).
    game.remove::<AoiPins>(owner);
    game.insert(owner, AoiPins::from_iter([pets[4], pets[3]]));
    assert_eq!(game.tick(), silence());
}

#[test]
fn pins_to_nobody() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        let dead = game.target(1e5, 0.0);
        game.despawn(dead);
        let stone = game.spawn(at(1e5, 0.0));
        let hidden = game.spawn((at(1e5, 0.0), AoiTarget::default(), Disabled));
        let nowhere = game.target(f32::NAN, 0.0);
        let placeless = game.spawn(AoiTarget::default());
        let pet = game.target(1e5, 0.0);
        let owner = game.viewer(0.0, 0.0, 10.0);
        let all = [
            dead,
            Entity::PLACEHOLDER,
            stone,
            owner,
            hidden,
            nowhere,
            placeless,
            pet,
            pet,
        ];
        game.insert(owner, AoiPins::from_iter(all));
        assert_eq!(
            game.tick(),
            silence().enter(owner, pet),
            "{setup:?}: those who are not there do nothing, and twice is once"
        );

        // They come into view as they come to be.
        game.insert(stone, AoiTarget::default());
        assert_eq!(game.tick(), silence().enter(owner, stone), "{setup:?}");
        game.remove::<Disabled>(hidden);
        game.move_to(nowhere, 1e5, 0.0);
        assert_eq!(
            game.tick(),
            silence().enter(owner, hidden).enter(owner, nowhere),
            "{setup:?}"
        );
        game.insert(placeless, at(1e5, 0.0));
        assert_eq!(game.tick(), silence().enter(owner, placeless), "{setup:?}");

        // A pin does not pass on to one that takes the place of another.
        game.despawn(pet);
        let successor = game.in_place_of(pet, (at(1e5, 0.0), AoiTarget::default()));
        assert_eq!(
            game.tick(),
            silence().leave(owner, pet, LeaveReason::Despawned),
            "{setup:?}"
        );
        assert_eq!(game.tick(), silence(), "{setup:?}");
        assert!(!game.view(owner).contains(&successor), "{setup:?}");
    }
}

#[test]
fn pins_of_a_viewer_that_goes() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        let pet = game.target(1e5, 0.0);
        let owner = game.viewer(0.0, 0.0, 10.0);
        game.insert(owner, AoiPins::from_iter([pet]));
        game.tick();
        game.insert(owner, Disabled);
        assert_eq!(
            game.tick(),
            silence().leave(owner, pet, LeaveReason::Removed),
            "{setup:?}"
        );
        game.remove::<Disabled>(owner);
        assert_eq!(game.tick(), silence().enter(owner, pet), "{setup:?}");
        game.remove::<AoiViewer>(owner);
        assert_eq!(
            game.tick(),
            silence().leave(owner, pet, LeaveReason::Removed),
            "{setup:?}: pins are for viewers"
        );
        game.insert(owner, AoiViewer::new(1.0));
        assert_eq!(game.tick(), silence().enter(owner, pet), "{setup:?}");
        game.despawn(owner);
        assert_eq!(
            game.tick(),
            silence().leave(owner, pet, LeaveReason::Despawned),
            "{setup:?}"
        );
        game.despawn(pet);
        assert_eq!(game.tick(), silence(), "{setup:?}");
    }
}

#[test]
fn pinned_and_always_and_near() {
    // Given a pair that is held threefold, then it is in view once, until the last hold goes.
    let mut game = Game::xz();
    let viewer = game.viewer(0.0, 0.0, 10.0);
    let target = game.target(5.0, 0.0);
    game.insert(viewer, AoiPins::from_iter([target]));
    game.insert(target, AlwaysInView);
    assert_eq!(game.tick(), silence().enter(viewer, target));
    game.remove::<AoiPins>(viewer);
    assert_eq!(game.tick(), silence());
    game.remove::<AlwaysInView>(target);
    assert_eq!(game.tick(), silence());
    game.insert(target, AlwaysInView);
    game.insert(viewer, AoiPins::from_iter([target]));
    assert_eq!(game.tick(), silence());
    game.move_to(target, 500.0, 0.0);
    game.remove::<AlwaysInView>(target);
    assert_eq!(game.tick(), silence(), "the pin still holds it");
    game.remove::<AoiPins>(viewer);
    assert_eq!(
        game.tick(),
        silence().leave(viewer, target, LeaveReason::Filtered)
    );
}

/// A viewer that sees 100 and at most `n` targets by distance.
fn capped(game: &mut Game, n: u32, margin: f32) -> Entity {
    let eyes = AoiViewer::new(100.0)
        .with_max_targets(n)
        .with_leave_margin(margin);
    game.spawn((at(0.0, 0.0), eyes))
}

#[test]
fn cap_takes_the_nearest() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        let targets: Vec<_> = (0..6)
            .map(|i| game.target(10.0 * (6 - i) as f32, 0.0))
            .collect();
        let viewer = capped(&mut game, 2, 0.0);
        assert_eq!(
            game.tick(),
            silence()
                .enter(viewer, targets[5])
                .enter(viewer, targets[4]),
            "{setup:?}: at 10 and 20"
        );
        game.change(viewer, |viewer: &mut AoiViewer| {
            viewer.max_targets = Some(4);
        });
        assert_eq!(
            game.tick(),
            silence()
                .enter(viewer, targets[3])
                .enter(viewer, targets[2]),
            "{setup:?}: n grew"
        );
        game.despawn(targets[5]);
        assert_eq!(
            game.tick(),
            silence()
                .leave(viewer, targets[5], LeaveReason::Despawned)
                .enter(viewer, targets[1]),
            "{setup:?}: a place fell free"
        );
        game.change(viewer, |viewer: &mut AoiViewer| {
            viewer.max_targets = Some(1);
        });
        assert_eq!(
            game.tick(),
            silence()
                .leave(viewer, targets[3], LeaveReason::Evicted)
                .leave(viewer, targets[2], LeaveReason::Evicted)
                .leave(viewer, targets[1], LeaveReason::Evicted),
            "{setup:?}: n shrank, the farthest go"
        );
        game.change(viewer, |viewer: &mut AoiViewer| {
            viewer.max_targets = Some(0);
        });
        assert_eq!(
            game.tick(),
            silence().leave(viewer, targets[4], LeaveReason::Evicted),
            "{setup:?}: none at all"
        );
        game.change(viewer, |viewer: &mut AoiViewer| viewer.max_targets = None);
        assert_eq!(
            game.tick(),
            enters(viewer, targets[..5].iter().copied()),
            "{setup:?}: without a cap all are in view"
        );
    }
}

#[test]
fn cap_gives_way_to_one_nearer_by_more_than_the_margin() {
    let mut game = Game::xz();
    let viewer = capped(&mut game, 1, 5.0);
    let inside = game.target(50.0, 0.0);
    assert_eq!(game.tick(), silence().enter(viewer, inside));
    let rival = game.target(0.0, 46.0);
    assert_eq!(game.tick(), silence(), "nearer, but not by the margin");
    game.move_to(rival, 0.0, 45.0);
    assert_eq!(game.tick(), silence(), "as far (12)");
    game.move_to(rival, 0.0, 44.0);
    assert_eq!(
        game.tick(),
        silence()
            .leave(viewer, inside, LeaveReason::Evicted)
            .enter(viewer, rival)
    );
    game.move_to(inside, 200.0, 0.0);
    game.move_to(rival, 104.0, 0.0);
    assert_eq!(
        game.tick(),
        silence(),
        "within the margin the one in view keeps its place (7, 12)"
    );
    game.move_to(inside, 100.0, 0.0);
    assert_eq!(game.tick(), silence());
    game.move_to(inside, 98.0, 0.0);
    assert_eq!(
        game.tick(),
        silence()
            .leave(viewer, rival, LeaveReason::Evicted)
            .enter(viewer, inside)
    );
}

#[test]
fn cap_changes_several_places_at_once() {
    let mut game = Game::xz();
    let viewer = capped(&mut game, 3, 1.0);
    let old: Vec<_> = (0..3).map(|i| game.target(60.0 + i as f32, 0.0)).collect();
    assert_eq!(game.tick(), enters(viewer, old.iter().copied()));
    let new: Vec<_> = (0..5).map(|i| game.target(0.0, 20.0 + i as f32)).collect();
    let mut expected = enters(viewer, new[..3].iter().copied());
    for &target in &old {
        expected = expected.leave(viewer, target, LeaveReason::Evicted);
    }
    assert_eq!(game.tick(), expected, "the three nearest of five");
    assert_eq!(game.tick(), silence(), "and that is settled");
}

#[test]
fn cap_ties_go_by_entity() {
    // Given eight at one distance, with indices both new and used again.
    for reuse in [false, true] {
        let mut game = Game::xz();
        if reuse {
            let old: Vec<_> = (0..12).map(|_| game.target(500.0, 0.0)).collect();
            game.tick();
            for index in [3, 9, 0, 7, 1, 10] {
                game.despawn(old[index]);
            }
            let again = game.in_place_of(old[7], at(0.0, 0.0));
            game.despawn(again);
            game.tick();
        }
        let places = [
            (30.0, 0.0),
            (-30.0, 0.0),
            (0.0, 30.0),
            (0.0, -30.0),
            (18.0, 24.0),
            (-18.0, 24.0),
            (24.0, -18.0),
            (-24.0, -18.0),
        ];
        let mut ring: Vec<_> = places.iter().map(|&(x, z)| game.target(x, z)).collect();
        let viewer = capped(&mut game, 3, 0.0);
        ring.sort_unstable();
        assert_eq!(
            game.tick(),
            enters(viewer, ring[..3].iter().copied()),
            "reuse: {reuse}: the three least by `Ord` of `Entity` (12, 18)"
        );

        // Those who are in stay, although one less by `Ord` comes to be as far.
        game.despawn(ring[0]);
        assert_eq!(
            game.tick(),
            silence()
                .leave(viewer, ring[0], LeaveReason::Despawned)
                .enter(viewer, ring[3]),
            "reuse: {reuse}: the next by `Ord`"
        );
        let late: Vec<_> = places.iter().map(|&(x, z)| game.target(x, z)).collect();
        assert_eq!(
            game.tick(),
            silence(),
            "reuse: {reuse}: nobody gives way to one as far: {late:?}"
        );
        // If n shrinks, of those as far the greatest go.
        game.change(viewer, |viewer: &mut AoiViewer| {
            viewer.max_targets = Some(1);
        });
        assert_eq!(
            game.tick(),
            silence()
                .leave(viewer, ring[2], LeaveReason::Evicted)
                .leave(viewer, ring[3], LeaveReason::Evicted),
            "reuse: {reuse}"
        );
    }
}

#[test]
fn cap_by_distance_whatever_the_shape() {
    let mut game = Game::xz();
    let viewer = game.spawn((
        at(0.0, 0.0),
        AoiViewer::new(10.0)
            .with_shape(ViewShape::Square)
            .with_max_targets(1),
    ));
    let corner = game.target(9.0, 9.0);
    let side = game.target(10.0, 0.0);
    assert_eq!(
        game.tick(),
        silence().enter(viewer, side),
        "Euclidean: 10 against 12.7 (12)"
    );
    game.move_to(side, 10.5, 0.0);
    assert_eq!(
        game.tick(),
        silence()
            .leave(viewer, side, LeaveReason::OutOfRange)
            .enter(viewer, corner),
        "but only those within the shape"
    );
}

#[test]
fn overrides_take_no_place() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        let viewer = capped(&mut game, 1, 0.0);
        let pet = game.target(5.0, 0.0);
        let flag = game.target(6.0, 0.0);
        let near = game.target(40.0, 0.0);
        game.target(50.0, 0.0);
        game.insert(viewer, AoiPins::from_iter([pet]));
        game.insert(flag, AlwaysInView);
        assert_eq!(
            game.tick(),
            enters(viewer, [pet, flag, near]),
            "{setup:?}: two beside the cap"
        );
        game.remove::<AoiPins>(viewer);
        assert_eq!(
            game.tick(),
            silence().leave(viewer, near, LeaveReason::Evicted),
            "{setup:?}: the pet takes the place of one farther away"
        );
        game.move_to(pet, 70.0, 0.0);
        assert_eq!(
            game.tick(),
            silence()
                .leave(viewer, pet, LeaveReason::Evicted)
                .enter(viewer, near),
            "{setup:?}: and has to give it back"
        );
        game.insert(viewer, AoiPins::from_iter([pet]));
        game.tick();
        game.remove::<AoiPins>(viewer);
        assert_eq!(
            game.tick(),
            silence().leave(viewer, pet, LeaveReason::Filtered),
            "{setup:?}: lost its pin, and all places are taken: filtered before evicted (17)"
        );
    }
}

#[test]
fn a_capped_viewer_follows_what_its_targets_do() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        let viewer = capped(&mut game, 1, 0.0);
        let first = game.target(10.0, 0.0);
        let second = game.target(20.0, 0.0);
        assert_eq!(game.tick(), silence().enter(viewer, first), "{setup:?}");

        // Whatever takes the first out of view gives the place to the second, and back.
        type Deed = fn(&mut Game, Entity);
        let deeds: [(LeaveReason, Deed, Deed); 5] = [
            (
                LeaveReason::OutOfRange,
                |game, first| game.move_to(first, 101.0, 0.0),
                |game, first| game.move_to(first, 10.0, 0.0),
            ),
            (
                LeaveReason::Removed,
                |game, first| game.insert(first, Disabled),
                |game, first| game.remove::<Disabled>(first),
            ),
            (
                LeaveReason::Removed,
                |game, first| game.remove::<AoiTarget>(first),
                |game, first| game.insert(first, AoiTarget::default()),
            ),
            (
                LeaveReason::Filtered,
                |game, first| game.insert(first, AoiSpace(2)),
                |game, first| game.remove::<AoiSpace>(first),
            ),
            (
                LeaveReason::Filtered,
                |game, first| game.change(first, |target: &mut AoiTarget| target.layers = 0),
                |game, first| game.change(first, |target: &mut AoiTarget| target.layers = 1),
            ),
        ];
        for (reason, out, back) in deeds {
            out(&mut game, first);
            assert_eq!(
                game.tick(),
                silence().leave(viewer, first, reason).enter(viewer, second),
                "{setup:?}, {reason:?}"
            );
            back(&mut game, first);
            assert_eq!(
                game.tick(),
                silence()
                    .leave(viewer, second, LeaveReason::Evicted)
                    .enter(viewer, first),
                "{setup:?}, {reason:?}"
            );
        }
    }
}
