//! Rotation: a successor that may do exactly the same, and no way out of a revocation.

use contract::Code;
use serde_json::{Value, json};

use crate::world::{Tenant, World, column, text};

/// Rotates the bot's own token; the successor's secret and id.
async fn rotate(world: &World, token: &str, id: &str, overlap_seconds: u32) -> (String, Value) {
    let input = json!({ "token": id, "overlap_seconds": overlap_seconds });
    let rotated = world.done(token, "token.rotate", input).await;
    (text(&rotated, "secret"), rotated)
}

/// The token, as its owner sees it.
async fn listed(world: &World, acme: &Tenant, id: &str) -> Value {
    let page = world.done(&acme.owner, "token.list", json!({ "limit": 200 })).await;
    let items = page["items"].as_array().expect("tokens").clone();
    items.into_iter().find(|token| token["id"] == json!(id)).expect("is listed")
}

async fn dead(world: &World, token: &str) {
    world.refused_as(token, "token.whoami", json!({}), Code::Unauthenticated).await;
}

#[tokio::test]
async fn both_are_taken_for_the_overlap_and_then_only_the_successor() {
    let (world, acme, _) = World::full().await;
    let (next, rotated) = rotate(&world, &acme.bot_token, &acme.bot_token_id, 60).await;
    let old = &rotated["old"];
    assert_eq!(old["successor"], rotated["token"]["id"]);
    assert_eq!(rotated["token"]["predecessor"], json!(acme.bot_token_id));
    for token in [&acme.bot_token, &next] {
        world.done(token, "token.whoami", json!({})).await;
    }
    world.clock.pass(59_999);
    world.done(&acme.bot_token, "token.whoami", json!({})).await;
    world.clock.pass(1);
    dead(&world, &acme.bot_token).await;
    world.done(&next, "token.whoami", json!({})).await;
}

#[tokio::test]
async fn without_an_overlap_the_old_one_ends_at_once_and_its_children_with_it() {
    let (world, acme, _) = World::full().await;
    let child = text(&world.done(&acme.bot_token, "token.narrow", json!({})).await, "secret");
    let (next, _) = rotate(&world, &acme.bot_token, &acme.bot_token_id, 0).await;
    dead(&world, &acme.bot_token).await;
    dead(&world, &child).await;
    world.done(&next, "token.whoami", json!({})).await;
    let old = listed(&world, &acme, &acme.bot_token_id).await;
    assert_eq!((&old["revoked"], &old["revoked_because"]), (&json!(true), &json!("rotated")));
}

#[tokio::test]
async fn a_successor_may_do_what_the_old_one_could_and_no_more() {
    let (world, acme, _) = World::full().await;
    let input = json!({ "principal": acme.bot, "scope": "acme/shop/checkout",
        "actions": ["call.read"], "packs": [], "expires": "2026-12-01T12:00:00Z" });
    let minted = world.done(&acme.owner, "token.create", input).await;
    let (token, id) = (text(&minted, "secret"), text(&minted["token"], "id"));
    let later = json!({ "token": id, "expires": "2026-12-01T12:00:01Z" });
    let refusal = world.refused(&token, "token.rotate", later.clone()).await;
    assert_eq!(refusal.code, Code::BeyondOwnAuthority);
    assert_eq!(refusal.field.as_deref(), Some("expires"));
    let (_, rotated) = rotate(&world, &token, &id, 0).await;
    for same in ["scope", "actions", "packs", "expires", "depth", "principal"] {
        assert_eq!(rotated["token"][same], minted["token"][same], "{same}");
    }
    // Whoever manages tokens may put the end off.
    let next = json!({ "token": rotated["token"]["id"], "expires": "2026-12-02T12:00:00Z" });
    world.done(&acme.owner, "token.rotate", next).await;
}

