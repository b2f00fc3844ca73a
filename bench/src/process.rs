//! Owns what the system says of this process: its memory, its threads, the time they ran.

use std::fs;

use anyhow::Context;

use crate::pin::LOAD;

/// The resident memory of this process in bytes, and how many threads it has.
///
/// # Errors
/// When `/proc` does not say.
pub(crate) fn memory() -> anyhow::Result<(f64, f64)> {
    let status = fs::read_to_string("/proc/self/status").context("/proc/self/status")?;
    let line = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse::<f64>().ok()
    };
    let resident_kib = line("VmRSS:").context("VmRSS")?;
    Ok((resident_kib * 1024.0, line("Threads:").context("Threads")?))
}

/// The processor time, in seconds, of every thread that serves: of all but the callers' and the main
/// one. Only threads that live are counted; those that serve live as long as what they serve.
///
/// # Errors
/// When `/proc` does not say.
pub(crate) fn served_s() -> anyhow::Result<f64> {
    let own = std::process::id().to_string();
    let mut total_ns = 0.0;
    for task in fs::read_dir("/proc/self/task").context("/proc/self/task")? {
        let task = task?;
        let read = |name| fs::read_to_string(task.path().join(name));
        // A thread may have ended since the folder was read.
        let (Ok(name), Ok(times)) = (read("comm"), read("schedstat")) else { continue };
        if task.file_name() == own.as_str() || name.trim() == LOAD {
            continue;
        }
        let ran = times.split_whitespace().next().and_then(|ns| ns.parse::<f64>().ok());
        total_ns += ran.unwrap_or_default();
    }
    Ok(total_ns / 1e9)
}
