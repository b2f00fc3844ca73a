//! Owns what a failure upstream means: for the caller, and for the key of a write. Invariant: what may
//! have had its effect is never taken for something that did not.

use contract::shape::http::Validated;
use contract::{Answer, Code, Effect, Fault, Refusal};
use serde_json::Value;

use crate::catalogue::http::failure::{Failure, Reached};
use crate::catalogue::http::received::Received;
use crate::catalogue::index::Resend;
use crate::idempotency::End;

/// How a tool's call ended.
pub(crate) enum Ended {
    /// With an answer to keep.
    Good(Received),
    /// Without one.
    Bad(Box<Bad>),
}

/// A call without a good answer.
pub(crate) struct Bad {
    /// What the caller is told.
    pub(crate) answer: Answer,
    /// What its key keeps.
    pub(crate) end: End,
    /// The word of the ledger.
    pub(crate) status: &'static str,
    /// Whether the upstream answered anything: its words are in what the caller is told.
    pub(crate) heard: bool,
    /// What the upstream said in its error, if it said anything.
    pub(crate) body: Option<Received>,
}

/// What a failure means for the caller, and for the key of a write.
pub(crate) fn bad(failure: &Failure, effect: Effect, resend: Resend) -> Bad {
    let reached = failure.reached();
    let end = match reached {
        // Nothing was sent; or the upstream refused the request, which can be mended and sent again.
        Reached::Never | Reached::Answered(400..=499) => End::FailedBeforeSend,
        Reached::Answered(200..=299) => End::Done(Value::Null),
        Reached::Unknown | Reached::Answered(_) => End::OutcomeUnknown,
    };
    let end = if effect == Effect::Read && matches!(end, End::OutcomeUnknown) {
        End::FailedBeforeSend
    } else {
        end
    };
    let say = failure.to_string();
    let refusal = |code: Code, fix: &str| Answer::from(Refusal::new(code, format!("{say}."), fix));
    let mut body = None;
    let answer = match failure {
        Failure::BeforeSend { .. } | Failure::Timeout { sent: false, .. } => {
            Answer::unavailable(format!("upstream: {say}"), 1000)
        }
        Failure::Denied(_) => refusal(
            Code::EgressDenied,
            "Ask the operator to allow the address, if it is meant to be reached.",
        ),
        Failure::Credential { .. } => {
            refusal(Code::NotGranted, "Ask for a credential that is bound to this origin.")
        }
        Failure::Unknown { .. } | Failure::Timeout { .. } if effect == Effect::Read => {
            Answer::unavailable(format!("upstream: {say}"), 1000)
        }
        Failure::Unknown { .. } | Failure::Timeout { .. } => unknown(&say, resend).into(),
        Failure::Upstream(received) => {
            let status = received.status;
            body = Some((**received).clone());
            refusal_with(Code::UpstreamFailed, &say, status)
        }
        Failure::Redirect { origin, .. } => {
            let mut refusal = Refusal::new(
                Code::UpstreamRedirect,
                format!("{say}."),
                "Ask whoever declared the tool to declare the place it redirects to.",
            );
            if let Some(origin) = origin {
                refusal = refusal.with("origin", origin.clone());
            }
            refusal.into()
        }
        Failure::TooLarge { limit, .. } => Refusal::new(
            Code::ResponseTooLarge,
            format!("{say}."),
            "Ask for less, by the tool's own arguments.",
        )
        .with("limit", *limit)
        .into(),
        Failure::MediaType { .. } | Failure::Undecodable { .. } => refusal(
            Code::UpstreamMediaType,
            "Ask whoever declared the tool to declare what the upstream sends.",
        ),
    };
    let took_place = matches!(end, End::Done(_));
    // The effect took place, and its answer cannot be used: a repeat is told so, not sent.
    let end = if took_place { End::Done(answer.body()) } else { end };
    let status =
        if let Answer::Refused(refusal) = &answer { refusal.code.as_str() } else { "unavailable" };
    Bad { answer, end, status, heard: matches!(reached, Reached::Answered(_)), body }
}

/// An answer, if it is of the shape that the tool declares. One that is not came of an effect that took
/// place: a repeat is told so, not sent.
pub(crate) fn shaped(endpoint: &Validated, received: Received) -> Ended {
    if endpoint.endpoint().output_schema.is_none() {
        return Ended::Good(received);
    }
    let faults = match serde_json::from_slice(&received.body) {
        Ok(answer) => endpoint.check_output(&answer),
        Err(error) => vec![Fault::new(
            "",
            format!("It is not JSON, at line {} column {}.", error.line(), error.column()),
            "publish a declaration without an output schema",
        )],
    };
    if faults.is_empty() {
        return Ended::Good(received);
    }
    let mut refusal = Refusal::new(
        Code::UpstreamSchema,
        "The upstream's answer is not of the shape that the tool declares: see `faults`.",
        "Read what the upstream said in `body`, or ask whoever declared the tool to publish what it \
         answers now.",
    );
    refusal.faults = faults;
    let answer = Answer::from(refusal);
    Ended::Bad(Box::new(Bad {
        end: End::Done(answer.body()),
        answer,
        status: Code::UpstreamSchema.as_str(),
        heard: true,
        body: Some(received),
    }))
}

/// The refusal of a write that may have had its effect.
pub(crate) fn unknown(say: &str, resend: Resend) -> Refusal {
    let fix = match resend {
        Resend::SameKey => {
            "Send the same call again: it goes out under the same key, and the upstream makes it once."
        }
        Resend::LookedUp => {
            "Send the same call again: whether it took effect is looked up first, and only what did \
             not is sent."
        }
        Resend::Never => {
            "Look the effect up at the system itself. The call is not sent again under this key."
        }
    };
    Refusal::new(Code::OutcomeUnknown, format!("{say}."), fix)
}

fn refusal_with(code: Code, say: &str, status: u16) -> Answer {
    Refusal::new(
        code,
        format!("{say}."),
        "Read what the upstream said in `body`; mend the arguments if it is about them.",
    )
    .with("upstream_status", status)
    .into()
}
