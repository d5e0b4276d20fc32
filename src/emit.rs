//! [`AoiSystems::Emit`](crate::AoiSystems::Emit): first the state, then the messages, then the
//! entity events, so whoever is told already finds the new state.

use bevy::{
    ecs::{entity_disabling::Disabled, query::Allow},
    platform::time::Instant,
    prelude::*,
};
use core::hint::black_box;
use smallvec::SmallVec;

use crate::{
    AoiEvents, AoiSeenEvents, AoiStats, EnterView, InView, LeaveReason, LeaveView, Seen, SeenBy,
    Unseen,
    crosslink::Buffer,
    detect::Changes,
    lifecycle::{Pending, orphan_of},
    told::Reader,
};

/// Buffers kept from update to update.
#[derive(Default)]
pub(crate) struct Buffers {
    viewers: Buffer<(Entity, usize)>,
    list: Vec<Entity>,
    /// Target, viewer, and whether it came into view.
    seen: Buffer<(Entity, Entity, bool)>,
}

pub(crate) fn emit(
    mut commands: Commands,
    changes: Res<Changes>,
    mut pending: ResMut<Pending>,
    mut stats: ResMut<AoiStats>,
    mut views: Query<(Entity, &mut InView), Allow<Disabled>>,
    mut seen_by: Query<&mut SeenBy, Allow<Disabled>>,
    with_events: Query<(), (With<AoiEvents>, Allow<Disabled>)>,
    with_seen_events: Query<(), (With<AoiSeenEvents>, Allow<Disabled>)>,
    mut left: MessageWriter<LeaveView>,
    mut entered: MessageWriter<EnterView>,
    mut buffers: Local<Buffers>,
) {
    let _span = tracing::info_span!("aoi_emit").entered();
    let start = Instant::now();
    let Buffers {
        viewers,
        list,
        seen,
    } = &mut *buffers;
    let listed = !seen_by.is_empty();
    seen.recycle();
    let (mut leaves, mut enters) = (changes.left.read(), changes.entered.read());
    viewers.recycle();
    while let Some(viewer) = first(&leaves, &enters) {
        leaves.split_off(viewer);
        viewers.push((viewer, enters.split_off(viewer).from()));
    }
    pending.sort_orphans();
    let late = &mut pending.orphans;
    let (mut leaves, mut enters) = (changes.left.read(), changes.entered.read());
    for some in viewers.chunks(32) {
        fetch(&views, some, changes.entered.scattered());
        for &(viewer, _) in some {
            let gone = leaves.split_off(viewer);
            let came = enters.split_off(viewer);
            if let Some(at) = orphan_of(late, viewer) {
                update(&mut late[at].1, gone.targets(), came.targets(), list);
            } else if let Ok((_, mut view)) = views.get_mut(viewer) {
                update(&mut view.0, gone.targets(), came.targets(), list);
            }
            // While they are at hand.
            for (run, targets) in gone {
                let reason = run.reason;
                left.write_batch(targets.iter().map(|&target| LeaveView {
                    viewer,
                    target,
                    reason,
                }));
            }
            let came = came.targets().iter();
            entered.write_batch(came.map(|&target| EnterView { viewer, target }));
        }
    }
    if listed {
        let left = changes.left.iter();
        seen.extend(left.map(|(viewer, _, target)| (target, viewer, false)));
        let entered = changes.entered.iter();
        seen.extend(entered.map(|(viewer, (), target)| (target, viewer, true)));
    }
    seen.retain(|&(target, ..)| seen_by.contains(target));
    seen.sort_unstable();
    for group in seen.chunk_by(|a, b| a.0 == b.0) {
        if let Ok(mut list_of) = seen_by.get_mut(group[0].0) {
            let of = |came: bool| {
                let side = group.iter().filter(move |change| change.2 == came);
                side.map(|change| change.1)
            };
            let [gone, came] = [false, true].map(|came| of(came).collect::<SmallVec<[_; 8]>>());
            update(&mut list_of.0, &gone, &came, list);
        }
    }
    if !pending.seen_by.is_empty() {
        fill(&mut pending, &mut seen_by, &views, seen);
    }
    if !with_events.is_empty() || !with_seen_events.is_empty() {
        for (viewer, reason, target) in changes.left.iter() {
            if with_events.contains(viewer) {
                commands.trigger(LeaveView {
                    viewer,
                    target,
                    reason,
                });
            }
            if with_seen_events.contains(target) {
                commands.trigger(Unseen {
                    target,
                    viewer,
                    reason,
                });
            }
        }
        for (viewer, (), target) in changes.entered.iter() {
            if with_events.contains(viewer) {
                commands.trigger(EnterView { viewer, target });
            }
            if with_seen_events.contains(target) {
                commands.trigger(Seen { target, viewer });
            }
        }
    }
    stats.updates += 1;
    stats.emit = start.elapsed();
}

