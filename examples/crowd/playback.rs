//! Recorded people in their real steps, one frame per update, from the beginning when it ends.

use crate::{
    ground::{Ground, Pace, goes_on},
    recording::Recording,
};
use bevy::prelude::*;
use bevy_aoi::prelude::*;
use std::{collections::BTreeMap, mem};

/// Who is played, and who of them is there. Everybody is viewer and target.
#[derive(Resource)]
pub struct Playback {
    recording: Recording,
    radius: f32,
    /// The frame of the next update.
    next: usize,
    /// How much of the way to it is behind.
    way: f32,
    /// In the order of their ids, so that every run spawns and despawns in the same order.
    present: BTreeMap<u32, Entity>,
}

impl Playback {
    /// A recording from its first frame; everybody sees as far as `radius`, in its unit.
    pub fn new(recording: Recording, radius: f32) -> Self {
        Self {
            recording,
            radius,
            next: 0,
            // The first update plays the first frame, however slow the pace.
            way: 1.0,
            present: BTreeMap::new(),
        }
    }
}

/// Plays a recording, if there is one.
pub fn plugin(app: &mut App) {
    let plays = resource_exists::<Playback>.and_then(goes_on);
    app.init_resource::<Pace>()
        .add_systems(Update, play.run_if(plays));
}

impl Playback {
    /// How far those see who come from now on.
    #[cfg(feature = "window")]
    pub fn set_radius(&mut self, radius: f32) {
        self.radius = radius;
    }

    /// Begins to play in a world; the people come with the next update.
    pub fn enter(self, world: &mut World) {
        world.insert_resource(Ground(area(&self.recording)));
        world.insert_resource(self);
    }
}

/// What holds all rows of a recording, on the first two axes.
pub fn area(recording: &Recording) -> Rect {
    let rows = (0..recording.frames()).flat_map(|frame| recording.frame(frame));
    let points = rows.map(|row| Vec3::from(row.at).truncate());
    let empty = (Vec2::INFINITY, Vec2::NEG_INFINITY);
    let (min, max) = points.fold(empty, |(min, max), at| (min.min(at), max.max(at)));
    Rect { min, max }
}

/// Moves whoever has a row in this frame, spawns the new ones, despawns those who have none.
fn play(
    mut commands: Commands,
    mut playback: ResMut<Playback>,
    pace: Res<Pace>,
    mut transforms: Query<&mut Transform>,
) -> Result {
    let playback = &mut *playback;
    playback.way += pace.0;
    if playback.way < 1.0 {
        return Ok(());
    }
    playback.way = playback.way.fract();
    let mut before = mem::take(&mut playback.present);
    for row in playback.recording.frame(playback.next) {
        let at = Vec3::from(row.at);
        let entity = match before.remove(&row.id) {
            Some(entity) => {
                transforms.get_mut(entity)?.translation = at;
                entity
            }
            None => {
                let viewer = AoiViewer::new(playback.radius);
                let start = Transform::from_translation(at);
                commands.spawn((start, viewer, AoiTarget::default())).id()
            }
        };
        playback.present.insert(row.id, entity);
    }
    for entity in before.into_values() {
        commands.entity(entity).despawn();
    }
    playback.next = (playback.next + 1) % playback.recording.frames();
    Ok(())
}
