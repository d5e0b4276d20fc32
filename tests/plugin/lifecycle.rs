//! What happens to an entity's part in it: it comes, goes, changes, and comes back.
//!
//! Numbers in brackets are points of `docs/semantics.md`. The ways an end of a pair can change
//! between two updates, one test each:
//!
//! 1. spawned
//! 2. component inserted after the spawn
//! 3. despawned
//! 4. despawned with its parent
//! 5. component removed
//! 6. position source removed
//! 7. disabled, enabled
//! 8. component inserted again, or replaced by another value
//! 9. space changed
//! 10. layers changed
//! 11. radius, margin, shape, extra range changed through `&mut`
//! 12. several of these at once: the reason is the first in the order of (17)
//! 13. done and undone between two updates
//! 14. any order of several, over and over

use crate::world::{Game, Setup, Told, at, silence};
use bevy::{ecs::entity_disabling::Disabled, ecs::message::MessageCursor, prelude::*};
use bevy_aoi::prelude::*;

/// A viewer and a target in its view, both of which are viewer and target, so that each tells of
/// the other; settled.
fn two_in_view(setup: Setup) -> (Game, Entity, Entity) {
    let mut game = Game::new(setup, AoiPlugin::xz());
    let both = |x: f32| {
        (
            at(x, 0.0),
            AoiViewer::new(10.0),
            AoiTarget::default(),
            SeenBy::default(),
        )
    };
    let a = game.spawn(both(0.0));
    let b = game.spawn(both(5.0));
    assert_eq!(game.tick(), silence().enter(a, b).enter(b, a), "{setup:?}");
    (game, a, b)
}

/// Both directions of a pair leave.
fn both_leave(a: Entity, b: Entity, reason: LeaveReason) -> Told {
    silence().leave(a, b, reason).leave(b, a, reason)
}

// 1
#[test]
fn spawned() {
    for setup in Setup::ALL {
        let (mut game, a, b) = two_in_view(setup);
        let target = game.target(3.0, 0.0);
        let viewer = game.viewer(0.0, 3.0, 100.0);
        assert_eq!(
            game.tick(),
            silence()
                .enter(a, target)
                .enter(b, target)
                .enter(viewer, a)
                .enter(viewer, b)
                .enter(viewer, target),
            "{setup:?}: one enter for each pair (15)"
        );
        assert_eq!(game.tick(), silence(), "{setup:?}: told once (14)");
    }
}

// 2
#[test]
fn component_inserted_later() {
    for setup in Setup::ALL {
        let (mut game, a, b) = two_in_view(setup);
        let late = game.spawn(at(1.0, 0.0));
        assert_eq!(game.tick(), silence(), "{setup:?}: takes no part (2)");

        game.insert(late, AoiTarget::default());
        assert_eq!(
            game.tick(),
            silence().enter(a, late).enter(b, late),
            "{setup:?}: (15)"
        );
        game.insert(late, AoiViewer::new(10.0));
        assert_eq!(
            game.tick(),
            silence().enter(late, a).enter(late, b),
            "{setup:?}: (15)"
        );
    }
}

// 3
#[test]
fn despawned() {
    for setup in Setup::ALL {
        let (mut game, a, b) = two_in_view(setup);
        game.despawn(b);
        assert_eq!(
            game.tick(),
            both_leave(a, b, LeaveReason::Despawned),
            "{setup:?}: as viewer and as target, with the id as it was (16)"
        );
        assert_eq!(game.tick(), silence(), "{setup:?}: told once");
        assert_eq!(game.view(a), [], "{setup:?}");

        // Both ends at once, and one that was spawned and never seen.
        let c = game.target(1.0, 0.0);
        assert_eq!(game.tick(), silence().enter(a, c), "{setup:?}");
        let never_seen = game.target(2.0, 0.0);
        for entity in [a, c, never_seen] {
            game.despawn(entity);
        }
        assert_eq!(
            game.tick(),
            silence().leave(a, c, LeaveReason::Despawned),
            "{setup:?}: nobody came to know the third (13)"
        );
        assert_eq!(game.stats().members, 0, "{setup:?}");
    }
}

