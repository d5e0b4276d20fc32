//! Systems in a whole Bevy app: transforms are written and propagated, changes told by messages.

#[cfg(feature = "avian")]
mod avian;
mod ours;
mod people;
mod query;
pub mod rival;

pub use query::{OursQueryRun, RivalQueryRun};

use crate::{
    Method, heap,
    run::{Done, Run},
    scene::{Order, Stage},
};
use bevy::{
    app::{TaskPoolOptions, TaskPoolPlugin},
    prelude::*,
    time::TimeUpdateStrategy,
    transform::TransformSystems,
};
use bevy_aoi::prelude::*;
use people::{Bare, spawn};
use std::{thread, time::Duration};

/// What finds the changes.
pub enum Finder {
    /// Nothing: one system reads what moved.
    Floor,
    Ours,
    Rival(Box<dyn Method>),
    #[cfg(feature = "avian")]
    Avian,
}

/// How many changes readers were told of until now.
#[derive(Resource, Default)]
pub struct Told(pub u64);

/// A spawner for the entities of one kind of finder.
type Spawn = fn(&mut World, &Stage, &mut [Entity]);

/// An app at work.
pub struct AppRun {
    app: App,
    /// The scene without those who walk: they do so in the app.
    stage: Stage,
    spawn: Spawn,
    /// By id.
    entities: Vec<Entity>,
}

impl AppRun {
    pub fn new(stage: Stage, finder: Finder) -> Self {
        let mut app = App::new();
        let scene = stage.scene();
        // Bevy sets a core each aside for IO and for asynchronous tasks, which leaves one of two; here
        // nobody else needs them.
        let mut threads = TaskPoolOptions::default();
        threads.compute.min_threads = thread::available_parallelism().map_or(1, usize::from);
        let pool = TaskPoolPlugin {
            task_pool_options: threads,
        };
        app.add_plugins(MinimalPlugins.set(pool))
            .insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(
                1.0 / 60.0,
            )))
            .insert_resource(scene.ground.clone())
            .init_resource::<Told>();
        if scene.walkers.iter().any(Option::is_some) {
            app.add_systems(Update, people::walk);
        }
        if !matches!(finder, Finder::Ours) {
            app.add_systems(PostUpdate, propagate.in_set(TransformSystems::Propagate));
        }
        let spawn = match finder {
            Finder::Floor => {
                app.add_systems(PostUpdate, read.after(TransformSystems::Propagate));
                spawn::<Bare>
            }
            Finder::Ours => {
                ours::add(&mut app);
                if scene.service {
                    ours::spawn_with_service
                } else {
                    spawn::<ours::Roles>
                }
            }
            Finder::Rival(method) => {
                rival::add(&mut app, method, &scene.world);
                spawn::<rival::Numbered>
            }
            #[cfg(feature = "avian")]
            Finder::Avian => {
                avian::add(&mut app);
                spawn::<avian::Sensors>
            }
        };
        app.finish();
        app.cleanup();
        // In the first update of an app no time passes, and some systems wait for that.
        app.update();
        Self {
            entities: vec![Entity::PLACEHOLDER; scene.world.members.len()],
            app,
            stage,
            spawn,
        }
    }

    /// Takes over into the app what changed on the stage.
    fn apply(&mut self) {
        let (world, flat) = (self.app.world_mut(), self.stage.world());
        for &id in &flat.went {
            world.despawn(self.entities[id as usize]);
        }
        for &id in &flat.moved {
            if let Some(mut transform) = world.get_mut(self.entities[id as usize]) {
                *transform = people::place(flat, id);
            }
        }
        if !flat.came.is_empty() {
            (self.spawn)(world, &self.stage, &mut self.entities);
        }
    }

    fn told(&self) -> u64 {
        self.app.world().resource::<Told>().0
    }
}

impl Run for AppRun {
    fn update(&mut self, order: Order) -> Done {
        let walks = order == Order::Walk && self.stage.scene().recording.is_none();
        if !walks {
            self.stage.advance(order);
        }
        Done::measure(|| {
            let before = self.told();
            if !walks {
                self.apply();
            }
            self.app.update();
            self.told() - before
        })
    }

    fn stages(&self) -> Option<[Duration; 3]> {
        let stats = self.app.world().get_resource::<AoiStats>()?;
        Some([stats.sync, stats.detect, stats.emit])
    }

    fn pairs_in_view(&self) -> Option<usize> {
        let stats = self.app.world().get_resource::<AoiStats>()?;
        Some(stats.pairs_in_view)
    }

    fn digest(&self) -> Option<u64> {
        ours::digest(self.app.world())
    }

    fn end(mut self: Box<Self>) -> usize {
        // Messages are on their way to the readers, in all systems alike.
        let world = self.app.world_mut();
        world.remove_resource::<Messages<EnterView>>();
        world.remove_resource::<Messages<LeaveView>>();
        world.remove_resource::<Messages<rival::Entered>>();
        world.remove_resource::<Messages<rival::Left>>();
        #[cfg(feature = "avian")]
        avian::remove_messages(world);
        let before = heap::live();
        drop(self.app);
        before - heap::live()
    }
}

/// What the crate does where Bevy does not propagate transforms, for entities without parents. All
/// systems do without `TransformPlugin`: with it the floor takes 1.2 to 1.5 times as long.
fn propagate(
    mut transforms: Query<
        (&Transform, &mut GlobalTransform),
        Or<(Changed<Transform>, Added<GlobalTransform>)>,
    >,
) {
    for (transform, mut global) in &mut transforms {
        *global = GlobalTransform::from(*transform);
    }
}

/// What nobody can beat.
fn read(moved: Query<&GlobalTransform, Changed<GlobalTransform>>, mut positions: Local<Vec<Vec3>>) {
    positions.clear();
    positions.extend(moved.iter().map(GlobalTransform::translation));
}