#[tokio::test]
async fn at_most_two_of_a_line_are_taken() {
    let (world, acme, _) = World::full().await;
    let (next, rotated) = rotate(&world, &acme.bot_token, &acme.bot_token_id, 60).await;
    let id = text(&rotated["token"], "id");
    let again = json!({ "token": acme.bot_token_id });
    world.refused_as(&acme.bot_token, "token.rotate", again.clone(), Code::WrongState).await;
    let early = json!({ "token": id });
    world.refused_as(&next, "token.rotate", early.clone(), Code::WrongState).await;
    // A successor whose secret was lost on the way is revoked by the old one, which then rotates anew.
    let lost = json!({ "token": id });
    world.done(&acme.bot_token, "token.revoke", lost).await;
    dead(&world, &next).await;
    let (third, _) = rotate(&world, &acme.bot_token, &acme.bot_token_id, 60).await;
    world.done(&third, "token.whoami", json!({})).await;
}

/// A child's overlap counts as one more child of its parent.
#[tokio::test]
async fn no_overlap_makes_more_children_than_a_parent_may_have() {
    let (world, acme, _) = World::full().await;
    let mut child = Value::Null;
    for _ in 0..100 {
        child = world.done(&acme.bot_token, "token.narrow", json!({})).await;
    }
    let id = text(&child["token"], "id");
    let with = json!({ "token": id, "overlap_seconds": 1 });
    world.refused_as(&acme.bot_token, "token.rotate", with, Code::WrongState).await;
    rotate(&world, &text(&child, "secret"), &id, 0).await;
    let parent = listed(&world, &acme, &acme.bot_token_id).await;
    assert_eq!((&parent["children"], &parent["depth"]), (&json!(100), &json!(0)));
}

#[tokio::test]
async fn nobody_slips_out_of_a_revocation_by_rotating_first() {
    let (world, acme, _) = World::full().await;
    let (next, rotated) = rotate(&world, &acme.bot_token, &acme.bot_token_id, 0).await;
    let (last, _) = rotate(&world, &next, &text(&rotated["token"], "id"), 0).await;
    let child = text(&world.done(&last, "token.narrow", json!({})).await, "secret");
    let which = json!({ "token": acme.bot_token_id });
    let revoked = world.envelope(&acme.owner, "token.revoke", which).await;
    assert_eq!(revoked.written.len(), 1, "only the last was taken: {:?}", revoked.written);
    for token in [&last, &child] {
        dead(&world, token).await;
    }
    // What a manager rotated stands apart: the old token did not make it.
    let input = json!({ "principal": acme.bot });
    let minted = world.done(&acme.owner, "token.create", input).await;
    let id = text(&minted["token"], "id");
    let (next, _) = rotate(&world, &acme.owner, &id, 60).await;
    world.done(&acme.owner, "token.revoke", json!({ "token": id })).await;
    dead(&world, &text(&minted, "secret")).await;
    world.done(&next, "token.whoami", json!({})).await;
}

#[tokio::test]
async fn another_s_token_is_rotated_by_who_could_mint_it() {
    let (world, acme, globex) = World::full().await;
    let which = json!({ "token": acme.bot_token_id });
    let absent = json!({ "token": acme.bot_token_id.replace(|c: char| c.is_ascii_digit(), "0") });
    for token in [&globex.owner, &world.caller(&acme.owner, "agent", "member", "acme/shop").await] {
        let refused = world.refused(token, "token.rotate", which.clone()).await;
        let nobodys = world.refused(token, "token.rotate", absent.clone()).await;
        assert_eq!((refused.code, &refused.say), (Code::NotFound, &nobodys.say));
    }
    let owner = world.done(&acme.owner, "token.whoami", json!({})).await;
    let owners = json!({ "token": owner["token"] });
    let admin = world.caller(&acme.owner, "user", "admin", "acme").await;
    world.refused_as(&admin, "token.rotate", owners.clone(), Code::BeyondOwnAuthority).await;
    let machine = world.caller(&acme.owner, "agent", "owner", "acme").await;
    world.refused_as(&machine, "token.rotate", owners, Code::UserRequired).await;
    world.done(&admin, "token.rotate", which).await;
    let tokens = world.done(&acme.owner, "token.list", json!({ "principal": acme.bot })).await;
    assert_eq!(column(&tokens, "id").len(), 2);
}
