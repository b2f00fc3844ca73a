//! A write that was never heard of is looked up by the read that its tool declares for that, as the
//! caller: what took effect is answered, what did not is sent once more, what nobody knows is neither.

use std::sync::Arc;

use e2e::clock::Ahead;
use e2e::{Said, Surface, World};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::hints;

/// The order system at `acme/shop`, and one in a project that the shop's agents have no grant at.
async fn orders(world: &mut World, scope: &str, name: &str, lookup: Value) {
    let (ana, origin) = (world.ana.clone(), world.upstream.origin.clone());
    let mut server = e2e::world::tickets(scope, &origin);
    let reference = |place: &str| {
        json!([{ "name": "reference", "in": place, "required": true,
            "schema": { "type": "string", "description": "Our own reference." } }])
    };
    server["name"] = json!(name);
    server["tools"] = json!([
        { "name": "order.place", "about": "Places an order.", "effect": "write",
          "endpoint": { "method": "POST", "path": "/orders", "body": "json", "timeout_ms": 400,
            "arguments": reference("body"), "lookup": lookup } },
        { "name": "order.find", "about": "Orders by reference.", "effect": "read",
          "endpoint": { "method": "GET", "path": "/orders", "arguments": reference("query") } },
        { "name": "order.get", "about": "One order, by reference.", "effect": "read",
          "endpoint": { "method": "GET", "path": "/orders/{reference}", "arguments": reference("path") } },
    ]);
    world.server(&ana, server).await;
}

fn by_list() -> Value {
    json!({ "address": "orders.order.find", "arguments": { "reference": "/reference" }, "done": "/items" })
}

fn by_status() -> Value {
    json!({ "address": "shop/orders.order.get", "arguments": { "reference": "/reference" },
        "done": "/reference", "absent_statuses": [404], "settles_seconds": 30 })
}

async fn place(world: &World, reference: &str) -> Said {
    let arguments = json!({ "reference": reference });
    world.call(&world.shop_bot, "shop/orders.order.place", arguments).await
}

fn sent(world: &World) -> usize {
    world.upstream.count("POST", "/orders")
}

