//! The *dirty way* to changes (see `detect.rs`): it serves a member that is new or gone, has other
//! parameters, or jumped further than the walk looks. A dirty viewer: all that it has in view, and all
//! around its new place, which `reach.rs` finds. A dirty target: the viewers around its old and its new
//! place. A clean viewer that had the target in view was within reach of its old place, so nothing is
//! missed.

use super::{
    Candidates, CrossLink, Id, Target, Was,
    block::{Block, Look, lanes},
    delta,
    kernel::within,
    view::{in_view, widened},
};

impl<const D: usize> CrossLink<D> {
    /// What a member that was `was` may have changed; `anybody` says whether anyone is clean.
    pub(super) fn dirty_way(&self, was: &Was<D>, anybody: bool, out: &mut Candidates) {
        let id = was.id;
        let now = &self.members[id];
        let at = self.position(id);
        if (was.viewer.is_some() || now.viewer.is_some()) && !self.whole_by_block(id) {
            out.whole.push(id);
        }
        let places = [was.target.zip(was.at), now.target.zip(at)];
        if anybody {
            self.viewers_around(id, places, out);
        }
    }

    /// Clean viewers that had a dirty target in reach at its old place, or have it at its new one,
    /// which may be missing. Dirty viewers look for themselves.
    fn viewers_around(
        &self,
        id: Id,
        [old, new]: [Option<(Target, [f32; D])>; 2],
        out: &mut Candidates,
    ) {
        for (then, place) in [(true, old), (false, new)] {
            let Some((target, at)) = place else { continue };
            let mut check = |b: &Block<D>, lane: usize, certain: bool| {
                let pair = (b.ids[lane], id);
                let Some(viewer) = &self.members[pair.0].viewer else {
                    return;
                };
                if pair.0 == id {
                    return;
                }
                out.tested += 1;
                let sees = |place: Option<(Target, [f32; D])>, from: [f32; D], held: bool| {
                    place
                        .is_some_and(|(target, at)| in_view(viewer, &target, delta(from, at), held))
                };
                let was = sees(old, b.old_position(lane), true);
                let is = sees(new, b.position(lane), false);
                if !(if then { was } else { is }) {
                    return;
                }
                let same_layers = new.is_some_and(|(target, _)| viewer.sees & target.layers != 0);
                if viewer.leave_margin > 0.0 || !certain || (then && !same_layers) {
                    out.pairs.push(pair);
                } else if then && !is {
                    out.went.push(pair);
                } else if !then && !was {
                    out.came.push(pair);
                }
            };
            if self.classes.reach() > 0.0 {
                let reach = widened(self.classes.common_viewer() + target.extra() + self.slack);
                for other in self.rows.near(at, at, reach) {
                    let b = &self.blocks[other as usize];
                    let mut among = b.viewers & !b.dirty;
                    if let Look::Same(viewer) = &b.look
                        && among != 0
                    {
                        let (near, wide) = within(
                            viewer,
                            target.extra(),
                            at,
                            if then { &b.old } else { &b.pos },
                        );
                        among &= if then { wide } else { near };
                    }
                    lanes(among).for_each(|lane| check(b, lane, true));
                }
            }
            for &viewer in self.classes.far() {
                if let Some(slot) = self.slot(viewer)
                    && self.roles(viewer).viewer.is_none()
                    && !self.members[viewer].dirty
                {
                    check(&self.blocks[slot.block as usize], slot.lane as usize, false);
                }
            }
        }
    }
}
