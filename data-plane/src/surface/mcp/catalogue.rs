//! Owns what the endpoint of an identity offers: the five tools of the catalogue and, by flattened
//! names that are not announced, everything that can be called.
//!
//! Invariants: a request without a token of this identity gets no further than its headers; every
//! call, by whatever name, takes the one way of [`Worker::answer`]; work goes on when its client
//! goes away.

mod flat;

use std::sync::Arc;

use axum::Router;
use axum::extract::OriginalUri;
use contract::render::mcp as rendered;
use contract::verb::Verb;
use contract::{Answer, Code, Refusal};
use http::Uri;
use http::request::Parts;
use rmcp::ErrorData;
use rmcp::model::{CallToolResponse, Tool};
use serde_json::{Map, Value};
use tenancy::authority::{self, Caller, Objection};
use tenancy::token::Presented;

use super::door::challenge;
use super::problem::{Refused, of_answer};
use super::{Context, Page, Settings, Tools, answer_of, router};
use crate::front::Reach;
use crate::gate;
use crate::surface::rest;
use crate::worker::session::World;
use crate::worker::{Incoming, Options, Surface, Worker};

/// How soon to try again when the lease is gone: about one renewal.
const RETRY_MS: u64 = 1000;

/// The endpoints of a worker: `/mcp`, whose token found the identity, and `/t/{identity}/mcp`.
pub(crate) fn mount(worker: &Arc<Worker>, reach: &Reach) -> Router {
    let settings = Settings {
        allowed_hosts: reach.hosts.clone(),
        allowed_origins: reach.origins.clone(),
        body_max_bytes: rest::BODY_MAX_BYTES,
    };
    let endpoint = router(Catalogue::new(Arc::clone(worker)), settings);
    Router::new().nest("/mcp", endpoint.clone()).nest("/t/{identity}/mcp", endpoint)
}

/// The tools of an identity.
#[derive(Debug, Clone)]
struct Catalogue {
    worker: Arc<Worker>,
    announced: Arc<[Tool]>,
}

impl Catalogue {
    fn new(worker: Arc<Worker>) -> Self {
        Self { worker, announced: announced() }
    }

    /// Whoever presents the token, or the answer to send instead.
    fn caller<'v>(&self, world: &'v World, token: &str) -> Result<Caller<'v>, Answer> {
        let unknown = |_| Answer::from(gate::refusal(authority::Reason::UnknownToken));
        let presented = Presented::parse(token).map_err(unknown)?;
        let (standing, now) = (self.worker.standing(), self.worker.moment());
        let (hash, kind) = (presented.hash(), presented.kind());
        authority::authenticate(&world.view, &standing, &hash, kind, now).map_err(|objection| {
            match objection {
                Objection::Refused(reason) => gate::refusal(reason).into(),
                Objection::Unavailable => Answer::unavailable("authority", RETRY_MS),
            }
        })
    }

    /// Who calls, if the endpoint is that of their identity. Another identity's endpoint is refused
    /// with the words for an unknown token: there, it is one.
    fn enter(&self, parts: &Parts) -> Result<(), Answer> {
        let token = rest::bearer(&parts.headers)?;
        let world = self.worker.world();
        let caller = self.caller(&world, token)?;
        let named = uri(parts).path().strip_prefix("/t/").and_then(|rest| rest.split('/').next());
        match named {
            Some(identity) if identity != caller.view().identity().as_str() => {
                Err(gate::refusal(authority::Reason::UnknownToken).into())
            }
            _ => Ok(()),
        }
    }
}

impl Tools for Catalogue {
    fn admit(&self, parts: &Parts) -> Result<(), Refused> {
        self.enter(parts).map_err(|answer| {
            let unknown = matches!(
                &answer,
                Answer::Refused(refusal) if refusal.code == Code::Unauthenticated
            );
            let sent = parts.headers.contains_key(http::header::AUTHORIZATION);
            let challenge = unknown.then(|| challenge(&parts.headers, uri(parts), sent));
            Box::new(of_answer(&answer, challenge.as_deref()))
        })
    }

