//! Children count where they stand in the world, whatever moved them, in the same update (1).
//!
//! Numbers in brackets are points of `docs/semantics.md`. Everything is tried in `PostUpdate` and in
//! `FixedPostUpdate`, with and without Bevy's own propagation, since each of these fails in its own
//! way: without `TransformPlugin` nothing moves at all, in a fixed schedule it is one frame old, and a
//! frame without a timestep makes a reader of removals miss them.

use core::f32::consts::FRAC_PI_2;

use crate::world::{Game, Setup, at, silence};
use bevy::{ecs::entity_disabling::Disabled, prelude::*};
use bevy_aoi::prelude::*;

/// A viewer that sees 10 around the origin.
fn eye(game: &mut Game) -> Entity {
    game.viewer(0.0, 0.0, 10.0)
}

/// A target that stands at `x`, `z` of `parent`.
fn child(game: &mut Game, parent: Entity, x: f32, z: f32) -> Entity {
    game.spawn((
        at(x, z),
        AoiTarget::default(),
        SeenBy::default(),
        ChildOf(parent),
    ))
}

const AWAY: LeaveReason = LeaveReason::OutOfRange;

#[test]
fn parent_moves() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        let eye = eye(&mut game);
        let parent = game.spawn(at(50.0, 0.0));
        let target = child(&mut game, parent, 3.0, 0.0);
        let grandchild = child(&mut game, target, 3.0, 0.0);
        let rider = game.spawn((at(0.0, 0.0), AoiViewer::new(4.0), ChildOf(parent)));
        assert_eq!(
            game.tick(),
            silence().enter(rider, target),
            "{setup:?}: as a viewer, too"
        );

        game.move_to(parent, 5.0, 0.0);
        assert_eq!(
            game.tick(),
            silence().enter(eye, target),
            "{setup:?}: at 8; the grandchild is at 11"
        );
        game.move_to(parent, 4.0, 0.0);
        assert_eq!(
            game.tick(),
            silence().enter(eye, grandchild),
            "{setup:?}: at 7 and 10"
        );
        game.move_to(parent, -200.0, 0.0);
        assert_eq!(
            game.tick(),
            silence()
                .leave(eye, target, AWAY)
                .leave(eye, grandchild, AWAY),
            "{setup:?}"
        );
        game.move_to(target, 200.0, 0.0);
        assert_eq!(
            game.tick(),
            silence()
                .leave(rider, target, AWAY)
                .enter(eye, target)
                .enter(eye, grandchild),
            "{setup:?}: the child moves, the grandchild goes with it"
        );
    }
}

#[test]
fn another_parent() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        let eye = eye(&mut game);
        let near = game.spawn(at(1.0, 0.0));
        let far = game.spawn(at(100.0, 0.0));
        let target = child(&mut game, far, 3.0, 0.0);
        let grandchild = child(&mut game, target, 1.0, 0.0);
        assert_eq!(game.tick(), silence(), "{setup:?}");

        game.insert(target, ChildOf(near));
        assert_eq!(
            game.tick(),
            silence().enter(eye, target).enter(eye, grandchild),
            "{setup:?}: no transform was touched"
        );
        game.insert(target, ChildOf(far));
        game.insert(target, ChildOf(near));
        assert_eq!(game.tick(), silence(), "{setup:?}: there and back (13)");

        game.insert(near, ChildOf(far));
        assert_eq!(
            game.tick(),
            silence()
                .leave(eye, target, AWAY)
                .leave(eye, grandchild, AWAY),
            "{setup:?}: the parent itself gets a parent"
        );
    }
}

#[test]
fn a_root_gets_a_parent() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        let eye = eye(&mut game);
        let far = game.spawn(at(100.0, 0.0));
        let target = game.target(3.0, 0.0);
        assert_eq!(game.tick(), silence().enter(eye, target), "{setup:?}");
        game.insert(target, ChildOf(far));
        assert_eq!(game.tick(), silence().leave(eye, target, AWAY), "{setup:?}");
    }
}

