//! How it is told: in which order, to whom, and what a reader finds and may do.
//!
//! Numbers in brackets are points of `docs/semantics.md`.

use std::collections::{BTreeMap, BTreeSet};

use crate::world::{Game, Setup, Told, at, silence};
use bevy::{ecs::entity_disabling::Disabled, prelude::*};
use bevy_aoi::prelude::*;

/// One message or event, whichever kind it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Heard {
    Leave(LeaveView),
    Enter(EnterView),
}

impl Heard {
    fn viewer(self) -> Entity {
        match self {
            Self::Leave(leave) => leave.viewer,
            Self::Enter(enter) => enter.viewer,
        }
    }
}

/// What was told, as one stream: leaves first.
fn stream(told: &Told) -> Vec<Heard> {
    let leaves = told.left.iter().map(|&(viewer, target, reason)| {
        Heard::Leave(LeaveView {
            viewer,
            target,
            reason,
        })
    });
    let enters = told
        .entered
        .iter()
        .map(|&(viewer, target)| Heard::Enter(EnterView { viewer, target }));
    leaves.chain(enters).collect()
}

/// The entity events of all viewers since the last look, in the order in which they came.
#[derive(Resource, Default)]
struct Events(Vec<Heard>);

impl Events {
    fn listen(app: &mut App) {
        app.init_resource::<Self>()
            .add_observer(|leave: On<LeaveView>, mut events: ResMut<Self>| {
                events.0.push(Heard::Leave(*leave));
            })
            .add_observer(|enter: On<EnterView>, mut events: ResMut<Self>| {
                events.0.push(Heard::Enter(*enter));
            });
    }

    fn take(game: &mut Game) -> Vec<Heard> {
        core::mem::take(&mut game.world().resource_mut::<Self>().0)
    }
}

#[test]
fn sorted_also_with_indices_used_again() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        // Given entities of all ages: some got the index of one that is gone.
        let mut viewers: Vec<_> = (0..8).map(|_| game.viewer(0.0, 0.0, 10.0)).collect();
        let mut targets: Vec<_> = (0..8).map(|_| game.target(1.0, 0.0)).collect();
        game.tick();
        for turn in [1, 4, 2] {
            let old = [viewers[turn], targets[turn + 1], targets[7 - turn]];
            for old in old {
                game.despawn(old);
            }
            let target = (at(1.0, 0.0), AoiTarget::default(), SeenBy::default());
            targets[turn + 1] = game.in_place_of(old[0], target);
            let viewer = (at(0.0, 0.0), AoiViewer::new(10.0));
            viewers[turn] = game.in_place_of(old[2], viewer);
            targets[7 - turn] = game.target(1.0, 0.0);
            game.tick();
        }
        let ages: BTreeSet<_> = viewers
            .iter()
            .chain(&targets)
            .map(|entity| entity.generation().to_bits())
            .collect();
        assert!(
            ages.len() > 1,
            "the story needs indices that are used again"
        );

        // When all leave, then all enter, then both kinds come at once.
        let pairs: BTreeSet<_> = viewers
            .iter()
            .flat_map(|&viewer| targets.iter().map(move |&target| (viewer, target)))
            .collect();
        for &target in &targets {
            game.move_to(target, 90.0, 0.0);
        }
        let told = game.tick();
        assert!(
            told.left
                .iter()
                .map(|leave| (leave.0, leave.1))
                .eq(pairs.iter().copied()),
            "{setup:?}: by viewer, then target, by `Ord` of `Entity` (18): {told:?}"
        );
        for &target in &targets {
            game.move_to(target, 1.0, 0.0);
        }
        let told = game.tick();
        assert!(told.entered.iter().eq(&pairs), "{setup:?}: (18): {told:?}");
        for &target in &targets[..4] {
            game.despawn(target);
        }
        for _ in 0..4 {
            game.target(2.0, 0.0);
        }
        let told = game.tick();
        // That they are sorted is what the reader of `support/world.rs` checks at each update.
        assert_eq!((told.left.len(), told.entered.len()), (32, 32), "{setup:?}");
    }
}

