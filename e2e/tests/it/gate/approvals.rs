//! Which calls wait for a person, and who that person can be.

use std::sync::Arc;

use contract::verb::{Needs, Registry};
use e2e::World;
use e2e::clock::Ahead;
use e2e::world::tickets;
use serde_json::{Value, json};

use super::{CREATE, GET, approval, created, held, narrowed, release, subject, taint};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

#[tokio::test(flavor = "multi_thread")]
async fn a_supervised_agent_reads_and_waits_for_everything_else() {
    let mut world = World::start().await;
    let (ana, origin) = (world.ana.clone(), world.upstream.origin.clone());
    world.server(&ana, tickets("acme/shop/returns", &origin)).await;
    let bot = world.returns_bot.clone();
    let create = "shop/returns/tickets.ticket.create";
    let waiting = held(&world, &bot, create, subject("Refund 412")).await;
    assert_eq!(created(&world), 0, "a held call was made");
    let record = approval(&world, &ana, &waiting).await;
    assert_eq!(record["checks"][6]["check"], "autonomy", "{record}");
    assert_eq!(record["checks"][6]["verdict"], "approve", "{record}");
    assert_eq!(record["arguments"], subject("Refund 412"));
    let read = world.call(&bot, "shop/returns/tickets.ticket.get", json!({ "number": 1 })).await;
    assert_eq!(read.status, 200, "{}", read.body);
    // What only narrows, or is the caller's own book-keeping, needs no person.
    for (path, body) in [("/v1/runs", json!({})), ("/v1/tokens/narrow", json!({}))] {
        let said = world.rest(&bot, "POST", path, body).await;
        assert_eq!(said.status, 200, "{path}: {}", said.body);
    }
    let released = release(&world, &world.rui, &waiting).await;
    assert_eq!(released.status, 200, "{}", released.body);
    assert_eq!(created(&world), 1);
    assert_eq!(approval(&world, &bot, &waiting).await["answer"]["result"]["number"], 9001);
}

