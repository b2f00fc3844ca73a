//! Owns the verbs on usage figures. Invariant: a figure is never over-counted, and says how fresh it
//! is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::{self, Id};
use crate::verb::{Needs, verb};
use crate::{Action, Address, Effect, Scope, Timestamp};

/// What a row of figures can be by.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Dimension {
    /// By the hour, in UTC.
    Hour,
    /// By the scope the calls reached.
    Scope,
    /// By who called.
    Principal,
    /// By what was called.
    Address,
    /// By effect.
    Effect,
}

/// Which figures.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QueryInput {
    /// From when (the hour it lies in is counted whole); 24 hours ago if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Timestamp>,
    /// Until when, not included; now if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Timestamp>,
    /// One row for each of these; one row in all if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 5))]
    pub group_by: Option<Vec<Dimension>>,
    /// Only calls that reached this scope or below; your identity if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// Only calls of this principal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<Id<id::Principal>>,
}

/// One row of figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    /// The hour it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hour: Option<Timestamp>,
    /// The scope it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// The principal it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<Id<id::Principal>>,
    /// The address it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<Address>,
    /// The effect it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<Effect>,
    /// Calls that were carried out.
    pub calls: u64,
    /// Calls that were refused or held.
    pub refused: u64,
    /// Bytes answered to callers.
    pub bytes_sent: u64,
    /// Bytes of results kept.
    pub bytes_stored: u64,
}

/// Figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Figures {
    /// The rows, most calls first, at most 1,000.
    pub rows: Vec<Row>,
    /// Whether rows were left out.
    pub truncated: bool,
    /// Everything up to this moment is counted.
    pub fresh_until: Timestamp,
}

verb! {
    /// Counts calls by hour, scope, principal, address and effect.
    Query = "usage.query", Get "/v1/usage", Read, Control,
    needs Needs::Action(Action::UsageRead), QueryInput => Figures, hints [],
    example { "group_by": ["scope"] } => {
        "rows": [{ "scope": "acme/shop", "calls": 41, "refused": 2, "bytes_sent": 52_100, "bytes_stored": 401_220 }],
        "truncated": false, "fresh_until": "2026-11-30T12:00:00Z"
    }
}
