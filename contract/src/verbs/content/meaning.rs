//! Owns the verbs of the `content` seat that are about meaning: giving vectors, and finding by them.
//! Invariant: nothing here is answered from words; where there is no vector to compare with, that is
//! the answer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::{self, Id};
use crate::sample;
use crate::verb::{Needs, verb};
use crate::{Action, Address, Label, Labels, Timestamp};

/// What to find the nearest of. Give one of `vector`, `handle` (with `number`) and `text`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NearInput {
    /// The vector of a text of your own, as `model` made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 2, max = 4096))]
    pub vector: Option<Vec<f64>>,
    /// The content that the passage is of whose neighbours in meaning are looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handle: Option<Id<id::Content>>,
    /// The number of that passage, from 0 (0 if not said).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    /// A text whose vector the platform is to make. Refused where it has no model to make it with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 4000))]
    pub text: Option<String>,
    /// The model of `vector`, or of the passage's. Only vectors of the same model are compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 100))]
    pub model: Option<String>,
    /// How many at most (1 to 20; 5 if not said).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 20))]
    pub limit: Option<u32>,
    /// How many passages before and after each (0 to 3; 1 if not said).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 3))]
    pub around: Option<u32>,
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

/// A passage that is near in meaning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NearHit {
    /// What to read it with.
    pub handle: Id<id::Content>,
    /// Where it came from.
    pub address: Address,
    /// What it is.
    pub labels: Labels,
    /// The passage's number in its content, from 0.
    pub number: u32,
    /// The passage, masked.
    pub passage: String,
    /// How near it is: the cosine, 1 the same and 0 nothing in common.
    pub likeness: f64,
    /// Who gave the vector that was compared.
    pub given_by: Id<id::Principal>,
    /// The passages before it, masked, in order.
    pub before: Vec<String>,
    /// The passages after it, masked, in order.
    pub after: Vec<String>,
}

/// What is near.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Nearest {
    /// The nearest first.
    pub hits: Vec<NearHit>,
    /// The model whose vectors were compared.
    pub model: String,
    /// How many vectors were compared: all that may be.
    pub compared: u64,
}

/// Which passages of which content.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PassagesInput {
    /// The content's handle.
    pub handle: Id<id::Content>,
    /// The number of the first, from 0 (0 if not said).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<u32>,
    /// How many at most (1 to 50; 10 if not said); fewer where they would be more than an answer holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 50))]
    pub limit: Option<u32>,
    /// Says of each whether you have given its vector by this model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 100))]
    pub model: Option<String>,
}

/// One passage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Passage {
    /// Its number in the content, from 0.
    pub number: u32,
    /// The passage as it is searched: masked, a value told by its kind alone.
    pub text: String,
    /// Whether you have given its vector by the model named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedded: Option<bool>,
}

/// Passages of some content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PassagesRead {
    /// The content's handle.
    pub handle: Id<id::Content>,
    /// In order.
    pub passages: Vec<Passage>,
    /// How many there are in all. Of a very long content the first 4 MiB are in passages.
    pub of: u32,
    /// How many are left after these.
    pub left: u32,
    /// What it is.
    pub labels: Labels,
}

/// The vector of one passage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Given {
    /// The passage's number, as `content.passages` says it.
    pub number: u32,
    /// Its vector, as the model made it.
    #[schemars(length(min = 2, max = 4096))]
    pub vector: Vec<f64>,
}

/// Vectors of passages of some content.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EmbedInput {
    /// The content's handle.
    pub handle: Id<id::Content>,
    /// The model that made the vectors, by a name of your own choice that says which. What you give by
    /// one model has one width.
    #[schemars(length(min = 1, max = 100))]
    pub model: String,
    /// The vectors, by passage (1 to 128).
    #[schemars(length(min = 1, max = 128))]
    pub vectors: Vec<Given>,
}

/// Vectors that were kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Embedded {
    /// The content's handle.
    pub handle: Id<id::Content>,
    /// The model.
    pub model: String,
    /// How many numbers a vector has.
    pub width: u32,
    /// How many vectors were kept.
    pub given: u32,
    /// How many passages there are.
    pub of: u32,
}

verb! {
    /// Finds the passages nearest in meaning to a vector you give, or to a passage that is held, each
    /// with the passages before and after it. Compared are vectors that you gave with `content.embed`
    /// and those of whoever's content it is; without any this is refused, and `content.search` finds by
    /// words.
    Near = "content.near", Post "/v1/content/near", Read, Data,
    needs Needs::Action(Action::ContentRead), NearInput => Nearest,
    hints [LookElsewhere, MoreFollows, RunLabelled],
    example { "handle": sample::text("content", 1), "number": 0, "model": "minilm-l6", "limit": 1 } => {
        "hits": [{
            "handle": sample::text("content", 1), "address": "shop/tickets.log.read",
            "labels": ["untrusted"], "number": 1, "passage": "… the gateway did not answer …",
            "likeness": 0.83, "given_by": sample::text("principal", 2),
            "before": ["… ERROR payment timeout …"], "after": ["… retried …"]
        }], "model": "minilm-l6", "compared": 3
    }
}
verb! {
    /// Reads passages of some content as they are searched: what to make vectors of for
    /// `content.embed`, and what stands around a hit of `content.search` or `content.near`.
    Read = "content.passages", Get "/v1/content/{handle}/passages", Read, Data,
    needs Needs::Action(Action::ContentRead), PassagesInput => PassagesRead,
    hints [MoreFollows, RunLabelled],
    example { "handle": sample::text("content", 1), "start": 0, "limit": 1 } => {
        "handle": sample::text("content", 1), "of": 265, "left": 264, "labels": ["untrusted"],
        "passages": [{ "number": 0, "text": "2026-11-30T12:00:00Z ERROR payment worker 0 …" }]
    }
}
verb! {
    /// Gives the vectors of passages of content that you may read, made by a model of your own, so that
    /// `content.near` and `content.search` find by meaning. They are yours: they replace your own of
    /// before and nobody else's, and count in your own searches and, if the content is of your own
    /// calls, in those of everybody who may read it.
    Embed = "content.embed", Post "/v1/content/{handle}/vectors", Write, Data,
    needs Needs::Action(Action::ContentRead), EmbedInput => Embedded, hints [NextStep],
    example { "handle": sample::text("content", 1), "model": "minilm-l6",
        "vectors": [{ "number": 0, "vector": [0.12, 0.5, 0.33] }] } => {
        "handle": sample::text("content", 1), "model": "minilm-l6", "width": 3, "given": 1, "of": 265
    }
}
