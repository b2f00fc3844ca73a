//! The endpoint over a fake set of tools, request by request.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::body::{Body, to_bytes};
use axum::extract::OriginalUri;
use contract::{Answer, Code, Envelope, Held, Refusal, Timestamp};
use http::{Request, Response, StatusCode, header};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::json;
use tower::ServiceExt;

use super::*;

mod envelope;
mod whole_kind;

const MODERN: &str = "2026-07-28";
const LEGACY: &str = "2025-11-25";

/// Two tools and a count of the calls that reached them.
#[derive(Debug, Clone, Default)]
struct Fake {
    calls: Arc<AtomicUsize>,
    finished: Arc<AtomicUsize>,
}

impl Tools for Fake {
    fn admit(&self, parts: &Parts) -> Result<(), Refused> {
        if parts.headers.get(header::AUTHORIZATION).is_some_and(|value| value == "Bearer bad") {
            let refusal = Refusal::new(Code::Unauthenticated, "No.", "Send another.");
            let original = &parts.extensions.get::<OriginalUri>().expect("nested").0;
            let challenge = challenge(&parts.headers, original, true);
            return Err(Box::new(problem(
                StatusCode::UNAUTHORIZED,
                &refusal,
                None,
                Some(&challenge),
            )));
        }
        Ok(())
    }

    async fn list(&self, _: &Parts, flat: bool, cursor: Option<&str>) -> Result<Page, ErrorData> {
        let tool = |name: &'static str| Tool::new(name, "A tool.", Map::new());
        match (flat, cursor) {
            (false, None) => Ok((vec![tool("echo"), tool("panics")], None)),
            (true, None) => Ok((vec![tool("echo")], Some("next".to_owned()))),
            (true, Some("next")) => Ok((vec![tool("flat")], None)),
            _ => Err(ErrorData::invalid_params("no such cursor", None)),
        }
    }

    async fn call(
        &self,
        parts: Parts,
        name: String,
        arguments: Map<String, Value>,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        match name.as_str() {
            "echo" => Ok(CallToolResult::structured(json!({
                "arguments": arguments,
                "protocol": context.protocol,
                "trace": context.trace.parent,
                "client": context.client.is_some_and(|client| client.elicitation.is_some()),
                "path": parts.extensions.get::<OriginalUri>().map(|uri| uri.0.path().to_owned()),
            }))
            .into()),
            "reports" => {
                if let Some(progress) = &context.progress {
                    progress.report(1.0, Some(2.0)).await;
                }
                Ok(CallToolResult::success(vec![ContentBlock::text("done")]).into())
            }
            "waits" => {
                tokio::time::sleep(std::time::Duration::from_millis(300)).await;
                self.finished.fetch_add(1, Ordering::SeqCst);
                Ok(CallToolResult::success(vec![ContentBlock::text("done")]).into())
            }
            "panics" => panic!("as asked"),
            _ => Err(ErrorData::invalid_params("there is no such tool", None)),
        }
    }

    fn known(&self, _: &str) -> Option<Tool> {
        None
    }

    fn instructions(&self) -> &'static str {
        "Use it well."
    }
}

fn app(fake: &Fake) -> Router {
    let settings = Settings {
        allowed_hosts: vec!["mcp.example.com".to_owned(), "other.example.com:8443".to_owned()],
        allowed_origins: vec![
            "https://app.example.com:443".to_owned(),
            "https://any.example.com:*".to_owned(),
        ],
        body_max_bytes: 64 * 1024,
    };
    Router::new().nest("/t/{identity}/mcp", router(fake.clone(), settings))
}

/// A POST as an official client of the revision sends it.
fn post(revision: &str, body: &str) -> Request<Body> {
    let mut request = Request::post("/t/acme/mcp")
        .header(header::HOST, "mcp.example.com")
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::ACCEPT, "application/json, text/event-stream")
        .header("MCP-Protocol-Version", revision);
    if revision == MODERN
        && let Ok(message) = serde_json::from_str::<Value>(body)
    {
        if let Some(method) = message["method"].as_str() {
            request = request.header("Mcp-Method", method);
        }
        if let Some(name) = message["params"]["name"].as_str() {
            request = request.header("Mcp-Name", name);
        }
    }
    request.body(Body::from(body.to_owned())).expect("a request")
}

