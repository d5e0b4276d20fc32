//! What a system can ask: the [`Aoi`] parameter and the queries of [`AoiIndex`] (25, 26).
//!
//! Numbers in brackets are points of `docs/semantics.md`.

use crate::world::{Game, Setup, at, silence};
use bevy::{
    ecs::{
        entity_disabling::Disabled,
        schedule::{LogLevel, ScheduleBuildSettings},
        system::{SystemState, assert_is_read_only_system},
    },
    prelude::*,
};
use bevy_aoi::prelude::*;
use fastrand::Rng;

/// Asks as a system would that runs now.
fn ask<R>(game: &mut Game, question: impl FnOnce(&Aoi) -> R) -> R {
    let world = game.world();
    let mut state = SystemState::<Aoi>::new(world);
    question(&state.get(world).unwrap())
}

fn why_not(game: &mut Game, viewer: Entity, target: Entity) -> Option<WhyNot> {
    ask(game, |aoi| aoi.why_not(viewer, target))
}

fn sorted(entities: impl Iterator<Item = Entity>) -> Vec<Entity> {
    let mut entities: Vec<_> = entities.collect();
    entities.sort_unstable();
    entities
}

/// An entity that nobody ever spawned.
fn unknown() -> Entity {
    Entity::from_raw_u32(4_000_000).unwrap()
}

const fn out_of_range(distance: f32, range: f32) -> Option<WhyNot> {
    Some(WhyNot::OutOfRange { distance, range })
}

#[test]
fn who_is_in_view() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        let viewer = game.viewer(0.0, 0.0, 10.0);
        let both = game.spawn((at(5.0, 0.0), AoiViewer::new(3.0), AoiTarget::default()));
        let target = game.target(7.0, 0.0);
        let far = game.target(70.0, 0.0);
        assert!(
            !ask(&mut game, |aoi| aoi.can_see(viewer, target)),
            "{setup:?}: nothing holds before the first update"
        );
        game.tick();
        ask(&mut game, |aoi| {
            assert!(aoi.can_see(viewer, target), "{setup:?}");
            assert!(aoi.can_see(viewer, both), "{setup:?}");
            assert!(aoi.can_see(both, target), "{setup:?}");
            assert!(!aoi.can_see(viewer, far), "{setup:?}");
            assert!(!aoi.can_see(both, viewer), "{setup:?}: it is no target");
            assert!(!aoi.can_see(target, both), "{setup:?}: it is no viewer");
            assert!(!aoi.can_see(both, both), "{setup:?}: nobody sees itself");
            let view = sorted([both, target].into_iter());
            assert_eq!(aoi.in_view(viewer), view, "{setup:?}: sorted");
            assert_eq!(aoi.in_view(both), [target], "{setup:?}");
            assert_eq!(aoi.in_view(target), [], "{setup:?}: no viewer");
            let mut pairs: Vec<_> = aoi.pairs().collect();
            pairs.sort_unstable();
            let mut expected = vec![(viewer, both), (viewer, target), (both, target)];
            expected.sort_unstable();
            assert_eq!(pairs, expected, "{setup:?}");
        });

        // Answers are as of the last update.
        game.move_to(target, 500.0, 0.0);
        assert!(
            ask(&mut game, |aoi| aoi.can_see(viewer, target)),
            "{setup:?}"
        );
        game.tick();
        assert!(
            !ask(&mut game, |aoi| aoi.can_see(viewer, target)),
            "{setup:?}"
        );
    }
}

#[test]
fn the_ring_of_a_pair() {
    let mut game = Game::xz();
    let rings = AoiRings::from_iter([10.0, 20.0]);
    let viewer = game.spawn((at(0.0, 0.0), AoiViewer::new(100.0), rings));
    let plain = game.viewer(0.0, 0.0, 100.0);
    let places = [5.0, 20.0, 20.5];
    let targets = places.map(|x| game.target(x, 0.0));
    let far = game.target(101.0, 0.0);
    game.tick();
    ask(&mut game, |aoi| {
        let found = targets.map(|target| aoi.ring_of(viewer, target));
        assert_eq!(found, [Some(0), Some(1), Some(2)]);
        assert_eq!(aoi.ring_of(viewer, far), None, "not in view");
        assert_eq!(aoi.ring_of(viewer, viewer), None);
        assert_eq!(aoi.ring_of(viewer, unknown()), None);
        assert_eq!(aoi.ring_of(plain, targets[0]), None, "without rings");
        assert_eq!(aoi.ring_of(targets[0], viewer), None, "no viewer");
        assert_eq!(aoi.ring_of(unknown(), targets[0]), None);
    });
}

#[test]
fn who_hears_a_shout() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        let near = game.viewer(3.0, 4.0, 1.0);
        let edge = game.viewer(6.0, 8.0, 0.0);
        let both = game.spawn((at(0.0, 1.0), AoiViewer::new(1.0), AoiTarget::default()));
        let elsewhere = game.spawn((at(0.0, 0.0), AoiViewer::new(1.0), AoiSpace(3)));
        game.target(0.0, 0.0);
        game.viewer(6.0, 8.1, 100.0);
        let above = game.spawn((Transform::from_xyz(0.0, 900.0, 0.0), AoiViewer::new(1.0)));
        game.tick();
        ask(&mut game, |aoi| {
            let expected = sorted([near, edge, both, above].into_iter());
            assert_eq!(
                sorted(aoi.viewers_within(0, Vec3::ZERO, 10.0)),
                expected,
                "{setup:?}: the bound is inclusive, blind ones hear, height plays no part, \
                 targets that are no viewers do not count"
            );
            assert!(
                aoi.viewers_within(AoiSpace(3), Vec3::ZERO, 0.0)
                    .eq([elsewhere]),
                "{setup:?}: one that stands there, at radius 0"
            );
            for radius in [-1.0, f32::NAN] {
                let heard = aoi.viewers_within(0, Vec3::ZERO, radius);
                assert_eq!(heard.count(), 0, "{setup:?}: radius {radius}");
            }
            assert_eq!(aoi.viewers_within(0, Vec3::NAN, 10.0).count(), 0);
            assert_eq!(aoi.viewers_within(99, Vec3::ZERO, 1e9).count(), 0);
            assert_eq!(
                aoi.viewers_within(0, Vec3::ZERO, f32::INFINITY).count(),
                5,
                "{setup:?}: all of the space"
            );
        });

        game.remove::<AoiViewer>(both);
        game.insert(near, Disabled);
        game.tick();
        let heard = ask(&mut game, |aoi| {
            sorted(aoi.viewers_within(0, Vec3::ZERO, 10.0))
        });
        let expected = sorted([edge, above].into_iter());
        assert_eq!(heard, expected, "{setup:?}: who is no viewer any more");
    }
}

