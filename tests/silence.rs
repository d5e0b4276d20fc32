//! An update in which nothing changed costs nothing (24): no message, no allocation, no pair looked at.
//!
//! Numbers in brackets are points of `docs/semantics.md`. Allocations are counted on the thread that
//! runs the app, with all schedules on that thread, and compared with the same app without the
//! plugin, since what Bevy itself allocates in a frame is not ours. With the feature `parallel`
//! Bevy's propagation allocates as its threads happen to meet, so allocations are not compared then.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

use bevy::{
    ecs::{
        entity_disabling::Disabled,
        schedule::{ScheduleLabel, Schedules, SingleThreadedExecutor},
    },
    prelude::*,
    time::TimeUpdateStrategy,
};
use bevy_aoi::prelude::*;

/// The system's allocator, counting the calls of each thread that ask for memory.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    // A thread that is ending has no counter any more, and nobody asks for it.
    let _ = ALLOCATIONS.try_with(|calls| calls.set(calls.get() + 1));
}

// SAFETY: every call is passed on to `System` as it is. Counting neither allocates nor panics: the
// counter is a constant-initialised `Cell` without a destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the promises that `System` asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the promises that `System` asks for.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the promises that `System` asks for.
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the promises that `System` asks for.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How an app is put together.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Setup {
    fixed: bool,
    transform_plugin: bool,
}

const SETUPS: [Setup; 4] = [
    Setup {
        fixed: false,
        transform_plugin: false,
    },
    Setup {
        fixed: false,
        transform_plugin: true,
    },
    Setup {
        fixed: true,
        transform_plugin: false,
    },
    Setup {
        fixed: true,
        transform_plugin: true,
    },
];

/// Whether two frames that do the same allocate the same.
const COMPARABLE: bool = !cfg!(feature = "parallel");

/// How long the entities of a story rest until every buffer has its size.
const WARM_UP: usize = 10;

/// An app with or without the plugin.
struct Game {
    app: App,
    rng: fastrand::Rng,
    crowd: Vec<Entity>,
}

impl Game {
    fn new(setup: Setup, with_plugin: bool) -> Self {
        let mut app = App::new();
        app.add_plugins(MinimalPlugins);
        if setup.transform_plugin {
            app.add_plugins(TransformPlugin);
        }
        app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
        let schedule = if setup.fixed {
            FixedPostUpdate.intern()
        } else {
            PostUpdate.intern()
        };
        if with_plugin {
            app.add_plugins(AoiPlugin::xz().in_schedule(schedule));
        }
        let mut schedules = app.world_mut().resource_mut::<Schedules>();
        for (_, schedule) in schedules.iter_mut() {
            schedule.set_executor(SingleThreadedExecutor::new());
        }
        Self {
            app,
            rng: fastrand::Rng::with_seed(24),
            crowd: Vec::new(),
        }
    }

    /// Some thousand of all kinds, some of them in families, one in ten with a view.
    fn populate(&mut self) {
        for i in 0..4000 {
            let place = Vec3::new(self.rng.f32() * 800.0, 0.0, self.rng.f32() * 800.0);
            let mut entity = self.app.world_mut().spawn((
                Transform::from_translation(place),
                AoiTarget::default(),
                SeenBy::default(),
            ));
            if i % 10 == 0 {
                entity.insert((
                    AoiViewer::new(40.0).with_leave_margin(2.0),
                    AoiEvents,
                    AoiPins::default(),
                ));
            }
            if i % 50 == 0 {
                entity.insert(AoiViewer::new(60.0).with_max_targets(5));
            }
            if i % 70 == 0 {
                entity.insert(AoiSpace(1));
            }
            if i % 400 == 0 {
                entity.insert(AlwaysInView);
            }
            if i % 90 == 0 {
                entity.insert(Disabled);
            }
            let id = entity.id();
            if i % 100 == 99 {
                let parent = self.crowd[i - 1];
                self.app
                    .world_mut()
                    .entity_mut(id)
                    .insert((ChildOf(parent), Transform::from_xyz(1.0, 0.0, 0.0)));
            }
            self.crowd.push(id);
        }
        let pet = self.crowd[1];
        let owner = self.crowd[10];
        self.app
            .world_mut()
            .entity_mut(owner)
            .insert(AoiPins::from_iter([pet]));
    }