// 4
#[test]
fn despawned_with_its_parent() {
    for setup in Setup::ALL {
        let (mut game, a, b) = two_in_view(setup);
        let parent = game.spawn(at(0.0, 0.0));
        let child = game.spawn((at(1.0, 0.0), AoiTarget::default(), ChildOf(parent)));
        let grandchild = game.spawn((at(1.0, 0.0), AoiViewer::new(4.0), ChildOf(child)));
        assert_eq!(
            game.tick(),
            silence()
                .enter(a, child)
                .enter(b, child)
                .enter(grandchild, a)
                .enter(grandchild, b)
                .enter(grandchild, child),
            "{setup:?}"
        );
        game.despawn(parent);
        assert_eq!(
            game.tick(),
            silence()
                .leave(a, child, LeaveReason::Despawned)
                .leave(b, child, LeaveReason::Despawned)
                .leave(grandchild, a, LeaveReason::Despawned)
                .leave(grandchild, b, LeaveReason::Despawned)
                .leave(grandchild, child, LeaveReason::Despawned),
            "{setup:?}: down to the last (16)"
        );
    }
}

// 5
#[test]
fn component_removed() {
    for setup in Setup::ALL {
        let (mut game, a, b) = two_in_view(setup);
        game.remove::<AoiTarget>(b);
        assert_eq!(
            game.tick(),
            silence().leave(a, b, LeaveReason::Removed),
            "{setup:?}: b still sees a (16)"
        );
        game.remove::<AoiViewer>(b);
        assert_eq!(
            game.tick(),
            silence().leave(b, a, LeaveReason::Removed),
            "{setup:?}: (16)"
        );
        assert_eq!(
            game.app.world().get::<InView>(b).map(InView::len),
            Some(0),
            "{setup:?}: the list stays, empty"
        );
        game.insert(b, (AoiViewer::new(10.0), AoiTarget::default()));
        assert_eq!(
            game.tick(),
            silence().enter(a, b).enter(b, a),
            "{setup:?}: back (15)"
        );
        game.remove::<(AoiViewer, AoiTarget)>(b);
        assert_eq!(
            game.tick(),
            both_leave(a, b, LeaveReason::Removed),
            "{setup:?}: both at once"
        );
    }
}

// 6
#[test]
fn position_source_removed() {
    for setup in Setup::ALL {
        let (mut game, a, b) = two_in_view(setup);
        game.remove::<GlobalTransform>(b);
        assert_eq!(
            game.tick(),
            both_leave(a, b, LeaveReason::Removed),
            "{setup:?}: (2, 17)"
        );
        game.move_to(b, 7.0, 0.0);
        assert_eq!(game.tick(), silence(), "{setup:?}: it is nowhere");

        game.insert(b, GlobalTransform::default());
        assert_eq!(
            game.tick(),
            silence().enter(a, b).enter(b, a),
            "{setup:?}: back (15)"
        );
        game.remove::<(GlobalTransform, Transform)>(b);
        game.insert(b, at(500.0, 0.0));
        assert_eq!(
            game.tick(),
            both_leave(a, b, LeaveReason::OutOfRange),
            "{setup:?}: it is there, but elsewhere (13)"
        );
    }
}

