use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::json;

use super::super::declaration::{Endpoint, Policy, Server, validate};
use super::*;

fn declared(server: Value, endpoint: Value) -> Validated {
    let server: Server = serde_json::from_value(server).unwrap();
    let endpoint: Endpoint = serde_json::from_value(endpoint).unwrap();
    validate(&server, &endpoint, &Policy::default()).unwrap()
}

fn api(endpoint: Value) -> Validated {
    declared(json!({ "origin": "https://api.example.com" }), endpoint)
}

fn user() -> Validated {
    api(json!({
        "method": "GET", "path": "/v1/users/{id}", "arguments": [
            { "name": "id", "in": "path", "required": true, "schema": { "type": "string" } },
        ],
    }))
}

fn send(validated: &Validated, arguments: &Value) -> Result<String, Vec<Fault>> {
    build(validated, arguments.as_object().unwrap()).map(|built| {
        let url = built.url();
        url[url::Position::BeforePath..].to_owned()
    })
}

fn fields(validated: &Validated, arguments: &Value) -> Vec<String> {
    send(validated, arguments).unwrap_err().into_iter().map(|fault| fault.field).collect()
}

/// Case H1 and its neighbours.
#[test]
fn a_value_that_would_move_the_path_is_refused_by_name() {
    for id in [
        "../../admin",
        "..",
        ".",
        "...",
        "",
        " ",
        "\u{a0}",
        ".. ",
        " ..",
        "a/b",
        "/",
        "//evil.example",
        "\\",
        "..\\admin",
        "/\\evil.example",
        "%2e%2e",
        "%2E%2e%2f",
        "%252e%252e",
        "a%2fb",
        "%",
        "100%",
        "..;",
        "..;x=y",
        ";",
        ";x",
        " ;x",
        ";..",
        "a;..",
        "a;../b",
        ".;.",
        "\t..",
        "a\tb",
        "..\t",
        "a\rb",
        "a\nb",
        "a\0b",
        "\u{7f}",
        "\u{85}",
        "．．",
        "‥",
        "․․",
        ".\u{200b}.",
        "\u{feff}..",
        "https://evil.example/x",
        "%c0%ae%c0%ae",
    ] {
        assert_eq!(fields(&user(), &json!({ "id": id })), ["id"], "{id:?}");
    }
}

/// Case H2 and its neighbours.
#[test]
fn a_value_that_would_cut_the_path_is_one_encoded_segment() {
    for (id, path) in [
        ("1?role=admin#", "/v1/users/1%3Frole%3Dadmin%23"),
        ("1#x", "/v1/users/1%23x"),
        ("1&a=b", "/v1/users/1%26a%3Db"),
        ("a b", "/v1/users/a%20b"),
        ("a;b", "/v1/users/a%3Bb"),
        ("a+b", "/v1/users/a%2Bb"),
        ("@evil.example", "/v1/users/%40evil.example"),
        ("a:80", "/v1/users/a%3A80"),
        ("{id}", "/v1/users/%7Bid%7D"),
        ("..a", "/v1/users/..a"),
        ("é", "/v1/users/%C3%A9"),
        ("~-._", "/v1/users/~-._"),
    ] {
        let built = build(&user(), json!({ "id": id }).as_object().unwrap()).unwrap();
        assert_eq!(built.url().path(), path);
        assert_eq!(built.url().query(), None);
        assert_eq!(built.url().fragment(), None);
    }
}

#[test]
fn a_declared_percent_still_decodes_to_no_slash_and_no_dots() {
    let validated = api(json!({
        "method": "GET", "path": "/v1/{id}", "arguments": [
            { "name": "id", "in": "path", "required": true, "allow_percent": true,
              "schema": { "type": "string" } },
        ],
    }));
    assert_eq!(send(&validated, &json!({ "id": "100%" })).unwrap(), "/v1/100%25");
    assert_eq!(send(&validated, &json!({ "id": "a%20b" })).unwrap(), "/v1/a%2520b");
    for id in [
        "%2e%2e",
        "%2E.",
        "%252e%252e",
        "%25252e%25252e",
        "%2f",
        "a%252fb",
        "%5c",
        "%00",
        "%0d%0a",
        "%2e%2e%3bx",
        "%3b",
        "%20",
        "%ef%bc%8e%ef%bc%8e",
        "%25%32%65%25%32%65",
    ] {
        assert_eq!(fields(&validated, &json!({ "id": id })), ["id"], "{id}");
    }
}

