//! Numbers that are none, and numbers that are too large: nothing panics, nobody else is affected.
//!
//! Numbers in brackets are points of `docs/semantics.md`.

use crate::log_lines::{stay_on_this_thread, warnings};
use crate::world::{Game, Setup, at, silence};
use bevy::{ecs::entity_disabling::Disabled, prelude::*};
use bevy_aoi::prelude::*;

const NOT_FINITE: [f32; 3] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];

#[test]
fn a_target_without_a_place_is_absent() {
    for setup in Setup::ALL {
        for bad in NOT_FINITE {
            let mut game = Game::new(setup, AoiPlugin::xz());
            let viewer = game.viewer(0.0, 0.0, f32::INFINITY);
            let near = game.viewer(0.0, 0.0, 10.0);
            let target = game.target(3.0, 0.0);
            let other = game.target(4.0, 0.0);
            game.tick();

            game.move_to(target, bad, 0.0);
            assert_eq!(
                game.tick(),
                silence().leave(viewer, target, LeaveReason::Removed).leave(
                    near,
                    target,
                    LeaveReason::Removed
                ),
                "{setup:?}: {bad} is no place (2), not even for one who sees everything"
            );
            assert_eq!(game.view(near), [other], "{setup:?}: no effect on others");

            // It may change from one bad place to another, the other axis included.
            game.move_to(target, 1.0, f32::NAN);
            assert_eq!(game.tick(), silence(), "{setup:?}");
            game.move_to(target, 5.0, 0.0);
            assert_eq!(
                game.tick(),
                silence().enter(viewer, target).enter(near, target),
                "{setup:?}: finite again (15)"
            );
        }
    }
}

#[test]
fn a_viewer_without_a_place_is_absent() {
    for bad in NOT_FINITE {
        let mut game = Game::xz();
        let target = game.target(3.0, 0.0);
        let always = game.spawn((at(900.0, 0.0), AoiTarget::default(), AlwaysInView));
        let viewer = game.viewer(0.0, 0.0, 10.0);
        game.insert(viewer, AoiPins::from_iter([target]));
        let other = game.viewer(0.0, 1.0, 10.0);
        game.tick();

        game.move_to(viewer, 0.0, bad);
        assert_eq!(
            game.tick(),
            silence().leave(viewer, target, LeaveReason::Removed).leave(
                viewer,
                always,
                LeaveReason::Removed
            ),
            "{bad}: neither pin nor `AlwaysInView` hold for one that is absent (2, 11)"
        );
        assert_eq!(game.view(viewer), []);
        assert_eq!(game.view(other).len(), 2, "no effect on others");
        game.move_to(viewer, 0.0, 0.0);
        assert_eq!(
            game.tick(),
            silence().enter(viewer, target).enter(viewer, always)
        );
    }
}

#[test]
fn off_the_plane_anything_goes() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        let viewer = game.viewer(0.0, 0.0, 10.0);
        let target = game.target(3.0, 0.0);
        game.tick();
        for bad in NOT_FINITE {
            game.change(target, |transform: &mut Transform| {
                transform.translation.y = bad;
            });
            assert_eq!(game.tick(), silence(), "{setup:?}: y is not looked at (2)");
            assert_eq!(game.stats().invalid_positions, 0, "{setup:?}");
        }
        game.insert(viewer, Transform::from_xyz(0.0, f32::NAN, 0.0));
        assert_eq!(game.tick(), silence(), "{setup:?}");
    }
}

#[test]
fn children_of_a_parent_without_a_place() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        let viewer = game.viewer(0.0, 0.0, 10.0);
        let parent = game.spawn(at(1.0, 0.0));
        let child = game.spawn((at(1.0, 0.0), AoiTarget::default(), ChildOf(parent)));
        assert_eq!(game.tick(), silence().enter(viewer, child), "{setup:?}");
        game.move_to(parent, f32::NAN, 0.0);
        assert_eq!(
            game.tick(),
            silence().leave(viewer, child, LeaveReason::Removed),
            "{setup:?}"
        );
        assert_eq!(
            game.stats().invalid_positions,
            1,
            "{setup:?}: the parent itself takes no part"
        );
        game.move_to(parent, 1.0, 0.0);
        assert_eq!(game.tick(), silence().enter(viewer, child), "{setup:?}");
    }
}

