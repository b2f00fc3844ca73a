//! Owns the verbs on identities (tenants). Invariant: operators only, and none opens a tenant's
//! records.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ListInput, Page};
use crate::id::{self, Id};
use crate::sample;
use crate::verb::{Needs, verb};
use crate::{Name, Timestamp};

/// A tenant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Identity {
    /// Its id.
    pub id: Id<id::Identity>,
    /// Its name: the first segment of every scope in it.
    pub name: Name,
    /// Whether every call is refused.
    pub suspended: bool,
    /// When it was created.
    pub created: Timestamp,
    /// The version to send as `expected_version`.
    pub version: i64,
}

/// What creates a tenant.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateInput {
    /// Its name: the first segment of every scope in it. Cannot be changed.
    pub name: Name,
    /// The name of its first user, who gets the role `owner`.
    pub owner: Name,
}

/// A new tenant.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Created {
    /// The tenant.
    pub identity: Identity,
    /// Its first user.
    pub owner: Id<id::Principal>,
    /// The first user's token. Shown this once.
    pub owner_token: String,
}

/// Which tenant.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Which {
    /// The tenant's name.
    pub identity: Name,
}

/// Which tenant, at which version.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeInput {
    /// The tenant's name.
    pub identity: Name,
    /// The version you read; refused if it is no longer the current one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_version: Option<i64>,
}

verb! {
    /// Creates a tenant with its namespace and its first user, and answers that user's token once.
    /// The user can then create everything else.
    Create = "identity.create", Post "/v1/identities", Write, Control, needs Needs::Operator,
    CreateInput => Created, hints [ShownOnce, NextStep],
    example { "name": "initech", "owner": "bill" } => {
        "identity": {
            "id": sample::text("identity", 3), "name": "initech", "suspended": false,
            "created": "2026-11-30T12:00:00Z", "version": 1
        },
        "owner": sample::text("principal", 9),
        "owner_token": "bw_user_…"
    }
}
verb! {
    /// Answers one tenant, without anything inside it.
    Get = "identity.get", Get "/v1/identities/{identity}", Read, Control, needs Needs::Operator,
    Which => Identity, hints [],
    example { "identity": "acme" } => {
        "id": sample::text("identity", 1), "name": "acme", "suspended": false,
        "created": "2026-11-30T12:00:00Z", "version": 1
    }
}
verb! {
    /// Lists the tenants by name.
    List = "identity.list", Get "/v1/identities", Read, Control, needs Needs::Operator,
    ListInput => Page<Identity>, hints [MoreFollows],
    example { "limit": 1 } => { "items": [{
        "id": sample::text("identity", 1), "name": "acme", "suspended": false,
        "created": "2026-11-30T12:00:00Z", "version": 1
    }], "cursor": "YWNtZQ" }
}
verb! {
    /// Suspends a tenant: from the next call on, every call of every one of its callers is refused.
    Suspend = "identity.suspend", Post "/v1/identities/{identity}/suspend", Destructive, Control,
    needs Needs::Operator, ChangeInput => Identity, hints [],
    example { "identity": "globex" } => {
        "id": sample::text("identity", 2), "name": "globex", "suspended": true,
        "created": "2026-11-30T12:00:00Z", "version": 2
    }
}
verb! {
    /// Ends the suspension of a tenant.
    Resume = "identity.resume", Post "/v1/identities/{identity}/resume", Write, Control,
    needs Needs::Operator, ChangeInput => Identity, hints [],
    example { "identity": "globex" } => {
        "id": sample::text("identity", 2), "name": "globex", "suspended": false,
        "created": "2026-11-30T12:00:00Z", "version": 3
    }
}
