//! Owns refusals below the level of tools, as responses. Invariant: the body is one JSON-RPC error,
//! whatever the HTTP status; its `data` holds the refusal, as every surface says it; its `id` is
//! left out where the request could not be read.

use axum::body::{Body, to_bytes};
use contract::{Answer, Code, Refusal};
use http::header::{self, HeaderValue};
use http::{Response, StatusCode};
use serde_json::{Map, Value, json};

/// A response that is sent instead of an answer.
pub type Refused = Box<Response<Body>>;

/// JSON-RPC 2.0, section 5.1: the body is not JSON.
const PARSE_ERROR: i64 = -32700;
/// JSON-RPC 2.0, section 5.1: the JSON is no request.
const INVALID_REQUEST: i64 = -32600;
/// JSON-RPC 2.0, section 5.1: the parameters are malformed.
const INVALID_PARAMS: i64 = -32602;
/// JSON-RPC 2.0, section 5.1: the server failed.
const INTERNAL_ERROR: i64 = -32603;
/// MCP 2026-07-28: header and body differ.
const HEADER_MISMATCH: i64 = -32020;

/// How much of a refusal of the protocol library is passed on.
const TEXT_MAX_BYTES: usize = 4096;

/// A refusal as a response.
///
/// The error's code is JSON-RPC's or MCP's own where they have one; otherwise it is the HTTP status,
/// which lies outside what the two keep for themselves.
pub fn problem(
    status: StatusCode,
    refusal: &Refusal,
    id: Option<Value>,
    www_authenticate: Option<&str>,
) -> Response<Body> {
    let code = code_of(refusal.code).unwrap_or_else(|| i64::from(status.as_u16()));
    let mut response = error(status, code, &refusal.say, Some(json!({ "refusal": refusal })), id);
    let headers = response.headers_mut();
    if let Some(Ok(challenge)) = www_authenticate.map(HeaderValue::from_str) {
        headers.insert(header::WWW_AUTHENTICATE, challenge);
    }
    if let Some(ms) = refusal.more.get("retry_after_ms").and_then(Value::as_u64) {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(ms.div_ceil(1000).max(1)));
    }
    response
}

fn code_of(code: Code) -> Option<i64> {
    let own = [
        (Code::MalformedBody, PARSE_ERROR),
        (Code::InvalidInput, INVALID_REQUEST),
        (Code::HeaderMismatch, HEADER_MISMATCH),
    ];
    own.iter().find(|(own, _)| *own == code).map(|(_, code)| *code)
}

/// An answer that no tool gave, as a response: refused, or not available now.
pub(crate) fn of_answer(answer: &Answer, www_authenticate: Option<&str>) -> Response<Body> {
    let status = StatusCode::from_u16(answer.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    match answer {
        Answer::Refused(refusal) => problem(status, refusal, None, www_authenticate),
        Answer::Unavailable(unavailable) => {
            let say = format!("{} is not available now.", unavailable.what);
            let code = i64::from(status.as_u16());
            let mut response = error(status, code, &say, Some(answer.body()), None);
            let seconds = unavailable.retry_after_ms.div_ceil(1000).max(1);
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
            response
        }
        Answer::Done(_) | Answer::Held(_) => error(status, INTERNAL_ERROR, "", None, None),
    }
}

/// A JSON-RPC error as a response.
pub(super) fn error(
    status: StatusCode,
    code: i64,
    say: &str,
    data: Option<Value>,
    id: Option<Value>,
) -> Response<Body> {
    let mut error = json!({ "code": code, "message": say });
    if let (Some(data), Some(members)) = (data, error.as_object_mut()) {
        members.insert("data".to_owned(), data);
    }
    let mut message = Map::new();
    message.insert("jsonrpc".to_owned(), Value::from("2.0"));
    if let Some(id) = id {
        message.insert("id".to_owned(), id);
    }
    message.insert("error".to_owned(), error);
    let mut response = Response::new(Body::from(Value::Object(message).to_string()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// A response of the protocol library, whose refusals are partly plain text, in our form.
pub(super) async fn mended(response: Response<Body>, id: Option<Value>) -> Response<Body> {
    let status = response.status();
    let typed = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let json = typed.is_some_and(|kind| kind.starts_with("application/json"));
    if json || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    if status == StatusCode::UNSUPPORTED_MEDIA_TYPE {
        // The media type was checked before: what the library could not read is the parameters.
        let say = "The params are malformed.";
        return error(StatusCode::BAD_REQUEST, INVALID_PARAMS, say, None, id);
    }
    let text = to_bytes(response.into_body(), TEXT_MAX_BYTES).await.unwrap_or_default();
    let code = if status.is_server_error() { INTERNAL_ERROR } else { INVALID_REQUEST };
    error(status, code, &String::from_utf8_lossy(&text), None, id)
}
