//! Declared endpoints against an upstream that misbehaves: cases H1 to H7, from outside.

use std::sync::LazyLock;

use e2e::World;
use e2e::world::API_KEY;
use serde_json::{Value, json};

fn server(origin: &str, credential: Option<&Value>, tools: &Value) -> Value {
    let mut instance = json!({
        "shape": "http", "origin": origin, "allow_http": true, "allow_private": ["127.0.0.0/8"]
    });
    if let Some(credential) = credential {
        let members = instance.as_object_mut().expect("an object");
        members.insert("credential".to_owned(), credential.clone());
    }
    json!({ "scope": "acme/shop", "name": "odd", "instance": instance, "tools": tools })
}

fn get(name: &str, path: &str) -> Value {
    let endpoint = json!({ "method": "GET", "path": path });
    json!({ "name": name, "about": "Something odd.", "effect": "read", "endpoint": endpoint })
}

fn user() -> Value {
    json!({
        "name": "user.get", "about": "A user.", "effect": "read",
        "endpoint": { "method": "GET", "path": "/v1/users/{id}", "arguments": [
            { "name": "id", "in": "path", "required": true, "schema": { "type": "string" } },
            { "name": "limit", "in": "query", "schema": { "type": "integer" } }] }
    })
}

async fn with(tools: Value) -> World {
    let mut world = World::start().await;
    let (ana, origin) = (world.ana.clone(), world.upstream.origin.clone());
    world.server(&ana, server(&origin, None, &tools)).await;
    world
}

