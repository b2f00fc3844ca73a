use contract::shape::http::declaration::{Body, Location, Style};
use contract::shape::http::{Policy, Server, validate};
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn server() -> Server {
    serde_json::from_value(json!({ "origin": "https://shop.example.com" })).expect("a server")
}

fn asked<'a>(document: &'a str, server: &'a Server, policy: &'a Policy) -> Asked<'a> {
    Asked {
        document,
        tags: &[],
        paths: &[],
        base_path: None,
        output_schemas: true,
        limit: 500,
        server,
        policy,
    }
}

fn of(document: &Value) -> Result<Found, Vec<Fault>> {
    read(&asked(&document.to_string(), &server(), &Policy::default()))
}

fn found(document: &Value) -> Found {
    of(document).unwrap_or_else(|faults| panic!("{faults:?}"))
}

/// A document of OpenAPI 3.0 with these paths.
fn with(paths: Value) -> Value {
    let mut document = json!({ "openapi": "3.0.3", "info": { "title": "Shop", "version": "1" } });
    document["paths"] = paths;
    document
}

fn reasons(found: &Found) -> Vec<(String, Reason, String)> {
    found.left_out.iter().map(|one| (one.operation.clone(), one.reason, one.at.clone())).collect()
}

fn names(found: &Found) -> Vec<&str> {
    found.proposals.iter().map(|one| one.tool.name.as_str()).collect()
}

#[test]
fn an_operation_becomes_a_declaration_with_each_argument_in_its_place() {
    let document = json!({
        "openapi": "3.1.0", "servers": [{ "url": "https://shop.example.com/v2/" }],
        "paths": { "/orders/{orderId}/lines": {
            "parameters": [
                { "name": "orderId", "in": "path", "required": true, "schema": { "type": "string", "maxLength": 20 } },
                { "name": "dry", "in": "query", "schema": { "type": "string" } }
            ],
            "post": {
                "operationId": "addOrderLines", "summary": "Adds lines to an order",
                "description": "At most\u{1b}[31m 10 lines.",
                "parameters": [
                    { "name": "dry", "in": "query", "schema": { "type": "boolean", "default": false } },
                    { "name": "tags", "in": "query", "style": "pipeDelimited", "schema": { "type": "array", "items": { "type": "string" } } },
                    { "name": "filter", "in": "query", "style": "deepObject", "explode": true,
                      "schema": { "type": "object", "properties": { "state": { "type": "string" } } } },
                    { "name": "ids", "in": "query", "explode": false, "schema": { "type": "array", "items": { "type": "integer" } } },
                    { "name": "X-Tenant", "in": "header", "description": "Whose.", "schema": { "type": "string" } },
                    { "name": "Accept", "in": "header", "schema": { "type": "string" } }
                ],
                "requestBody": { "required": true, "content": { "application/json; charset=utf-8": { "schema": {
                    "type": "object", "required": ["item", "id"],
                    "properties": { "item": { "type": "integer" }, "id": { "type": "integer", "readOnly": true },
                        "orderId": { "type": ["string", "null"] } } } } } },
                "responses": { "201": { "content": {
                    "text/csv": {}, "application/json": { "schema": { "type": "object", "properties": { "number": { "type": "integer" } } } } } },
                    "400": { "content": { "application/problem+json": {} } } }
            }
        } }
    });
    let found = found(&document);
    assert_eq!(reasons(&found), []);
    let [only] = found.proposals.as_slice() else { panic!("{found:?}") };
    assert_eq!(only.without, []);
    let (tool, endpoint) = (&only.tool, &only.tool.endpoint);
    assert_eq!(tool.name.as_str(), "order_lines.add");
    assert_eq!(tool.about, "Adds lines to an order. At most [31m 10 lines.");
    assert_eq!(tool.effect, contract::Effect::Write);
    assert_eq!(endpoint.path, "/v2/orders/{orderId}/lines");
    assert_eq!(
        (endpoint.body, endpoint.media_types.as_slice()),
        (Body::Json, &["application/json".to_owned()][..])
    );
    assert_eq!(endpoint.output_schema.as_ref().expect("a schema")["type"], json!("object"));
    let told: Vec<_> = endpoint
        .arguments
        .iter()
        .map(|one| {
            (one.name.as_str(), one.target(), one.location, one.required, one.style, one.explode)
        })
        .collect();
    assert_eq!(
        told,
        [
            ("order_id", "orderId", Location::Path, true, Style::Form, None),
            ("dry", "dry", Location::Query, false, Style::Form, None),
            ("tags", "tags", Location::Query, false, Style::PipeDelimited, None),
            ("filter", "filter", Location::Query, false, Style::DeepObject, Some(true)),
            ("ids", "ids", Location::Query, false, Style::Form, Some(false)),
            ("x_tenant", "X-Tenant", Location::Header, false, Style::Form, None),
            ("item", "item", Location::Body, true, Style::Form, None),
            ("order_id_body", "orderId", Location::Body, false, Style::Form, None),
        ]
    );
    let dry = &endpoint.arguments[1].schema;
    assert_eq!(*dry, json!({ "type": "boolean", "description": "(If left out: false.)" }));
    assert_eq!(endpoint.arguments[5].schema["description"], json!("Whose."));
    assert_eq!(
        (found.base_path.as_str(), found.origins.as_slice()),
        ("/v2", &["https://shop.example.com".to_owned()][..])
    );
}

