//! Check 5, reservation: would a rate be exceeded? The rate is taken before the ruling, by a token
//! bucket for each principal and each tool that declares one.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

use contract::{Code, Refusal};

use super::{Asked, Said};

const CHECK: &str = "reservation";

/// What the limiter said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rate {
    /// One more call is within the rate, and was counted.
    Within,
    /// It is not; try again then.
    Exceeded {
        /// When.
        retry_after_ms: u64,
    },
}

pub(super) fn check(asked: &Asked<'_, '_>) -> Said {
    match asked.rate {
        Rate::Within => Said::allow(CHECK, "Within the rate."),
        exceeded @ Rate::Exceeded { .. } => Said::block(CHECK, "rate", too_many(exceeded)),
    }
}

/// What a caller is told whose rate is exceeded.
pub(crate) fn too_many(rate: Rate) -> Refusal {
    let retry_after_ms = match rate {
        Rate::Within => 0,
        Rate::Exceeded { retry_after_ms } => retry_after_ms,
    };
    Refusal::new(
        Code::RateLimited,
        "More calls than the rate allows.",
        format!("Try again in {retry_after_ms} ms."),
    )
    .with("retry_after_ms", retry_after_ms)
}

/// How many buckets are kept. Full ones go first: forgetting a full bucket changes nothing.
const BUCKETS_MAX: usize = 50_000;

#[derive(Debug, Clone, Copy)]
struct Bucket {
    /// Thousandths of a call.
    milli: u64,
    at_ms: u64,
}

/// Token buckets: `calls` in any `per_ms`, filled evenly.
#[derive(Debug)]
pub(crate) struct Limiter<K>(Mutex<HashMap<K, Bucket>>);

impl<K> Default for Limiter<K> {
    fn default() -> Self {
        Self(Mutex::new(HashMap::new()))
    }
}

impl<K: Eq + Hash + Clone> Limiter<K> {
    /// What [`take`](Self::take) would answer, with nothing taken.
    pub(crate) fn peek(&self, key: &K, calls: u32, per_ms: u64, now_ms: u64) -> Rate {
        self.ask(key, calls, per_ms, now_ms, false)
    }

    /// Takes one call out of `key`'s bucket at `now_ms` (a clock that does not go back).
    pub(crate) fn take(&self, key: &K, calls: u32, per_ms: u64, now_ms: u64) -> Rate {
        self.ask(key, calls, per_ms, now_ms, true)
    }

    fn ask(&self, key: &K, calls: u32, per_ms: u64, now_ms: u64, taken: bool) -> Rate {
        let full = u64::from(calls.max(1)) * 1000;
        let per_ms = per_ms.max(1);
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= BUCKETS_MAX && !buckets.contains_key(key) {
            buckets.retain(|_, bucket| now_ms.saturating_sub(bucket.at_ms) < per_ms);
            if buckets.len() >= BUCKETS_MAX {
                return Rate::Exceeded { retry_after_ms: per_ms };
            }
        }
        let bucket = buckets.entry(key.clone()).or_insert(Bucket { milli: full, at_ms: now_ms });
        let passed = now_ms.saturating_sub(bucket.at_ms);
        let filled = u128::from(passed) * u128::from(full) / u128::from(per_ms);
        bucket.milli = full.min(bucket.milli.saturating_add(u64::try_from(filled).unwrap_or(full)));
        if filled > 0 {
            bucket.at_ms = now_ms;
        }
        if bucket.milli >= 1000 {
            bucket.milli -= if taken { 1000 } else { 0 };
            return Rate::Within;
        }
        let missing = u128::from(1000 - bucket.milli);
        let wait = (missing * u128::from(per_ms)).div_ceil(u128::from(full));
        Rate::Exceeded { retry_after_ms: u64::try_from(wait).unwrap_or(per_ms).max(1) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_burst_is_let_through_once_and_then_the_rate_holds() {
        let limiter = Limiter::default();
        let taken = (0..15).filter(|_| limiter.take(&"ana", 10, 1000, 0) == Rate::Within).count();
        assert_eq!(taken, 10);
        let Rate::Exceeded { retry_after_ms } = limiter.take(&"ana", 10, 1000, 0) else {
            panic!("the bucket is empty");
        };
        assert_eq!(retry_after_ms, 100);
        assert_eq!(limiter.take(&"ana", 10, 1000, 99), Rate::Exceeded { retry_after_ms: 1 });
        assert_eq!(limiter.take(&"ana", 10, 1000, 100), Rate::Within);
        assert_eq!(limiter.take(&"rui", 10, 1000, 0), Rate::Within);
    }

    proptest! {
        #[test]
        fn no_pattern_of_calls_gets_more_than_a_burst_and_the_rate(gaps in prop::collection::vec(0_u64..400, 1..200)) {
            let limiter = Limiter::default();
            let (mut now, mut taken) = (0, 0);
            for gap in gaps {
                now += gap;
                taken += u64::from(limiter.take(&0, 10, 1000, now) == Rate::Within);
            }
            prop_assert!(taken <= 10 + now / 100 + 1, "{taken} calls in {now} ms");
        }
    }
}