#[test]
fn among_layers_and_spaces() {
    const TREES: u32 = 1 << 3;
    const WOLVES: u32 = 1 << 31;

    let mut game = Game::xz();
    let tree = AoiTarget::default().with_layers(TREES);
    let wolf = AoiTarget::default().with_layers(WOLVES);
    let trees = [1.0, 2.0, 3.0].map(|x| game.spawn((at(x, 0.0), tree)));
    let wolves = [4.0, -2.0].map(|x| game.spawn((at(x, 0.0), wolf)));
    let werewolf = AoiTarget::default().with_layers(TREES | WOLVES);
    let werewolf = game.spawn((at(10.0, 0.0), werewolf));
    let away = game.spawn((at(1.0, 0.0), wolf, AoiSpace(1)));
    // On no layer, and no target at all.
    let nowhere = game.spawn((at(0.0, 0.0), AoiTarget::default().with_layers(0)));
    let viewer = game.viewer(0.0, 0.0, 1.0);
    game.tick();

    ask(&mut game, |aoi| {
        let of = |mask| aoi.in_layers(mask);
        let origin = Vec3::ZERO;
        assert_eq!(
            of(WOLVES).nearest(0, origin, 2),
            [wolves[1], wolves[0]],
            "nearest first"
        );
        assert_eq!(
            of(WOLVES).nearest(0, origin, 9),
            [wolves[1], wolves[0], werewolf]
        );
        assert_eq!(of(WOLVES).nearest(1, origin, 9), [away], "of its space");
        assert_eq!(of(TREES).nearest(1, origin, 9), []);
        assert_eq!(of(WOLVES).nearest(0, origin, 0), []);
        assert_eq!(of(0).nearest(0, origin, 9), [], "no layer, nobody");
        assert_eq!(
            of(TREES | WOLVES).nearest(0, origin, 3),
            [trees[0], trees[1].min(wolves[1]), trees[1].max(wolves[1])],
            "ties by `Entity`"
        );
        assert_eq!(
            aoi.nearest(0, origin, usize::MAX).len(),
            7,
            "of all layers, and of none"
        );
        assert_eq!(aoi.nearest(0, origin, 1), [nowhere]);

        let few = |entities: &[Entity]| sorted(entities.iter().copied());
        assert_eq!(
            sorted(of(TREES).within_radius(0, origin, 2.0)),
            few(&trees[..2])
        );
        let (min, max) = (Vec3::new(-2.0, 0.0, -1.0), Vec3::new(4.0, 0.0, 1.0));
        assert_eq!(sorted(of(WOLVES).within_box(0, min, max)), few(&wolves));
        assert_eq!(
            of(WOLVES).within_box(0, max, min).count(),
            0,
            "an inside-out box is empty"
        );
        assert_eq!(
            sorted(of(TREES).neighbors_in_radius(wolves[1], 4.0)),
            few(&trees[..2])
        );
        assert_eq!(
            of(WOLVES).neighbors_in_radius(wolves[1], 0.0).count(),
            0,
            "without itself"
        );
        assert_eq!(
            sorted(of(TREES).neighbors_in_radius(viewer, 1.0)),
            trees[..1],
            "of one that is no target"
        );
        assert!(of(WOLVES).neighbors_in_radius(away, 1e9).eq([]));
    });
}

#[test]
fn who_takes_part() {
    let mut game = Game::xz();
    assert!(game.index().is_empty());
    let viewer = game.viewer(0.0, 0.0, 1.0);
    let target = game.spawn((at(0.0, 0.0), AoiTarget::default(), AoiSpace(5)));
    let both = game.spawn((at(9.0, 0.0), AoiViewer::new(1.0), AoiTarget::default()));
    let neither = game.spawn(at(0.0, 0.0));
    assert!(game.index().is_empty(), "as of the last update");
    game.tick();
    let index = game.index();
    assert_eq!((index.len(), index.is_empty()), (3, false));
    assert_eq!(index.plane(), AoiPlane::Xz);
    for entity in [viewer, target, both] {
        assert!(index.contains(entity));
    }
    for entity in [neither, unknown(), Entity::PLACEHOLDER] {
        assert!(!index.contains(entity));
    }
    game.despawn(both);
    game.tick();
    assert!(!game.index().contains(both));
    assert_eq!(game.index().len(), 2);
}

#[test]
fn nobody_sees_itself() {
    let mut game = Game::xz();
    let both = game.spawn((at(0.0, 0.0), AoiViewer::new(5.0), AoiTarget::default()));
    game.insert(both, (AlwaysInView, AoiPins::from_iter([both])));
    let neither = game.spawn(at(0.0, 0.0));
    game.tick();
    for entity in [both, neither, unknown()] {
        let why = why_not(&mut game, entity, entity);
        assert_eq!(why, Some(WhyNot::Itself), "whatever it is otherwise");
    }
}

