//! Owns `ledger.replay`: what past rulings would have been by other grants, roles and classifications.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::{self, Id};
use crate::sample;
use crate::verb::{Needs, verb};
use crate::{Action, Address, Effect, Name, Scope, Timestamp};

/// A grant as it might be given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProposedGrant {
    /// Who would have it.
    pub principal: Id<id::Principal>,
    /// Where, and below it.
    pub scope: Scope,
    /// Which role.
    pub role: Name,
}

/// A role as it might be defined: a new one, or one of the identity's own with other actions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProposedRole {
    /// Its name; no built-in role's.
    pub role: Name,
    /// Everything that it would allow; an empty list if it were deleted.
    #[schemars(length(max = 64))]
    pub actions: Vec<Action>,
}

/// A classification as it might be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProposedEffect {
    /// The full address of the tool, as rulings name it.
    pub address: Address,
    /// What it would be judged to do.
    pub effect: Effect,
}

/// Which rulings are decided anew, and by what.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplayInput {
    /// Only what reached this scope or below; your home scope if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// Only rulings of this principal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<Id<id::Principal>>,
    /// Only rulings on calls to this address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<Address>,
    /// Only rulings from this moment on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Timestamp>,
    /// Only rulings before this moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Timestamp>,
    /// Grants that would be revoked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 50))]
    pub without_grants: Vec<Id<id::Grant>>,
    /// Grants that would be given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 50))]
    pub with_grants: Vec<ProposedGrant>,
    /// Roles that would be defined or changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 20))]
    pub roles: Vec<ProposedRole>,
    /// Tools that would be classified otherwise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 50))]
    pub effects: Vec<ProposedEffect>,
    /// Where to go on: the `cursor` of the answer before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 400))]
    pub cursor: Option<String>,
    /// How many rulings to decide anew at most (1 to 2000, 500 if not said).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 2000))]
    pub limit: Option<u32>,
}

/// What a ruling would have been.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Would {
    /// What it was.
    Same,
    /// It let the call pass, or held it, and would refuse it.
    #[serde(rename = "would_refuse")]
    Refuse,
    /// Authority refused it, and would let it pass; what later checks say is not known.
    #[serde(rename = "would_allow")]
    Allow,
    /// It cannot be said.
    CannotSay,
}

/// A ruling that would be another one, or about which it cannot be said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// The entry's number in the ledger.
    pub seq: u64,
    /// When it was ruled.
    pub at: Timestamp,
    /// Who called.
    pub principal: String,
    /// What was called.
    pub address: String,
    /// Where it reached.
    pub scope: String,
    /// What the ruling was: `allow`, `constrain`, `approve` or `block`.
    pub was: String,
    /// What it would be.
    pub would: Would,
    /// Why, in a sentence.
    pub say: String,
    /// Whether it would be so today as well, without what is proposed.
    pub today_too: bool,
}

/// How many rulings cannot be said about, for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unsaid {
    /// Why, in a sentence.
    pub say: String,
    /// How many.
    pub count: u32,
}

/// What came of deciding anew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Replayed {
    /// How many rulings were looked at.
    pub looked_at: u32,
    /// How many would be what they were.
    pub same: u32,
    /// How many would be refused.
    pub would_refuse: u32,
    /// How many authority would let pass.
    pub would_allow: u32,
    /// About how many it cannot be said.
    pub cannot_say: u32,
    /// Why not, and about how many each.
    pub unsaid: Vec<Unsaid>,
    /// Those that would change, newest first; at most 200 of this part.
    pub changes: Vec<Change>,
    /// The authority revision that the proposal was laid over.
    pub revision: u64,
    /// Send it to look at earlier rulings; absent when there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

verb! {
    /// Decides past rulings anew, by today's authority with other grants, roles or classifications, and
    /// says which would change and about which it cannot be said: what would this revoke have broken?
    /// Nothing is changed. It answers for check 1, authority, at the moment of each ruling; a call that
    /// another check refused stays refused. Needs `access.explain` there too.
    Replay = "ledger.replay", Post "/v1/ledger/replay", Read, Data,
    needs Needs::Action(Action::LedgerRead), ReplayInput => Replayed, hints [MoreFollows],
    example { "scope": "acme", "without_grants": [(sample::text("grant", 2))], "limit": 100 } => {
        "looked_at": 2, "same": 1, "would_refuse": 1, "would_allow": 0, "cannot_say": 0, "unsaid": [],
        "changes": [{
            "seq": 41, "at": "2026-11-30T12:00:00Z", "principal": sample::text("principal", 2),
            "address": "shop/tickets.log.read", "scope": "acme/shop", "was": "allow",
            "would": "would_refuse", "say": "No grant would allow call.read there.", "today_too": false
        }],
        "revision": 12
    }
}
