//! The front: the one listener that callers reach. It finds the identity that a request is for and
//! hands the request over to that identity's worker, or, for what the control plane carries out
//! itself, to the control plane.
//!
//! Invariants: it reads no more of a request than it needs to find the identity; a token that cannot
//! be one wakes no worker, and of those that only look like one no flood does; no header that only our
//! planes use comes in from outside. What needs no token is counted by peer.

mod bad_tokens;
mod keeper;
mod listen;
mod proxy;
mod public;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, State};
use contract::verb::{Needs, Plane};
use contract::{Answer, Code, Name, Refusal};
use http::request::Parts;
use http::{Request, Response, StatusCode};
use http_body_util::Limited;
use moka::sync::Cache;
use tenancy::clock::Shared;
use tenancy::plane::{Answered, Link, ToControl, VerbCall};
use tenancy::token::{Hash, Kind, Presented};
use tower::ServiceExt;

use crate::gate::{self, Limiter, Rate};
use crate::surface::mcp::{self, Door};
use crate::surface::rest::{self, respond};
use crate::worker::{Config, session};

use bad_tokens::BadTokens;
pub(crate) use keeper::Keeper;
pub use listen::serve;

/// Routes that are remembered.
const ROUTES_MAX: u64 = 100_000;
/// What a peer may send in a minute without a token.
const OPEN_PER_MINUTE: u32 = 300;
/// The largest body of a request without a token.
const OPEN_BODY_MAX_BYTES: usize = 64 * 1024;
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
    door: Arc<Door>,
    bad_tokens: BadTokens,
    routes: Cache<String, Name>,
    /// What peers send without a token.
    open: Limiter<IpAddr>,
    clock: Shared,
}

/// Serves a data plane: the front, with its workers.
pub fn router(link: Arc<dyn Link>, clock: Shared, config: Config, reach: Reach) -> Router {
    let keeper = Keeper::start(Arc::clone(&link), Arc::clone(&clock), config, reach.clone());
    let front = Arc::new(Front {
        keeper,
        link,
        door: Arc::new(Door::new(reach.hosts, &reach.origins)),
        bad_tokens: BadTokens::new(Arc::clone(&clock)),
        routes: Cache::new(ROUTES_MAX),
        open: Limiter::default(),
        clock,
    });
    Router::new().merge(public::routes()).fallback(hand_over).with_state(front)
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
    let (parts, body) = request.into_parts();
    if let Err(refusal) = front.admit(&parts) {
        return front.refuse(&parts, &Answer::Refused(refusal));
    }
    if parts.method == http::Method::OPTIONS && is_mcp(parts.uri.path()) {
        return front.preflight(parts).await;
    }
    if let Some(response) = front.open(&parts, peer) {
        return match response {
            Ok(()) => {
                let body = Body::new(Limited::new(body, OPEN_BODY_MAX_BYTES));
                front.control(parts, String::new(), body).await
            }
            Err(answer) => front.refuse(&parts, &answer),
        };
    }
    let (way, token) = match front.way(&parts, peer).await {
        Ok(found) => found,
        Err(answer) => return front.refuse(&parts, &answer),
    };
    let response = match way {
        Way::Control => match rest::bearer(&parts.headers).map(str::to_owned) {
            Ok(token) => front.control(parts, token, body).await,
            Err(refusal) => respond(&Answer::Refused(refusal)),
        },
        Way::Worker(identity) => match front.keeper.worker(&identity).await {
            Ok(worker) => proxy::forward(&worker, Request::from_parts(parts, body)).await,
            Err(error) => {
                tracing::warn!(%identity, %error, "no worker");
                front.refuse(&parts, &Answer::unavailable("worker", 1000))
            }
        },
    };
    front.bad_tokens.learn(peer.ip(), token, response.status());
    response
}

fn is_mcp(path: &str) -> bool {
    path == "/mcp" || (path.starts_with("/t/") && path.ends_with("/mcp"))
}