#[test]
fn who_takes_no_part() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        let viewer = game.viewer(0.0, 0.0, 10.0);
        let target = game.target(1.0, 0.0);
        let nan = at(f32::NAN, 0.0);
        let roles = || (AoiViewer::new(10.0), AoiTarget::default());
        let gone = game.spawn((at(0.0, 0.0), roles()));
        let neither = game.spawn(at(0.0, 0.0));
        let disabled = game.spawn((at(0.0, 0.0), roles(), Disabled));
        let nowhere = game.spawn((nan, roles()));
        let infinite = game.spawn((at(0.0, f32::INFINITY), roles()));
        let placeless = game.spawn(roles());
        let disabled_nan = game.spawn((nan, roles(), Disabled));
        game.tick();
        game.despawn(gone);
        game.tick();
        let late = game.spawn((at(0.0, 0.0), roles()));

        let absences = [
            (gone, Absence::Despawned),
            (neither, Absence::NoComponent),
            (disabled, Absence::Disabled),
            (nowhere, Absence::NotFinite),
            (infinite, Absence::NotFinite),
            (placeless, Absence::NoPosition),
            (disabled_nan, Absence::Disabled),
            (late, Absence::NoPosition),
        ];
        for (entity, absence) in absences {
            assert_eq!(
                why_not(&mut game, entity, target),
                Some(WhyNot::NoViewer(absence)),
                "{setup:?}"
            );
            assert_eq!(
                why_not(&mut game, viewer, entity),
                Some(WhyNot::NoTarget(absence)),
                "{setup:?}"
            );
        }
        // One may have only the other role.
        assert_eq!(
            why_not(&mut game, target, viewer),
            Some(WhyNot::NoViewer(Absence::NoComponent)),
            "{setup:?}: the viewer is looked at first"
        );
        assert_eq!(
            why_not(&mut game, disabled, viewer),
            Some(WhyNot::NoViewer(Absence::Disabled)),
            "{setup:?}"
        );
        let other = game.viewer(1.0, 0.0, 10.0);
        game.tick();
        assert_eq!(
            why_not(&mut game, viewer, other),
            Some(WhyNot::NoTarget(Absence::NoComponent)),
            "{setup:?}"
        );
        assert_eq!(why_not(&mut game, late, target), None, "{setup:?}");

        // And back again.
        game.remove::<Disabled>(disabled);
        game.move_to(nowhere, 2.0, 0.0);
        game.insert(placeless, at(3.0, 0.0));
        game.insert(neither, roles());
        game.tick();
        for entity in [disabled, nowhere, placeless, neither] {
            assert_eq!(why_not(&mut game, entity, target), None, "{setup:?}");
            assert_eq!(why_not(&mut game, viewer, entity), None, "{setup:?}");
        }
    }
}

#[test]
fn one_that_never_was() {
    let mut game = Game::xz();
    let viewer = game.viewer(0.0, 0.0, 10.0);
    let target = game.target(1.0, 0.0);
    game.tick();
    for entity in [unknown(), Entity::PLACEHOLDER] {
        ask(&mut game, |aoi| {
            assert!(!aoi.can_see(entity, target));
            assert!(!aoi.can_see(viewer, entity));
            assert_eq!(aoi.in_view(entity), []);
            assert_eq!(aoi.neighbors_in_radius(entity, 1e9).count(), 0);
            let why = aoi.why_not(entity, target);
            assert!(matches!(why, Some(WhyNot::NoViewer(_))), "{why:?}");
            let why = aoi.why_not(viewer, entity);
            assert!(matches!(why, Some(WhyNot::NoTarget(_))), "{why:?}");
        });
    }
}

#[test]
fn one_that_never_was_does_not_exist() {
    let mut game = Game::xz();
    let viewer = game.viewer(0.0, 0.0, 10.0);
    let target = game.target(1.0, 0.0);
    game.tick();
    for entity in [unknown(), Entity::PLACEHOLDER] {
        assert_eq!(
            why_not(&mut game, entity, target),
            Some(WhyNot::NoViewer(Absence::Despawned)),
        );
        assert_eq!(
            why_not(&mut game, viewer, entity),
            Some(WhyNot::NoTarget(Absence::Despawned)),
        );
    }
}

#[test]
fn an_index_that_is_in_use_again() {
    let mut game = Game::xz();
    let viewer = game.viewer(0.0, 0.0, 10.0);
    let target = game.target(1.0, 0.0);
    game.tick();
    game.despawn(target);
    let next = game.in_place_of(target, (at(2.0, 0.0), AoiTarget::default()));
    game.tick();
    assert_eq!(
        why_not(&mut game, viewer, target),
        Some(WhyNot::NoTarget(Absence::Despawned)),
        "the former owner"
    );
    assert_eq!(why_not(&mut game, viewer, next), None);
}

#[test]
fn between_two_updates() {
    let mut game = Game::xz();
    let viewer = game.viewer(0.0, 0.0, 10.0);
    let target = game.target(1.0, 0.0);
    let other = game.target(2.0, 0.0);
    game.tick();
    game.despawn(target);
    assert!(
        ask(&mut game, |aoi| aoi.can_see(viewer, target)),
        "as of the last update"
    );
    assert_eq!(why_not(&mut game, viewer, target), None, "likewise");

    // A viewer takes its view with it.
    game.despawn(viewer);
    assert!(!ask(&mut game, |aoi| aoi.can_see(viewer, other)));
    assert!(why_not(&mut game, viewer, other).is_some());
}

#[test]
fn a_viewer_that_is_gone_has_no_cap_that_is_full() {
    let mut game = Game::xz();
    let viewer = game.viewer(0.0, 0.0, 10.0);
    let target = game.target(1.0, 0.0);
    game.tick();
    game.despawn(viewer);
    assert_eq!(
        why_not(&mut game, viewer, target),
        Some(WhyNot::NoViewer(Absence::Despawned)),
    );
}

#[test]
fn spaces_and_layers() {
    let mut game = Game::xz();
    let viewer = AoiViewer::new(10.0).with_sees(0b110);
    let viewer = game.spawn((at(0.0, 0.0), viewer, AoiSpace(2)));
    let target = AoiTarget::default().with_layers(0b001);
    let target = game.spawn((at(900.0, 0.0), target));
    game.tick();
    let apart = WhyNot::Space {
        viewer: AoiSpace(2),
        target: AoiSpace(0),
    };
    assert_eq!(
        why_not(&mut game, viewer, target),
        Some(apart),
        "before layers and distance"
    );
    game.insert(viewer, AoiPins::from_iter([target]));
    game.tick();
    assert_eq!(
        why_not(&mut game, viewer, target),
        Some(apart),
        "also of a pin"
    );
    game.insert(target, AoiSpace(2));
    game.tick();
    assert_eq!(
        why_not(&mut game, viewer, target),
        None,
        "a pin needs neither layers nor distance"
    );
    game.remove::<AoiPins>(viewer);
    game.insert(target, AlwaysInView);
    game.tick();
    let layers = WhyNot::Layers {
        sees: 0b110,
        layers: 0b001,
    };
    assert_eq!(
        why_not(&mut game, viewer, target),
        Some(layers),
        "but one that is always in view needs its layers"
    );
    game.change(target, |target: &mut AoiTarget| target.layers = 0b100);
    game.tick();
    assert_eq!(why_not(&mut game, viewer, target), None);
    game.remove::<AlwaysInView>(target);
    game.tick();
    assert_eq!(
        why_not(&mut game, viewer, target),
        out_of_range(900.0, 10.0),
        "and without it has to be near"
    );
    game.move_to(target, 10.0, 0.0);
    game.tick();
    assert_eq!(why_not(&mut game, viewer, target), None, "by distance");
}

