//! What would this revoke have broken? `ledger.replay` over rulings that were really made.

use e2e::World;
use serde_json::{Value, json};

async fn replay(world: &World, token: &str, input: Value) -> e2e::Said {
    world.rest(token, "POST", "/v1/ledger/replay", input).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoke_is_tried_before_it_is_made() {
    let mut world = World::start().await;
    let (ana, bot) = (world.ana.clone(), world.shop_bot.clone());
    let get = "shop/tickets.ticket.get";
    for _ in 0..3 {
        let said = world.call(&bot, get, json!({ "number": 412 })).await;
        assert_eq!(said.status, 200, "{}", said.body);
    }
    let grant = world.id("grant/shop-bot").to_owned();
    let of = world.id("principal/shop-bot").to_owned();
    let without = json!({ "scope": "acme", "principal": of, "without_grants": [grant] });
    let tried = replay(&world, &ana, without.clone()).await;
    assert_eq!(tried.result()["would_refuse"], json!(3), "{}", tried.body);
    let change = &tried.result()["changes"][0];
    assert_eq!((&change["address"], &change["today_too"]), (&json!(get), &json!(false)));
    let nothing = replay(&world, &ana, json!({ "scope": "acme", "principal": of })).await;
    assert_eq!(nothing.result()["would_refuse"], json!(0), "{}", nothing.body);
    // Page by page it says the same.
    let mut paged = without.clone();
    paged["limit"] = json!(1);
    let (mut broken, mut pages) = (0, 0);
    loop {
        let page = replay(&world, &ana, paged.clone()).await.result().clone();
        broken += page["would_refuse"].as_i64().expect("a count");
        pages += 1;
        if page["cursor"].is_null() {
            break;
        }
        paged["cursor"] = page["cursor"].clone();
    }
    assert!(broken == 3 && pages >= 3, "{broken} in {pages}");
    // Whoever may not read the ledger, or not ask why, may not ask this; nor of grants unseen.
    let bots = replay(&world, &bot, without.clone()).await;
    assert_eq!(bots.code(), "not_granted", "{}", bots.body);
    let here = [("auditor", "acme/shop/returns")];
    let auditor = world.principal(&ana, "user", "audrey", "autonomous", &here).await;
    let beside = json!({ "scope": "acme/shop/returns", "without_grants": [grant] });
    let unseen = replay(&world, &auditor, beside).await;
    let mut nowhere = json!({ "scope": "acme/shop/returns" });
    nowhere["without_grants"] = json!([contract::sample::text("grant", 77)]);
    let absent = replay(&world, &auditor, nowhere).await;
    assert_eq!(unseen.code(), "invalid_input", "{}", unseen.body);
    assert_eq!(unseen.text("/refusal/say"), absent.text("/refusal/say"));
    // And what was tried changed nothing.
    let may = world.call(&bot, get, json!({ "number": 412 })).await;
    assert_eq!(may.status, 200, "{}", may.body);
}
