//! [`AoiEdit`]: what the user of the panel asked to be changed in the world.

use bevy::prelude::*;

use crate::AoiViewer;

/// A change that was made in the panel. A command: queue it. One for an entity that is gone does
/// nothing.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum AoiEdit {
    /// Radius, margin, shape and cap of a viewer.
    Viewer {
        /// Which.
        entity: Entity,
        /// What it is to be; the layers it sees are left as they are.
        viewer: AoiViewer,
    },
    /// The switches of the overlay; what it shows as picked is left as it is.
    #[cfg(feature = "overlay")]
    Overlay(crate::AoiOverlay),
}

impl Command for AoiEdit {
    type Out = ();

    fn apply(self, world: &mut World) {
        match self {
            Self::Viewer { entity, viewer } => {
                let Ok(mut entity) = world.get_entity_mut(entity) else {
                    return;
                };
                if let Some(mut now) = entity.get_mut::<AoiViewer>() {
                    let sees = now.sees;
                    now.set_if_neq(AoiViewer { sees, ..viewer });
                }
            }
            #[cfg(feature = "overlay")]
            Self::Overlay(overlay) => {
                if let Some(mut now) = world.get_resource_mut::<crate::AoiOverlay>() {
                    *now = crate::AoiOverlay {
                        picked: now.picked,
                        cut: now.cut,
                        ..overlay
                    };
                }
            }
        }
    }
}
