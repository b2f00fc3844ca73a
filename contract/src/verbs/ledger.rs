//! Owns the verbs that read the ledger, and those that ask what it would say. Invariant: nothing writes
//! to it but the worker itself.

mod replay;

pub use replay::*;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Page;
use crate::id::{self, Id};
use crate::verb::{Needs, verb};
use crate::{Action, Address, Scope, Timestamp};

/// One entry of the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Entry {
    /// Its number in the chain, from 0.
    pub seq: u64,
    /// When it was written.
    pub at: Timestamp,
    /// What it records: `ruling`, `outcome`, `administration`, …
    pub kind: String,
    /// Its hash (SHA-256, hexadecimal), over the hash before it and its body.
    pub hash: String,
    /// What it says. Never arguments or payloads.
    pub body: Value,
}

/// Which entries.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QueryInput {
    /// Only this kind: `ruling`, `outcome`, `administration`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 40))]
    pub kind: Option<String>,
    /// Only of this run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<Id<id::Run>>,
    /// Only of this principal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<Id<id::Principal>>,
    /// Only what reached this scope or below.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// Only calls to this address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<Address>,
    /// Only rulings with this verdict: `allow`, `constrain`, `approve` or `block`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 20))]
    pub verdict: Option<String>,
    /// Where to go on: the `cursor` of the answer before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 400))]
    pub cursor: Option<String>,
    /// How many at most (1 to 200, 50 if not said).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 200))]
    pub limit: Option<u32>,
}

/// Which part of the export.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportInput {
    /// Where to go on: the `cursor` of the part before; from the start if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 400))]
    pub cursor: Option<String>,
}

/// One part of an export. The texts of all parts, put one after another, are the export file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Part {
    /// JSON lines: header, entries, and in the last part the signed checkpoint.
    pub text: String,
    /// Send it to read on; absent in the last part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

verb! {
    /// Reads the ledger, newest first: every ruling, outcome and act of administration at the scopes
    /// where you may.
    Query = "ledger.query", Get "/v1/ledger", Read, Data,
    needs Needs::Action(Action::LedgerRead), QueryInput => Page<Entry>, hints [MoreFollows],
    example { "kind": "ruling", "verdict": "block", "limit": 1 } => { "items": [{
        "seq": 41, "at": "2026-11-30T12:00:00Z", "kind": "ruling",
        "hash": "0000000000000000000000000000000000000000000000000000000000000000",
        "body": { "kind": "ruling", "verdict": "block", "check": "authority", "address": "shop/tickets.ticket.get" }
    }] }
}
verb! {
    /// Exports the identity's whole ledger as JSON lines with a signed checkpoint, in parts. Put
    /// together, `bailiwick ledger verify FILE` checks it with no server and no network.
    Export = "ledger.export", Get "/v1/ledger/export", Read, Data,
    needs Needs::Action(Action::LedgerRead), ExportInput => Part, hints [MoreFollows],
    example {} => { "text": "{\"bailiwick_ledger\":1, …}\n" }
}
