//! The heap of the process, counted.

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static HEAP: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// How many bytes are allocated at present.
pub fn live() -> usize {
    let stats = HEAP.stats();
    stats.bytes_allocated - stats.bytes_deallocated
}

/// How often memory was asked for until now.
pub fn allocations() -> usize {
    let stats = HEAP.stats();
    stats.allocations + stats.reallocations
}
