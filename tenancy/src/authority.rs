//! Owns the decision: who may do what where, judged from one view at one moment. Invariant: it is
//! pure (no I/O, no clock, no allocation where it permits or refuses), no answer is ever kept for a
//! second question, and without a valid lease the answer is never a decision.
//!
//! It is judged where a call reaches, not where its caller stands: `target` is the scope of the
//! thing that is touched. What an answer may give away is in [`Reason::public`].
//!
//! A [`Caller`] borrows the view that it was found in and cannot be judged by another one:
//!
//! ```compile_fail
//! # use tenancy::{authority::*, lease::Standing, token, view::*};
//! # fn outlive(doc: Document, hash: &token::Hash, now: Now) {
//! let caller = {
//!     let view = AuthorityView::new(doc).unwrap();
//!     authenticate(&view, &Standing::Primary, hash, token::Kind::Agent, now).unwrap()
//! };
//! caller.home();
//! # }
//! ```

mod caller;
mod confer;
mod decide;
mod explain;
mod pack;
mod reach;
mod reason;

use contract::Timestamp;

pub use caller::{Caller, authenticate, resume};
pub use confer::{Missing, may_confer, may_mint};
pub(crate) use decide::Grounds;
pub use decide::{Check, Decision, Objection, decide, decide_call};
pub use explain::{
    Asked, Considered, Explanation, GrantVerdict, Remedy, Step, Subject, Unexplained, explain,
};
pub use pack::{Called, Version, credential_usable, pack_allows, pack_pick};
pub use reach::{places, reachable};
pub use reason::Reason;

use crate::clock::Source;

/// The moment of a decision, on both clocks. Read right before it, never kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Now {
    /// The wall clock, which expiries are compared with.
    pub wall: Timestamp,
    /// The boot clock in milliseconds, which the lease is compared with.
    pub boot_ms: u64,
}

impl Now {
    /// What `source` says it is.
    pub fn of(source: &dyn Source) -> Self {
        Self { wall: source.now(), boot_ms: source.boot_ms() }
    }
}

#[cfg(test)]
mod tests;