#[test]
fn the_blind() {
    for radius in [0.0, -5.0, f32::NAN, f32::NEG_INFINITY] {
        let mut game = Game::xz();
        let viewer = AoiViewer::new(radius).with_leave_margin(50.0);
        let viewer = game.spawn((at(0.0, 0.0), viewer));
        let target = game.spawn((at(0.0, 0.0), AoiTarget::default().with_extra_range(9.0)));
        game.tick();
        let blind = Some(WhyNot::Blind);
        assert_eq!(why_not(&mut game, viewer, target), blind, "{radius}");
        game.insert(target, AlwaysInView);
        game.tick();
        assert_eq!(why_not(&mut game, viewer, target), None, "{radius}");
        game.remove::<AlwaysInView>(target);
        let half = Vec3::splat(1.0);
        game.change(viewer, |viewer: &mut AoiViewer| {
            viewer.shape = ViewShape::Box { half };
        });
        game.tick();
        assert_eq!(
            why_not(&mut game, viewer, target),
            None,
            "{radius}: it plays no part for a box"
        );
    }
}

/// A viewer at the origin and a target at `at`, with an extra range of 1, in space.
fn shaped(shape: ViewShape, radius: f32, place: Vec3) -> Option<WhyNot> {
    let mut game = Game::new(Setup::Minimal, AoiPlugin::xyz());
    let viewer = AoiViewer::new(radius)
        .with_shape(shape)
        .with_leave_margin(50.0);
    let viewer = game.spawn((Transform::default(), viewer));
    let target = AoiTarget::default().with_extra_range(1.0);
    let target = game.spawn((Transform::from_translation(place), target));
    game.tick();
    why_not(&mut game, viewer, target)
}

#[test]
fn how_far_and_how_far_it_may_be() {
    use ViewShape::{Box, Cylinder, Round, Square};
    let v = Vec3::new;

    assert_eq!(shaped(Round, 5.0, v(2.0, 3.0, 6.0)), out_of_range(7.0, 6.0));
    assert_eq!(shaped(Round, 6.0, v(2.0, 3.0, 6.0)), None);

    assert_eq!(
        shaped(Square, 5.0, v(-6.0, 7.0, -8.0)),
        out_of_range(8.0, 6.0),
        "the axis that matters most"
    );
    assert_eq!(
        shaped(Square, 5.0, v(6.0, -6.5, 6.0)),
        out_of_range(6.5, 6.0)
    );
    assert_eq!(shaped(Square, 5.0, v(6.0, -6.0, 6.0)), None);

    let flat = Cylinder { half_height: 2.0 };
    assert_eq!(
        shaped(flat, 5.0, v(1.0, -3.0, 1.0)),
        out_of_range(3.0, 2.0),
        "too high or too low: no extra range there"
    );
    assert_eq!(
        shaped(flat, 5.0, v(-6.0, 2.0, 8.0)),
        out_of_range(10.0, 6.0),
        "beyond the circle, on x and z"
    );
    assert_eq!(
        shaped(flat, f32::INFINITY, v(900.0, 2.5, 0.0)),
        out_of_range(2.5, 2.0),
        "a height bounds also one without radius"
    );
    assert_eq!(shaped(flat, 9.0, v(-6.0, 2.0, 8.0)), None);
    let thin = Cylinder {
        half_height: f32::NAN,
    };
    assert_eq!(
        shaped(thin, 5.0, v(0.0, 0.5, 0.0)),
        out_of_range(0.5, 0.0),
        "a height that is NaN counts as 0"
    );

    let half = v(1.0, 2.0, 3.0);
    assert_eq!(
        shaped(Box { half }, 0.0, v(-2.5, 3.0, 4.0)),
        out_of_range(2.5, 2.0)
    );
    assert_eq!(
        shaped(Box { half }, 0.0, v(2.0, 3.5, 4.0)),
        out_of_range(3.5, 3.0)
    );
    assert_eq!(
        shaped(Box { half }, 0.0, v(2.0, 3.0, -4.5)),
        out_of_range(4.5, 4.0)
    );
    assert_eq!(shaped(Box { half }, 0.0, v(2.0, -3.0, 4.0)), None);
    let negative = v(-7.0, f32::NAN, 3.0);
    assert_eq!(
        shaped(Box { half: negative }, 0.0, v(1.5, 0.0, 0.0)),
        out_of_range(1.5, 1.0),
        "a half side that is negative or NaN counts as 0"
    );
    assert_eq!(
        shaped(Box { half: negative }, 0.0, v(0.0, 1.5, 0.0)),
        out_of_range(1.5, 1.0)
    );
}

#[test]
fn on_the_plane_alone() {
    let shapes = [
        ViewShape::Round,
        ViewShape::Cylinder { half_height: 0.0 },
        ViewShape::Square,
        ViewShape::Box {
            half: Vec3::new(5.0, 0.0, 5.0),
        },
    ];
    for shape in shapes {
        let mut game = Game::xz();
        let viewer = AoiViewer::new(5.0).with_shape(shape);
        let viewer = game.spawn((at(1.0, 1.0), viewer));
        let target = game.spawn((Transform::from_xyz(7.0, 80.0, 1.0), AoiTarget::default()));
        game.tick();
        assert_eq!(
            why_not(&mut game, viewer, target),
            out_of_range(6.0, 5.0),
            "{shape:?}"
        );
        game.change(target, |place: &mut Transform| place.translation.x = 6.0);
        game.tick();
        assert_eq!(why_not(&mut game, viewer, target), None, "{shape:?}");
    }
}

#[test]
fn a_margin_is_for_those_in_view() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        let viewer = AoiViewer::new(10.0).with_leave_margin(5.0);
        let viewer = game.spawn((at(0.0, 0.0), viewer));
        let target = game.target(12.0, 0.0);
        game.tick();
        let why = why_not(&mut game, viewer, target);
        assert_eq!(why, out_of_range(12.0, 10.0), "{setup:?}: never in view");
        game.move_to(target, 9.0, 0.0);
        game.tick();
        game.move_to(target, 15.0, 0.0);
        game.tick();
        let why = why_not(&mut game, viewer, target);
        assert_eq!(why, None, "{setup:?}: held by the margin");
        game.move_to(target, 15.5, 0.0);
        game.tick();
        let why = why_not(&mut game, viewer, target);
        assert_eq!(
            why,
            out_of_range(15.5, 10.0),
            "{setup:?}: out of view, it has to come within the radius again"
        );
        game.move_to(target, 11.0, 0.0);
        game.tick();
        let why = why_not(&mut game, viewer, target);
        assert_eq!(why, out_of_range(11.0, 10.0), "{setup:?}");
    }
}

