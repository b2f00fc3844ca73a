//! The front: the one listener that callers reach. It finds the identity that a request is for and
//! hands the request over to that identity's worker, or, for what the control plane carries out
//! itself, to the control plane.
//!
//! Invariants: it reads no more of a request than it needs to find the identity; a token that cannot
//! be one wakes no worker; no header that only our planes use comes in from outside.

mod keeper;
mod proxy;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, State};
use axum::routing::get;
use contract::verb::{Needs, Plane};
use contract::{Answer, Code, Name, Refusal};
use http::request::Parts;
use http::{HeaderMap, Request, Response, StatusCode};
use moka::sync::Cache;
use tenancy::clock::Shared;
use tenancy::plane::{Answered, Link, ToControl, VerbCall};
use tenancy::token::{Kind, Presented};

use crate::gate::{Limiter, Rate};
use crate::surface::rest::{self, respond};
use crate::worker::{Config, session};

pub(crate) use keeper::Keeper;

/// Bad tokens a peer may send in a minute before it is told to wait.
const BAD_TOKENS_PER_MINUTE: u32 = 60;
/// Routes that are remembered.
const ROUTES_MAX: u64 = 100_000;
/// Headers that begin so are our planes' own, and are refused from outside.
const PLANE_HEADERS: &str = "bailiwick-plane-";

/// How the front is reached.
#[derive(Debug, Clone, Default)]
pub struct Reach {
    /// Names (with or without a port) under which it may be called, beside the loopback names.
    pub hosts: Vec<String>,
    /// Origins of pages that may call it, beside those of the loopback names.
    pub origins: Vec<String>,
}

/// The front's state.
#[derive(Debug)]
pub(crate) struct Front {
    keeper: Arc<Keeper>,
    link: Arc<dyn Link>,
    clock: Shared,
    reach: Reach,
    bad_tokens: Limiter<IpAddr>,
    routes: Cache<String, Name>,
}

/// Serves a data plane: the front, with its workers.
pub fn router(link: Arc<dyn Link>, clock: Shared, config: Config, reach: Reach) -> Router {
    let keeper = Keeper::start(Arc::clone(&link), Arc::clone(&clock), config, reach.clone());
    let front = Arc::new(Front {
        keeper,
        link,
        clock,
        reach,
        bad_tokens: Limiter::default(),
        routes: Cache::new(ROUTES_MAX),
    });
    Router::new()
        .route("/livez", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .route("/openapi.json", get(openapi))
        .route("/.well-known/oauth-protected-resource", get(resource))
        .route("/.well-known/oauth-protected-resource/{*path}", get(resource))
        .fallback(hand_over)
        .with_state(front)
}

async fn ready(State(front): State<Arc<Front>>) -> Response<Body> {
    let probe = ToControl::Route { route: "probe".to_owned() };
    let missing: Vec<&str> = match session::ask(&*front.link, probe).await {
        Ok(_) => Vec::new(),
        Err(_) => vec!["control plane"],
    };
    let body = serde_json::json!({
        "ready": missing.is_empty(), "missing": missing, "isolation": "none",
        "workers": front.keeper.count(),
    });
    let mut response = Response::new(Body::from(body.to_string()));
    if !missing.is_empty() {
        *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    }
    response
}

async fn openapi() -> Response<Body> {
    match contract::render::openapi::document() {
        Ok(document) => {
            let mut response = Response::new(Body::from(document.to_string()));
            response.headers_mut().insert(
                http::header::CONTENT_TYPE,
                http::HeaderValue::from_static("application/json"),
            );
            response
        }
        Err(_) => respond(&Answer::unavailable("contract", 1000)),
    }
}

/// Protected resource metadata (RFC 9728). It names no authorization server: there is none yet, and
/// tokens come from `token.create`.
async fn resource(request: Request<Body>) -> Response<Body> {
    let host = request.headers().get(http::header::HOST).and_then(|host| host.to_str().ok());
    let path = request.uri().path().trim_start_matches("/.well-known/oauth-protected-resource");
    let body = serde_json::json!({
        "resource": format!("http://{}{path}", host.unwrap_or("localhost")),
        "resource_name": "Bailiwick",
        "bearer_methods_supported": ["header"],
    });
    let mut response = Response::new(Body::from(body.to_string()));
    response
        .headers_mut()
        .insert(http::header::CONTENT_TYPE, http::HeaderValue::from_static("application/json"));
    response
}

/// Where a request goes.
enum Way {
    Worker(Name),
    Control,
}

async fn hand_over(
    State(front): State<Arc<Front>>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    request: Request<Body>,
) -> Response<Body> {
    if let Err(refusal) = front.admit(request.headers()) {
        return respond(&(*refusal).into());
    }
    if request.method() == http::Method::OPTIONS && is_mcp(request.uri().path()) {
        // A preflight carries no token: any worker's answer would be the same, so none is woken.
        return preflight();
    }
    let (parts, body) = request.into_parts();
    match front.way(&parts, peer).await {
        Ok(Way::Control) => front.control(parts, body).await,
        Ok(Way::Worker(identity)) => match front.keeper.worker(&identity).await {
            Ok(worker) => proxy::forward(&worker, Request::from_parts(parts, body)).await,
            Err(error) => {
                tracing::warn!(%identity, %error, "no worker");
                respond(&Answer::unavailable("worker", 1000))
            }
        },
        Err(answer) => refuse(&parts, &answer),
    }
}

/// A preflight's answer (CORS): methods and headers of the MCP surface.
fn preflight() -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    response
}

