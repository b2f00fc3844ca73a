//! When tokens were last used: told by the holder, seen by the plane, and no part of the authority.

use serde_json::{Value, json};
use tenancy::plane::{Answered, ToControl};

use crate::world::{Tenant, World, name, text};

async fn last_used(world: &World, acme: &Tenant, id: &str) -> Value {
    let page = world.done(&acme.owner, "token.list", json!({})).await;
    let items = page["items"].as_array().expect("tokens").clone();
    let token = items.into_iter().find(|token| token["id"] == json!(id)).expect("is listed");
    token["last_used"].clone()
}

#[tokio::test]
async fn what_the_holder_has_seen_is_listed_and_counts_no_revision() {
    let (world, acme, globex) = World::full().await;
    assert_eq!(last_used(&world, &acme, &acme.bot_token_id).await, Value::Null);
    let revision = world.revision("acme").await;
    let epoch = world.hold("acme", "n1").await.epoch;
    let used = |at: &str, token: &str| ToControl::Used {
        identity: name("acme"),
        epoch,
        uses: vec![(token.parse().expect("an id"), at.parse().expect("a time"))],
    };
    let later = world.ask(used("2026-11-30T12:05:00Z", &acme.bot_token_id)).await;
    assert!(matches!(later, Answered::Done));
    world.ask(used("2026-11-30T12:04:00Z", &acme.bot_token_id)).await;
    let listed = last_used(&world, &acme, &acme.bot_token_id).await;
    assert_eq!(listed, json!("2026-11-30T12:05:00Z"), "an earlier one takes nothing back");
    assert_eq!(world.revision("acme").await, revision);
    // Another's token is not one of the holder's, and who holds nothing is not heard.
    world.ask(used("2026-11-30T12:05:00Z", &globex.bot_token_id)).await;
    assert_eq!(last_used(&world, &globex, &globex.bot_token_id).await, Value::Null);
    let stale = ToControl::Used { identity: name("acme"), epoch: epoch + 1, uses: Vec::new() };
    assert!(matches!(world.ask(stale).await, Answered::Denied(_)));
}

#[tokio::test]
async fn a_person_who_comes_here_directly_is_seen_and_it_lasts() {
    let (world, acme, _) = World::full().await;
    let own = world.done(&acme.owner, "token.whoami", json!({})).await;
    let id = text(&own, "token");
    assert_eq!(last_used(&world, &acme, &id).await, json!("2026-11-30T12:01:00Z"));
    let (world, _) = world.reopened(control_plane::Options::default()).await;
    world.clock.pass(600_000);
    let admin = world.caller(&acme.owner, "user", "admin", "acme").await;
    world.done(&acme.owner, "token.whoami", json!({})).await;
    let seen = world.done(&admin, "token.list", json!({ "principal": acme.owner_id })).await;
    assert_eq!(seen["items"][0]["last_used"], json!("2026-11-30T12:11:00Z"));
}
