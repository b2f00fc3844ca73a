//! What a request is read as, and what of it is refused.

use serde_json::json;

use super::*;
use crate::sample;
use crate::verb::Registry;

fn verb(name: &str) -> &'static Verb {
    Registry::get().verb(name).expect(name)
}

fn named(method: &str, path: &str) -> (&'static str, Vec<(&'static str, String)>) {
    let found = find(method, path);
    let Found::Verb(verb, fields) = found else { panic!("{method} {path}: {found:?}") };
    (verb.name, fields)
}

fn refused(result: Result<Value, Box<Refusal>>) -> Vec<String> {
    let refusal = result.expect_err("refused");
    refusal.faults.into_iter().map(|fault| fault.field).collect()
}

/// The request that sends `input` to `verb`: path, query, body.
fn request(verb: &Verb, input: &Value) -> (String, Option<String>, Option<Vec<u8>>) {
    let mut fields = input.as_object().expect("an object").clone();
    let mut path = verb.path.to_owned();
    for name in verb.path_fields() {
        let value = fields.shift_remove(name).expect(name);
        path = path.replace(&format!("{{{name}}}"), value.as_str().expect(name));
    }
    if verb.method.has_body() {
        return (path, None, Some(serde_json::to_vec(&fields).expect("serialises")));
    }
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut pairs = Vec::new();
    for (name, value) in &fields {
        let values = value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
        pairs
            .extend(values.iter().map(|value| format!("{name}={}", text(value).replace(' ', "+"))));
    }
    (path, Some(pairs.join("&")).filter(|query| !query.is_empty()), None)
}

#[test]
fn every_example_goes_there_and_comes_back() {
    for verb in Registry::get().iter() {
        let (path, query, body) = request(verb, &verb.example_input);
        let (name, fields) = named(verb.method.as_str(), &path);
        assert_eq!(name, verb.name, "{path}");
        let body = body.as_deref().map(|bytes| ("application/json", bytes));
        let input = input(verb, &fields, query.as_deref(), body);
        assert_eq!(input.as_ref(), Ok(&verb.example_input), "{}", verb.name);
    }
}

#[test]
fn literals_win_and_other_methods_are_told() {
    assert_eq!(named("POST", "/v1/tokens/narrow").0, "token.narrow");
    assert_eq!(named("DELETE", "/v1/tokens/x").0, "token.revoke");
    let Found::MethodNotAllowed(methods) = find("DELETE", "/v1/tokens/narrow") else {
        panic!("found")
    };
    assert_eq!(methods, ["POST"]);
    let Found::MethodNotAllowed(mut methods) = find("PUT", "/v1/tokens") else { panic!("found") };
    methods.sort_unstable();
    assert_eq!(methods, ["GET", "POST"]);
    for path in [
        "",
        "v1/tokens",
        "/v1",
        "/v1/tokens/",
        "//v1/tokens",
        "/v1/tokens/x/y/z",
        "/V1/tokens",
        "/v1/%74okens",
    ] {
        assert!(matches!(find("GET", path), Found::None), "{path}");
    }
    assert!(matches!(find("get", "/v1/tokens"), Found::MethodNotAllowed(_)));
}

#[test]
fn no_literal_hides_a_record() {
    let paths: Vec<&str> = Registry::get().iter().map(|verb| verb.path).collect();
    for verb in Registry::get().iter() {
        for name in verb.path_fields() {
            let (before, _) = verb.path.split_once(&format!("{{{name}}}")).expect(name);
            let beside =
                paths.iter().filter_map(|path| path.strip_prefix(before)?.split('/').next());
            let schema = crate::validate::Validator::new(verb.field(name).expect(name));
            for literal in beside.filter(|part| !part.starts_with('{')) {
                assert_ne!(
                    schema.faults(&json!(literal), ""),
                    [],
                    "{} hides {name} {literal}",
                    verb.path
                );
            }
        }
    }
}

#[test]
fn path_fields_are_decoded_once_and_refused_by_name() {
    let (_, fields) = named("GET", "/v1/principals/principal_%30");
    assert_eq!(fields, [("principal", "principal_0".to_owned())]);
    for bad in ["..", "a%2fb", "%252e", "principal_%2e%2e", "Acme", "x+y", "%00"] {
        let (name, fields) = named("GET", &format!("/v1/principals/{bad}"));
        assert_eq!(refused(input(verb(name), &fields, None, None)), ["principal"], "{bad}");
    }
    let Found::Malformed(refusal) = find("GET", "/v1/principals/%f") else { panic!("not refused") };
    assert_eq!(refusal.field.as_deref(), Some("principal"));
}