    async fn list(
        &self,
        parts: &Parts,
        flat: bool,
        cursor: Option<&str>,
    ) -> Result<Page, ErrorData> {
        if !flat {
            return match cursor {
                None => Ok((self.announced.to_vec(), None)),
                Some(_) => Err(flat::no_cursor()),
            };
        }
        let world = self.worker.world();
        let caller = self.caller(&world, token(parts)?).map_err(|answer| failed(&answer))?;
        // A list belongs to no run, so it is that of the run which calls without one belong to.
        let packs = self.worker.default_packs(&caller).await;
        let packs = packs.map_err(|answer| failed(&answer))?;
        let caller = caller.in_run(&packs);
        let asking = crate::catalogue::resolve::Asking {
            caller: &caller,
            standing: self.worker.standing(),
            now: self.worker.moment(),
        };
        let (mut tools, next) = flat::page(&world.index, asking, cursor)?;
        if cursor.is_none() {
            tools.splice(0..0, self.announced.iter().cloned());
        }
        Ok((tools, next))
    }

    async fn call(
        &self,
        parts: Parts,
        name: String,
        arguments: Map<String, Value>,
        _context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        let token = token(&parts)?.to_owned();
        let (verb, input) = self.named(&name, arguments)?;
        let faults = verb.validator.faults(&input, "");
        if !faults.is_empty() {
            return Ok(answer_of(&Refusal::of_input(faults).into()).into());
        }
        let options = Options::default();
        let incoming = Incoming { token, verb, input, options, surface: Surface::Mcp };
        let worker = Arc::clone(&self.worker);
        // A task of its own: dropping this future only stops waiting for it.
        let answer = tokio::spawn(async move { worker.answer(incoming).await }).await;
        let answer = answer.unwrap_or_else(|error| {
            tracing::error!(%error, "a call panicked");
            Answer::unavailable("worker", RETRY_MS)
        });
        Ok(answer_of(&answer).into())
    }

    /// None: no tool of ours has `x-mcp-header` annotations.
    fn known(&self, _: &str) -> Option<Tool> {
        None
    }

    fn instructions(&self) -> &str {
        rendered::instructions()
    }
}

impl Catalogue {
    /// The verb and input that a tool's name and arguments stand for: a verb's own, or a call of the
    /// address that a flattened name is made of.
    fn named(
        &self,
        name: &str,
        arguments: Map<String, Value>,
    ) -> Result<(&'static Verb, Value), ErrorData> {
        if let Some(verb) = rendered::find(name) {
            return Ok((verb, Value::Object(arguments)));
        }
        let unknown = || ErrorData::invalid_params(format!("there is no tool {name:?}"), None);
        let address = flat::address(&self.worker.world().index, name).ok_or_else(unknown)?;
        let call = rendered::find("catalogue_call").ok_or_else(unknown)?;
        Ok((call, serde_json::json!({ "address": address, "arguments": arguments })))
    }
}

/// The five tools, as the library has them.
fn announced() -> Arc<[Tool]> {
    let tools = rendered::announced().into_iter().filter_map(|tool| {
        serde_json::from_value(tool)
            .inspect_err(|error| tracing::error!(%error, "a tool of the contract is none of MCP"))
            .ok()
    });
    tools.collect()
}

/// Where the request was sent, before routers took their part of the path.
fn uri(parts: &Parts) -> &Uri {
    parts.extensions.get::<OriginalUri>().map_or(&parts.uri, |original| &original.0)
}

fn token(parts: &Parts) -> Result<&str, ErrorData> {
    rest::bearer(&parts.headers).map_err(|refusal| failed(&refusal.into()))
}

/// What a list says that cannot be made now: the token was revoked since the request was admitted,
/// or the lease has gone.
fn failed(answer: &Answer) -> ErrorData {
    ErrorData::internal_error("the list cannot be made now", Some(answer.body()))
}

#[cfg(test)]
mod tests;
