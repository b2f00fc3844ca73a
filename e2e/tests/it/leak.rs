//! The leak path from outside: a scanner reports, the owner sees why, and the text lies nowhere. And when
//! a token was last used.

use std::path::Path;
use std::time::Duration;

use e2e::{Surface, World};
use serde_json::{Value, json};

/// Every file of a folder, however deep, that holds these bytes.
fn holding(dir: &Path, wanted: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(holding(&path, wanted));
        } else if std::fs::read(&path).expect("reads").windows(wanted.len()).any(|at| at == wanted)
        {
            found.push(path.display().to_string());
        }
    }
    found
}

async fn token(world: &World, id: &str) -> Value {
    let listed = world.must(&world.ana, "GET", "/v1/tokens?limit=200", Value::Null).await;
    let mut items = listed["items"].as_array().expect("tokens").iter();
    items.find(|token| token["id"] == json!(id)).expect("is listed").clone()
}

/// Over every surface: by a stranger's agent over MCP, by nobody elsewhere. No ledger, approval, record of
/// a key or any other file holds the text; the act is in the ledger of whose token it was.
#[tokio::test(flavor = "multi_thread")]
async fn a_reported_text_lies_nowhere_and_the_owner_sees_why() {
    let mut world = World::start().await;
    let ana = world.ana.clone();
    for (surface, name) in Surface::ALL.into_iter().zip(["leaked-rest", "leaked-mcp", "leaked-cli"])
    {
        let member = [("member", "acme/shop")];
        let secret = world.principal(&ana, "agent", name, "autonomous", &member).await;
        let id = world.id(&format!("token/{name}")).to_owned();
        // A supervised agent that has read untrusted content: nothing holds its report.
        let bot = world.returns_bot.clone();
        let who = if surface == Surface::Mcp { bot.as_str() } else { "" };
        let input = json!({ "secret": secret });
        let said = world.on(surface, who, "token.report_leaked", &input).await;
        assert_eq!((said.status, &said.body["written"]), (200, &json!([])), "{}", said.body);
        let none = json!({ "secret": "bw_agent_nothing" });
        let unknown = world.on(surface, who, "token.report_leaked", &none).await;
        assert_eq!(said.body, unknown.body, "{surface:?}");
        assert_eq!(token(&world, &id).await["revoked_because"], json!("leaked"));
        let part = secret.rsplit('_').nth(1).expect("a secret").to_owned();
        tokio::time::sleep(Duration::from_millis(1500)).await;
        assert_eq!(holding(world.dir.path(), part.as_bytes()), Vec::<String>::new(), "{surface:?}");
    }
    let path = "/v1/ledger?kind=administration&limit=200";
    let ledger = world.must(&ana, "GET", path, Value::Null).await;
    let entries = ledger["items"].as_array().expect("entries");
    let reports: Vec<_> = entries
        .iter()
        .filter(|entry| entry["body"]["verb"] == json!("token.report_leaked"))
        .map(|entry| entry["body"]["principal"].clone())
        .collect();
    assert_eq!(reports, vec![json!("anyone"); 3]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_use_of_a_token_is_listed() {
    let mut world = World::start().await;
    let ana = world.ana.clone();
    let member = [("member", "acme/shop")];
    let bot = world.principal(&ana, "agent", "used", "autonomous", &member).await;
    let id = world.id("token/used").to_owned();
    assert_eq!(token(&world, &id).await["last_used"], Value::Null);
    world.call(&bot, "shop/tickets.ticket.get", json!({ "number": 412 })).await;
    for _ in 0..50 {
        if token(&world, &id).await["last_used"].is_string() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("it does not show");
}
