//! Owns the demo's MCP caller: revision 2026-07-28 said by hand, one POST a request, so that what is
//! sent can be read here. Invariant: headers and body of a request say the same.

use anyhow::{Context as _, bail};
use serde_json::{Value, json};

use super::api::members;

/// The revision that is spoken.
const REVISION: &str = "2026-07-28";

/// An agent's client.
#[derive(Clone)]
pub(crate) struct Client {
    http: reqwest::Client,
    url: String,
    token: String,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("url", &self.url).finish_non_exhaustive()
    }
}

/// What a request came to.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    /// The HTTP status.
    pub(crate) status: u16,
    /// The JSON-RPC message.
    pub(crate) message: Value,
}

/// What a tool answered.
#[derive(Debug, Clone)]
pub(crate) struct Told {
    /// Whether it is marked as an error.
    pub(crate) is_error: bool,
    /// The JSON of its text block.
    pub(crate) body: Value,
    /// That text's length in bytes.
    pub(crate) bytes: usize,
}

impl Client {
    /// A client of the endpoint at `url`, such as `…/t/acme/mcp`.
    pub(crate) fn new(http: &reqwest::Client, url: &str, token: &str) -> Self {
        Self { http: http.clone(), url: url.to_owned(), token: token.to_owned() }
    }

    /// Sends one request.
    pub(crate) async fn request(&self, method: &str, params: Value) -> anyhow::Result<Reply> {
        let mut params = members(params);
        let name = params.get("name").and_then(Value::as_str).map(str::to_owned);
        params.insert(
            "_meta".to_owned(),
            json!({
                "io.modelcontextprotocol/protocolVersion": REVISION,
                "io.modelcontextprotocol/clientInfo": { "name": "bailiwick-demo", "version": env!("CARGO_PKG_VERSION") },
                "io.modelcontextprotocol/clientCapabilities": {},
            }),
        );
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let mut request = self
            .http
            .post(&self.url)
            .bearer_auth(&self.token)
            .header("Accept", "application/json, text/event-stream")
            .header("MCP-Protocol-Version", REVISION)
            .header("Mcp-Method", method);
        if let Some(name) = name.filter(|_| method == "tools/call") {
            request = request.header("Mcp-Name", name);
        }
        let response = request.json(&body).send().await.context("the endpoint did not answer")?;
        let status = response.status().as_u16();
        let text = response.text().await?;
        let message = serde_json::from_str(&text).with_context(|| format!("no JSON: {text}"))?;
        Ok(Reply { status, message })
    }

    /// Calls one of the announced tools.
    pub(crate) async fn tool(&self, name: &str, arguments: Value) -> anyhow::Result<Told> {
        let params = json!({ "name": name, "arguments": arguments });
        let reply = self.request("tools/call", params).await?;
        let Some(result) = reply.message.get("result") else {
            bail!("{name} was answered with {}: {}", reply.status, reply.message);
        };
        let is_error = result.get("isError").and_then(Value::as_bool).unwrap_or_default();
        let text = result.pointer("/content/0/text").and_then(Value::as_str).unwrap_or_default();
        let body =
            serde_json::from_str(text).with_context(|| format!("{name}: no JSON: {text}"))?;
        Ok(Told { is_error, body, bytes: text.len() })
    }

    /// Calls the tool at `address`.
    pub(crate) async fn call(&self, address: &str, arguments: Value) -> anyhow::Result<Told> {
        let arguments = json!({ "address": address, "arguments": arguments });
        self.tool("catalogue_call", arguments).await
    }
}
