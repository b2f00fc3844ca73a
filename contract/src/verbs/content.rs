//! Owns the verbs of the `content` seat: what is already held. Invariant: a handle is no right; what
//! is read carries the labels of what it was read from, and is masked by its labels.

mod meaning;

pub use meaning::{
    Embed, EmbedInput, Embedded, Given, Near, NearHit, NearInput, Nearest, Passage, PassagesInput,
    PassagesRead, Read,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::{self, Id};
use crate::sample;
use crate::verb::{Needs, verb};
use crate::{Action, Address, Label, Labels, Scope, Timestamp};

/// A range of lines, bytes or rows. Counting starts at 0; `end` is not included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// The first, counted from 0.
    pub start: u64,
    /// The one after the last.
    pub end: u64,
}

/// What to look for.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchInput {
    /// The words to look for.
    #[schemars(length(min = 1, max = 400))]
    pub query: String,
    /// What the query means, as `model` says it: passages are ranked by it too. Without it, by words
    /// alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 2, max = 4096))]
    pub vector: Option<Vec<f64>>,
    /// The model that made `vector`. Only vectors of the same model are compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 100))]
    pub model: Option<String>,
    /// How ranks by words and by vectors become one: a place counts 1 / (k + place), from 1 (1 to 1000;
    /// 10 if not said). The smaller, the more a first place counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1000))]
    pub k: Option<u32>,
    /// How many at most (1 to 50; 10 if not said).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 50))]
    pub limit: Option<u32>,
    /// Only what this run produced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<Id<id::Run>>,
    /// Only what this address answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<Address>,
    /// Only what has this label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<Label>,
    /// Only this media type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 100))]
    pub media_type: Option<String>,
    /// Only what was stored since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
}

/// One piece of content that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hit {
    /// What to read it with.
    pub handle: Id<id::Content>,
    /// Where it came from.
    pub address: Address,
    /// What it is.
    pub labels: Labels,
    /// The passage that matched, masked.
    pub passage: String,
    /// The passage's number in its content, from 0: read around it with `content.passages`.
    pub number: u32,
    /// The place in the list of words that found it, from 1; absent if that list did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words_rank: Option<u32>,
    /// The place in the list of vectors that found it, from 1; absent if that list did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vector_rank: Option<u32>,
}

/// How two lists became one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fusion {
    /// The rule: `reciprocal_rank`.
    pub rule: String,
    /// Its constant.
    pub k: u32,
    /// How far down each list was read.
    pub depth: u32,
    /// The model whose vectors were compared.
    pub model: String,
    /// How many vectors were compared: all that may be.
    pub compared: u64,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Found {
    /// Best first.
    pub hits: Vec<Hit>,
    /// How it was found: `words`, or `words_and_vectors`.
    pub mode: String,
    /// How the two lists became one, where there are two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fusion: Option<Fusion>,
}

/// Which part of which content. Give one of `lines`, `bytes`, `rows`, `pointer` and `path`; the first
/// 100 lines if none is given.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SliceInput {
    /// The content's handle.
    pub handle: Id<id::Content>,
    /// These lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<Range>,
    /// These bytes, cut at character boundaries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Range>,
    /// These rows of a table (CSV, JSON lines, a JSON array).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<Range>,
    /// What this JSON Pointer (RFC 6901) points to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 500))]
    pub pointer: Option<String>,
    /// What this `JSONPath` (RFC 9535) selects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 500))]
    pub path: Option<String>,
}

/// A part of some content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Sliced {
    /// The content's handle.
    pub handle: Id<id::Content>,
    /// The text, masked.
    pub text: String,
    /// What the range counts: `lines`, `bytes`, `rows`, `pointer` or `path`.
    pub unit: String,
    /// The range that was answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// How many there are in all.
    pub of: u64,
    /// How many are left after the range.
    pub left: u64,
    /// Whether the text was cut at the inline limit.
    pub truncated: bool,
    /// What it is.
    pub labels: Labels,
}

/// Which content.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MetadataInput {
    /// The content's handle.
    pub handle: Id<id::Content>,
}

/// What is known about some content, without its payload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Metadata {
    /// Its handle.
    pub handle: Id<id::Content>,
    /// Where it belongs.
    pub scope: Scope,
    /// What answered it.
    pub address: Address,
    /// Whose call produced it.
    pub principal: Id<id::Principal>,
    /// The run it was produced in.
    pub run: Id<id::Run>,
    /// What it is.
    pub labels: Labels,
    /// Its media type.
    pub media_type: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its lines.
    pub lines: u64,
    /// What was found in it: JSON keys, columns, log levels.
    pub structure: Value,
    /// What it was derived from.
    pub derived_from: Vec<Id<id::Content>>,
    /// When it was stored.
    pub created: Timestamp,
    /// Whether its payload was erased.
    pub erased: bool,
}

verb! {
    /// Finds passages by words in what your scope's calls have already answered, so that nothing need
    /// be fetched twice; with a `vector` of what you ask, by meaning as well, the two ranks fused. What
    /// it returns carries the labels of what it was found in.
    Search = "content.search", Post "/v1/content/search", Read, Data,
    needs Needs::Action(Action::ContentRead), SearchInput => Found,
    hints [LookElsewhere, WordsOnly, RunLabelled, Masked],
    example { "query": "payment timeout", "limit": 3 } => { "hits": [{
        "handle": sample::text("content", 1), "address": "shop/tickets.log.read", "labels": ["untrusted"],
        "passage": "… ERROR payment timeout after 30 s …", "number": 0, "words_rank": 1
    }], "mode": "words" }
}
verb! {
    /// Reads a part of some content by its handle: lines, bytes, rows, a JSON Pointer or a `JSONPath`.
    /// Says which range it answers and what is left.
    Slice = "content.slice", Post "/v1/content/slice", Read, Data,
    needs Needs::Action(Action::ContentRead), SliceInput => Sliced,
    hints [MoreFollows, RunLabelled, Masked],
    example { "handle": sample::text("content", 1), "lines": { "start": 0, "end": 2 } } => {
        "handle": sample::text("content", 1), "text": "first\nsecond\n", "unit": "lines",
        "range": { "start": 0, "end": 2 }, "of": 4000, "left": 3998, "truncated": false, "labels": ["untrusted"]
    }
}
verb! {
    /// What is known about some content: size, lines, structure, labels, origin. Never the payload.
    Describe = "content.metadata", Get "/v1/content/{handle}", Read, Data,
    needs Needs::Action(Action::ContentRead), MetadataInput => Metadata, hints [],
    example { "handle": sample::text("content", 1) } => {
        "handle": sample::text("content", 1), "scope": "acme/shop", "address": "shop/tickets.log.read",
        "principal": sample::text("principal", 2), "run": sample::text("run", 1), "labels": ["untrusted"],
        "media_type": "text/plain", "bytes": 318_000, "lines": 4000, "structure": {}, "derived_from": [],
        "created": "2026-11-30T12:00:00Z", "erased": false
    }
}