#[test]
fn parent_lost() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        let eye = eye(&mut game);
        let far = game.spawn(at(100.0, 0.0));
        let target = child(&mut game, far, 3.0, 0.0);
        let with_child = child(&mut game, far, 4.0, 0.0);
        let grandchild = child(&mut game, with_child, 5.0, 0.0);
        let sibling = child(&mut game, far, 6.0, 0.0);
        assert_eq!(game.tick(), silence(), "{setup:?}");

        game.remove::<ChildOf>(target);
        assert_eq!(
            game.tick(),
            silence().enter(eye, target),
            "{setup:?}: no transform was touched"
        );
        game.remove::<ChildOf>(with_child);
        assert_eq!(
            game.tick(),
            silence().enter(eye, with_child).enter(eye, grandchild),
            "{setup:?}: with its own child"
        );
        game.remove::<Children>(far);
        assert_eq!(
            game.tick(),
            silence().enter(eye, sibling),
            "{setup:?}: the parent let all go"
        );

        // Lost and moved at once.
        game.insert(target, ChildOf(far));
        assert_eq!(game.tick(), silence().leave(eye, target, AWAY), "{setup:?}");
        game.remove::<ChildOf>(target);
        game.move_to(target, 0.0, 9.0);
        game.move_to(far, 500.0, 0.0);
        assert_eq!(game.tick(), silence().enter(eye, target), "{setup:?}");
    }
}

#[test]
fn parent_rotated_and_scaled() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        let eye = eye(&mut game);
        let parent = game.spawn(at(0.0, 0.0));
        let target = child(&mut game, parent, 8.0, 0.0);
        let rim = child(&mut game, target, 0.0, 1.0);
        let post = game.spawn((at(0.0, -7.0), AoiViewer::new(2.0)));
        assert_eq!(
            game.tick(),
            silence().enter(eye, target).enter(eye, rim),
            "{setup:?}"
        );

        game.change(parent, |transform: &mut Transform| {
            transform.rotation = Quat::from_rotation_y(FRAC_PI_2);
        });
        assert_eq!(
            game.tick(),
            silence().enter(post, target).enter(post, rim),
            "{setup:?}: x turns to -z"
        );
        game.change(parent, |transform: &mut Transform| {
            transform.scale = Vec3::splat(2.0);
        });
        assert_eq!(
            game.tick(),
            silence()
                .leave(eye, target, AWAY)
                .leave(eye, rim, AWAY)
                .leave(post, target, AWAY)
                .leave(post, rim, AWAY),
            "{setup:?}: 16 away"
        );
        game.change(parent, |transform: &mut Transform| {
            *transform = Transform::from_scale(Vec3::new(0.0, 1.0, 1.0));
        });
        assert_eq!(
            game.tick(),
            silence().enter(eye, target).enter(eye, rim),
            "{setup:?}: pressed flat onto the origin"
        );
    }
}

#[test]
fn moved_while_disabled() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        let eye = eye(&mut game);
        let parent = game.spawn(at(0.0, 0.0));
        let target = child(&mut game, parent, 3.0, 0.0);
        let root = game.target(4.0, 0.0);
        assert_eq!(
            game.tick(),
            silence().enter(eye, target).enter(eye, root),
            "{setup:?}"
        );
        game.insert(target, Disabled);
        game.insert(root, Disabled);
        assert_eq!(
            game.tick(),
            silence().leave(eye, target, LeaveReason::Removed).leave(
                eye,
                root,
                LeaveReason::Removed
            ),
            "{setup:?}"
        );

        // When they move while they are disabled, and Bevy's propagation passes over them.
        game.move_to(target, 70.0, 0.0);
        game.move_to(root, 70.0, 0.0);
        assert_eq!(game.tick(), silence(), "{setup:?}");
        assert_eq!(game.tick(), silence(), "{setup:?}");

        // Then they come back where they are, not where they were.
        game.remove::<Disabled>(target);
        game.remove::<Disabled>(root);
        assert_eq!(game.tick(), silence(), "{setup:?}: far away");

        game.insert(target, Disabled);
        game.insert(root, Disabled);
        game.move_to(target, 2.0, 0.0);
        game.move_to(root, 2.0, 0.0);
        assert_eq!(game.tick(), silence(), "{setup:?}");
        assert_eq!(game.tick(), silence(), "{setup:?}");
        game.remove::<Disabled>(target);
        game.remove::<Disabled>(root);
        assert_eq!(
            game.tick(),
            silence().enter(eye, target).enter(eye, root),
            "{setup:?}: near again, in the very update in which they are back"
        );
    }
}