/// What the ledger says was settled.
async fn settled(world: &World) -> Vec<Value> {
    let path = "/v1/ledger?kind=settled";
    let page = world.must(&world.ana, "GET", path, Value::Null).await;
    let items = page["items"].as_array().expect("items").iter();
    items.map(|entry| entry["body"].clone()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_took_effect_is_answered_and_not_sent_again() {
    for (lookup, answer) in [
        (by_list(), json!({ "items": ["kept-1"] })),
        (by_status(), json!({ "reference": "kept-1" })),
    ] {
        let mut world = World::start().await;
        orders(&mut world, "acme/shop", "orders", lookup).await;
        let first = place(&world, "kept-1").await;
        assert_eq!(first.code(), "outcome_unknown", "{}", first.body);
        assert!(first.text("/refusal/fix").contains("looked up"), "{}", first.body);
        for surface in [Surface::Rest, Surface::Mcp] {
            let input = json!({ "address": "shop/orders.order.place",
                "arguments": { "reference": "kept-1" } });
            let again = world.on(surface, &world.shop_bot, "catalogue.call", &input).await;
            assert_eq!((again.status, again.result()), (200, &answer), "{}", again.body);
            assert_eq!(hints(&again), ["repeated"], "{}", again.body);
        }
        assert_eq!(sent(&world), 1);
        let settled = settled(&world).await;
        assert_eq!(settled.len(), 1, "looked up once: {settled:?}");
        assert_eq!(settled[0]["took_effect"], true);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_did_not_take_effect_is_sent_once_more_when_it_can_no_longer_be_on_its_way() {
    for (lookup, settles_ms) in [(by_list(), 60_000), (by_status(), 30_000)] {
        let clock = Arc::new(Ahead::default());
        let mut world = World::start_by(Arc::clone(&clock) as tenancy::clock::Shared).await;
        orders(&mut world, "acme/shop", "orders", lookup).await;
        assert_eq!(place(&world, "lost-1").await.code(), "outcome_unknown");
        clock.pass(settles_ms - 15_000);
        let early = place(&world, "lost-1").await;
        assert_eq!(early.code(), "outcome_unknown", "{}", early.body);
        assert!(early.text("/refusal/say").contains("still take effect"), "{}", early.body);
        assert_eq!(sent(&world), 1);
        clock.pass(16_000);
        let world = Arc::new(world);
        let mut crowd = JoinSet::new();
        for _ in 0..8 {
            let world = Arc::clone(&world);
            crowd.spawn(async move { place(&world, "lost-1").await });
        }
        let said = crowd.join_all().await;
        let fits = |one: &Said| one.status == 200 || one.code() == "in_flight";
        assert!(
            said.iter().all(fits),
            "{:?}",
            said.iter().map(|one| &one.body).collect::<Vec<_>>()
        );
        let first = |one: &&Said| one.status == 200 && hints(one).is_empty();
        assert_eq!(said.iter().filter(first).count(), 1);
        assert_eq!(sent(&world), 2);
        assert!(settled(&world).await.iter().all(|one| one["took_effect"] == false));
        let again = place(&world, "lost-1").await;
        assert_eq!(hints(&again), ["repeated"], "{}", again.body);
    }
}

/// A window that is over when the look-up answers, and an answer that says neither, send nothing.
#[tokio::test(flavor = "multi_thread")]
async fn what_took_effect_is_not_sent_again_however_late_it_is_looked_up() {
    let clock = Arc::new(Ahead::default());
    let mut world = World::start_by(Arc::clone(&clock) as tenancy::clock::Shared).await;
    orders(&mut world, "acme/shop", "orders", by_list()).await;
    assert_eq!(place(&world, "kept-1").await.code(), "outcome_unknown");
    // A tool that declares no window has one of a day.
    clock.pass(25 * 60 * 60 * 1000);
    for _ in 0..2 {
        let said = place(&world, "kept-1").await;
        assert_eq!(
            (said.status, hints(&said)),
            (200, vec!["repeated".to_owned()]),
            "{}",
            said.body
        );
    }
    assert_eq!(sent(&world), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_says_neither_leaves_it_unknown() {
    let clock = Arc::new(Ahead::default());
    let mut world = World::start_by(Arc::clone(&clock) as tenancy::clock::Shared).await;
    let mut lookup = by_list();
    lookup["done"] = json!("/itmes");
    orders(&mut world, "acme/shop", "orders", lookup).await;
    assert_eq!(place(&world, "lost-1").await.code(), "outcome_unknown");
    clock.pass(90_000);
    let said = place(&world, "lost-1").await;
    assert_eq!(said.code(), "outcome_unknown", "{}", said.body);
    assert!(said.text("/refusal/say").contains("/itmes"), "{}", said.body);
    assert_eq!(sent(&world), 1);
}

/// Another declaration may reach elsewhere: that it finds nothing there says nothing.
#[tokio::test(flavor = "multi_thread")]
async fn what_another_declaration_does_not_find_is_not_sent() {
    let clock = Arc::new(Ahead::default());
    let mut world = World::start_by(Arc::clone(&clock) as tenancy::clock::Shared).await;
    orders(&mut world, "acme/shop", "orders", by_list()).await;
    assert_eq!(place(&world, "lost-1").await.code(), "outcome_unknown");
    let ana = world.ana.clone();
    let server = world.id("server/acme/shop/orders").to_owned();
    let tool = json!({ "name": "order.place", "about": "Places an order, anew.", "effect": "write",
        "endpoint": { "method": "POST", "path": "/orders", "body": "json", "timeout_ms": 400,
            "arguments": [{ "name": "reference", "in": "body", "required": true,
                "schema": { "type": "string", "description": "Our own reference." } }],
            "lookup": by_list() } });
    let path = format!("/v1/servers/{server}/publish");
    let published =
        world.must(&ana, "POST", &path, json!({ "tools": [tool], "expected_version": 1 })).await;
    for tool in published["tools"].as_array().expect("tools") {
        world.classify(&ana, tool["id"].as_str().expect("an id"), json!({})).await;
    }
    clock.pass(90_000);
    let said = place(&world, "lost-1").await;
    assert_eq!(said.code(), "outcome_unknown", "{}", said.body);
    assert!(said.text("/refusal/say").contains("another declaration"), "{}", said.body);
    assert_eq!(sent(&world), 1);
}

/// What the caller may not read, what is no read, and what is not there at all say nothing: the write
/// stays unknown, and nothing is sent.
#[tokio::test(flavor = "multi_thread")]
async fn a_look_up_that_the_caller_may_not_make_says_nothing() {
    for (address, reason) in [
        ("shop/returns/orders.order.find", "not_granted"),
        ("shop/nowhere/orders.order.find", "not_granted"),
        ("orders.order.place", "not a read"),
        ("orders.order.missing", "not_granted"),
    ] {
        let mut world = World::start().await;
        let mut lookup = by_list();
        lookup["address"] = json!(address);
        lookup["settles_seconds"] = json!(1);
        orders(&mut world, "acme/shop/checkout", "orders", lookup).await;
        orders(&mut world, "acme/shop/returns", "orders", by_list()).await;
        let ana = world.ana.clone();
        let member = [("member", "acme/shop/checkout")];
        let bot = world.principal(&ana, "agent", "checkout-bot", "autonomous", &member).await;
        let mut texts = Vec::new();
        for nth in 0..3 {
            let arguments = json!({ "reference": "kept-1" });
            let said = world.call(&bot, "shop/checkout/orders.order.place", arguments).await;
            assert_eq!(said.code(), "outcome_unknown", "{}", said.body);
            if nth > 0 {
                texts.push(said.text("/refusal/say"));
            }
        }
        assert_eq!((sent(&world), world.upstream.count("GET", "/orders")), (1, 0), "{address}");
        assert!(settled(&world).await.is_empty());
        let granted = if reason == "not_granted" { "No live grant" } else { reason };
        assert!(texts.iter().all(|text| text.contains(granted)), "{texts:?}");
    }
}

/// The upstream's answer to the read is content like any other: it labels the run, and who asks again
/// without a grant to read it learns that the write took effect and no more.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_look_up_answered_is_labelled_and_is_read_by_those_who_may() {
    let mut world = World::start().await;
    let mut lookup = by_list();
    lookup["address"] = json!("shop/returns/orders.order.find");
    orders(&mut world, "acme/shop/checkout", "orders", lookup).await;
    orders(&mut world, "acme/shop/returns", "orders", by_list()).await;
    let ana = world.ana.clone();
    let grants = [("member", "acme/shop/checkout"), ("member", "acme/shop/returns")];
    let bot = world.principal(&ana, "agent", "two-bot", "autonomous", &grants).await;
    let place = async || {
        let arguments = json!({ "reference": "kept-1" });
        world.call(&bot, "shop/checkout/orders.order.place", arguments).await
    };
    assert_eq!(place().await.code(), "outcome_unknown");
    assert_eq!(place().await.result(), &json!({ "items": ["kept-1"] }));
    let listed = world.must(&ana, "GET", "/v1/grants?limit=100", Value::Null).await;
    let of_returns = listed["items"].as_array().expect("items").iter().find(|grant| {
        grant["scope"] == "acme/shop/returns"
            && grant["principal"] == json!(world.id("principal/two-bot"))
    });
    let id = of_returns.expect("the grant")["id"].as_str().expect("an id").to_owned();
    world.must(&ana, "DELETE", &format!("/v1/grants/{id}"), Value::Null).await;
    let after = place().await;
    assert_eq!(after.result(), &json!({ "took_effect": true }), "{}", after.body);
}