#[test]
fn a_query_is_coerced_and_every_fault_of_it_is_named() {
    let list = verb("approval.list");
    let read = input(list, &[], Some("state=pending&limit=7"), None);
    assert_eq!(read, Ok(json!({ "state": "pending", "limit": 7 })));
    let faults = refused(input(
        list,
        &[],
        Some("limt=7&limit=x&state=pening&cursor=%zz&dry_run=true"),
        None,
    ));
    for field in ["limt", "limit", "state", "cursor", "dry_run"] {
        assert!(faults.iter().any(|fault| fault == field), "{field} is not among {faults:?}");
    }
    assert_eq!(refused(input(list, &[], Some("limit=1&limit=2&limit=3"), None)), ["limit"]);
    let describe = verb("catalogue.describe");
    let read = input(describe, &[], Some("addresses=content.search&addresses=content.slice"), None);
    assert_eq!(read, Ok(json!({ "addresses": ["content.search", "content.slice"] })));
}

#[test]
fn a_body_is_strict_json_with_each_field_once() {
    let create = verb("grant.create");
    let send = |media_type: &str, body: &str| {
        input(create, &[], None, Some((media_type, body.as_bytes())))
    };
    let code = |result: Result<Value, Box<Refusal>>| {
        let refusal = result.expect_err("refused");
        (refusal.code, refusal.field)
    };
    let json = "application/json";
    assert_eq!(
        code(send(json, r#"{"scope":"acme","sc\u006fpe":"globex"}"#)),
        (Code::MalformedBody, Some("scope".to_owned()))
    );
    assert_eq!(
        code(send(json, r#"{"x":{"y":1,"y":2}}"#)),
        (Code::MalformedBody, Some("x.y".to_owned()))
    );
    assert_eq!(code(send(json, "{")).0, Code::MalformedBody);
    // Well-formed, with a value that cannot be kept.
    assert_eq!(
        code(send(json, r#"{"x":12345678901234567890123}"#)),
        (Code::InvalidInput, Some("body".to_owned()))
    );
    assert_eq!(code(send(json, "{} {}")).0, Code::MalformedBody);
    assert_eq!(code(send(json, "[]")), (Code::InvalidInput, Some("body".to_owned())));
    for wrong in
        ["", "text/plain", "application/json-patch+json", "application/json; charset=latin1"]
    {
        assert_eq!(code(send(wrong, "{}")).0, Code::UnsupportedMediaType, "{wrong}");
    }
    for right in [
        "application/json",
        "Application/JSON; charset=\"UTF-8\"",
        "application/json;charset=utf-8",
    ] {
        assert_eq!(code(send(right, "{}")).0, Code::InvalidInput, "{right}");
    }
    let missing = refused(input(create, &[], None, Some(("", b""))));
    assert!(missing.len() > 1, "all that is missing is named: {missing:?}");
}

#[test]
fn nothing_a_request_says_is_dropped() {
    let token = sample::text("token", 2);
    let path = [("token", token.clone())];
    let rebind = verb("token.rebind");
    let body = json!({ "token": sample::text("token", 3), "packs": [], "expected_version": 1 })
        .to_string();
    assert_eq!(
        refused(input(rebind, &path, None, Some(("application/json", body.as_bytes())))),
        ["token"]
    );
    let same = json!({ "token": token, "packs": [], "expected_version": 1 });
    let body = same.to_string();
    assert_eq!(input(rebind, &path, None, Some(("application/json", body.as_bytes()))), Ok(same));
    let faults = refused(input(
        rebind,
        &path,
        Some("packs=live"),
        Some(("application/json", body.as_bytes())),
    ));
    assert_eq!(faults, ["packs"]);
    let revoke = verb("token.revoke");
    assert_eq!(refused(input(revoke, &path, Some("token=x"), None)), ["token"]);
    let refusal =
        input(revoke, &path, None, Some(("application/json", b"{}"))).expect_err("refused");
    assert_eq!(refusal.code, Code::MalformedBody);
}

#[test]
fn a_dry_run_is_taken_out_of_the_query_or_refused() {
    assert_eq!(split_dry_run(None), Ok((false, None)));
    assert_eq!(split_dry_run(Some("dry_run=true")), Ok((true, None)));
    assert_eq!(split_dry_run(Some("a=1&dry_run=false&b")), Ok((false, Some("a=1&b".to_owned()))));
    for bad in ["dry_run", "dry_run=", "dry_run=1", "dry_run=True", "dry_run=true&dry_run=true"] {
        assert_eq!(split_dry_run(Some(bad)).expect_err(bad).field.as_deref(), Some("dry_run"));
    }
    // Written with escapes it is not taken out, and so refused as a field nobody knows.
    let (asked, rest) = split_dry_run(Some("dry%5Frun=true")).expect("taken");
    assert!(!asked);
    assert_eq!(refused(input(verb("token.list"), &[], rest.as_deref(), None)), ["dry_run"]);
}
