//! Owns the verbs on grants.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Page;
use crate::id::{self, Id};
use crate::sample;
use crate::verb::{Needs, verb};
use crate::{Action, Name, Scope, Timestamp};

/// A grant: the principal may do the role's actions at the scope and below it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Grant {
    /// Its id.
    pub id: Id<id::Grant>,
    /// Who may.
    pub principal: Id<id::Principal>,
    /// Where, and below it.
    pub scope: Scope,
    /// What: the role's name.
    pub role: Name,
    /// Until when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
    /// Whether it was revoked.
    pub revoked: bool,
    /// When it was given.
    pub created: Timestamp,
    /// Its version.
    pub version: i64,
}

/// What gives a grant.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateInput {
    /// Who is to have it.
    pub principal: Id<id::Principal>,
    /// Where: this scope and everything below it.
    pub scope: Scope,
    /// The role's name: `owner`, `admin`, `curator`, `approver`, `billing`, `auditor`, `member` or
    /// `viewer`, or one of the identity's own.
    pub role: Name,
    /// Until when; without an end if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
}

/// Which grants to list.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListInput {
    /// Only those of this principal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<Id<id::Principal>>,
    /// Where to go on: the `cursor` of the answer before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 400))]
    pub cursor: Option<String>,
    /// How many at most (1 to 200, 50 if not said).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 200))]
    pub limit: Option<u32>,
}

/// Which grant.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Which {
    /// The grant's id.
    pub grant: Id<id::Grant>,
}

verb! {
    /// Gives a principal a role at a scope and everything below it. Nobody confers what they do not
    /// hold: you need every action of the role at that scope.
    Create = "grant.create", Post "/v1/grants", Write, Control,
    needs Needs::Action(Action::GrantManage), CreateInput => Grant, hints [],
    example { "principal": sample::text("principal", 2), "scope": "acme/shop/returns", "role": "viewer" } => {
        "id": sample::text("grant", 9), "principal": sample::text("principal", 2),
        "scope": "acme/shop/returns", "role": "viewer", "revoked": false,
        "created": "2026-11-30T12:00:00Z", "version": 1
    }
}
verb! {
    /// Lists the grants at the scopes where you may see them.
    List = "grant.list", Get "/v1/grants", Read, Control,
    needs Needs::Action(Action::GrantRead), ListInput => Page<Grant>, hints [MoreFollows],
    example { "principal": sample::text("principal", 2) } => { "items": [{
        "id": sample::text("grant", 2), "principal": sample::text("principal", 2),
        "scope": "acme/shop", "role": "member", "revoked": false,
        "created": "2026-11-30T12:00:00Z", "version": 1
    }] }
}
verb! {
    /// Revokes a grant. Once this is answered, no call that starts afterwards is honoured under it,
    /// on any worker.
    Revoke = "grant.revoke", Delete "/v1/grants/{grant}", Destructive, Control,
    needs Needs::Action(Action::GrantManage), Which => Grant, hints [],
    example { "grant": sample::text("grant", 2) } => {
        "id": sample::text("grant", 2), "principal": sample::text("principal", 2),
        "scope": "acme/shop", "role": "member", "revoked": true,
        "created": "2026-11-30T12:00:00Z", "version": 2
    }
}
