use serde_json::json;

use super::*;

fn server(extra: Value) -> Server {
    let mut whole = json!({ "origin": "https://api.example.com" });
    merge(&mut whole, extra);
    serde_json::from_value(whole).unwrap()
}

fn endpoint(extra: Value) -> Endpoint {
    let mut whole = json!({ "method": "GET", "path": "/v1/users" });
    merge(&mut whole, extra);
    serde_json::from_value(whole).unwrap()
}

fn merge(whole: &mut Value, extra: Value) {
    let Value::Object(extra) = extra else { panic!("not an object") };
    whole.as_object_mut().unwrap().extend(extra);
}

/// The fields of all faults.
fn faults(server: &Server, endpoint: &Endpoint, policy: &Policy) -> Vec<String> {
    match validate(server, endpoint, policy) {
        Ok(_) => Vec::new(),
        Err(faults) => {
            assert!(!faults.is_empty());
            for fault in &faults {
                assert!(!fault.say.is_empty() && !fault.fix.is_empty(), "{fault:?}");
            }
            faults.into_iter().map(|fault| fault.field).collect()
        }
    }
}

fn endpoint_faults(extra: Value) -> Vec<String> {
    faults(&server(json!({})), &endpoint(extra), &Policy::default())
}

fn server_faults(extra: Value, policy: &Policy) -> Vec<String> {
    faults(&server(extra), &endpoint(json!({})), policy)
}

fn argument(extra: Value) -> Value {
    let mut whole = json!({ "name": "id", "in": "query", "schema": { "type": "string" } });
    merge(&mut whole, extra);
    whole
}

/// The faults of one argument, without the path that leads to it.
fn argument_faults(extra: Value, around: Value) -> Vec<String> {
    let mut whole = json!({ "arguments": [argument(extra)] });
    merge(&mut whole, around);
    let strip = |field: String| field.replace("/endpoint/arguments/0/", "");
    endpoint_faults(whole).into_iter().map(strip).collect()
}

#[test]
fn a_plain_declaration_has_no_fault_and_its_defaults() {
    let declared = endpoint(json!({}));
    assert_eq!(declared.timeout_ms, 10_000);
    assert_eq!(declared.response_limit_bytes, 1 << 20);
    assert_eq!(declared.max_ratio, 100);
    assert_eq!(declared.media_types, ["application/json"]);
    let validated = validate(&server(json!({})), &declared, &Policy::default()).unwrap();
    assert_eq!(validated.target().origin().to_string(), "https://api.example.com");
    assert!(
        serde_json::from_value::<Endpoint>(json!({ "method": "GET", "path": "/", "x": 1 }))
            .is_err()
    );
    let _ = schemars::schema_for!(Endpoint);
}

/// Case H3 and its neighbours: whatever a host is spelled like, it is judged as it is read.
#[test]
fn hosts_that_are_private_in_any_spelling_are_refused() {
    for host in [
        "[::ffff:a9fe:a9fe]",
        "[::ffff:169.254.169.254]",
        "[::ffff:7f00:1]",
        "[::1]",
        "[::]",
        "[::7f00:1]",
        "[fd00:ec2::254]",
        "[64:ff9b::a9fe:a9fe]",
        "[2002:7f00:1::]",
        "2130706433",
        "0",
        "127.1",
        "0x7f.1",
        "0177.0.0.1",
        "127。0。0。1",
        "１２７.０.０.１",
        "①②⑦.⓪.⓪.①",
        "127%2e0.0.1",
        "127.0.0.1",
        "127.0.0.1.",
        "169.254.169.254",
        "10.0.0.1",
        "192.168.1.1",
        "8.8.8.8",
        "localhost",
        "localhost.",
        "LOCALHOST",
        "a.localhost",
        "a.localhost.",
        "metadata",
        "metadata.google.internal",
        "metadata.google.internal.",
        "db.internal",
        "printer.local",
        "router.lan",
        "router.home.arpa",
        "intranet",
    ] {
        let origin = format!("https://{host}");
        let found = server_faults(json!({ "origin": origin }), &Policy::default());
        assert!(!found.is_empty(), "{host} was let through");
        assert!(found.iter().all(|field| field == "/server/origin"), "{host}: {found:?}");
    }
}

#[test]
fn an_operators_block_lets_a_plainly_spelled_address_through() {
    let policy = Policy { http: true, private: vec!["127.0.0.0/8".parse().unwrap()] };
    let inside = json!({
        "origin": "http://127.0.0.1:8080", "allow_http": true, "allow_private": ["127.0.0.0/8"],
    });
    assert!(server_faults(inside, &policy).is_empty());
    let name = json!({ "origin": "https://localhost", "allow_private": ["127.0.0.1/32"] });
    assert!(server_faults(name, &policy).is_empty());
    for origin in ["https://2130706433", "https://127.1", "https://localhost.", "https://10.0.0.1"]
    {
        let odd = json!({ "origin": origin, "allow_private": ["127.0.0.0/8"] });
        assert_eq!(server_faults(odd, &policy), ["/server/origin"], "{origin}");
    }
    let metadata =
        json!({ "origin": "https://169.254.169.254", "allow_private": ["169.254.0.0/16"] });
    let wide = Policy { http: false, private: vec!["0.0.0.0/0".parse().unwrap()] };
    assert_eq!(server_faults(metadata, &wide), ["/server/origin"]);
}

