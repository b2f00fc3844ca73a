//! Tokens: minted, narrowed, bound and revoked, and never for more than their maker holds.

use contract::{Action, Code};
use serde_json::{Value, json};

use crate::world::{World, column, text};

#[tokio::test]
async fn a_token_is_minted_once_listed_and_revoked() {
    let (world, acme, _) = World::full().await;
    let input = json!({ "principal": acme.bot, "scope": "acme/shop", "actions": ["call.read"],
        "expires": "2026-12-01T12:00:00Z" });
    let minted = world.envelope(&acme.owner, "token.create", input).await;
    let secret = text(&minted.result, "secret");
    assert!(secret.starts_with("bw_agent_"));
    assert_eq!(minted.result["token"]["packs"], json!([{ "name": "live" }]));
    let who = world.done(&secret, "token.whoami", json!({})).await;
    assert_eq!((&who["home"], &who["principal"]), (&json!("acme/shop"), &json!(acme.bot)));
    let of = json!({ "principal": acme.bot });
    let listed = world.done(&acme.owner, "token.list", of).await;
    assert_eq!(column(&listed, "id").len(), 2);
    assert!(!listed.to_string().contains("bw_"));
    let which = json!({ "token": minted.result["token"]["id"] });
    let revoked = world.done(&acme.owner, "token.revoke", which.clone()).await;
    assert_eq!((&revoked["revoked"], &revoked["version"]), (&json!(true), &json!(2)));
    world.refused_as(&secret, "token.whoami", json!({}), Code::Unauthenticated).await;
    let again = world.envelope(&acme.owner, "token.revoke", which).await;
    assert_eq!((again.result, again.written), (revoked, vec![]));
}

#[tokio::test]
async fn a_token_ends_when_it_expires() {
    let (world, acme, _) = World::full().await;
    let child = text(&world.done(&acme.bot_token, "token.narrow", json!({})).await, "secret");
    world.clock.pass(60 * 60 * 1000 - 1);
    world.done(&child, "token.whoami", json!({})).await;
    world.clock.pass(1);
    world.refused_as(&child, "token.whoami", json!({}), Code::Unauthenticated).await;
    world.done(&acme.bot_token, "token.whoami", json!({})).await;
}

#[tokio::test]
async fn every_fault_of_a_mint_is_named_at_once() {
    let (world, acme, _) = World::full().await;
    let input = json!({
        "principal": acme.bot.replace(|c: char| c.is_ascii_digit(), "0"),
        "packs": [{ "name": "live", "version": 1 }, { "name": "triage" }, { "name": "x", "version": 2 }],
        "expires": "2026-11-30T11:00:00Z"
    });
    let refusal = world.refused(&acme.owner, "token.create", input).await;
    let fields: Vec<_> = refusal.faults.iter().map(|fault| fault.field.as_str()).collect();
    assert_eq!(fields, ["packs.0.version", "packs.1.version", "packs.2", "expires", "principal"]);
    assert_eq!(refusal.code, Code::InvalidInput);
}

#[tokio::test]
async fn nobody_mints_more_than_they_hold() {
    let (world, acme, _) = World::full().await;
    let beyond = Code::BeyondOwnAuthority;
    let admin = world.caller(&acme.owner, "user", "admin", "acme").await;
    world.done(&admin, "token.create", json!({ "principal": acme.bot })).await;
    let owner = json!({ "principal": acme.owner_id });
    world.refused_as(&admin, "token.create", owner.clone(), beyond).await;
    let narrow = json!({ "principal": acme.owner_id, "actions": ["scope.read"] });
    world.done(&admin, "token.create", narrow).await;
    // An admin of one project mints for no wider scope, and nobody for another tenant's.
    let below = world.caller(&acme.owner, "user", "admin", "acme/shop/checkout").await;
    for scope in [Value::Null, json!("acme/shop"), json!("acme/shop/returns"), json!("globex")] {
        let mut input = json!({ "principal": acme.bot });
        if scope.is_string() {
            input["scope"] = scope;
        }
        world.refused_as(&below, "token.create", input, Code::NotGranted).await;
    }
    let input = json!({ "principal": acme.bot, "scope": "acme/shop/checkout" });
    world.done(&below, "token.create", input).await;
    // Nor through packs: a token without packs opens none for others.
    let bare = json!({ "principal": acme.owner_id, "packs": [] });
    let bare = text(&world.done(&acme.owner, "token.create", bare).await, "secret");
    world.refused_as(&bare, "token.create", json!({ "principal": acme.bot }), beyond).await;
    let input = json!({ "principal": acme.bot, "packs": [] });
    world.done(&bare, "token.create", input).await;
}

