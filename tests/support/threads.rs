//! How many threads Bevy's compute pool has, for the whole process.

/// Gives the pool as many threads as `AOI_THREADS` says, if it says so and nobody was faster. Only the
/// feature `parallel` makes use of them.
pub fn from_environment() {
    use bevy::tasks::{ComputeTaskPool, TaskPoolBuilder};
    if let Some(threads) = std::env::var_os("AOI_THREADS") {
        let threads = threads.to_str().and_then(|threads| threads.parse().ok());
        let threads = threads.expect("AOI_THREADS is a number of threads");
        ComputeTaskPool::get_or_init(|| TaskPoolBuilder::new().num_threads(threads).build());
    }
}
