//! Owns what a tenant may declare, by shape. Invariant: what is declared here is text as it was
//! sent; each shape has one function that makes something callable of it, or answers every fault.

pub mod http;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a server is an instance of, and where it points.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "shape", rename_all = "snake_case")]
pub enum Instance {
    /// A system that speaks HTTP: each declared endpoint is a tool.
    Http(http::Server),
}
