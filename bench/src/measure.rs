//! Owns what is measured, one module a question, and how much of it a run takes.

pub(crate) mod added;
pub(crate) mod decision;
pub(crate) mod gate;
pub(crate) mod memory;
pub(crate) mod surfaces;

use std::time::Duration;

use crate::closed::Loop;

/// How much is measured.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    /// A short run, to see that it runs.
    pub(crate) quick: bool,
    /// The calls over which memory is watched.
    pub(crate) calls: usize,
    /// How long these may take, unless it was said how many they are.
    pub(crate) calls_limit: Duration,
}

impl Plan {
    fn pick<T>(self, quick: T, full: T) -> T {
        if self.quick { quick } else { full }
    }

    /// How throughput is measured: many short rounds rather than few long ones, since other work comes
    /// and goes on the machine.
    pub(crate) fn closed(self) -> Loop {
        Loop {
            connections: 32,
            rounds: self.pick(5, 21),
            lasts: Duration::from_millis(self.pick(120, 400)),
        }
    }
}
