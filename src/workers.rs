//! Work shared among the threads of Bevy's compute pool, with the feature `parallel`. Without it, and
//! where there is little to do, one thread does it all.
//!
//! Parts are cut by number and their results put together in order, so what is found, and in which
//! order, does not depend on how many threads there are.

use core::ops::Range;

#[cfg(feature = "parallel")]
use bevy::tasks::ComputeTaskPool;

use crate::crosslink::{Found, Workers};

/// The threads of Bevy's compute pool, and the one that asks.
pub(crate) struct Pool;

/// Blocks or members to look around that are worth a task.
const FIND: usize = 64;

/// Items to pass over that are worth a task.
const EACH: usize = 512;

impl Workers for Pool {
    fn find<F: Found>(
        &self,
        count: usize,
        out: &mut F,
        work: impl Fn(Range<usize>, &mut F) + Sync,
    ) {
        let parts = parts(count, FIND);
        if parts <= 1 {
            work(0..count, out);
            return;
        }
        let ranges = (0..parts).map(|part| count * part / parts..count * (part + 1) / parts);
        let found = run(ranges, |range| {
            let mut found = F::default();
            work(range, &mut found);
            found
        });
        for mut found in found {
            out.append(&mut found);
        }
    }

    fn each<T: Send, F: Found>(
        &self,
        items: &mut [T],
        out: &mut F,
        work: impl Fn(usize, &mut [T], &mut F) + Sync,
    ) {
        let parts = parts(items.len(), EACH);
        if parts <= 1 {
            work(0, items, out);
            return;
        }
        let size = items.len().div_ceil(parts);
        let found = run(items.chunks_mut(size).enumerate(), |(part, items)| {
            let mut found = F::default();
            work(part * size, items, &mut found);
            found
        });
        for mut found in found {
            out.append(&mut found);
        }
    }
}

/// In how many parts some items are worked on.
#[cfg(feature = "parallel")]
pub(crate) fn parts(count: usize, worth: usize) -> usize {
    let threads = ComputeTaskPool::try_get().map_or(0, |pool| pool.thread_num());
    // More than threads, since they begin and end at different times.
    (count / worth).min(threads * 4).max(1)
}

/// In how many parts some items are worked on.
#[cfg(not(feature = "parallel"))]
pub(crate) fn parts(_count: usize, _worth: usize) -> usize {
    1
}

/// Runs `work` for each part; the results are in the order of the parts.
#[cfg(feature = "parallel")]
pub(crate) fn run<T: Send, R: Send + 'static>(
    parts: impl Iterator<Item = T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let work = &work;
    ComputeTaskPool::get().scope(|scope| {
        for part in parts {
            scope.spawn(async move { work(part) });
        }
    })
}

/// Runs `work` for each part; the results are in the order of the parts.
#[cfg(not(feature = "parallel"))]
pub(crate) fn run<T, R>(parts: impl Iterator<Item = T>, work: impl Fn(T) -> R) -> Vec<R> {
    parts.map(work).collect()
}