/// A request of the revision: the later one says so in every message.
fn request(revision: &str, method: &str, mut params: Value) -> Value {
    if revision == MODERN {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} },
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "traceparent": "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01",
        });
    }
    json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params })
}

fn call(revision: &str, name: &str, arguments: &Value) -> Request<Body> {
    let params = json!({ "name": name, "arguments": arguments });
    post(revision, &request(revision, "tools/call", params).to_string())
}

struct Got {
    status: StatusCode,
    headers: http::HeaderMap,
    body: Value,
}

async fn send(fake: &Fake, request: Request<Body>) -> Got {
    let response: Response<Body> = app(fake).oneshot(request).await.expect("infallible");
    let (parts, body) = response.into_parts();
    let bytes = to_bytes(body, 1 << 20).await.expect("a body");
    let text = String::from_utf8_lossy(&bytes);
    let body = serde_json::from_str(&text).unwrap_or_else(|_| Value::from(text.into_owned()));
    Got { status: parts.status, headers: parts.headers, body }
}

/// A refusal below the tools: a JSON-RPC error, and no tool was called.
async fn refused(fake: &Fake, request: Request<Body>, status: u16, code: i64) -> Got {
    let before = fake.calls.load(Ordering::SeqCst);
    let got = send(fake, request).await;
    assert_eq!(
        (got.status.as_u16(), &got.body["error"]["code"]),
        (status, &json!(code)),
        "{}",
        got.body
    );
    assert_eq!(got.body["jsonrpc"], "2.0");
    assert_eq!(fake.calls.load(Ordering::SeqCst), before, "a tool was called");
    got
}

#[tokio::test]
async fn both_eras_list_and_call_on_one_url() {
    let fake = Fake::default();
    for revision in [MODERN, LEGACY, "2025-06-18", "2025-03-26"] {
        let list = request(revision, "tools/list", json!({})).to_string();
        let got = send(&fake, post(revision, &list)).await;
        assert_eq!(got.status, 200, "{}", got.body);
        assert_eq!(got.body["result"]["tools"][0]["name"], "echo");
        assert_eq!(got.body["result"]["cacheScope"], "private");
        assert!(got.body["result"]["ttlMs"].as_u64().is_some_and(|ms| ms > 0));

        let got = send(&fake, call(revision, "echo", &json!({ "a": 1 }))).await;
        let said = &got.body["result"]["structuredContent"];
        assert_eq!((&said["arguments"], &said["protocol"]), (&json!({ "a": 1 }), &json!(revision)));
        assert_eq!(said["path"], "/t/acme/mcp");
        let modern = revision == MODERN;
        assert_eq!(said["client"], modern, "what the client can do");
        assert_eq!(said["trace"].as_str().is_some_and(|trace| trace.starts_with("00-0af")), modern);
        let info = &got.body["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"];
        assert_eq!(info.as_str(), modern.then_some("bailiwick"));
        assert!(got.headers.get("mcp-session-id").is_none());
    }
}

#[tokio::test]
async fn both_handshakes_say_who_and_what_for_and_promise_no_changes() {
    let fake = Fake::default();
    let handshake = request(
        LEGACY,
        "initialize",
        json!({
            "protocolVersion": LEGACY, "capabilities": {}, "clientInfo": { "name": "t", "version": "1" }
        }),
    );
    let legacy = send(&fake, post(LEGACY, &handshake.to_string())).await.body;
    let discover = request(MODERN, "server/discover", json!({}));
    let modern = send(&fake, post(MODERN, &discover.to_string())).await.body;
    assert_eq!(legacy["result"]["protocolVersion"], LEGACY);
    assert_eq!(legacy["result"]["serverInfo"]["name"], "bailiwick");
    assert_eq!(
        modern["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"],
        "bailiwick"
    );
    assert_eq!(
        (&modern["result"]["cacheScope"], &modern["result"]["ttlMs"]),
        (&json!("private"), &json!(300_000))
    );
    for answer in [legacy, modern] {
        assert_eq!(answer["result"]["instructions"], "Use it well.");
        assert_eq!(answer["result"]["capabilities"], json!({ "tools": {} }));
    }
}

