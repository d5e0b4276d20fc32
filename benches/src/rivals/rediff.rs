//! The loop that the published methods share: find the new set of every viewer, diff it with the
//! old one. They differ in how they find.

use super::columns::Asker;
use super::roster::{Roster, Stirs};
use super::views::Views;
use crate::world::World;
use crate::{Changes, Method};

/// How a method finds who is near.
pub trait Finder {
    const NAME: &'static str;

    /// Takes over what stirred. Not called if nothing did.
    fn refresh(&mut self, world: &World, roster: &Roster);

    /// Appends the targets within the radius to `near`, those within the leave margin to `far`,
    /// in any order, without the asker, whatever their layers.
    fn find(&mut self, asker: &Asker, near: &mut Vec<u32>, far: &mut Vec<u32>);
}

/// A finder, and the sets of before.
#[derive(Debug, Default)]
pub struct Rediff<F> {
    finder: F,
    roster: Roster,
    stirs: Stirs,
    views: Views,
}

impl<F: Finder> Method for Rediff<F> {
    fn name(&self) -> &'static str {
        F::NAME
    }

    fn update(&mut self, world: &World, changes: &mut Changes) {
        let Self {
            finder,
            roster,
            stirs,
            views,
        } = self;
        if !roster.begin(world) {
            return;
        }
        views.grow(world.positions.len());
        for &id in &world.went {
            views.drop_viewer(id, changes);
        }
        stirs.mark(world, roster);
        finder.refresh(world, roster);
        for &viewer in &roster.viewers {
            if !stirs.concern(world, roster, viewer) {
                continue;
            }
            let asker = Asker::new(world, viewer);
            finder.find(&asker, &mut views.near, &mut views.far);
            views.keep_seen_layers(world, roster, viewer);
            views.replace(viewer, changes);
        }
        roster.end(world);
    }

    fn in_view(&self, viewer: u32) -> Option<&[u32]> {
        Some(self.views.list(viewer))
    }
}