/// A supervised agent's act of administration waits too, and is made when it is sent again.
#[tokio::test(flavor = "multi_thread")]
async fn an_act_of_administration_is_held_and_made_once_released() {
    let mut world = World::start().await;
    let ana = world.ana.clone();
    let admin = [("admin", "acme")];
    let bot = world.principal(&ana, "agent", "admin-bot", "supervised", &admin).await;
    let groups = async || {
        let listed = world.must(&ana, "GET", "/v1/groups", Value::Null).await;
        listed["items"].as_array().expect("a list").len()
    };
    let before = groups().await;
    let body = json!({ "name": "finance" });
    let said = world.rest(&bot, "POST", "/v1/groups", body.clone()).await;
    assert_eq!(said.status, 202, "{}", said.body);
    let waiting = said.text("/held/approval");
    assert_eq!(groups().await, before, "a held act was done");
    let released = release(&world, &ana, &waiting).await;
    assert_eq!(released.status, 200, "{}", released.body);
    let other = world.rest(&bot, "POST", "/v1/groups", json!({ "name": "legal" })).await;
    assert_eq!(other.status, 202, "another act passed with it: {}", other.body);
    let again = world.rest(&bot, "POST", "/v1/groups", body.clone()).await;
    assert_eq!(again.status, 200, "released, and held again: {}", again.body);
    assert_eq!(groups().await, before + 1);
    let third = world.rest(&bot, "POST", "/v1/groups", json!({ "name": "finance" })).await;
    assert_ne!(third.status, 200, "one release let two acts through: {}", third.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_agent_approves_whatever_its_roles() {
    let mut world = World::start().await;
    let ana = world.ana.clone();
    let owner = [("owner", "acme")];
    let boss = world.principal(&ana, "agent", "boss", "autonomous", &owner).await;
    taint(&world, &world.shop_bot).await;
    let waiting = held(&world, &world.shop_bot, CREATE, subject("Refund 412")).await;
    let child = world.must(&world.rui, "POST", "/v1/tokens/narrow", json!({})).await;
    let child = child["secret"].as_str().expect("a secret").to_owned();
    for (who, token) in [("an agent", &boss), ("a person's child token", &child)] {
        for act in ["release", "refuse"] {
            let path = format!("/v1/approvals/{waiting}/{act}");
            let said = world.rest(token, "POST", &path, json!({})).await;
            assert_eq!(said.code(), "user_required", "{who} may {act}: {}", said.body);
        }
        let call = json!({ "address": "approval.release", "arguments": { "approval": waiting } });
        let said = world.mcp(token, "catalogue_call", call).await;
        assert_eq!(said.code(), "user_required", "{who} over MCP: {}", said.body);
    }
    assert_eq!(approval(&world, &ana, &waiting).await["state"], "pending");
    assert_eq!(created(&world), 0);
    // Nor does it do anything else that only a person may.
    let users = Registry::get().iter().filter(|verb| match verb.needs {
        Needs::Action(action) => action.users_only(),
        Needs::Caller | Needs::Operator | Needs::Anyone => false,
    });
    let users: Vec<&str> = users.map(|verb| verb.name).collect();
    assert_eq!(users, ["approval.refuse", "approval.release", "tool.classify"]);
    let tool = world.id("tool/acme/shop/tickets.ticket.get");
    let judged = json!({ "digest": "0".repeat(64), "effect": "read" });
    let said = world.rest(&boss, "POST", &format!("/v1/tools/{tool}/classify"), judged).await;
    assert_eq!(said.code(), "user_required", "{}", said.body);
}

/// Releasing confers the call, so it needs what the call needs; and its arguments must be seen.
#[tokio::test(flavor = "multi_thread")]
async fn a_release_needs_the_action_and_the_sight_of_it() {
    let mut world = World::start().await;
    let ana = world.ana.clone();
    let rui = world.id("principal/rui").to_owned();
    taint(&world, &world.shop_bot).await;
    let secretive = subject("Write to marta.reis@example.com");
    let waiting = held(&world, &world.shop_bot, CREATE, secretive).await;
    let without =
        async |actions: &[&str]| narrowed(&world, "rui", json!({ "actions": actions })).await;
    let no_call = without(&["approval.read", "approval.decide", "unmask", "call.read"]).await;
    let no_sight = without(&["approval.read", "approval.decide", "call.write"]).await;
    let no_decision = without(&["approval.read", "unmask", "call.write"]).await;
    for (who, token, code) in [
        ("who may not call", &no_call, "beyond_own_authority"),
        ("who may not see the arguments", &no_sight, "not_granted"),
        ("who may not decide", &no_decision, "narrowed"),
    ] {
        let said = release(&world, token, &waiting).await;
        assert_eq!(said.code(), code, "{who} released it: {}", said.body);
    }
    let shown = approval(&world, &no_sight, &waiting).await;
    assert!(!shown.to_string().contains("marta.reis"), "shown unmasked: {shown}");
    let mut elsewhere = Vec::new();
    for (name, role, scope) in [
        ("vera", "viewer", "acme"),
        ("mia", "approver", "acme/support"),
        ("neo", "approver", "acme/shop/returns"),
    ] {
        elsewhere.push(world.principal(&ana, "user", name, "autonomous", &[(role, scope)]).await);
    }
    for token in &elsewhere {
        let said = release(&world, token, &waiting).await;
        assert_eq!(said.code(), "not_found", "who may not see it: {}", said.body);
    }
    assert_eq!(created(&world), 0);
    let done = release(&world, &world.rui, &waiting).await;
    assert_eq!((done.status, created(&world)), (200, 1), "{}", done.body);
    let record = approval(&world, &ana, &waiting).await;
    assert_eq!(record["decided_by"], json!(rui), "{record}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_expired_approval_lets_nothing_through() {
    let clock = Arc::new(Ahead::default());
    let world = World::start_by(Arc::clone(&clock) as tenancy::clock::Shared).await;
    taint(&world, &world.shop_bot).await;
    let first = held(&world, &world.shop_bot, CREATE, subject("Refund 412")).await;
    clock.pass(3 * DAY_MS - 60_000);
    assert_eq!(approval(&world, &world.rui, &first).await["state"], "pending");
    clock.pass(60_001);
    assert_eq!(approval(&world, &world.rui, &first).await["state"], "expired");
    for act in ["release", "refuse"] {
        let path = format!("/v1/approvals/{first}/{act}");
        let late = world.rest(&world.rui, "POST", &path, json!({})).await;
        assert_eq!(late.code(), "approval_closed", "{}", late.body);
    }
    let listed = world.must(&world.rui, "GET", "/v1/approvals?state=pending", Value::Null).await;
    assert_eq!(listed["items"], json!([]));
    // Sent again, it waits anew.
    let second = held(&world, &world.shop_bot, CREATE, subject("Refund 412")).await;
    assert_ne!(first, second);
    assert_eq!(created(&world), 0);
    assert_eq!(release(&world, &world.rui, &second).await.status, 200);
    assert_eq!(created(&world), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_call_is_never_made() {
    let world = World::start().await;
    taint(&world, &world.shop_bot).await;
    let waiting = held(&world, &world.shop_bot, CREATE, subject("Refund 412")).await;
    let twice = held(&world, &world.shop_bot, CREATE, subject("Refund 412")).await;
    assert_eq!(waiting, twice, "the same call waits once");
    let path = format!("/v1/approvals/{waiting}/refuse");
    let refused = world.must(&world.rui, "POST", &path, json!({ "reason": "Not ours." })).await;
    assert_eq!((&refused["state"], &refused["reason"]), (&json!("refused"), &json!("Not ours.")));
    assert_eq!(release(&world, &world.rui, &waiting).await.code(), "approval_closed");
    let anew = held(&world, &world.shop_bot, CREATE, subject("Refund 412")).await;
    assert_ne!(anew, waiting);
    assert_eq!(created(&world), 0);
    assert_eq!(world.upstream.count("GET", "/tickets/412"), 1, "{GET} was made more than once");
}
