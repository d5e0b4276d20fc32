//! This crate without Bevy: the structure and the relation by id.

use crate::{
    Changes, Index, Method,
    world::{Member, World},
};
use bevy_aoi::crosslink::{CrossLink, Relation, Target, Viewer};

/// The structure with its relation.
#[derive(Default)]
pub struct Ours {
    link: CrossLink<2>,
    relation: Relation,
}

impl Method for Ours {
    fn name(&self) -> &'static str {
        "ours"
    }

    fn update(&mut self, world: &World, changes: &mut Changes) {
        self.link.remove_many(&world.went);
        let moved = world.moved.iter();
        (self.link).move_many(moved.map(|&id| (id, world.positions[id as usize])));
        insert(&mut self.link, world, &world.came);
        let told = self.relation.update(&mut self.link);
        append(&mut told.entered, &mut changes.entered);
        append(&mut told.left, &mut changes.left);
    }

    fn in_view(&self, viewer: u32) -> Option<&[u32]> {
        Some(self.relation.in_view(viewer))
    }
}

/// The structure for queries.
pub struct OursIndex(CrossLink<2>);

impl OursIndex {
    pub fn new(world: &World) -> Self {
        let mut link = CrossLink::new();
        let present =
            (0..world.members.len() as u32).filter(|&id| world.members[id as usize].present);
        insert(&mut link, world, &present.collect::<Vec<_>>());
        // The next update knows all places: as in a game, where queries come between updates.
        Relation::new().update(&mut link);
        Self(link)
    }
}

impl Index for OursIndex {
    fn name(&self) -> &'static str {
        "ours"
    }

    fn within(&self, center: [f32; 2], radius: f32, found: &mut Vec<u32>) {
        found.extend(self.0.within_radius(center, radius));
    }

    fn nearest(&self, center: [f32; 2], k: usize, found: &mut Vec<u32>) {
        found.extend(self.0.nearest(center, k));
    }
}

/// Moves all behind what is there.
fn append(from: &mut Vec<(u32, u32)>, to: &mut Vec<(u32, u32)>) {
    if to.is_empty() {
        std::mem::swap(from, to);
    } else {
        to.append(from);
    }
}

/// Adds members with all that they are.
fn insert(link: &mut CrossLink<2>, world: &World, ids: &[u32]) {
    link.insert_many_with(ids.iter().map(|&id| {
        let (member, at) = (&world.members[id as usize], world.positions[id as usize]);
        let viewer = viewer(member, world.leave_margin);
        (id, at, viewer, target(member))
    }));
}

fn viewer(member: &Member, leave_margin: f32) -> Option<Viewer<2>> {
    (member.radius > 0.0).then(|| Viewer {
        leave_margin,
        sees: member.sees,
        ..Viewer::new(member.radius)
    })
}

fn target(member: &Member) -> Option<Target> {
    member.target.then(|| Target {
        layers: member.layers,
        ..Target::default()
    })
}
