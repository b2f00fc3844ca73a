//! Owns a client of the MCP endpoint, as small as one can be: one request of revision 2026-07-28 each.

use serde_json::{Value, json};

use crate::surface::told;
use crate::world::{Said, World};

/// The revision that is spoken.
pub const REVISION: &str = "2026-07-28";

/// What every request says of its client.
pub fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": REVISION,
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// An answer of the endpoint, before it is read.
#[derive(Debug, Clone)]
pub struct Raw {
    /// The HTTP status.
    pub status: u16,
    /// The JSON-RPC message; a text if it is none.
    pub body: Value,
}

impl World {
    /// Calls a tool. What the endpoint refuses at its door is told as REST would tell it.
    pub async fn mcp(&self, token: &str, tool: &str, arguments: Value) -> Said {
        let message = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": tool, "arguments": arguments, "_meta": meta() },
        });
        let headers = [("mcp-method", "tools/call"), ("mcp-name", tool)];
        let raw = self.mcp_raw(token, &message.to_string(), &headers).await;
        if let Some(data) = raw.body.pointer("/error/data") {
            return Said { status: raw.status, body: data.clone() };
        }
        let result = raw.body.get("result").cloned().unwrap_or_default();
        let text = result.pointer("/content/0/text").and_then(Value::as_str);
        assert!(text.is_some(), "{tool} answered no text: {raw:?}");
        let said = told(serde_json::from_str(text.unwrap_or_default()).expect("JSON"));
        let failed = said.status != 200 && said.status != 202;
        assert_eq!(result["isError"].as_bool().unwrap_or(false), failed, "{result}");
        if !failed {
            assert_eq!(result["structuredContent"], said.body, "text and structure differ");
        }
        said
    }

    /// Sends a body as it is, with the headers that every request has and these.
    pub async fn mcp_raw(&self, token: &str, body: &str, headers: &[(&str, &str)]) -> Raw {
        let mut request = self
            .client
            .post(format!("{}/mcp", self.url))
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", REVISION)
            .body(body.to_owned());
        if !token.is_empty() {
            request = request.bearer_auth(token);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = request.send().await.expect("an answer");
        let status = response.status().as_u16();
        let text = response.text().await.expect("a body");
        Raw { status, body: serde_json::from_str(&text).unwrap_or(Value::String(text)) }
    }
}