/// Touches the views of some viewers, and who came into them. They lie anywhere in memory, and to touch
/// many in a short loop lets the processor fetch them side by side: that saved a third of the set's time.
fn fetch(
    views: &Query<(Entity, &mut InView), Allow<Disabled>>,
    viewers: &[(Entity, usize)],
    entered: Option<&[Entity]>,
) {
    let view = |viewer| {
        views
            .get(viewer)
            .map_or(&[][..], |(_, view)| view.as_slice())
    };
    black_box(
        viewers
            .iter()
            .map(|&(viewer, _)| view(viewer).len())
            .sum::<usize>(),
    );
    let index = |entity: Option<&Entity>| entity.map_or(0, |entity| entity.index_u32());
    let touch = |&(viewer, _): &(Entity, usize)| {
        let view = view(viewer);
        let (third, end) = (view.len() / 3, view.len().wrapping_sub(1));
        let entities = [0, third, 2 * third, end].map(|at| view.get(at));
        entities.map(index).iter().fold(0, |a, b| a ^ b)
    };
    black_box(viewers.iter().map(touch).fold(0, |a, b| a ^ b));
    let Some(entered) = entered else { return };
    // One in each line of cache, as far as a view is likely to go.
    let touch = |&(_, from): &(Entity, usize)| {
        let entities = [0, 8, 16, 24].map(|at| entered.get(from + at));
        entities.map(index).iter().fold(0, |a, b| a ^ b)
    };
    black_box(viewers.iter().map(touch).fold(0, |a, b| a ^ b));
}

/// The viewer that comes first in either.
fn first(leaves: &Reader<LeaveReason>, enters: &Reader<()>) -> Option<Entity> {
    [leaves.viewer(), enters.viewer()]
        .into_iter()
        .flatten()
        .min()
}

/// As many are put in and taken out one by one.
const FEW: usize = 4;

/// Takes some entities out of a sorted list and puts others in; both sides are sorted.
fn update(
    list: &mut SmallVec<[Entity; 2]>,
    gone: &[Entity],
    came: &[Entity],
    buffer: &mut Vec<Entity>,
) {
    if list.as_slice() == gone {
        list.clear();
        make_room(list, came.len());
        list.extend_from_slice(came);
        return;
    }
    if gone.len() + came.len() <= FEW {
        for &entity in gone {
            let at = rank(list, entity);
            if list.get(at) == Some(&entity) {
                list.remove(at);
            }
        }
        for &entity in came {
            let at = rank(list, entity);
            if list.get(at) != Some(&entity) {
                make_room(list, 1);
                list.insert(at, entity);
            }
        }
        return;
    }
    let (mut gone, mut came) = (
        gone.iter().copied().peekable(),
        came.iter().copied().peekable(),
    );
    buffer.clear();
    for &entity in list.iter() {
        while let Some(new) = came.next_if(|&new| new < entity) {
            buffer.push(new);
        }
        if gone.next_if_eq(&entity).is_none() {
            buffer.push(entity);
        }
    }
    buffer.extend(came);
    list.clear();
    make_room(list, buffer.len());
    list.extend_from_slice(buffer);
}

/// Room for some more entities, and for an eighth more than there will be: doubled at every turn, views
/// are a sixth of all memory larger.
fn make_room(list: &mut SmallVec<[Entity; 2]>, more: usize) {
    let len = list.len() + more;
    if len > list.capacity() {
        list.reserve_exact(more + len / 8);
    }
}

/// How many of a sorted list come before an entity.
fn rank(list: &[Entity], entity: Entity) -> usize {
    if list.len() > 128 {
        return list.partition_point(|&other| other < entity);
    }
    list.iter().map(|&other| usize::from(other < entity)).sum()
}

/// Fills each `SeenBy` that was inserted since the last update, if its target was in view then.
fn fill(
    pending: &mut Pending,
    seen_by: &mut Query<&mut SeenBy, Allow<Disabled>>,
    views: &Query<(Entity, &mut InView), Allow<Disabled>>,
    seen: &mut Vec<(Entity, Entity, bool)>,
) {
    let Pending {
        seen_by: inserted,
        orphans: late,
        ..
    } = pending;
    inserted.sort_unstable();
    inserted.dedup();
    seen.clear();
    let mut note = |viewer: Entity, view: &[Entity]| {
        let targets = view.iter();
        let targets = targets.filter(|&target| inserted.binary_search(target).is_ok());
        seen.extend(targets.map(|&target| (target, viewer, true)));
    };
    for (viewer, view) in views {
        if orphan_of(late, viewer).is_none() {
            note(viewer, view.as_slice());
        }
    }
    // Of several for one viewer only the first can have anyone in it.
    for of_one in late.chunk_by(|a, b| a.0 == b.0) {
        note(of_one[0].0, &of_one[0].1);
    }
    seen.sort_unstable();
    for &target in &*inserted {
        let from = seen.partition_point(|entry| entry.0 < target);
        let viewers = seen[from..].iter().take_while(|entry| entry.0 == target);
        if let Ok(mut list) = seen_by.get_mut(target)
            && !list.iter().eq(viewers.clone().map(|entry| entry.1))
        {
            list.0 = viewers.map(|entry| entry.1).collect();
        }
    }
    inserted.clear();
}
