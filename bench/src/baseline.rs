//! Owns what the service is held against: the least that answers the same request with the same body.
//! Invariant: no baseline authenticates, decides, records or masks anything.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::Context;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use axum::{Json, Router};
use http_body_util::{BodyExt, Empty};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, ServerHandler};
use serde_json::{Value, json};

/// Serves a router on loopback, on the threads of whoever calls this.
///
/// # Errors
/// When there is no port.
pub(crate) async fn serve(app: Router) -> anyhow::Result<SocketAddr> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.context("a port")?;
    let at = listener.local_addr()?;
    // Small answers leave at once, as they do at the service.
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    tokio::spawn(async move { axum::serve(listener, app).await });
    Ok(at)
}

/// A bare JSON handler: it takes what the service takes, and answers `answer`.
pub(crate) fn json_handler(answer: Value) -> Router {
    let call = |State(answer): State<Arc<Value>>, Json(_): Json<Value>| async move {
        Json(Value::clone(&answer))
    };
    let read = |State(answer): State<Arc<Value>>| async move { Json(Value::clone(&answer)) };
    Router::new()
        .route("/v1/call", post(call))
        .route("/v1/content/{handle}", get(read))
        .with_state(Arc::new(answer))
}

/// A JSON handler that makes the same call upstream, and answers what came back in an envelope.
pub(crate) fn relay(to: http::Uri) -> Router {
    let client = Client::builder(TokioExecutor::new()).build_http();
    Router::new().route("/v1/call", post(relayed)).with_state((client, to))
}

type Upstream = (Client<HttpConnector, Empty<bytes::Bytes>>, http::Uri);

async fn relayed(
    State((client, to)): State<Upstream>,
    Json(_): Json<Value>,
) -> Result<Json<Value>, StatusCode> {
    let response = client.get(to).await.map_err(|_| StatusCode::BAD_GATEWAY)?;
    let body = response.into_body().collect().await.map_err(|_| StatusCode::BAD_GATEWAY)?;
    let result: Value =
        serde_json::from_slice(&body.to_bytes()).map_err(|_| StatusCode::BAD_GATEWAY)?;
    Ok(Json(json!({ "result": result, "written": [], "hints": [] })))
}

/// A bare MCP server: one stateless endpoint, as the service's is, whose one tool answers `answer`.
pub(crate) fn mcp(answer: Value) -> Router {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true);
    let handler = Bare(Arc::new(answer));
    let sessions = Arc::new(NeverSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(handler.clone()), sessions, config);
    Router::new().route_service("/mcp", service)
}

#[derive(Debug, Clone)]
struct Bare(Arc<Value>);

impl ServerHandler for Bare {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn call_tool(
        &self,
        _: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(CallToolResult::structured(Value::clone(&self.0)).into())
    }
}