#[test]
fn parent_moved_while_child_disabled() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        let eye = eye(&mut game);
        let parent = game.spawn(at(0.0, 0.0));
        let target = child(&mut game, parent, 3.0, 0.0);
        let grandchild = child(&mut game, target, 1.0, 0.0);
        game.tick();
        game.insert(target, Disabled);
        game.insert(grandchild, Disabled);
        game.tick();
        game.move_to(parent, 80.0, 0.0);
        assert_eq!(game.tick(), silence(), "{setup:?}");
        assert_eq!(game.tick(), silence(), "{setup:?}");
        game.remove::<Disabled>(target);
        game.remove::<Disabled>(grandchild);
        assert_eq!(game.tick(), silence(), "{setup:?}: they went with it");

        game.insert(target, Disabled);
        assert_eq!(game.tick(), silence(), "{setup:?}");
        game.move_to(parent, 1.0, 0.0);
        let told = game.tick();
        // The grandchild is enabled, its parent is not: it is where its `GlobalTransform` says.
        let says = game.app.world().get::<GlobalTransform>(grandchild).unwrap();
        let near = says.translation().x <= 10.0;
        assert_eq!(
            told,
            if near {
                silence().enter(eye, grandchild)
            } else {
                silence()
            },
            "{setup:?}"
        );
        game.remove::<Disabled>(target);
        game.tick();
        assert_eq!(
            game.view(eye),
            sorted([target, grandchild]),
            "{setup:?}: nobody is disabled any more, so both stand where their parents are"
        );
    }
}

#[test]
fn child_of_a_disabled_parent() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        let eye = eye(&mut game);
        let parent = game.spawn((at(0.0, 0.0), AoiTarget::default()));
        let target = child(&mut game, parent, 3.0, 0.0);
        let grandchild = child(&mut game, target, 1.0, 0.0);
        game.tick();
        game.insert(parent, Disabled);
        assert_eq!(
            game.tick(),
            silence().leave(eye, parent, LeaveReason::Removed),
            "{setup:?}: the child itself is enabled"
        );

        // When the parent moves, and then the child, then both count as `GlobalTransform` says.
        game.move_to(parent, 30.0, 0.0);
        game.tick();
        game.move_to(target, 60.0, 0.0);
        game.tick();
        for entity in [target, grandchild] {
            let says = game.app.world().get::<GlobalTransform>(entity).unwrap();
            let near = says.translation().x <= 10.0;
            assert_eq!(
                game.view(eye).contains(&entity),
                near,
                "{setup:?}: {entity} stands at {}",
                says.translation()
            );
        }

        // When the parent is back, then all stand where they belong.
        game.remove::<Disabled>(parent);
        game.tick();
        assert_eq!(game.view(eye), [], "{setup:?}: at 30, 90 and 91");
        game.move_to(parent, -56.0, 0.0);
        game.tick();
        assert_eq!(game.view(eye), sorted([target, grandchild]), "{setup:?}");
    }
}

#[test]
fn another_parent_while_disabled() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        let eye = eye(&mut game);
        let near = game.spawn(at(1.0, 0.0));
        let far = game.spawn(at(100.0, 0.0));
        let adopted = child(&mut game, far, 3.0, 0.0);
        let orphan = child(&mut game, far, 4.0, 0.0);
        let given_away = game.target(5.0, 0.0);
        assert_eq!(game.tick(), silence().enter(eye, given_away), "{setup:?}");
        for entity in [adopted, orphan, given_away] {
            game.insert(entity, Disabled);
        }
        game.tick();

        game.insert(adopted, ChildOf(near));
        game.remove::<ChildOf>(orphan);
        game.insert(given_away, ChildOf(far));
        // Long enough that Bevy forgets the removals.
        for _ in 0..4 {
            assert_eq!(game.tick(), silence(), "{setup:?}");
        }
        for entity in [adopted, orphan, given_away] {
            game.remove::<Disabled>(entity);
        }
        assert_eq!(
            game.tick(),
            silence().enter(eye, adopted).enter(eye, orphan),
            "{setup:?}: the third is far away now"
        );
    }
}

