//! Owns the five verbs that agents find and call tools with. These five are all that the MCP
//! endpoint announces, whatever the size of the catalogue.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::id::{self, Id};
use crate::verb::{Needs, verb};
use crate::{Address, Effect, Labels, Name, Scope};

/// A place and how much is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlaceCount {
    /// What to put before `/server.tool`.
    pub place: crate::Place,
    /// Servers you can reach there.
    pub servers: usize,
    /// Tools you can call there.
    pub tools: usize,
}

/// A seat and its tools.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Seat {
    /// The seat: addressed without a place.
    pub seat: Name,
    /// The tools in it.
    pub tools: Vec<String>,
}

/// A server that does not answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotAnswering {
    /// Where it is.
    pub place: crate::Place,
    /// Which server.
    pub server: Name,
    /// Since when.
    pub since: crate::Timestamp,
}

/// What there is, from above.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Overview {
    /// Where seats reach for you.
    pub home: Scope,
    /// The places where you can call something.
    pub places: Vec<PlaceCount>,
    /// The platform's own tools.
    pub seats: Vec<Seat>,
    /// Servers that do not answer at the moment.
    pub not_answering: Vec<NotAnswering>,
}

/// Which place.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaceInput {
    /// The place: `.` (the identity), `group`, `group/project` or `~node`.
    pub place: crate::Place,
}

/// One tool in a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Line {
    /// What to call.
    pub address: Address,
    /// What a call does to the world.
    pub effect: Effect,
    /// What it does, in its first sentence.
    pub about: String,
}

/// A server at a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServerLines {
    /// Its name.
    pub server: Name,
    /// What it is.
    pub title: String,
    /// Whether it answers.
    pub answering: bool,
    /// Its tools that you can call.
    pub tools: Vec<Line>,
}

/// What there is at one place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlaceAnswer {
    /// The place.
    pub place: crate::Place,
    /// Its servers.
    pub servers: Vec<ServerLines>,
}

/// What to look for.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchInput {
    /// What you want to do, in a few words.
    #[schemars(length(min = 1, max = 400))]
    pub query: String,
    /// Only at this place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<crate::Place>,
    /// How many at most (10 if not said).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 50))]
    pub limit: Option<u32>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Found {
    /// Best first; only what you may call.
    pub hits: Vec<Line>,
}

/// Which tools to describe.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DescribeInput {
    /// Their addresses (up to 20).
    #[schemars(length(min = 1, max = 20))]
    pub addresses: Vec<Address>,
}

/// A tool in full.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Description {
    /// What to call.
    pub address: Address,
    /// What it does.
    pub about: String,
    /// What a call does to the world.
    pub effect: Effect,
    /// What the content it returns is.
    pub labels: Labels,
    /// The declaration's number; 0 for the platform's own.
    pub declaration: u32,
    /// The schema of `arguments`.
    pub input_schema: Value,
    /// The schema of the result, if declared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// Its limits: time, size, rate.
    pub limits: Value,
    /// A call to start from.
    pub example: Value,
}

/// Tools in full.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Described {
    /// Those you may call.
    pub tools: Vec<Description>,
    /// The others: not there, or not yours to call.
    pub not_found: Vec<Address>,
}

/// A call.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CallInput {
    /// The tool's address, as search, place and describe answer it.
    pub address: Address,
    /// Its arguments, by the schema that `catalogue_describe` answers.
    #[serde(default)]
    pub arguments: Map<String, Value>,
    /// The run it belongs to; your default run if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<Id<id::Run>>,
    /// Only say what would happen.
    #[serde(default)]
    pub dry_run: bool,
    /// The same key is carried out once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(
        length(min = 1, max = crate::idempotency::MAX_BYTES),
        regex(pattern = crate::idempotency::PATTERN)
    )]
    pub idempotency_key: Option<String>,
}

verb! {
    /// Start here if you don't know what there is: the places where you can call something and how
    /// much each holds, the platform's seats and their tools, your home scope, and servers that do not
    /// answer.
    Tops = "catalogue.overview", Get "/v1/catalogue", Read, Data,
    needs Needs::Caller, super::Nothing => Overview, hints [NextStep, NotAnswering],
    example {} => {
        "home": "acme", "places": [{ "place": "shop", "servers": 1, "tools": 2 }],
        "seats": [{ "seat": "content", "tools": ["search", "slice", "metadata"] }], "not_answering": []
    }
}
verb! {
    /// What one place holds: its servers, whether each answers, and its tools in a line each.
    Place = "catalogue.place", Get "/v1/catalogue/place", Read, Data,
    needs Needs::Caller, PlaceInput => PlaceAnswer, hints [LookElsewhere, MoreFollows],
    example { "place": "shop" } => { "place": "shop", "servers": [{
        "server": "tickets", "title": "Tickets", "answering": true,
        "tools": [{ "address": "shop/tickets.ticket.get", "effect": "read", "about": "One ticket, by its number." }]
    }] }
}
verb! {
    /// Finds tools that you may call by what you want to do, best first. What tools already answered is
    /// found with `content.search`.
    Search = "catalogue.search", Get "/v1/catalogue/search", Read, Data,
    needs Needs::Caller, SearchInput => Found, hints [LookElsewhere],
    example { "query": "read a ticket" } => { "hits": [
        { "address": "shop/tickets.ticket.get", "effect": "read", "about": "One ticket, by its number." }
    ] }
}
verb! {
    /// Tools in full: schema of the arguments, effect, labels, limits and an example call. Read it before
    /// a tool's first call.
    Describe = "catalogue.describe", Get "/v1/catalogue/describe", Read, Data,
    needs Needs::Caller, DescribeInput => Described, hints [NextStep],
    example { "addresses": ["shop/tickets.ticket.get"] } => { "tools": [{
        "address": "shop/tickets.ticket.get", "about": "One ticket, by its number.", "effect": "read",
        "labels": ["untrusted"], "declaration": 1,
        "input_schema": { "type": "object", "properties": { "number": { "type": "integer" } }, "required": ["number"], "additionalProperties": false },
        "limits": { "timeout_ms": 10000, "response_limit_bytes": 1_048_576 },
        "example": { "address": "shop/tickets.ticket.get", "arguments": { "number": 1 } }
    }], "not_found": [] }
}
verb! {
    /// Calls a tool by its address. A large result comes back as a summary and a handle: read it with
    /// `content.slice`. `held` means that a person must release the call: collect its answer with
    /// `approval.get`, or send the same call again. A refusal's `fix` says what to do.
    Call = "catalogue.call", Post "/v1/call", Write, Data,
    needs Needs::Caller, CallInput => Value,
    hints [ReadBySlices, Masked, RunLabelled, Repeated, DryRun, ChosenPlace, ShownOnce, NextStep],
    example { "address": "shop/tickets.ticket.get", "arguments": { "number": 412 } } => {
        "number": 412, "subject": "Cannot pay", "state": "open"
    }
}
