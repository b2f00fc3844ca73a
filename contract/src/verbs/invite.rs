//! Owns the verbs on invites: how a person comes by their first token. Invariant: an invite yields one
//! token, once, and its secret is answered once, by the verb that makes it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::token::Token;
use super::{ListInput, Page};
use crate::id::{self, Id};
use crate::sample;
use crate::verb::{Needs, verb};
use crate::{Action, Name, Timestamp};

/// Where an invite stands.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It can be accepted.
    Open,
    /// It was accepted, and is used up.
    Accepted,
    /// It was revoked.
    Revoked,
    /// Somebody who held its text reported it as leaked.
    Leaked,
    /// Nobody accepted it in time.
    Expired,
}

/// An invite, without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Invite {
    /// Its id.
    pub id: Id<id::Invite>,
    /// Whom it invites.
    pub principal: Id<id::Principal>,
    /// The e-mail address of that person.
    pub email: String,
    /// Where it stands.
    pub state: State,
    /// When it expires.
    pub expires: Timestamp,
    /// When it was made.
    pub created: Timestamp,
    /// Its version.
    pub version: i64,
}

/// A new invite.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Invited {
    /// The invite.
    pub invite: Invite,
    /// What the person sends to `invite.accept`. Shown this once.
    pub secret: String,
}

/// What invites a person.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateInput {
    /// Who is invited: a principal of the kind `user`.
    pub principal: Id<id::Principal>,
    /// The person's e-mail address. Nothing is sent to it: hand the secret over yourself.
    #[schemars(length(min = 3, max = 254))]
    pub email: String,
    /// When it expires, at most 30 days from now; in 7 days if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
}

/// What accepts an invite.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AcceptInput {
    /// The invite's secret: `bw_invite_…`. Kept nowhere.
    #[schemars(length(min = 1, max = 8192), extend("writeOnly" = true))]
    pub secret: String,
}

/// What an accepted invite yields.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Accepted {
    /// The tenant.
    pub identity: Name,
    /// The person's name there.
    pub name: Name,
    /// The person's token.
    pub token: Token,
    /// What to send as `Authorization: Bearer …`. Shown this once.
    pub secret: String,
}

/// Which invite.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Which {
    /// The invite's id.
    pub invite: Id<id::Invite>,
}

verb! {
    /// Invites a person: makes a secret that yields a token of this user, once, by `invite.accept`. A
    /// person's act, and it confers what a token of theirs would: you need `token.manage` and everything
    /// that they hold, when you invite and still when they accept. It ends with the token that you are
    /// using.
    Create = "invite.create", Post "/v1/invites", Write, Control,
    needs Needs::Action(Action::PrincipalManage), CreateInput => Invited, hints [ShownOnce, NextStep],
    example { "principal": sample::text("principal", 1), "email": "ana@example.com" } => {
        "invite": {
            "id": sample::text("invite", 9), "principal": sample::text("principal", 1),
            "email": "ana@example.com", "state": "open", "expires": "2026-12-07T12:00:00Z",
            "created": "2026-11-30T12:00:00Z", "version": 1
        },
        "secret": "bw_invite_…"
    }
}
verb! {
    /// Lists invites, without their secrets, oldest first.
    List = "invite.list", Get "/v1/invites", Read, Control,
    needs Needs::Action(Action::PrincipalRead), ListInput => Page<Invite>, hints [MoreFollows],
    example {} => { "items": [{
        "id": sample::text("invite", 1), "principal": sample::text("principal", 3),
        "email": "rui@example.com", "state": "open", "expires": "2026-12-07T12:00:00Z",
        "created": "2026-11-30T12:00:00Z", "version": 1
    }] }
}
verb! {
    /// Revokes an invite: it cannot be accepted any more. What was accepted already stays: revoke the
    /// token it yielded.
    Revoke = "invite.revoke", Delete "/v1/invites/{invite}", Destructive, Control,
    needs Needs::Action(Action::PrincipalManage), Which => Invite, hints [],
    example { "invite": sample::text("invite", 1) } => {
        "id": sample::text("invite", 1), "principal": sample::text("principal", 3),
        "email": "rui@example.com", "state": "revoked", "expires": "2026-12-07T12:00:00Z",
        "created": "2026-11-30T12:00:00Z", "version": 2
    }
}
verb! {
    /// Accepts an invite: yields the person's own token, once. Needs no token: whoever holds the secret
    /// is who was invited. An invite that is not known, was accepted, revoked, or has expired is refused
    /// the same way.
    Accept = "invite.accept", Post "/v1/invites/accept", Write, Control,
    needs Needs::Anyone, AcceptInput => Accepted, hints [ShownOnce],
    example { "secret": "bw_invite_…" } => {
        "identity": "acme", "name": "rui",
        "token": {
            "id": sample::text("token", 9), "principal": sample::text("principal", 3), "depth": 0,
            "children": 0, "packs": [{ "name": "live" }], "revoked": false,
            "created": "2026-11-30T12:30:00Z", "version": 1
        },
        "secret": "bw_user_…"
    }
}