#[test]
fn no_place_left() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        let viewer = game.spawn((at(0.0, 0.0), AoiViewer::new(10.0).with_max_targets(2)));
        let [first, second, third] = [1.0, 2.0, 3.0].map(|x| game.target(x, 0.0));
        let far = game.target(30.0, 0.0);
        game.tick();
        let full = Some(WhyNot::Cap { max_targets: 2 });
        assert_eq!(why_not(&mut game, viewer, first), None, "{setup:?}");
        assert_eq!(why_not(&mut game, viewer, second), None, "{setup:?}");
        assert_eq!(why_not(&mut game, viewer, third), full, "{setup:?}");
        assert_eq!(
            why_not(&mut game, viewer, far),
            out_of_range(30.0, 10.0),
            "{setup:?}: the cap is the last of the rules"
        );
        game.move_to(third, 0.5, 0.0);
        game.tick();
        assert_eq!(why_not(&mut game, viewer, second), full, "{setup:?}");
        assert_eq!(why_not(&mut game, viewer, third), None, "{setup:?}");

        game.insert(viewer, AoiPins::from_iter([second]));
        game.tick();
        assert_eq!(
            why_not(&mut game, viewer, second),
            None,
            "{setup:?}: a pin takes no place"
        );
        game.change(viewer, |viewer: &mut AoiViewer| {
            viewer.max_targets = Some(0);
        });
        game.tick();
        assert_eq!(why_not(&mut game, viewer, second), None, "{setup:?}");
        assert_eq!(
            why_not(&mut game, viewer, first),
            Some(WhyNot::Cap { max_targets: 0 }),
            "{setup:?}"
        );
    }
}

#[test]
fn why_a_pair_is_in_view() {
    let mut game = Game::xz();
    let viewer = game.spawn((at(0.0, 0.0), AoiViewer::new(10.0).with_leave_margin(5.0)));
    let near = game.target(7.0, 0.0);
    let always = game.spawn((at(700.0, 0.0), AoiTarget::default(), AlwaysInView));
    let pinned = game.spawn((at(800.0, 0.0), AoiTarget::default(), AlwaysInView));
    let far = game.target(70.0, 0.0);
    game.insert(viewer, AoiPins::from_iter([pinned]));
    game.tick();
    game.move_to(near, 14.0, 0.0);
    game.tick();
    ask(&mut game, |aoi| {
        let why = |target| aoi.why(viewer, target);
        assert_eq!(why(near), Some(Why::Distance), "the margin holds it");
        assert_eq!(why(always), Some(Why::Always));
        assert_eq!(why(pinned), Some(Why::Pin), "the first that holds");
        for nobody in [far, viewer, unknown()] {
            assert_eq!(why(nobody), None);
        }
        assert_eq!(aoi.why(near, viewer), None, "it is no viewer");
    });
    let texts = [Why::Distance, Why::Always, Why::Pin].map(|why| why.to_string());
    assert_eq!(texts, ["by distance", "always in view", "by a pin"]);
}

#[test]
fn a_distance_has_the_decimals_it_takes() {
    let text = |distance, range| WhyNot::OutOfRange { distance, range }.to_string();
    for (distance, range, expected) in [
        (52.345, 50.0, "52.3 of 50.0"),
        (50.04, 50.0, "50.04 of 50.00"),
        (50.000_004, 50.0, "50.000004 of 50.000000"),
        (1e30, 1e29, "1.0e30 of 1.0e29"),
        (f32::INFINITY, 0.0, "inf of 0.0"),
        (1.0, 1.0, "1.0 of 1.0"),
    ] {
        let expected = format!("too far away: distance {expected}");
        assert_eq!(text(distance, range), expected);
    }
}

#[test]
fn said_in_words() {
    let no_viewer = |absence| WhyNot::NoViewer(absence).to_string();
    let no_target = |absence| WhyNot::NoTarget(absence).to_string();
    let apart = WhyNot::Space {
        viewer: AoiSpace(1),
        target: AoiSpace(2),
    };
    let layers = WhyNot::Layers {
        sees: 0b110,
        layers: 0b1,
    };
    let far = WhyNot::OutOfRange {
        distance: 12.5,
        range: 10.0,
    };
    let texts = [
        (WhyNot::Itself.to_string(), "nobody sees itself"),
        (no_viewer(Absence::Despawned), "the viewer does not exist"),
        (
            no_viewer(Absence::NoComponent),
            "the viewer has no AoiViewer",
        ),
        (
            no_target(Absence::NoComponent),
            "the target has no AoiTarget",
        ),
        (no_target(Absence::Disabled), "the target is disabled"),
        (
            no_target(Absence::NotFinite),
            "the target has a position that is not finite",
        ),
        (
            no_viewer(Absence::NoPosition),
            "the viewer had no position at the last update",
        ),
        (
            apart.to_string(),
            "the viewer is in space 1, the target in 2",
        ),
        (
            layers.to_string(),
            "no layer in common: the viewer sees bits 1, 2; the target is on bit 0",
        ),
        (
            WhyNot::Blind.to_string(),
            "the viewer is blind: its radius is not above 0",
        ),
        (far.to_string(), "too far away: distance 12.5 of 10.0"),
        (
            WhyNot::Cap { max_targets: 3 }.to_string(),
            "all 3 places are taken",
        ),
    ];
    for (text, expected) in texts {
        assert_eq!(text, expected);
    }
}

#[test]
fn without_any_entity() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xyz());
        for update in 0..2 {
            ask(&mut game, |aoi| {
                let context = format!("{setup:?}, after {update} updates");
                let nobody = unknown();
                assert!(aoi.is_empty(), "{context}");
                assert_eq!(aoi.pairs().count(), 0, "{context}");
                assert!(!aoi.can_see(nobody, nobody), "{context}");
                assert_eq!(aoi.in_view(nobody), [], "{context}");
                assert_eq!(aoi.ring_of(nobody, nobody), None, "{context}");
                assert_eq!(aoi.nearest(0, Vec3::ZERO, 5), [], "{context}");
                let far = f32::INFINITY;
                assert_eq!(aoi.viewers_within(0, Vec3::ZERO, far).count(), 0);
                assert_eq!(aoi.within_radius(0, Vec3::ZERO, far).count(), 0);
                let everywhere = (Vec3::NEG_INFINITY, Vec3::INFINITY);
                let found = aoi.within_box(0, everywhere.0, everywhere.1);
                assert_eq!(found.count(), 0, "{context}");
                let found = aoi.in_layers(u32::MAX).neighbors_in_radius(nobody, far);
                assert_eq!(found.count(), 0, "{context}");
                let why = aoi.why_not(nobody, Entity::PLACEHOLDER);
                assert!(matches!(why, Some(WhyNot::NoViewer(_))), "{context}");
            });
            assert_eq!(game.tick(), silence());
        }
    }
}

