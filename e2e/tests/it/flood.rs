//! Floods of tokens that have the form of an identity's own and are nobody's.

use e2e::World;
use serde_json::{Value, json};
use tenancy::clock::Machine;
use tenancy::token::{Kind, Route, mint};

/// A token that is routed as `like` is, and that nobody holds.
fn forged(kind: Kind, like: &str) -> String {
    let route = like.split('_').nth(2).expect("a route");
    let route: Route = route.parse().expect("a route");
    mint(&Machine, kind, &route).expose().to_owned()
}

/// Sends forged tokens until one is told to wait; how many were not.
async fn flood(world: &World, kind: Kind, like: &str, path: &str) -> usize {
    for sent in 0..200 {
        let said = world.rest(&forged(kind, like), "GET", path, Value::Null).await;
        match said.status {
            401 => {}
            429 => return sent,
            _ => panic!("{}", said.body),
        }
    }
    panic!("200 forged tokens were served");
}

/// Whoever serves the call finds the token bad: the worker, or the control plane itself.
#[tokio::test(flavor = "multi_thread")]
async fn forged_tokens_of_a_known_route_are_told_to_wait_before_they_are_served() {
    for (kind, path) in [(Kind::Agent, "/v1/catalogue"), (Kind::User, "/v1/groups")] {
        let world = World::start().await;
        // Good requests take nothing from what a peer may send wrongly.
        for _ in 0..100 {
            world.must(&world.shop_bot, "GET", "/v1/catalogue", Value::Null).await;
        }
        let served = flood(&world, kind, &world.ana, path).await;
        assert!((55..75).contains(&served), "{served} forged tokens were served");
        // What was taken lately is not held up by what others behind the same address send.
        world.must(&world.shop_bot, "GET", "/v1/catalogue", Value::Null).await;
        // MCP is told the same.
        let mut told = false;
        for _ in 0..20 {
            let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
            let bad = forged(Kind::Agent, &world.ana);
            let said = world.rest(&bad, "POST", "/mcp", body).await;
            told |= said.status == 429;
        }
        assert!(told, "MCP is not told to wait");
    }
}