#[test]
fn one_line_per_entity_and_bout() {
    let mut game = Game::xz();
    let viewer = game.viewer(0.0, 0.0, 10.0);
    let target = game.target(1.0, 0.0);
    let bystander = game.spawn(at(f32::NAN, 0.0));
    game.target(2.0, 0.0);
    stay_on_this_thread(&mut game.app);
    let ticks = |game: &mut Game, n: usize| {
        warnings(|| {
            for _ in 0..n {
                game.tick();
            }
        })
    };
    assert_eq!(
        ticks(&mut game, 3),
        Vec::<String>::new(),
        "one that takes no part in it is not our business"
    );

    game.move_to(target, f32::NAN, 0.0);
    let lines = ticks(&mut game, 10);
    assert_eq!(lines.len(), 1, "one bout, one line (2): {lines:?}");
    assert!(
        lines[0].contains(&target.to_string()),
        "the line names the entity: {lines:?}"
    );
    assert_eq!(game.stats().invalid_positions, 1);

    game.move_to(target, 0.0, f32::INFINITY);
    let lines = ticks(&mut game, 10);
    assert_eq!(lines.len(), 0, "still the same bout: {lines:?}");

    game.move_to(viewer, f32::INFINITY, 0.0);
    let lines = ticks(&mut game, 10);
    assert_eq!(lines.len(), 1, "another entity: {lines:?}");
    assert!(lines[0].contains(&viewer.to_string()), "{lines:?}");
    assert_eq!(game.stats().invalid_positions, 2);

    game.move_to(target, 1.0, 0.0);
    let lines = ticks(&mut game, 10);
    assert_eq!(lines.len(), 0, "good news is no news: {lines:?}");
    assert_eq!(game.stats().invalid_positions, 1);
    assert_eq!(game.view(viewer), []);

    game.move_to(target, f32::NEG_INFINITY, 0.0);
    let lines = ticks(&mut game, 10);
    assert_eq!(lines.len(), 1, "another bout, another line: {lines:?}");

    game.despawn(target);
    game.despawn(viewer);
    let lines = ticks(&mut game, 10);
    assert_eq!(lines.len(), 0, "{lines:?}");
    assert_eq!(game.stats().invalid_positions, 0, "they are gone");

    game.insert(bystander, AoiTarget::default());
    let lines = ticks(&mut game, 10);
    assert_eq!(lines.len(), 1, "now it takes part: {lines:?}");
    game.remove::<AoiTarget>(bystander);
    ticks(&mut game, 1);
    assert_eq!(game.stats().invalid_positions, 0, "and now it does not");
}

#[test]
fn one_line_for_one_that_rests_without_a_place() {
    // Given many who are nowhere from the beginning and never move.
    let mut game = Game::xz();
    stay_on_this_thread(&mut game.app);
    for _ in 0..20 {
        game.target(f32::NAN, f32::NAN);
    }
    let viewer = game.viewer(0.0, 0.0, f32::INFINITY);
    let lines = warnings(|| {
        for _ in 0..20 {
            game.tick();
        }
    });
    assert_eq!(lines.len(), 20, "one for each (2): {lines:?}");
    assert_eq!(game.stats().invalid_positions, 20);
    assert_eq!(game.view(viewer), []);
}

#[test]
fn disabled_and_without_a_place() {
    let mut game = Game::xz();
    let viewer = game.viewer(0.0, 0.0, 10.0);
    let target = game.target(1.0, 0.0);
    game.tick();
    game.insert(target, Disabled);
    game.move_to(target, f32::NAN, 0.0);
    assert_eq!(
        game.tick(),
        silence().leave(viewer, target, LeaveReason::Removed)
    );
    game.remove::<Disabled>(target);
    assert_eq!(game.tick(), silence());
    assert_eq!(game.stats().invalid_positions, 1);
    game.insert(target, Disabled);
    game.move_to(target, 1.0, 0.0);
    assert_eq!(game.tick(), silence());
    game.remove::<Disabled>(target);
    assert_eq!(game.tick(), silence().enter(viewer, target));
    assert_eq!(game.stats().invalid_positions, 0);
}

