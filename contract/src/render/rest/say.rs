//! Owns how a verb and its input are said over REST: the way there, of which [`super::input`] is the way
//! back. Invariant: every field travels in exactly one place, and no value of a field can name another
//! route.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value};

use crate::refusal::Fault;
use crate::verb::Verb;

/// All but the unreserved characters (RFC 3986, section 2.3).
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Where a call goes, and what it carries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The method.
    pub method: &'static str,
    /// The path.
    pub path: String,
    /// The pairs of the query, each as it is sent.
    pub query: Vec<String>,
    /// The JSON body, for the methods that have one.
    pub body: Option<String>,
}

/// The request for `verb` with `input`, which is an object.
///
/// # Errors
///
/// The fault of a path field that cannot be said in a path.
pub fn request(verb: &Verb, input: &Value) -> Result<Request, Fault> {
    let nothing = Map::new();
    let fields = input.as_object().unwrap_or(&nothing);
    let mut path = String::new();
    for part in verb.path.split('/').skip(1) {
        path.push('/');
        match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
            Some(field) => path.push_str(&segment(field, fields.get(field))?),
            None => path.push_str(part),
        }
    }
    let in_path: Vec<_> = verb.path_fields().collect();
    let rest = fields.iter().filter(|(name, value)| {
        let can_be_said = !value.is_null() || verb.method.has_body();
        can_be_said && !in_path.contains(&name.as_str())
    });
    let mut query = Vec::new();
    let body = if verb.method.has_body() {
        let body: Map<_, _> = rest.map(|(name, value)| (name.clone(), value.clone())).collect();
        Some(Value::Object(body).to_string())
    } else {
        rest.for_each(|(name, value)| pairs(name, value, &mut query));
        None
    };
    Ok(Request { method: verb.method.as_str(), path, query, body })
}

/// The same on one line, for people: `PATCH /v1/groups/shop {"title":"The shop"}`. What cannot be said
/// in a path is left as the route has it.
pub fn line(verb: &Verb, input: &Value) -> String {
    let Ok(request) = request(verb, input) else {
        return format!("{} {}", verb.method.as_str(), verb.path);
    };
    let mut line = format!("{} {}", request.method, request.path);
    if !request.query.is_empty() {
        line = format!("{line}?{}", request.query.join("&"));
    }
    match request.body {
        Some(body) => format!("{line} {body}"),
        None => line,
    }
}

/// A field of the path. An empty one would leave the route, and so would one of dots, which URLs
/// resolve even when they are escaped (WHATWG URL, double-dot segment).
fn segment(field: &str, value: Option<&Value>) -> Result<String, Fault> {
    let text = value.map(text).unwrap_or_default();
    if matches!(text.as_str(), "" | "." | "..") {
        let say = format!("`{field}` cannot be {text:?}.");
        return Err(Fault::new(field, say, "Name the one that is meant."));
    }
    Ok(escaped(&text))
}

/// A field of the query: a list is said once for each item.
fn pairs(name: &str, value: &Value, out: &mut Vec<String>) {
    let one = std::slice::from_ref(value);
    let said = value.as_array().map_or(one, Vec::as_slice);
    out.extend(said.iter().map(|item| pair(name, &text(item))));
}

fn pair(name: &str, text: &str) -> String {
    format!("{}={}", escaped(name), escaped(text))
}

fn escaped(text: &str) -> String {
    utf8_percent_encode(text, ESCAPED).to_string()
}

/// A text as it is, and anything else as JSON.
fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