#[test]
fn what_cannot_be_declared_is_named_with_its_place() {
    let text = json!({ "type": "string" });
    let json_body = |schema: Value| json!({ "required": true, "content": { "application/json": { "schema": schema } } });
    let mut document = with(json!({
        "/a/{id}.json": { "get": { "parameters": [{ "name": "id", "in": "path", "required": true, "schema": text }] } },
        "/b": {
            "get": { "parameters": [{ "name": "s", "in": "cookie", "required": true, "schema": text }] },
            "put": { "requestBody": { "required": true, "content": { "multipart/form-data": {} } } },
            "post": { "requestBody": json_body(json!({ "$ref": "https://example.com/x.json" })) },
            "patch": { "requestBody": json_body(json!({ "$ref": "#/components/schemas/Tree" })) },
            "delete": { "parameters": [{ "name": "q", "in": "query", "required": true, "content": {} }] },
            "trace": {}
        },
        "/c": { "$ref": "./c.yaml" },
        "/d/{id}": { "get": {}, "servers": [{ "url": "https://elsewhere.example.com" }] },
        "/e/{id}": { "get": {} },
        "/f": {
            "get": { "parameters": [{ "name": "Host", "in": "header", "required": true, "schema": text }] },
            "post": { "parameters": [{ "name": "o", "in": "query", "required": true, "schema": { "type": "object" } }] },
            "put": { "parameters": (0..70).map(|n| json!({ "name": format!("n{n}"), "in": "query", "required": true, "schema": text })).collect::<Vec<_>>() },
            "patch": { "requestBody": { "required": true } },
        }
    }));
    document["servers"] = json!([{ "url": "https://shop.example.com" }]);
    document["webhooks"] = json!({ "paid": { "post": {} } });
    document["components"] = json!({ "schemas": { "Tree": { "type": "array", "items": { "$ref": "#/components/schemas/Tree" } } } });
    let found = found(&document);
    assert_eq!(names(&found), [""; 0]);
    let at = |rest: &str| format!("/paths/{rest}");
    let body = "requestBody/content/application~1json/schema";
    let expected = [
        ("GET /a/{id}.json", Reason::Path, at("~1a~1{id}.json/get")),
        ("DELETE /b", Reason::Style, at("~1b/delete/parameters/0")),
        ("GET /b", Reason::Cookie, at("~1b/get/parameters/0")),
        ("PATCH /b", Reason::Recursive, at(&format!("~1b/patch/{body}"))),
        ("POST /b", Reason::ExternalReference, at(&format!("~1b/post/{body}"))),
        ("PUT /b", Reason::Body, at("~1b/put/requestBody")),
        ("TRACE /b", Reason::Method, at("~1b/trace")),
        ("any /c", Reason::ExternalReference, at("~1c")),
        ("GET /d/{id}", Reason::OtherServer, at("~1d~1{id}/get/servers")),
        ("GET /e/{id}", Reason::NotDeclarable, at("~1e~1{id}/get")),
        ("GET /f", Reason::Header, at("~1f/get/parameters/0")),
        ("PATCH /f", Reason::Malformed, at("~1f/patch/requestBody")),
        ("POST /f", Reason::Style, at("~1f/post/parameters/0")),
        ("PUT /f", Reason::TooManyArguments, at("~1f/put")),
        ("paid", Reason::Callback, "/webhooks/paid".to_owned()),
    ];
    let expected: Vec<_> = expected
        .into_iter()
        .map(|(operation, reason, at)| (operation.to_owned(), reason, at))
        .collect();
    assert_eq!(reasons(&found), expected);
    for one in &found.left_out {
        let pointed = document
            .pointer(&one.at)
            .or_else(|| document.pointer(one.at.rsplit_once('/').expect("a step").0));
        assert!(pointed.is_some(), "{}", one.at);
        assert!(one.say.ends_with('.'), "{}", one.say);
    }
}

