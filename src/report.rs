//! [`MoveInView`] and [`RingChanged`], told in [`AoiSystems::Emit`](crate::AoiSystems::Emit) once
//! the lists are up to date. Where no viewer asks for them there is nothing to go through.

use bevy::{
    ecs::{entity_disabling::Disabled, query::Allow},
    prelude::*,
};

use crate::{
    AoiIndex, AoiRings, InRings, InView, MoveInView, Moved, ReportMoves, RingChanged,
    crosslink::{Buffer, squared},
    detect::Changes,
    index::with_store,
    lifecycle::Pending,
    store::Store,
};

/// Tells viewers with [`ReportMoves`] of the pairs that were in view, still are, and of which an
/// end moved (contract point 21).
pub(crate) fn report_moves(
    changes: Res<Changes>,
    pending: Res<Pending>,
    reporting: Query<(Entity, &InView), With<ReportMoves>>,
    mut moves: MessageWriter<MoveInView>,
    mut told: Local<Buffer<MoveInView>>,
) {
    if changes.moved.is_empty() {
        return;
    }
    told.recycle();
    for (viewer, view) in &reporting {
        let viewer_moved = changes.moved.contains(&viewer);
        let entered = changes.entered.of(viewer);
        let view = pending.late_view(viewer).unwrap_or(view.as_slice());
        for &target in view {
            let moved = match (viewer_moved, changes.moved.contains(&target)) {
                (true, true) => Moved::Both,
                (true, false) => Moved::Viewer,
                (false, true) => Moved::Target,
                (false, false) => continue,
            };
            if entered.binary_search(&target).is_err() {
                told.push(MoveInView {
                    viewer,
                    target,
                    moved,
                });
            }
        }
    }
    told.sort_unstable_by_key(|moved| (moved.viewer, moved.target));
    moves.write_batch(told.iter().copied());
}

/// Tells viewers with [`AoiRings`] which ring their targets are in (contract point 22).
pub(crate) fn report_rings(
    index: Res<AoiIndex>,
    changes: Res<Changes>,
    pending: Res<Pending>,
    mut ringed: Query<(Entity, &InView, Option<Ref<AoiRings>>, &mut InRings), Allow<Disabled>>,
    mut messages: MessageWriter<RingChanged>,
    mut told: Local<Buffer<RingChanged>>,
    mut now: Local<Vec<(Entity, u8)>>,
) {
    told.recycle();
    for (viewer, view, rings, mut in_rings) in &mut ringed {
        // Nothing moved, came, went or was set: the rings are as they were.
        let touched = changes.touched || rings.as_ref().is_none_or(Ref::is_changed);
        if !touched {
            continue;
        }
        now.clear();
        if let Some(rings) = rings {
            with_store!(&index.spaces, |store| {
                let view = pending.late_view(viewer).unwrap_or(view.as_slice());
                rank(store, viewer, view, &rings, &in_rings, &mut now);
            });
        }
        let new = now
            .iter()
            .filter(|ring| in_rings.0.binary_search(ring).is_err());
        told.extend(new.map(|&(target, ring)| RingChanged {
            viewer,
            target,
            ring,
        }));
        if in_rings.0 != *now {
            in_rings.0.clone_from(&now);
        }
    }
    told.sort_unstable_by_key(|changed| (changed.viewer, changed.target));
    messages.write_batch(told.iter().copied());
}

/// The ring of each target in view.
fn rank<const D: usize>(
    store: &Store<D>,
    viewer: Entity,
    view: &[Entity],
    rings: &AoiRings,
    before: &InRings,
    now: &mut Vec<(Entity, u8)>,
) {
    let Some(from) = store.place(viewer) else {
        return;
    };
    let margin = match store.link(from).viewer(from.id) {
        Some(viewer) if viewer.leave_margin > 0.0 => viewer.leave_margin,
        _ => 0.0,
    };
    let radii = || {
        let mut last = 0.0;
        let ascending = rings.0.iter().copied().filter(move |&radius| {
            let kept = radius > last;
            last = if kept { radius } else { last };
            kept
        });
        ascending.take(usize::from(u8::MAX))
    };
    for &target in view {
        let Some(to) = store.place(target) else {
            continue;
        };
        let square = squared(store.apart(from, to));
        let within = |radius: f32| square <= radius * radius;
        let mut ring = radii().take_while(|&radius| !within(radius)).count() as u8;
        if let Some(had) = before.ring_of(target)
            && had < ring
            && radii()
                .nth(usize::from(had))
                .is_some_and(|radius| within(radius + margin))
        {
            ring = had;
        }
        now.push((target, ring));
    }
}
