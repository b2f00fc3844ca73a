//! Owns how a verb and its input are said over REST: the way there, of which
//! [`contract::render::rest::input`] is the way back. Invariant: every field travels in exactly one
//! place, and no value of a field can name another route.

use contract::render::rest::DRY_RUN;
use contract::{Fault, Verb};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value};
use url::Url;

/// All but the unreserved characters (RFC 3986, section 2.3).
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Where a call goes, and what it carries.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// The method.
    pub(crate) method: &'static str,
    /// The whole address.
    pub(crate) url: String,
    /// The JSON body, for the methods that have one.
    pub(crate) body: Option<String>,
}

/// The request for `verb` with `input`, which is an object, to the server at `base`.
///
/// # Errors
/// The fault of a path field that cannot be said in a path.
pub(crate) fn of(base: &Url, verb: &Verb, input: &Value, dry_run: bool) -> Result<Request, Fault> {
    let nothing = Map::new();
    let fields = input.as_object().unwrap_or(&nothing);
    let mut url = base.as_str().trim_end_matches('/').to_owned();
    for part in verb.path.split('/').skip(1) {
        url.push('/');
        match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
            Some(field) => url.push_str(&segment(field, fields.get(field))?),
            None => url.push_str(part),
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
    if dry_run {
        query.push(format!("{DRY_RUN}=true"));
    }
    if !query.is_empty() {
        url.push('?');
        url.push_str(&query.join("&"));
    }
    Ok(Request { method: verb.method.as_str(), url, body })
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

#[cfg(test)]
mod tests {
    use contract::Registry;
    use contract::render::rest::{self, Found};
    use serde_json::json;

    use super::*;

    fn base() -> Url {
        "http://127.0.0.1:7500/under/".parse().expect("a URL")
    }

    fn verb(name: &str) -> &'static Verb {
        Registry::get().verb(name).expect("a verb")
    }

    #[test]
    fn every_example_is_read_back_as_it_was_said() {
        for verb in Registry::get().iter() {
            let request = of(&base(), verb, &verb.example_input, false).expect("is said");
            // As the client library sees it, which may change what it is given.
            let url = Url::parse(&request.url).expect("a URL");
            let path = url.path().strip_prefix("/under").expect("under the base");
            let Found::Verb(found, fields) = rest::find(request.method, path) else {
                panic!("{}: no route {path}", verb.name)
            };
            assert_eq!(found.name, verb.name);
            let body = request.body.as_ref().map(|body| ("application/json", body.as_bytes()));
            let input = rest::input(found, &fields, url.query(), body);
            assert_eq!(input.as_ref(), Ok(&verb.example_input), "{}", verb.name);
        }
    }

    #[test]
    fn no_value_leaves_its_place_in_the_path() {
        let verb = verb("principal.get");
        for value in ["..", ".", ""] {
            let fault = of(&base(), verb, &json!({ "principal": value }), false);
            assert_eq!(fault.expect_err("refused").field, "principal", "{value:?}");
        }
        for value in ["a/b", "a?b", "a#b", "%2e%2e", "ü €", "a&b=c"] {
            let request = of(&base(), verb, &json!({ "principal": value }), true).expect("is said");
            let url = Url::parse(&request.url).expect("a URL");
            let path = url.path().strip_prefix("/under").expect("under the base");
            let Found::Verb(found, fields) = rest::find("GET", path) else { panic!("{path}") };
            assert_eq!((found.name, fields), (verb.name, vec![("principal", value.to_owned())]));
            assert_eq!(url.query(), Some("dry_run=true"));
        }
    }
}