#[test]
fn an_optional_part_that_cannot_be_declared_is_done_without_and_named() {
    let found = found(&with(json!({ "/a": { "post": {
        "parameters": [
            { "name": "s", "in": "cookie", "schema": { "type": "string" } },
            { "name": "ok", "in": "query", "schema": { "type": "string" } },
            { "$ref": "#/nothing" }
        ],
        "requestBody": { "content": { "application/x-www-form-urlencoded": { "schema": { "type": "object", "properties": {
            "plain": { "type": "string" }, "deep": { "type": "object" } } } } } },
        "callbacks": { "done": {} }
    } } })));
    // A parameter that cannot even be read might have been needed.
    assert_eq!(
        reasons(&found),
        [(
            "POST /a".to_owned(),
            Reason::BrokenReference,
            "/paths/~1a/post/parameters/2".to_owned()
        )]
    );
    let mut document = with(json!({ "/a": { "post": {
        "parameters": [{ "name": "s", "in": "cookie", "schema": { "type": "string" } }],
        "requestBody": { "content": { "application/x-www-form-urlencoded": { "schema": { "type": "object", "properties": {
            "plain": { "type": "string" }, "deep": { "type": "object" } } } } } },
        "callbacks": { "done": {} }
    } } }));
    let found = self::found(&document);
    let [only] = found.proposals.as_slice() else { panic!("{found:?}") };
    let without: Vec<_> = only.without.iter().map(|one| (one.reason, one.at.as_str())).collect();
    let form = "/paths/~1a/post/requestBody/content/application~1x-www-form-urlencoded/schema/properties/deep";
    assert_eq!(
        without,
        [
            (Reason::Cookie, "/paths/~1a/post/parameters/0"),
            (Reason::Style, form),
            (Reason::Callback, "/paths/~1a/post/callbacks/done"),
        ]
    );
    assert_eq!(only.tool.endpoint.body, Body::Form);
    assert_eq!(only.tool.endpoint.arguments.len(), 1);
    document["paths"]["/a"]["post"]["requestBody"]["content"] = json!({ "image/png": {} });
    let found = self::found(&document);
    assert_eq!(found.proposals[0].tool.endpoint.body, Body::None);
    assert_eq!(found.proposals[0].without[1].reason, Reason::Body);
}

#[test]
fn a_body_that_is_no_object_is_one_argument() {
    let body = |schema: Value| {
        let found = found(&with(json!({ "/a": { "put": { "requestBody": {
            "required": true, "content": { "application/json": { "schema": schema } } } } } })));
        let endpoint = found.proposals[0].tool.endpoint.clone();
        endpoint
            .arguments
            .into_iter()
            .map(|one| (one.name, one.whole_body, one.required))
            .collect::<Vec<_>>()
    };
    let whole = vec![("body".to_owned(), true, true)];
    for schema in [
        json!({ "type": "array", "items": { "type": "string" } }),
        json!({}),
        json!({ "type": "object", "additionalProperties": { "type": "string" }, "properties": { "a": {} } }),
        json!({ "oneOf": [{ "type": "object" }, { "type": "string" }] }),
    ] {
        assert_eq!(body(schema.clone()), whole, "{schema}");
    }
    let merged = json!({ "allOf": [{ "properties": { "a": {}, "id": { "type": "integer", "readOnly": true } }, "required": ["a"] }, { "type": "object", "properties": { "b": {} } }] });
    assert_eq!(body(merged), [("a".to_owned(), false, true), ("b".to_owned(), false, false)]);
}