#[tokio::test(flavor = "multi_thread")]
async fn h1_h2_h7_an_argument_stays_in_its_segment_or_is_refused_by_name_and_nothing_is_sent() {
    let world = with(json!([user()])).await;
    let before = world.upstream.seen().len();
    for id in
        ["../../admin", "..", ".", "", "a/b", "a\\b", "%2e%2e", "a\tb", "a\nb", "..;x", "%252e"]
    {
        let said = world.call(&world.shop_bot, "shop/odd.user.get", json!({ "id": id })).await;
        assert_eq!(said.code(), "invalid_input", "{id:?}: {}", said.body);
        assert_eq!(said.text("/refusal/field"), "arguments.id", "{id:?}");
        assert!(!said.text("/refusal/decision_id").is_empty());
    }
    let said =
        world.call(&world.shop_bot, "shop/odd.user.get", json!({ "id": "1", "limt": 5 })).await;
    assert_eq!(said.text("/refusal/field"), "arguments.limt");
    assert!(said.text("/refusal/fix").contains("limit"), "{}", said.body);
    assert_eq!(world.upstream.seen().len(), before, "a refused call was sent");
    let said =
        world.call(&world.shop_bot, "shop/odd.user.get", json!({ "id": "1?role=admin#" })).await;
    let seen = world.upstream.seen();
    match seen.get(before) {
        Some(sent) => assert_eq!(sent.target, "/v1/users/1%3Frole%3Dadmin%23"),
        None => assert_eq!(said.code(), "invalid_input"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn h3_a_private_host_is_refused_when_registered_however_it_is_spelled() {
    let world = World::start().await;
    for host in [
        "[::ffff:a9fe:a9fe]",
        "2130706433",
        "0",
        "127.1",
        "localhost.",
        "localhost",
        "169.254.169.254",
        "0x7f.1",
        "[::1]",
        "10.0.0.1",
        "metadata.google.internal",
    ] {
        let mut body = server(&format!("https://{host}"), None, &json!([get("x", "/x")]));
        body["instance"] = json!({ "shape": "http", "origin": format!("https://{host}") });
        let said = world.rest(&world.ana, "POST", "/v1/servers", body).await;
        assert_eq!(said.code(), "invalid_input", "{host}: {}", said.body);
        assert!(said.text("/refusal/field").starts_with("instance"), "{host}: {}", said.body);
    }
    let listed = world.must(&world.ana, "GET", "/v1/servers", Value::Null).await;
    assert!(!listed.to_string().contains("\"odd\""), "something was written");
}

#[tokio::test(flavor = "multi_thread")]
async fn h5_a_bomb_is_cut_off_at_the_limit() {
    LazyLock::force(&e2e::upstream::BOMB);
    let world = with(json!([get("bomb", "/bomb")])).await;
    let said = world.call(&world.shop_bot, "shop/odd.bomb", json!({})).await;
    assert_eq!(said.code(), "response_too_large", "{}", said.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_of_another_shape_than_declared_is_refused_and_a_write_is_not_made_again() {
    let tool = |name: &str, number: &str| {
        json!({ "name": name, "about": "Opens a ticket.", "effect": "write", "endpoint": {
            "method": "POST", "path": "/tickets", "output_schema": {
                "type": "object", "properties": { "number": { "type": number } } } } })
    };
    let world = with(json!([tool("fits", "integer"), tool("other", "string")])).await;
    let said = world.call(&world.shop_bot, "shop/odd.fits", json!({})).await;
    assert_eq!(said.status, 200, "{}", said.body);
    let before = world.upstream.count("POST", "/tickets");
    for _ in 0..2 {
        let said = world.call(&world.shop_bot, "shop/odd.other", json!({})).await;
        assert_eq!(said.status, 424, "{}", said.body);
        assert_eq!(said.code(), "upstream_schema", "{}", said.body);
        assert_eq!(said.body["refusal"]["faults"][0]["field"], "/number", "{}", said.body);
    }
    assert_eq!(world.upstream.count("POST", "/tickets"), before + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn h6_no_byte_of_a_credential_comes_back_or_is_kept() {
    let mut world = World::start().await;
    let (ana, origin) = (world.ana.clone(), world.upstream.origin.clone());
    let said = world.call(&world.shop_bot, "shop/checkout/billing.echo", json!({})).await;
    assert_eq!(world.upstream.count("GET", "/echo"), 1);
    let sent = world.upstream.seen().last().and_then(|seen| seen.headers.get("x-api-key").cloned());
    assert_eq!(sent.as_ref().and_then(|key| key.to_str().ok()), Some(API_KEY));
    assert!(!said.body.to_string().contains(API_KEY), "{}", said.body);
    // A closed port, with the credential in the query.
    let closed = "http://127.0.0.1:9";
    let secret = "query-secret-77aa";
    let body = json!({ "name": "closed-key", "scope": "acme/shop", "origins": [closed], "secret": secret });
    let credential = world.must(&ana, "POST", "/v1/credentials", body).await;
    let body = json!({ "credential": credential["id"], "scope": "acme/shop" });
    world.must(&ana, "POST", "/v1/credential-grants", body).await;
    let placed =
        json!({ "id": credential["id"], "placement": { "kind": "query", "name": "api_key" } });
    world.server(&ana, server(closed, Some(&placed), &json!([get("gone", "/gone")]))).await;
    let said = world.call(&world.shop_bot, "shop/odd.gone", json!({})).await;
    assert_eq!(said.status, 503, "{}", said.body);
    let ledger = world.must(&ana, "GET", "/v1/ledger?limit=200", Value::Null).await;
    for text in [said.body.to_string(), ledger.to_string()] {
        assert!(!text.contains(secret) && !text.contains(API_KEY), "a secret is in {text}");
    }
    for file in files(world.dir.path()) {
        let bytes = std::fs::read(&file).expect("a file");
        for secret in [secret, API_KEY] {
            let found = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
            assert!(!found, "a secret lies in {}", file.display());
        }
    }
    drop(origin);
}

fn files(dir: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upstream_that_errs_is_told_apart_by_how() {
    let world = with(json!([
        get("moved", "/redirect"),
        get("page", "/html"),
        get("broken", "/status/500"),
        get("missing", "/status/404"),
    ]))
    .await;
    for (tool, code) in [
        ("moved", "upstream_redirect"),
        ("page", "upstream_media_type"),
        ("broken", "upstream_failed"),
        ("missing", "upstream_failed"),
    ] {
        let said = world.call(&world.shop_bot, &format!("shop/odd.{tool}"), json!({})).await;
        assert_eq!((said.status, said.code().as_str()), (424, code), "{}", said.body);
        assert!(!said.text("/refusal/fix").is_empty());
    }
}

/// No allow-list opens the way to the service itself: who declares it as a system would call it from
/// where nobody is expected.
#[tokio::test(flavor = "multi_thread")]
async fn the_service_itself_is_no_upstream() {
    let mut world = World::start().await;
    let (ana, upstream) = (world.ana.clone(), world.upstream.origin.clone());
    let mut tools = json!([get("live", "/livez")]);
    tools[0]["endpoint"]["media_types"] = json!(["text/plain"]);
    let mut body = server(&world.url.clone(), None, &tools);
    body["name"] = json!("own");
    world.server(&ana, body).await;
    let said = world.call(&world.shop_bot, "shop/own.live", json!({})).await;
    assert_eq!(said.code(), "egress_denied", "{}", said.body);
    // Another port of the same host is none of ours.
    world.server(&ana, server(&upstream, None, &json!([get("echo", "/echo")]))).await;
    let said = world.call(&world.shop_bot, "shop/odd.echo", json!({})).await;
    assert_eq!(said.status, 200, "{}", said.body);
}
