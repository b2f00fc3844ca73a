//! Owns the verbs on tools as a curator sees them: what is declared and what it was judged to be.

mod diff;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use diff::{Changes, Diff, DiffInput, Side};

use super::Page;
use super::server::Declaration;
use crate::id::{self, Id};
use crate::sample;
use crate::verb::{Needs, verb};
use crate::{Action, Address, Effect, Labels, Scope, Timestamp};

/// Where a tool stands.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// No curator has judged it: refused.
    Unclassified,
    /// Judged at its newest declaration.
    Classified,
    /// Declared anew since it was judged: the newest declaration is refused.
    Drifted,
    /// Withdrawn: refused.
    Withdrawn,
}

/// What a label objection ends in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnLabel {
    /// The call is held for a person.
    #[default]
    Approve,
    /// The call is refused.
    Block,
}

/// What a curator judged a declaration to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Classification {
    /// Counts the judgements of this tool.
    pub version: u32,
    /// The declaration that was judged.
    pub declaration: u32,
    /// The digest of the definition that was judged (SHA-256, hexadecimal).
    pub digest: String,
    /// What a call does to the world.
    pub effect: Effect,
    /// What the content it returns is.
    pub labels: Labels,
    /// The classes of content that may be sent to it.
    pub cleared: Labels,
    /// What a call from a tainted run ends in, when the effect is not `read`.
    pub on_tainted: OnLabel,
    /// Who judged.
    pub by: Id<id::Principal>,
    /// When.
    pub at: Timestamp,
}

/// A tool, its newest declaration and what it was judged to be.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Tool {
    /// Its id.
    pub id: Id<id::Tool>,
    /// Where calls to it are decided.
    pub scope: Scope,
    /// Its full address.
    pub address: Address,
    /// Where it stands.
    pub state: State,
    /// Its newest declaration's number.
    pub declaration: u32,
    /// The digest of the newest definition: send it to `tool.classify`.
    pub digest: String,
    /// The newest declaration.
    pub declared: Declaration,
    /// What it was judged to be last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classification: Option<Classification>,
}

/// Which tools to list.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListInput {
    /// Only those that stand so; `unclassified` and `drifted` are the curator's queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<State>,
    /// Where to go on: the `cursor` of the answer before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 400))]
    pub cursor: Option<String>,
    /// How many at most (1 to 200, 50 if not said).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 200))]
    pub limit: Option<u32>,
}

/// Which tool.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Which {
    /// The tool's id.
    pub tool: Id<id::Tool>,
}

/// A curator's judgement.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClassifyInput {
    /// The tool's id.
    pub tool: Id<id::Tool>,
    /// The digest of the definition you read (from `tool.get`); refused if it is another by now.
    #[schemars(length(min = 64, max = 64), regex(pattern = "^[0-9a-f]{64}$"))]
    pub digest: String,
    /// What a call does to the world.
    pub effect: Effect,
    /// What the content it returns is.
    #[serde(default)]
    pub labels: Labels,
    /// The classes of content that may be sent to it; none if left out.
    #[serde(default)]
    pub cleared: Labels,
    /// What a call from a tainted run ends in, when the effect is not `read`.
    #[serde(default)]
    pub on_tainted: OnLabel,
}

verb! {
    /// Lists tools with what they were judged to be. `state: unclassified` and `state: drifted` are
    /// what waits for a curator.
    List = "tool.list", Get "/v1/tools", Read, Control,
    needs Needs::Action(Action::ServerRead), ListInput => Page<Tool>, hints [MoreFollows],
    example { "state": "drifted" } => { "items": [] }
}
verb! {
    /// Answers one tool: its newest declaration word for word, the digest to judge, and what it was
    /// judged to be last.
    Get = "tool.get", Get "/v1/tools/{tool}", Read, Control,
    needs Needs::Action(Action::ServerRead), Which => Tool, hints [NextStep],
    example { "tool": sample::text("tool", 1) } => {
        "id": sample::text("tool", 1), "scope": "acme/shop", "address": "shop/tickets.ticket.get",
        "state": "unclassified", "declaration": 1,
        "digest": "0000000000000000000000000000000000000000000000000000000000000000",
        "declared": {
            "name": "ticket.get", "about": "One ticket, by its number.", "effect": "read", "labels": ["untrusted"],
            "endpoint": {
                "method": "GET", "path": "/tickets/{number}",
                "arguments": [{
                    "name": "number", "in": "path", "required": true, "schema": { "type": "integer" },
                    "style": "form", "allow_percent": false, "whole_body": false
                }],
                "body": "none", "timeout_ms": 10_000, "response_limit_bytes": 1_048_576,
                "max_ratio": 100, "media_types": ["application/json"], "clean_outputs": []
            }
        }
    }
}
verb! {
    /// Says what a tool's effect and labels are, for the definition with this digest. A person's act:
    /// no agent can do it. It goes stale when the definition changes.
    Classify = "tool.classify", Post "/v1/tools/{tool}/classify", Write, Control,
    needs Needs::Action(Action::ToolClassify), ClassifyInput => Tool, hints [],
    example {
        "tool": sample::text("tool", 1), "effect": "read", "labels": ["untrusted"],
        "digest": "0000000000000000000000000000000000000000000000000000000000000000"
    } => {
        "id": sample::text("tool", 1), "scope": "acme/shop", "address": "shop/tickets.ticket.get",
        "state": "classified", "declaration": 1,
        "digest": "0000000000000000000000000000000000000000000000000000000000000000",
        "declared": {
            "name": "ticket.get", "about": "One ticket, by its number.", "effect": "read", "labels": ["untrusted"],
            "endpoint": {
                "method": "GET", "path": "/tickets/{number}",
                "arguments": [{
                    "name": "number", "in": "path", "required": true, "schema": { "type": "integer" },
                    "style": "form", "allow_percent": false, "whole_body": false
                }],
                "body": "none", "timeout_ms": 10_000, "response_limit_bytes": 1_048_576,
                "max_ratio": 100, "media_types": ["application/json"], "clean_outputs": []
            }
        }
    }
}
