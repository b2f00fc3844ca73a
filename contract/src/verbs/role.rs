//! Owns the verbs on roles: named sets of actions, built in or an identity's own. Invariant: nobody
//! confers by a role what they do not hold.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ListInput, Page};
use crate::id::{self, Id};
use crate::sample;
use crate::verb::{Needs, verb};
use crate::{Action, Name, Timestamp};

/// A role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Role {
    /// Its name, one of a kind in the identity: what grants name it by.
    pub name: Name,
    /// Its id; a built-in role has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Id<id::Role>>,
    /// What it is, for people.
    pub title: String,
    /// What it allows.
    pub actions: Vec<Action>,
    /// Whether it is one of the built-in eight, which cannot be changed.
    pub built_in: bool,
    /// When it was created; a built-in role always was there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<Timestamp>,
    /// The version to send as `expected_version`; 0 for a built-in role.
    pub version: i64,
}

/// What defines a role.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateInput {
    /// Its name: no built-in role's, and no other one's of the identity.
    pub name: Name,
    /// What it is, for people (up to 200 characters).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    pub title: Option<String>,
    /// What it allows.
    #[schemars(length(min = 1, max = 64))]
    pub actions: Vec<Action>,
}

/// What changes a role.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateInput {
    /// The role's name.
    pub role: Name,
    /// What it is, for people; as it was, if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    pub title: Option<String>,
    /// Everything it allows from now on; as it was, if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 64))]
    pub actions: Option<Vec<Action>>,
    /// The version you read; refused if it is no longer the current one.
    pub expected_version: i64,
}

/// Which role.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Which {
    /// The role's name.
    pub role: Name,
}

verb! {
    /// Defines a role of your identity's own: a named set of the same actions that the built-in ones are
    /// made of. Nobody confers what they do not hold: you need, over the whole identity, `grant.manage`
    /// and every action of the role.
    Create = "role.create", Post "/v1/roles", Write, Control,
    needs Needs::Action(Action::GrantManage), CreateInput => Role, hints [NextStep],
    example { "name": "triage", "title": "Reads tickets", "actions": ["catalogue.read", "call.read"] } => {
        "name": "triage", "id": sample::text("role", 9), "title": "Reads tickets",
        "actions": ["catalogue.read", "call.read"], "built_in": false,
        "created": "2026-11-30T12:00:00Z", "version": 1
    }
}
verb! {
    /// Lists the roles that can be granted, by name, each with everything it allows: the built-in ones,
    /// and your identity's own if you may see grants over all of it.
    List = "role.list", Get "/v1/roles", Read, Control,
    needs Needs::Action(Action::GrantRead), ListInput => Page<Role>, hints [MoreFollows],
    example { "limit": 200 } => { "items": [{
        "name": "support", "id": sample::text("role", 1), "title": "Answers customers",
        "actions": ["catalogue.read", "call.read"], "built_in": false,
        "created": "2026-11-30T12:00:00Z", "version": 1
    }] }
}
verb! {
    /// Changes a role of your identity's own. What is taken out of it is refused from the next call on, to
    /// everybody who was granted it. An edit that puts anything in needs every action that the role then
    /// has; one that only takes out needs `grant.manage`.
    Update = "role.update", Patch "/v1/roles/{role}", Destructive, Control,
    needs Needs::Action(Action::GrantManage), UpdateInput => Role, hints [],
    example { "role": "support", "actions": ["catalogue.read"], "expected_version": 1 } => {
        "name": "support", "id": sample::text("role", 1), "title": "Answers customers",
        "actions": ["catalogue.read"], "built_in": false,
        "created": "2026-11-30T12:00:00Z", "version": 2
    }
}
verb! {
    /// Deletes a role of your identity's own. Refused while anybody is granted it; the refusal names those
    /// grants, for `grant.revoke`.
    Delete = "role.delete", Delete "/v1/roles/{role}", Destructive, Control,
    needs Needs::Action(Action::GrantManage), Which => Role, hints [],
    example { "role": "support" } => {
        "name": "support", "id": sample::text("role", 1), "title": "Answers customers",
        "actions": ["catalogue.read", "call.read"], "built_in": false,
        "created": "2026-11-30T12:00:00Z", "version": 1
    }
}