// 7
#[test]
fn disabled_and_enabled() {
    for setup in Setup::ALL {
        let (mut game, a, b) = two_in_view(setup);
        game.insert(b, Disabled);
        assert_eq!(
            game.tick(),
            both_leave(a, b, LeaveReason::Removed),
            "{setup:?}: (16, 17)"
        );
        assert_eq!(game.view(b), [], "{setup:?}: the one that is disabled too");
        assert_eq!(game.tick(), silence(), "{setup:?}");

        game.remove::<Disabled>(b);
        assert_eq!(
            game.tick(),
            silence().enter(a, b).enter(b, a),
            "{setup:?}: (15)"
        );

        // What happens to one that is disabled tells nothing, and counts when it is back.
        game.insert(b, Disabled);
        game.tick();
        game.remove::<AoiTarget>(b);
        game.insert(b, AoiSpace(1));
        assert_eq!(game.tick(), silence(), "{setup:?}");
        game.insert(b, AoiSpace(0));
        game.remove::<Disabled>(b);
        assert_eq!(game.tick(), silence().enter(b, a), "{setup:?}: no target");

        // And one that is despawned while disabled has left already.
        game.insert(b, Disabled);
        assert_eq!(
            game.tick(),
            silence().leave(b, a, LeaveReason::Removed),
            "{setup:?}"
        );
        game.despawn(b);
        assert_eq!(game.tick(), silence(), "{setup:?}: no second leave (14)");
    }
}

#[test]
fn spawned_disabled() {
    for setup in Setup::ALL {
        let (mut game, a, b) = two_in_view(setup);
        let hidden = game.spawn((at(1.0, 0.0), AoiTarget::default(), Disabled));
        let sleeper = game.spawn((at(1.0, 0.0), AoiViewer::new(3.0), Disabled));
        assert_eq!(game.tick(), silence(), "{setup:?}: (2)");
        game.remove::<Disabled>(hidden);
        game.remove::<Disabled>(sleeper);
        assert_eq!(
            game.tick(),
            silence()
                .enter(a, hidden)
                .enter(b, hidden)
                .enter(sleeper, a)
                .enter(sleeper, hidden),
            "{setup:?}: (15)"
        );
    }
}

// 8
#[test]
fn inserted_again_and_replaced() {
    for setup in Setup::ALL {
        let (mut game, a, b) = two_in_view(setup);
        for entity in [a, b] {
            game.insert(
                entity,
                (AoiViewer::new(10.0), AoiTarget::default(), AoiSpace(0)),
            );
        }
        assert_eq!(game.tick(), silence(), "{setup:?}: no change (14)");

        game.insert(a, AoiViewer::new(4.0));
        assert_eq!(
            game.tick(),
            silence().leave(a, b, LeaveReason::OutOfRange),
            "{setup:?}: replaced"
        );
        game.insert(a, AoiViewer::new(5.0));
        assert_eq!(
            game.tick(),
            silence().enter(a, b),
            "{setup:?}: replaced (6)"
        );
        game.insert(b, AoiTarget::default().with_layers(0));
        assert_eq!(
            game.tick(),
            silence().leave(a, b, LeaveReason::Filtered),
            "{setup:?}: replaced (5)"
        );

        // Removed and inserted between two updates is no change either.
        game.remove::<AoiViewer>(b);
        game.insert(b, AoiViewer::new(10.0));
        game.remove::<GlobalTransform>(b);
        game.insert(b, GlobalTransform::default());
        assert_eq!(game.tick(), silence(), "{setup:?}: (13, 14)");
    }
}

// 9
#[test]
fn space_changed() {
    for setup in Setup::ALL {
        let (mut game, a, b) = two_in_view(setup);
        game.insert(b, AoiSpace(3));
        assert_eq!(
            game.tick(),
            both_leave(a, b, LeaveReason::Filtered),
            "{setup:?}: (4, 16)"
        );
        game.insert(a, AoiSpace(3));
        assert_eq!(
            game.tick(),
            silence().enter(a, b).enter(b, a),
            "{setup:?}: together again"
        );
        game.change(a, |space: &mut AoiSpace| space.0 = 4);
        game.change(b, |space: &mut AoiSpace| space.0 = 4);
        assert_eq!(
            game.tick(),
            silence(),
            "{setup:?}: both moved to another space together (14)"
        );
        game.remove::<AoiSpace>(a);
        assert_eq!(
            game.tick(),
            both_leave(a, b, LeaveReason::Filtered),
            "{setup:?}: without the component it is space 0 (4)"
        );
        game.change(b, |space: &mut AoiSpace| space.0 = 0);
        assert_eq!(
            game.tick(),
            silence().enter(a, b).enter(b, a),
            "{setup:?}: no component and 0 are the same"
        );
        game.insert(a, AoiSpace(0));
        game.remove::<AoiSpace>(b);
        assert_eq!(game.tick(), silence(), "{setup:?}");
        game.insert(a, AoiSpace(u32::MAX));
        game.insert(b, AoiSpace(u32::MAX));
        assert_eq!(game.tick(), silence(), "{setup:?}: any number is a space");
    }
}

