//! Owns a clock that a test sets ahead. Invariant: only the wall clock moves; leases are counted on the
//! machine's own boot clock, so nothing stops while days pass.

use std::sync::atomic::{AtomicI64, Ordering};

use contract::Timestamp;
use tenancy::clock::{Machine, Source};

/// The machine's clock and randomness, with the wall clock set ahead.
#[derive(Debug, Default)]
pub struct Ahead {
    ahead_ms: AtomicI64,
}

impl Ahead {
    /// Lets `ms` milliseconds pass on the wall clock.
    pub fn pass(&self, ms: i64) {
        self.ahead_ms.fetch_add(ms, Ordering::SeqCst);
    }
}

impl Source for Ahead {
    fn now(&self) -> Timestamp {
        Machine.now().plus_ms(self.ahead_ms.load(Ordering::SeqCst))
    }

    fn boot_ms(&self) -> u64 {
        Machine.boot_ms()
    }

    fn random(&self, bytes: &mut [u8]) {
        Machine.random(bytes);
    }
}
