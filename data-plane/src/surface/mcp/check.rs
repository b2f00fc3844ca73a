//! Owns what a request must be before anything acts on it (case M3): one JSON-RPC message in which
//! no name stands twice, in whatever case, and which says what its headers say.
//!
//! Invariant: a message that passes means the same to a reader that folds case, to one that takes
//! the first of two members, to one that takes the last, and to one that reads the headers alone.
//! Inside a tool's `arguments` names that differ by case are the tool's own business; a name that
//! stands twice is refused even there.

use std::borrow::Cow;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use contract::canonical::case_twins;
use contract::{Code, Refusal, render};
use http::{HeaderMap, StatusCode};
use rmcp::ErrorData;
use rmcp::model::ProtocolVersion;
use serde_json::{Map, Value};

use super::problem::{self, Refused, problem};

/// Names the revision, in a message's `_meta`.
const REVISION: &str = "io.modelcontextprotocol/protocolVersion";
/// Members that the protocol reads in a message, in its `params` and in their `_meta`: no other
/// spelling of theirs may stand there.
const OF_MESSAGE: [&str; 6] = ["jsonrpc", "id", "method", "params", "result", "error"];
const OF_PARAMS: [&str; 9] = [
    "_meta",
    "name",
    "arguments",
    "cursor",
    "uri",
    "taskId",
    "protocolVersion",
    "capabilities",
    "clientInfo",
];
const OF_META: [&str; 4] = [
    REVISION,
    "io.modelcontextprotocol/clientCapabilities",
    "io.modelcontextprotocol/clientInfo",
    "progressToken",
];

/// A message that is fit to be acted on.
#[derive(Debug)]
pub(super) struct Checked {
    /// Its id, if it is a request.
    pub(super) id: Option<Value>,
}

/// Reads a body and compares it with its headers.
pub(super) fn check(
    media_type: &str,
    body: &[u8],
    headers: &HeaderMap,
) -> Result<Checked, Refused> {
    let message = render::rest::object(media_type, body).map_err(|refusal| {
        let status = if refusal.code == Code::UnsupportedMediaType {
            StatusCode::UNSUPPORTED_MEDIA_TYPE
        } else {
            StatusCode::BAD_REQUEST
        };
        Box::new(problem(status, &refusal, None, None))
    })?;
    let id = id_of(&message)?;
    let refused = |refusal: Refusal| problem(StatusCode::BAD_REQUEST, &refusal, id.clone(), None);
    if let Some(refusal) = shape(&message).or_else(|| mismatch(headers, &message)) {
        return Err(Box::new(refused(refusal)));
    }
    if let Some(unknown) = unknown_revision(headers, &message) {
        let status = StatusCode::BAD_REQUEST;
        let code = i64::from(unknown.code.0);
        return Err(Box::new(problem::error(status, code, &unknown.message, unknown.data, id)));
    }
    if let Some((one, other)) = twins(message) {
        return Err(Box::new(refused(Refusal {
            field: Some(other.clone()),
            ..Refusal::new(
                Code::MalformedBody,
                format!("`{one}` and `{other}` differ by letter case alone."),
                "Send each member once, spelt as the protocol spells it.",
            )
        })));
    }
    Ok(Checked { id })
}

/// The id of a message: an integer or a text (MCP, base protocol); absent from a notification.
fn id_of(message: &Map<String, Value>) -> Result<Option<Value>, Refused> {
    match message.get("id") {
        None => Ok(None),
        Some(id) if id.is_string() || id.is_i64() => Ok(Some(id.clone())),
        Some(_) => {
            let say = "`id` is neither an integer nor a text.";
            let refusal = Refusal::of_field("id", say, "Send an integer or a text.");
            Err(Box::new(problem(StatusCode::BAD_REQUEST, &refusal, None, None)))
        }
    }
}

/// What makes it no JSON-RPC message.
fn shape(message: &Map<String, Value>) -> Option<Refusal> {
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Some(Refusal::of_field("jsonrpc", "`jsonrpc` is not \"2.0\".", "Send \"2.0\"."));
    }
    let answers = message.contains_key("result") || message.contains_key("error");
    match message.get("method") {
        Some(Value::String(_)) if answers => Some(Refusal::of_field(
            "method",
            "A message is a request or an answer, not both.",
            "Send `method`, or `result`, or `error`.",
        )),
        Some(Value::String(_)) => None,
        None if answers => Some(Refusal::of_field(
            "method",
            "This service asks clients nothing, and takes no answers.",
            "Send a request.",
        )),
        _ => Some(Refusal::of_field("method", "`method` is no text.", "Send the method's name.")),
    }
}