// 10
#[test]
fn layers_changed() {
    for setup in Setup::ALL {
        let (mut game, a, b) = two_in_view(setup);
        game.change(b, |target: &mut AoiTarget| target.layers = 0b100);
        assert_eq!(game.tick(), silence(), "{setup:?}: a sees all layers (5)");
        game.change(a, |viewer: &mut AoiViewer| viewer.sees = 0b011);
        assert_eq!(
            game.tick(),
            silence().leave(a, b, LeaveReason::Filtered),
            "{setup:?}: (5, 17)"
        );
        game.change(b, |target: &mut AoiTarget| target.layers = 0b110);
        assert_eq!(
            game.tick(),
            silence().enter(a, b),
            "{setup:?}: one in common"
        );
        game.change(b, |target: &mut AoiTarget| target.layers = 0);
        assert_eq!(
            game.tick(),
            silence().leave(a, b, LeaveReason::Filtered),
            "{setup:?}: on no layer at all"
        );
        game.change(b, |target: &mut AoiTarget| target.layers = 1 << 31);
        game.change(a, |viewer: &mut AoiViewer| viewer.sees = 1 << 31);
        assert_eq!(game.tick(), silence().enter(a, b), "{setup:?}: the last");
    }
}

// 11
#[test]
fn reach_changed() {
    for setup in Setup::ALL {
        let (mut game, a, b) = two_in_view(setup);
        let leaves = |a, b| silence().leave(a, b, LeaveReason::OutOfRange);

        game.change(a, |viewer: &mut AoiViewer| viewer.radius = 4.0);
        assert_eq!(game.tick(), leaves(a, b), "{setup:?}: the radius shrank");
        game.change(a, |viewer: &mut AoiViewer| viewer.leave_margin = 1.0);
        assert_eq!(
            game.tick(),
            silence(),
            "{setup:?}: the margin holds only those in view (7)"
        );
        game.change(b, |target: &mut AoiTarget| target.extra_range = 1.0);
        assert_eq!(
            game.tick(),
            silence().enter(a, b),
            "{setup:?}: b can be seen from further away (6)"
        );
        game.change(b, |target: &mut AoiTarget| target.extra_range = 0.0);
        assert_eq!(game.tick(), silence(), "{setup:?}: the margin holds it (7)");
        game.change(a, |viewer: &mut AoiViewer| viewer.leave_margin = 0.5);
        assert_eq!(game.tick(), leaves(a, b), "{setup:?}: the margin shrank");

        game.change(a, |viewer: &mut AoiViewer| viewer.radius = 5.0);
        game.move_to(b, 4.0, 4.0);
        assert_eq!(
            game.tick(),
            silence(),
            "{setup:?}: in the corner, out of the circle"
        );
        game.change(a, |viewer: &mut AoiViewer| {
            viewer.shape = ViewShape::Square;
        });
        assert_eq!(game.tick(), silence().enter(a, b), "{setup:?}: (10)");
        game.change(a, |viewer: &mut AoiViewer| {
            viewer.shape = ViewShape::Box {
                half: Vec3::new(5.0, 0.0, 3.0),
            };
        });
        assert_eq!(game.tick(), leaves(a, b), "{setup:?}: flat on z (10)");
        game.change(a, |viewer: &mut AoiViewer| {
            viewer.shape = ViewShape::Box {
                half: Vec3::new(4.0, -7.0, 4.0),
            };
        });
        assert_eq!(game.tick(), silence().enter(a, b), "{setup:?}: (10)");
        game.change(a, |viewer: &mut AoiViewer| {
            viewer.shape = ViewShape::Cylinder { half_height: 0.0 };
        });
        assert_eq!(
            game.tick(),
            leaves(a, b),
            "{setup:?}: a circle on two axes (10)"
        );
    }
}

