//! The input of every method.

/// Members of a flat world, by id, and what happened to them since the last update.
#[derive(Debug, Default, Clone)]
pub struct World {
    pub positions: Vec<[f32; 2]>,
    pub members: Vec<Member>,
    /// How much further than its radius a viewer keeps what it has in view.
    pub leave_margin: f32,
    /// Present members that stand elsewhere, ascending.
    pub moved: Vec<u32>,
    /// Members that are present now and were not, ascending.
    pub came: Vec<u32>,
    /// Members that were present and no longer are, ascending.
    pub went: Vec<u32>,
}

/// What a member is. Only `present` ever changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Member {
    pub present: bool,
    /// How far it sees; 0: it is no viewer.
    pub radius: f32,
    /// Whether it can be seen.
    pub target: bool,
    /// Layers it sees.
    pub sees: u32,
    /// Layers it is on.
    pub layers: u32,
}

impl World {
    /// Whether `viewer` has `target` in view, who had it or not. In float32, as the crate decides:
    /// `dx * dx + dy * dy <= r * r`.
    #[inline]
    pub fn sees(&self, viewer: u32, target: u32, had: bool) -> bool {
        let (v, t) = (
            &self.members[viewer as usize],
            &self.members[target as usize],
        );
        let range = if had {
            v.radius + self.leave_margin
        } else {
            v.radius
        };
        let (from, to) = (
            self.positions[viewer as usize],
            self.positions[target as usize],
        );
        let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
        viewer != target
            && v.present
            && t.present
            && v.radius > 0.0
            && t.target
            && v.sees & t.layers != 0
            && dx * dx + dy * dy <= range * range
    }
}
