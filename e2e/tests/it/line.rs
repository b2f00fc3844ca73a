//! The main job, end to end.

use e2e::World;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn a_declared_endpoint_is_found_called_recorded_and_counted() {
    let world = World::start().await;
    let said = world.call(&world.shop_bot, "shop/tickets.ticket.get", json!({ "number": 412 })).await;
    assert_eq!(said.result()["number"], json!(412), "{}", said.body);
    println!("{}", said.body);
    for (path, body) in [
        ("/v1/catalogue", None),
        ("/v1/catalogue/place?place=shop", None),
        ("/v1/catalogue/search?query=open%20a%20ticket", None),
        ("/v1/catalogue/describe?addresses=shop/tickets.ticket.get", None),
        ("/v1/runs", None),
        ("/v1/whoami", None),
        ("/v1/call", Some(json!({ "address": "shop/tickets.log.read" }))),
        ("/v1/call", Some(json!({ "address": "shop/tickets.ticket.create", "arguments": { "subject": "x" } }))),
        ("/v1/call", Some(json!({ "address": "shop/checkout/billing.customer.lookup", "arguments": { "id": "c1" } }))),
        ("/v1/content/search", Some(json!({ "query": "payment" }))),
    ] {
        let method = if body.is_some() { "POST" } else { "GET" };
        let said = world.rest(&world.shop_bot, method, path, body.unwrap_or_default()).await;
        println!("== {method} {path} {}\n{}", said.status, serde_json::to_string(&said.body).expect("json").chars().take(1500).collect::<String>());
    }
    for path in ["/v1/ledger?limit=5", "/v1/approvals", "/v1/ledger/export", "/v1/usage?group_by=scope"] {
        let said = world.rest(&world.ana, "GET", path, serde_json::Value::Null).await;
        println!("== ana GET {path} {}\n{}", said.status, serde_json::to_string(&said.body).expect("json").chars().take(1500).collect::<String>());
    }
}