    /// Runs one frame; how often it asked for memory.
    fn allocations(&mut self) -> u64 {
        let before = ALLOCATIONS.get();
        self.app.update();
        ALLOCATIONS.get() - before
    }

    fn rest(&mut self) {
        for _ in 0..WARM_UP {
            self.app.update();
        }
    }

    fn stats(&self) -> &AoiStats {
        self.app.world().resource()
    }

    /// How many messages were written since the last call.
    fn messages(&mut self) -> usize {
        let world = self.app.world_mut();
        world.resource_mut::<Messages<EnterView>>().drain().count()
            + world.resource_mut::<Messages<LeaveView>>().drain().count()
    }
}

/// Runs `frames` frames of both apps; nothing may happen in them, and the plugin may add nothing to
/// what Bevy allocates. `each` is what the game itself does before each frame.
#[track_caller]
fn assert_silent(
    case: &str,
    with: &mut Game,
    without: &mut Game,
    frames: usize,
    each: fn(&mut Game, usize),
) {
    with.messages();
    let mut ours = Vec::new();
    let mut bevys = Vec::new();
    ours.reserve(frames);
    bevys.reserve(frames);
    for frame in 0..frames {
        each(with, frame);
        each(without, frame);
        ours.push(with.allocations());
        bevys.push(without.allocations());
        let stats = with.stats();
        assert_eq!(
            (stats.pairs_tested, stats.entered, stats.left),
            (0, 0, 0),
            "{case}: frame {frame} looked at pairs"
        );
        assert_eq!(with.messages(), 0, "{case}: frame {frame} told something");
    }
    if COMPARABLE {
        assert_eq!(
            ours, bevys,
            "{case}: allocations in each frame with the plugin (left) and without (right)"
        );
    }
}

#[test]
fn the_counter_counts() {
    let before = ALLOCATIONS.get();
    let list: Vec<u64> = core::hint::black_box(Vec::with_capacity(100));
    assert_eq!(ALLOCATIONS.get() - before, 1);
    drop(list);
}

#[test]
fn a_resting_world() {
    for setup in SETUPS {
        let [mut with, mut without] = [true, false].map(|plugin| {
            let mut game = Game::new(setup, plugin);
            game.populate();
            game.rest();
            game
        });
        assert!(
            with.stats().pairs_in_view > 5000,
            "the story needs views: {}",
            with.stats().pairs_in_view
        );
        let case = format!("{setup:?}");
        assert_silent(&case, &mut with, &mut without, 20, |_, _| {});
        assert_eq!(with.stats().moved, 0, "{case}");
    }
}

#[test]
fn a_world_that_is_touched_but_does_not_move() {
    for setup in SETUPS {
        let [mut with, mut without] = [true, false].map(|plugin| {
            let mut game = Game::new(setup, plugin);
            game.populate();
            game.rest();
            game
        });
        let touch = |game: &mut Game, _: usize| {
            for i in 0..game.crowd.len() {
                let entity = game.crowd[i];
                let mut entity = game.app.world_mut().entity_mut(entity);
                entity.get_mut::<Transform>().unwrap().set_changed();
                entity.get_mut::<AoiTarget>().unwrap().set_changed();
                if let Some(mut viewer) = entity.get_mut::<AoiViewer>() {
                    viewer.set_changed();
                }
            }
        };
        for frame in 0..WARM_UP {
            touch(&mut with, frame);
            touch(&mut without, frame);
            with.app.update();
            without.app.update();
        }
        // The same values again are no change, and nobody has to look at a pair for that.
        let case = format!("{setup:?}");
        assert_silent(&case, &mut with, &mut without, 10, touch);
        assert_eq!(with.stats().moved, 0, "{case}");
    }
}

