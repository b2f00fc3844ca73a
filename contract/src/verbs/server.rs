//! Owns the verbs on servers: declaring a system as tools.

mod import;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use import::{
    CredentialSuggestion, Import, ImportInput, Imported, LeftOut, Proposal, Reason, Stands,
    TagCount, Without,
};

use super::{ListInput, Page};
use crate::id::{self, Id};
use crate::sample;
use crate::shape::{Instance, http};
use crate::verb::{Needs, verb};
use crate::{Action, Effect, Labels, Name, Scope, Timestamp, ToolName};

/// One tool of a server, as it is declared.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Declaration {
    /// Its name inside the server.
    pub name: ToolName,
    /// What it does and when to use it, for whoever looks for it (up to 1,000 characters).
    #[schemars(length(min = 1, max = 1000))]
    pub about: String,
    /// What a call does to the world. A suggestion: the curator decides.
    pub effect: Effect,
    /// What the content it returns is. A suggestion: the curator decides.
    #[serde(default)]
    pub labels: Labels,
    /// The endpoint.
    pub endpoint: http::Endpoint,
}

/// A tool and where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolState {
    /// Its id.
    pub id: Id<id::Tool>,
    /// Its name inside the server.
    pub name: ToolName,
    /// Its newest declaration.
    pub declaration: u32,
    /// Whether it can be called, and why not.
    pub state: super::tool::State,
}

/// A server.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Server {
    /// Its id.
    pub id: Id<id::Server>,
    /// Where it is.
    pub scope: Scope,
    /// Its name, one of a kind at its scope.
    pub name: Name,
    /// What it is, for people.
    pub title: String,
    /// Whether it may answer a call that names no place.
    pub interchangeable: bool,
    /// What it is an instance of, and where it points.
    pub instance: Instance,
    /// Its tools.
    pub tools: Vec<ToolState>,
    /// Whether it was withdrawn as a whole.
    pub withdrawn: bool,
    /// When it was registered.
    pub created: Timestamp,
    /// The version to send as `expected_version`.
    pub version: i64,
}

/// What registers a server.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RegisterInput {
    /// Where it is to be: calls to it are decided at this scope.
    pub scope: Scope,
    /// Its name, one of a kind at its scope: the `server` of its tools' addresses.
    pub name: Name,
    /// What it is, for people (up to 200 characters).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    pub title: Option<String>,
    /// Whether it may answer a call that names no place, from any place where the caller is granted.
    #[serde(default)]
    pub interchangeable: bool,
    /// What it is an instance of, and where it points.
    pub instance: Instance,
    /// Its tools (up to 500).
    #[schemars(length(max = 500))]
    pub tools: Vec<Declaration>,
}

/// What publishes new declarations of a server's tools.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PublishInput {
    /// The server's id.
    pub server: Id<id::Server>,
    /// The tools to add or to declare anew; the others stay as they are.
    #[schemars(length(min = 1, max = 500))]
    pub tools: Vec<Declaration>,
    /// The version you read; refused if it is no longer the current one.
    pub expected_version: i64,
}

/// What withdraws a server or some of its tools.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WithdrawInput {
    /// The server's id.
    pub server: Id<id::Server>,
    /// The tools to withdraw; the whole server if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 500))]
    pub tools: Option<Vec<ToolName>>,
    /// The version you read; refused if it is no longer the current one.
    pub expected_version: i64,
}

/// Which server.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Which {
    /// The server's id.
    pub server: Id<id::Server>,
}