/// The headers that repeat what the body says (MCP 2026-07-28, SEP-2243): where one is present it
/// must say the same, in whatever revision. Requiring them is the protocol library's.
fn mismatch(headers: &HeaderMap, message: &Map<String, Value>) -> Option<Refusal> {
    let method = message.get("method").and_then(Value::as_str);
    let params = message.get("params");
    let text = |name: &str| params.and_then(|params| params.get(name)).and_then(Value::as_str);
    let named = match method {
        Some("tools/call" | "prompts/get") => text("name"),
        Some("resources/read" | "resources/subscribe" | "resources/unsubscribe") => text("uri"),
        Some("tasks/get" | "tasks/update" | "tasks/cancel") => text("taskId"),
        _ => None,
    };
    differs(headers, "Mcp-Method", method, false)
        .or_else(|| differs(headers, "Mcp-Name", named, true))
        .or_else(|| {
            let revision = revision(message)?;
            differs(headers, "MCP-Protocol-Version", Some(revision), false)
        })
}

/// The revision that the body names.
fn revision(message: &Map<String, Value>) -> Option<&str> {
    let params = message.get("params")?;
    let in_meta = || params.get("_meta")?.get(REVISION)?.as_str();
    let in_handshake = || {
        let handshake = message.get("method")?.as_str()? == "initialize";
        params.get("protocolVersion").filter(|_| handshake)?.as_str()
    };
    in_meta().or_else(in_handshake)
}

/// A header that is there and does not say `body`.
fn differs(headers: &HeaderMap, name: &str, body: Option<&str>, wrapped: bool) -> Option<Refusal> {
    let mut all = headers.get_all(name).iter();
    let value = all.next()?;
    let text = value.to_str().ok().filter(|_| all.next().is_none());
    let said = text.and_then(|text| if wrapped { unwrapped(text) } else { Some(text.into()) });
    if said.is_some() && said.as_deref() == body {
        return None;
    }
    let (header, field) = (said.as_deref().unwrap_or("?"), body.unwrap_or("nothing"));
    let mut refusal = Refusal::new(
        Code::HeaderMismatch,
        format!("The header `{name}` says `{header}`, the body `{field}`."),
        "Send the header once, with what the body says; or, before 2026-07-28, leave it out.",
    );
    refusal.field = Some(name.to_owned());
    Some(refusal)
}

/// What a header value stands for: itself, or what `=?base64?…?=` wraps.
fn unwrapped(text: &str) -> Option<Cow<'_, str>> {
    let inner = text.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?="));
    match inner {
        Some(inner) => Some(String::from_utf8(BASE64_STANDARD.decode(inner).ok()?).ok()?.into()),
        None => Some(text.into()),
    }
}

/// A revision in the header alone that nobody knows. One in the body too is the handler's to refuse.
fn unknown_revision(headers: &HeaderMap, message: &Map<String, Value>) -> Option<ErrorData> {
    let said = headers.get("MCP-Protocol-Version")?.to_str().ok()?;
    let known = ProtocolVersion::KNOWN_VERSIONS;
    if revision(message).is_some() || known.iter().any(|version| version.as_str() == said) {
        return None;
    }
    let asked = serde_json::from_value(Value::from(said)).ok()?;
    Some(ErrorData::unsupported_protocol_version(asked, known))
}

/// Two members of the message's own that differ by letter case alone; what the protocol reads counts
/// as there.
fn twins(mut message: Map<String, Value>) -> Option<(String, String)> {
    let own = |members: &mut Map<String, Value>, names: &[&str]| {
        for name in names {
            members.entry(*name).or_insert(Value::Null);
        }
    };
    if let Some(params) = message.get_mut("params").and_then(Value::as_object_mut) {
        if let Some(arguments) = params.get_mut("arguments") {
            arguments.take();
        }
        own(params, &OF_PARAMS);
        if let Some(meta) = params.get_mut("_meta").and_then(Value::as_object_mut) {
            own(meta, &OF_META);
        }
    }
    own(&mut message, &OF_MESSAGE);
    case_twins(&Value::Object(message))
}
