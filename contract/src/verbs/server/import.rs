//! Owns `server.import`: an OpenAPI document read as proposals for a server's tools. Invariant: what
//! is proposed is in the form that `server.publish` takes, and nothing of it is judged.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Declaration;
use crate::Action;
use crate::id::{self, Id};
use crate::sample;
use crate::shape::http::Placement;
use crate::verb::{Needs, verb};

/// What is imported, and what of it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportInput {
    /// The id of the server whose tools these are to be. Its origin is where they will go, whatever
    /// the document says.
    pub server: Id<id::Server>,
    /// The OpenAPI 3.0 or 3.1 document as text: JSON or YAML, in one piece (up to 3,000,000
    /// characters).
    #[schemars(length(min = 1, max = 3_000_000), extend("contentMediaType" = "application/yaml"))]
    pub document: String,
    /// Only operations that bear one of these tags (up to 64); all if left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64), inner(length(min = 1, max = 200)))]
    pub tags: Vec<String>,
    /// Only operations whose path, as the document writes it, begins with the segments of one of
    /// these (up to 64), where `*` stands for any one segment: `/v1/invoices`, `/v1/*/lines`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64), inner(length(min = 1, max = 400)))]
    pub paths: Vec<String>,
    /// What goes before each path, as in `/v1`. Left out: the path of the document's server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 400))]
    pub base_path: Option<String>,
    /// Take over what the document says of good answers. An answer that does not fit is refused
    /// then, and many systems answer otherwise than their document says.
    #[serde(default)]
    pub output_schemas: bool,
    /// How many proposals at most (1 to 500, 100 if not said).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 500))]
    pub limit: Option<u32>,
    /// Publish what is proposed, at once. Each tool then waits for a curator and is refused until it
    /// has been classified.
    #[serde(default)]
    pub publish: bool,
    /// With `publish`: declare tools anew that the server has already by the same name. Otherwise
    /// they stay as they are and are named in `left_out`.
    #[serde(default)]
    pub replace: bool,
    /// With `publish`: the server's version you read; refused if it is no longer the current one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_version: Option<i64>,
}

/// How a proposal stands to the tools that the server has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stands {
    /// The server has no tool of that name.
    New,
    /// The server's tool of that name is declared otherwise.
    Changed,
    /// The server's tool of that name is declared just so.
    Same,
}

/// Why something of the document is not proposed.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The method is none that a tool may have.
    Method,
    /// An argument does not fill one whole segment of the path, or the path is otherwise unfit.
    Path,
    /// The parameter is written in a style that is not supported.
    Style,
    /// The parameter is a cookie.
    Cookie,
    /// The header is not a declaration's to set.
    Header,
    /// The body is neither JSON nor a form of plain values.
    Body,
    /// A reference leads out of the document.
    ExternalReference,
    /// A reference leads nowhere, or in a circle.
    BrokenReference,
    /// A schema contains itself.
    Recursive,
    /// A schema is too large or too deep once its references are written out.
    TooLarge,
    /// There are more arguments than a tool may have.
    TooManyArguments,
    /// A part of it is not as OpenAPI has it.
    Malformed,
    /// Calls that the system would make back are no tools.
    Callback,
    /// The document sends it to another host than the rest.
    OtherServer,
    /// The server has a tool of that name, declared otherwise.
    NameTaken,
    /// Another operation has the same name.
    NameClash,
    /// The limit was reached before it.
    OverLimit,
    /// The declaration made of it has a fault.
    NotDeclarable,
}

/// Something of the document that is not proposed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// Method and path, as in `GET /invoices/{id}`; the name of a webhook.
    pub operation: String,
    /// Where in the document it is: a JSON pointer.
    pub at: String,
    /// Why.
    pub reason: Reason,
    /// The same in a sentence.
    pub say: String,
}

/// A part of an operation that its proposal does without.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Without {
    /// Where in the document it is: a JSON pointer.
    pub at: String,
    /// Why.
    pub reason: Reason,
    /// The same in a sentence.
    pub say: String,
}

