//! Owns the verbs on credential grants: which servers may use which credential.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ListInput, Page};
use crate::id::{self, Id};
use crate::sample;
use crate::verb::{Needs, verb};
use crate::{Action, Scope, Timestamp};

/// A credential grant: the servers at the scope, and below it, may use the credential.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CredentialGrant {
    /// Its id.
    pub id: Id<id::CredentialGrant>,
    /// Which credential.
    pub credential: Id<id::Credential>,
    /// The servers of which scope, and below it.
    pub scope: Scope,
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

/// What gives a credential grant.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateInput {
    /// Which credential.
    pub credential: Id<id::Credential>,
    /// The servers of which scope, and below it, may use it.
    pub scope: Scope,
    /// Until when; without an end if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
}

/// Which credential grant.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Which {
    /// The credential grant's id.
    pub credential_grant: Id<id::CredentialGrant>,
}

verb! {
    /// Lets the servers at a scope, and below it, use a credential, at the origins it is bound to.
    Create = "credential-grant.create", Post "/v1/credential-grants", Write, Control,
    needs Needs::Action(Action::CredentialGrant), CreateInput => CredentialGrant, hints [],
    example { "credential": sample::text("credential", 1), "scope": "acme/shop/returns" } => {
        "id": sample::text("credgrant", 9), "credential": sample::text("credential", 1),
        "scope": "acme/shop/returns", "revoked": false, "created": "2026-11-30T12:00:00Z", "version": 1
    }
}
verb! {
    /// Lists the credential grants at the scopes where you may see them.
    List = "credential-grant.list", Get "/v1/credential-grants", Read, Control,
    needs Needs::Action(Action::CredentialRead), ListInput => Page<CredentialGrant>,
    hints [MoreFollows],
    example {} => { "items": [{
        "id": sample::text("credgrant", 1), "credential": sample::text("credential", 1),
        "scope": "acme/shop", "revoked": false, "created": "2026-11-30T12:00:00Z", "version": 1
    }] }
}
verb! {
    /// Revokes a credential grant. Once this is answered, no call that starts afterwards is sent with
    /// the credential under it.
    Revoke = "credential-grant.revoke", Delete "/v1/credential-grants/{credential_grant}",
    Destructive, Control,
    needs Needs::Action(Action::CredentialGrant), Which => CredentialGrant, hints [],
    example { "credential_grant": sample::text("credgrant", 1) } => {
        "id": sample::text("credgrant", 1), "credential": sample::text("credential", 1),
        "scope": "acme/shop", "revoked": true, "created": "2026-11-30T12:00:00Z", "version": 2
    }
}
