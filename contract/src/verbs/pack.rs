//! Owns the verbs on packs: named, versioned sets of pins. Invariant: a version means for ever what
//! it meant when it was published.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ListInput, Page};
use crate::id::{self, Id};
use crate::sample;
use crate::verb::{Needs, verb};
use crate::{Action, Name, Timestamp};

/// A tool, at a declaration, as it was judged.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Pin {
    /// The tool's id.
    pub tool: Id<id::Tool>,
    /// The declaration's number.
    pub declaration: u32,
    /// The judgement's number.
    pub classification: u32,
}

/// A pack at one version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pack {
    /// Its id, the same for all its versions.
    pub id: Id<id::Pack>,
    /// Its name.
    pub name: Name,
    /// Its version: 1, 2, 3, …
    pub version: u32,
    /// What it pins.
    pub pins: Vec<Pin>,
    /// When it was published.
    pub created: Timestamp,
}

/// What publishes the next version of a pack.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PublishInput {
    /// The pack's name; `live` is built in and taken.
    pub name: Name,
    /// The tools it pins, each at its newest classified declaration (up to 2,000).
    #[schemars(length(max = 2000))]
    pub tools: Vec<Id<id::Tool>>,
    /// The version you expect to publish, if it matters: 1 for a new pack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_version: Option<u32>,
}

/// Which pack.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Which {
    /// The pack's name.
    pub pack: Name,
    /// Its version; the newest if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub version: Option<u32>,
}

verb! {
    /// Publishes the next version of a pack, pinning each tool at its newest classified declaration.
    /// Tokens bound to earlier versions keep what they had.
    Publish = "pack.publish", Post "/v1/packs", Write, Control,
    needs Needs::Action(Action::PackManage), PublishInput => Pack, hints [NextStep],
    example { "name": "triage", "tools": [sample::text("tool", 1)] } => {
        "id": sample::text("pack", 9), "name": "triage", "version": 1,
        "pins": [{ "tool": sample::text("tool", 1), "declaration": 1, "classification": 1 }],
        "created": "2026-11-30T12:00:00Z"
    }
}
verb! {
    /// Lists packs, each at its newest version.
    List = "pack.list", Get "/v1/packs", Read, Control,
    needs Needs::Action(Action::PackRead), ListInput => Page<Pack>, hints [MoreFollows],
    example {} => { "items": [{
        "id": sample::text("pack", 1), "name": "support", "version": 1,
        "pins": [{ "tool": sample::text("tool", 1), "declaration": 1, "classification": 1 }],
        "created": "2026-11-30T12:00:00Z"
    }] }
}
verb! {
    /// Answers one version of a pack.
    Get = "pack.get", Get "/v1/packs/{pack}", Read, Control,
    needs Needs::Action(Action::PackRead), Which => Pack, hints [],
    example { "pack": "support", "version": 1 } => {
        "id": sample::text("pack", 1), "name": "support", "version": 1,
        "pins": [{ "tool": sample::text("tool", 1), "declaration": 1, "classification": 1 }],
        "created": "2026-11-30T12:00:00Z"
    }
}
