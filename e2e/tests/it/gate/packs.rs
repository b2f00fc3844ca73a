//! A run keeps the packs that it started with: what may be called in it only shrinks while it lives,
//! whatever the token is bound to in the meantime, on each surface and over a restart.

use e2e::world::serve;
use e2e::{Said, Surface, World};
use serde_json::{Value, json};

use super::{GET, call_in, run};

const LOG: &str = "shop/tickets.log.read";

/// Binds the shop agent's token to the packs, at the version of the binding.
async fn rebind(world: &World, packs: Value, version: u32) {
    let path = format!("/v1/tokens/{}/packs", world.id("token/shop-bot"));
    let body = json!({ "packs": packs, "expected_version": version });
    world.must(&world.ana, "PATCH", &path, body).await;
}

async fn publish(world: &World, name: &str, tool: &str) {
    let tool = world.id(&format!("tool/acme/{tool}"));
    world.must(&world.ana, "POST", "/v1/packs", json!({ "name": name, "tools": [tool] })).await;
}

fn one() -> Value {
    json!([{ "name": "one", "version": 1 }])
}

fn live() -> Value {
    json!([{ "name": "live" }])
}

async fn log(world: &World, run: Option<&str>) -> Said {
    match run {
        Some(run) => call_in(world, &world.shop_bot, run, LOG, json!({})).await,
        None => world.call(&world.shop_bot, LOG, json!({})).await,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_token_is_bound_to_later_is_not_in_a_run_that_lives() {
    let world = World::start().await;
    let bot = &world.shop_bot;
    publish(&world, "one", GET).await;
    rebind(&world, one(), 1).await;
    let running = run(&world, bot, json!({})).await["id"].as_str().expect("an id").to_owned();
    assert_eq!(call_in(&world, bot, &running, GET, json!({ "number": 1 })).await.status, 200);
    rebind(&world, live(), 2).await;
    for surface in Surface::ALL {
        let said = world.call_on(surface, bot, LOG, json!({})).await;
        assert_eq!(said.code(), "not_in_pack", "the default run, {surface:?}: {}", said.body);
        assert!(said.text("/refusal/fix").contains("run.end"), "{}", said.body);
        let found = world.on(surface, bot, "catalogue.search", &json!({ "query": "log" })).await;
        assert!(!found.body.to_string().contains("log.read"), "{surface:?}: {}", found.body);
        let told =
            world.on(surface, bot, "catalogue.describe", &json!({ "addresses": [LOG] })).await;
        assert_eq!(told.result()["not_found"], json!([LOG]), "{surface:?}: {}", told.body);
    }
    assert_eq!(log(&world, Some(&running)).await.code(), "not_in_pack");
    // What both hold is answered, and a run of the agent's own keeps what its parent keeps.
    assert_eq!(call_in(&world, bot, &running, GET, json!({ "number": 1 })).await.status, 200);
    let next = run(&world, bot, json!({ "parent": running })).await;
    assert_eq!(log(&world, next["id"].as_str()).await.code(), "not_in_pack");
    // The run has read something untrusted: a person ends it, and the packs are taken afresh.
    let default = world.must(bot, "GET", "/v1/runs?limit=100", Value::Null).await;
    let default =
        default["items"].as_array().expect("runs").iter().find(|run| run["default"] == true);
    let path =
        format!("/v1/runs/{}/end", default.expect("a default run")["id"].as_str().expect("an id"));
    world.must(&world.ana, "POST", &path, json!({})).await;
    assert_eq!(log(&world, None).await.status, 200);
    assert_eq!(log(&world, Some(&running)).await.code(), "not_in_pack");
}

/// Taking away holds at once; giving back gives back what the run started with.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_token_loses_is_lost_in_every_run_at_once() {
    let world = World::start().await;
    publish(&world, "one", GET).await;
    assert_eq!(log(&world, None).await.status, 200);
    rebind(&world, one(), 1).await;
    let lost = log(&world, None).await;
    assert_eq!(lost.code(), "not_in_pack", "{}", lost.body);
    assert!(lost.text("/refusal/fix").contains("rebind"), "{}", lost.body);
    rebind(&world, live(), 2).await;
    assert_eq!(log(&world, None).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_keeps_its_packs_over_a_restart() {
    let dir = tempfile::tempdir().expect("a folder");
    let service = serve(dir.path()).await;
    let mut world = World::over(service.url.clone(), service.operator.clone(), dir).await;
    publish(&world, "one", GET).await;
    rebind(&world, one(), 1).await;
    assert_eq!(world.call(&world.shop_bot, GET, json!({ "number": 1 })).await.status, 200);
    service.stop();
    let service = serve(world.dir.path()).await;
    world.url.clone_from(&service.url);
    rebind(&world, live(), 2).await;
    let said = log(&world, None).await;
    assert_eq!(said.code(), "not_in_pack", "{}", said.body);
    service.stop();
}

/// A token that an agent makes of its own widens nothing: a child, and a successor.
#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_an_agent_makes_is_held_to_what_its_own_was() {
    let world = World::start().await;
    let bot = &world.shop_bot;
    publish(&world, "one", GET).await;
    rebind(&world, one(), 1).await;
    assert_eq!(world.call(bot, GET, json!({ "number": 1 })).await.status, 200);
    rebind(&world, live(), 2).await;
    let own = json!({ "actions": ["catalogue.read", "call.read"] });
    let child = world.must(bot, "POST", "/v1/tokens/narrow", own).await;
    let path = format!("/v1/tokens/{}/rotate", world.id("token/shop-bot"));
    let successor = world.must(bot, "POST", &path, json!({})).await;
    for made in [child, successor] {
        let token = made["secret"].as_str().expect("a secret");
        let said = world.call(token, LOG, json!({})).await;
        assert_eq!(said.code(), "not_in_pack", "{}", said.body);
        assert_eq!(world.call(token, GET, json!({ "number": 1 })).await.status, 200);
    }
}

/// `live` pins nothing: a run that keeps it does not stand in the way of a pin.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_keeps_live_goes_by_the_pins_of_the_token() {
    let world = World::start().await;
    publish(&world, "one", GET).await;
    assert_eq!(world.call(&world.shop_bot, GET, json!({ "number": 1 })).await.status, 200);
    rebind(&world, one(), 1).await;
    // Another declaration becomes the newest that is classified; the pin holds the first.
    let (ana, origin) = (world.ana.clone(), world.upstream.origin.clone());
    let mut tools = e2e::world::tickets("acme/shop", &origin)["tools"].clone();
    tools[0]["about"] = json!("One ticket, by its number, told anew.");
    let path = format!("/v1/servers/{}/publish", world.id("server/acme/shop/tickets"));
    let body = json!({ "tools": [tools[0]], "expected_version": 1 });
    let published = world.must(&ana, "POST", &path, body).await;
    for tool in published["tools"].as_array().expect("tools") {
        world.classify(&ana, tool["id"].as_str().expect("an id"), json!({})).await;
    }
    let said = world.call(&world.shop_bot, GET, json!({ "number": 1 })).await;
    assert_eq!(said.status, 200, "{}", said.body);
}
