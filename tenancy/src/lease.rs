//! Owns the lease: by when a worker must have stopped deciding. Invariant: a decision is made from a
//! view only while [`Standing::stands_at`] says so, and it is asked inside the decision.
//!
//! Lease clocks are `CLOCK_BOOTTIME` in milliseconds: they never go back and count while the machine
//! sleeps. The state machine that gets, renews and ends leases (sans-I/O, both planes') belongs in
//! `lease/`; what is here is what a decision needs of it.

use serde::{Deserialize, Serialize};

/// The longest lease that may be configured, in milliseconds. A revoke may have to wait for it.
pub const LEASE_MAX_MS: u32 = 60_000;

/// How long leases last. Valid by construction: see [`Timing::new`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked", into = "Unchecked")]
#[expect(clippy::struct_field_names, reason = "every field is a time, and units come last")]
pub struct Timing {
    lease_ms: u32,
    renew_ms: u32,
    stop_early_ms: u32,
    margin_ms: u32,
}

/// A timing as it is written down, before it was checked.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::struct_field_names, reason = "every field is a time, and units come last")]
struct Unchecked {
    lease_ms: u32,
    renew_ms: u32,
    stop_early_ms: u32,
    margin_ms: u32,
}

/// What is wrong with one figure of a timing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A time that must pass is none.
    #[error("`{0}` must be more than 0")]
    Zero(&'static str),
    /// A revoke could take too long.
    #[error("`lease_ms` must be at most {LEASE_MAX_MS}")]
    LeaseTooLong,
    /// The holder would stop before its first renewal could be answered.
    #[error("`renew_ms` and `stop_early_ms` together must be less than `lease_ms`")]
    RenewTooLate,
    /// The margin could hide a clock that runs wild for longer than a lease.
    #[error("`margin_ms` must be at most `lease_ms`")]
    MarginTooLong,
}

/// Everything that is wrong with a timing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the lease timing does not hold together: {}", join(.0))]
pub struct Faults(pub Vec<Fault>);

fn join(faults: &[Fault]) -> String {
    faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

impl Timing {
    /// A timing in milliseconds: how long a lease lasts, how often it is renewed, how long before
    /// its end the holder stops, and how long after its end the control plane takes it for ended.
    ///
    /// # Errors
    /// When the figures do not hold together; every fault is named.
    pub fn new(
        lease_ms: u32,
        renew_ms: u32,
        stop_early_ms: u32,
        margin_ms: u32,
    ) -> Result<Self, Faults> {
        let mut faults = Vec::new();
        for (name, ms) in [
            ("lease_ms", lease_ms),
            ("renew_ms", renew_ms),
            ("stop_early_ms", stop_early_ms),
            ("margin_ms", margin_ms),
        ] {
            if ms == 0 {
                faults.push(Fault::Zero(name));
            }
        }
        if lease_ms > LEASE_MAX_MS {
            faults.push(Fault::LeaseTooLong);
        }
        if renew_ms.saturating_add(stop_early_ms) >= lease_ms {
            faults.push(Fault::RenewTooLate);
        }
        if margin_ms > lease_ms {
            faults.push(Fault::MarginTooLong);
        }
        if faults.is_empty() {
            Ok(Self { lease_ms, renew_ms, stop_early_ms, margin_ms })
        } else {
            Err(Faults(faults))
        }
    }

    /// How long a lease lasts.
    pub const fn lease_ms(&self) -> u32 {
        self.lease_ms
    }

    /// How long after one renewal the next is sent.
    pub const fn renew_ms(&self) -> u32 {
        self.renew_ms
    }

    /// How long before the end the holder stops deciding.
    pub const fn stop_early_ms(&self) -> u32 {
        self.stop_early_ms
    }

    /// How long after the end the control plane still waits.
    pub const fn margin_ms(&self) -> u32 {
        self.margin_ms
    }

    /// The longest a revoke waits when the holder does not answer.
    pub const fn revoke_max_ms(&self) -> u32 {
        self.lease_ms.saturating_add(self.margin_ms)
    }
}

impl Default for Timing {
    fn default() -> Self {
        Self { lease_ms: 3000, renew_ms: 1000, stop_early_ms: 250, margin_ms: 500 }
    }
}

impl Default for Unchecked {
    fn default() -> Self {
        Timing::default().into()
    }
}

impl From<Timing> for Unchecked {
    fn from(timing: Timing) -> Self {
        let Timing { lease_ms, renew_ms, stop_early_ms, margin_ms } = timing;
        Self { lease_ms, renew_ms, stop_early_ms, margin_ms }
    }
}

impl TryFrom<Unchecked> for Timing {
    type Error = Faults;
    fn try_from(given: Unchecked) -> Result<Self, Faults> {
        Self::new(given.lease_ms, given.renew_ms, given.stop_early_ms, given.margin_ms)
    }
}

/// The right to serve one identity until a moment, as its holder knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lease {
    /// Grows with every holder; the namespace store refuses writes of an earlier one.
    pub epoch: u64,
    /// The moment on the holder's boot clock, in milliseconds, at which it stops deciding.
    pub ends_boot_ms: u64,
}