/// Case H7 and its neighbours, with the missing and the ill-typed beside it.
#[test]
fn unknown_missing_and_wrong_arguments_are_named_together() {
    let validated = api(json!({
        "method": "GET", "path": "/v1/{id}", "arguments": [
            { "name": "id", "in": "path", "required": true, "schema": { "type": "string" } },
            { "name": "limit", "in": "query", "schema": { "type": "integer", "maximum": 100 } },
            { "name": "key", "in": "query", "schema": { "type": "string" }, "fixed": "k" },
        ],
    }));
    let found = send(&validated, &json!({ "limt": 5 })).unwrap_err();
    assert_eq!(found[0].field, "limt");
    assert_eq!(found[0].fix, "did you mean `limit`?");
    assert_eq!(found[1].field, "id");
    assert_eq!(fields(&validated, &json!({ "id": "a", "limit": "5" })), ["limit"]);
    assert_eq!(fields(&validated, &json!({ "id": "a", "limit": 101 })), ["limit"]);
    assert_eq!(fields(&validated, &json!({ "id": "a", "limit": null })), ["limit"]);
    assert_eq!(fields(&validated, &json!({ "id": "a", "key": "k" })), ["key"]);
    assert_eq!(
        fields(&validated, &json!({ "id": 7, "zzzzzzzz": 1, "Limit": 1 })),
        ["zzzzzzzz", "Limit", "id"]
    );
    assert_eq!(send(&validated, &json!({ "id": "a", "limit": 5 })).unwrap(), "/v1/a?limit=5&key=k");
}

#[test]
fn a_refused_value_is_not_repeated() {
    let validated = api(json!({
        "method": "GET", "path": "/", "arguments": [
            { "name": "mail", "in": "query", "schema": { "type": "string", "maxLength": 3 } },
        ],
    }));
    let found = send(&validated, &json!({ "mail": "ann@example.com" })).unwrap_err();
    assert!(!format!("{found:?}").contains("ann@"), "{found:?}");
    let built = build(&validated, json!({ "mail": "a@b" }).as_object().unwrap()).unwrap();
    assert!(!format!("{built:?}").contains("a@b") && !format!("{built:?}").contains("a%40b"));
}

#[test]
fn defaults_are_sent_and_digits_are_kept() {
    let validated = api(json!({
        "method": "GET", "path": "/v1/{id}", "arguments": [
            { "name": "id", "in": "path", "required": true, "schema": { "type": "integer" } },
            { "name": "page", "in": "query", "schema": { "type": "integer", "default": 1 } },
        ],
    }));
    let big = json!({ "id": u64::MAX });
    assert_eq!(send(&validated, &big).unwrap(), "/v1/18446744073709551615?page=1");
    assert_eq!(send(&validated, &json!({ "id": -7, "page": 2 })).unwrap(), "/v1/-7?page=2");
    for text in [r#"{"id": 1.0}"#, r#"{"id": 12345678901234567890123}"#, r#"{"id": 1e3}"#] {
        assert_eq!(fields(&validated, &serde_json::from_str(text).unwrap()), ["id"], "{text}");
    }
}

fn list() -> Value {
    json!({ "type": "array", "items": { "type": "string" } })
}

fn members() -> Value {
    json!({
        "type": "object", "additionalProperties": false,
        "properties": { "r": { "type": "integer" }, "g": { "type": "string" } },
    })
}

fn styled(style: &str, explode: Option<bool>, schema: &Value) -> Validated {
    api(json!({ "method": "GET", "path": "/", "arguments": [
        { "name": "c", "in": "query", "style": style, "explode": explode, "schema": schema },
    ] }))
}

#[test]
fn each_style_writes_its_own_pairs() {
    let (list, object) = (list(), members());
    let items = json!({ "c": ["a b", "x&y"] });
    let members = json!({ "c": { "r": 1, "g": "x=y" } });
    for (style, explode, schema, value, query) in [
        ("form", None, &list, &items, "/?c=a%20b&c=x%26y"),
        ("form", Some(false), &list, &items, "/?c=a%20b,x%26y"),
        ("spaceDelimited", None, &list, &json!({ "c": ["a", "b"] }), "/?c=a%20b"),
        ("pipeDelimited", None, &list, &json!({ "c": ["a", "b"] }), "/?c=a%7Cb"),
        ("pipeDelimited", Some(true), &list, &json!({ "c": ["a", "b"] }), "/?c=a&c=b"),
        ("form", None, &object, &members, "/?r=1&g=x%3Dy"),
        ("form", Some(false), &object, &members, "/?c=r,1,g,x%3Dy"),
        ("deepObject", None, &object, &members, "/?c%5Br%5D=1&c%5Bg%5D=x%3Dy"),
        ("form", None, &list, &json!({ "c": [] }), "/"),
    ] {
        assert_eq!(send(&styled(style, explode, schema), value).unwrap(), query, "{style}");
    }
}

