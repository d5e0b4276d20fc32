//! Plays a recording through the plugin: who comes into whose view, and who drops out of it.
//!
//! Every agent is viewer and target in one, all with the same radius. What was told is condensed to
//! counts and one digest, so that two programs can compare a hundred thousand events at a glance; the
//! digest is defined in `assets/recordings/oracle.py`.

use crate::recording::Recording;
use bevy::{
    ecs::{entity::EntityHashMap, message::MessageCursor},
    prelude::*,
};
use bevy_aoi::prelude::*;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// What a recording told. Pairs are counted in each direction.
#[derive(Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How many pairs came into view.
    pub enter: u64,
    /// How many dropped out of view.
    pub leave: u64,
    /// How many were in view at the end.
    pub open: u64,
    /// SHA-256 of the lines `frame E viewer target` and `frame L viewer target`, with the ids of the
    /// recording: by frame, enters first, then by viewer and target.
    pub sha256: String,
}

/// Plays all frames, one update for each, and calls `after_frame` after each.
pub fn replay(recording: &Recording, radius: f32, mut after_frame: impl FnMut()) -> Outcome {
    let mut stage = Stage::new(recording.dimensions, radius);
    let mut outcome = Outcome {
        enter: 0,
        leave: 0,
        open: 0,
        sha256: String::new(),
    };
    let mut digest = Sha256::new();
    for frame in 0..recording.frames() {
        stage.set(recording, frame);
        let (enters, leaves) = stage.update();
        outcome.enter += enters.len() as u64;
        outcome.leave += leaves.len() as u64;
        for (kind, pairs) in [('E', enters), ('L', leaves)] {
            for (viewer, target) in pairs {
                digest.update(format!("{frame} {kind} {viewer} {target}\n"));
            }
        }
        after_frame();
    }
    outcome.open = stage.in_view();
    outcome.sha256 = format!("{:x}", digest.finalize());
    outcome
}

/// The app, and which entity plays which agent.
struct Stage {
    app: App,
    radius: f32,
    /// The agents that exist, by their id in the recording.
    present: BTreeMap<u32, Entity>,
    /// Whom an entity plays, or played: leaves name entities that are gone.
    agents: EntityHashMap<u32>,
    enters: MessageCursor<EnterView>,
    leaves: MessageCursor<LeaveView>,
}

impl Stage {
    fn new(dimensions: usize, radius: f32) -> Self {
        let mut app = App::new();
        app.add_plugins((
            MinimalPlugins,
            match dimensions {
                2 => AoiPlugin::xy(),
                _ => AoiPlugin::xyz(),
            },
        ));
        Self {
            app,
            radius,
            present: BTreeMap::new(),
            agents: EntityHashMap::default(),
            enters: MessageCursor::default(),
            leaves: MessageCursor::default(),
        }
    }

    /// Moves, spawns and despawns, so that exactly the agents of the frame exist, where they stood.
    fn set(&mut self, recording: &Recording, frame: usize) {
        let rows = recording.frame(frame);
        let world = self.app.world_mut();
        self.present.retain(|id, entity| {
            let stays = rows.binary_search_by_key(id, |row| row.id).is_ok();
            if !stays {
                world.despawn(*entity);
            }
            stays
        });
        for row in rows {
            let place = Transform::from_translation(row.at.into());
            if let Some(&entity) = self.present.get(&row.id) {
                *world.get_mut(entity).expect("it was spawned with one") = place;
            } else {
                let roles = (AoiViewer::new(self.radius), AoiTarget::default());
                let entity = world.spawn((place, roles)).id();
                self.present.insert(row.id, entity);
                self.agents.insert(entity, row.id);
            }
        }
    }

    /// One update; the pairs of agents that came into view and that dropped out, sorted by agent.
    fn update(&mut self) -> (Vec<(u32, u32)>, Vec<(u32, u32)>) {
        self.app.update();
        let world = self.app.world();
        let pair = |viewer, target| (self.agents[&viewer], self.agents[&target]);
        let enters = self.enters.read(world.resource());
        let mut enters: Vec<_> = enters
            .map(|enter| pair(enter.viewer, enter.target))
            .collect();
        let leaves = self.leaves.read(world.resource());
        let mut leaves: Vec<_> = leaves
            .map(|leave| pair(leave.viewer, leave.target))
            .collect();
        // The messages come sorted by entity, and entities are not in the order of the agents.
        enters.sort_unstable();
        leaves.sort_unstable();
        (enters, leaves)
    }

    /// How many pairs are in view.
    fn in_view(&self) -> u64 {
        let list = |entity: &Entity| self.app.world().get::<InView>(*entity);
        self.present
            .values()
            .filter_map(list)
            .map(|list| list.len() as u64)
            .sum()
    }
}