/// How many systems have got an answer.
#[derive(Resource, Default)]
struct Answers(usize);

fn by_parameter(aoi: Aoi) {
    assert_eq!(aoi.pairs().count(), 1);
}

fn by_index(index: Res<AoiIndex>) {
    assert_eq!(index.within_radius(0, Vec3::ZERO, 10.0).count(), 1);
}

fn beside_writers(
    aoi: Aoi,
    mut viewers: Query<(Entity, &mut AoiViewer, &mut Transform)>,
    mut targets: Query<(Entity, &mut AoiTarget), Without<AoiViewer>>,
    mut commands: Commands,
    mut answers: ResMut<Answers>,
) {
    for (viewer, mut eyes, mut place) in &mut viewers {
        for (target, mut looks) in &mut targets {
            if aoi.can_see(viewer, target) {
                eyes.radius = 9.0;
                place.translation.x = 1.0;
                looks.layers = 2;
                commands.entity(target).insert(SeenBy::default());
                answers.0 += 1;
            }
        }
    }
}

#[test]
fn several_systems_at_once() {
    assert_is_read_only_system(by_parameter);
    assert_is_read_only_system(by_index);
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        let asked = (
            |aoi: Aoi| assert_eq!(aoi.nearest(0, Vec3::ZERO, 9).len(), 1),
            |aoi: Aoi, index: Res<AoiIndex>| assert_eq!(aoi.len(), index.len()),
            |aoi: Aoi, views: Query<(Entity, &InView)>| {
                for (viewer, view) in &views {
                    assert_eq!(aoi.in_view(viewer), view.as_slice());
                }
            },
            by_parameter,
            by_parameter,
            by_index,
        );
        game.app
            .init_resource::<Answers>()
            .add_systems(setup.schedule(), asked.after(AoiSystems::Emit));
        for (_, schedule) in game.world().resource_mut::<Schedules>().iter_mut() {
            schedule.set_build_settings(ScheduleBuildSettings {
                ambiguity_detection: LogLevel::Error,
                ..default()
            });
        }
        // One that also writes what the others only read, so it has to be ordered.
        game.app.add_systems(Last, beside_writers);
        game.viewer(0.0, 0.0, 10.0);
        game.target(3.0, 0.0);
        game.tick();
        assert_eq!(
            game.app.world().resource::<Answers>().0,
            1,
            "{setup:?}: a system may ask and write components of ours"
        );
    }
}

#[test]
fn several_threads_at_once() {
    let mut game = Game::xz();
    let viewer = game.viewer(0.0, 0.0, 50.5);
    let targets: Vec<_> = (1..=100).map(|x| game.target(x as f32, 0.0)).collect();
    game.tick();
    ask(&mut game, |aoi| {
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for (target, x) in targets.iter().zip(1..) {
                        assert_eq!(aoi.can_see(viewer, *target), x <= 50);
                        assert_eq!(aoi.why_not(viewer, *target).is_none(), x <= 50);
                        let near = aoi.within_radius(0, Vec3::ZERO, x as f32);
                        assert_eq!(near.count(), x);
                        assert_eq!(aoi.nearest(0, Vec3::ZERO, x).len(), x);
                    }
                });
            }
        });
    });
}

// Random worlds against answers worked out by hand.