fn is_mcp(path: &str) -> bool {
    path == "/mcp" || (path.starts_with("/t/") && path.ends_with("/mcp"))
}

/// A refusal before any worker, in the form of the surface it is for.
fn refuse(request: &Parts, answer: &Answer) -> Response<Body> {
    let Answer::Refused(refusal) = answer else { return respond(answer) };
    if !is_mcp(request.uri.path()) {
        return respond(answer);
    }
    let host = request.headers.get(http::header::HOST).and_then(|host| host.to_str().ok());
    let challenge = format!(
        "Bearer resource_metadata=\"http://{}/.well-known/oauth-protected-resource{}\"",
        host.unwrap_or("localhost"),
        request.uri.path(),
    );
    let challenge = (refusal.code == Code::Unauthenticated).then_some(challenge.as_str());
    let status = StatusCode::from_u16(refusal.code.status()).unwrap_or(StatusCode::BAD_REQUEST);
    crate::surface::mcp::problem(status, refusal, None, challenge)
}

impl Front {
    /// Refuses what is not meant for this service: a foreign host or origin, a plane's own header.
    fn admit(&self, headers: &HeaderMap) -> Result<(), Box<Refusal>> {
        if let Some(name) = headers.keys().find(|name| name.as_str().starts_with(PLANE_HEADERS)) {
            return Err(Box::new(Refusal::new(
                Code::HeaderMismatch,
                format!("The header `{name}` is this service's own."),
                "Leave it out.",
            )));
        }
        let host = headers.get(http::header::HOST).and_then(|host| host.to_str().ok());
        let origin = headers.get(http::header::ORIGIN).map(|origin| origin.to_str().unwrap_or("?"));
        let known_host = host.is_none_or(|host| self.reach.is_host(host));
        let known_origin = origin.is_none_or(|origin| self.reach.is_origin(origin));
        if known_host && known_origin {
            return Ok(());
        }
        Err(Box::new(Refusal::new(
            Code::ForeignOrigin,
            "The Host or Origin of this request is not one that this service answers to.",
            "Call it by its own name, or ask the operator to allow this one (`--host`, `--origin`).",
        )))
    }

