//! What is told, and in which order, does not depend on the feature `parallel` or the number of threads.
//!
//! A world large enough for the work to be cut into parts, with moves, jumps, spawns, despawns, changes,
//! rings, caps, pins, margins and layers. All that it tells goes into one number, which is the same in
//! every build and for every `AOI_THREADS`; who is in view at the end is what brute force says.

use bevy::{prelude::*, time::TimeUpdateStrategy};
use bevy_aoi::prelude::*;
use sha2::{Digest, Sha256};

#[path = "support/threads.rs"]
mod threads;

/// Walkers at the beginning.
const CROWD: u32 = 6000;

/// Half the side of the square they walk about in: about 12 in view.
const HALF: f32 = 990.0;

const RADIUS: f32 = 25.0;
const UPDATES: u32 = 30;

/// What the story below tells, ids of entities and all.
const TOLD: &str = "f6f268121a455b471074a62660a60ea1";

struct Story {
    app: App,
    rng: fastrand::Rng,
    told: Sha256,
    messages: u64,
    crowd: Vec<Entity>,
    simple: bool,
}

impl Story {
    /// `simple`: nothing but layers and distance counts.
    fn new(simple: bool) -> Self {
        threads::from_environment();
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, AoiPlugin::xy()))
            .insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
        let mut story = Self {
            app,
            rng: fastrand::Rng::with_seed(11),
            told: Sha256::new(),
            messages: 0,
            crowd: Vec::new(),
            simple,
        };
        (0..CROWD).for_each(|_| story.spawn());
        story
    }

    fn place(&mut self) -> Transform {
        let mut on_axis = || (self.rng.f32() * 2.0 - 1.0) * HALF;
        Transform::from_xyz(on_axis(), on_axis(), 0.0)
    }

    fn spawn(&mut self) {
        let place = self.place();
        let (kind, layers) = (self.rng.u32(0..40), 1 << self.rng.u32(0..3));
        let mut viewer = AoiViewer::new(RADIUS).with_sees(0b101);
        if self.rng.u32(0..10) == 0 {
            viewer.leave_margin = 5.0;
        }
        let target = AoiTarget::default().with_layers(layers);
        let friend = self.crowd.first().copied();
        let mut walker = self.app.world_mut().spawn((place, viewer, target));
        match kind {
            0 if !self.simple => {
                walker.insert(AoiPins::from_iter(friend));
            }
            1 if !self.simple => {
                walker.insert(AoiRings::from_iter([8.0, 16.0]));
            }
            2 => {
                walker.insert(AoiViewer::new(8.0 * RADIUS));
            }
            3 if !self.simple => {
                walker.insert(viewer.with_max_targets(5));
            }
            _ => {}
        }
        self.crowd.push(walker.id());
    }

    fn update(&mut self) {
        for at in 0..self.crowd.len() {
            let entity = self.crowd[at];
            if self.rng.u32(0..20) == 0 {
                let place = self.place();
                self.app.world_mut().entity_mut(entity).insert(place);
                continue;
            }
            let mut step = || self.rng.f32() * 0.6 - 0.3;
            let step = Vec3::new(step(), step(), 0.0);
            if let Some(mut place) = self.app.world_mut().get_mut::<Transform>(entity) {
                place.translation += step;
            }
        }
        for _ in 0..100 {
            let at = self.rng.usize(0..self.crowd.len());
            let entity = self.crowd.swap_remove(at);
            self.app.world_mut().despawn(entity);
            self.spawn();
            let at = self.rng.usize(0..self.crowd.len());
            let layers = self.rng.u32(0..8);
            let mut target = self.app.world_mut().get_mut::<AoiTarget>(self.crowd[at]);
            if let Some(target) = &mut target {
                target.layers = layers;
            }
        }
        self.app.update();
        self.listen();
    }

    fn listen(&mut self) {
        let world = self.app.world();
        let mut tell = |what: u8, viewer: Entity, target: Entity, how: u8| {
            self.told.update([what, how]);
            self.told.update(viewer.to_bits().to_le_bytes());
            self.told.update(target.to_bits().to_le_bytes());
            self.messages += 1;
        };
        for leave in world
            .resource::<Messages<LeaveView>>()
            .iter_current_update_messages()
        {
            tell(0, leave.viewer, leave.target, leave.reason as u8);
        }
        for enter in world
            .resource::<Messages<EnterView>>()
            .iter_current_update_messages()
        {
            tell(1, enter.viewer, enter.target, 0);
        }
        for ring in world
            .resource::<Messages<RingChanged>>()
            .iter_current_update_messages()
        {
            tell(2, ring.viewer, ring.target, ring.ring);
        }
    }

    /// Where nothing but layers and distance counts: who is in view by all pairs, margins aside.
    fn check_views(&mut self) {
        let world = self.app.world();
        let all: Vec<_> = (self.crowd.iter())
            .map(|&entity| {
                let get = world.entity(entity);
                let (place, target) = (get.get::<Transform>(), get.get::<AoiTarget>());
                (
                    entity,
                    place.unwrap().translation.xy(),
                    target.unwrap().layers,
                )
            })
            .collect();
        for &(viewer, at, _) in all.iter().step_by(37) {
            let (eyes, view) = (world.get::<AoiViewer>(viewer), world.get::<InView>(viewer));
            let (eyes, view) = (eyes.unwrap(), view.unwrap());
            let within = |range: f32, target: &(Entity, Vec2, u32)| {
                let apart = target.1 - at;
                let square = apart.x * apart.x + apart.y * apart.y;
                target.0 != viewer && target.2 & eyes.sees != 0 && square <= range * range
            };
            for target in &all {
                let (least, most) = (eyes.radius, eyes.radius + eyes.leave_margin);
                let seen = view.contains(target.0);
                assert!(
                    seen || !within(least, target),
                    "{viewer} overlooks {}",
                    target.0
                );
                assert!(
                    !seen || within(most, target),
                    "{viewer} imagines {}",
                    target.0
                );
            }
        }
    }
}

#[test]
fn threads_make_no_difference() {
    let mut digests = Vec::new();
    for simple in [true, false] {
        let mut story = Story::new(simple);
        (0..UPDATES).for_each(|_| story.update());
        if simple {
            story.check_views();
        }
        assert!(
            story.messages > 300_000,
            "{} messages are no story",
            story.messages
        );
        let digest = story.told.finalize();
        digests.extend(digest.iter().take(8).map(|byte| format!("{byte:02x}")));
    }
    assert_eq!(digests.concat(), TOLD);
}
