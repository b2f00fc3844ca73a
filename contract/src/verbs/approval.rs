//! Owns the verbs on approvals: calls that wait for a person. Invariant: a release lets exactly one
//! call through, once.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Page;
use crate::id::{self, Id};
use crate::sample;
use crate::verb::{Needs, verb};
use crate::{Action, Address, Effect, Labels, Scope, Timestamp};

/// Where an approval stands.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Waits for a person.
    Pending,
    /// Released; the call is being made or was made. One of administration is made when its caller
    /// sends it again.
    Released,
    /// Refused by a person.
    Refused,
    /// Taken back by whoever asked.
    Cancelled,
    /// Nobody decided in time.
    Expired,
}

/// What one check of the Gate said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckSaid {
    /// Which check.
    pub check: String,
    /// Its verdict: `allow`, `constrain`, `approve` or `block`.
    pub verdict: String,
    /// Why, in a sentence.
    pub say: String,
}

/// A held call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Approval {
    /// Its id.
    pub id: Id<id::Approval>,
    /// Where it stands.
    pub state: State,
    /// Who asks.
    pub principal: Id<id::Principal>,
    /// In which run.
    pub run: Id<id::Run>,
    /// The scope the call reaches.
    pub scope: Scope,
    /// What is to be called.
    pub address: Address,
    /// What the call does to the world.
    pub effect: Effect,
    /// Its exact arguments.
    pub arguments: Value,
    /// The labels the run held.
    pub labels: Labels,
    /// What each check said.
    pub checks: Vec<CheckSaid>,
    /// When it was held.
    pub created: Timestamp,
    /// When it stops waiting.
    pub expires: Timestamp,
    /// Who decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<Id<id::Principal>>,
    /// Why they decided so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What the call answered, once it was made: the whole body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Value>,
    /// The version to send as `expected_version`.
    pub version: i64,
}

/// Which approvals to list.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListInput {
    /// Only those that stand so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<State>,
    /// Only calls of this principal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<Id<id::Principal>>,
    /// Only calls in this run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<Id<id::Run>>,
    /// Only calls that reach this scope or below.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// Where to go on: the `cursor` of the answer before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 400))]
    pub cursor: Option<String>,
    /// How many at most (1 to 200, 50 if not said).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 200))]
    pub limit: Option<u32>,
}

/// Which approval.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Which {
    /// The approval's id.
    pub approval: Id<id::Approval>,
}

/// What takes a held call back.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CancelInput {
    /// The approval's id.
    pub approval: Id<id::Approval>,
    /// The version you read, if it matters; refused if it is no longer the current one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_version: Option<i64>,
}

/// A person's decision.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DecideInput {
    /// The approval's id.
    pub approval: Id<id::Approval>,
    /// Why (up to 500 characters).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 500))]
    pub reason: Option<String>,
    /// The version you read, if it matters; refused if it is no longer the current one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_version: Option<i64>,
}

macro_rules! example {
    ($state:literal, $version:literal) => {
        serde_json::json!({
            "id": sample::text("approval", 1), "state": $state, "principal": sample::text("principal", 2),
            "run": sample::text("run", 1), "scope": "acme/shop", "address": "shop/tickets.ticket.create",
            "effect": "write", "arguments": { "subject": "Refund 412" }, "labels": ["untrusted"],
            "checks": [{ "check": "label", "verdict": "approve", "say": "The run read untrusted content." }],
            "created": "2026-11-30T12:00:00Z", "expires": "2026-12-03T12:00:00Z", "version": $version
        })
    };
}

verb! {
    /// Lists held calls, newest first: your own, and others' at the scopes where you may see them.
    List = "approval.list", Get "/v1/approvals", Read, Data,
    needs Needs::Caller, ListInput => Page<Approval>, hints [MoreFollows],
    example { "state": "pending" } => { "items": [(example!("pending", 1))] }
}
verb! {
    /// Answers one held call: where it stands and, once it was made, what it answered.
    Get = "approval.get", Get "/v1/approvals/{approval}", Read, Data,
    needs Needs::Caller, Which => Approval, hints [NextStep],
    example { "approval": sample::text("approval", 1) } => (example!("pending", 1))
}
verb! {
    /// Releases a held call: every check runs again, the call is made once, and its answer is kept for
    /// whoever asked. A person's act: no agent can do it.
    ///
    /// A call of administration is made when its caller sends it again: it goes out under the
    /// caller's own token, which is not kept.
    Release = "approval.release", Post "/v1/approvals/{approval}/release", Write, Data,
    needs Needs::Action(Action::ApprovalDecide), DecideInput => Approval, hints [],
    example { "approval": sample::text("approval", 1), "reason": "Checked with the customer." } =>
        (example!("released", 2))
}
verb! {
    /// Refuses a held call: it is never made. A person's act: no agent can do it.
    Refuse = "approval.refuse", Post "/v1/approvals/{approval}/refuse", Write, Data,
    needs Needs::Action(Action::ApprovalDecide), DecideInput => Approval, hints [],
    example { "approval": sample::text("approval", 1), "reason": "Not our customer." } =>
        (example!("refused", 2))
}
verb! {
    /// Takes a held call back: it is never made. Only whoever made the call may, with any token of theirs
    /// that reaches it; others refuse it with `approval.refuse`.
    Cancel = "approval.cancel", Post "/v1/approvals/{approval}/cancel", Write, Data,
    needs Needs::Caller, CancelInput => Approval, hints [],
    example { "approval": sample::text("approval", 1) } => (example!("cancelled", 2))
}
