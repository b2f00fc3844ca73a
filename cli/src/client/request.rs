//! Owns where a call is sent: the request that the contract makes of a verb and its input, at the
//! server of the target.

use contract::render::rest::{self, DRY_RUN};
use contract::{Fault, Verb};
use serde_json::Value;
use url::Url;

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
    let rest::Request { method, path, mut query, body } = rest::request(verb, input)?;
    if dry_run {
        query.push(format!("{DRY_RUN}=true"));
    }
    let mut url = format!("{}{path}", base.as_str().trim_end_matches('/'));
    if !query.is_empty() {
        url.push('?');
        url.push_str(&query.join("&"));
    }
    Ok(Request { method, url, body })
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
