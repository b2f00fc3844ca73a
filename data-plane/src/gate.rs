//! The Gate: the ordered checks that every call passes, one file a check.
//!
//! Invariants: the checks are pure (what they look at is gathered before, in [`Asked`]); they run
//! always and in this order; the earliest objection is the one reported; the worst verdict wins.
//! Approval is not a check: a released call passes all of them again, and its release answers only
//! what labels, rules and autonomy asked.

mod authority;
mod autonomy;
mod contract;
mod idempotency;
mod label;
mod policy;
mod reservation;

use ::contract::verbs::approval::CheckSaid;
use ::contract::{Fault, Labels, Refusal};
use serde_json::Value;
use tenancy::authority::Caller;

use crate::catalogue::Resolved;
use crate::catalogue::resolve::Asking;
pub(crate) use crate::ledger::entry::body::Verdict;
use crate::run::Run;

pub(crate) use authority::refusal;
pub(crate) use idempotency::{Prior, State};
pub(crate) use reservation::{Limiter, Rate, too_many};

/// Everything that the checks look at.
#[derive(Debug)]
pub(crate) struct Asked<'a, 'v> {
    /// Who asks, under which lease, when.
    pub(crate) asking: Asking<'a, 'v>,
    /// What is called and where it reaches.
    pub(crate) resolved: &'a Resolved,
    /// The arguments, raw.
    pub(crate) arguments: &'a Value,
    /// The run it belongs to.
    pub(crate) run: &'a Run,
    /// What the caller holds of what was read in other runs: the labels of the default run, unless
    /// this run was started clean.
    pub(crate) held: Labels,
    /// Whether the arguments carry a masked placeholder.
    pub(crate) placeholder: Option<String>,
    /// Why the request upstream cannot be built of the arguments.
    pub(crate) unbuilt: Option<Vec<Fault>>,
    /// What is known of the same call before.
    pub(crate) prior: Prior,
    /// Whether the caller's rate allows one more call.
    pub(crate) rate: Rate,
    /// Whether a person has released this very call.
    pub(crate) released: bool,
}

impl<'v> Asked<'_, 'v> {
    fn caller(&self) -> &Caller<'v> {
        self.asking.caller
    }

    fn labels(&self) -> Labels {
        self.run.labels() | self.held
    }
}

/// What one check said.
#[derive(Debug, Clone)]
pub(crate) struct Said {
    /// Which check.
    pub(crate) check: &'static str,
    /// Its verdict.
    pub(crate) verdict: Verdict,
    /// Which rule of it.
    pub(crate) rule: &'static str,
    /// Why, in a sentence.
    pub(crate) say: String,
    /// The refusal, if it blocks.
    pub(crate) refusal: Option<Refusal>,
}

impl Said {
    fn allow(check: &'static str, say: impl Into<String>) -> Self {
        Self { check, verdict: Verdict::Allow, rule: "allowed", say: say.into(), refusal: None }
    }

    fn approve(check: &'static str, rule: &'static str, say: impl Into<String>) -> Self {
        Self { check, verdict: Verdict::Approve, rule, say: say.into(), refusal: None }
    }

    fn block(check: &'static str, rule: &'static str, refusal: Refusal) -> Self {
        Self {
            check,
            verdict: Verdict::Block,
            rule,
            say: refusal.say.clone(),
            refusal: Some(refusal),
        }
    }
}

/// What the Gate ended in.
#[derive(Debug)]
pub(crate) struct Ruling {
    /// The worst verdict.
    pub(crate) verdict: Verdict,
    /// What every check said, in order.
    pub(crate) said: Vec<Said>,
}

impl Ruling {
    /// The ruling that refuses a call for one reason.
    pub(crate) fn refusing(check: &'static str, rule: &'static str, refusal: Refusal) -> Self {
        Self { verdict: Verdict::Block, said: vec![Said::block(check, rule, refusal)] }
    }

    /// Whether authority and contract let the call pass.
    pub(crate) fn admitted(&self) -> bool {
        self.said.iter().take(2).all(|said| said.verdict != Verdict::Block)
    }

    /// Whether the caller may not reach what was called. It learns no more about it.
    pub(crate) fn beyond_reach(&self) -> bool {
        self.said.first().is_some_and(|said| said.verdict == Verdict::Block)
    }

    /// The check that decided: the first with the worst verdict.
    pub(crate) fn decisive(&self) -> Option<&Said> {
        if self.verdict == Verdict::Allow {
            return None;
        }
        self.said.iter().find(|said| said.verdict == self.verdict)
    }

    /// What every check said, as the contract tells it.
    pub(crate) fn checks(&self) -> Vec<CheckSaid> {
        self.said
            .iter()
            .map(|said| CheckSaid {
                check: said.check.to_owned(),
                verdict: word(said.verdict).to_owned(),
                say: said.say.clone(),
            })
            .collect()
    }
}

/// The verdict's word.
pub(crate) const fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Allow => "allow",
        Verdict::Constrain => "constrain",
        Verdict::Approve => "approve",
        Verdict::Block => "block",
    }
}

const fn weight(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Allow => 0,
        Verdict::Constrain => 1,
        Verdict::Approve => 2,
        Verdict::Block => 3,
    }
}

/// Runs every check. What a caller may not reach, or what nobody has judged, has no later checks:
/// they would judge a tool that is not there for this caller.
pub(crate) fn rule(asked: &Asked<'_, '_>) -> Ruling {
    let checks: [fn(&Asked<'_, '_>) -> Said; 7] = [
        authority::check,
        contract::check,
        label::check,
        policy::check,
        reservation::check,
        idempotency::check,
        autonomy::check,
    ];
    let mut said = Vec::with_capacity(checks.len());
    let mut verdict = Verdict::Allow;
    for check in checks {
        let one = check(asked);
        let stops = one.verdict == Verdict::Block && said.len() < 2;
        if weight(one.verdict) > weight(verdict) {
            verdict = one.verdict;
        }
        said.push(one);
        if stops {
            break;
        }
    }
    Ruling { verdict, said }
}

/// Whether a seat's verb can only narrow what its caller may do, is the caller's own book-keeping, or
/// is a person's decision about a call that was held: no label and no stage stands in its way. A vector
/// moves the caller's own searches, and those of readers of the caller's own content no more than that
/// content's words do; whoever makes one has read what it is of. A token that rotates itself may do
/// nothing that it could not do before.
fn harmless(asked: &Asked<'_, '_>) -> bool {
    use crate::catalogue::Target;
    let Target::Seat(verb) = &asked.resolved.target else { return false };
    if verb.name == "token.rotate" {
        let of = asked.arguments.get("token").and_then(Value::as_str);
        return of.is_some_and(|of| of == asked.caller().token().id.to_string());
    }
    matches!(
        verb.name,
        "run.start"
            | "run.end"
            | "token.narrow"
            | "token.revoke"
            | "approval.cancel"
            | "approval.release"
            | "approval.refuse"
            | "content.embed"
    )
}

#[cfg(test)]
mod tests;