impl Lease {
    /// The lease that was got or renewed by a request *sent* at `sent_boot_ms`: it counts from
    /// there, and the holder stops early.
    pub fn sent_at(epoch: u64, sent_boot_ms: u64, timing: &Timing) -> Self {
        let lasts_ms = timing.lease_ms.saturating_sub(timing.stop_early_ms);
        Self { epoch, ends_boot_ms: sent_boot_ms.saturating_add(u64::from(lasts_ms)) }
    }

    /// Whether the holder may decide at `boot_ms`.
    pub const fn valid_at(&self, boot_ms: u64) -> bool {
        boot_ms < self.ends_boot_ms
    }
}

/// What lets a plane decide from the view that it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// A worker's: it decides while its lease lasts.
    Held(Lease),
    /// The control plane's, for a view that it read from the primary in the same request.
    Primary,
}

impl Standing {
    /// Whether it holds at `boot_ms`.
    pub const fn stands_at(&self, boot_ms: u64) -> bool {
        match self {
            Self::Held(lease) => lease.valid_at(boot_ms),
            Self::Primary => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_counts_from_the_sending_and_ends_early_to_the_millisecond() {
        let lease = Lease::sent_at(7, 10_000, &Timing::default());
        assert_eq!(lease, Lease { epoch: 7, ends_boot_ms: 12_750 });
        assert!(lease.valid_at(12_749));
        assert!(!lease.valid_at(12_750));
        assert!(!Standing::Held(lease).stands_at(u64::MAX));
        assert!(Standing::Primary.stands_at(u64::MAX));
    }

    #[test]
    fn every_fault_of_a_timing_is_named() {
        let Faults(faults) = Timing::new(0, 0, 0, 1).expect_err("is refused");
        assert_eq!(
            faults,
            [
                Fault::Zero("lease_ms"),
                Fault::Zero("renew_ms"),
                Fault::Zero("stop_early_ms"),
                Fault::RenewTooLate,
                Fault::MarginTooLong,
            ]
        );
        assert_eq!(Timing::new(60_001, 1, 1, 1), Err(Faults(vec![Fault::LeaseTooLong])));
        assert_eq!(Timing::new(1000, 750, 250, 1), Err(Faults(vec![Fault::RenewTooLate])));
        assert!(Timing::new(1000, 749, 250, 1000).is_ok());
    }

    #[test]
    fn a_timing_read_from_a_file_is_checked_and_may_leave_figures_out() {
        let read = |text| serde_json::from_str::<Timing>(text);
        assert_eq!(read("{}").expect("is the default"), Timing::default());
        let error = read(r#"{"renew_ms": 0, "lease_ms": 61000}"#).expect_err("is refused");
        assert!(error.to_string().contains("`renew_ms`") && error.to_string().contains("60000"));
        assert!(read(r#"{"renew": 5}"#).is_err());
        assert_eq!(Timing::default().revoke_max_ms(), 3500);
    }
}