impl Front {
    /// An answer before any worker, in the form of the surface it is for.
    fn refuse(&self, request: &Parts, answer: &Answer) -> Response<Body> {
        if !is_mcp(request.uri.path()) {
            return respond(answer);
        }
        let unknown = answer.status() == StatusCode::UNAUTHORIZED.as_u16();
        let sent = request.headers.contains_key(http::header::AUTHORIZATION);
        let challenge = unknown.then(|| mcp::challenge(&request.headers, &request.uri, sent));
        let mut response = mcp::of_answer(answer, challenge.as_deref());
        self.door.readable(&request.headers, response.headers_mut());
        response
    }

    /// A preflight's answer (CORS). It carries no token, and any worker's answer would be the same, so
    /// none is woken.
    async fn preflight(&self, parts: Parts) -> Response<Body> {
        let nothing = Router::new().fallback(|| async { StatusCode::NO_CONTENT });
        let answering = nothing.layer(Door::cors(&self.door));
        match answering.oneshot(Request::from_parts(parts, Body::empty())).await {
            Ok(response) => response,
            Err(never) => match never {},
        }
    }

    /// Refuses what is not meant for this service: a foreign host or origin, a plane's own header.
    fn admit(&self, parts: &Parts) -> Result<(), Box<Refusal>> {
        let own = parts.headers.keys().find(|name| name.as_str().starts_with(PLANE_HEADERS));
        if let Some(name) = own {
            return Err(Box::new(Refusal::new(
                Code::HeaderMismatch,
                format!("The header `{name}` is this service's own."),
                "Leave it out.",
            )));
        }
        self.door.admit(parts)
    }

    /// Where a request goes, and the token that it comes with.
    async fn way(&self, request: &Parts, peer: SocketAddr) -> Result<(Way, Hash), Answer> {
        let path = request.uri.path();
        if !is_mcp(path) && !path.starts_with("/v1/") {
            return Err(rest::find(&request.method, path)
                .map_or_else(Answer::Refused, |_| Answer::unavailable("route", 1000)));
        }
        let token = rest::bearer(&request.headers).map_err(Answer::Refused)?;
        let presented = Presented::parse(token).map_err(|error| {
            self.bad_tokens.count(peer.ip()).unwrap_or_else(|| {
                Refusal::new(
                    Code::Unauthenticated,
                    format!("This is not a token of this service: {error}."),
                    "Send `Authorization: Bearer bw_…`, the whole token as it was shown.",
                )
                .into()
            })
        })?;
        let hash = presented.hash();
        if let Some(wait) = self.bad_tokens.wait(peer.ip(), &hash) {
            return Err(wait);
        }
        if is_mcp(path) {
            return Ok((Way::Worker(self.identity_of(&presented, peer).await?), hash));
        }
        let (verb, _) = rest::find(&request.method, path).map_err(Answer::Refused)?;
        let person = presented.kind() == Kind::User;
        let operator = presented.kind() == Kind::Operator;
        if operator || verb.needs == Needs::Operator || (person && verb.plane == Plane::Control) {
            return Ok((Way::Control, hash));
        }
        Ok((Way::Worker(self.identity_of(&presented, peer).await?), hash))
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
            Ok(Answered::Identity(None)) => Err(self
                .bad_tokens
                .count(peer.ip())
                .unwrap_or_else(|| gate::refusal(tenancy::authority::Reason::UnknownToken).into())),
            Ok(_) | Err(_) => Err(Answer::unavailable("control plane", 1000)),
        }
    }

    /// Whether a request is for a verb that anyone may use. A token that comes with it is not read. Of
    /// these a peer may send so many a minute.
    fn open(&self, request: &Parts, peer: SocketAddr) -> Option<Result<(), Answer>> {
        let (verb, _) = rest::find(&request.method, request.uri.path()).ok()?;
        if verb.needs != Needs::Anyone {
            return None;
        }
        let taken = self.open.take(&peer.ip(), OPEN_PER_MINUTE, 60_000, self.clock.boot_ms());
        Some(match taken {
            Rate::Within => Ok(()),
            exceeded @ Rate::Exceeded { .. } => Err(gate::too_many(exceeded).into()),
        })
    }

    /// Passes a verb to the control plane, with the caller's own token, if it needs one.
    async fn control(&self, parts: Parts, token: String, body: Body) -> Response<Body> {
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
