//! Serves the fixture tools of the public MCP conformance suite through the MCP surface of the
//! service, for `tests/clients/conformance/run.sh`.
//!
//!     cargo run -p data-plane --example conformance -- PORT
//!
//! Loopback only, no token, no tenant: what the suite sends goes through the same router, guards and
//! handler as production; only the tools are others. Prints the endpoint's URL and nothing else;
//! PORT 0 takes any that is free. What each tool must be: `tests/clients/conformance/FIXTURES.md`.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::serve::ListenerExt;
use data_plane::surface::mcp::{Context, Page, Settings, Tools, router};
use http::request::Parts;
use rmcp::ErrorData;
use rmcp::model::{
    CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock, ResourceContents, Tool,
};
use serde_json::{Map, Value, json};

/// One red pixel.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// One silent sample.
const WAV: &str = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";
/// The largest body of a request.
const BODY_MAX_BYTES: usize = 4 * 1024 * 1024;
/// Between two reports of progress.
const PAUSE_MS: u64 = 50;

/// Tools without arguments.
const PLAIN: [&str; 10] = [
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_tool_with_progress",
    "test_error_handling",
    "test_missing_capability",
    "test_streaming_elicitation",
    "test_logging_tool",
];

#[derive(Debug, Clone)]
struct Fixtures(Arc<Vec<Tool>>);

impl Fixtures {
    fn new() -> Self {
        let mut tools: Vec<Tool> = PLAIN
            .iter()
            .map(|name| fixture(name, &json!({ "type": "object", "properties": {} })))
            .collect();
        tools.push(fixture("json_schema_2020_12_tool", &schema_2020_12()));
        tools.push(fixture(
            "test_param_header",
            &json!({
                "type": "object",
                "properties": { "region": { "type": "string", "x-mcp-header": "Region" } },
                "required": ["region"]
            }),
        ));
        Self(Arc::new(tools))
    }
}

impl Tools for Fixtures {
    async fn list(&self, _: &Parts, _: bool, cursor: Option<&str>) -> Result<Page, ErrorData> {
        match cursor {
            None => Ok((self.0.to_vec(), None)),
            Some(_) => Err(ErrorData::invalid_params("there is one page", None)),
        }
    }

    async fn call(
        &self,
        _: Parts,
        name: String,
        _: Map<String, Value>,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        let result = match name.as_str() {
            "test_simple_text" => text("This is a simple text response for testing."),
            "test_image_content" => CallToolResult::success(vec![image()]),
            "test_audio_content" => {
                CallToolResult::success(vec![ContentBlock::audio(WAV, "audio/wav")])
            }
            "test_embedded_resource" => CallToolResult::success(vec![resource(
                "test://embedded-resource",
                "text/plain",
                "This is an embedded resource content.",
            )]),
            "test_multiple_content_types" => CallToolResult::success(vec![
                ContentBlock::text("Multiple content types test:"),
                image(),
                resource(
                    "test://mixed-content-resource",
                    "application/json",
                    r#"{"test":"data","value":123}"#,
                ),
            ]),
            "test_error_handling" => CallToolResult::error(vec![ContentBlock::text(
                "This tool intentionally returns an error for testing",
            )]),
            "test_tool_with_progress" => with_progress(&context).await,
            "test_missing_capability" => with_sampling(&context)?,
            "test_streaming_elicitation"
            | "test_logging_tool"
            | "json_schema_2020_12_tool"
            | "test_param_header" => text("Done."),
            other => {
                return Err(ErrorData::invalid_params(format!("there is no tool {other:?}"), None));
            }
        };
        Ok(result.into())
    }

    fn known(&self, name: &str) -> Option<Tool> {
        self.0.iter().find(|tool| tool.name == name).cloned()
    }

    fn instructions(&self) -> &'static str {
        "The fixtures of the conformance suite."
    }
}

async fn with_progress(context: &Context) -> CallToolResult {
    if let Some(progress) = &context.progress {
        for done in [0.0, 50.0, 100.0] {
            progress.report(done, Some(100.0)).await;
            tokio::time::sleep(Duration::from_millis(PAUSE_MS)).await;
        }
    }
    text("Done.")
}

fn with_sampling(context: &Context) -> Result<CallToolResult, ErrorData> {
    let needed = json!({ "sampling": {} });
    let offered = serde_json::to_value(&context.client).unwrap_or_default();
    if offered.get("sampling").is_some() {
        return Ok(text("The client offers sampling."));
    }
    let needed: ClientCapabilities = serde_json::from_value(needed)
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    Err(ErrorData::missing_required_client_capability(needed))
}

fn fixture(name: &'static str, schema: &Value) -> Tool {
    let schema = schema.as_object().cloned().unwrap_or_default();
    Tool::new(name, "A fixture of the conformance suite.", schema)
}

fn text(say: &str) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(say)])
}

fn image() -> ContentBlock {
    ContentBlock::image(PNG, "image/png")
}

fn resource(uri: &str, media_type: &str, text: &str) -> ContentBlock {
    ContentBlock::resource(ResourceContents::TextResourceContents {
        uri: uri.to_owned(),
        mime_type: Some(media_type.to_owned()),
        text: text.to_owned(),
        meta: None,
    })
}

/// Keywords that must come back from `tools/list` as they are.
fn schema_2020_12() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": { "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": { "street": { "type": "string" }, "city": { "type": "string" } }
        } },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" }
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false
    })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let port = std::env::args().nth(1).ok_or("usage: conformance PORT")?.parse::<u16>()?;
    let settings = Settings {
        allowed_hosts: Vec::new(),
        allowed_origins: Vec::new(),
        body_max_bytes: BODY_MAX_BYTES,
    };
    let app = Router::new().nest("/mcp", router(Fixtures::new(), settings));
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    writeln!(std::io::stdout(), "http://{}/mcp", listener.local_addr()?)?;
    // An event stream whose small writes wait for acknowledgements stalls by 40 ms each.
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    axum::serve(listener, app).await?;
    Ok(())
}