/// A tool that the document speaks of.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Proposal {
    /// Method and path, as in `GET /invoices/{id}`.
    pub operation: String,
    /// Where in the document it is: a JSON pointer.
    pub at: String,
    /// How it stands to the tools that the server has.
    pub stands: Stands,
    /// The declaration, as `server.publish` takes it. Its effect, by the method alone, and its labels
    /// are suggestions, as in every declaration: the curator decides.
    pub tool: Declaration,
    /// Optional parts of the operation that cannot be declared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<Without>,
}

/// A tag of the document, to prune by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TagCount {
    /// The tag.
    pub tag: String,
    /// How many operations bear it.
    pub operations: u32,
}

/// A way to authenticate that the document describes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CredentialSuggestion {
    /// What the document names it.
    pub scheme: String,
    /// Where a credential would go, for the server's `instance.credential`; none if it cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placement: Option<Placement>,
    /// The same in a sentence.
    pub say: String,
}

/// What a document was read as.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Imported {
    /// The server's id.
    pub server: Id<id::Server>,
    /// Its version now: send it as `expected_version`.
    pub version: i64,
    /// Whether the proposals were published.
    pub published: bool,
    /// The proposals, by path and method.
    pub proposals: Vec<Proposal>,
    /// What matched and is not proposed, by path and method (the first 1,000).
    pub left_out: Vec<LeftOut>,
    /// How many operations the document has.
    pub operations: u32,
    /// How many of them `tags` and `paths` kept away.
    pub pruned: u32,
    /// The tags of the document (the first 200, by name).
    pub tags: Vec<TagCount>,
    /// What went before each path.
    pub base_path: String,
    /// The origins that the document names for itself (the first 16). Nothing is sent there: calls go
    /// to the origin that the server declares.
    pub origins: Vec<String>,
    /// The ways to authenticate that the document describes (the first 16): suggestions, of which
    /// none was applied.
    pub credentials: Vec<CredentialSuggestion>,
}

verb! {
    /// Reads an OpenAPI document as proposals for a server's tools, pruned by tag or path, and says
    /// of all else why it is left out. Nothing is stored unless `publish` is set: a published tool
    /// can only be withdrawn, so look and prune first, then send the same again with `publish`, or
    /// pick from `proposals` and send those `tool`s to `server.publish` yourself. Either way every
    /// tool is unclassified: none can be called before a curator has judged it with `tool.classify`.
    Import = "server.import", Post "/v1/servers/{server}/import", Write, Control,
    needs Needs::Action(Action::ServerManage), ImportInput => Imported, hints [NextStep, LookElsewhere],
    example {
        "server": sample::text("server", 1), "tags": ["tickets"],
        "document": "openapi: 3.0.3\npaths:\n  /tickets/{number}/notes:\n    get:\n      operationId: listNotes\n      tags: [tickets]\n      summary: The notes of a ticket.\n      parameters:\n        - { name: number, in: path, required: true, schema: { type: integer } }\n  /tickets/{number}/photo:\n    put:\n      tags: [tickets]\n      requestBody: { required: true, content: { image/png: {} } }\n"
    } => {
        "server": sample::text("server", 1), "version": 1, "published": false,
        "proposals": [{
            "operation": "GET /tickets/{number}/notes", "at": "/paths/~1tickets~1{number}~1notes/get",
            "stands": "new",
            "tool": {
                "name": "notes.list", "about": "The notes of a ticket.", "effect": "read",
                "labels": ["untrusted"],
                "endpoint": {
                    "method": "GET", "path": "/tickets/{number}/notes",
                    "arguments": [{
                        "name": "number", "in": "path", "schema": { "type": "integer" },
                        "required": true, "style": "form", "allow_percent": false, "whole_body": false
                    }],
                    "body": "none", "timeout_ms": 10_000, "response_limit_bytes": 1_048_576,
                    "max_ratio": 100, "media_types": ["application/json"], "clean_outputs": []
                }
            }
        }],
        "left_out": [{
            "operation": "PUT /tickets/{number}/photo", "at": "/paths/~1tickets~1{number}~1photo/put/requestBody",
            "reason": "body", "say": "The body is `image/png`: only JSON and forms can be declared."
        }],
        "operations": 2, "pruned": 0, "tags": [{ "tag": "tickets", "operations": 2 }],
        "base_path": "", "origins": [], "credentials": []
    }
}
