//! Owns what is said of the machine and the code that a run was made with: without it a figure means
//! nothing.

use std::fs;
use std::process::Command;

use serde::Serialize;
use tenancy::clock::{Machine as Clock, Source};

use crate::pin::Halves;

/// A machine, at the start of a run.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Machine {
    /// When the run began.
    pub(crate) began: String,
    /// The commit, and whether files differed from it.
    pub(crate) commit: String,
    /// The processor.
    pub(crate) processor: String,
    /// How many processors serve, and how many call.
    pub(crate) processors: String,
    /// The memory.
    pub(crate) memory: String,
    /// The kernel.
    pub(crate) kernel: String,
    /// The compiler.
    pub(crate) compiler: String,
    /// The load average over one minute when the run began, and when it ended.
    pub(crate) load: [String; 2],
}

impl Machine {
    /// This machine, now.
    pub(crate) fn describe(halves: &Halves) -> Self {
        let read = |path| fs::read_to_string(path).unwrap_or_default();
        let (cpu, memory) = (read("/proc/cpuinfo"), read("/proc/meminfo"));
        let changed = !said("git", &["status", "--porcelain"]).is_empty();
        let mut commit = said("git", &["rev-parse", "--short=12", "HEAD"]);
        if changed {
            commit.push_str(", with changes");
        }
        let kib = field(&memory, "MemTotal").trim_end_matches(" kB").parse::<f64>();
        Self {
            began: Clock.now().to_string(),
            commit,
            processor: field(&cpu, "model name"),
            processors: format!("{} serve, {} call", halves.serving.len(), halves.calling.len()),
            memory: format!("{:.1} GiB", kib.unwrap_or_default() / 1024.0 / 1024.0),
            kernel: read("/proc/sys/kernel/osrelease").trim().to_owned(),
            compiler: said("rustc", &["--version"]),
            load: [load(), String::new()],
        }
    }

    /// Takes the load at the end.
    pub(crate) fn end(&mut self) {
        let [_, end] = &mut self.load;
        *end = load();
    }
}

/// The load average over one minute.
fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().next().unwrap_or("?").to_owned()
}

/// The value of the first line `name: value`.
fn field(text: &str, name: &str) -> String {
    let value = text.lines().find_map(|line| {
        let (found, value) = line.split_once(':')?;
        (found.trim() == name).then(|| value.trim().to_owned())
    });
    value.unwrap_or_else(|| "unknown".to_owned())
}

/// What a command prints; a machine without it is described without it.
fn said(command: &str, arguments: &[&str]) -> String {
    let output = Command::new(command).args(arguments).output();
    output.map_or_else(
        |_| "unknown".to_owned(),
        |output| String::from_utf8_lossy(&output.stdout).trim().to_owned(),
    )
}