#[tokio::test]
async fn a_machine_makes_no_users_token_and_none_beside_its_own() {
    let (world, acme, _) = World::full().await;
    let machine = world.caller(&acme.owner, "agent", "owner", "acme").await;
    let input = json!({ "kind": "user", "name": "newcomer" });
    let newcomer = world.done(&machine, "principal.create", input).await;
    let input = json!({ "principal": newcomer["id"] });
    world.refused_as(&machine, "token.create", input.clone(), Code::UserRequired).await;
    let own = world.done(&machine, "token.whoami", json!({})).await;
    let own = json!({ "principal": own["principal"] });
    world.refused_as(&machine, "token.create", own, Code::BeyondOwnAuthority).await;
    // Nor does a person's child token.
    let child = text(&world.done(&acme.owner, "token.narrow", json!({})).await, "secret");
    assert!(child.starts_with("bw_agent_"));
    world.refused_as(&child, "token.create", input.clone(), Code::UserRequired).await;
    let made = world.done(&acme.owner, "token.create", input).await;
    assert!(text(&made, "secret").starts_with("bw_user_"));
}

#[tokio::test]
async fn a_child_may_less_and_dies_with_its_parent() {
    let (world, acme, _) = World::full().await;
    let input = json!({ "scope": "acme/shop/checkout", "actions": ["call.read", "scope.read"],
        "expires": "2026-11-30T13:00:00Z" });
    let minted = world.done(&acme.bot_token, "token.narrow", input).await;
    assert_eq!(minted["token"]["parent"], json!(acme.bot_token_id));
    let child = text(&minted, "secret");
    let who = world.done(&child, "token.whoami", json!({})).await;
    assert_eq!(who["home"], json!("acme/shop/checkout"));
    for (field, value) in [
        ("scope", json!("acme/shop")),
        ("scope", json!("acme/shop/returns")),
        ("scope", json!("globex/shop/checkout")),
        ("actions", json!(["call.write"])),
        ("expires", json!("2026-11-30T13:00:01Z")),
    ] {
        let refusal = world.refused(&child, "token.narrow", json!({ field: value })).await;
        assert_eq!(
            (refusal.code, refusal.field.as_deref()),
            (Code::BeyondOwnAuthority, Some(field))
        );
    }
    let grandchild = world.done(&child, "token.narrow", json!({})).await;
    assert_eq!(grandchild["token"]["expires"], json!("2026-11-30T13:00:00Z"));
    let which = json!({ "token": acme.bot_token_id });
    world.done(&acme.owner, "token.revoke", which).await;
    for token in [&acme.bot_token, &child, &text(&grandchild, "secret")] {
        world.refused_as(token, "token.whoami", json!({}), Code::Unauthenticated).await;
    }
}