#[test]
fn blind_radii() {
    for radius in [0.0, -0.0, -1.0, f32::MIN, f32::NAN, f32::NEG_INFINITY] {
        for shape in [
            ViewShape::Round,
            ViewShape::Square,
            ViewShape::Cylinder { half_height: 9.0 },
        ] {
            for plugin in [AoiPlugin::xz(), AoiPlugin::xyz()] {
                let mut game = Game::new(Setup::Minimal, plugin);
                let viewer = game.viewer(0.0, 0.0, 10.0);
                let here = game.target(0.0, 0.0);
                let big = game.spawn((
                    at(0.0, 0.0),
                    AoiTarget::default().with_extra_range(f32::INFINITY),
                ));
                let pinned = game.target(900.0, 0.0);
                game.insert(viewer, AoiPins::from_iter([pinned]));
                let always = game.spawn((at(900.0, 0.0), AoiTarget::default(), AlwaysInView));
                game.tick();
                assert_eq!(game.view(viewer).len(), 4);

                game.insert(
                    viewer,
                    AoiViewer::new(radius)
                        .with_leave_margin(f32::INFINITY)
                        .with_shape(shape),
                );
                assert_eq!(
                    game.tick(),
                    silence()
                        .leave(viewer, here, LeaveReason::OutOfRange)
                        .leave(viewer, big, LeaveReason::OutOfRange),
                    "{radius}, {shape:?}: blind whatever margin and extra range, also for what it \
                     saw before (9), but not for overrides (11)"
                );
                assert_eq!(game.view(viewer).len(), 2);
                assert!(game.view(viewer).contains(&always));
            }
        }
    }
}

#[test]
fn a_box_needs_no_radius() {
    for radius in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let mut game = Game::xz();
        let region = game.viewer(0.0, 0.0, radius);
        game.change(region, |viewer: &mut AoiViewer| {
            viewer.shape = ViewShape::Box {
                half: Vec3::new(9.0, f32::NAN, 2.0),
            };
        });
        let inside = game.target(-9.0, 2.0);
        game.target(9.1, 0.0);
        game.target(0.0, -2.1);
        assert_eq!(
            game.tick(),
            silence().enter(region, inside),
            "{radius}: the radius plays no part (10), nor does an axis off the plane"
        );
        game.change(region, |viewer: &mut AoiViewer| {
            viewer.shape = ViewShape::Box {
                half: Vec3::new(f32::NAN, 0.0, -1.0),
            };
        });
        assert_eq!(
            game.tick(),
            silence().leave(region, inside, LeaveReason::OutOfRange),
            "{radius}: no extent"
        );
        game.move_to(inside, 0.0, 0.0);
        assert_eq!(
            game.tick(),
            silence().enter(region, inside),
            "{radius}: bounds are inclusive (6)"
        );
    }
}

#[test]
fn a_radius_without_bound() {
    let mut game = Game::new(Setup::Minimal, AoiPlugin::xyz());
    let viewer = game.viewer(-f32::MAX, 0.0, f32::INFINITY);
    let far = game.target(f32::MAX, f32::MAX);
    let high = game.spawn((Transform::from_xyz(0.0, 50.0, 0.0), AoiTarget::default()));
    assert_eq!(
        game.tick(),
        silence().enter(viewer, far).enter(viewer, high),
        "the squared distance is infinite, and so is the squared radius (9)"
    );
    for shape in [ViewShape::Square, ViewShape::Round] {
        game.change(viewer, |viewer: &mut AoiViewer| viewer.shape = shape);
        assert_eq!(game.tick(), silence(), "{shape:?}");
    }
    game.change(viewer, |viewer: &mut AoiViewer| {
        viewer.shape = ViewShape::Cylinder { half_height: 49.0 };
    });
    assert_eq!(
        game.tick(),
        silence().leave(viewer, high, LeaveReason::OutOfRange),
        "a cylinder's height still holds (9)"
    );
    game.change(viewer, |viewer: &mut AoiViewer| viewer.radius = f32::NAN);
    assert_eq!(
        game.tick(),
        silence().leave(viewer, far, LeaveReason::OutOfRange)
    );
}

#[test]
fn margins_extra_ranges_and_heights_that_count_as_none() {
    for bad in [-1.0, -0.0, f32::MIN, f32::NAN, f32::NEG_INFINITY] {
        let mut game = Game::new(Setup::Minimal, AoiPlugin::xyz());
        let viewer = game.spawn((at(0.0, 0.0), AoiViewer::new(5.0).with_leave_margin(bad)));
        let post = game.spawn((
            at(0.0, 0.0),
            AoiViewer::new(5.0).with_shape(ViewShape::Cylinder { half_height: bad }),
        ));
        let region = game.spawn((
            at(0.0, 0.0),
            AoiViewer::new(5.0).with_shape(ViewShape::Box {
                half: Vec3::new(5.0, bad, 5.0),
            }),
        ));
        let target = game.spawn((at(5.0, 0.0), AoiTarget::default().with_extra_range(bad)));
        assert_eq!(
            game.tick(),
            silence()
                .enter(viewer, target)
                .enter(post, target)
                .enter(region, target),
            "{bad} counts as 0 (9)"
        );
        game.insert(target, Transform::from_xyz(4.0, 0.01, 0.0));
        assert_eq!(
            game.tick(),
            silence()
                .leave(post, target, LeaveReason::OutOfRange)
                .leave(region, target, LeaveReason::OutOfRange),
            "{bad}: no height, no margin"
        );
        game.insert(target, at(5.001, 0.0));
        assert_eq!(
            game.tick(),
            silence().leave(viewer, target, LeaveReason::OutOfRange),
            "{bad}: no margin"
        );
    }
}

