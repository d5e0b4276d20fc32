//! Recorded people in their real steps, one frame per update, from the beginning when it ends.

use crate::recording::Recording;
use bevy::prelude::*;
use bevy_aoi::prelude::*;
use std::{collections::BTreeMap, mem};

/// Who is played, and who of them is there. Everybody is viewer and target.
#[derive(Resource, Clone)]
pub struct Playback {
    recording: Recording,
    radius: f32,
    /// The frame of the next update.
    next: usize,
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
            present: BTreeMap::new(),
        }
    }
}

impl Plugin for Playback {
    fn build(&self, app: &mut App) {
        let aoi = match self.recording.dimensions {
            2 => AoiPlugin::xy(),
            _ => AoiPlugin::xyz(),
        };
        app.add_plugins(aoi)
            .insert_resource(self.clone())
            .add_systems(Update, play);
    }
}

/// Moves whoever has a row in this frame, spawns the new ones, despawns those who have none.
fn play(
    mut commands: Commands,
    mut playback: ResMut<Playback>,
    mut transforms: Query<&mut Transform>,
) -> Result {
    let playback = &mut *playback;
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