#[tokio::test]
async fn tokens_are_narrowed_three_deep_and_a_hundred_wide() {
    let (world, acme, _) = World::full().await;
    let mut token = acme.bot_token.clone();
    for _ in 0..3 {
        token = text(&world.done(&token, "token.narrow", json!({})).await, "secret");
    }
    world.refused_as(&token, "token.narrow", json!({}), Code::WrongState).await;
    let mut last = Value::Null;
    for _ in 0..99 {
        last = world.done(&acme.bot_token, "token.narrow", json!({})).await;
    }
    world.refused_as(&acme.bot_token, "token.narrow", json!({}), Code::WrongState).await;
    let which = json!({ "token": last["token"]["id"] });
    world.done(&acme.bot_token, "token.revoke", which).await;
    world.done(&acme.bot_token, "token.narrow", json!({})).await;
    world.refused_as(&acme.bot_token, "token.narrow", json!({}), Code::WrongState).await;
    world.clock.pass(60 * 60 * 1000);
    world.done(&acme.bot_token, "token.narrow", json!({})).await;
}

#[tokio::test]
async fn a_holder_revokes_its_own_and_its_children_and_no_other() {
    let (world, acme, _) = World::full().await;
    let input = json!({ "principal": acme.bot });
    let sibling = world.done(&acme.owner, "token.create", input).await;
    let which = json!({ "token": sibling["token"]["id"] });
    let refusal = world.refused(&acme.bot_token, "token.revoke", which).await;
    let absent = json!({ "token": acme.bot_token_id.replace(|c: char| c.is_ascii_digit(), "0") });
    let none = world.refused(&acme.bot_token, "token.revoke", absent).await;
    assert_eq!((refusal.code, &refusal.say), (Code::NotFound, &none.say));
    let child = world.done(&acme.bot_token, "token.narrow", json!({})).await;
    let deep = world.done(&text(&child, "secret"), "token.narrow", json!({})).await;
    let which = json!({ "token": deep["token"]["id"] });
    world.done(&acme.bot_token, "token.revoke", which).await;
    let up = json!({ "token": acme.bot_token_id });
    world.refused_as(&text(&child, "secret"), "token.revoke", up.clone(), Code::NotFound).await;
    world.done(&acme.bot_token, "token.revoke", up).await;
    world.refused_as(&acme.bot_token, "token.whoami", json!({}), Code::Unauthenticated).await;
    world.done(&text(&sibling, "secret"), "token.whoami", json!({})).await;
}

#[tokio::test]
async fn binding_anew_takes_packs_away_and_gives_none_that_are_not_held() {
    let (world, acme, _) = World::full().await;
    let bind = |packs: Value, version: i64| json!({ "token": acme.bot_token_id, "packs": packs, "expected_version": version });
    let live = json!([{ "name": "live" }]);
    let stale = bind(json!([]), 9);
    world.refused_as(&acme.owner, "token.rebind", stale, Code::VersionMismatch).await;
    let unknown = bind(json!([{ "name": "triage", "version": 1 }]), 1);
    world.refused_as(&acme.owner, "token.rebind", unknown, Code::InvalidInput).await;
    let bare = json!({ "principal": acme.owner_id, "packs": [] });
    let bare = text(&world.done(&acme.owner, "token.create", bare).await, "secret");
    let bound = world.done(&bare, "token.rebind", bind(json!([]), 1)).await;
    assert_eq!((&bound["packs"], &bound["version"]), (&json!([]), &json!(2)));
    let code = Code::BeyondOwnAuthority;
    world.refused_as(&bare, "token.rebind", bind(live.clone(), 2), code).await;
    world.done(&acme.owner, "token.rebind", bind(live, 2)).await;
    // The bot itself may not, and learns nothing of the token.
    world.refused_as(&acme.bot_token, "token.rebind", bind(json!([]), 3), Code::NotFound).await;
}

#[tokio::test]
async fn actions_are_told_in_their_order() {
    let (world, acme, _) = World::full().await;
    let input =
        json!({ "principal": acme.bot, "actions": ["call.read", "scope.read", "call.read"] });
    let minted = world.done(&acme.owner, "token.create", input).await;
    let told = minted["token"]["actions"].as_array().expect("actions").len();
    assert_eq!(told, [Action::ScopeRead, Action::CallRead].len());
}
