//! What changed, found in whole columns of ticks.
//!
//! Bevy's `Changed` and `Added` ask entity by entity, which is most of what a world at rest costs. Bevy
//! also hands out the ticks of a table as a slice, and a slice is passed over eight at a time: an idle
//! update of 100 000 takes 0.8 instead of 2.1 nanoseconds per entity.

use core::ops::ControlFlow;

use bevy::{
    ecs::{change_detection::Tick, query::ArchetypeFilter},
    prelude::*,
};

/// Ticks that are looked at before the first of them is asked.
const CHUNK: usize = 64;

/// Calls `each` for the rows with a tick since the system ran last, until it says to stop.
#[inline]
pub(crate) fn newer(
    ticks: &[Tick],
    [last, this]: [Tick; 2],
    mut each: impl FnMut(usize) -> ControlFlow<()>,
) -> ControlFlow<()> {
    for (chunk, from) in ticks.chunks(CHUNK).zip((0..).step_by(CHUNK)) {
        // Without a branch, so that it becomes SIMD.
        let any = chunk
            .iter()
            .fold(false, |any, tick| any | tick.is_newer_than(last, this));
        if any {
            for (tick, row) in chunk.iter().zip(from..) {
                if tick.is_newer_than(last, this) {
                    each(row)?;
                }
            }
        }
    }
    ControlFlow::Continue(())
}

/// Calls `each` for the entities that the component changed or was added to since the system ran last,
/// until it says to stop.
pub(crate) fn touched<C: Component, F: ArchetypeFilter>(
    query: &Query<(Entity, Ref<C>), F>,
    added: bool,
    mut each: impl FnMut(Entity) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let Ok(tables) = query.contiguous_iter() else {
        return query.iter().try_for_each(|(entity, component)| {
            if component.is_added() || (!added && component.is_changed()) {
                each(entity)?;
            }
            ControlFlow::Continue(())
        });
    };
    for (entities, column) in tables {
        let runs = [column.last_run_tick(), column.this_run_tick()];
        let ticks = if added {
            column.added_ticks_slice()
        } else {
            column.changed_ticks_slice()
        };
        newer(ticks, runs, |row| each(entities[row]))?;
    }
    ControlFlow::Continue(())
}

/// Calls `each` for all entities of which the component changed since the system ran last.
#[inline]
pub(crate) fn changed<C: Component, F: ArchetypeFilter>(
    query: &Query<(Entity, Ref<C>), F>,
    mut each: impl FnMut(Entity, &C),
) {
    let Ok(tables) = query.contiguous_iter() else {
        // The component, or one that disables entities, is kept in a sparse set.
        let changed = query.iter().filter(|(_, component)| component.is_changed());
        changed.for_each(|(entity, component)| each(entity, &component));
        return;
    };
    for (entities, column) in tables {
        let runs = [column.last_run_tick(), column.this_run_tick()];
        let values = &*column;
        let _ = newer(column.changed_ticks_slice(), runs, |row| {
            each(entities[row], &values[row]);
            ControlFlow::Continue(())
        });
    }
}