#[test]
fn what_only_an_operator_may_allow_is_refused_without_one() {
    let asked =
        json!({ "origin": "http://10.0.0.1", "allow_http": true, "allow_private": ["10.0.0.0/8"] });
    let found = server_faults(asked.clone(), &Policy::default());
    assert_eq!(found, ["/server/allow_private/0", "/server/origin"]);
    let narrow = Policy { http: true, private: vec!["10.0.0.0/16".parse().unwrap()] };
    assert_eq!(server_faults(asked, &narrow), ["/server/allow_private/0"]);
    let plain = json!({ "origin": "http://api.example.com" });
    assert_eq!(
        server_faults(plain, &Policy { http: true, private: Vec::new() }),
        ["/server/origin"]
    );
    let idle = json!({ "allow_http": true });
    assert_eq!(server_faults(idle, &Policy::default()), ["/server/allow_http"]);
}

#[test]
fn headers_that_say_where_a_request_goes_or_who_sends_it_are_refused() {
    for name in [
        "Host",
        "authorization",
        "Cookie",
        "Content-Length",
        "Transfer-Encoding",
        "Connection",
        "Proxy-Authorization",
        "TE",
        "Upgrade",
        "X-HTTP-Method-Override",
    ] {
        let fixed = json!({ "static_headers": { name: "x" } });
        let field = format!("/server/static_headers/{name}");
        assert_eq!(server_faults(fixed, &Policy::default()), [field]);
        let found = argument_faults(json!({ "in": "header", "target": name }), json!({}));
        assert_eq!(found, ["target"], "{name}");
    }
    let key = json!({ "kind": "header", "name": "X-Key" });
    let both = json!({
        "credential": { "id": "credential_1", "placement": key }, "static_headers": { "x-key": "a" },
    });
    assert_eq!(server_faults(both, &Policy::default()), ["/server/static_headers/x-key"]);
    for value in ["", "a\r\nb", " a", "é"] {
        let fixed = json!({ "static_headers": { "x-a": value } });
        assert_eq!(server_faults(fixed, &Policy::default()).len(), 1, "{value:?}");
    }
}

#[test]
fn a_path_is_literal_segments_and_whole_arguments() {
    let id = || json!([argument(json!({ "in": "path", "required": true }))]);
    for path in ["/v1/users/{id}", "/{id}", "/v1/{id}/", "/v1/a:b@c/{id}"] {
        let found = endpoint_faults(json!({ "path": path, "arguments": id() }));
        assert!(found.is_empty(), "{path}: {found:?}");
    }
    for path in [
        "v1/{id}",
        "/v1/u{id}",
        "/v1/{id}.json",
        "/v1/{id}{id}",
        "/v1/{id",
        "/v1/id}",
        "/v1/{{id}}",
        "/v1//{id}",
        "//evil.example/{id}",
        "/v1/./{id}",
        "/v1/../{id}",
        "/v1/.../{id}",
        "/v1/%2e/{id}",
        "/v1/a;b/{id}",
        "/v1/a\\b/{id}",
        "/v1/a?b/{id}",
        "/v1/a#b/{id}",
        "/v1/a b/{id}",
        "/v1/é/{id}",
        "/v1/{id}/{id}",
        "/v1/{}",
        "/v1/\t/{id}",
    ] {
        let found = endpoint_faults(json!({ "path": path, "arguments": id() }));
        assert!(found.contains(&"/endpoint/path".to_owned()), "{path}: {found:?}");
    }
    let found = endpoint_faults(json!({ "path": "/v1/users/{nobody}" }));
    assert_eq!(found, ["/endpoint/path"]);
    let found = endpoint_faults(json!({ "path": "/v1/users", "arguments": id() }));
    assert_eq!(found, ["/endpoint/arguments/0/in"]);
}