#[test]
fn all_at_once() {
    for setup in Setup::ALL {
        // Given a family that was disabled as a whole.
        let mut game = Game::new(setup, AoiPlugin::xz());
        let eye = eye(&mut game);
        let parent = game.spawn((at(0.0, 0.0), Disabled));
        let target = child(&mut game, parent, 3.0, 0.0);
        game.insert(target, Disabled);
        game.tick();

        // When in one frame it is enabled, moved, and the child gets another parent.
        let other = game.spawn(at(-40.0, 0.0));
        game.remove::<Disabled>(parent);
        game.remove::<Disabled>(target);
        game.move_to(parent, 200.0, 0.0);
        game.insert(target, ChildOf(other));
        game.move_to(target, 42.0, 0.0);
        assert_eq!(game.tick(), silence().enter(eye, target), "{setup:?}");

        // And in another the child is disabled while its new parent moves, and orphaned when back.
        game.insert(target, Disabled);
        game.move_to(other, -400.0, 0.0);
        assert_eq!(
            game.tick(),
            silence().leave(eye, target, LeaveReason::Removed),
            "{setup:?}"
        );
        game.remove::<Disabled>(target);
        game.remove::<ChildOf>(target);
        assert_eq!(game.tick(), silence(), "{setup:?}: at 42");
        game.insert(target, ChildOf(other));
        game.move_to(other, -42.0, 0.0);
        assert_eq!(game.tick(), silence().enter(eye, target), "{setup:?}");
    }
}

#[test]
fn moved_in_one_frame_and_another_parent_in_the_next() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        let eye = eye(&mut game);
        let a = game.spawn(at(0.0, 0.0));
        let b = game.spawn(at(20.0, 0.0));
        let target = child(&mut game, a, 5.0, 0.0);
        assert_eq!(game.tick(), silence().enter(eye, target), "{setup:?}");
        game.move_to(target, -15.0, 0.0);
        assert_eq!(game.tick(), silence().leave(eye, target, AWAY), "{setup:?}");
        game.insert(target, ChildOf(b));
        assert_eq!(
            game.tick(),
            silence().enter(eye, target),
            "{setup:?}: at 5 again"
        );
        game.move_to(target, 0.0, 0.0);
        assert_eq!(game.tick(), silence().leave(eye, target, AWAY), "{setup:?}");
        game.remove::<ChildOf>(target);
        assert_eq!(
            game.tick(),
            silence().enter(eye, target),
            "{setup:?}: at the origin"
        );
    }
}

#[test]
fn a_long_chain() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        let eye = eye(&mut game);
        let root = game.spawn(at(100.0, 0.0));
        let mut last = root;
        for _ in 0..30 {
            last = game.spawn((at(1.0, 0.0), ChildOf(last)));
        }
        game.insert(last, AoiTarget::default());
        assert_eq!(game.tick(), silence(), "{setup:?}: at 130");
        game.move_to(root, -25.0, 0.0);
        assert_eq!(game.tick(), silence().enter(eye, last), "{setup:?}: at 5");
        assert_eq!(game.tick(), silence(), "{setup:?}");
    }
}

