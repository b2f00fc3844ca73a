//! What a tenant may declare of a system that speaks HTTP: a server, and one endpoint a tool.
//!
//! These are the texts as they were sent; nothing here may be used to send a request. Only
//! [`validate()`] makes a [`Validated`] of them, and only that can be built upon.

mod argument;
mod clean;
mod describe;
mod validate;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use argument::{Argument, Location, Style};
pub use clean::{CleanKind, CleanOutput, CleanValue};
pub use describe::input_schema;
pub use validate::{Segment, Target, Validated, validate, validate_server};

use super::cidr::Cidr;

/// The server of declared endpoints: one upstream, and how to speak to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Server {
    /// Scheme, host and port, as in `https://api.example.com:443`: no user name, path, query or
    /// template.
    pub origin: String,
    /// Speak plain HTTP. Only where an operator has allowed it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_http: bool,
    /// Address blocks of private networks this server may reach, as in `10.1.0.0/16`. Only within
    /// what an operator has allowed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow_private: Vec<Cidr>,
    /// The credential put on each request, and where it goes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credential: Option<Credential>,
    /// Headers sent with each request, by name. Never a secret: that is what a credential is for.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub static_headers: BTreeMap<String, String>,
}

/// A credential by its id, and where on a request it goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Credential {
    /// The id of a credential that is granted at this server's scope.
    pub id: String,
    /// Where on the request the secret goes.
    pub placement: Placement,
}

/// Where on a request a secret goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Placement {
    /// `Authorization: Bearer <secret>` (RFC 6750).
    Bearer {},
    /// `Authorization: Basic <base64 of the secret>`; the secret is `user:password` (RFC 7617).
    Basic {},
    /// A header of this name.
    Header {
        /// The header's name, as in `X-Api-Key`.
        name: String,
        /// Text before the secret, as in `Token ` with its space.
        #[serde(default)]
        prefix: String,
    },
    /// A query pair of this name. Upstreams tend to log it; prefer a header.
    Query {
        /// The pair's name, as in `api_key`.
        name: String,
    },
}

/// What an operator has allowed this server. The default allows nothing out of the ordinary.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    /// Whether plain HTTP may be declared.
    pub http: bool,
    /// The blocks within which a server may ask for private addresses.
    pub private: Vec<Cidr>,
}

/// One endpoint of an upstream: a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Endpoint {
    /// The HTTP method.
    pub method: Method,
    /// The path, as in `/v1/users/{id}`. An argument fills one whole segment.
    pub path: String,
    /// The arguments, and where on the request each goes.
    #[serde(default)]
    #[schemars(length(max = 64))]
    pub arguments: Vec<Argument>,
    /// How the arguments that go in the body are written.
    #[serde(default)]
    pub body: Body,
    /// Milliseconds for connecting, headers and body together.
    #[serde(default = "default_timeout_ms")]
    #[schemars(range(min = 1, max = 120_000))]
    pub timeout_ms: u64,
    /// The most bytes of answer, after decompression.
    #[serde(default = "default_response_limit_bytes")]
    #[schemars(range(min = 1, max = 67_108_864))]
    pub response_limit_bytes: u64,
    /// How many times larger than what came over the wire a decompressed answer may be.
    #[serde(default = "default_max_ratio")]
    #[schemars(range(min = 1, max = 1_000))]
    pub max_ratio: u64,
    /// The media types of a good answer, without parameters. Any other is an error.
    #[serde(default = "default_media_types")]
    #[schemars(length(max = 16))]
    pub media_types: Vec<String>,
    /// JSON Schema of a good answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// How often the tool may be called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<RateLimit>,
    /// For how long a repeated call is answered from the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency: Option<Idempotency>,
    /// How to find out whether a call whose answer was lost took effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lookup: Option<Lookup>,
    /// Parts of the answer that hold no free text, and so carry no taint of the text around them.
    #[serde(default)]
    #[schemars(length(max = 64))]
    pub clean_outputs: Vec<CleanOutput>,
}