#[test]
fn faults_of_a_document_are_told_together_with_their_places() {
    let fields = |document: Value| -> Vec<String> {
        of(&document).expect_err("refused").into_iter().map(|fault| fault.field).collect()
    };
    assert_eq!(
        fields(json!({ "openapi": "4.0.0", "paths": {
            "a": { "get": [], "parameters": {} },
            "/b": 3,
            "/c": { "get": { "parameters": [{ "name": "x" }, { "name": "", "in": "query" }, { "name": "y", "in": "body" }] } }
        } })),
        [
            "document/openapi",
            "document/paths/~1b",
            "document/paths/~1c/get/parameters/0",
            "document/paths/~1c/get/parameters/1",
            "document/paths/~1c/get/parameters/2",
            "document/paths/a",
            "document/paths/a/parameters",
            "document/paths/a/get",
        ]
    );
    assert_eq!(fields(json!({ "swagger": "2.0", "paths": {} })), ["document/openapi"]);
    assert_eq!(fields(json!({})), ["document/openapi", "document/paths"]);
    assert_eq!(fields(json!({ "openapi": "3.10" })), ["document/openapi", "document/paths"]);
    let many: serde_json::Map<String, Value> =
        (0..100).map(|n| (format!("/{n}"), json!(1))).collect();
    assert_eq!(fields(with(Value::Object(many))).len(), 32);
    for text in ["{\"openapi\": ", "openapi: [", "", "just words", "- 1\n- 2\n"] {
        let faults = read(&asked(text, &server(), &Policy::default())).expect_err(text);
        assert!(faults.iter().all(|fault| fault.field.starts_with("document")), "{faults:?}");
    }
}

#[test]
fn tags_paths_and_limit_prune_and_names_do_not_change_by_it() {
    let one = |id: &str, tag: &str| json!({ "get": { "operationId": id, "tags": [tag] } });
    let document = with(json!({
        "/shop/a": one("listThings", "x"), "/shop/b": one("listThings", "y"), "/shopping": one("getIt", "x")
    }))
    .to_string();
    let (server, policy) = (server(), Policy::default());
    let (tags, paths) = (["x".to_owned()], ["/shop".to_owned()]);
    let all = read(&asked(&document, &server, &policy)).expect("reads");
    assert_eq!(names(&all), ["shop.a.list", "shop.b.list", "it.get"]);
    let counts: Vec<_> = all.tags.iter().map(|one| (one.tag.as_str(), one.operations)).collect();
    assert_eq!(counts, [("x", 2), ("y", 1)]);
    let tagged = read(&Asked { tags: &tags, ..asked(&document, &server, &policy) }).expect("reads");
    assert_eq!((names(&tagged), tagged.pruned), (vec!["shop.a.list", "it.get"], 1));
    let under =
        read(&Asked { paths: &paths, ..asked(&document, &server, &policy) }).expect("reads");
    assert_eq!((names(&under), under.pruned), (vec!["shop.a.list", "shop.b.list"], 1));
    let first = read(&Asked { limit: 1, ..asked(&document, &server, &policy) }).expect("reads");
    assert_eq!(names(&first), ["shop.a.list"]);
    let over: Vec<_> =
        reasons(&first).into_iter().map(|(operation, reason, _)| (operation, reason)).collect();
    assert_eq!(
        over,
        [
            ("GET /shop/b".to_owned(), Reason::OverLimit),
            ("GET /shopping".to_owned(), Reason::OverLimit)
        ]
    );
}

