//! G4: whatever is denied is in the ledger, with the check and the rule that denied it.

use std::time::Duration;

use e2e::{Said, World};
use serde_json::{Value, json};

use super::{CREATE, GET, call_in, narrowed, release, run, subject, taint};

/// A denial, and what the ledger must say of it.
struct Denied {
    way: &'static str,
    said: Said,
    check: &'static str,
    rule: &'static str,
}

/// Every blocking ruling of the identity, by its decision.
async fn blocked(world: &World) -> std::collections::BTreeMap<String, Value> {
    let mut all = std::collections::BTreeMap::new();
    let mut path = "/v1/ledger?verdict=block&limit=200".to_owned();
    loop {
        let page = world.must(&world.ana, "GET", &path, Value::Null).await;
        for entry in page["items"].as_array().expect("entries") {
            let body = entry["body"].clone();
            all.insert(body["decision_id"].as_str().unwrap_or_default().to_owned(), body);
        }
        match page["cursor"].as_str() {
            Some(cursor) => path = format!("/v1/ledger?verdict=block&limit=200&cursor={cursor}"),
            None => return all,
        }
    }
}

/// That each denial is in the ledger, in the end: acts of administration come by an outbox.
async fn recorded(world: &World, denials: &[Denied]) {
    let mut missing = Vec::new();
    for _ in 0..50 {
        let blocked = blocked(world).await;
        missing.clear();
        for denied in denials {
            let decision = denied.said.text("/refusal/decision_id");
            let Some(body) = blocked.get(&decision) else {
                missing.push(format!("{}: {}", denied.way, denied.said.body));
                continue;
            };
            let found = (body["check"].as_str(), body["rule"].as_str());
            assert_eq!(found, (Some(denied.check), Some(denied.rule)), "{}: {body}", denied.way);
            assert_eq!(body["verdict"], "block");
        }
        if missing.is_empty() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("not in the ledger:\n{}", missing.join("\n"));
}

/// What the data plane denies for want of authority.
async fn of_authority(world: &World) -> Vec<Denied> {
    let bot = &world.shop_bot;
    let get = json!({ "number": 412 });
    let to = async |way, token: &str, address, arguments: &Value, rule| Denied {
        way,
        said: world.call(token, address, arguments.clone()).await,
        check: "authority",
        rule,
    };
    let scoped = narrowed(world, "shop-bot", json!({ "scope": "acme/shop/checkout" })).await;
    let acting = narrowed(world, "shop-bot", json!({ "actions": ["call.write"] })).await;
    let packed = narrowed(world, "shop-bot", json!({ "packs": [] })).await;
    let theirs = world.call(&world.ana, "shop/tickets.log.read", json!({})).await;
    let slice = json!({ "handle": theirs.result()["handle"], "bytes": { "start": 0, "end": 1 } });
    let waits = json!({ "approval": contract::sample::text("approval", 7) });
    vec![
        to("no grant", &world.returns_bot, GET, &get, "no_grant").await,
        to("no such tool", bot, "shop/tickets.nothing", &get, "no_grant").await,
        to("no such place", bot, "shop/nothing/tickets.ticket.get", &get, "no_grant").await,
        to("no place", bot, "tickets.ticket.get", &get, "place_required").await,
        to("narrowed scope", &scoped, GET, &get, "narrowed_scope").await,
        to("narrowed action", &acting, GET, &get, "narrowed_action").await,
        to("no pack", &packed, GET, &get, "not_in_pack").await,
        to("another's content", bot, "content.slice", &slice, "not_found").await,
        to("no such approval", bot, "approval.get", &waits, "not_found").await,
        to("a ledger", bot, "ledger.query", &json!({}), "no_grant").await,
    ]
}

/// What the other checks deny.
async fn of_the_rest(world: &mut World) -> Vec<Denied> {
    let (ana, origin) = (world.ana.clone(), world.upstream.origin.clone());
    let mut server = e2e::world::tickets("acme/shop", &origin);
    server["name"] = json!("raw");
    let raw = world.must(&ana, "POST", "/v1/servers", server.clone()).await;
    server["name"] = json!("rare");
    server["tools"] = json!([{ "name": "ask", "about": "Seldom.", "effect": "read",
        "endpoint": { "method": "GET", "path": "/echo",
            "rate_limit": { "calls": 1, "per_seconds": 3600 } } }]);
    world.server(&ana, server).await;
    assert_eq!(raw["tools"][0]["state"], "unclassified");
    let bot = world.shop_bot.clone();
    let mut all = Vec::new();
    let world = &*world;
    let mut deny = async |way, address: &str, arguments: Value, check, rule| {
        let said = world.call(&bot, address, arguments).await;
        all.push(Denied { way, said, check, rule });
    };
    deny("arguments", GET, json!({ "numbre": 1 }), "contract", "arguments").await;
    let unclassified = json!({ "number": 1 });
    deny("unclassified", "shop/raw.ticket.get", unclassified, "contract", "unclassified").await;
    deny("placeholder", CREATE, subject("[email:1]"), "contract", "placeholder").await;
    let arguments = json!({ "handle": 5 });
    deny("a seat's arguments", "content.slice", arguments, "contract", "arguments").await;
    world.call(&bot, "shop/rare.ask", json!({})).await;
    deny("rate", "shop/rare.ask", json!({}), "reservation", "rate").await;
    let tool = world.id("tool/acme/shop/tickets.ticket.create");
    world.classify(&world.ana, tool, json!({ "on_tainted": "block" })).await;
    for (text, way) in [("A", "the first"), ("B", "other arguments")] {
        let body = json!({ "address": CREATE, "arguments": subject(text), "idempotency_key": "k" });
        let said = world.rest(&bot, "POST", "/v1/call", body).await;
        if way == "the first" {
            assert_eq!(said.status, 200, "{}", said.body);
        } else {
            all.push(Denied { way, said, check: "idempotency", rule: "other_arguments" });
        }
    }
    taint(world, &bot).await;
    let said = world.call(&bot, CREATE, subject("tainted")).await;
    all.push(Denied { way: "label", said, check: "label", rule: "tainted_write" });
    all
}

/// What is denied about runs and approvals.
async fn of_seats(world: &World) -> Vec<Denied> {
    let bot = &world.shop_bot;
    let theirs = run(world, &world.ana, json!({})).await;
    let theirs = theirs["id"].as_str().expect("an id");
    let ended = run(world, bot, json!({})).await;
    let ended = ended["id"].as_str().expect("an id");
    world.must(bot, "POST", &format!("/v1/runs/{ended}/end"), json!({})).await;
    let get = || json!({ "number": 1 });
    let another = call_in(world, bot, theirs, GET, get()).await;
    let over = call_in(world, bot, ended, GET, get()).await;
    let clean = world.rest(bot, "POST", "/v1/runs", json!({ "clean": true })).await;
    let waiting =
        super::held(world, &world.shop_bot, "shop/tickets.ticket.create", subject("h")).await;
    let beyond = ["approval.read", "approval.decide", "unmask"];
    let beyond = narrowed(world, "rui", json!({ "actions": beyond })).await;
    let released = release(world, &beyond, &waiting).await;
    let by_agent = release(world, bot, &waiting).await;
    let denied = |way, said, rule| Denied { way, said, check: "authority", rule };
    vec![
        denied("another's run", another, "not_found"),
        denied("an ended run", over, "run_ended"),
        denied("opening clean", clean, "not_granted"),
        denied("a release beyond", released, "beyond_own_authority"),
        denied("a release by an agent", by_agent, "user_required"),
    ]
}

/// What is denied of administration: to an agent who holds the action nowhere, and by the control plane
/// to one who holds it elsewhere, and to a person.
async fn of_administration(world: &mut World) -> Vec<Denied> {
    let ana = world.ana.clone();
    let (admin, owner) = ([("admin", "acme/support")], [("owner", "acme")]);
    let elsewhere = world.principal(&ana, "agent", "admin-bot", "autonomous", &admin).await;
    let boss = world.principal(&ana, "agent", "boss", "autonomous", &owner).await;
    let bot = world.id("principal/shop-bot");
    let grant = json!({ "principal": bot, "scope": "acme/shop", "role": "viewer" });
    let tool = world.id("tool/acme/shop/tickets.log.read");
    let judged = json!({ "digest": "0".repeat(64), "effect": "read" });
    let grants = || "/v1/grants".to_owned();
    let judge = format!("/v1/tools/{tool}/classify");
    let mut all = Vec::new();
    for (way, token, path, body, rule) in [
        ("a grant by nobody's admin", &world.shop_bot, grants(), grant.clone(), "no_grant"),
        ("a grant by another's admin", &elsewhere, grants(), grant.clone(), "not_granted"),
        ("a grant by a person", &world.rui, grants(), grant, "not_granted"),
        ("a tool judged", &boss, judge, judged, "user_required"),
    ] {
        let said = world.rest(token, "POST", &path, body).await;
        all.push(Denied { way, said, check: "authority", rule });
    }
    let said = world.rest(&world.rui, "GET", "/v1/tokens", Value::Null).await;
    all.push(Denied { way: "a list", said, check: "authority", rule: "not_granted" });
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn denials_for_want_of_authority_are_recorded() {
    let world = World::start().await;
    let denials = of_authority(&world).await;
    recorded(&world, &denials).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn denials_by_the_other_checks_are_recorded() {
    let mut world = World::start().await;
    let denials = of_the_rest(&mut world).await;
    recorded(&world, &denials).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn denials_about_runs_and_approvals_are_recorded() {
    let world = World::start().await;
    taint(&world, &world.shop_bot).await;
    let denials = of_seats(&world).await;
    recorded(&world, &denials).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn denials_by_the_control_plane_are_recorded() {
    let mut world = World::start().await;
    let denials = of_administration(&mut world).await;
    recorded(&world, &denials).await;
}