#[test]
fn readers_find_the_new_state() {
    type Everybody<'w, 's> = Query<
        'w,
        's,
        (
            Option<&'static InView>,
            Option<&'static SeenBy>,
            &'static GlobalTransform,
        ),
    >;

    /// What a reader finds must be as of the update that the message is of (19). All viewers of
    /// this story see 10 around them.
    fn check(
        viewer: Entity,
        target: Entity,
        in_view: bool,
        everybody: &Everybody,
        index: &AoiIndex,
    ) {
        let finds = |answer: Vec<Entity>| answer.contains(&target);
        if let Ok((list, _, place)) = everybody.get(viewer) {
            assert_eq!(
                list.unwrap().contains(target),
                in_view,
                "`InView` of {viewer}"
            );
            assert_eq!(
                finds(index.neighbors_in_radius(viewer, 10.0).collect()),
                in_view,
                "the neighbours of {viewer}"
            );
            assert_eq!(
                finds(index.within_radius(0, place.translation(), 10.0).collect()),
                in_view,
                "those around {viewer}"
            );
        }
        if let Ok((_, list, _)) = everybody.get(target) {
            assert_eq!(
                list.unwrap().contains(viewer),
                in_view,
                "`SeenBy` of {target}"
            );
        } else {
            assert!(
                !finds(index.nearest(0, Vec3::ZERO, 1000)),
                "{target} is gone"
            );
        }
    }

    fn read(
        mut left: MessageReader<LeaveView>,
        mut entered: MessageReader<EnterView>,
        everybody: Everybody,
        index: Res<AoiIndex>,
        mut count: ResMut<Checked>,
    ) {
        for leave in left.read() {
            check(leave.viewer, leave.target, false, &everybody, &index);
            count.read += 1;
        }
        for enter in entered.read() {
            check(enter.viewer, enter.target, true, &everybody, &index);
            count.read += 1;
        }
    }

    #[derive(Resource, Default)]
    struct Checked {
        read: usize,
        observed: usize,
    }

    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        game.app
            .init_resource::<Checked>()
            .add_systems(setup.schedule(), read.after(AoiSystems::Emit))
            .add_observer(
                |leave: On<LeaveView>,
                 everybody: Everybody,
                 index: Res<AoiIndex>,
                 mut checked: ResMut<Checked>| {
                    check(leave.viewer, leave.target, false, &everybody, &index);
                    checked.observed += 1;
                },
            )
            .add_observer(
                |enter: On<EnterView>,
                 everybody: Everybody,
                 index: Res<AoiIndex>,
                 mut checked: ResMut<Checked>| {
                    check(enter.viewer, enter.target, true, &everybody, &index);
                    checked.observed += 1;
                },
            );
        let viewers: Vec<_> = (0..3)
            .map(|i| game.spawn((at(0.0, i as f32), AoiViewer::new(10.0), AoiEvents)))
            .collect();
        let targets: Vec<_> = (0..6).map(|_| game.target(0.0, 1.0)).collect();
        let mut told = 18;
        game.tick();

        // All kinds of going, in one frame with all kinds of coming; nothing in this story is left
        // within reach of the viewer that it has left.
        game.move_to(targets[0], 50.0, 0.0);
        game.remove::<AoiTarget>(targets[1]);
        game.despawn(targets[2]);
        game.move_to(targets[3], f32::NAN, 0.0);
        game.insert(targets[4], AoiSpace(1));
        game.target(0.0, 2.0);
        told += 3 * 5 + 3;
        game.tick();

        game.move_to(targets[0], 0.0, 0.0);
        game.insert(targets[1], AoiTarget::default());
        game.move_to(viewers[0], 0.0, -200.0);
        told += 2 * 2 + 2;
        game.tick();

        let checked = game.app.world().resource::<Checked>();
        assert_eq!(checked.read, told, "{setup:?}: all messages were read");
        assert_eq!(checked.observed, told, "{setup:?}: all events were heard");
    }
}

/// What a reader does with the two ends of the first message that it reads, and what that tells
/// at the next update.
struct Deed {
    name: &'static str,
    act: fn(&mut Commands, viewer: Entity, target: Entity),
    tells: fn(Told, viewer: Entity, target: Entity, spawned: Option<Entity>) -> Told,
}

