//! Owns where what runs: the service and its baselines on one half of the processors, their callers and
//! the upstream on the other. Invariant: ours and its baseline are served by the same threads and called
//! by the same threads.

use std::future::Future;

use anyhow::Context;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use tokio::runtime::{Builder, Runtime};

/// The name of the threads that call. What bears another name serves.
pub(crate) const LOAD: &str = "bench-load";
/// The name of the threads that serve.
const SERVE: &str = "bench-serve";

/// The two halves.
#[derive(Debug)]
pub(crate) struct Halves {
    /// Where the service and the baselines run.
    pub(crate) serve: Runtime,
    /// Where the callers and the upstream run.
    pub(crate) load: Runtime,
    /// Which processors serve.
    pub(crate) serving: Vec<usize>,
    /// Which processors call.
    pub(crate) calling: Vec<usize>,
}

impl Halves {
    /// Splits the processors that this process may use. With only one, both halves share it.
    ///
    /// # Errors
    /// When the threads cannot be made.
    pub(crate) fn split() -> anyhow::Result<Self> {
        let may = sched_getaffinity(None).context("the processors of this process")?;
        let all: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|cpu| may.is_set(*cpu)).collect();
        let (serving, calling) = match all.split_at(all.len() / 2) {
            ([], only) => (only.to_vec(), only.to_vec()),
            (first, second) => (first.to_vec(), second.to_vec()),
        };
        Ok(Self {
            serve: runtime(SERVE, &serving)?,
            load: runtime(LOAD, &calling)?,
            serving,
            calling,
        })
    }
}

/// A runtime whose threads, and whatever threads they start, stay on these processors.
fn runtime(name: &str, cpus: &[usize]) -> anyhow::Result<Runtime> {
    let own = cpus.to_vec();
    Builder::new_multi_thread()
        .worker_threads(cpus.len())
        .thread_name(name)
        .on_thread_start(move || stay(&own))
        .enable_all()
        .build()
        .context("a runtime")
}

/// Keeps the thread that calls this, and the threads that it starts, on these processors. Where the system
/// refuses, ours and its baseline still share what they are given.
pub(crate) fn stay(cpus: &[usize]) {
    let mut set = CpuSet::new();
    for cpu in cpus {
        set.set(*cpu);
    }
    let _refused = sched_setaffinity(None, &set);
}

/// Runs a future on the threads of a runtime (not on the one that waits) until it is done.
///
/// # Errors
/// What the future answers, or that it panicked.
pub(crate) fn run<T: Send + 'static>(
    on: &Runtime,
    work: impl Future<Output = anyhow::Result<T>> + Send + 'static,
) -> anyhow::Result<T> {
    let task = on.spawn(work);
    on.block_on(task).context("the work panicked")?
}