/// Where on the plane, and how many axes there are.
#[derive(Clone, Copy)]
struct Axes(&'static [usize]);

impl Axes {
    fn finite(self, at: Vec3) -> bool {
        self.0.iter().all(|&axis| at[axis].is_finite())
    }

    /// (8)
    fn squared(self, d: Vec3) -> f32 {
        let squares = self.0.iter().map(|&axis| d[axis] * d[axis]);
        squares.reduce(|sum, square| sum + square).unwrap()
    }
}

/// (9)
fn or_zero(length: f32) -> f32 {
    if length > 0.0 { length } else { 0.0 }
}

/// Why an entity has no part in a role, by its components.
fn absence<C: Component>(world: &World, axes: Axes, entity: Entity) -> Option<Absence> {
    let Ok(entity) = world.get_entity(entity) else {
        return Some(Absence::Despawned);
    };
    let place = entity.get::<GlobalTransform>();
    if !entity.contains::<C>() {
        Some(Absence::NoComponent)
    } else if entity.contains::<Disabled>() {
        Some(Absence::Disabled)
    } else if place.is_none() {
        Some(Absence::NoPosition)
    } else if place.is_some_and(|place| !axes.finite(place.translation())) {
        Some(Absence::NotFinite)
    } else {
        None
    }
}

/// What keeps a pair apart that is not in view, by the order of [`WhyNot`], read from the
/// components.
fn expected(world: &World, axes: Axes, viewer: Entity, target: Entity) -> WhyNot {
    if viewer == target {
        return WhyNot::Itself;
    }
    if let Some(absence) = absence::<AoiViewer>(world, axes, viewer) {
        return WhyNot::NoViewer(absence);
    }
    if let Some(absence) = absence::<AoiTarget>(world, axes, target) {
        return WhyNot::NoTarget(absence);
    }
    let place = |entity| world.get::<GlobalTransform>(entity).unwrap().translation();
    let space = |entity| world.get::<AoiSpace>(entity).copied().unwrap_or_default();
    let eyes = *world.get::<AoiViewer>(viewer).unwrap();
    let looks = *world.get::<AoiTarget>(target).unwrap();
    if space(viewer) != space(target) {
        return WhyNot::Space {
            viewer: space(viewer),
            target: space(target),
        };
    }
    let pins = world.get::<AoiPins>(viewer);
    assert!(
        pins.is_none_or(|pins| !pins.0.contains(&target)),
        "a pinned pair of one space is in view"
    );
    if eyes.sees & looks.layers == 0 {
        return WhyNot::Layers {
            sees: eyes.sees,
            layers: looks.layers,
        };
    }
    assert!(
        world.get::<AlwaysInView>(target).is_none(),
        "one that is always in view is in view"
    );
    let is_box = matches!(eyes.shape, ViewShape::Box { .. });
    if !is_box && (eyes.radius <= 0.0 || eyes.radius.is_nan()) {
        return WhyNot::Blind;
    }
    let extra = or_zero(looks.extra_range);
    let range = eyes.radius + extra;
    let d = place(target) - place(viewer);
    let far = |distance, range| WhyNot::OutOfRange { distance, range };
    let out = match eyes.shape {
        ViewShape::Box { half } => axes
            .0
            .iter()
            .map(|&axis| (d[axis].abs(), or_zero(half[axis]) + extra))
            .find(|(distance, side)| distance > side)
            .map(|(distance, side)| far(distance, side)),
        ViewShape::Square => {
            let most = axes.0.iter().map(|&axis| d[axis].abs());
            let most = most.fold(0.0, f32::max);
            (most > range).then_some(far(most, range))
        }
        ViewShape::Cylinder { half_height } if axes.0.len() == 3 => {
            let flat = d.x * d.x + d.z * d.z;
            if d.y.abs() > or_zero(half_height) {
                Some(far(d.y.abs(), or_zero(half_height)))
            } else {
                (flat > range * range).then_some(far(flat.sqrt(), range))
            }
        }
        ViewShape::Round | ViewShape::Cylinder { .. } => {
            let square = axes.squared(d);
            (square > range * range).then_some(far(square.sqrt(), range))
        }
    };
    out.unwrap_or_else(|| WhyNot::Cap {
        max_targets: eyes
            .max_targets
            .expect("a pair in range is in view unless a cap says no"),
    })
}

/// The same, but for the last bit of a distance.
fn alike(told: WhyNot, expected: WhyNot) -> bool {
    match (told, expected) {
        (
            WhyNot::OutOfRange {
                distance: told,
                range,
            },
            WhyNot::OutOfRange {
                distance,
                range: expected,
            },
        ) => range == expected && (told - distance).abs() <= distance * 1e-6,
        _ => told == expected,
    }
}

fn place(rng: &mut Rng) -> Vec3 {
    if rng.u8(..20) == 0 {
        return Vec3::new(f32::NAN, 0.0, f32::INFINITY);
    }
    // Half of them on a grid, so that bounds are met and distances tie.
    if rng.bool() {
        Vec3::from_array([(); 3].map(|()| rng.i8(-12..=12).into()))
    } else {
        Vec3::from_array([(); 3].map(|()| rng.f32() * 24.0 - 12.0))
    }
}

fn length(rng: &mut Rng) -> f32 {
    match rng.u8(..12) {
        0 => 0.0,
        1 => -3.0,
        2 => f32::NAN,
        3 => f32::INFINITY,
        4 => rng.f32() * 15.0,
        _ => rng.u8(1..15).into(),
    }
}

fn eyes(rng: &mut Rng) -> AoiViewer {
    let shape = match rng.u8(..6) {
        0 => ViewShape::Square,
        1 => ViewShape::Cylinder {
            half_height: length(rng),
        },
        2 => ViewShape::Box {
            half: Vec3::from_array([(); 3].map(|()| length(rng))),
        },
        _ => ViewShape::Round,
    };
    let mut eyes = AoiViewer::new(length(rng)).with_shape(shape);
    if rng.bool() {
        eyes.leave_margin = length(rng);
    }
    if rng.bool() {
        eyes.sees = rng.u32(..4);
    }
    if rng.u8(..3) == 0 {
        eyes.max_targets = Some(rng.u32(..4));
    }
    eyes
}

fn looks(rng: &mut Rng) -> AoiTarget {
    let mut looks = AoiTarget::default();
    if rng.u8(..3) == 0 {
        looks.layers = rng.u32(..4);
    }
    if rng.u8(..3) == 0 {
        looks.extra_range = length(rng);
    }
    looks
}

/// Gives or takes one of the things an entity can have.
fn fiddle(game: &mut Game, rng: &mut Rng, entity: Entity, all: &[Entity]) {
    let away = rng.u8(..4) == 0;
    macro_rules! set {
        ($kind:ty, $value:expr) => {
            if away {
                game.remove::<$kind>(entity);
            } else {
                let value = $value;
                game.insert(entity, value);
            }
        };
    }
    match rng.u8(..10) {
        0..3 => set!(AoiViewer, eyes(rng)),
        3..6 => set!(AoiTarget, looks(rng)),
        6 => set!(AoiSpace, AoiSpace(rng.u32(..2))),
        7 => {
            let pins = (0..rng.usize(..3)).map(|_| all[rng.usize(..all.len())]);
            let pins: AoiPins = pins.collect();
            set!(AoiPins, pins);
        }
        8 if rng.bool() => set!(AlwaysInView, AlwaysInView),
        8 => {
            let rings = AoiRings::from_iter([2.0, 5.0]);
            set!(AoiRings, rings);
        }
        _ if rng.bool() => {
            if away {
                game.insert(entity, Disabled);
            } else {
                game.remove::<Disabled>(entity);
            }
        }
        _ => {
            if away {
                game.remove::<(Transform, GlobalTransform)>(entity);
            } else {
                game.insert(entity, Transform::from_translation(place(rng)));
            }
        }
    }
}

/// Every pair, and every query, of one settled state.
fn compare(game: &mut Game, rng: &mut Rng, axes: Axes, all: &[Entity]) -> [usize; 2] {
    let world = game.app.world_mut();
    let mut state = SystemState::<Aoi>::new(world);
    let world = &*world;
    let aoi = state.get(world).unwrap();

    let mut counts = [0; 2];
    let mut pairs = Vec::new();
    for &viewer in all {
        let view = world.get::<InView>(viewer);
        let view = view.map_or(&[][..], InView::as_slice);
        assert_eq!(aoi.in_view(viewer), view);
        pairs.extend(view.iter().map(|&target| (viewer, target)));
        for &target in all {
            let sees = view.contains(&target);
            counts[usize::from(sees)] += 1;
            assert_eq!(aoi.can_see(viewer, target), sees);
            assert_eq!(aoi.why(viewer, target).is_some(), sees);
            match aoi.why_not(viewer, target) {
                None => assert!(sees, "{viewer} has not {target} in view"),
                Some(why) => {
                    assert!(!sees, "{viewer} has {target} in view, and yet: {why}");
                    let expected = expected(world, axes, viewer, target);
                    assert!(
                        alike(why, expected),
                        "{viewer}, {target}: {why:?} is not {expected:?}"
                    );
                }
            }
            let rings = world.get::<InRings>(viewer);
            let ring = rings.and_then(|rings| rings.ring_of(target));
            assert_eq!(aoi.ring_of(viewer, target), ring);
            let ringed = sees && world.get::<AoiRings>(viewer).is_some();
            assert_eq!(ring.is_some(), ringed, "{viewer}, {target}: {ring:?}");
        }
    }
    let mut told: Vec<_> = aoi.pairs().collect();
    told.sort_unstable();
    pairs.sort_unstable();
    assert_eq!(told, pairs);

    for _ in 0..10 {
        let space = AoiSpace(rng.u32(..3));
        let (center, radius, mask) = (place(rng), length(rng), rng.u32(..4));
        let there = |entity: &Entity| {
            let space_of = world.get::<AoiSpace>(*entity).copied().unwrap_or_default();
            space_of == space
        };
        let place_of = |entity: Entity| world.get::<GlobalTransform>(entity).unwrap().translation();
        let square = |entity: Entity| axes.squared(place_of(entity) - center);
        let within = |entity: &Entity| {
            axes.finite(center) && radius >= 0.0 && square(*entity) <= radius * radius
        };
        let viewers = all
            .iter()
            .copied()
            .filter(|&entity| absence::<AoiViewer>(world, axes, entity).is_none())
            .filter(there);
        assert_eq!(
            sorted(aoi.viewers_within(space, center, radius)),
            sorted(viewers.filter(within)),
            "viewers in {space:?} within {radius} of {center}"
        );
        let targets = all
            .iter()
            .copied()
            .filter(|&entity| absence::<AoiTarget>(world, axes, entity).is_none())
            .filter(there);
        let on_layers =
            |entity: &Entity| world.get::<AoiTarget>(*entity).unwrap().layers & mask != 0;
        assert_eq!(
            sorted(aoi.within_radius(space, center, radius)),
            sorted(targets.clone().filter(within)),
            "targets in {space:?} within {radius} of {center}"
        );
        let layered = targets.clone().filter(on_layers);
        assert_eq!(
            sorted(aoi.in_layers(mask).within_radius(space, center, radius)),
            sorted(layered.clone().filter(within)),
            "targets on {mask:#b} in {space:?} within {radius} of {center}"
        );
        let (min, max) = (center, place(rng));
        let inside = |entity: &Entity| {
            let at = place_of(*entity);
            axes.0
                .iter()
                .all(|&axis| min[axis] <= at[axis] && at[axis] <= max[axis])
        };
        assert_eq!(
            sorted(aoi.in_layers(mask).within_box(space, min, max)),
            sorted(layered.clone().filter(inside)),
            "targets on {mask:#b} in {space:?} between {min} and {max}"
        );
        let asker = all[rng.usize(..all.len())];
        let asker_at = world.get::<GlobalTransform>(asker);
        if let Some(asker_at) = asker_at
            && there(&asker)
            && aoi.contains(asker)
        {
            let near = layered.clone().filter(|&entity| {
                let d = place_of(entity) - asker_at.translation();
                entity != asker && radius >= 0.0 && axes.squared(d) <= radius * radius
            });
            assert_eq!(
                sorted(aoi.in_layers(mask).neighbors_in_radius(asker, radius)),
                sorted(near),
                "targets on {mask:#b} within {radius} of {asker}"
            );
        }
        for (found, among) in [
            (
                aoi.nearest(space, center, 5),
                targets.clone().collect::<Vec<_>>(),
            ),
            (
                aoi.in_layers(mask).nearest(space, center, 5),
                layered.collect(),
            ),
        ] {
            let mut near: Vec<_> = among
                .into_iter()
                .map(|entity| (square(entity), entity))
                .collect();
            near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            near.truncate(if axes.finite(center) { 5 } else { 0 });
            let near: Vec<_> = near.into_iter().map(|(_, entity)| entity).collect();
            assert_eq!(found, near, "nearest in {space:?} to {center}");
        }
    }
    counts
}

#[test]
fn random_worlds_answer_as_their_components_say() {
    let planes: [(fn() -> AoiPlugin, Axes); 3] = [
        (AoiPlugin::xy, Axes(&[0, 1])),
        (AoiPlugin::xz, Axes(&[0, 2])),
        (AoiPlugin::xyz, Axes(&[0, 1, 2])),
    ];
    let mut counts = [0; 2];
    for seed in 0..60 {
        // A panic names its test; this names the seed.
        let world = std::panic::catch_unwind(|| {
            let rng = &mut Rng::with_seed(seed);
            let (plugin, axes) = planes[seed as usize % 3];
            let mut game = Game::new(Setup::Minimal, plugin());
            let mut all: Vec<_> = (0..24)
                .map(|_| game.spawn(Transform::from_translation(place(rng))))
                .collect();
            for &entity in &all {
                if rng.u8(..3) != 0 {
                    game.insert(entity, eyes(rng));
                }
                if rng.u8(..4) != 0 {
                    game.insert(entity, looks(rng));
                }
                for _ in 0..rng.u8(..3) {
                    fiddle(&mut game, rng, entity, &all);
                }
            }
            let mut counts = [0; 2];
            for _ in 0..12 {
                game.tick();
                let here = compare(&mut game, rng, axes, &all);
                counts = [counts[0] + here[0], counts[1] + here[1]];
                for _ in 0..rng.u8(..12) {
                    let index = rng.usize(..all.len());
                    let entity = all[index];
                    if game.app.world().get_entity(entity).is_err() {
                        all[index] = game.spawn((
                            Transform::from_translation(place(rng)),
                            eyes(rng),
                            looks(rng),
                        ));
                    } else if rng.u8(..8) == 0 {
                        game.despawn(entity);
                    } else if rng.bool() {
                        if let Some(mut transform) = game.world().get_mut::<Transform>(entity) {
                            transform.translation = place(rng);
                        }
                    } else {
                        fiddle(&mut game, rng, entity, &all);
                    }
                }
            }
            counts
        });
        let here = world.unwrap_or_else(|panic| {
            eprintln!("seed {seed}");
            std::panic::resume_unwind(panic)
        });
        counts = [counts[0] + here[0], counts[1] + here[1]];
    }
    let [apart, in_view] = counts;
    assert!(
        in_view > 10_000 && apart > 10_000,
        "the worlds were worth asking: {in_view} pairs in view, {apart} apart"
    );
}