verb! {
    /// Declares a system as a server with tools, at a scope. Every fault of the declaration is
    /// answered at once and nothing is stored then. The tools can be called once a curator has
    /// classified them with `tool.classify`.
    Register = "server.register", Post "/v1/servers", Write, Control,
    needs Needs::Action(Action::ServerManage), RegisterInput => Server, hints [NextStep],
    example {
        "scope": "acme/shop/returns", "name": "parcels", "title": "Parcel tracking",
        "instance": { "shape": "http", "origin": "https://parcels.example.com" },
        "tools": [{
            "name": "parcel.track", "about": "Where a parcel is now, by its number.", "effect": "read",
            "labels": ["untrusted"],
            "endpoint": {
                "method": "GET", "path": "/v1/parcels/{number}",
                "arguments": [{ "name": "number", "in": "path", "required": true,
                    "schema": { "type": "string", "description": "The parcel's number.", "maxLength": 40 } }]
            }
        }]
    } => {
        "id": sample::text("server", 9), "scope": "acme/shop/returns", "name": "parcels",
        "title": "Parcel tracking", "interchangeable": false,
        "instance": { "shape": "http", "origin": "https://parcels.example.com" },
        "tools": [{ "id": sample::text("tool", 9), "name": "parcel.track", "declaration": 1, "state": "unclassified" }],
        "withdrawn": false, "created": "2026-11-30T12:00:00Z", "version": 1
    }
}
verb! {
    /// Publishes the next declaration of some of a server's tools, or adds tools. What a pack has
    /// pinned stays as it was; the new declaration waits for its own classification.
    Publish = "server.publish", Post "/v1/servers/{server}/publish", Write, Control,
    needs Needs::Action(Action::ServerManage), PublishInput => Server, hints [NextStep],
    example {
        "server": sample::text("server", 1), "expected_version": 1,
        "tools": [{
            "name": "ticket.count", "about": "How many tickets are open.", "effect": "read",
            "endpoint": { "method": "GET", "path": "/tickets/count", "arguments": [] }
        }]
    } => {
        "id": sample::text("server", 1), "scope": "acme/shop", "name": "tickets", "title": "Tickets",
        "interchangeable": false,
        "instance": { "shape": "http", "origin": "https://tickets.example.com" },
        "tools": [{ "id": sample::text("tool", 9), "name": "ticket.count", "declaration": 1, "state": "unclassified" }],
        "withdrawn": false, "created": "2026-11-30T12:00:00Z", "version": 2
    }
}
verb! {
    /// Answers one server with its tools and where each stands.
    Get = "server.get", Get "/v1/servers/{server}", Read, Control,
    needs Needs::Action(Action::ServerRead), Which => Server, hints [],
    example { "server": sample::text("server", 1) } => {
        "id": sample::text("server", 1), "scope": "acme/shop", "name": "tickets", "title": "Tickets",
        "interchangeable": false,
        "instance": { "shape": "http", "origin": "https://tickets.example.com" },
        "tools": [{ "id": sample::text("tool", 1), "name": "ticket.get", "declaration": 1, "state": "classified" }],
        "withdrawn": false, "created": "2026-11-30T12:00:00Z", "version": 1
    }
}
verb! {
    /// Lists the servers at the scopes where you may see them.
    List = "server.list", Get "/v1/servers", Read, Control,
    needs Needs::Action(Action::ServerRead), ListInput => Page<Server>, hints [MoreFollows],
    example { "limit": 10 } => { "items": [{
        "id": sample::text("server", 1), "scope": "acme/shop", "name": "tickets", "title": "Tickets",
        "interchangeable": false,
        "instance": { "shape": "http", "origin": "https://tickets.example.com" },
        "tools": [{ "id": sample::text("tool", 1), "name": "ticket.get", "declaration": 1, "state": "classified" }],
        "withdrawn": false, "created": "2026-11-30T12:00:00Z", "version": 1
    }] }
}
verb! {
    /// Withdraws a server or some of its tools, whatever packs pin them: from the next call on, they
    /// cannot be called.
    Withdraw = "server.withdraw", Post "/v1/servers/{server}/withdraw", Destructive, Control,
    needs Needs::Action(Action::ServerManage), WithdrawInput => Server, hints [],
    example { "server": sample::text("server", 1), "expected_version": 1, "tools": ["ticket.get"] } => {
        "id": sample::text("server", 1), "scope": "acme/shop", "name": "tickets", "title": "Tickets",
        "interchangeable": false,
        "instance": { "shape": "http", "origin": "https://tickets.example.com" },
        "tools": [{ "id": sample::text("tool", 1), "name": "ticket.get", "declaration": 1, "state": "withdrawn" }],
        "withdrawn": false, "created": "2026-11-30T12:00:00Z", "version": 2
    }
}
