//! What a release lets through: exactly the call that was held, once, if every check still passes.

use std::sync::Arc;

use e2e::World;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::{
    CREATE, approval, call_in, created, held, hints, narrowed, release, run, subject, taint,
};

/// G1, and its neighbours.
#[tokio::test(flavor = "multi_thread")]
async fn a_release_covers_exactly_the_call_that_was_held() {
    let mut world = World::start().await;
    let ana = world.ana.clone();
    let member = [("member", "acme/shop")];
    let twin = world.principal(&ana, "agent", "twin-bot", "autonomous", &member).await;
    let bot = world.shop_bot.clone();
    taint(&world, &bot).await;
    taint(&world, &twin).await;
    let a = subject("Refund 412");
    let waiting = held(&world, &bot, CREATE, a.clone()).await;
    let beside = held(&world, &bot, CREATE, subject("Refund 411")).await;
    assert_ne!(beside, waiting, "other arguments wait with the same approval");
    assert_eq!(created(&world), 0, "a held call was made");
    let released = release(&world, &world.rui, &waiting).await;
    assert_eq!(released.result()["state"], "released", "{}", released.body);
    assert_eq!(created(&world), 1);
    // Arguments that differ by a figure, a case, a space.
    for b in ["Refund 413", "refund 412", "Refund 412 ", "Refund  412"] {
        let other = held(&world, &bot, CREATE, subject(b)).await;
        assert_ne!(other, waiting, "{b:?} was taken for the released call");
    }
    // Another agent with the same arguments, and the agent in the same run with another tool's name.
    assert_ne!(held(&world, &twin, CREATE, a.clone()).await, waiting);
    let again = world.call(&bot, CREATE, a.clone()).await;
    assert_eq!(again.result()["number"], 9001, "{}", again.body);
    assert!(hints(&again).contains(&"repeated".to_owned()), "{}", again.body);
    let other_run = run(&world, &bot, json!({})).await;
    let id = other_run["id"].as_str().expect("an id");
    let again = call_in(&world, &bot, id, CREATE, a).await;
    assert!(hints(&again).contains(&"repeated".to_owned()), "in another run: {}", again.body);
    assert_eq!(approval(&world, &world.rui, &beside).await["state"], "pending");
    let twice = release(&world, &world.rui, &waiting).await;
    assert_eq!(twice.code(), "approval_closed", "{}", twice.body);
    assert_eq!(created(&world), 1, "the released call was made more than once");
    let sent: Vec<String> = world
        .upstream
        .seen()
        .into_iter()
        .filter(|seen| seen.method == "POST")
        .map(|seen| seen.body)
        .collect();
    assert_eq!(sent, [r#"{"subject":"Refund 412"}"#]);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_releases_at_the_same_moment_one_counts() {
    let world = World::start().await;
    taint(&world, &world.shop_bot).await;
    let waiting = held(&world, &world.shop_bot, CREATE, subject("Refund 412")).await;
    let world = Arc::new(world);
    let mut releases = JoinSet::new();
    for nth in 0..10 {
        let (world, waiting) = (Arc::clone(&world), waiting.clone());
        releases.spawn(async move {
            let token = if nth % 2 == 0 { &world.rui } else { &world.ana };
            release(&world, token, &waiting).await.status
        });
    }
    let mut said = releases.join_all().await;
    said.sort_unstable();
    let mut want = vec![200];
    want.extend([409; 9]);
    assert_eq!(said, want);
    assert_eq!(created(&world), 1);
}

/// How the world can change between the hold and the release.
async fn change(world: &World, how: &str) {
    let (ana, bot) = (&world.ana, world.id("principal/shop-bot"));
    let path = |noun: &str, id: &str| format!("/v1/{noun}/{}", world.id(id));
    match how {
        "grant" => {
            world.must(ana, "DELETE", &path("grants", "grant/shop-bot"), Value::Null).await;
        }
        "token" => {
            world.must(ana, "DELETE", &path("tokens", "token/shop-bot"), Value::Null).await;
        }
        "principal" => {
            let path = format!("/v1/principals/{bot}/suspend");
            world.must(ana, "POST", &path, json!({})).await;
        }
        "packs" => {
            let path = format!("{}/packs", path("tokens", "token/shop-bot"));
            world.must(ana, "PATCH", &path, json!({ "packs": [], "expected_version": 1 })).await;
        }
        "withdrawn" => {
            let path = format!("{}/withdraw", path("servers", "server/acme/shop/tickets"));
            let body = json!({ "tools": ["ticket.create"], "expected_version": 1 });
            world.must(ana, "POST", &path, body).await;
        }
        "classification" => {
            let tool = world.id("tool/acme/shop/tickets.ticket.create");
            world.classify(ana, tool, json!({ "effect": "financial" })).await;
        }
        "blocks" => {
            let tool = world.id("tool/acme/shop/tickets.ticket.create");
            world.classify(ana, tool, json!({ "on_tainted": "block" })).await;
        }
        "run" => {
            let runs = world.must(ana, "GET", "/v1/runs", Value::Null).await;
            let runs = runs["items"].as_array().expect("runs").clone();
            let own = runs.iter().find(|run| run["principal"] == json!(bot)).expect("its run");
            let id = own["id"].as_str().expect("an id");
            world.must(ana, "POST", &format!("/v1/runs/{id}/end"), json!({})).await;
        }
        other => panic!("{other}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_check_runs_again_when_a_call_is_released() {
    for (how, code) in [
        ("grant", "not_granted"),
        ("token", "unauthenticated"),
        ("principal", "unauthenticated"),
        ("packs", "not_in_pack"),
        ("withdrawn", "not_granted"),
        ("classification", "drifted"),
        ("blocks", "drifted"),
        ("run", "run_ended"),
    ] {
        let world = World::start().await;
        taint(&world, &world.shop_bot).await;
        let waiting = held(&world, &world.shop_bot, CREATE, subject("Refund 412")).await;
        change(&world, how).await;
        let released = release(&world, &world.ana, &waiting).await;
        assert_eq!(created(&world), 0, "{how} changed, and the call was made: {}", released.body);
        let record = approval(&world, &world.ana, &waiting).await;
        let answer = &record["answer"]["refusal"]["code"];
        // A token bound to other packs would call nothing, or another version: both are refusals.
        let drifted = how == "packs" && *answer == json!("drifted");
        assert!(*answer == json!(code) || drifted, "{how} changed: {record}");
    }
}

/// The credential's version is part of what is released.
#[tokio::test(flavor = "multi_thread")]
async fn a_rotated_credential_is_another_call() {
    let world = World::start().await;
    let bot = &world.shop_bot;
    let customer = json!({ "id": "c1" });
    let said = world.call(bot, "shop/checkout/billing.customer.lookup", customer).await;
    assert_eq!(said.status, 200, "{}", said.body);
    // The run holds a person's values now, and the tool reaches outside.
    let echo = "shop/checkout/billing.echo";
    let waiting = held(&world, bot, echo, json!({ "limit": 7 })).await;
    let path = format!("/v1/credentials/{}/rotate", world.id("credential/billing-key"));
    let body = json!({ "secret": "another-key-1234", "expected_version": 1 });
    world.must(&world.ana, "POST", &path, body).await;
    release(&world, &world.ana, &waiting).await;
    assert_eq!(world.upstream.count("GET", "/echo"), 0);
    let record = approval(&world, &world.ana, &waiting).await;
    assert_eq!(record["answer"]["refusal"]["code"], "drifted", "{record}");
}

/// Who releases is judged with what their token may at that moment.
#[tokio::test(flavor = "multi_thread")]
async fn a_release_expects_the_version_that_was_read() {
    let world = World::start().await;
    taint(&world, &world.shop_bot).await;
    let waiting = held(&world, &world.shop_bot, CREATE, subject("Refund 412")).await;
    let path = format!("/v1/approvals/{waiting}/release");
    let stale = world.rest(&world.rui, "POST", &path, json!({ "expected_version": 2 })).await;
    assert_eq!(stale.code(), "version_mismatch", "{}", stale.body);
    assert_eq!(stale.body["refusal"]["more"]["current_version"], 1, "{}", stale.body);
    let elsewhere = narrowed(&world, "rui", json!({ "scope": "acme/support" })).await;
    let said = release(&world, &elsewhere, &waiting).await;
    assert!(said.status == 404 || said.code() == "narrowed", "{}", said.body);
    assert_eq!(created(&world), 0);
}
