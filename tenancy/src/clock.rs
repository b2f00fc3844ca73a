//! Owns the two things a running binary supplies: the wall clock and the id source, and the lease
//! clock beside them. Invariant: no other module asks the machine for time or randomness.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use contract::Timestamp;
use contract::id::{Id, Kind};
use ring::rand::SecureRandom;
use uuid::Uuid;

/// Supplies time and ids.
pub trait Source: Send + Sync + fmt::Debug {
    /// The wall clock.
    fn now(&self) -> Timestamp;
    /// Milliseconds on a clock that never goes back and counts while the machine sleeps
    /// (`CLOCK_BOOTTIME`). Leases are counted on it.
    fn boot_ms(&self) -> u64;
    /// Fills `bytes` with randomness fit for keys.
    fn random(&self, bytes: &mut [u8]);
}

/// The source, shared.
pub type Shared = Arc<dyn Source>;

/// A new id from `source`: UUID version 7.
pub fn new_id<K: Kind>(source: &dyn Source) -> Id<K> {
    Id::new(new_uuid(source))
}

fn new_uuid(source: &dyn Source) -> Uuid {
    let mut random = [0_u8; 10];
    source.random(&mut random);
    let ms = u64::try_from(source.now().ms()).unwrap_or(0);
    uuid::Builder::from_unix_timestamp_millis(ms, &random).into_uuid()
}

/// The machine's clock and randomness.
#[derive(Debug, Default)]
pub struct Machine;

impl Source for Machine {
    #[expect(clippy::disallowed_methods, reason = "the one place that asks the machine for time")]
    fn now(&self) -> Timestamp {
        let since = std::time::SystemTime::now()
            .duration_since(std::time::SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        Timestamp::from_ms(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    fn boot_ms(&self) -> u64 {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
        let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
        let nanos = u64::try_from(now.tv_nsec).unwrap_or(0);
        seconds.saturating_mul(1000).saturating_add(nanos / 1_000_000)
    }

    fn random(&self, bytes: &mut [u8]) {
        // The system's generator fails only where no key can be made at all; a zeroed buffer would
        // be worse than stopping, so it is asked again until it answers.
        while ring::rand::SystemRandom::new().fill(bytes).is_err() {}
    }
}

/// A clock that a test moves, and a seeded sequence in place of randomness.
#[derive(Debug)]
pub struct Fake {
    now_ms: AtomicI64,
    boot_ms: AtomicU64,
    drawn: AtomicU64,
}

impl Fake {
    /// A fake that starts at `now`, with its own sequence.
    pub fn at(now: Timestamp) -> Self {
        Self {
            now_ms: AtomicI64::new(now.ms()),
            boot_ms: AtomicU64::new(0),
            drawn: AtomicU64::new(1),
        }
    }

    /// Lets `ms` milliseconds pass on both clocks.
    pub fn pass(&self, ms: u32) {
        self.now_ms.fetch_add(i64::from(ms), Ordering::SeqCst);
        self.boot_ms.fetch_add(u64::from(ms), Ordering::SeqCst);
    }
}

impl Source for Fake {
    fn now(&self) -> Timestamp {
        Timestamp::from_ms(self.now_ms.load(Ordering::SeqCst))
    }

    fn boot_ms(&self) -> u64 {
        self.boot_ms.load(Ordering::SeqCst)
    }

    fn random(&self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            let n = self.drawn.fetch_add(1, Ordering::SeqCst).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            for (byte, seeded) in chunk.iter_mut().zip(n.to_be_bytes()) {
                *byte = seeded;
            }
        }
    }
}
