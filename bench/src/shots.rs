//! Owns the requests that are measured: the same two calls over REST and over MCP, byte for byte what a
//! client sends.

use std::net::SocketAddr;

use anyhow::Context;
use serde_json::{Value, json};

use crate::client::{Connection, Shot};
use crate::site::{Site, TOOL};

const MCP_ACCEPT: &str = "application/json, text/event-stream";

/// `content.metadata` over REST.
pub(crate) fn rest_metadata(site: &Site) -> Shot {
    let path = format!("/v1/content/{}", site.handle);
    Shot::new(site.service, "GET", &path, &[("authorization", &bearer(site))], "")
}

/// The declared read over REST.
pub(crate) fn rest_read(site: &Site) -> Shot {
    let body = json!({ "address": TOOL, "arguments": { "number": 412 } }).to_string();
    Shot::new(site.service, "POST", "/v1/call", &[("authorization", &bearer(site))], &body)
}

/// `content.metadata` over MCP.
pub(crate) fn mcp_metadata(site: &Site) -> Shot {
    mcp(site, &json!({ "address": "content.metadata", "arguments": { "handle": site.handle } }))
}

/// The declared read over MCP.
pub(crate) fn mcp_read(site: &Site) -> Shot {
    mcp(site, &json!({ "address": TOOL, "arguments": { "number": 412 } }))
}

/// The read made directly to the upstream.
pub(crate) fn direct(upstream: SocketAddr) -> Shot {
    Shot::new(upstream, "GET", crate::upstream::TICKET, &[], "")
}

fn bearer(site: &Site) -> String {
    format!("Bearer {}", site.agent)
}

fn mcp(site: &Site, arguments: &Value) -> Shot {
    let message = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "catalogue_call", "arguments": arguments, "_meta": e2e::mcp::meta() },
    });
    let bearer = bearer(site);
    let headers = [
        ("authorization", bearer.as_str()),
        ("accept", MCP_ACCEPT),
        ("mcp-protocol-version", e2e::mcp::REVISION),
        ("mcp-method", "tools/call"),
        ("mcp-name", "catalogue_call"),
    ];
    Shot::new(site.service, "POST", "/mcp", &headers, &message.to_string())
}

/// The JSON that a request is answered with.
///
/// # Errors
/// When it is answered otherwise.
pub(crate) async fn answer(shot: &Shot) -> anyhow::Result<Value> {
    let mut connection = Connection::open(shot.to).await?;
    serde_json::from_slice(connection.exchange(shot).await?).context("an answer in JSON")
}
