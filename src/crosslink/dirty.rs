//! The *dirty way* to changes (see `detect.rs`): it serves a member that is new or gone, has other
//! parameters, or jumped further than the walk looks. A dirty viewer: all that it has in view, and all
//! around its new place, which `reach.rs` finds. A dirty target: the viewers around its old and its new
//! place. A clean viewer that had the target in view was within reach of its old place, so nothing is
//! missed.

use super::{
    Candidates, CrossLink, Id, Target, Was,
    block::{Axis, Block, Look, lanes},
    delta,
    kernel::within,
    view::{in_view, widened},
};

/// What a target was and where, and what it is now; none if it was, or is, none.
type Places<const D: usize> = [Option<(Target, [f32; D])>; 2];

impl<const D: usize> CrossLink<D> {
    /// What a member that was `was` may have changed; `anybody` says whether anyone is clean.
    pub(super) fn dirty_way(&self, was: &Was<D>, anybody: bool, out: &mut Candidates) {
        let id = was.id;
        let now = &self.members[id];
        let at = self.position(id);
        // The others are found block by block.
        let by_block = || at.is_some() && self.classes.roles(now).viewer.is_some();
        if (was.viewer.is_some() || now.viewer.is_some()) && !by_block() {
            out.whole.push(id);
        }
        let places = [was.target.zip(was.at), now.target.zip(at)];
        if anybody {
            self.viewers_around(id, places, out);
        }
    }

    /// Clean viewers that had a dirty target in reach at its old place, or have it at its new one,
    /// which may be missing. Dirty viewers look for themselves.
    fn viewers_around(&self, id: Id, places: Places<D>, out: &mut Candidates) {
        for (then, place) in [(true, places[0]), (false, places[1])] {
            let Some((target, at)) = place else { continue };
            if self.classes.reach() > 0.0 {
                let reach = widened(self.classes.common_viewer() + target.extra() + self.slack);
                for other in self.rows.near(at, at, reach) {
                    self.viewers_in(&self.blocks[other as usize], id, places, then, out);
                }
            }
            for &viewer in self.classes.far() {
                if let Some(slot) = self.slot(viewer)
                    && self.roles(viewer).viewer.is_none()
                    && !self.members[viewer].dirty
                {
                    let b = &self.blocks[slot.block as usize];
                    self.ask_viewer((b, slot.lane as usize), id, places, [then, false], out);
                }
            }
        }
    }

    /// Those in a block, around its old place (`then`) or its new one.
    fn viewers_in(
        &self,
        b: &Block<D>,
        id: Id,
        [old, new]: Places<D>,
        then: bool,
        out: &mut Candidates,
    ) {
        let mut among = b.viewers & !b.dirty;
        if among == 0 {
            return;
        }
        if let Look::Same(viewer) = &b.look {
            let lanes_within = |place: Option<(Target, [f32; D])>, axes: &[Axis; D]| {
                place.map_or((0, 0), |(target, at)| {
                    within(viewer, target.extra(), at, axes)
                })
            };
            let seen = |(target, _): &(Target, [f32; D])| viewer.sees & target.layers != 0;
            let all_see = new.is_some() && [old, new].iter().flatten().all(seen);
            if all_see && (viewer.leave_margin <= 0.0 || viewer.leave_margin.is_nan()) {
                // All at once.
                let was = lanes_within(old, &b.old).0;
                let is = lanes_within(new, &b.pos).0;
                out.tested += u64::from(among.count_ones());
                let (told, list) = if then {
                    (was & !is, &mut out.went)
                } else {
                    (is & !was, &mut out.came)
                };
                list.extend(lanes(told & among).map(|lane| (b.ids[lane], id)));
                return;
            }
            among &= if then {
                lanes_within(old, &b.old).1
            } else {
                lanes_within(new, &b.pos).0
            };
        }
        for lane in lanes(among) {
            self.ask_viewer((b, lane), id, [old, new], [then, true], out);
        }
    }

    /// The same for one viewer; `certain` says whether what its test says is the whole truth.
    fn ask_viewer(
        &self,
        (b, lane): (&Block<D>, usize),
        id: Id,
        [old, new]: Places<D>,
        [then, certain]: [bool; 2],
        out: &mut Candidates,
    ) {
        let pair = (b.ids[lane], id);
        let Some(viewer) = &self.members[pair.0].viewer else {
            return;
        };
        if pair.0 == id {
            return;
        }
        out.tested += 1;
        let sees = |place: Option<(Target, [f32; D])>, from: [f32; D], held: bool| {
            place.is_some_and(|(target, at)| in_view(viewer, &target, delta(from, at), held))
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
    }
}
