//! What an entry says: one struct a kind.
//!
//! Invariant: a body holds names, ids, digests, sizes and verdicts. It never holds arguments,
//! results, secrets or free text of a caller, so removing a payload removes it whole.
//!
//! Ids are in their display form; digests are lower-case hex; times are milliseconds since the
//! Unix epoch. What does not apply is left out.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Error;

/// A body, told apart by `kind`.
///
/// Readers meet kinds of later versions as well, so reading a chain does not go through this type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Body {
    /// A worker took up the chain.
    Start(Start),
    /// A call was ruled on.
    Ruling(Box<Ruling>),
    /// A ruled call ended.
    Outcome(Outcome),
    /// A ruled call was sent and never heard of again.
    OutcomeUnknown(OutcomeUnknown),
    /// What a look-up found out of a call that was never heard of.
    Settled(Settled),
    /// An act of administration, folded in from the outbox.
    Administration(Administration),
    /// A held call was held, released, refused or ran out.
    Approval(Approval),
    /// A tool was classified.
    Classification(Classification),
    /// A person judged something that waited for review.
    Review(Review),
    /// A run began or ended.
    Run(Run),
}

impl Body {
    /// The `kind`, as it is written.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Start(_) => "start",
            Self::Ruling(_) => "ruling",
            Self::Outcome(_) => "outcome",
            Self::OutcomeUnknown(_) => "outcome_unknown",
            Self::Settled(_) => "settled",
            Self::Administration(_) => "administration",
            Self::Approval(_) => "approval",
            Self::Classification(_) => "classification",
            Self::Review(_) => "review",
            Self::Run(_) => "run",
        }
    }

    /// The body as JSON.
    ///
    /// # Errors
    ///
    /// [`Error::Serialise`], which no body of this module causes.
    pub fn to_value(&self) -> Result<Value, Error> {
        serde_json::to_value(self).map_err(Error::Serialise)
    }
}

/// What the Gate ended in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The call runs as it came.
    Allow,
    /// The call runs with changed arguments.
    Constrain,
    /// The call waits for a person.
    Approve,
    /// The call is refused.
    Block,
}

/// A worker took up the chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// The worker.
    pub worker: String,
    /// The program's version.
    pub version: String,
    /// The epoch of the lease it writes under.
    pub epoch: u64,
    /// The level of isolation it reached.
    pub isolation: String,
    /// Rulings without an outcome that it found.
    pub unfinished: u64,
}

/// The ruling on one call, written before its effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ruling {
    /// The ruling's id, which its outcome names.
    pub id: String,
    /// The target scope.
    pub scope: String,
    /// Who called.
    pub principal: String,
    /// The person it was called for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_behalf_of: Option<String>,
    /// The id of the token presented, never the token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// The run it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The resolved address.
    pub address: String,
    /// The action it needed there; absent where the control plane decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// The effect it was judged by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<String>,
    /// The authority revision it was judged at.
    #[serde(default)]
    pub revision: u64,
    /// The version of the tool's declaration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub declaration_version: Option<u64>,
    /// The digest of the canonical arguments that were ruled on.
    pub argument_digest: String,
    /// Whether a salt went into the digest; it lies with the erasable payload.
    pub argument_salted: bool,
    /// The labels of the run at that moment.
    pub labels: Vec<String>,
    /// What the Gate ended in.
    pub verdict: Verdict,
    /// The check that decided it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// The rule inside that check.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The digest of the policy that was evaluated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy_hash: Option<String>,
    /// What was reserved for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reservation: Option<String>,
    /// Where it came in: `mcp`, `rest` or `cli`.
    pub surface: String,
    /// The decision that explains it.
    pub decision_id: String,
}

/// What became of a ruled call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// The ruling.
    pub ruling: String,
    /// How it ended: `ok`, or the code of the refusal or failure.
    pub status: String,
    /// The salted digest of the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_digest: Option<String>,
    /// Its size in bytes.
    pub result_bytes: u64,
    /// Its labels.
    pub result_labels: Vec<String>,
    /// The handle it is stored under.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// From ruling to outcome, in milliseconds.
    pub duration_ms: u64,
    /// The objects it changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub written: Vec<Written>,
}

/// An object that a call changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// The table it is in.
    pub table: String,
    /// Its id.
    pub id: String,
    /// Its version after the change.
    pub version: u64,
}

/// A ruling whose outcome will never be known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutcomeUnknown {
    /// The ruling.
    pub ruling: String,
    /// Why it is not known: `crash`, `timeout`, `connection_lost`.
    pub reason: String,
}

/// What a look-up found out of a call that was sent and never heard of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settled {
    /// The ruling under which the call was sent.
    pub ruling: String,
    /// Whether it took effect. If not, the same call may be sent again.
    pub took_effect: bool,
    /// The address of the read that was asked.
    pub lookup: String,
    /// The handle of what that read answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
}

/// An act of administration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Administration {
    /// The verb.
    pub verb: String,
    /// Who acted.
    pub principal: String,
    /// The person it was done for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_behalf_of: Option<String>,
    /// The scope it was done at.
    pub scope: String,
    /// The authority revision after the act.
    pub revision: u64,
    /// When it was done, by the control plane's clock; the entry's own time is when it was folded in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acted_at_ms: Option<i64>,
    /// The object it was done to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<Written>,
    /// Its place in the control database's outbox, by which it is folded in exactly once.
    pub outbox_seq: u64,
}

/// A step in the life of a held call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// The approval.
    pub id: String,
    /// The ruling that held the call.
    pub ruling: String,
    /// `held`, `released`, `refused`, `cancelled` or `expired`.
    pub act: String,
    /// Who released or refused it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// The target scope.
    pub scope: String,
    /// The digest of exactly the call that a release lets through.
    pub call_digest: String,
    /// When it runs out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at_ms: Option<i64>,
}

/// The classification of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Classification {
    /// The tool's address.
    pub address: String,
    /// The version of its declaration.
    pub declaration_version: u64,
    /// The digest of the definition that was judged.
    pub definition_digest: String,
    /// `read`, `write`, `destructive` or `financial`.
    pub effect: String,
    /// The labels it was given.
    pub labels: Vec<String>,
    /// Who classified it.
    pub principal: String,
    /// The server's scope.
    pub scope: String,
    /// Its place in the outbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outbox_seq: Option<u64>,
}

/// A person's judgement of something that waited for one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    /// What was judged, by its id.
    pub object: String,
    /// What the judgement was.
    pub act: String,
    /// Who judged.
    pub principal: String,
    /// The scope it was done at.
    pub scope: String,
}

/// The beginning or the end of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// The run's id.
    pub id: String,
    /// `started` or `ended`.
    pub act: String,
    /// Whose run it is.
    pub principal: String,
    /// The scope it works at.
    pub scope: String,
    /// The run whose labels it inherited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Its labels at that moment.
    pub labels: Vec<String>,
}
