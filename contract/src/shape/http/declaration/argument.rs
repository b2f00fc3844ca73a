//! One argument of an endpoint, and where on the request it goes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One argument of an endpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Argument {
    /// What callers name it: `[a-z][a-z0-9_]*`.
    #[schemars(regex(pattern = r"^[a-z][a-z0-9_]{0,63}$"))]
    pub name: String,
    /// Where on the request it goes.
    #[serde(rename = "in")]
    pub location: Location,
    /// What the upstream names it, where that differs. For a path argument, the name in braces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// JSON Schema of its value, written out: no `$ref`. Its `description` is shown to callers and
    /// its `default` is sent where the argument is left out.
    pub schema: Value,
    /// Whether a call without it is refused.
    #[serde(default)]
    pub required: bool,
    /// How a list or an object is written in the query (OpenAPI's styles).
    #[serde(default)]
    pub style: Style,
    /// Whether each item or member is a pair of its own. Left out: yes for `form`, else no.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explode: Option<bool>,
    /// Let a path argument hold `%`. It is sent as `%25` and still may not decode to a slash or dots.
    #[serde(default)]
    pub allow_percent: bool,
    /// The argument is the whole JSON body, not a member of it.
    #[serde(default)]
    pub whole_body: bool,
    /// A value the declaration fixes: callers neither see nor set the argument.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixed: Option<Value>,
}

impl Argument {
    /// What the upstream names it.
    pub fn target(&self) -> &str {
        self.target.as_deref().unwrap_or(&self.name)
    }

    /// Whether each item or member is a pair of its own.
    pub fn explodes(&self) -> bool {
        self.explode.unwrap_or(self.style == Style::Form)
    }

    /// What is sent where the caller says nothing.
    pub fn fallback(&self) -> Option<&Value> {
        self.fixed.as_ref().or_else(|| self.schema.get("default"))
    }
}

/// Where on a request an argument goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Location {
    /// One whole segment of the path.
    Path,
    /// Pairs of the query.
    Query,
    /// A header.
    Header,
    /// The body, or a member of it.
    Body,
}

/// How a list or an object is written in the query (OpenAPI 3.1, style values).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Style {
    /// `color=blue&color=black`, or `color=blue,black` without explode.
    #[default]
    Form,
    /// `filter[color]=blue`, for objects.
    DeepObject,
    /// `color=blue%20black`, for lists.
    SpaceDelimited,
    /// `color=blue%7Cblack`, for lists.
    PipeDelimited,
}
