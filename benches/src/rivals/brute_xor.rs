//! An ablation: all pairs, with the old/new test of this crate. Only a pair whose old and new
//! distance are not on the same side of a bound can change.

use super::columns::{Asker, Columns};
use super::roster::Roster;
use super::views::Views;
use super::xor;
use crate::world::World;
use crate::{Changes, Method};

#[derive(Debug, Default)]
pub struct BruteXor {
    roster: Roster,
    views: Views,
    /// All targets, and those who went.
    all: Columns,
    /// Those of them who stirred: all that a resting viewer has to look at.
    stirred: Columns,
}

impl Method for BruteXor {
    fn name(&self) -> &'static str {
        "brute-xor"
    }

    fn update(&mut self, world: &World, changes: &mut Changes) {
        let roster = &mut self.roster;
        if !roster.begin(world) {
            return;
        }
        self.views.grow(world.positions.len());
        for &id in &world.went {
            self.views.drop_viewer(id, changes);
        }
        let targets = roster.targets.len() + world.went.len();
        self.all.clear(targets, true);
        for (place, &id) in roster.targets.iter().enumerate() {
            self.all.set(place, id, world.positions[id as usize]);
            self.all.set_held(place, roster.held[id as usize]);
        }
        for (place, &id) in (roster.targets.len()..).zip(&world.went) {
            self.all.set(place, id, Roster::NOWHERE);
            self.all.set_held(place, roster.held[id as usize]);
        }
        let stirs = Roster::stirs(world);
        self.stirred.clear(stirs, true);
        let mut place = 0;
        for &id in world.moved.iter().chain(&world.came).chain(&world.went) {
            let member = &world.members[id as usize];
            if member.target {
                let now = xor::present_position(world, id);
                self.stirred.set(place, id, now);
                self.stirred.set_held(place, roster.held[id as usize]);
                place += 1;
            }
        }
        for &viewer in &roster.viewers {
            let held = roster.held[viewer as usize];
            let asker = Asker {
                held,
                ..Asker::new(world, viewer)
            };
            if roster.stirred[viewer as usize] {
                self.all.turned(0..targets, &asker, &mut self.views.near);
            } else {
                self.stirred.turned(0..place, &asker, &mut self.views.near);
            }
            xor::settle(world, viewer, &mut self.views, changes);
        }
        roster.end(world);
    }

    fn in_view(&self, viewer: u32) -> Option<&[u32]> {
        Some(self.views.list(viewer))
    }
}
