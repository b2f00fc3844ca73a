//! Owns the verbs that explain authority.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::{self, Id};
use crate::sample;
use crate::verb::{Needs, verb};
use crate::{Action, Address, Scope};

/// What to explain: a decision that was made, or whether a principal may do something.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExplainInput {
    /// A decision: the `decision_id` of a refusal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Id<id::Decision>>,
    /// Who; yourself if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<Id<id::Principal>>,
    /// Does what; needs `scope`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<Action>,
    /// Where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// Calls which tool; says action and scope by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<Address>,
}

/// One thing that was looked at on the way to a decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "the word on the wire says what was looked at")]
pub struct Step {
    /// What was looked at: `grant`, `narrowing`, `pack`, `classification`, …
    pub step: String,
    /// Whether it let the call pass.
    pub passed: bool,
    /// What was found, in a sentence.
    pub say: String,
}

/// Why somebody may or may not do something somewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Explanation {
    /// Whether it is allowed.
    pub allowed: bool,
    /// The answer in a sentence.
    pub say: String,
    /// The path it took.
    pub steps: Vec<Step>,
    /// At which authority revision.
    pub revision: u64,
    /// The smallest grants that would allow it; empty if it is allowed, or if none would.
    pub would_allow: Vec<String>,
}

verb! {
    /// Answers why somebody may or may not do something somewhere, from the function that decides.
    /// Give the `decision_id` of a refusal, or who, what and where. About others it needs
    /// `access.explain` at that scope; your own refusals you may always replay, and learn no more
    /// than the refusal said.
    Explain = "access.explain", Post "/v1/access/explain", Read, Data,
    needs Needs::Caller, ExplainInput => Explanation, hints [NextStep],
    example { "principal": sample::text("principal", 2), "action": "call.read", "scope": "acme/shop/checkout" } => {
        "allowed": true, "say": "shop-bot may call.read at acme/shop/checkout: grant member at acme/shop.",
        "steps": [{ "step": "grant", "passed": true, "say": "member at acme/shop covers acme/shop/checkout." }],
        "revision": 12, "would_allow": []
    }
}