/// Marks what a deed spawned.
#[derive(Component)]
struct Spawned;

/// Deeds on the two ends of an enter, of a viewer at the origin that sees 10.
const DEEDS: [Deed; 13] = [
    Deed {
        name: "despawns the target",
        act: |commands, _, target| commands.entity(target).despawn(),
        tells: |told, viewer, target, _| told.leave(viewer, target, LeaveReason::Despawned),
    },
    Deed {
        name: "despawns the viewer",
        act: |commands, viewer, _| commands.entity(viewer).despawn(),
        tells: |told, viewer, target, _| told.leave(viewer, target, LeaveReason::Despawned),
    },
    Deed {
        name: "despawns both",
        act: |commands, viewer, target| {
            commands.entity(target).despawn();
            commands.entity(viewer).despawn();
        },
        tells: |told, viewer, target, _| told.leave(viewer, target, LeaveReason::Despawned),
    },
    Deed {
        name: "moves the target away",
        act: |commands, _, target| {
            commands.entity(target).insert(at(500.0, 0.0));
        },
        tells: |told, viewer, target, _| told.leave(viewer, target, LeaveReason::OutOfRange),
    },
    Deed {
        name: "moves both away together",
        act: |commands, viewer, target| {
            commands.entity(viewer).insert(at(500.0, 0.0));
            commands.entity(target).insert(at(500.0, 3.0));
        },
        tells: |told, _, _, _| told,
    },
    Deed {
        name: "disables the target",
        act: |commands, _, target| {
            commands.entity(target).insert(Disabled);
        },
        tells: |told, viewer, target, _| told.leave(viewer, target, LeaveReason::Removed),
    },
    Deed {
        name: "disables the viewer",
        act: |commands, viewer, _| {
            commands.entity(viewer).insert(Disabled);
        },
        tells: |told, viewer, target, _| told.leave(viewer, target, LeaveReason::Removed),
    },
    Deed {
        name: "inserts both ends again",
        act: |commands, viewer, target| {
            commands.entity(viewer).insert(AoiViewer::new(10.0));
            commands.entity(target).insert(AoiTarget::default());
        },
        tells: |told, _, _, _| told,
    },
    Deed {
        name: "removes both ends and inserts them again",
        act: |commands, viewer, target| {
            commands
                .entity(viewer)
                .remove::<AoiViewer>()
                .insert(AoiViewer::new(10.0));
            commands
                .entity(target)
                .remove::<AoiTarget>()
                .insert(AoiTarget::default());
        },
        tells: |told, _, _, _| told,
    },
    Deed {
        name: "removes both ends",
        act: |commands, viewer, target| {
            commands.entity(viewer).remove::<AoiViewer>();
            commands.entity(target).remove::<AoiTarget>();
        },
        tells: |told, viewer, target, _| told.leave(viewer, target, LeaveReason::Removed),
    },
    Deed {
        name: "moves the target to another space",
        act: |commands, _, target| {
            commands.entity(target).insert(AoiSpace(8));
        },
        tells: |told, viewer, target, _| told.leave(viewer, target, LeaveReason::Filtered),
    },
    Deed {
        name: "spawns another target",
        act: |commands, _, _| {
            commands.spawn((at(0.0, 4.0), AoiTarget::default(), Spawned));
        },
        tells: |told, viewer, _, spawned| told.enter(viewer, spawned.unwrap()),
    },
    Deed {
        name: "puts another in the place of the target",
        act: |commands, _, target| {
            commands.entity(target).despawn();
            commands.spawn((at(0.0, 4.0), AoiTarget::default(), Spawned));
        },
        tells: |told, viewer, target, spawned| {
            told.leave(viewer, target, LeaveReason::Despawned)
                .enter(viewer, spawned.unwrap())
        },
    },
];

/// The deed that the reader is to do at its next enter.
#[derive(Resource)]
struct Reaction(Option<fn(&mut Commands, Entity, Entity)>);

fn react(
    mut entered: MessageReader<EnterView>,
    mut reaction: ResMut<Reaction>,
    mut commands: Commands,
) {
    for enter in entered.read() {
        if let Some(act) = reaction.0.take() {
            act(&mut commands, enter.viewer, enter.target);
        }
    }
}