// 12
#[test]
fn of_several_reasons_the_first() {
    use LeaveReason::{Despawned, Evicted, Filtered, OutOfRange, Removed};

    /// What a game does to the target of a pair, and to its viewer.
    type Deed = fn(&mut Game, Entity);
    let to_target: [(LeaveReason, &[Deed]); 4] = [
        (
            OutOfRange,
            &[|game: &mut Game, target: Entity| game.move_to(target, 50.0, 0.0)],
        ),
        (
            Filtered,
            &[
                |game: &mut Game, target: Entity| game.insert(target, AoiSpace(1)),
                |game: &mut Game, target: Entity| {
                    game.change(target, |target: &mut AoiTarget| target.layers = 0);
                },
            ],
        ),
        (
            Removed,
            &[
                |game: &mut Game, target: Entity| game.insert(target, Disabled),
                |game: &mut Game, target: Entity| game.remove::<AoiTarget>(target),
                |game: &mut Game, target: Entity| game.remove::<GlobalTransform>(target),
                |game: &mut Game, target: Entity| game.move_to(target, f32::NAN, 0.0),
            ],
        ),
        (
            Despawned,
            &[|game: &mut Game, target: Entity| game.despawn(target)],
        ),
    ];
    let to_viewer: [(LeaveReason, &[Deed]); 4] = [
        (
            OutOfRange,
            &[
                |game: &mut Game, viewer: Entity| game.move_to(viewer, -50.0, 0.0),
                |game: &mut Game, viewer: Entity| {
                    game.change(viewer, |viewer: &mut AoiViewer| viewer.radius = 0.0);
                },
            ],
        ),
        (
            Filtered,
            &[
                |game: &mut Game, viewer: Entity| game.insert(viewer, AoiSpace(2)),
                |game: &mut Game, viewer: Entity| {
                    game.change(viewer, |viewer: &mut AoiViewer| viewer.sees = 0);
                },
            ],
        ),
        (
            Removed,
            &[
                |game: &mut Game, viewer: Entity| game.insert(viewer, Disabled),
                |game: &mut Game, viewer: Entity| game.remove::<AoiViewer>(viewer),
                |game: &mut Game, viewer: Entity| game.remove::<GlobalTransform>(viewer),
                |game: &mut Game, viewer: Entity| game.move_to(viewer, 0.0, f32::INFINITY),
            ],
        ),
        (
            Despawned,
            &[|game: &mut Game, viewer: Entity| game.despawn(viewer)],
        ),
    ];

    // Given a pair for each two of these deeds, one to each end; in spaces of their own.
    let mut game = Game::xz();
    let mut expected = silence();
    let mut entered = silence();
    let mut deeds: Vec<(Deed, Entity, Deed, Entity)> = Vec::new();
    for (target_reason, target_deeds) in to_target {
        for (viewer_reason, viewer_deeds) in to_viewer {
            for target_deed in target_deeds {
                for viewer_deed in viewer_deeds {
                    let space = AoiSpace(100 + deeds.len() as u32);
                    let viewer = game.viewer(0.0, 0.0, 10.0);
                    let target = game.target(3.0, 0.0);
                    game.insert(viewer, space);
                    game.insert(target, space);
                    deeds.push((*target_deed, target, *viewer_deed, viewer));
                    entered = entered.enter(viewer, target);
                    // They are declared in the order in which they count.
                    let reason = target_reason.min(viewer_reason);
                    expected = expected.leave(viewer, target, reason);
                }
            }
        }
    }
    assert_eq!(game.tick(), entered);

    // When all happen in one frame.
    for (target_deed, target, viewer_deed, viewer) in deeds {
        target_deed(&mut game, target);
        viewer_deed(&mut game, viewer);
    }

    // Then each pair leaves for the first reason that holds (17).
    assert_eq!(game.tick(), expected);

    // And `Evicted` is the last of them.
    let viewer = game.spawn((at(0.0, 0.0), AoiViewer::new(10.0).with_max_targets(1)));
    let far = game.target(8.0, 0.0);
    assert_eq!(game.tick(), silence().enter(viewer, far));
    let near = game.target(1.0, 0.0);
    assert_eq!(
        game.tick(),
        silence().leave(viewer, far, Evicted).enter(viewer, near)
    );
    let nearest = game.target(0.0, 0.0);
    game.move_to(near, 11.0, 0.0);
    assert_eq!(
        game.tick(),
        silence()
            .leave(viewer, near, OutOfRange)
            .enter(viewer, nearest),
        "out of range before evicted"
    );
}

