//! Owns the REST surface: an HTTP request becomes a verb with its input, an answer becomes an HTTP
//! response. Invariant: a body is read up to its limit and no further.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use contract::render::rest::{self, Found};
use contract::verb::Verb;
use contract::{Answer, Code, Refusal, idempotency};
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Response, StatusCode};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde_json::Value;

use crate::worker::{Incoming, Options, Surface, Worker};

/// The largest body of a request.
pub(crate) const BODY_MAX_BYTES: usize = 4 * 1024 * 1024;
/// How long a body may take to arrive.
const BODY_DEADLINE: std::time::Duration = std::time::Duration::from_secs(30);
/// Names the run that a call belongs to.
pub(crate) const RUN: HeaderName = HeaderName::from_static("bailiwick-run");
/// The caller's own key of a write.
pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static(idempotency::HEADER);

/// A request that names a verb.
#[derive(Debug)]
pub(crate) struct Parsed {
    /// Which.
    pub(crate) verb: &'static Verb,
    /// Its input, checked against its schema.
    pub(crate) input: Value,
    /// What goes with it.
    pub(crate) options: Options,
}

/// The bearer token of a request (RFC 6750, section 2.1: in the header and nowhere else).
pub(crate) fn bearer(headers: &HeaderMap) -> Result<&str, Box<Refusal>> {
    let mut all = headers.get_all(header::AUTHORIZATION).iter();
    let token = match (all.next(), all.next()) {
        (Some(one), None) => one.to_str().ok().and_then(|text| {
            let (scheme, token) = text.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then(|| token.trim_start())
        }),
        _ => None,
    };
    token.ok_or_else(|| {
        Box::new(Refusal::new(
            Code::Unauthenticated,
            "No token was sent.",
            "Send one header `Authorization: Bearer bw_…`.",
        ))
    })
}

/// A verb, with the fields of its path.
type Routed = (&'static Verb, Vec<(&'static str, String)>);

/// The verb that a method and a path name.
pub(crate) fn find(method: &http::Method, path: &str) -> Result<Routed, Box<Refusal>> {
    match rest::find(method.as_str(), path) {
        Found::Verb(verb, fields) => Ok((verb, fields)),
        Found::MethodNotAllowed(allowed) => Err(Box::new(
            Refusal::new(
                Code::MethodNotAllowed,
                format!("{method} is not taken here."),
                format!("Send {}.", allowed.join(" or ")),
            )
            .with("allow", allowed.join(", ")),
        )),
        Found::Malformed(refusal) => Err(refusal),
        Found::None => Err(Box::new(Refusal::new(
            Code::NoSuchRoute,
            format!("There is no route {path}."),
            "The routes are in /openapi.json.",
        ))),
    }
}

/// Reads a request for a verb.
pub(crate) async fn read(
    method: &http::Method,
    uri: &http::Uri,
    headers: &HeaderMap,
    body: Body,
) -> Result<Parsed, Box<Refusal>> {
    let (verb, fields) = find(method, uri.path())?;
    let (dry_run, query) = rest::split_dry_run(uri.query())?;
    let bytes = collect(body).await?;
    let media_type =
        headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let body = (verb.method.has_body() || !bytes.is_empty()).then_some((media_type, &*bytes));
    let input = rest::input(verb, &fields, query.as_deref(), body)?;
    let options = Options { run: run(headers)?, dry_run, idempotency_key: key(headers)? };
    Ok(Parsed { verb, input, options })
}

async fn collect(body: Body) -> Result<Bytes, Box<Refusal>> {
    let collecting = Limited::new(body, BODY_MAX_BYTES).collect();
    let Ok(collected) = tokio::time::timeout(BODY_DEADLINE, collecting).await else {
        return Err(Box::new(Refusal::new(
            Code::MalformedBody,
            "The body did not arrive in time.",
            "Send it again, without pauses.",
        )));
    };
    collected.map(http_body_util::Collected::to_bytes).map_err(|error| {
        Box::new(if error.is::<LengthLimitError>() {
            Refusal::new(
                Code::BodyTooLarge,
                format!("The body is larger than {BODY_MAX_BYTES} bytes."),
                "Send less.",
            )
        } else {
            Refusal::new(Code::MalformedBody, "The body did not arrive whole.", "Send it again.")
        })
    })
}

fn run(headers: &HeaderMap) -> Result<Option<contract::Id<contract::id::Run>>, Box<Refusal>> {
    let Some(value) = headers.get(RUN) else { return Ok(None) };
    let run = value.to_str().ok().and_then(|text| text.parse().ok());
    run.map(Some).ok_or_else(|| {
        Box::new(Refusal::of_field(
            "Bailiwick-Run",
            "The header `Bailiwick-Run` does not name a run.",
            "Send the id that `run.start` answered, or leave the header out.",
        ))
    })
}

fn key(headers: &HeaderMap) -> Result<Option<String>, Box<Refusal>> {
    let mut all = headers.get_all(IDEMPOTENCY_KEY).iter();
    let Some(value) = all.next() else { return Ok(None) };
    let text = value.to_str().ok().map(|text| text.trim_matches('"').to_owned());
    match (text.filter(|text| idempotency::fault(text).is_none()), all.next()) {
        (Some(text), None) => Ok(Some(text)),
        _ => Err(Box::new(Refusal::of_input(vec![idempotency::malformed()]))),
    }
}

/// The response that an answer is sent as.
pub(crate) fn respond(answer: &Answer) -> Response<Body> {
    let media_type = if matches!(answer, Answer::Refused(_)) {
        "application/problem+json"
    } else {
        "application/json"
    };
    let mut response = Response::new(Body::from(answer.body().to_string()));
    *response.status_mut() =
        StatusCode::from_u16(answer.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let retry_after_ms = match answer {
        Answer::Unavailable(unavailable) => Some(unavailable.retry_after_ms),
        Answer::Refused(refusal) => refusal.more.get("retry_after_ms").and_then(Value::as_u64),
        Answer::Done(_) | Answer::Held(_) => None,
    };
    if let Some(ms) = retry_after_ms {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(ms.div_ceil(1000).max(1)));
    }
    if let Answer::Refused(refusal) = answer {
        if refusal.code == Code::Unauthenticated {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(allow) = refusal.more.get("allow").and_then(Value::as_str)
            && let Ok(allow) = HeaderValue::from_str(allow)
        {
            headers.insert(header::ALLOW, allow);
        }
    }
    response
}

/// Serves one request to a worker. The work goes on when the caller goes away: a write is not to be
/// cut in the middle.
pub(crate) async fn serve(worker: Arc<Worker>, request: http::Request<Body>) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let token = match bearer(&parts.headers) {
        Ok(token) => token.to_owned(),
        Err(refusal) => return respond(&Answer::Refused(refusal)),
    };
    // Who is not known has no body read.
    if let Err(answer) = worker.knows(&token) {
        return respond(&answer);
    }
    let parsed = match read(&parts.method, &parts.uri, &parts.headers, body).await {
        Ok(parsed) => parsed,
        Err(refusal) => return respond(&Answer::Refused(refusal)),
    };
    let Parsed { verb, input, options } = parsed;
    let incoming = Incoming { token, verb, input, options, surface: Surface::Rest };
    let answer = tokio::spawn(async move { worker.answer(incoming).await }).await;
    respond(&answer.unwrap_or_else(|error| {
        tracing::error!(%error, "a call panicked");
        Answer::unavailable("worker", 500)
    }))
}