fn react_to_event(enter: On<EnterView>, mut reaction: ResMut<Reaction>, mut commands: Commands) {
    if let Some(act) = reaction.0.take() {
        act(&mut commands, enter.viewer, enter.target);
    }
}

#[test]
fn what_a_reader_does_is_told_next_time() {
    for setup in Setup::ALL {
        for by_observer in [false, true] {
            for deed in &DEEDS {
                let case = format!("{setup:?}, observer: {by_observer}, {}", deed.name);
                let mut game = Game::new(setup, AoiPlugin::xz());
                game.app.insert_resource(Reaction(Some(deed.act)));
                if by_observer {
                    game.app.add_observer(react_to_event);
                } else {
                    game.app
                        .add_systems(setup.schedule(), react.after(AoiSystems::Emit));
                }
                let viewer = game.spawn((at(0.0, 0.0), AoiViewer::new(10.0), AoiEvents));
                let target = game.target(3.0, 0.0);

                // The update in which it is read tells nothing of it,
                assert_eq!(game.tick(), silence().enter(viewer, target), "{case}");
                // the next one tells it, once (20).
                let mut spawned = game.world().query_filtered::<Entity, With<Spawned>>();
                let spawned = spawned.iter(game.app.world()).next();
                assert_eq!(
                    game.tick(),
                    (deed.tells)(silence(), viewer, target, spawned),
                    "{case}"
                );
                assert_eq!(game.tick(), silence(), "{case}");
            }
        }
    }
}

#[test]
fn a_leave_names_those_who_are_gone() {
    /// What a game keeps for each entity that it knows, filled at enter.
    #[derive(Resource, Default)]
    struct Tags(BTreeMap<Entity, String>);

    /// The tags of those who left, looked up at leave.
    #[derive(Resource, Default)]
    struct Farewells(Vec<String>);

    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        game.app
            .init_resource::<Tags>()
            .init_resource::<Farewells>()
            .add_systems(
                setup.schedule(),
                (|mut left: MessageReader<LeaveView>,
                  mut entered: MessageReader<EnterView>,
                  names: Query<&Name>,
                  mut tags: ResMut<Tags>,
                  mut farewells: ResMut<Farewells>| {
                    for leave in left.read() {
                        let tag = tags.0.remove(&leave.target).unwrap();
                        farewells.0.push(tag);
                    }
                    for enter in entered.read() {
                        let name = names.get(enter.target).unwrap();
                        tags.0.insert(enter.target, name.to_string());
                    }
                })
                .after(AoiSystems::Emit),
            );
        game.viewer(0.0, 0.0, 10.0);
        let ann = game.spawn((at(1.0, 0.0), AoiTarget::default(), Name::new("Ann")));
        game.tick();

        // When one despawns and another gets its index in the same frame,
        game.despawn(ann);
        let ben = (at(1.0, 0.0), AoiTarget::default(), Name::new("Ben"));
        let ben = game.in_place_of(ann, ben);
        game.tick();
        game.move_to(ben, 2.0, 0.0);
        game.tick();
        game.move_to(ben, 3.0, 0.0);
        game.despawn(ben);
        game.tick();

        // then the leaves still say who it was (16).
        let farewells = &game.app.world().resource::<Farewells>().0;
        assert_eq!(farewells, &["Ann", "Ben"], "{setup:?}");
        let tags = &game.app.world().resource::<Tags>().0;
        assert!(tags.is_empty(), "{setup:?}: nobody is forgotten: {tags:?}");
    }
}