#[test]
fn the_documents_servers_give_a_path_and_never_an_origin() {
    let base = |servers: Value| {
        let mut document = with(json!({ "/a": { "get": {} } }));
        document["servers"] = servers;
        let found = found(&document);
        (found.proposals[0].tool.endpoint.path.clone(), found.origins)
    };
    assert_eq!(base(json!([])), ("/a".to_owned(), vec![]));
    assert_eq!(base(json!([{ "url": "/api/" }])), ("/api/a".to_owned(), vec![]));
    let two = json!([{ "url": "http://169.254.169.254/latest" }, { "url": "https://shop.example.com/v1" }]);
    let origins = vec!["http://169.254.169.254".to_owned(), "https://shop.example.com".to_owned()];
    assert_eq!(base(two), ("/v1/a".to_owned(), origins));
    let filled = json!([{ "url": "https://{host}.example.com/{v}", "variables": { "host": { "default": "x" }, "v": { "default": "v9" } } }]);
    assert_eq!(base(filled), ("/v9/a".to_owned(), vec!["https://x.example.com".to_owned()]));
    let document = with(json!({ "/a": { "get": {} } })).to_string();
    let (server, policy) = (server(), Policy::default());
    let asked = Asked { base_path: Some("no"), ..asked(&document, &server, &policy) };
    assert_eq!(read(&asked).expect_err("refused")[0].field, "base_path");
}

#[test]
fn ways_to_authenticate_are_suggested() {
    let mut document = with(json!({}));
    document["components"] = json!({ "securitySchemes": {
        "a": { "type": "apiKey", "in": "header", "name": "X-Key" }, "b": { "type": "http", "scheme": "Bearer" },
        "c": { "type": "apiKey", "in": "cookie", "name": "s" }, "d": { "type": "mutualTLS" }, "e": { "type": "oauth2" }
    } });
    let found = found(&document);
    let told: Vec<_> = found
        .credentials
        .iter()
        .map(|one| serde_json::to_value(&one.placement).expect("JSON"))
        .collect();
    assert_eq!(
        told,
        [
            json!({ "kind": "header", "name": "X-Key", "prefix": "" }),
            json!({ "kind": "bearer" }),
            json!(null),
            json!(null),
            json!({ "kind": "bearer" })
        ]
    );
}

/// Over documents of real systems, which `scripts/openapi-documents.sh` fetches: each operation is
/// proposed or named.
#[test]
#[ignore = "needs documents of others in the folder that OPENAPI_DOCUMENTS names"]
#[expect(clippy::print_stdout, reason = "whoever runs it wants to read what became of each")]
fn documents_of_real_systems_are_read() {
    let folder = std::env::var("OPENAPI_DOCUMENTS").expect("a folder");
    let mut read_some = 0;
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a text");
        let (server, policy) = (server(), Policy::default());
        let found = read(&asked(&text, &server, &policy));
        let found = found.unwrap_or_else(|faults| panic!("{}: {faults:#?}", path.display()));
        let mut counts = std::collections::BTreeMap::new();
        for one in &found.left_out {
            *counts.entry(one.reason).or_insert(0) += 1;
        }
        println!(
            "{}: {} of {} proposed, left out {counts:?}, without {}",
            path.display(),
            found.proposals.len(),
            found.operations,
            found.proposals.iter().map(|one| one.without.len()).sum::<usize>()
        );
        for one in found.left_out.iter().filter(|one| one.reason != Reason::OverLimit).take(6) {
            println!("    {} {:?} {}", one.operation, one.reason, one.say);
        }
        println!("    {:?}", names(&found).into_iter().take(8).collect::<Vec<_>>());
        let whole = found.proposals.len() + found.left_out.len();
        assert!(whole >= found.operations.min(LEFT_OUT_MAX), "{}", path.display());
        read_some += 1;
    }
    assert!(read_some > 0, "the folder is empty");
}