#[test]
fn margins_and_extra_ranges_without_bound() {
    let mut game = Game::xz();
    let keeper = game.spawn((
        at(0.0, 0.0),
        AoiViewer::new(5.0).with_leave_margin(f32::INFINITY),
    ));
    let viewer = game.viewer(0.0, 0.0, 1.0);
    let target = game.target(4.0, 0.0);
    let sun = game.spawn((
        at(f32::MAX, -f32::MAX),
        AoiTarget::default().with_extra_range(f32::INFINITY),
    ));
    assert_eq!(
        game.tick(),
        silence()
            .enter(keeper, target)
            .enter(keeper, sun)
            .enter(viewer, sun),
        "an infinite extra range is seen from everywhere"
    );
    game.move_to(target, -f32::MAX, 0.0);
    assert_eq!(game.tick(), silence(), "an infinite margin keeps for ever");
    game.remove::<AoiTarget>(target);
    game.tick();
    game.insert(target, AoiTarget::default());
    assert_eq!(game.tick(), silence(), "but does not bring into view (7)");
}

#[test]
fn squares_are_taken_as_they_come() {
    let mut game = Game::xz();
    let tiny = game.viewer(0.0, 0.0, 1e-30);
    let huge = game.viewer(0.0, 0.0, f32::MAX);
    let square = game.viewer(-f32::MAX, 0.0, f32::MAX);
    game.change(square, |viewer: &mut AoiViewer| {
        viewer.shape = ViewShape::Square;
    });
    let close = game.target(1e-25, 0.0);
    let near = game.target(1e-20, 0.0);
    let far = game.target(f32::MAX, f32::MAX);
    let edge = game.target(0.0, f32::MAX);
    assert_eq!(
        game.tick(),
        silence()
            .enter(tiny, close)
            .enter(huge, close)
            .enter(huge, near)
            .enter(huge, far)
            .enter(huge, edge)
            .enter(square, close)
            .enter(square, near)
            .enter(square, edge),
        "(8, 9): squares that underflow are equal, squares that overflow are too; a square is \
         not squared"
    );
}

#[test]
fn as_far_as_numbers_go() {
    // Given those who stand at the largest coordinates there are, walking there.
    for setup in [Setup::Minimal, Setup::FixedTransforms] {
        let mut game = Game::new(setup, AoiPlugin::xz());
        let far = f32::MAX;
        let step = far.next_down();
        let viewer = game.viewer(far, far, 1.0);
        let there = game.target(far, far);
        let opposite = game.target(-far, -far);
        let beside = game.target(step, far);
        assert_eq!(
            game.tick(),
            silence().enter(viewer, there),
            "{setup:?}: the smallest step there is is huge"
        );
        game.move_to(beside, far, far);
        game.move_to(there, step, far);
        assert_eq!(
            game.tick(),
            silence()
                .leave(viewer, there, LeaveReason::OutOfRange)
                .enter(viewer, beside),
            "{setup:?}"
        );
        game.move_to(viewer, -far, -far);
        assert_eq!(
            game.tick(),
            silence()
                .leave(viewer, beside, LeaveReason::OutOfRange)
                .enter(viewer, opposite),
            "{setup:?}: from one end to the other"
        );
        let index = game.index();
        assert_eq!(
            index.nearest(0, Vec3::new(far, 0.0, far), 4).len(),
            3,
            "{setup:?}"
        );
        assert_eq!(
            index.within_box(0, Vec3::MIN, Vec3::MAX).count(),
            3,
            "{setup:?}: everything"
        );
    }
}