#[test]
fn events_are_the_messages_of_those_who_asked() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        Events::listen(&mut game.app);
        let mut rng = fastrand::Rng::with_seed(23);
        let place = |rng: &mut fastrand::Rng| (rng.f32() * 40.0, rng.f32() * 40.0);
        let mut viewers: Vec<_> = (0..6)
            .map(|i| {
                let (x, z) = place(&mut rng);
                let viewer = game.viewer(x, z, 15.0);
                if i % 2 == 0 {
                    game.insert(viewer, AoiEvents);
                }
                viewer
            })
            .collect();
        let mut targets: Vec<_> = (0..20)
            .map(|_| {
                let (x, z) = place(&mut rng);
                game.target(x, z)
            })
            .collect();

        let mut heard = 0;
        for step in 0..60 {
            for _ in 0..6 {
                let (x, z) = place(&mut rng);
                let who = targets[rng.usize(..targets.len())];
                game.move_to(who, x, z);
            }
            if step % 5 == 0 {
                let (x, z) = place(&mut rng);
                let slot = rng.usize(..targets.len());
                game.despawn(targets[slot]);
                targets[slot] = game.target(x, z);
            }
            if step % 7 == 0 {
                let slot = rng.usize(..viewers.len());
                game.despawn(viewers[slot]);
                let (x, z) = place(&mut rng);
                viewers[slot] = game.spawn((at(x, z), AoiViewer::new(15.0), AoiEvents));
            }
            let told = game.tick();
            let events = Events::take(&mut game);
            let expected: Vec<_> = stream(&told)
                .into_iter()
                .filter(|heard| {
                    let viewer = game.app.world().get_entity(heard.viewer());
                    viewer.is_ok_and(|viewer| viewer.contains::<AoiEvents>())
                })
                .collect();
            assert_eq!(
                events, expected,
                "{setup:?}, step {step}: the same, in the same order, for viewers with `AoiEvents` \
                 that are still there (23)"
            );
            heard += events.len();
        }
        assert!(heard > 100, "the story needs something to tell");
    }
}

#[test]
fn events_begin_and_end_with_the_component() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        Events::listen(&mut game.app);
        let viewer = game.viewer(0.0, 0.0, 10.0);
        let target = game.target(1.0, 0.0);
        assert_eq!(game.tick(), silence().enter(viewer, target), "{setup:?}");
        assert_eq!(Events::take(&mut game), [], "{setup:?}: it did not ask");

        game.insert(viewer, AoiEvents);
        assert_eq!(game.tick(), silence(), "{setup:?}");
        assert_eq!(Events::take(&mut game), [], "{setup:?}: nothing changed");

        // One that is disabled, or no viewer any more, is still there to be told.
        let leave = |told: Told| {
            let heard = stream(&told);
            assert_eq!(heard.len(), 1, "{told:?}");
            heard
        };
        game.insert(viewer, Disabled);
        let told = leave(game.tick());
        assert_eq!(Events::take(&mut game), told, "{setup:?}: disabled");
        game.remove::<Disabled>(viewer);
        let told = leave(game.tick());
        assert_eq!(Events::take(&mut game), told, "{setup:?}: enabled");
        game.remove::<AoiViewer>(viewer);
        let told = leave(game.tick());
        assert_eq!(Events::take(&mut game), told, "{setup:?}: no viewer now");
        game.insert(viewer, AoiViewer::new(10.0));
        let told = leave(game.tick());
        assert_eq!(Events::take(&mut game), told, "{setup:?}: again");

        game.remove::<AoiEvents>(viewer);
        game.despawn(target);
        assert_eq!(
            game.tick(),
            silence().leave(viewer, target, LeaveReason::Despawned),
            "{setup:?}"
        );
        assert_eq!(Events::take(&mut game), [], "{setup:?}: it asked no more");
    }
}

#[test]
fn messages_are_written_before_events_are_triggered() {
    #[derive(Resource, Default)]
    struct Seen(Vec<(usize, usize)>);

    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        game.app
            .init_resource::<Seen>()
            .add_observer(
                |_: On<LeaveView>,
                 left: Res<Messages<LeaveView>>,
                 entered: Res<Messages<EnterView>>,
                 mut seen: ResMut<Seen>| {
                    seen.0.push((left.len(), entered.len()));
                },
            )
            .add_observer(
                |_: On<EnterView>,
                 left: Res<Messages<LeaveView>>,
                 entered: Res<Messages<EnterView>>,
                 mut seen: ResMut<Seen>| {
                    seen.0.push((left.len(), entered.len()));
                },
            );
        let first = game.spawn((at(0.0, 0.0), AoiViewer::new(10.0), AoiEvents));
        game.viewer(0.0, 0.0, 10.0);
        let old = game.target(1.0, 0.0);
        game.tick();
        // Let Bevy forget the messages of the first update.
        for _ in 0..3 {
            game.tick();
        }
        game.world().resource_mut::<Seen>().0.clear();

        game.despawn(old);
        game.target(1.0, 0.0);
        game.target(2.0, 0.0);
        game.tick();
        let seen = &game.app.world().resource::<Seen>().0;
        assert_eq!(
            seen,
            &[(2, 4); 3],
            "{setup:?}: at each event of {first} all messages of the update are there (23)"
        );
    }
}

