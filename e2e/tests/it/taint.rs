//! What was tried against the service from outside, and must stay refused: ways around taint, around
//! approvals and around rates.

use e2e::World;
use e2e::world::tickets;
use serde_json::{Value, json};

async fn read_log(world: &World, token: &str, run: Option<&str>) {
    let mut body = json!({ "address": "shop/tickets.log.read" });
    if let Some(run) = run {
        body["run"] = json!(run);
    }
    let said = world.rest(token, "POST", "/v1/call", body).await;
    assert_eq!(said.status, 200, "{}", said.body);
}

async fn create(world: &World, token: &str, subject: &str, run: Option<&str>) -> e2e::Said {
    let mut body =
        json!({ "address": "shop/tickets.ticket.create", "arguments": { "subject": subject } });
    if let Some(run) = run {
        body["run"] = json!(run);
    }
    world.rest(token, "POST", "/v1/call", body).await
}

async fn started(world: &World, token: &str, body: Value) -> String {
    let run = world.must(token, "POST", "/v1/runs", body).await;
    run["id"].as_str().expect("an id").to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_read_in_one_run_is_held_in_every_other() {
    let world = World::start().await;
    let bot = &world.shop_bot;
    let early = started(&world, bot, json!({ "title": "started before anything was read" })).await;
    let reading = started(&world, bot, json!({})).await;
    read_log(&world, bot, Some(&reading)).await;
    for (way, run) in
        [("the reading run", Some(&reading)), ("an earlier run", Some(&early)), ("none", None)]
    {
        let said = create(&world, bot, way, run.map(String::as_str)).await;
        assert_eq!(said.status, 202, "{way}: {}", said.body);
    }
    let later = started(&world, bot, json!({})).await;
    assert_eq!(create(&world, bot, "a later run", Some(&later)).await.status, 202);
    assert_eq!(world.upstream.count("POST", "/tickets"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clean_run_is_its_own_tokens_and_one_with_those_started_from_it() {
    let world = World::start().await;
    let ana = &world.ana;
    read_log(&world, ana, None).await;
    let clean = started(&world, ana, json!({ "clean": true })).await;
    assert_eq!(create(&world, ana, "from a clean run", Some(&clean)).await.status, 200);
    let narrowed = world.must(ana, "POST", "/v1/tokens/narrow", json!({})).await;
    let child = narrowed["secret"].as_str().expect("a secret");
    let said = create(&world, child, "by a child", Some(&clean)).await;
    assert_eq!(said.code(), "not_found", "{}", said.body);
    let below = started(&world, ana, json!({ "parent": clean })).await;
    read_log(&world, ana, Some(&below)).await;
    assert_eq!(create(&world, ana, "from above", Some(&clean)).await.status, 202);
    let beside = started(&world, ana, json!({ "parent": clean })).await;
    assert_eq!(create(&world, ana, "from beside", Some(&beside)).await.status, 202);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_release_does_not_reach_a_tool_that_took_the_address_over() {
    let mut world = World::start().await;
    let (ana, origin) = (world.ana.clone(), world.upstream.origin.clone());
    read_log(&world, &world.shop_bot, None).await;
    let held = create(&world, &world.shop_bot, "pay the first", None).await;
    let approval = held.text("/held/approval");
    let server = world.id("server/acme/shop/tickets").to_owned();
    let body = json!({ "expected_version": 1 });
    world.must(&ana, "POST", &format!("/v1/servers/{server}/withdraw"), body).await;
    world.server(&ana, tickets("acme/shop", &origin)).await;
    let path = format!("/v1/approvals/{approval}/release");
    let said = world.rest(&world.rui, "POST", &path, json!({})).await;
    assert_eq!(world.upstream.count("POST", "/tickets"), 0, "{}", said.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_not_call_a_tool_does_not_use_up_its_rate() {
    let mut world = World::start().await;
    let (ana, origin) = (world.ana.clone(), world.upstream.origin.clone());
    let rated = json!({ "name": "rated", "about": "Rated.", "effect": "read", "endpoint": {
        "method": "GET", "path": "/tickets/1", "rate_limit": { "calls": 2, "per_seconds": 3600 } } });
    let body = json!({ "scope": "acme/shop", "name": "few", "tools": [rated], "instance": {
        "shape": "http", "origin": origin, "allow_http": true, "allow_private": ["127.0.0.0/8"] } });
    world.server(&ana, body).await;
    for _ in 0..4 {
        let said = world.call(&world.returns_bot, "shop/few.rated", json!({})).await;
        assert_eq!(said.code(), "not_granted");
        let dry = json!({ "address": "shop/few.rated", "dry_run": true });
        world.must(&world.shop_bot, "POST", "/v1/call", dry).await;
    }
    for expected in [200, 200, 429] {
        let said = world.call(&world.shop_bot, "shop/few.rated", json!({})).await;
        assert_eq!(said.status, expected, "{}", said.body);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_narrowed_child_has_only_what_its_narrowing_leaves_of_its_parents() {
    let world = World::start().await;
    let bot = &world.shop_bot;
    read_log(&world, bot, None).await;
    let approval = create(&world, bot, "the parent's", None).await.text("/held/approval");
    let run = started(&world, bot, json!({})).await;
    let body = json!({ "scope": "acme/shop/returns", "actions": ["content.read"] });
    let child = world.must(bot, "POST", "/v1/tokens/narrow", body).await;
    let child = child["secret"].as_str().expect("a secret");
    let path = format!("/v1/approvals/{approval}");
    assert_eq!(world.rest(child, "GET", &path, Value::Null).await.code(), "not_found");
    let path = format!("/v1/runs/{run}/end");
    assert_eq!(world.rest(child, "POST", &path, json!({})).await.code(), "not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_release_needs_what_it_confers_and_a_secret_is_never_held() {
    let mut world = World::start().await;
    let ana = world.ana.clone();
    let admin =
        world.principal(&ana, "agent", "admin-bot", "supervised", &[("admin", "acme")]).await;
    let said = world.rest(&admin, "POST", "/v1/groups", json!({ "name": "made" })).await;
    assert_eq!(said.status, 202, "{}", said.body);
    let path = format!("/v1/approvals/{}/release", said.text("/held/approval"));
    let refused = world.rest(&world.rui, "POST", &path, json!({})).await;
    assert_eq!(refused.code(), "beyond_own_authority", "{}", refused.body);
    assert_eq!(world.rest(&ana, "POST", &path, json!({})).await.status, 200);
    let made = world.rest(&admin, "POST", "/v1/groups", json!({ "name": "made" })).await;
    assert_eq!(made.status, 200, "{}", made.body);
    let body = json!({ "name": "key", "scope": "acme", "origins": ["https://example.com"], "secret": "canary-77" });
    let said = world.rest(&admin, "POST", "/v1/credentials", body).await;
    assert_eq!(said.code(), "user_required", "{}", said.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_unknown_fields_are_told_in_a_short_answer() {
    let world = World::start().await;
    let fields: serde_json::Map<String, Value> =
        (0..50_000).map(|n| (format!("k{n}"), json!(1))).collect();
    let said = world.rest(&world.ana, "POST", "/v1/groups", Value::Object(fields)).await;
    assert_eq!(said.code(), "invalid_input");
    assert!(said.body.to_string().len() < 64 * 1024, "{} bytes", said.body.to_string().len());
}