    async fn way(&self, request: &Parts, peer: SocketAddr) -> Result<Way, Answer> {
        let path = request.uri.path();
        if !is_mcp(path) && !path.starts_with("/v1/") {
            return Err(rest::find(&request.method, path)
                .map_or_else(Answer::Refused, |_| Answer::unavailable("route", 1000)));
        }
        let token = rest::bearer(&request.headers).map_err(Answer::Refused)?;
        let presented = Presented::parse(token).map_err(|error| {
            self.bad_token(peer).unwrap_or_else(|| {
                Refusal::new(
                    Code::Unauthenticated,
                    format!("This is not a token of this service: {error}."),
                    "Send `Authorization: Bearer bw_…`, the whole token as it was shown.",
                )
                .into()
            })
        })?;
        if is_mcp(path) {
            return self.identity_of(&presented, peer).await.map(Way::Worker);
        }
        let (verb, _) = rest::find(&request.method, path).map_err(Answer::Refused)?;
        let person = presented.kind() == Kind::User;
        let operator = presented.kind() == Kind::Operator;
        if operator || verb.needs == Needs::Operator || (person && verb.plane == Plane::Control) {
            return Ok(Way::Control);
        }
        self.identity_of(&presented, peer).await.map(Way::Worker)
    }

    /// The identity that a token's route finds.
    async fn identity_of(&self, token: &Presented<'_>, peer: SocketAddr) -> Result<Name, Answer> {
        if let Some(identity) = self.routes.get(token.route()) {
            return Ok(identity);
        }
        let message = ToControl::Route { route: token.route().to_owned() };
        match session::ask(&*self.link, message).await {
            Ok(Answered::Identity(Some(identity))) => {
                self.routes.insert(token.route().to_owned(), identity.clone());
                Ok(identity)
            }
            Ok(Answered::Identity(None)) => Err(self.bad_token(peer).unwrap_or_else(|| {
                crate::gate::refusal(tenancy::authority::Reason::UnknownToken).into()
            })),
            Ok(_) | Err(_) => Err(Answer::unavailable("control plane", 1000)),
        }
    }

    /// Counts a bad token of a peer; answers a refusal when there were too many.
    fn bad_token(&self, peer: SocketAddr) -> Option<Answer> {
        let now_ms = self.clock.boot_ms();
        match self.bad_tokens.take(&peer.ip(), BAD_TOKENS_PER_MINUTE, 60_000, now_ms) {
            Rate::Within => None,
            Rate::Exceeded { retry_after_ms } => Some(
                Refusal::new(
                    Code::RateLimited,
                    "Too many bad tokens came from this address.",
                    format!("Try again in {retry_after_ms} ms, with a token that stands."),
                )
                .with("retry_after_ms", retry_after_ms)
                .into(),
            ),
        }
    }

    /// Passes a verb to the control plane, with the caller's own token.
    async fn control(&self, parts: Parts, body: Body) -> Response<Body> {
        let token = match rest::bearer(&parts.headers) {
            Ok(token) => token.to_owned(),
            Err(refusal) => return respond(&Answer::Refused(refusal)),
        };
        let parsed = match rest::read(&parts.method, &parts.uri, &parts.headers, body).await {
            Ok(parsed) => parsed,
            Err(refusal) => return respond(&Answer::Refused(refusal)),
        };
        let message = ToControl::Verb(Box::new(VerbCall {
            token,
            verb: parsed.verb.name.to_owned(),
            input: parsed.input,
            idempotency_key: parsed.options.idempotency_key,
            surface: "rest".to_owned(),
            gated: false,
            dry_run: parsed.options.dry_run,
        }));
        // A write is not to be cut in the middle when its caller goes away.
        let link = Arc::clone(&self.link);
        let answer = tokio::spawn(async move { session::ask(&*link, message).await }).await;
        match answer {
            Ok(Ok(Answered::Verb(answer))) => respond(&answer),
            _ => respond(&Answer::unavailable("control plane", 1000)),
        }
    }
}

impl Reach {
    fn is_host(&self, host: &str) -> bool {
        let bare = without_port(host);
        is_loopback(bare) || self.hosts.iter().any(|known| known == host || known == bare)
    }

    fn is_origin(&self, origin: &str) -> bool {
        let host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        self.origins.iter().any(|known| known == origin)
            || host.is_some_and(|host| is_loopback(without_port(host)))
    }
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((bare, port)) if port.bytes().all(|b| b.is_ascii_digit()) => bare,
        _ => host,
    }
}

fn is_loopback(host: &str) -> bool {
    matches!(host, "localhost" | "127.0.0.1" | "[::1]")
}