#[test]
fn each_rule_of_an_argument_names_its_field() {
    for (extra, around, field) in [
        (json!({ "name": "Id" }), json!({}), "name"),
        (json!({ "name": "1d" }), json!({}), "name"),
        (json!({ "name": "" }), json!({}), "name"),
        (json!({ "name": "a-b" }), json!({}), "name"),
        (json!({ "in": "path" }), json!({ "path": "/{id}" }), "required"),
        (json!({ "target": "" }), json!({}), "target"),
        (json!({ "schema": { "type": "strin" } }), json!({}), "schema/type"),
        (json!({ "schema": {} }), json!({}), "schema/type"),
        (json!({ "schema": { "type": ["string", "null"] } }), json!({}), "schema/type"),
        (json!({ "schema": { "type": "object" } }), json!({}), "schema/type"),
        (json!({ "schema": { "type": "string", "pattern": "(" } }), json!({}), "schema"),
        (json!({ "schema": { "type": "string", "$ref": "#/x" } }), json!({}), "schema"),
        (json!({ "schema": { "type": "string", "$id": "http://x/y" } }), json!({}), "schema"),
        (json!({ "schema": { "type": "string", "default": 7 } }), json!({}), "schema/default"),
        (json!({ "fixed": 7 }), json!({}), "fixed"),
        (json!({ "fixed": "x", "required": true }), json!({}), "required"),
    ] {
        let found = argument_faults(extra.clone(), around);
        assert!(found.iter().any(|one| one == field), "{extra}: {found:?}");
    }
}

#[test]
fn settings_out_of_their_place_are_refused() {
    let post = || json!({ "method": "POST", "body": "json" });
    for (extra, around, field) in [
        (json!({ "style": "deepObject" }), json!({}), "schema/type"),
        (json!({ "style": "pipeDelimited" }), json!({}), "schema/type"),
        (json!({ "allow_percent": true }), json!({}), "allow_percent"),
        (json!({ "whole_body": true }), json!({}), "whole_body"),
        (json!({ "in": "header", "explode": true }), json!({}), "explode"),
        (json!({ "in": "header", "schema": { "type": "array" } }), json!({}), "schema/type"),
        (json!({ "in": "body" }), json!({}), "in"),
        (json!({ "in": "body", "style": "deepObject" }), post(), "style"),
        (json!({ "in": "body", "target": "" }), post(), "target"),
        (
            json!({ "in": "body", "whole_body": true }),
            json!({ "method": "POST", "body": "form" }),
            "whole_body",
        ),
    ] {
        let found = argument_faults(extra.clone(), around);
        assert!(found.iter().any(|one| one == field), "{extra}: {found:?}");
    }
    assert!(argument_faults(json!({ "in": "body" }), post()).is_empty());
    assert!(
        argument_faults(json!({ "in": "body", "whole_body": true, "target": "" }), post())
            .is_empty()
    );
    let members = json!({
        "type": "object", "properties": { "a": { "type": "string" } }, "additionalProperties": false,
    });
    let deep = json!({ "style": "deepObject", "schema": members });
    assert!(argument_faults(deep, json!({})).is_empty());
}

#[test]
fn no_two_things_fill_one_place() {
    let twice = |first: Value, second: Value| {
        endpoint_faults(json!({
            "method": "POST", "body": "json", "arguments": [argument(first), argument(second)],
        }))
    };
    let second = json!({ "name": "b", "target": "ID" });
    assert_eq!(twice(json!({}), second), ["/endpoint/arguments/1/target"]);
    assert_eq!(twice(json!({}), json!({}))[0], "/endpoint/arguments/1/name");
    assert!(twice(json!({}), json!({ "name": "b", "in": "body", "target": "id" })).is_empty());
    let members = json!({
        "type": "object", "properties": { "id": { "type": "string" } }, "additionalProperties": false,
    });
    let spread = json!({ "name": "b", "schema": members });
    assert_eq!(twice(json!({}), spread), ["/endpoint/arguments/1/target"]);
    let placement = json!({ "kind": "query", "name": "Id" });
    let server = server(json!({ "credential": { "id": "c", "placement": placement } }));
    let endpoint = endpoint(json!({ "arguments": [argument(json!({}))] }));
    assert_eq!(faults(&server, &endpoint, &Policy::default()), ["/endpoint/arguments/0/target"]);
}

