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

/// Why a token was revoked.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Because {
    /// Somebody who may revoked it, or the token that it came of.
    Revoked,
    /// It was rotated, and its successor stands in its place.
    Rotated,
    /// Somebody who held its text reported it as leaked, or the token that it came of.
    Leaked,
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
    /// How many tokens it descends from: 0 to 3.
    pub depth: u32,
    /// How many children of it are alive: at most 100.
    pub children: u32,
    /// The token that it took the place of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predecessor: Option<Id<id::Token>>,
    /// The token that takes its place, which is not revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub successor: Option<Id<id::Token>>,
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
    /// Why it was revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked_because: Option<Because>,
    /// When it was revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<Timestamp>,
    /// When it was last used, to the minute. Absent if it never was; what was used in the last few
    /// seconds may not show yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used: Option<Timestamp>,
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

/// What puts a successor in a token's place.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RotateInput {
    /// The token's id.
    pub token: Id<id::Token>,
    /// For how many seconds the old token is still taken, at most a week: 300 if left out, 0 ends it at
    /// once. Never longer than it would have been taken anyway.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 604_800))]
    pub overlap_seconds: Option<u32>,
    /// When the successor expires; when the old token would have, if left out. A token that rotates
    /// itself or a child puts off no end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
    /// The version you read, if it matters; refused if it is no longer the current one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_version: Option<i64>,
}

/// A successor and the token whose place it takes.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Rotated {
    /// The successor.
    pub token: Token,
    /// What to send as `Authorization: Bearer …` from now on. Shown this once.
    pub secret: String,
    /// The old token; `expires` says until when it is taken.
    pub old: Token,
}

/// A token that leaked.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportInput {
    /// The whole text of the token, as it was found: `bw_…`. Kept nowhere.
    #[schemars(length(min = 1, max = 8192), extend("writeOnly" = true))]
    pub secret: String,
}

/// That a report was taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reported {
    /// What follows from it, whatever the text was.
    pub say: String,
}

impl Reported {
    /// The one answer that every report gets.
    pub fn taken() -> Self {
        let say = "If this is the text of a token or an invite that stands, it is revoked now, and \
                   so is everything that came of it.";
        Self { say: say.to_owned() }
    }
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
            "id": sample::text("token", 9), "principal": sample::text("principal", 2), "depth": 0, "children": 0,
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
            "id": sample::text("token", 9), "principal": sample::text("principal", 2), "depth": 1, "children": 0,
            "parent": sample::text("token", 2), "actions": ["catalogue.read", "call.read"],
            "packs": [{ "name": "live" }], "expires": "2099-01-01T00:00:00Z", "revoked": false,
            "created": "2026-11-30T12:00:00Z", "version": 1
        },
        "secret": "bw_agent_…"
    }
}
verb! {
    /// Lists tokens, without their secrets: how deep each is and how many children it has, when it was
    /// last used, what took its place, and why it was revoked.
    List = "token.list", Get "/v1/tokens", Read, Control,
    needs Needs::Action(Action::TokenRead), ListInput => Page<Token>, hints [MoreFollows],
    example { "principal": sample::text("principal", 2) } => { "items": [{
        "id": sample::text("token", 2), "principal": sample::text("principal", 2), "depth": 0, "children": 0,
        "packs": [{ "name": "live" }], "revoked": false,
        "created": "2026-11-30T12:00:00Z", "version": 1
    }] }
}
verb! {
    /// Binds a token to other packs. A tool that is in none of them is refused from the next call on;
    /// runs in which the token has called keep what it was bound to then, so what is new to it can be
    /// called once its default run was ended.
    Rebind = "token.rebind", Patch "/v1/tokens/{token}/packs", Destructive, Control,
    needs Needs::Action(Action::TokenManage), RebindInput => Token, hints [],
    example { "token": sample::text("token", 2), "packs": [], "expected_version": 1 } => {
        "id": sample::text("token", 2), "principal": sample::text("principal", 2), "depth": 0, "children": 0,
        "packs": [], "revoked": false, "created": "2026-11-30T12:00:00Z", "version": 2
    }
}
verb! {
    /// Revokes a token and every child of it. Once this is answered, no call that starts afterwards
    /// is honoured under it. A successor that the token made for itself ends with it. You may revoke
    /// your own token, its children and such successors; another's needs `token.manage`.
    Revoke = "token.revoke", Delete "/v1/tokens/{token}", Destructive, Control,
    needs Needs::Caller, Which => Token, hints [],
    example { "token": sample::text("token", 2) } => {
        "id": sample::text("token", 2), "principal": sample::text("principal", 2), "depth": 0, "children": 0,
        "packs": [{ "name": "live" }], "revoked": true, "revoked_because": "revoked",
        "revoked_at": "2026-11-30T12:30:00Z", "created": "2026-11-30T12:00:00Z", "version": 2
    }
}
verb! {
    /// Mints a successor of a token, which may do exactly the same, and shows its secret once. The old
    /// token is taken for `overlap_seconds` more, so that whoever uses it has time to change over; its
    /// children end with it. You may rotate your own token and its children; another's needs
    /// `token.manage`, and what minting it would need.
    Rotate = "token.rotate", Post "/v1/tokens/{token}/rotate", Write, Control,
    needs Needs::Caller, RotateInput => Rotated, hints [ShownOnce],
    example { "token": sample::text("token", 2), "overlap_seconds": 600 } => {
        "token": {
            "id": sample::text("token", 9), "principal": sample::text("principal", 2), "depth": 0,
            "children": 0, "predecessor": sample::text("token", 2), "packs": [{ "name": "live" }],
            "revoked": false, "created": "2026-11-30T12:30:00Z", "version": 1
        },
        "secret": "bw_agent_…",
        "old": {
            "id": sample::text("token", 2), "principal": sample::text("principal", 2), "depth": 0,
            "children": 0, "successor": sample::text("token", 9), "packs": [{ "name": "live" }],
            "expires": "2026-11-30T12:40:00Z", "revoked": false,
            "created": "2026-11-30T12:00:00Z", "version": 2
        }
    }
}
verb! {
    /// Revokes a leaked token at once, with every child of it and every successor that it made for
    /// itself. Whoever holds the text may report it: no token is needed beside it, so a secret scanner
    /// can. The answer is the same whatever the text was, and the text is kept nowhere. The owner sees in
    /// `token.list` that the token was revoked because it leaked.
    ReportLeaked = "token.report_leaked", Post "/v1/tokens/report-leaked", Destructive, Control,
    needs Needs::Anyone, ReportInput => Reported, hints [],
    example { "secret": "bw_agent_…" } => (serde_json::json!(Reported::taken()))
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
