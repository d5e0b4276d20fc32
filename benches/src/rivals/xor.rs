//! What the ablations share.

use super::roster::Roster;
use super::views::Views;
use crate::Changes;
use crate::world::World;

/// Where a member stands; not a number if it went.
pub(super) fn present_position(world: &World, id: u32) -> [f32; 2] {
    if world.members[id as usize].present {
        world.positions[id as usize]
    } else {
        Roster::NOWHERE
    }
}

/// Looks at the pairs that may have changed, in `views.near`, and tells those that did.
pub(super) fn settle(world: &World, viewer: u32, views: &mut Views, changes: &mut Changes) {
    if !views.near.is_empty() {
        views.revise(viewer, changes, |target, had| {
            world.sees(viewer, target, had)
        });
    }
}