#[test]
fn a_crowd_with_some_at_the_ends_of_the_world() {
    // Given so many that the structure divides the axes, when one goes to each end.
    let ends = [f32::MAX, -f32::MAX, 1e30, -1e30];
    for plugin in [AoiPlugin::xy, AoiPlugin::xz, AoiPlugin::xyz] {
        let mut game = Game::new(Setup::Minimal, plugin());
        let crowd: Vec<_> = (0..1000)
            .map(|i| {
                let place = Vec3::new((i % 10) as f32, (i / 10 % 10) as f32, (i / 100) as f32);
                game.spawn((
                    Transform::from_translation(place),
                    AoiTarget::default(),
                    AoiViewer::new(0.5),
                ))
            })
            .collect();
        game.tick();
        for (i, &end) in ends.iter().enumerate() {
            for axis in 0..3 {
                let mut place = Vec3::ZERO;
                place[axis] = end;
                game.insert(crowd[3 * i + axis], Transform::from_translation(place));
            }
        }
        game.insert(
            crowd[500],
            Transform::from_translation(Vec3::splat(f32::MIN)),
        );
        game.insert(
            crowd[501],
            Transform::from_translation(Vec3::splat(f32::MIN)),
        );
        game.tick();
        assert_eq!(
            game.view(crowd[500]),
            [crowd[501]],
            "they see each other there"
        );
        game.insert(
            crowd[501],
            Transform::from_translation(Vec3::splat(f32::MAX)),
        );
        assert_eq!(
            game.tick(),
            silence()
                .leave(crowd[500], crowd[501], LeaveReason::OutOfRange)
                .leave(crowd[501], crowd[500], LeaveReason::OutOfRange)
        );
    }
}

#[test]
fn zeros_are_equal() {
    let mut game = Game::xz();
    let viewer = game.viewer(-0.0, 0.0, f32::MIN_POSITIVE);
    let target = game.target(0.0, -0.0);
    assert_eq!(game.tick(), silence().enter(viewer, target));
    game.move_to(target, -0.0, 0.0);
    game.move_to(viewer, 0.0, -0.0);
    assert_eq!(game.tick(), silence());
}

#[test]
fn questions_without_an_answer() {
    let mut game = Game::xz();
    let viewer = game.viewer(0.0, 0.0, 10.0);
    let target = game.target(1.0, 0.0);
    let stranger = game.spawn(at(0.0, 0.0));
    let hidden = game.spawn((at(0.0, 0.0), AoiTarget::default(), Disabled));
    let nowhere = game.target(f32::NAN, 0.0);
    let dead = game.target(0.0, 0.0);
    game.tick();
    game.despawn(dead);
    game.tick();

    // (26): an empty answer, not a panic.
    let index = game.index();
    for unknown in [Entity::PLACEHOLDER, stranger, hidden, nowhere, dead] {
        assert_eq!(
            index.neighbors_in_radius(unknown, 100.0).count(),
            0,
            "{unknown} is not in it"
        );
    }
    for radius in [-1.0, f32::NAN, f32::NEG_INFINITY] {
        assert_eq!(index.neighbors_in_radius(viewer, radius).count(), 0);
        assert_eq!(index.within_radius(0, Vec3::ZERO, radius).count(), 0);
    }
    for center in [
        Vec3::new(f32::NAN, 0.0, 0.0),
        Vec3::new(0.0, 0.0, f32::NAN),
        Vec3::NAN,
    ] {
        assert_eq!(index.within_radius(0, center, f32::INFINITY).count(), 0);
        assert_eq!(index.within_box(0, center, Vec3::MAX).count(), 0);
        assert_eq!(index.within_box(0, Vec3::MIN, center).count(), 0);
        assert!(index.nearest(0, center, 3).is_empty());
    }
    assert_eq!(
        index.within_box(0, Vec3::ONE, -Vec3::ONE).count(),
        0,
        "corners the wrong way round"
    );
    assert_eq!(
        index.within_radius(77, Vec3::ZERO, f32::INFINITY).count(),
        0,
        "a space that nobody was ever in"
    );
    assert!(index.nearest(77, Vec3::ZERO, 3).is_empty());
    assert!(index.nearest(0, Vec3::ZERO, 0).is_empty());
    let nobody = index.in_layers(0);
    assert_eq!(
        nobody.within_radius(0, Vec3::ZERO, f32::INFINITY).count(),
        0
    );
    assert!(nobody.nearest(0, Vec3::ZERO, 3).is_empty());

    // And what does have an answer still has it.
    assert!(index.neighbors_in_radius(viewer, 1.0).eq([target]));
    assert!(
        index
            .within_radius(0, Vec3::ZERO, f32::INFINITY)
            .eq([target])
    );
    assert!(
        index
            .within_radius(0, Vec3::new(1.0, f32::NAN, 0.0), 0.0)
            .eq([target]),
        "only the plane's axes count; at radius 0 who stands there is within"
    );
    assert_eq!(index.nearest(0, Vec3::ZERO, usize::MAX), [target]);
}
