//! What `compare` measures: worlds that move, and the ways to tell who comes into whose view.
//!
//! | module | |
//! | --- | --- |
//! | [`workloads`] | what is measured: names, sizes, recordings |
//! | [`scene`], [`walk`] | a workload made ready: who is where, how they walk; the same on both levels |
//! | [`systems`] | who takes part in what |
//! | [`ours`], [`rivals`] | the structures: a [`Method`] tells changes, an [`Index`] answers queries |
//! | [`app`] | the plugin, and any method behind one adapter, in a whole `App` |
//! | [`run`], [`heap`] | one update of any of them, its time, and its memory |

pub mod app;
pub mod heap;
pub mod ours;
#[path = "../../examples/support/recording.rs"]
pub mod recording;
pub mod rivals;
pub mod run;
pub mod scene;
pub mod systems;
pub mod walk;
pub mod workloads;
pub mod world;

use world::World;

/// Who came into whose view and who dropped out: viewer, then target, in any order, none twice.
#[derive(Debug, Default, Clone)]
pub struct Changes {
    pub entered: Vec<(u32, u32)>,
    pub left: Vec<(u32, u32)>,
}

impl Changes {
    pub fn clear(&mut self) {
        self.entered.clear();
        self.left.clear();
    }
}

/// A way to tell changes of view: positions in, changes out. It keeps its own memory of who has
/// whom in view, and begins with an empty world.
pub trait Method {
    /// As in the tables.
    fn name(&self) -> &'static str;

    /// Appends what changed since the last call. `world.moved`, `came` and `went` say what is
    /// different from then.
    fn update(&mut self, world: &World, changes: &mut Changes);

    /// Who `viewer` has in view, if the method keeps that by itself.
    fn in_view(&self, viewer: u32) -> Option<&[u32]> {
        let _ = viewer;
        None
    }
}

/// A way to ask who is where. Built once from the members of a world; answers are not sorted by id.
pub trait Index {
    fn name(&self) -> &'static str;

    /// Appends all within `radius` of a point, bound included, in any order.
    fn within(&self, center: [f32; 2], radius: f32, found: &mut Vec<u32>);

    /// Appends the `k` nearest to a point, nearest first.
    fn nearest(&self, center: [f32; 2], k: usize, found: &mut Vec<u32>);
}
