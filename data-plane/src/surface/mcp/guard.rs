//! Owns the way of a request to the protocol library and back. Invariant: the bytes that were
//! checked are the bytes that are acted on.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use contract::{Code, Refusal};
use http::header::{self, HeaderMap, HeaderValue};
use http::{Method, StatusCode};
use http_body_util::{BodyExt, Collected, LengthLimitError, Limited};

use super::Tools;
use super::check::check;
use super::door::Door;
use super::problem::{Refused, mended, problem};

/// What a request passes.
#[derive(Debug, Clone)]
pub(super) struct Guard<T> {
    pub(super) tools: T,
    pub(super) door: Arc<Door>,
    pub(super) body_max_bytes: usize,
}

/// Whether the client takes an event stream. Lies among the request's extensions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Streams(pub(super) bool);

/// Takes a request through all that is checked before it is acted on, and its answer back.
pub(super) async fn pass<T: Tools>(
    State(guard): State<Guard<T>>,
    request: Request,
    next: Next,
) -> Response {
    match guard.checked(request).await {
        Ok((request, id)) => mended(next.run(request).await, id).await,
        Err(refused) => *refused,
    }
}

impl<T: Tools> Guard<T> {
    async fn checked(
        &self,
        request: Request,
    ) -> Result<(Request, Option<serde_json::Value>), Refused> {
        let (mut parts, body) = request.into_parts();
        let refused = |status, refusal: &Refusal| Box::new(problem(status, refusal, None, None));
        self.door.admit(&parts).map_err(|refusal| refused(StatusCode::FORBIDDEN, &refusal))?;
        if parts.method != Method::POST {
            return Err(Box::new(not_post(&parts.method)));
        }
        self.tools.admit(&parts)?;
        let bytes = self.collect(body).await?;
        let media_type = text(&parts.headers, &header::CONTENT_TYPE);
        let checked = check(media_type, &bytes, &parts.headers)?;
        parts.extensions.insert(Streams(takes_streams(&parts.headers)));
        // The library asks for both by name; what it sends is JSON to every client that did not ask
        // for progress.
        parts.headers.insert(
            header::ACCEPT,
            HeaderValue::from_static("application/json, text/event-stream"),
        );
        Ok((Request::from_parts(parts, Body::from(bytes)), checked.id))
    }

    async fn collect(&self, body: Body) -> Result<Bytes, Refused> {
        let read = Limited::new(body, self.body_max_bytes).collect().await;
        read.map(Collected::to_bytes).map_err(|error| {
            let (status, refusal) = if error.is::<LengthLimitError>() {
                let say = format!("The body is larger than {} bytes.", self.body_max_bytes);
                let refusal = Refusal::new(Code::BodyTooLarge, say, "Send less.");
                (StatusCode::PAYLOAD_TOO_LARGE, refusal)
            } else {
                let say = "The body did not arrive whole.";
                let refusal = Refusal::new(Code::MalformedBody, say, "Send it again.");
                (StatusCode::BAD_REQUEST, refusal)
            };
            Box::new(problem(status, &refusal, None, None))
        })
    }
}

/// There is no stream to GET and no session to DELETE. 405 is what clients of the earlier revisions
/// take for "none"; 404 breaks some.
fn not_post(method: &Method) -> Response {
    let refusal = Refusal::new(
        Code::MethodNotAllowed,
        format!("{method} is not taken here: there are no sessions and no streams to open."),
        "Send POST.",
    );
    let mut response = problem(StatusCode::METHOD_NOT_ALLOWED, &refusal, None, None);
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("POST"));
    response
}

fn text<'a>(headers: &'a HeaderMap, name: &header::HeaderName) -> &'a str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// No `Accept` at all takes everything (RFC 9110, section 12.5.1).
fn takes_streams(headers: &HeaderMap) -> bool {
    let mut ranges = headers
        .get_all(header::ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|range| range.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
        .peekable();
    ranges.peek().is_none()
        || ranges.any(|range| matches!(range.as_str(), "*/*" | "text/*" | "text/event-stream"))
}
