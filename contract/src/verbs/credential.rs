//! Owns the verbs on credentials. Invariant: no verb answers a credential's secret, ever.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ListInput, Page};
use crate::id::{self, Id};
use crate::sample;
use crate::verb::{Needs, verb};
use crate::{Action, Name, Scope, Timestamp};

/// A credential, without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Credential {
    /// Its id.
    pub id: Id<id::Credential>,
    /// Its name, one of a kind in the identity.
    pub name: Name,
    /// The scope it is managed at.
    pub scope: Scope,
    /// The only origins it may ever be sent to; part of what its seal authenticates.
    pub origins: Vec<String>,
    /// When its secret was last set.
    pub rotated: Timestamp,
    /// The version to send as `expected_version`; counts the rotations.
    pub version: i64,
}

/// What seals a credential.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateInput {
    /// Its name, one of a kind in the identity.
    pub name: Name,
    /// The scope it is managed at.
    pub scope: Scope,
    /// The only origins it may ever be sent to, as `https://host` or `https://host:port`.
    #[schemars(length(min = 1, max = 8), inner(length(max = 300)))]
    pub origins: Vec<String>,
    /// The secret: a token, a key, or `user:password` for basic authentication. Never shown again.
    #[schemars(length(min = 1, max = 8192), extend("writeOnly" = true))]
    pub secret: String,
}

/// What puts a new secret in place of the old one.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RotateInput {
    /// The credential's id.
    pub credential: Id<id::Credential>,
    /// The new secret. Never shown again.
    #[schemars(length(min = 1, max = 8192), extend("writeOnly" = true))]
    pub secret: String,
    /// The version you read; refused if it is no longer the current one.
    pub expected_version: i64,
}

/// Which credential.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Which {
    /// The credential's id.
    pub credential: Id<id::Credential>,
}

verb! {
    /// Seals a secret for a system upstream, bound to the origins named here for ever. It does
    /// nothing until `credential-grant.create` lets the servers at a scope use it.
    Create = "credential.create", Post "/v1/credentials", Write, Control,
    needs Needs::Action(Action::CredentialManage), CreateInput => Credential, hints [NextStep],
    example { "name": "ticket-key", "scope": "acme/shop", "origins": ["https://tickets.example.com"], "secret": "s3cr3t" } => {
        "id": sample::text("credential", 9), "name": "ticket-key", "scope": "acme/shop",
        "origins": ["https://tickets.example.com"], "rotated": "2026-11-30T12:00:00Z", "version": 1
    }
}
verb! {
    /// Lists credentials by name, without their secrets.
    List = "credential.list", Get "/v1/credentials", Read, Control,
    needs Needs::Action(Action::CredentialRead), ListInput => Page<Credential>, hints [MoreFollows],
    example {} => { "items": [{
        "id": sample::text("credential", 1), "name": "billing-key", "scope": "acme/shop",
        "origins": ["https://billing.example.com"], "rotated": "2026-11-30T12:00:00Z", "version": 1
    }] }
}
verb! {
    /// Puts a new secret in place of the old one, bound to the same origins. The next call uses it.
    Rotate = "credential.rotate", Post "/v1/credentials/{credential}/rotate", Write, Control,
    needs Needs::Action(Action::CredentialManage), RotateInput => Credential, hints [],
    example { "credential": sample::text("credential", 1), "secret": "n3w", "expected_version": 1 } => {
        "id": sample::text("credential", 1), "name": "billing-key", "scope": "acme/shop",
        "origins": ["https://billing.example.com"], "rotated": "2026-11-30T12:00:00Z", "version": 2
    }
}
verb! {
    /// Destroys a credential's secret. Calls that need it are refused from the next one on.
    Destroy = "credential.destroy", Delete "/v1/credentials/{credential}", Destructive, Control,
    needs Needs::Action(Action::CredentialManage), Which => Credential, hints [],
    example { "credential": sample::text("credential", 1) } => {
        "id": sample::text("credential", 1), "name": "billing-key", "scope": "acme/shop",
        "origins": ["https://billing.example.com"], "rotated": "2026-11-30T12:00:00Z", "version": 2
    }
}