// 13
#[test]
fn done_and_undone() {
    for setup in Setup::ALL {
        let (mut game, a, b) = two_in_view(setup);
        let far = game.target(40.0, 0.0);
        assert_eq!(game.tick(), silence(), "{setup:?}");

        game.move_to(b, 90.0, 0.0);
        game.move_to(b, 5.0, 0.0);
        game.move_to(far, 5.0, 0.0);
        game.move_to(far, 40.0, 0.0);
        game.insert(a, AoiSpace(1));
        game.remove::<AoiSpace>(a);
        game.remove::<AoiViewer>(a);
        game.insert(a, AoiViewer::new(10.0));
        game.insert(b, Disabled);
        game.remove::<Disabled>(b);
        game.change(b, |target: &mut AoiTarget| target.layers = 0);
        game.change(b, |target: &mut AoiTarget| target.layers = 1);
        let brief = game.target(1.0, 0.0);
        game.despawn(brief);
        assert_eq!(
            game.tick(),
            silence(),
            "{setup:?}: what was undone is not told (13)"
        );
    }
}

// 13, too: the other way round.
#[test]
fn undone_and_done_while_out_of_view() {
    for setup in Setup::ALL {
        let (mut game, a, b) = two_in_view(setup);
        game.insert(b, Disabled);
        assert_eq!(game.tick(), both_leave(a, b, LeaveReason::Removed));
        game.remove::<Disabled>(b);
        game.insert(b, Disabled);
        assert_eq!(game.tick(), silence(), "{setup:?}: still disabled");
        game.remove::<AoiTarget>(b);
        game.remove::<Disabled>(b);
        game.insert(b, AoiTarget::default());
        game.remove::<AoiViewer>(b);
        assert_eq!(game.tick(), silence().enter(a, b), "{setup:?}");
    }
}

// 14
#[test]
fn one_place_taken_by_another() {
    for setup in Setup::ALL {
        let (mut game, a, b) = two_in_view(setup);
        let mut last = b;
        for round in 0..20 {
            game.despawn(last);
            let next = game.in_place_of(last, (at(5.0, 0.0), AoiTarget::default()));
            assert_ne!(next, last, "the generation is another");
            let mut expected = silence()
                .leave(a, last, LeaveReason::Despawned)
                .enter(a, next);
            if round == 0 {
                expected = expected.leave(last, a, LeaveReason::Despawned);
            }
            assert_eq!(
                game.tick(),
                expected,
                "{setup:?}, round {round}: two entities are two (16)"
            );
            last = next;
        }
    }
}

#[test]
fn all_in_one_frame_for_many_frames() {
    for setup in Setup::ALL {
        let (mut game, a, b) = two_in_view(setup);
        for round in 0..10 {
            // Given they are in view, when one goes one way and the other another, then the pair
            // leaves once; and comes back once.
            game.remove::<AoiTarget>(a);
            game.insert(a, (AoiTarget::default(), Disabled, AoiSpace(5)));
            game.move_to(b, 300.0, 0.0);
            game.remove::<AoiViewer>(b);
            assert_eq!(
                game.tick(),
                both_leave(a, b, LeaveReason::Removed),
                "{setup:?}, round {round}"
            );
            game.remove::<(Disabled, AoiSpace)>(a);
            game.insert(b, AoiViewer::new(10.0));
            game.move_to(b, 5.0, 0.0);
            assert_eq!(
                game.tick(),
                silence().enter(a, b).enter(b, a),
                "{setup:?}, round {round}"
            );
        }
    }
}