#[test]
fn after_a_mass_leave() {
    for setup in SETUPS {
        let [mut with, mut without] = [true, false].map(|plugin| {
            let mut game = Game::new(setup, plugin);
            game.populate();
            game.rest();
            for (i, entity) in game.crowd.split_off(1500).into_iter().enumerate() {
                match i % 4 {
                    0 => {
                        game.app.world_mut().entity_mut(entity).insert(Disabled);
                    }
                    1 => {
                        game.app.world_mut().entity_mut(entity).insert(AoiSpace(9));
                    }
                    _ => {
                        // Children of those despawned before are gone by now.
                        if let Ok(entity) = game.app.world_mut().get_entity_mut(entity) {
                            entity.despawn();
                        }
                    }
                }
            }
            game.rest();
            game
        });
        let case = format!("{setup:?}");
        assert_silent(&case, &mut with, &mut without, 20, |_, _| {});
    }
}

#[test]
fn right_after_a_small_change_after_a_bulk() {
    for setup in SETUPS {
        let [mut with, mut without] = [true, false].map(|plugin| {
            let mut game = Game::new(setup, plugin);
            game.populate();
            game.rest();
            // All part and come together again: thousands of messages, and buffers to match.
            for away in [1e4, -1e4, 1e4, -1e4] {
                for (i, &entity) in game.crowd.iter().enumerate() {
                    let mut entity = game.app.world_mut().entity_mut(entity);
                    entity.get_mut::<Transform>().unwrap().translation.x += away * i as f32;
                }
                game.app.update();
            }
            // A few messages only.
            let mut one = game.app.world_mut().entity_mut(game.crowd[7]);
            one.get_mut::<Transform>().unwrap().translation = Vec3::new(400.0, 0.0, 400.0);
            game.app.update();
            game
        });
        let changed = with.stats().entered + with.stats().left;
        assert!(
            (1..200).contains(&changed),
            "the story needs few: {changed}"
        );
        let case = format!("{setup:?}");
        assert_silent(&case, &mut with, &mut without, 20, |_, _| {});
    }
}

#[test]
fn an_empty_world() {
    for setup in SETUPS {
        let [mut with, mut without] = [true, false].map(|plugin| {
            let mut game = Game::new(setup, plugin);
            game.rest();
            game
        });
        let case = format!("{setup:?}");
        assert_silent(&case, &mut with, &mut without, 20, |_, _| {});
    }
}

#[test]
fn steady_walking_allocates_nothing_either() {
    // Given all walk to and fro, over borders and back, until they have come round twice.
    const ROUND: usize = 32;
    fn walk(game: &mut Game, frame: usize) {
        let step = if frame % ROUND < ROUND / 2 { 0.5 } else { -0.5 };
        for i in 0..game.crowd.len() {
            let entity = game.crowd[i];
            let mut transform = game.app.world_mut().get_mut::<Transform>(entity).unwrap();
            transform.translation.x += if i % 2 == 0 { step } else { -step };
        }
    }
    for setup in SETUPS {
        let [mut with, mut without] = [true, false].map(|plugin| {
            let mut game = Game::new(setup, plugin);
            game.populate();
            for frame in 0..3 * ROUND {
                walk(&mut game, frame);
                game.app.update();
            }
            game
        });

        // Then the next round asks for no memory, although it has something to tell.
        let (mut ours, mut bevys, mut told) = (0, 0, 0);
        for frame in 0..ROUND {
            walk(&mut with, frame);
            walk(&mut without, frame);
            ours += with.allocations();
            bevys += without.allocations();
            told += with.stats().entered + with.stats().left;
        }
        assert!(told > 1000, "{setup:?}: the story needs messages: {told}");
        if COMPARABLE {
            assert_eq!(
                ours, bevys,
                "{setup:?}: allocations with the plugin (left) and without (right)"
            );
        }
    }
}
