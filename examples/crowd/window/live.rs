//! Changes of the crowd while it walks: how many, how far they see, another crowd.

use super::{Begin, Going, camera::View};
use crate::{
    ground::Ground,
    playback::{self, Playback},
    recording::Recording,
    walkers::{self, Field, Walkers},
};
use bevy::prelude::*;
use bevy_aoi::prelude::*;
use std::path::{Path, PathBuf};

/// The crowds that can be chosen.
#[derive(Resource)]
pub struct Crowds {
    /// Recorded ones.
    pub recordings: Vec<PathBuf>,
    /// The one that plays; none: the walkers.
    pub playing: Option<PathBuf>,
    /// Why the last one chosen does not play.
    pub problem: Option<String>,
    /// What comes back when the walkers do.
    walkers: Walkers,
}

impl Crowds {
    pub fn new(playing: Option<PathBuf>, walkers: Walkers) -> Self {
        let mut recordings = recordings();
        recordings.sort();
        let name = playing.as_deref().and_then(Path::file_name);
        recordings.retain(|path| path.file_name() != name);
        recordings.extend(playing.clone());
        Self {
            recordings,
            playing,
            problem: None,
            walkers,
        }
    }
}

/// The recordings of the repository.
fn recordings() -> Vec<PathBuf> {
    let below = |root: &str| Path::new(root).join("assets/recordings");
    let roots = [below("."), below(env!("CARGO_MANIFEST_DIR"))];
    let files = roots.iter().find_map(|root| root.read_dir().ok());
    let paths = files
        .into_iter()
        .flatten()
        .flatten()
        .map(|file| file.path());
    paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "csv"))
        .collect()
}

/// Who takes part leaves, others come: recorded people, or the walkers without a path.
pub fn change_crowd(world: &mut World, path: Option<PathBuf>) {
    let recording = match path.as_deref().map(Recording::read).transpose() {
        Ok(recording) => recording,
        Err(error) => {
            world.resource_mut::<Crowds>().problem = Some(error.to_string());
            return;
        }
    };
    let mut all = world.query_filtered::<Entity, Or<(With<AoiViewer>, With<AoiTarget>)>>();
    for entity in all.iter(world).collect::<Vec<_>>() {
        world.despawn(entity);
    }
    world.remove_resource::<Field>();
    world.remove_resource::<Playback>();
    match recording {
        Some(recording) => {
            let radius = reach(&recording);
            Playback::new(recording, radius).enter(world);
        }
        None => {
            let walkers = world.resource::<Crowds>().walkers.clone();
            walkers.enter(world);
        }
    }
    let mut crowds = world.resource_mut::<Crowds>();
    crowds.playing = path;
    crowds.problem = None;
    // Somebody in the middle, and the camera as at the beginning.
    world.insert_resource(Begin {
        pick: 0,
        why_not: None,
    });
    let mut view = world.resource_mut::<View>();
    (view.scale, view.follows) = (None, true);
    world.resource_mut::<Going>().step = true;
}

/// How far recorded people see: an eighth of where they are.
fn reach(recording: &Recording) -> f32 {
    let size = playback::area(recording).size().max_element();
    (size / 8.0).max(1.0).round()
}

/// How many walkers there are to be. The field grows and shrinks with them, and a picture that does not
/// follow anybody with the field.
pub fn set_agents(world: &mut World, agents: u32) {
    let picked = world.resource::<AoiPanel>().picked;
    let before = world.resource::<Ground>().0;
    walkers::set_agents(world, agents, picked);
    let factor = world.resource::<Ground>().0.width() / before.width();
    let mut view = world.resource_mut::<View>();
    if !view.follows {
        view.center *= factor;
        view.scale = view.scale.map(|scale| scale * factor);
    }
}

/// How far everybody sees.
pub fn set_radius(world: &mut World, radius: f32) {
    let mut viewers = world.query::<&mut AoiViewer>();
    for mut viewer in viewers.iter_mut(world) {
        viewer.radius = radius;
    }
    if let Some(mut field) = world.get_resource_mut::<Field>() {
        field.set_radius(radius);
    }
    if let Some(mut playback) = world.get_resource_mut::<Playback>() {
        playback.set_radius(radius);
    }
}

/// The radius with which each has a few hundred in view at most, and all together some millions.
pub fn widest(world_size: Rect, agents: usize) -> f32 {
    let density = agents.max(1) as f32 / (world_size.width() * world_size.height()).max(1.0);
    let pairs =
        (walkers::MAX_PAIRS / agents.max(1) as f32 / (std::f32::consts::PI * density)).sqrt();
    pairs.min(world_size.size().max_element())
}

/// Picks the viewer that comes so many places after the picked one, in the order of entities.
pub fn pick_next(world: &mut World, places: isize) {
    let picked = world.resource::<AoiPanel>().picked;
    let next = crate::map::next_viewer(world, picked, places);
    world.resource_mut::<AoiPanel>().picked = next;
}