/// Something that a schema of a document may be, sound or not.
fn any_schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({})),
        Just(json!(true)),
        Just(json!(7)),
        Just(json!({ "$ref": "#/components/schemas/Tree" })),
        Just(json!({ "$ref": "#/components/schemas/Plain" })),
        Just(json!({ "$ref": "x.yaml" })),
        prop::sample::select(vec!["string", "integer", "boolean", "object", "array", "file"])
            .prop_map(|kind| json!({ "type": kind, "nullable": true, "default": 1 })),
        (any::<i32>(), any::<bool>())
            .prop_map(|(n, not)| json!({ "type": "number", "minimum": n, "exclusiveMinimum": not, "pattern": "(?!x)" })),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            prop::collection::btree_map("[a-zA-Z_$.é-]{0,8}", inner.clone(), 0..4).prop_map(
                |fields| {
                    let names: Vec<_> = fields.keys().take(1).cloned().collect();
                    json!({ "type": "object", "properties": fields, "required": names })
                }
            ),
            inner.clone().prop_map(|items| json!({ "type": "array", "items": items })),
            prop::collection::vec(inner, 1..3).prop_map(|parts| json!({ "allOf": parts })),
        ]
    })
}

prop_compose! {
    fn any_operation()(
        id in prop::option::of("[a-zA-Z./_-]{0,20}"),
        parameters in prop::collection::vec(
            ("[a-zA-Z-]{1,8}", prop::sample::select(vec!["query", "header", "cookie", "path"]), any_schema(), any::<bool>(),
             prop::option::of(prop::sample::select(vec!["form", "simple", "deepObject", "matrix"]))), 0..4),
        body in prop::option::of((any_schema(), any::<bool>(),
            prop::sample::select(vec!["application/json", "application/x-www-form-urlencoded", "multipart/form-data"]))),
        summary in "\\PC{0,30}",
        answer in any_schema(),
    ) -> Value {
        let parameters: Vec<_> = parameters.into_iter().map(|(name, place, schema, required, style)| {
            let mut one = json!({ "name": name, "in": place, "schema": schema, "required": required });
            if let Some(style) = style { one["style"] = json!(style); }
            one
        }).collect();
        let mut operation = json!({ "parameters": parameters, "summary": summary,
            "responses": { "200": { "content": { "application/json": { "schema": answer } } } } });
        if let Some(id) = id { operation["operationId"] = json!(id); }
        if let Some((schema, required, kind)) = body {
            operation["requestBody"] = json!({ "required": required, "content": { kind: { "schema": schema } } });
        }
        operation
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Whatever a document says: each operation is proposed, without a fault and under a name of its
    /// own, or named; and the order in which the document lists them changes nothing.
    #[test]
    fn every_operation_is_a_sound_declaration_or_named(
        paths in prop::collection::btree_map("(/[a-z]{1,3}|/\\{[a-z]{1,2}\\}){1,3}",
            prop::collection::btree_map(prop::sample::select(vec!["get", "post", "delete"]), any_operation(), 1..3), 1..5),
        is_31 in any::<bool>(),
    ) {
        let version = if is_31 { "3.1.0" } else { "3.0.3" };
        let components = json!({ "schemas": {
            "Tree": { "type": "object", "properties": { "t": { "$ref": "#/components/schemas/Tree" } } },
            "Plain": { "type": "string" } } });
        let document = json!({ "openapi": version, "paths": paths, "components": components });
        let found = found(&document);
        let count: usize = paths.values().map(std::collections::BTreeMap::len).sum();
        prop_assert_eq!(found.proposals.len() + found.left_out.len(), count);
        let mut names = std::collections::BTreeSet::new();
        for one in &found.proposals {
            prop_assert!(names.insert(one.tool.name.as_str()), "{} twice", one.tool.name);
            let faults = validate(&server(), &one.tool.endpoint, &Policy::default()).err();
            prop_assert_eq!(faults, None);
            let length = one.tool.about.chars().count();
            prop_assert!((1..=1_000).contains(&length));
        }
        let mut turned = document.clone();
        let reversed: serde_json::Map<String, Value> =
            document["paths"].as_object().unwrap().iter().rev().map(|(path, item)| {
                let item = item.as_object().unwrap().iter().rev().map(|(m, o)| (m.clone(), o.clone())).collect();
                (path.clone(), Value::Object(item))
            }).collect();
        turned["paths"] = Value::Object(reversed);
        let again = self::found(&turned);
        prop_assert_eq!(format!("{:?}", again.proposals), format!("{:?}", found.proposals));
        prop_assert_eq!(again.left_out, found.left_out);
    }
}
