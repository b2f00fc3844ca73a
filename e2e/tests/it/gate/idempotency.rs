//! A write is done once: by its arguments or by the caller's key, on both planes, at the same moment or
//! later, heard of or not. And a dry run does nothing at all.

use std::sync::Arc;

use e2e::World;
use e2e::clock::Ahead;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::{CREATE, GET, created, hints, run, subject};

async fn keyed(world: &World, token: &str, key: &str, text: &str) -> e2e::Said {
    let body = json!({ "address": CREATE, "arguments": subject(text), "idempotency_key": key });
    world.rest(token, "POST", "/v1/call", body).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_good_for_one_set_of_arguments() {
    let mut world = World::start().await;
    let ana = world.ana.clone();
    let member = [("member", "acme/shop")];
    let twin = world.principal(&ana, "agent", "twin-bot", "autonomous", &member).await;
    let bot = world.shop_bot.clone();
    assert_eq!(keyed(&world, &bot, "k-1", "A").await.status, 200);
    let again = keyed(&world, &bot, "k-1", "A").await;
    assert!(again.status == 200 && hints(&again) == ["repeated"], "{}", again.body);
    let other = keyed(&world, &bot, "k-1", "B").await;
    assert_eq!(
        (other.status, other.code().as_str()),
        (422, "idempotency_mismatch"),
        "{}",
        other.body
    );
    assert_eq!(created(&world), 1);
    // By the header as by the field.
    let body = json!({ "address": CREATE, "arguments": subject("B") });
    let header = [("idempotency-key", "k-1")];
    let other = world.rest_with(&bot, "POST", "/v1/call", body, &header).await;
    assert_eq!(other.code(), "idempotency_mismatch", "{}", other.body);
    // Another key is another call, and another agent's key is another key.
    assert_eq!(keyed(&world, &bot, "k-2", "A").await.status, 200);
    assert_eq!(keyed(&world, &twin, "k-1", "C").await.status, 200);
    assert_eq!(created(&world), 3);
    // Without a key the arguments are the key, in whatever order their members stand.
    assert_eq!(world.call(&bot, CREATE, subject("D")).await.status, 200);
    let again = world.call(&bot, CREATE, subject("D")).await;
    assert_eq!(hints(&again), ["repeated"], "{}", again.body);
    assert_eq!(created(&world), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_writes_at_the_same_moment_one_is_made() {
    let world = Arc::new(World::start().await);
    let mut crowd = JoinSet::new();
    for _ in 0..20 {
        let world = Arc::clone(&world);
        crowd.spawn(async move { world.call(&world.shop_bot, CREATE, subject("A")).await });
    }
    let said = crowd.join_all().await;
    for one in &said {
        assert!(one.status == 200 || one.code() == "in_flight", "{}", one.body);
        let decision = one.body.pointer("/refusal/decision_id");
        assert_eq!(decision.is_some(), one.status != 200, "not recorded: {}", one.body);
    }
    let first = |one: &&e2e::Said| one.status == 200 && hints(one).is_empty();
    assert_eq!(said.iter().filter(first).count(), 1, "more than one was the first");
    assert_eq!(created(&world), 1);
}

/// The tool's `/slow` takes longer than it may: what became of the call is not known.
#[tokio::test(flavor = "multi_thread")]
async fn a_write_that_was_never_heard_of_is_not_sent_again() {
    let mut world = World::start().await;
    let (ana, origin) = (world.ana.clone(), world.upstream.origin.clone());
    let mut server = e2e::world::tickets("acme/shop", &origin);
    server["name"] = json!("slow");
    server["tools"] = json!([{ "name": "wait", "about": "Takes its time.", "effect": "write",
        "endpoint": { "method": "POST", "path": "/slow", "timeout_ms": 400 } }]);
    world.server(&ana, server).await;
    for _ in 0..3 {
        let said = world.call(&world.shop_bot, "shop/slow.wait", json!({})).await;
        assert_eq!(said.code(), "outcome_unknown", "{}", said.body);
    }
    assert_eq!(world.upstream.count("POST", "/slow"), 1);
    let body = json!({ "address": "shop/slow.wait", "idempotency_key": "another" });
    world.rest(&world.shop_bot, "POST", "/v1/call", body).await;
    assert_eq!(world.upstream.count("POST", "/slow"), 2, "another key is another call");
}

/// Case of 12-sql-egress-notes: an upstream that honours the key takes the same call again, under the
/// same key, for as long as it says that it remembers it.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_never_heard_of_is_sent_again_under_a_key_that_the_upstream_honours() {
    let clock = Arc::new(Ahead::default());
    let mut world = World::start_by(Arc::clone(&clock) as tenancy::clock::Shared).await;
    let (ana, origin) = (world.ana.clone(), world.upstream.origin.clone());
    let mut server = e2e::world::tickets("acme/shop", &origin);
    server["name"] = json!("slow");
    server["tools"] = json!([{ "name": "wait", "about": "Takes its time.", "effect": "write",
        "endpoint": { "method": "POST", "path": "/slow", "timeout_ms": 400,
            "idempotency": { "window_seconds": 60, "upstream_header": "Idempotency-Key" } } }]);
    world.server(&ana, server).await;
    let wait = async || world.call(&world.shop_bot, "shop/slow.wait", json!({})).await;
    for sent in 1..=2 {
        let said = wait().await;
        assert_eq!(said.code(), "outcome_unknown", "{}", said.body);
        let fix = said.body.pointer("/refusal/fix").and_then(Value::as_str).unwrap_or_default();
        assert!(fix.contains("same key"), "{}", said.body);
        assert_eq!(world.upstream.count("POST", "/slow"), sent);
        clock.pass(35_000);
    }
    let seen = world.upstream.seen();
    let mut keys = seen.iter().filter_map(|one| one.headers.get("idempotency-key"));
    let first = keys.next().expect("a key was sent");
    assert_eq!(keys.collect::<Vec<_>>(), [first], "another key is another call to the upstream");
    // The window begins with the first time, not with the last.
    assert_eq!(wait().await.code(), "outcome_unknown");
    assert_eq!(world.upstream.count("POST", "/slow"), 2, "the upstream may have forgotten the key");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_act_of_administration_is_done_once_by_its_key() {
    let world = World::start().await;
    let bot = world.id("principal/shop-bot");
    let send = async |path: &str, body: Value, key: &str| {
        let header = [("idempotency-key", key)];
        world.rest_with(&world.ana, "POST", path, body, &header).await
    };
    let grant = json!({ "principal": bot, "scope": "acme/support", "role": "viewer" });
    let first = send("/v1/grants", grant.clone(), "g-1").await;
    let again = send("/v1/grants", grant, "g-1").await;
    assert_eq!(first.result()["id"], again.result()["id"]);
    assert_eq!(hints(&again), ["repeated"], "{}", again.body);
    let other = json!({ "principal": bot, "scope": "acme/shop", "role": "viewer" });
    let other = send("/v1/grants", other, "g-1").await;
    assert_eq!(other.code(), "idempotency_mismatch", "{}", other.body);
    // A secret is shown once, also to whoever repeats.
    let token = json!({ "principal": bot });
    let first = send("/v1/tokens", token.clone(), "t-1").await;
    let again = send("/v1/tokens", token, "t-1").await;
    let secret = first.result()["secret"].as_str().expect("a secret");
    assert!(secret.starts_with("bw_agent_"), "{}", first.body);
    assert!(!again.body.to_string().contains(secret), "{}", again.body);
    assert_eq!(first.result()["token"]["id"], again.result()["token"]["id"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_does_nothing() {
    let world = World::start().await;
    let bot = &world.shop_bot;
    let dry = async |token: &str, address: &str, arguments: Value| {
        let body = json!({ "address": address, "arguments": arguments, "dry_run": true });
        let said = world.rest(token, "POST", "/v1/call", body).await;
        assert_eq!(hints(&said), ["dry_run"], "{}", said.body);
        said.result()["verdict"].as_str().expect("a verdict").to_owned()
    };
    let seen = world.upstream.seen().len();
    assert_eq!(dry(bot, CREATE, subject("A")).await, "allow");
    assert_eq!(dry(bot, GET, json!({ "number": 412 })).await, "allow");
    let own = run(&world, bot, json!({})).await;
    assert_eq!(own["labels"], json!([]), "a dry run labelled the run");
    assert_eq!(world.upstream.seen().len(), seen, "a dry run reached the upstream");
    // It is no first call: the real one is made, and is no repeat.
    let real = world.call(bot, CREATE, subject("A")).await;
    assert!(real.status == 200 && hints(&real).is_empty(), "{}", real.body);
    super::taint(&world, bot).await;
    assert_eq!(dry(bot, CREATE, subject("B")).await, "approve");
    let listed = world.must(&world.ana, "GET", "/v1/approvals", Value::Null).await;
    assert_eq!(listed["items"], json!([]), "a dry run waits for a person");
    assert_eq!(created(&world), 1);
    administration_too(&world).await;
}

/// Dry runs of the control plane's verbs, by a person and by an agent.
async fn administration_too(world: &World) {
    let ana = &world.ana;
    for token in [ana, &world.shop_bot] {
        let path = "/v1/groups?dry_run=true";
        let said = world.rest(token, "POST", path, json!({ "name": "finance" })).await;
        assert!(
            said.status != 200 || hints(&said).contains(&"dry_run".to_owned()),
            "{}",
            said.body
        );
    }
    let groups = world.must(ana, "GET", "/v1/groups", Value::Null).await;
    assert!(!groups.to_string().contains("finance"), "{groups}");
    let body = json!({ "principal": world.id("principal/shop-bot") });
    let said = world.rest(ana, "POST", "/v1/tokens?dry_run=true", body).await;
    assert!(!said.body.to_string().contains("bw_agent_"), "a secret was shown: {}", said.body);
    for path in ["grants/grant", "tokens/token"] {
        let (noun, what) = path.split_once('/').expect("two");
        let path = format!("/v1/{noun}/{}?dry_run=true", world.id(&format!("{what}/shop-bot")));
        let said = world.rest(ana, "DELETE", &path, Value::Null).await;
        assert!(hints(&said).contains(&"dry_run".to_owned()), "{}", said.body);
    }
    let still = world.call(&world.shop_bot, GET, json!({ "number": 1 })).await;
    assert_eq!(still.status, 200, "a dry run revoked it: {}", still.body);
}

/// One bound and one name, by header and by field, for a tool and for an act of administration.
#[tokio::test(flavor = "multi_thread")]
async fn a_key_has_the_same_form_and_name_wherever_it_is_given() {
    let world = World::start().await;
    let longest = "k".repeat(255);
    for (nth, key) in ["k".repeat(256), String::new(), "a b".to_owned(), longest].iter().enumerate()
    {
        let header = [("idempotency-key", key.as_str())];
        let call = json!({ "address": CREATE, "arguments": subject(&format!("by header {nth}")) });
        let group = json!({ "name": format!("g-{nth}") });
        let all = [
            ("field", keyed(&world, &world.shop_bot, key, "by field").await),
            ("header", world.rest_with(&world.ana, "POST", "/v1/call", call, &header).await),
            ("act", world.rest_with(&world.ana, "POST", "/v1/groups", group, &header).await),
        ];
        for (way, said) in all {
            if nth == 3 {
                assert_eq!(said.status, 200, "{way}: {}", said.body);
            } else {
                let told = (said.status, said.text("/refusal/field"));
                assert_eq!(told, (422, "idempotency_key".to_owned()), "{way} {nth}: {}", said.body);
            }
        }
    }
}
