//! The main job, end to end, over REST: declared, found, called, kept, ruled on, recorded, counted.

use e2e::World;
use e2e::upstream::large;
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn a_declared_endpoint_is_found_called_recorded_and_counted() {
    let world = World::start().await;
    let bot = &world.shop_bot;
    let overview = world.must(bot, "GET", "/v1/catalogue", Value::Null).await;
    let places: Vec<&str> = overview["places"]
        .as_array()
        .expect("places")
        .iter()
        .filter_map(|place| place["place"].as_str())
        .collect();
    assert_eq!(places, ["shop", "shop/checkout", "shop/returns"]);
    let path = "/v1/catalogue/search?query=read%20one%20ticket";
    let found = world.must(bot, "GET", path, Value::Null).await;
    let hits: Vec<&str> = found["hits"]
        .as_array()
        .expect("hits")
        .iter()
        .filter_map(|hit| hit["address"].as_str())
        .collect();
    assert!(hits.contains(&"shop/tickets.ticket.get"), "{hits:?}");
    let said = world.call(bot, "shop/tickets.ticket.get", json!({ "number": 412 })).await;
    assert_eq!(said.result()["number"], json!(412));
    assert_eq!(world.upstream.count("GET", "/tickets/412"), 1);
    let ledger = "/v1/ledger?address=shop/tickets.ticket.get";
    let entries = world.must(&world.ana, "GET", ledger, Value::Null).await;
    assert_eq!(entries["items"][0]["body"]["verdict"], "allow");
    assert_eq!(entries["items"][0]["body"]["scope"], "acme/shop");
    counted(&world).await;
}

/// The totals arrive with the worker's next beat, within a few seconds.
async fn counted(world: &World) {
    let path = "/v1/usage?group_by=scope&group_by=address";
    for _ in 0..50 {
        let figures = world.must(&world.ana, "GET", path, Value::Null).await;
        let rows = figures["rows"].as_array().expect("rows").clone();
        let row = rows.iter().find(|row| row["address"] == "shop/tickets.ticket.get");
        if let Some(row) = row {
            assert_eq!((&row["calls"], &row["scope"]), (&json!(1), &json!("acme/shop")));
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    }
    panic!("the call was never counted");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_answer_is_a_summary_and_a_handle_and_what_it_holds_is_whole() {
    let world = World::start().await;
    let said = world.call(&world.shop_bot, "shop/tickets.log.read", json!({})).await;
    assert!(said.body.to_string().len() < 4096, "{} bytes were sent", said.body.to_string().len());
    let handle = said.text("/result/handle");
    let (mut whole, mut at) = (String::new(), 0);
    while whole.len() < large().len() {
        let body = json!({ "handle": handle, "bytes": { "start": at, "end": at + 8000 } });
        let part = world.must(&world.shop_bot, "POST", "/v1/content/slice", body).await;
        let text = part["text"].as_str().expect("a text");
        assert!(!text.is_empty(), "no progress at {at}");
        whole.push_str(text);
        at = part["range"]["end"].as_u64().expect("a range");
    }
    assert_eq!(whole, large(), "what was read back is not what was answered");
}

#[tokio::test(flavor = "multi_thread")]
async fn personal_values_are_masked_alike_in_one_run_and_are_not_found_by_search() {
    let world = World::start().await;
    let bot = &world.shop_bot;
    let said =
        world.call(bot, "shop/checkout/billing.customer.lookup", json!({ "id": "c1" })).await;
    assert_eq!(said.text("/result/email"), "[email:1]");
    assert_eq!(said.text("/result/friend"), "[email:1]");
    assert!(!said.body.to_string().contains("912 345"), "{}", said.body);
    let body = json!({ "query": "marta.reis@example.com" });
    let found = world.rest(bot, "POST", "/v1/content/search", body).await;
    assert!(!found.body.to_string().contains("marta.reis"), "{}", found.body);
    // The owner holds `unmask`, and sees them.
    let said = world
        .call(&world.ana, "shop/checkout/billing.customer.lookup", json!({ "id": "c1" }))
        .await;
    assert_eq!(said.text("/result/email"), "marta.reis@example.com");
}
