//! Owns what is asked of an explanation and what it says. Invariant: it is a plain record, and every
//! part of it can be shown to a person.

use contract::id;
use contract::{Action, Id, Name, Scope, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::authority::{Called, Check, Reason};
use crate::role::ActionSet;

/// About whom an explanation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// What the principal may do by a token that is not narrowed.
    Principal(Id<id::Principal>),
    /// What its holder may do by this token.
    Token(Id<id::Token>),
}

/// What an explanation is asked about.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'q> {
    /// What.
    pub action: Action,
    /// Where.
    pub target: &'q Scope,
    /// By which tool, if by one.
    pub called: Option<&'q Called>,
}

/// Why nothing can be explained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unexplained {
    /// The view holds no such principal or token.
    #[error("there is no such principal or token")]
    NoSubject,
    /// This plane holds no valid lease.
    #[error("no valid lease to decide under")]
    Unavailable,
}

/// Why someone may or may not do something somewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Explanation {
    /// Who.
    pub principal: Id<id::Principal>,
    /// By which token, if the question was about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<Id<id::Token>>,
    /// What.
    pub action: Action,
    /// Where.
    pub scope: Scope,
    /// At which moment.
    pub at: Timestamp,
    /// By which authority revision.
    pub revision: u64,
    /// Whether they may.
    pub permitted: bool,
    /// The first objection, which is the one that a refusal reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// Every check in order, those after the first objection too.
    pub steps: Vec<Step>,
    /// The grants that were looked at: those that give the action first, then those that cover the
    /// scope, then those of the action elsewhere.
    pub grants: Vec<Considered>,
    /// How many more grants there were than are listed.
    pub grants_left_out: u32,
    /// The grant that gives the action: of several the nearest, then the longest lasting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub winning_grant: Option<Id<id::Grant>>,
    /// The smallest grants any one of which would make it permitted. Empty if no grant would.
    pub what_would_change: Vec<Remedy>,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// Which.
    pub check: Check,
    /// What it objected to, if to anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// The outcome in a sentence.
    pub say: String,
}

/// One grant that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Considered {
    /// The grant.
    pub grant: Id<id::Grant>,
    /// Its role.
    pub role: Name,
    /// Its scope.
    pub scope: Scope,
    /// Its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
    /// What it does for the question.
    pub verdict: GrantVerdict,
}

/// What one grant does for the question.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum GrantVerdict {
    /// It allows the action at the scope.
    Gives,
    /// It was revoked.
    Revoked,
    /// It has expired.
    Expired,
    /// Its role is not known.
    UnknownRole,
    /// Its role does not have the action.
    RoleLacks,
    /// It allows the action at another scope, which does not cover this one.
    Elsewhere,
}

/// A grant that would help.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Remedy {
    /// Of which role.
    pub role: Name,
    /// At which scope.
    pub scope: Scope,
    /// Everything else that the role would allow there.
    pub also: ActionSet,
}