/// The HTTP methods an endpoint may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Method {
    /// Read.
    Get,
    /// Read the headers only.
    Head,
    /// Create, or anything else.
    Post,
    /// Replace.
    Put,
    /// Change a part.
    Patch,
    /// Remove.
    Delete,
}

impl Method {
    /// Whether HTTP calls the method safe (RFC 9110 §9.2.1); the tool's effect is classified apart.
    pub fn is_safe(self) -> bool {
        matches!(self, Self::Get | Self::Head)
    }
}

/// How body arguments are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Body {
    /// No body.
    #[default]
    None,
    /// A JSON object whose members are the body arguments, or the one argument that is the whole.
    Json,
    /// `application/x-www-form-urlencoded` pairs.
    Form,
}

/// At most `calls` in any `per_seconds`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateLimit {
    /// The number of calls.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub calls: u32,
    /// The span in seconds.
    #[schemars(range(min = 1, max = 86_400))]
    pub per_seconds: u32,
}

/// How a repeated write is recognised.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Idempotency {
    /// Seconds during which the same call is answered from the first.
    #[schemars(range(min = 1, max = 2_678_400))]
    pub window_seconds: u32,
    /// The header in which the upstream honours a key, as in `Idempotency-Key`. Leave it out where
    /// it does not honour one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upstream_header: Option<String>,
}

/// A read that tells whether a write took effect, asked when the same write comes again and nobody knows
/// what became of it. It is called as the caller, through the Gate, and is in the ledger as any call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lookup {
    /// The address of the read tool. Without a place, it is looked for at the write's own place.
    pub address: String,
    /// For each argument of the read tool, a JSON pointer into the arguments of the write, as in
    /// `/reference`, that are required.
    #[schemars(length(max = 64))]
    pub arguments: BTreeMap<String, String>,
    /// A JSON pointer into the read's answer. `null`, `false` or an empty list there means that the
    /// write did not take effect, anything else that it did. An answer that has no such place says
    /// neither, and leaves it unknown.
    pub done: String,
    /// The statuses with which the read's upstream says that there is no such thing, as in `404`: the
    /// write did not take effect. Any other failure leaves it unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 8), inner(range(min = 400, max = 499)))]
    pub absent_statuses: Vec<u16>,
    /// Seconds, after the time-out of the write, before a look-up that finds nothing is believed: until
    /// then it may still take effect.
    #[serde(default = "default_settles_seconds")]
    #[schemars(range(min = 1, max = 86_400))]
    pub settles_seconds: u32,
}

impl Lookup {
    /// Whether an answer of the read says that the write took effect, if it says either.
    pub fn says_done(&self, answer: &Value) -> Option<bool> {
        Some(match answer.pointer(&self.done)? {
            Value::Null | Value::Bool(false) => false,
            Value::Array(items) => !items.is_empty(),
            Value::Bool(true) | Value::Number(_) | Value::String(_) | Value::Object(_) => true,
        })
    }

    /// The arguments of the read, out of those of the write.
    ///
    /// # Errors
    /// The pointer to what the write was not given.
    pub fn arguments_of(&self, write: &Value) -> Result<serde_json::Map<String, Value>, &str> {
        let given = |(name, pointer): (&String, &String)| {
            Some((name.clone(), write.pointer(pointer)?.clone()))
        };
        let each = self.arguments.iter();
        each.map(|one| given(one).ok_or(one.1.as_str())).collect()
    }
}

fn default_timeout_ms() -> u64 {
    10_000
}

fn default_settles_seconds() -> u32 {
    60
}

fn default_response_limit_bytes() -> u64 {
    1 << 20
}

fn default_max_ratio() -> u64 {
    100
}

fn default_media_types() -> Vec<String> {
    vec![String::from("application/json")]
}

#[cfg(test)]
mod tests;
