//! Owns what the protocol library calls: the handshakes, the list and the call. Invariants: a panic
//! is answered, where the library would let the request hang; a client that went away is waited for
//! no longer; malformed parameters of a method that is known are not an unknown method.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use contract::Answer;
use futures::FutureExt;
use http::request::Parts;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult,
    DiscoverResult, ErrorCode, Implementation, ListToolsResult, MetaObject, PaginatedRequestParams,
    ProtocolVersion, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::context::{Context, protocol};
use super::guard::Streams;
use super::{Tools, answer_of};

/// How long a client may take what is announced for fresh: it changes with a release alone.
const ANNOUNCED_TTL_MS: u64 = 300_000;
/// How long a client may take a page of the flat catalogue for fresh: grants change it.
const FLAT_TTL_MS: u64 = 5_000;
/// Methods whose parameters the library did not understand come in as custom requests. `initialize`
/// is not among them: in the revision without a handshake it is an unknown method indeed.
const METHODS: [&str; 4] = ["tools/call", "tools/list", "server/discover", "subscriptions/listen"];

/// Serves one request. The library makes one for each: it holds nothing of its own.
#[derive(Debug, Clone)]
pub(super) struct Handler<T> {
    tools: T,
    own: Arc<Implementation>,
}

impl<T: Tools> Handler<T> {
    pub(super) fn new(tools: T) -> Self {
        let own =
            Implementation::new("bailiwick", env!("CARGO_PKG_VERSION")).with_title("Bailiwick");
        Self { tools, own: Arc::new(own) }
    }

    /// What the results of 2026-07-28 should carry; before it, only the handshake does.
    fn meta(&self, protocol: &ProtocolVersion) -> Option<MetaObject> {
        (protocol.as_str() >= ProtocolVersion::V_2026_07_28.as_str()).then(|| {
            let mut meta = MetaObject::new();
            meta.insert("io.modelcontextprotocol/serverInfo".to_owned(), json!(*self.own));
            meta
        })
    }
}

impl<T: Tools> ServerHandler for Handler<T> {
    /// Without `listChanged`: the announced tools do not change, and without sessions there is
    /// nobody of the earlier revisions to tell.
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info((*self.own).clone())
            .with_instructions(self.tools.instructions())
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        let mut result = DiscoverResult::from_server_info(versions, self.get_info());
        result.ttl_ms = ANNOUNCED_TTL_MS;
        result.cache_scope = CacheScope::Private;
        Ok(result)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        mut context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let parts = parts(&mut context)?;
        let flat = flat(&parts)?;
        let cursor = request.and_then(|request| request.cursor);
        let work = self.tools.list(&parts, flat, cursor.as_deref());
        let listed = guarded(&context.ct, work).await?;
        let (tools, next) = listed.unwrap_or_else(|| {
            Err(ErrorData::internal_error("the service failed; nothing was done", None))
        })?;
        let mut result = ListToolsResult::with_all_items(tools)
            .with_ttl_ms(if flat { FLAT_TTL_MS } else { ANNOUNCED_TTL_MS })
            .with_cache_scope(CacheScope::Private);
        result.next_cursor = next;
        result.meta = self.meta(&protocol(&context));
        Ok(result)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        mut context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let parts = parts(&mut context)?;
        let streams = parts.extensions.get::<Streams>().is_some_and(|streams| streams.0);
        let told = Context::of(&context, streams);
        let meta = self.meta(&told.protocol);
        let arguments = request.arguments.unwrap_or_default();
        let work = self.tools.call(parts, request.name.into_owned(), arguments, told);
        let mut response = match guarded(&context.ct, work).await? {
            Some(response) => response?,
            // A write may have been sent: its record, not this answer, keeps it from being sent twice.
            None => answer_of(&Answer::unavailable("service", 1000)).into(),
        };
        if let (CallToolResponse::Complete(result), Some(meta)) = (&mut response, meta) {
            result.meta.get_or_insert_default().extend(meta);
        }
        Ok(response)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools.known(name)
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        if METHODS.contains(&request.method.as_str()) {
            let say = format!("the params of {} are malformed", request.method);
            return Err(ErrorData::invalid_params(say, None));
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None))
    }
}

/// The HTTP request that a message came in.
fn parts(context: &mut RequestContext<RoleServer>) -> Result<Parts, ErrorData> {
    let parts = context.extensions.remove::<Parts>();
    parts.ok_or_else(|| ErrorData::internal_error("the request came in over no HTTP", None))
}

/// Whether the URL asks for the flat catalogue: `?catalogue=flat`.
fn flat(parts: &Parts) -> Result<bool, ErrorData> {
    let query = parts.uri.query().unwrap_or_default();
    match query.split('&').find_map(|pair| pair.strip_prefix("catalogue=")) {
        None => Ok(false),
        Some("flat") => Ok(true),
        Some(_) => {
            let say = "`catalogue` in the URL can only be `flat`; leave it out for the five tools";
            Err(ErrorData::invalid_params(say, None))
        }
    }
}

/// Waits for `work` while there is a client: an error if there is none any more, `None` if it
/// panicked.
async fn guarded<R>(
    gone: &CancellationToken,
    work: impl Future<Output = R>,
) -> Result<Option<R>, ErrorData> {
    tokio::select! {
        biased;
        () = gone.cancelled() => Err(ErrorData::internal_error("the client has gone", None)),
        done = AssertUnwindSafe(work).catch_unwind() => Ok(done
            .inspect_err(|_| tracing::error!("a handler panicked"))
            .ok()),
    }
}