#[test]
fn frames_without_an_update_lose_nothing() {
    for setup in Setup::FIXED {
        let mut game = Game::new(setup, AoiPlugin::xz());
        let eye = eye(&mut game);
        let far = game.spawn(at(100.0, 0.0));
        let near = game.spawn(at(1.0, 0.0));
        let orphan = child(&mut game, far, 2.0, 0.0);
        let orphan_with_child = child(&mut game, far, 3.0, 0.0);
        let grandchild = child(&mut game, orphan_with_child, 1.0, 0.0);
        let adopted = child(&mut game, far, 4.0, 0.0);
        let moved_with_parent = child(&mut game, near, 5.0, 0.0);
        let removed = game.target(6.0, 0.0);
        let despawned = game.target(7.0, 0.0);
        let blinked = game.target(8.0, 0.0);
        let disabled = game.target(9.0, 0.0);
        let doomed = game.spawn(at(0.0, 0.0));
        let doomed_child = child(&mut game, doomed, 0.0, 1.0);
        let source_lost = game.target(0.0, 2.0);
        assert_eq!(
            game.tick(),
            silence()
                .enter(eye, moved_with_parent)
                .enter(eye, removed)
                .enter(eye, despawned)
                .enter(eye, blinked)
                .enter(eye, disabled)
                .enter(eye, doomed_child)
                .enter(eye, source_lost),
            "{setup:?}"
        );

        // When things happen in frames without a timestep, one after the other, for longer than
        // Bevy remembers a removal.
        let empty = |game: &mut Game| {
            assert!(
                game.timesteps(0).is_empty(),
                "{setup:?}: a frame without a timestep has no update"
            );
        };
        game.remove::<ChildOf>(orphan);
        game.remove::<ChildOf>(orphan_with_child);
        empty(&mut game);
        game.insert(adopted, ChildOf(near));
        game.remove::<AoiTarget>(removed);
        empty(&mut game);
        game.despawn(despawned);
        game.despawn(doomed);
        game.move_to(near, 2.0, 0.0);
        empty(&mut game);
        game.insert(disabled, Disabled);
        game.remove::<AoiTarget>(blinked);
        game.remove::<GlobalTransform>(source_lost);
        empty(&mut game);
        game.insert(blinked, AoiTarget::default());
        for _ in 0..5 {
            empty(&mut game);
        }

        // Then the next update tells all of it, and only the outcome (13).
        assert_eq!(
            game.tick(),
            silence()
                .leave(eye, removed, LeaveReason::Removed)
                .leave(eye, despawned, LeaveReason::Despawned)
                .leave(eye, doomed_child, LeaveReason::Despawned)
                .leave(eye, disabled, LeaveReason::Removed)
                .leave(eye, source_lost, LeaveReason::Removed)
                .enter(eye, orphan)
                .enter(eye, orphan_with_child)
                .enter(eye, grandchild)
                .enter(eye, adopted),
            "{setup:?}"
        );
        assert_eq!(game.tick(), silence(), "{setup:?}");
    }
}

#[test]
fn several_updates_in_one_frame() {
    /// Moves as far as it says at each fixed timestep.
    #[derive(Component)]
    struct Walks(f32);

    for setup in Setup::FIXED {
        let mut game = Game::new(setup, AoiPlugin::xz());
        game.app.add_systems(
            FixedUpdate,
            |mut walkers: Query<(&Walks, &mut Transform)>| {
                for (walks, mut transform) in &mut walkers {
                    transform.translation.x += walks.0;
                }
            },
        );
        let eye = eye(&mut game);
        let parent = game.spawn((at(-30.0, 0.0), Walks(4.0)));
        let target = child(&mut game, parent, 1.0, 0.0);

        // At -25, -21, -17, -13, -9 ... 7, 11.
        let mut told = Vec::new();
        for timesteps in [0, 2, 0, 0, 3, 1, 0, 2, 2, 0, 3] {
            let updates = game.timesteps(timesteps);
            assert_eq!(
                updates.len(),
                timesteps as usize,
                "{setup:?}: one update per timestep"
            );
            told.extend(updates);
        }
        for (update, told) in told.iter().enumerate() {
            let expected = match update {
                4 => silence().enter(eye, target),
                9 => silence().leave(eye, target, AWAY),
                _ => silence(),
            };
            assert_eq!(told, &expected, "{setup:?}: timestep {update}");
        }

        // And a change of parent between two frames is told by the first update of the second.
        let near = game.spawn(at(0.0, 0.0));
        game.insert(target, ChildOf(near));
        assert_eq!(
            game.timesteps(2),
            [silence().enter(eye, target), silence()],
            "{setup:?}"
        );
        game.timesteps(0);
        game.insert(target, Disabled);
        game.timesteps(0);
        game.remove::<Disabled>(target);
        assert_eq!(game.timesteps(2), [silence(), silence()], "{setup:?}");
    }
}

/// In the order of a view.
fn sorted<const N: usize>(mut entities: [Entity; N]) -> [Entity; N] {
    entities.sort_unstable();
    entities
}
