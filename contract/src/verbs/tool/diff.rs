//! Owns `tool.diff`: what changed from one declaration of a tool to another.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Action;
use crate::id::{self, Id};
use crate::sample;
use crate::shape::http::diff::Change;
use crate::verb::{Needs, verb};

/// Which declarations to compare.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiffInput {
    /// The tool's id.
    pub tool: Id<id::Tool>,
    /// The number of the older declaration. Left out: the one that was judged last, or the one
    /// before `to` if none was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub from: Option<u32>,
    /// The number of the newer declaration. Left out: the newest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub to: Option<u32>,
}

/// One of the two declarations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Side {
    /// Its number.
    pub declaration: u32,
    /// The digest of the definition, which a judgement is bound to.
    pub digest: String,
}

/// What changed between two declarations.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Changes {
    /// The tool's id.
    pub tool: Id<id::Tool>,
    /// The older.
    pub from: Side,
    /// The newer.
    pub to: Side,
    /// Whether the digests differ, so that a judgement of the older does not hold for the newer.
    pub digest_differs: bool,
    /// What the newer lets through, reaches or trusts that the older did not.
    pub widens: Vec<Change>,
    /// What it no longer lets through, reaches or trusts.
    pub narrows: Vec<Change>,
    /// What is said to whoever reads the tool, and nothing else.
    pub words: Vec<Change>,
    /// What changed otherwise, or in a way that cannot be told.
    pub other: Vec<Change>,
    /// How many more changes there are than are listed (500 are).
    pub more: u32,
    /// The same for people to read, a line a change: `+` widens, `-` narrows, `~` words, `*` other.
    pub text: String,
}

verb! {
    /// Says what changed from one declaration of a tool to another: by default from the one that was
    /// judged last to the newest, which is what a curator reads before `tool.classify`. Each change
    /// is listed with its field before and after, what widens the tool first. An argument stands by
    /// its name in the pointers, not by its place.
    Diff = "tool.diff", Get "/v1/tools/{tool}/diff", Read, Control,
    needs Needs::Action(Action::ServerRead), DiffInput => Changes, hints [NextStep],
    example { "tool": sample::text("tool", 1) } => {
        "tool": sample::text("tool", 1),
        "from": { "declaration": 1, "digest": "0000000000000000000000000000000000000000000000000000000000000000" },
        "to": { "declaration": 1, "digest": "0000000000000000000000000000000000000000000000000000000000000000" },
        "digest_differs": false, "widens": [], "narrows": [], "words": [], "other": [], "more": 0,
        "text": "Nothing changed.\n"
    }
}
