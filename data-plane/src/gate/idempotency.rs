//! Check 6, idempotency: was the same call already made by this principal, in any run, inside the
//! tool's window? A call that was done is answered from the record before the Gate rules (see
//! [`crate::worker`]); what is left here are the cases that must be refused.

use contract::{Code, Refusal};

use super::{Asked, Said};

const CHECK: &str = "idempotency";

/// Where the same call stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// It is being made.
    InFlight,
    /// It was made and answered.
    Done,
    /// It was sent and never heard of.
    OutcomeUnknown,
    /// It was sent and never heard of, to an upstream that still honours its key.
    Honoured,
}

/// What is known of the same call before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prior {
    /// Nothing, or nothing that counts.
    None,
    /// The same call.
    Same(State),
    /// The same key, with other arguments.
    OtherArguments,
}

pub(super) fn check(asked: &Asked<'_, '_>) -> Said {
    match asked.prior {
        Prior::None | Prior::Same(State::Done) => Said::allow(CHECK, "Not made before."),
        Prior::OtherArguments => Said::block(
            CHECK,
            "other_arguments",
            Refusal::new(
                Code::IdempotencyMismatch,
                "This idempotency key was used with other arguments.",
                "Send the same arguments, or another key.",
            ),
        ),
        Prior::Same(State::Honoured) => {
            Said::allow(CHECK, "Sent before and never heard of; the upstream honours its key.")
        }
        Prior::Same(State::InFlight) => Said::block(
            CHECK,
            "in_flight",
            Refusal::new(
                Code::InFlight,
                "The same call is being made at this moment.",
                "Send it again in a moment: it will be answered from the first.",
            ),
        ),
        Prior::Same(State::OutcomeUnknown) => Said::block(
            CHECK,
            "outcome_unknown",
            Refusal::new(
                Code::OutcomeUnknown,
                "The same call was sent and its answer never heard. It is not sent again.",
                "Look the effect up at the system itself; to send it all the same, use another \
                 idempotency key.",
            ),
        ),
    }
}
