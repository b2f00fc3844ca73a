//! Owns the verbs on tokens. Invariant: a secret is answered once, by the verb that makes it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Page;
use super::principal::{Kind, Stage};
use crate::id::{self, Id};
use crate::sample;
use crate::verb::{Needs, verb};
use crate::{Action, Name, Scope, Timestamp};

/// A pack that a token is bound to.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PackRef {
    /// The pack's name; `live` is whatever is classified and granted, at its newest version.
    pub name: Name,
    /// The pack's version. Left out for `live`, required for every other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub version: Option<u32>,
}

/// A token, without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Token {
    /// Its id.
    pub id: Id<id::Token>,
    /// Whose it is.
    pub principal: Id<id::Principal>,
    /// The token it was narrowed from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Id<id::Token>>,
    /// The scope it is narrowed to, and its holder's home scope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// The actions it is narrowed to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actions: Option<Vec<Action>>,
    /// The packs it is bound to; what is in none of them cannot be called.
    pub packs: Vec<PackRef>,
    /// When it expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
    /// Whether it was revoked.
    pub revoked: bool,
    /// When it was created.
    pub created: Timestamp,
    /// The version to send as `expected_version`.
    pub version: i64,
}

/// A new token.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Minted {
    /// The token.
    pub token: Token,
    /// What to send as `Authorization: Bearer …`. Shown this once.
    pub secret: String,
}

/// What mints a token for a principal.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateInput {
    /// Whose it is to be.
    pub principal: Id<id::Principal>,
    /// Narrows it to this scope and what lies below; it is also the holder's home scope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// Narrows it to these actions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 64))]
    pub actions: Option<Vec<Action>>,
    /// The packs it is bound to; `live` alone if left out. An empty list means none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 16))]
    pub packs: Option<Vec<PackRef>>,
    /// When it expires; never if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
}

/// What narrows the token that asks into a child of it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NarrowInput {
    /// The child's scope, at or below the parent's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// The child's actions, among the parent's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 64))]
    pub actions: Option<Vec<Action>>,
    /// The child's packs, among the parent's; the parent's if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 16))]
    pub packs: Option<Vec<PackRef>>,
    /// When it expires, no later than the parent; an hour from now if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
}

/// Which tokens to list.
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

/// What binds a token to other packs.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RebindInput {
    /// The token's id.
    pub token: Id<id::Token>,
    /// The packs it is bound to from now on. An empty list means none.
    #[schemars(length(max = 16))]
    pub packs: Vec<PackRef>,
    /// The version you read; refused if it is no longer the current one.
    pub expected_version: i64,
}

/// Which token.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Which {
    /// The token's id.
    pub token: Id<id::Token>,
}

/// Who is asking, as the service sees them.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Caller {
    /// The tenant.
    pub identity: Name,
    /// The principal's id.
    pub principal: Id<id::Principal>,
    /// The principal's name.
    pub name: Name,
    /// User or agent.
    pub kind: Kind,
    /// How far an agent is let.
    pub stage: Stage,
    /// The token.
    pub token: Id<id::Token>,
    /// Where seats reach: the token's scope, or the identity.
    pub home: Scope,
    /// The packs the token is bound to.
    pub packs: Vec<PackRef>,
    /// The principal's grants that stand, as `role at scope`.
    pub grants: Vec<String>,
}

verb! {
    /// Mints a token for a principal and answers its secret once. Nobody confers what they do not
    /// hold: you need, at the token's scope, every action the principal could use through it.
    Create = "token.create", Post "/v1/tokens", Write, Control,
    needs Needs::Action(Action::TokenManage), CreateInput => Minted, hints [ShownOnce],
    example { "principal": sample::text("principal", 2), "scope": "acme/shop", "packs": [{ "name": "live" }] } => {
        "token": {
            "id": sample::text("token", 9), "principal": sample::text("principal", 2),
            "scope": "acme/shop", "packs": [{ "name": "live" }], "revoked": false,
            "created": "2026-11-30T12:00:00Z", "version": 1
        },
        "secret": "bw_agent_…"
    }
}
verb! {
    /// Mints a child of the token you are using that may do less: a scope below, fewer actions, fewer
    /// packs, an earlier end. Revoking the parent revokes the child. At most 3 deep, 100 alive a parent.
    Narrow = "token.narrow", Post "/v1/tokens/narrow", Write, Control,
    needs Needs::Caller, NarrowInput => Minted, hints [ShownOnce],
    example { "actions": ["catalogue.read", "call.read"], "expires": "2099-01-01T00:00:00Z" } => {
        "token": {
            "id": sample::text("token", 9), "principal": sample::text("principal", 2),
            "parent": sample::text("token", 2), "actions": ["catalogue.read", "call.read"],
            "packs": [{ "name": "live" }], "expires": "2099-01-01T00:00:00Z", "revoked": false,
            "created": "2026-11-30T12:00:00Z", "version": 1
        },
        "secret": "bw_agent_…"
    }
}
verb! {
    /// Lists tokens, without their secrets.
    List = "token.list", Get "/v1/tokens", Read, Control,
    needs Needs::Action(Action::TokenRead), ListInput => Page<Token>, hints [MoreFollows],
    example { "principal": sample::text("principal", 2) } => { "items": [{
        "id": sample::text("token", 2), "principal": sample::text("principal", 2),
        "packs": [{ "name": "live" }], "revoked": false,
        "created": "2026-11-30T12:00:00Z", "version": 1
    }] }
}
verb! {
    /// Binds a token to other packs. A tool that is in none of them is refused from the next call on;
    /// one that was not in the packs before can be called in runs that start from now on.
    Rebind = "token.rebind", Patch "/v1/tokens/{token}/packs", Destructive, Control,
    needs Needs::Action(Action::TokenManage), RebindInput => Token, hints [],
    example { "token": sample::text("token", 2), "packs": [], "expected_version": 1 } => {
        "id": sample::text("token", 2), "principal": sample::text("principal", 2),
        "packs": [], "revoked": false, "created": "2026-11-30T12:00:00Z", "version": 2
    }
}
verb! {
    /// Revokes a token and every child of it. Once this is answered, no call that starts afterwards
    /// is honoured under it. You may revoke your own token and its children; another's needs
    /// `token.manage`.
    Revoke = "token.revoke", Delete "/v1/tokens/{token}", Destructive, Control,
    needs Needs::Caller, Which => Token, hints [],
    example { "token": sample::text("token", 2) } => {
        "id": sample::text("token", 2), "principal": sample::text("principal", 2),
        "packs": [{ "name": "live" }], "revoked": true,
        "created": "2026-11-30T12:00:00Z", "version": 2
    }
}
verb! {
    /// Answers who you are to this service: principal, token, home scope, packs and standing grants.
    Whoami = "token.whoami", Get "/v1/whoami", Read, Control,
    needs Needs::Caller, super::Nothing => Caller, hints [],
    example {} => {
        "identity": "acme", "principal": sample::text("principal", 2), "name": "shop-bot",
        "kind": "agent", "stage": "autonomous", "token": sample::text("token", 2), "home": "acme",
        "packs": [{ "name": "live" }], "grants": ["member at acme/shop"]
    }
}
