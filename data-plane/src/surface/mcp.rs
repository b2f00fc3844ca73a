//! Owns the MCP surface: one stateless endpoint that speaks revision 2026-07-28 and those before it,
//! whatever tools lie behind it.
//!
//! Invariants: nothing is kept between two requests, so there is no session to steal or to lose; a
//! request is dispatched only after its body was read strictly and its headers found to say the
//! same, so that it is never routed by one reading and authorised by another; what is not a tool's
//! answer is a JSON-RPC error, whatever its HTTP status.
//!
//! The protocol itself is `rmcp`'s. What `rmcp` leaves open is closed here: see [`router`].

mod answer;
mod catalogue;
mod check;
mod context;
mod door;
mod guard;
mod handler;
mod problem;

use std::future::Future;
use std::sync::Arc;

use axum::Router;
use axum::middleware;
use http::request::Parts;
use rmcp::ErrorData;
use rmcp::model::{CallToolResponse, Tool};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Map, Value};

pub use answer::answer_of;
pub(crate) use catalogue::mount;
pub use context::{Context, Progress, Trace};
pub(crate) use door::{Door, challenge};
pub(crate) use problem::of_answer;
pub use problem::{Refused, problem};

use guard::Guard;
use handler::Handler;

/// A page of a list: the tools, and where the list goes on.
pub type Page = (Vec<Tool>, Option<String>);

/// What lies behind an endpoint.
pub trait Tools: Clone + Send + Sync + 'static {
    /// Whether the request may come in at all, decided from its headers before its body is read.
    ///
    /// # Errors
    /// The response to send instead; see [`problem`].
    fn admit(&self, parts: &Parts) -> Result<(), Refused> {
        let _ = parts;
        Ok(())
    }

    /// One page of the tools that are announced or, if `flat`, of all that can be called.
    ///
    /// # Errors
    /// A protocol error: the cursor is none of this list.
    fn list(
        &self,
        parts: &Parts,
        flat: bool,
        cursor: Option<&str>,
    ) -> impl Future<Output = Result<Page, ErrorData>> + Send;

    /// Calls a tool. The returned future is dropped when the client goes away: work that must not be
    /// cut in the middle runs in a task of its own.
    ///
    /// # Errors
    /// A protocol error: there is no such tool (−32602), or the client lacks a capability. Whatever
    /// a model should read is a result instead.
    fn call(
        &self,
        parts: Parts,
        name: String,
        arguments: Map<String, Value>,
        context: Context,
    ) -> impl Future<Output = Result<CallToolResponse, ErrorData>> + Send;

    /// The tool of that name, if its schema is the same for every caller. Only its `x-mcp-header`
    /// annotations are read, to compare `Mcp-Param-*` headers with the arguments.
    fn known(&self, name: &str) -> Option<Tool>;

    /// What the handshake says the service is for and how to use it.
    fn instructions(&self) -> &str;
}

/// How an endpoint is reached.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Names, with or without a port, under which it may be called, beside the loopback names.
    pub allowed_hosts: Vec<String>,
    /// Origins of pages that may call it, beside those of the loopback names:
    /// `https://app.example.com`, or `https://app.example.com:*` for any port.
    pub allowed_origins: Vec<String>,
    /// The largest body of a request.
    pub body_max_bytes: usize,
}

/// The endpoint, at `/` of the router that is returned: nest it where it shall be.
///
/// From the outside in: CORS; Host and Origin; POST and nothing else; [`Tools::admit`]; the body up
/// to its limit, read strictly and compared with the headers (case M3); any `Accept`; then `rmcp`,
/// with a panic and a client that goes away taken care of, and its plain-text refusals turned into
/// JSON-RPC errors.
pub fn router<T: Tools>(tools: T, settings: Settings) -> Router {
    let door = Arc::new(Door::new(settings.allowed_hosts, &settings.allowed_origins));
    let cors = Door::cors(&door);
    // Hosts and origins are the door's: told twice, the two lists could come to differ.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .disable_allowed_hosts()
        .disable_allowed_origins()
        .with_max_request_body_bytes(settings.body_max_bytes);
    let handler = Handler::new(tools.clone());
    let service = StreamableHttpService::new(
        move || Ok(handler.clone()),
        Arc::new(NeverSessionManager::default()),
        config,
    );
    let guard = Guard { tools, door, body_max_bytes: settings.body_max_bytes };
    Router::new()
        .route_service("/", service)
        .layer(middleware::from_fn_with_state(guard, guard::pass::<T>))
        .layer(cors)
}

#[cfg(test)]
mod tests;