#[test]
fn no_value_adds_a_pair_or_an_item() {
    let (list, object) = (list(), members());
    for (style, explode, schema, value) in [
        ("form", Some(false), &list, json!({ "c": ["a,b"] })),
        ("form", Some(false), &list, json!({ "c": [""] })),
        ("spaceDelimited", None, &list, json!({ "c": ["a b"] })),
        ("pipeDelimited", None, &list, json!({ "c": ["a|b"] })),
        ("form", Some(false), &object, json!({ "c": { "g": "1,role,admin" } })),
        ("form", None, &object, json!({ "c": { "role": "admin" } })),
        ("deepObject", None, &object, json!({ "c": { "g][role": "admin" } })),
        ("deepObject", None, &object, json!({ "c": { "g": { "x": 1 } } })),
    ] {
        let found = fields(&styled(style, explode, schema), &value);
        assert!(found.iter().all(|field| field.starts_with('c')), "{value}: {found:?}");
    }
}

#[test]
fn bodies_hold_the_declared_members() {
    let arguments = json!([
        { "name": "amount", "in": "body", "required": true, "schema": { "type": "integer" } },
        { "name": "note", "in": "body", "target": "Note", "schema": { "type": "string" } },
        { "name": "tags", "in": "body", "schema": { "type": "array", "items": { "type": "string" } } },
    ]);
    let post = |body: &str| {
        api(json!({ "method": "POST", "path": "/", "body": body, "arguments": arguments }))
    };
    let given = json!({ "note": "a&b=\"c\"", "amount": 3, "tags": ["x", "y"] });
    let built = build(&post("json"), given.as_object().unwrap()).unwrap();
    assert_eq!(built.body(), r#"{"amount":3,"Note":"a&b=\"c\"","tags":["x","y"]}"#);
    assert_eq!(built.headers().get("content-type").unwrap(), "application/json");
    let built = build(&post("form"), given.as_object().unwrap()).unwrap();
    assert_eq!(built.body(), "amount=3&Note=a%26b%3D%22c%22&tags=x&tags=y");
    let whole = api(json!({ "method": "PUT", "path": "/", "body": "json", "arguments": [
        { "name": "document", "in": "body", "whole_body": true, "required": true,
          "schema": { "type": "array" } },
    ] }));
    let built = build(&whole, json!({ "document": [1, null] }).as_object().unwrap()).unwrap();
    assert_eq!(built.body(), "[1,null]");
}

#[test]
fn headers_come_from_the_declaration_and_hold_visible_ascii() {
    let validated = declared(
        json!({ "origin": "https://api.example.com", "static_headers": { "X-Api-Version": "2" } }),
        json!({
            "method": "POST", "path": "/", "media_types": ["application/json", "text/csv"],
            "idempotency": { "window_seconds": 60, "upstream_header": "Idempotency-Key" },
            "arguments": [
                { "name": "region", "in": "header", "target": "X-Region", "schema": { "type": "string" } },
            ],
        }),
    );
    let mut built = build(&validated, json!({ "region": "eu-1" }).as_object().unwrap()).unwrap();
    assert!(built.set_idempotency_key("key_1"));
    assert!(!built.set_idempotency_key("key\r\n"));
    for (name, value) in [
        ("x-api-version", "2"),
        ("x-region", "eu-1"),
        ("accept", "application/json, text/csv"),
        ("idempotency-key", "key_1"),
    ] {
        assert_eq!(built.headers().get(name).unwrap(), value);
    }
    for region in ["a\r\nHost: evil", "é", "a\0", " a", "\t", ""] {
        assert_eq!(fields(&validated, &json!({ "region": region })), ["region"], "{region:?}");
    }
}

#[test]
fn requests_have_a_largest_size() {
    let long = "x".repeat(MAX_URL_BYTES);
    assert_eq!(fields(&user(), &json!({ "id": long })), ["arguments"]);
}

/// Texts made of what moves paths, cut queries and splits headers, and of anything else.
fn hostile() -> impl Strategy<Value = String> {
    let pieces = [
        ".", "..", "/", "\\", "%", "%2e", "%2f", "%25", ";", "?", "#", "&", "=", "@", ":", "\t",
        "\r\n", "\0", " ", "a", "1", "é", "．", "‥", "\u{200b}", ",", "|", "[", "]", "+", "//",
        "{id}",
    ];
    let made = proptest::collection::vec(proptest::sample::select(pieces.to_vec()), 0..8);
    prop_oneof![made.prop_map(|pieces| pieces.concat()), any::<String>()]
}

fn is_dot_segment(segment: &str) -> bool {
    let mut text = segment.to_owned();
    loop {
        let first = text.split(';').next().unwrap_or_default();
        if matches!(first.trim(), "" | "." | "..") || text.contains(['/', '\\']) {
            return true;
        }
        let next = percent_decode_str(&text).decode_utf8_lossy().into_owned();
        if next == text {
            return false;
        }
        text = next;
    }
}

/// The endpoint of the property below, with and without a declared `%`: compiled once.
static NOTES: LazyLock<[Validated; 2]> = LazyLock::new(|| {
    [false, true].map(|percent| {
        api(json!({
            "method": "GET", "path": "/v1/users/{id}/notes", "arguments": [
                { "name": "id", "in": "path", "required": true, "allow_percent": percent,
                  "schema": { "type": "string" } },
                { "name": "q", "in": "query", "schema": { "type": "string" } },
            ],
        }))
    })
});

const LIST_STYLES: [(&str, bool, char); 4] = [
    ("form", true, '&'),
    ("form", false, ','),
    ("spaceDelimited", false, ' '),
    ("pipeDelimited", false, '|'),
];

static LISTS: LazyLock<[Validated; 4]> = LazyLock::new(|| {
    LIST_STYLES.map(|(style, explode, _)| {
        api(json!({ "method": "GET", "path": "/", "arguments": [
            { "name": "c", "in": "query", "style": style, "explode": explode,
              "schema": { "type": "array", "items": { "type": "string" } } },
        ] }))
    })
});

static FORM: LazyLock<Validated> = LazyLock::new(|| {
    let text = json!({ "type": "string" });
    api(json!({ "method": "POST", "path": "/", "body": "form", "arguments": [
        { "name": "a", "in": "body", "schema": text }, { "name": "b", "in": "body", "schema": text },
    ] }))
});

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn any_value_is_refused_or_stays_in_its_place(id in hostile(), q in hostile(), percent: bool) {
        let arguments = json!({ "id": id, "q": q });
        let Ok(built) = build(&NOTES[usize::from(percent)], arguments.as_object().unwrap()) else { return Ok(()) };
        let url = Url::parse(built.url().as_str()).unwrap();
        prop_assert_eq!(url.origin().ascii_serialization(), "https://api.example.com");
        let segments: Vec<&str> = url.path().split('/').collect();
        let [first, v1, users, filled, notes] = segments[..] else {
            return Err(TestCaseError::fail(format!("{url} has another number of segments")));
        };
        prop_assert_eq!((first, v1, users, notes), ("", "v1", "users", "notes"));
        prop_assert!(!is_dot_segment(filled), "{}", url);
        let decoded = percent_decode_str(filled).decode_utf8().unwrap();
        prop_assert_eq!(decoded.as_ref(), id.as_str());
        let pairs: Vec<(String, String)> = url.query_pairs().into_owned().collect();
        prop_assert_eq!(pairs, [("q".to_owned(), q)]);
        prop_assert_eq!(url.fragment(), None);
        prop_assert!(percent || !id.contains('%'));
    }

    #[test]
    fn any_list_is_refused_or_keeps_its_items(
        items in proptest::collection::vec(hostile(), 0..5),
        style in 0usize..4,
    ) {
        let (_, explode, delimiter) = LIST_STYLES[style];
        let arguments = json!({ "c": items });
        let Ok(built) = build(&LISTS[style], arguments.as_object().unwrap()) else { return Ok(()) };
        let read: Vec<String> = built.url().query_pairs().flat_map(|(name, value)| {
            assert_eq!(name, "c");
            if explode {
                vec![value.into_owned()]
            } else {
                value.split(delimiter).map(str::to_owned).collect()
            }
        }).collect();
        prop_assert_eq!(read, items);
    }

    #[test]
    fn a_form_body_keeps_its_pairs(a in any::<String>(), b in any::<String>()) {
        let built = build(&FORM, json!({ "a": a, "b": b }).as_object().unwrap()).unwrap();
        let read: Vec<(String, String)> =
            url::form_urlencoded::parse(built.body()).into_owned().collect();
        prop_assert_eq!(read, [("a".to_owned(), a), ("b".to_owned(), b)]);
    }
}