#[test]
fn a_viewer_that_is_its_only_target() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        let alone = game.spawn((
            at(0.0, 0.0),
            AoiViewer::new(f32::INFINITY),
            AoiTarget::default(),
            AlwaysInView,
            SeenBy::default(),
        ));
        game.insert(alone, AoiPins::from_iter([alone]));
        assert_eq!(game.tick(), silence(), "{setup:?}: nobody sees itself (3)");
        game.move_to(alone, 1.0, 0.0);
        assert_eq!(game.tick(), silence(), "{setup:?}");
        game.despawn(alone);
        assert_eq!(game.tick(), silence(), "{setup:?}");
    }
}

/// What a system does to a viewer in the middle of an update.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Deed {
    Despawn,
    RemoveComponent,
    ReplaceView,
    RemoveView,
}

#[derive(Resource, Default)]
struct Victim(Option<(Entity, Deed)>);

fn strike(world: &mut World) {
    let Some((victim, deed)) = world.resource_mut::<Victim>().0.take() else {
        return;
    };
    match deed {
        Deed::Despawn => assert!(world.despawn(victim)),
        Deed::RemoveComponent => {
            world.entity_mut(victim).remove::<AoiViewer>();
        }
        Deed::ReplaceView => {
            world.entity_mut(victim).insert(InView::default());
        }
        Deed::RemoveView => {
            world.entity_mut(victim).remove::<InView>();
        }
    }
}

/// (13) (14) Who goes while the plugin is at work is told of in the next update: nothing twice, nothing
/// never.
#[test]
fn a_viewer_that_goes_between_the_systems_of_the_plugin() {
    use Deed::*;
    for between in [
        [AoiSystems::Sync, AoiSystems::Detect],
        [AoiSystems::Detect, AoiSystems::Emit],
    ] {
        for deed in [Despawn, RemoveComponent, ReplaceView, RemoveView] {
            for change in [
                "comes near",
                "goes away",
                "sees further",
                "is capped",
                "is new",
            ] {
                let case = format!("{between:?}, {deed:?}, the viewer {change}");
                let mut app = App::new();
                app.add_plugins((MinimalPlugins, AoiPlugin::xz()))
                    .init_resource::<Victim>()
                    .add_systems(PostUpdate, strike.after(between[0]).before(between[1]));
                let world = app.world_mut();
                let targets = [-60.0, 3.0, 5.0, 13.0, 18.0]
                    .map(|x| world.spawn((at(x, 0.0), AoiTarget::default())).id());
                let viewer = |cap| {
                    let viewer = AoiViewer::new(10.0);
                    (
                        at(0.0, 0.0),
                        AoiViewer {
                            max_targets: cap,
                            ..viewer
                        },
                    )
                };
                let cap = (change == "is capped").then_some(2);
                let mut victim = world.spawn(viewer(cap)).id();
                // Somebody else sees the same.
                world.spawn(viewer(None));
                let mut cursors = (MessageCursor::default(), MessageCursor::default());
                let mut pairs = std::collections::BTreeSet::new();
                let mut update = |app: &mut App| {
                    app.update();
                    let mut seen_by = app.world_mut().query::<(Entity, &SeenBy)>();
                    let world = app.world();
                    for leave in cursors.0.read(world.resource::<Messages<LeaveView>>()) {
                        let pair = (leave.viewer, leave.target);
                        assert!(pairs.remove(&pair), "{case}: {leave:?} was not in view");
                    }
                    for enter in cursors.1.read(world.resource::<Messages<EnterView>>()) {
                        let pair = (enter.viewer, enter.target);
                        assert!(pairs.insert(pair), "{case}: {enter:?} was in view");
                    }
                    assert_eq!(
                        world.resource::<AoiStats>().pairs_in_view,
                        pairs.len(),
                        "{case}"
                    );
                    for (target, seen_by) in seen_by.iter(world) {
                        let viewers = pairs.iter().filter(|pair| pair.1 == target);
                        let viewers = viewers.map(|pair| pair.0);
                        assert!(seen_by.iter().eq(viewers), "{case}: {seen_by:?}");
                    }
                    pairs.clone()
                };
                update(&mut app);
                let world = app.world_mut();
                match change {
                    "comes near" => world.get_mut::<Transform>(victim).unwrap().translation.x = 4.0,
                    "goes away" => world.get_mut::<Transform>(victim).unwrap().translation.x = 90.0,
                    "sees further" => world.get_mut::<AoiViewer>(victim).unwrap().radius = 15.0,
                    "is capped" => world.get_mut::<Transform>(victim).unwrap().translation.x = 8.0,
                    _ => victim = world.spawn(viewer(None)).id(),
                }
                // Is filled while the view is on its way.
                for target in targets {
                    world.entity_mut(target).insert(SeenBy::default());
                }
                world.resource_mut::<Victim>().0 = Some((victim, deed));
                update(&mut app);
                update(&mut app);
                let told = update(&mut app);
                let world = app.world_mut();
                let mut views = world.query::<(Entity, &InView)>();
                let seen = views
                    .iter(world)
                    .flat_map(|(viewer, view)| view.iter().map(move |target| (viewer, target)));
                assert!(
                    told.into_iter()
                        .eq(seen.collect::<std::collections::BTreeSet<_>>()),
                    "{case}"
                );
                let gone = [Despawn, RemoveComponent].contains(&deed);
                let sees = world
                    .get::<InView>(victim)
                    .is_some_and(|view| !view.is_empty());
                assert_eq!(sees, !gone && change != "goes away", "{case}");
            }
        }
    }
}