#[test]
fn limits_and_the_rest_are_in_range() {
    for (extra, field) in [
        (json!({ "timeout_ms": 0 }), "timeout_ms"),
        (json!({ "timeout_ms": 120_001 }), "timeout_ms"),
        (json!({ "response_limit_bytes": 67_108_865 }), "response_limit_bytes"),
        (json!({ "max_ratio": 0 }), "max_ratio"),
        (json!({ "rate_limit": { "calls": 0, "per_seconds": 1 } }), "rate_limit/calls"),
        (json!({ "idempotency": { "window_seconds": 0 } }), "idempotency/window_seconds"),
        (
            json!({ "idempotency": { "window_seconds": 1, "upstream_header": "Host" } }),
            "idempotency/upstream_header",
        ),
        (json!({ "media_types": [] }), "media_types"),
        (json!({ "media_types": ["application/json; charset=utf-8"] }), "media_types/0"),
        (json!({ "media_types": ["*/*"] }), "media_types/0"),
        (json!({ "body": "json" }), "body"),
        (json!({ "output_schema": { "$ref": "https://example.com/s" } }), "output_schema"),
        (json!({ "output_schema": { "type": 7 } }), "output_schema"),
        (
            json!({ "clean_outputs": [{ "pointer": "/x", "kind": { "type": "pattern", "pattern": ".*" } }] }),
            "clean_outputs/0",
        ),
        (json!({ "lookup": { "address": "x", "arguments": {}, "done": "" } }), "lookup/address"),
        (
            json!({ "lookup": { "address": "a.b", "arguments": { "r": "/no" }, "done": "" } }),
            "lookup/arguments/r",
        ),
        (
            json!({ "lookup": { "address": "no.such.Tool", "arguments": {}, "done": "" } }),
            "lookup/address",
        ),
        (
            json!({ "lookup": { "address": "a.b", "arguments": {}, "done": "",
                "absent_statuses": [404, 500] } }),
            "lookup/absent_statuses/1",
        ),
        (
            json!({ "lookup": { "address": "a.b", "arguments": {}, "done": "",
                "settles_seconds": 90_000 } }),
            "lookup",
        ),
    ] {
        assert_eq!(endpoint_faults(extra.clone()), [format!("/endpoint/{field}")], "{extra}");
    }
}

#[test]
fn all_faults_come_together() {
    let found = faults(
        &server(json!({ "origin": "https://localhost.", "static_headers": { "Host": "x" } })),
        &endpoint(json!({
            "path": "/v1/u{id}", "timeout_ms": 0,
            "arguments": [argument(json!({ "name": "Bad", "in": "header", "target": "TE" }))],
        })),
        &Policy::default(),
    );
    for field in [
        "/server/origin",
        "/server/static_headers/Host",
        "/endpoint/path",
        "/endpoint/arguments/0/name",
        "/endpoint/arguments/0/target",
        "/endpoint/timeout_ms",
    ] {
        assert!(found.iter().any(|one| one == field), "{field} is not in {found:?}");
    }
}

#[test]
fn the_input_schema_is_closed_and_leaves_out_what_is_fixed() {
    let declared = endpoint(json!({ "path": "/v1/{id}", "arguments": [
        argument(json!({ "in": "path", "required": true })),
        argument(json!({ "name": "limit", "schema": { "type": "integer", "default": 20 }, "required": true })),
        argument(json!({ "name": "q", "fixed": "sum(errors)" })),
    ] }));
    assert_eq!(
        input_schema(&declared),
        json!({
            "type": "object",
            "properties": { "id": { "type": "string" }, "limit": { "type": "integer", "default": 20 } },
            "required": ["id"],
            "additionalProperties": false,
        })
    );
}

#[test]
fn an_answer_is_held_against_its_schema_without_repeating_its_values() {
    let declared = endpoint(json!({
        "output_schema": { "type": "object", "properties": { "id": { "$ref": "#/$defs/id" } },
            "$defs": { "id": { "type": "integer" } } },
        "clean_outputs": [{ "pointer": "/id", "kind": { "type": "integer" } }],
    }));
    let validated = validate(&server(json!({})), &declared, &Policy::default()).unwrap();
    assert!(validated.check_output(&json!({ "id": 1 })).is_empty());
    let found = validated.check_output(&json!({ "id": "ann@example.com" }));
    assert_eq!(found[0].field, "/id");
    assert!(!found[0].say.contains("ann@"), "{}", found[0].say);
    assert_eq!(validated.clean_values(&json!({ "id": 1 })).len(), 1);
}

#[test]
fn a_look_up_says_done_of_what_is_there() {
    let lookup: Lookup = serde_json::from_value(json!({
        "address": "a.b", "arguments": { "ref": "/reference", "more": "/none" }, "done": "/items"
    }))
    .expect("a look-up");
    for (answer, done) in [
        (json!({ "items": [1] }), true),
        (json!({ "items": { "id": 1 } }), true),
        (json!({ "items": 0 }), true),
        (json!({ "items": "" }), true),
        (json!({ "items": true }), true),
        (json!({ "items": [] }), false),
        (json!({ "items": false }), false),
        (json!({ "items": null }), false),
    ] {
        assert_eq!(lookup.says_done(&answer), Some(done), "{answer}");
    }
    for answer in [json!({}), json!([]), json!({ "error": "none" }), json!(null)] {
        assert_eq!(lookup.says_done(&answer), None, "{answer}");
    }
    assert_eq!(lookup.arguments_of(&json!({ "reference": "r-1", "text": "no" })), Err("/none"));
    let given = lookup.arguments_of(&json!({ "reference": "r-1", "none": [1] }));
    assert_eq!(given.map(Value::Object), Ok(json!({ "ref": "r-1", "more": [1] })));
}