#[test]
fn an_observer_may_despawn_the_viewer() {
    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        let mut last = Vec::new();
        let viewer = game
            .world()
            .spawn((at(0.0, 0.0), AoiViewer::new(10.0), AoiEvents))
            .observe(|enter: On<EnterView>, mut commands: Commands| {
                commands.entity(enter.viewer).try_despawn();
            })
            .id();
        let other = game.spawn((at(0.0, 0.0), AoiViewer::new(10.0), AoiEvents));
        for i in 0..5 {
            last.push(game.target(i as f32, 0.0));
        }
        let told = game.tick();
        assert_eq!(told.entered.len(), 10, "{setup:?}");
        let expected = last.iter().fold(silence(), |told, &target| {
            told.leave(viewer, target, LeaveReason::Despawned)
        });
        assert_eq!(game.tick(), expected, "{setup:?}: told next time (20)");
        assert_eq!(game.view(other).len(), 5, "{setup:?}: nobody else minds");
    }
}

#[test]
fn targets_that_asked_are_told_who_sees_them() {
    /// Target, viewer, and whether it is seen or with which reason no more.
    #[derive(Resource, Default)]
    struct Felt(Vec<(Entity, Entity, Option<LeaveReason>)>);

    for setup in Setup::ALL {
        let mut game = Game::new(setup, AoiPlugin::xz());
        game.app
            .init_resource::<Felt>()
            .add_observer(|seen: On<Seen>, mut felt: ResMut<Felt>| {
                felt.0.push((seen.target, seen.viewer, None));
            })
            .add_observer(|unseen: On<Unseen>, mut felt: ResMut<Felt>| {
                felt.0
                    .push((unseen.target, unseen.viewer, Some(unseen.reason)));
            });
        let mut rng = fastrand::Rng::with_seed(27);
        let mut targets: Vec<_> = (0..12)
            .map(|i| {
                let target = game.target(rng.f32() * 40.0, 0.0);
                if i % 3 != 0 {
                    game.insert(target, AoiSeenEvents);
                }
                target
            })
            .collect();
        for i in 0..5 {
            game.viewer(10.0 * i as f32, 0.0, 8.0);
        }
        let mut count = 0;
        for step in 0..40 {
            for _ in 0..4 {
                let who = targets[rng.usize(..targets.len())];
                game.move_to(who, rng.f32() * 40.0, 0.0);
            }
            if step % 6 == 0 {
                let slot = rng.usize(..targets.len());
                game.despawn(targets[slot]);
                targets[slot] = game.target(rng.f32() * 40.0, 0.0);
                game.insert(targets[slot], AoiSeenEvents);
            }
            if step % 10 == 5 {
                let who = targets[rng.usize(..targets.len())];
                game.insert(who, Disabled);
            }
            let told = game.tick();
            let asked = |target: &Entity| {
                let target = game.app.world().get_entity(*target);
                target.is_ok_and(|target| target.contains::<AoiSeenEvents>())
            };
            let leaves = told
                .left
                .iter()
                .map(|leave| (leave.1, leave.0, Some(leave.2)));
            let enters = told.entered.iter().map(|enter| (enter.1, enter.0, None));
            let expected: Vec<_> = leaves
                .chain(enters)
                .filter(|change| asked(&change.0))
                .collect();
            let felt = core::mem::take(&mut game.world().resource_mut::<Felt>().0);
            assert_eq!(
                felt, expected,
                "{setup:?}, step {step}: the messages, in their order, for targets that asked"
            );
            count += felt.len();
        }
        assert!(count > 50, "the story needs something to tell: {count}");
    }
}
