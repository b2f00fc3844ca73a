//! Owns the verbs on principals: users and agents.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ListInput, Page};
use crate::id::{self, Id};
use crate::sample;
use crate::verb::{Needs, verb};
use crate::{Action, Name, Timestamp};

/// What a principal is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A person.
    User,
    /// A machine.
    Agent,
}

/// How far an agent is let.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Default,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Every call that does more than read waits for a person.
    #[default]
    Supervised,
    /// Calls are held only where a label or a rule asks for it.
    Autonomous,
}

/// A user or an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Principal {
    /// Its id.
    pub id: Id<id::Principal>,
    /// What it is.
    pub kind: Kind,
    /// Its name, one of a kind in the identity.
    pub name: Name,
    /// How far it is let (agents).
    pub stage: Stage,
    /// Whether all its calls are refused.
    pub suspended: bool,
    /// When it was created.
    pub created: Timestamp,
    /// The version to send as `expected_version`.
    pub version: i64,
}

/// What creates a principal.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateInput {
    /// What it is: `user` or `agent`.
    pub kind: Kind,
    /// Its name, one of a kind in the identity.
    pub name: Name,
    /// How far an agent is let; `supervised` if not said. For a user it means nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<Stage>,
}

/// Which principal.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Which {
    /// The principal's id.
    pub principal: Id<id::Principal>,
}

/// What changes a principal.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateInput {
    /// The principal's id.
    pub principal: Id<id::Principal>,
    /// Its new stage.
    pub stage: Stage,
    /// The version you read; refused if it is no longer the current one.
    pub expected_version: i64,
}

/// What suspends or resumes a principal.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeInput {
    /// The principal's id.
    pub principal: Id<id::Principal>,
    /// The version you read, if it matters; refused if it is no longer the current one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_version: Option<i64>,
}

verb! {
    /// Creates a user or an agent in your identity. It can do nothing until it has a grant and a
    /// token.
    Create = "principal.create", Post "/v1/principals", Write, Control,
    needs Needs::Action(Action::PrincipalManage), CreateInput => Principal, hints [NextStep],
    example { "kind": "agent", "name": "triage-bot", "stage": "supervised" } => {
        "id": sample::text("principal", 9), "kind": "agent", "name": "triage-bot",
        "stage": "supervised", "suspended": false, "created": "2026-11-30T12:00:00Z", "version": 1
    }
}
verb! {
    /// Answers one principal.
    Get = "principal.get", Get "/v1/principals/{principal}", Read, Control,
    needs Needs::Action(Action::PrincipalRead), Which => Principal, hints [],
    example { "principal": sample::text("principal", 2) } => {
        "id": sample::text("principal", 2), "kind": "agent", "name": "shop-bot",
        "stage": "autonomous", "suspended": false, "created": "2026-11-30T12:00:00Z", "version": 1
    }
}
verb! {
    /// Lists the principals of your identity by name.
    List = "principal.list", Get "/v1/principals", Read, Control,
    needs Needs::Action(Action::PrincipalRead), ListInput => Page<Principal>, hints [MoreFollows],
    example { "limit": 1 } => { "items": [{
        "id": sample::text("principal", 1), "kind": "user", "name": "ana", "stage": "autonomous",
        "suspended": false, "created": "2026-11-30T12:00:00Z", "version": 1
    }], "cursor": "YW5h" }
}
verb! {
    /// Changes how far an agent is let.
    Update = "principal.update", Patch "/v1/principals/{principal}", Write, Control,
    needs Needs::Action(Action::PrincipalManage), UpdateInput => Principal, hints [],
    example { "principal": sample::text("principal", 2), "stage": "supervised", "expected_version": 1 } => {
        "id": sample::text("principal", 2), "kind": "agent", "name": "shop-bot",
        "stage": "supervised", "suspended": false, "created": "2026-11-30T12:00:00Z", "version": 2
    }
}
verb! {
    /// Suspends a principal: its next call is refused, whatever token it holds.
    Suspend = "principal.suspend", Post "/v1/principals/{principal}/suspend", Destructive, Control,
    needs Needs::Action(Action::PrincipalManage), ChangeInput => Principal, hints [],
    example { "principal": sample::text("principal", 2) } => {
        "id": sample::text("principal", 2), "kind": "agent", "name": "shop-bot",
        "stage": "autonomous", "suspended": true, "created": "2026-11-30T12:00:00Z", "version": 2
    }
}
verb! {
    /// Ends the suspension of a principal.
    Resume = "principal.resume", Post "/v1/principals/{principal}/resume", Write, Control,
    needs Needs::Action(Action::PrincipalManage), ChangeInput => Principal, hints [],
    example { "principal": sample::text("principal", 2) } => {
        "id": sample::text("principal", 2), "kind": "agent", "name": "shop-bot",
        "stage": "autonomous", "suspended": false, "created": "2026-11-30T12:00:00Z", "version": 3
    }
}
