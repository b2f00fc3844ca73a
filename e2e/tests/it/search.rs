//! Search in what is held, over several scopes that were granted apart.

use e2e::World;
use serde_json::{Value, json};

/// A server whose one tool answers what it was sent.
fn notes(scope: &str, origin: &str) -> Value {
    let mut server = e2e::world::tickets(scope, origin);
    server["name"] = json!("notes");
    server["tools"] = json!([{ "name": "echo", "about": "Answers what it was sent.", "effect": "read",
        "endpoint": { "method": "GET", "path": "/echo", "arguments": [
            { "name": "text", "in": "query", "schema": { "type": "string", "maxLength": 4000 } }] } }]);
    server
}

async fn find(world: &World, token: &str, limit: u32) -> Value {
    let body = json!({ "query": "quillfeather", "limit": limit });
    world.rest(token, "POST", "/v1/content/search", body).await.body
}

/// What was found: each address and its place in the list.
fn hits(found: &Value) -> Vec<(&str, u64)> {
    let hits = found["result"]["hits"].as_array().expect("hits");
    let of = |hit: &'_ Value| hit["words_rank"].as_u64().expect("a rank");
    hits.iter().map(|hit| (hit["address"].as_str().expect("an address"), of(hit))).collect()
}

/// The best fit is the first, whatever scope it lies in and whichever scope is asked first.
#[tokio::test(flavor = "multi_thread")]
async fn what_fits_best_over_all_scopes_comes_first() {
    let mut world = World::start().await;
    let (ana, origin) = (world.ana.clone(), world.upstream.origin.clone());
    let grants = [("member", "acme/shop/checkout"), ("member", "acme/support/mail")];
    let bot = world.principal(&ana, "agent", "notes-bot", "autonomous", &grants).await;
    let (weak, strong) =
        (format!("quillfeather{}", " and more".repeat(120)), "quillfeather ".repeat(9));
    for (scope, text) in [("acme/shop/checkout", &weak), ("acme/support/mail", &strong)] {
        world.server(&ana, notes(scope, &origin)).await;
        let address = format!("{}/notes.echo", scope.trim_start_matches("acme/"));
        let said = world.call(&bot, &address, json!({ "text": text })).await;
        assert_eq!(said.status, 200, "{}", said.body);
    }
    let (first, second) = ("support/mail/notes.echo", "shop/checkout/notes.echo");
    let found = find(&world, &bot, 50).await;
    let at = |address| hits(&found).iter().position(|(found, _)| *found == address);
    assert!(at(first) < at(second) && at(first) == Some(0), "{found}");
    let places: Vec<_> = hits(&found).into_iter().map(|(_, place)| place).collect();
    assert_eq!(places, (1..).take(places.len()).collect::<Vec<_>>());
    let found = find(&world, &bot, 1).await;
    assert_eq!(hits(&found), [(first, 1)], "{found}");
    assert!(!found["hints"].to_string().contains("look_elsewhere"), "{found}");
}

#[tokio::test(flavor = "multi_thread")]
async fn scopes_that_were_not_looked_through_are_said() {
    let mut world = World::start().await;
    let ana = world.ana.clone();
    let scopes: Vec<String> = (0..66).map(|n| format!("acme/support/p{n}")).collect();
    for scope in &scopes {
        let name = scope.trim_start_matches("acme/support/");
        let body = json!({ "name": name });
        world.must(&ana, "POST", "/v1/groups/support/projects", body).await;
    }
    let grants: Vec<_> = scopes.iter().map(|scope| ("member", scope.as_str())).collect();
    let bot = world.principal(&ana, "agent", "wide-bot", "autonomous", &grants).await;
    let found = find(&world, &bot, 10).await;
    let hints = found["hints"].as_array().expect("hints");
    let said: Vec<_> = hints.iter().filter_map(|hint| hint["say"].as_str()).collect();
    assert!(said.iter().any(|say| say.contains("2 more were not")), "{found}");
}