#[tokio::test]
async fn the_flat_catalogue_is_paged_and_asked_for_in_the_url() {
    let fake = Fake::default();
    let list = |uri: &str, cursor: Option<&str>| {
        let params = cursor.map_or_else(|| json!({}), |cursor| json!({ "cursor": cursor }));
        let mut asked = post(MODERN, &request(MODERN, "tools/list", params).to_string());
        *asked.uri_mut() = uri.parse().expect("a URI");
        asked
    };
    let flat = "/t/acme/mcp?catalogue=flat";
    let first = send(&fake, list(flat, None)).await.body;
    assert_eq!(
        (&first["result"]["nextCursor"], &first["result"]["cacheScope"]),
        (&json!("next"), &json!("private"))
    );
    let second = send(&fake, list(flat, Some("next"))).await.body;
    assert_eq!(
        (&second["result"]["tools"][0]["name"], &second["result"]["nextCursor"]),
        (&json!("flat"), &Value::Null)
    );
    for (uri, cursor) in [(flat, Some("nonsense")), ("/t/acme/mcp?catalogue=whole", None)] {
        refused(&fake, list(uri, cursor), 200, -32602).await;
    }
}

#[tokio::test]
async fn a_panic_is_answered_and_an_unknown_tool_is_a_protocol_error() {
    let fake = Fake::default();
    for revision in [MODERN, LEGACY] {
        let got = send(&fake, call(revision, "panics", &json!({}))).await;
        assert_eq!(
            (got.status.as_u16(), &got.body["result"]["isError"]),
            (200, &json!(true)),
            "{}",
            got.body
        );
        let text = got.body["result"]["content"][0]["text"].as_str().expect("a text");
        assert!(text.contains("unavailable") && text.contains("\"retryable\":true"), "{text}");

        let got = send(&fake, call(revision, "nothing", &json!({}))).await;
        assert_eq!((got.status.as_u16(), &got.body["error"]["code"]), (200, &json!(-32602)));
        assert_eq!(got.body["id"], 7);
    }
}

#[tokio::test]
async fn malformed_params_are_no_unknown_method() {
    let fake = Fake::default();
    for revision in [MODERN, LEGACY] {
        for params in
            [json!({}), json!({ "name": 5 }), json!({ "name": "echo", "arguments": ["a"] })]
        {
            let body = request(revision, "tools/call", params).to_string();
            let mut asked = post(revision, &body);
            if revision == MODERN {
                asked
                    .headers_mut()
                    .entry("mcp-name")
                    .or_insert(header::HeaderValue::from_static("echo"));
            }
            let got = send(&fake, asked).await;
            let code = got.body["error"]["code"].as_i64().expect("an error");
            assert!(matches!(code, -32602 | -32020), "{revision}: {}", got.body);
            assert!(revision == MODERN || code == -32602);
        }
        let mut body = request(revision, "tools/call", json!({ "name": "echo" }));
        body["params"]["_meta"] = json!("no object");
        refused(&fake, post(revision, &body.to_string()), 400, -32602).await;
        let body = request(revision, "no/such", json!({})).to_string();
        let got = send(&fake, post(revision, &body)).await;
        assert_eq!(got.body["error"]["code"], -32601);
    }
    assert_eq!(fake.calls.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_client_that_goes_away_is_waited_for_no_longer() {
    let fake = Fake::default();
    for revision in [MODERN, LEGACY] {
        let waiting = app(&fake).oneshot(call(revision, "waits", &json!({})));
        let cut = tokio::time::timeout(std::time::Duration::from_millis(50), waiting).await;
        assert!(cut.is_err());
    }
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    let (calls, finished) =
        (fake.calls.load(Ordering::SeqCst), fake.finished.load(Ordering::SeqCst));
    assert_eq!((calls, finished), (2, 0));
}

#[tokio::test]
async fn progress_goes_to_who_asked_for_it_and_takes_a_stream() {
    let fake = Fake::default();
    let asked = |accept: &'static str| {
        let mut params = json!({ "name": "reports", "arguments": {} });
        params["_meta"] = json!({ "progressToken": "p" });
        let mut asked = post(LEGACY, &request(LEGACY, "tools/call", params).to_string());
        asked.headers_mut().insert(header::ACCEPT, header::HeaderValue::from_static(accept));
        asked
    };
    let streamed = send(&fake, asked("application/json, text/event-stream")).await;
    assert_eq!(streamed.headers[header::CONTENT_TYPE], "text/event-stream");
    let text = streamed.body.as_str().expect("a stream");
    assert!(text.contains("notifications/progress") && text.contains("\"done\""), "{text}");
    let plain = send(&fake, asked("application/json")).await;
    assert_eq!(plain.body["result"]["content"][0]["text"], "done");
}