/// (25) A list is of its target, wherever the game puts it.
#[test]
fn a_list_that_is_carried_to_another_target() {
    let mut game = Game::xz();
    let viewer = game.viewer(0.0, 0.0, 10.0);
    let target = || (at(2.0, 0.0), AoiTarget::default());
    let near = game.spawn((target(), SeenBy::default()));
    game.tick();
    let world = game.app.world_mut();
    assert!(world.get::<SeenBy>(near).unwrap().contains(viewer));
    let carried = world.entity_mut(near).take::<SeenBy>().unwrap();
    world.despawn(near);
    let far = (at(100.0, 0.0), AoiTarget::default(), carried);
    let far = world.spawn(far).id();
    game.tick();
    assert!(game.app.world().get::<SeenBy>(far).unwrap().is_empty());
}

/// (21) (22) A view that is on its way back to its viewer is still its view.
#[test]
fn moves_and_rings_while_a_view_is_on_its_way() {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, AoiPlugin::xz()))
        .init_resource::<Victim>()
        .add_systems(
            PostUpdate,
            strike.after(AoiSystems::Sync).before(AoiSystems::Detect),
        );
    let world = app.world_mut();
    let rings = AoiRings::from_iter([5.0]);
    let viewer = (at(0.0, 0.0), AoiViewer::new(9.0), rings, ReportMoves);
    let viewer = world.spawn(viewer).id();
    let target = world.spawn((at(2.0, 0.0), AoiTarget::default())).id();
    let mut told = (MessageCursor::default(), MessageCursor::default());
    let mut update = |app: &mut App| {
        app.update();
        let (moves, rings) = (
            app.world().resource::<Messages<MoveInView>>(),
            app.world().resource::<Messages<RingChanged>>(),
        );
        [told.0.read(moves).count(), told.1.read(rings).count()]
    };
    assert_eq!(update(&mut app), [0, 1]);
    for x in [2.5, 2.6, 2.7] {
        app.world_mut().entity_mut(target).insert(at(x, 0.0));
        if x == 2.5 {
            app.world_mut().resource_mut::<Victim>().0 = Some((viewer, Deed::ReplaceView));
        }
        assert_eq!(update(&mut app), [1, 0], "at {x}");
    }
}
