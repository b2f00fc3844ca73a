//! Identities: operators', made whole, suspended and resumed; and what a start does.

use contract::{Answer, Code};
use control_plane::{Options, Plane};
use serde_json::json;
use tenancy::clock::Fake;
use tenancy::plane::{Answered, ToControl};
use tenancy::seal::Kek;

use crate::world::{BEGIN, How, World, column, name, text};

#[tokio::test]
async fn a_tenant_is_made_whole_and_its_owner_holds_everything() {
    let world = World::empty().await;
    let input = json!({ "name": "initech", "owner": "bill" });
    let made = world.envelope(&world.operator, "identity.create", input).await;
    let tables: Vec<_> = made.written.iter().map(|written| written.object.table.as_str()).collect();
    assert_eq!(tables, ["identities", "principals", "grants", "tokens"]);
    let owner = text(&made.result, "owner_token");
    let who = world.done(&owner, "token.whoami", json!({})).await;
    assert_eq!(who["grants"], json!(["owner at initech"]));
    assert_eq!((&who["kind"], &who["packs"]), (&json!("user"), &json!([{ "name": "live" }])));
    let route = owner.split('_').nth(2).expect("a route").to_owned();
    let found = world.ask(ToControl::Route { route }).await;
    assert!(matches!(found, Answered::Identity(Some(found)) if found == name("initech")));
    let none = world.ask(ToControl::Route { route: "abcdefghijkl".to_owned() }).await;
    assert!(matches!(none, Answered::Identity(None)));
    for (identity, exists) in [("initech", true), ("nobody", false)] {
        let answered = world.ask(ToControl::Exists { identity: name(identity) }).await;
        assert!(matches!(answered, Answered::Identity(found) if found.is_some() == exists));
    }
}

#[tokio::test]
async fn names_of_tenants_are_unique_and_listed_in_order() {
    let (world, _, _) = World::full().await;
    let input = json!({ "name": "acme", "owner": "eve" });
    let before = world.rows().await;
    world.refused_as(&world.operator, "identity.create", input, Code::AlreadyExists).await;
    assert_eq!(world.rows().await, before);
    let page = world.done(&world.operator, "identity.list", json!({ "limit": 1 })).await;
    assert_eq!(
        (column(&page, "name"), &page["cursor"]),
        (vec!["acme".to_owned()], &json!("YWNtZQ"))
    );
    let rest = json!({ "limit": 1, "cursor": page["cursor"] });
    let page = world.done(&world.operator, "identity.list", rest).await;
    assert_eq!((column(&page, "name"), page.get("cursor")), (vec!["globex".to_owned()], None));
    let of = json!({ "identity": "initech" });
    world.refused_as(&world.operator, "identity.get", of, Code::NotFound).await;
}

#[tokio::test]
async fn every_caller_of_a_suspended_tenant_is_refused_until_it_is_resumed() {
    let (world, acme, globex) = World::full().await;
    let of = json!({ "identity": "acme" });
    let suspended = world.done(&world.operator, "identity.suspend", of.clone()).await;
    assert_eq!((&suspended["suspended"], &suspended["version"]), (&json!(true), &json!(2)));
    for token in [&acme.owner, &acme.bot_token] {
        world.refused_as(token, "token.whoami", json!({}), Code::Unauthenticated).await;
    }
    world.done(&globex.owner, "token.whoami", json!({})).await;
    let stale = json!({ "identity": "acme", "expected_version": 1 });
    let refusal = world.refused(&world.operator, "identity.resume", stale).await;
    assert_eq!(
        (refusal.code, &refusal.more["current_version"]),
        (Code::VersionMismatch, &json!(2))
    );
    let again = world.envelope(&world.operator, "identity.suspend", of.clone()).await;
    assert_eq!(again.written, []);
    world.done(&world.operator, "identity.resume", of).await;
    world.done(&acme.owner, "token.whoami", json!({})).await;
}

#[tokio::test]
async fn operators_and_tenants_do_not_do_each_others_verbs() {
    let (world, acme, _) = World::full().await;
    let listed = world.refused(&world.operator, "group.list", json!({})).await;
    assert_eq!(listed.code, Code::NotGranted);
    world.refused_as(&acme.owner, "identity.list", json!({}), Code::NotGranted).await;
    world.refused_as(&acme.owner, "ledger.query", json!({}), Code::NoSuchRoute).await;
    world.refused_as(&acme.owner, "no.verb", json!({}), Code::NoSuchRoute).await;
}

#[tokio::test]
async fn an_operators_create_is_repeated_without_the_token() {
    let world = World::empty().await;
    let how = How { key: Some("k-1"), ..How::default() };
    let input = json!({ "name": "initech", "owner": "bill" });
    let mut answers = Vec::new();
    for _ in 0..2 {
        let answer = world.call_so(&world.operator, "identity.create", input.clone(), &how).await;
        answers.push(crate::world::done(answer));
    }
    assert_eq!(answers[0].result["identity"], answers[1].result["identity"]);
    assert_eq!(answers[1].result["owner_token"], json!("shown once, not repeated"));
    assert!(text(&answers[0].result, "owner_token").starts_with("bw_user_"));
}

#[tokio::test]
async fn the_operators_token_is_made_once_and_anew_when_asked_for() {
    let (world, acme, _) = World::full().await;
    let (world, token) = world.reopened(Options::default()).await;
    assert_eq!(token, None);
    world.done(&world.operator, "identity.list", json!({})).await;
    world.done(&acme.owner, "token.whoami", json!({})).await;
    let options = Options { new_operator_token: true, ..Options::default() };
    let (world, token) = world.reopened(options).await;
    world.refused_as(&world.operator, "identity.list", json!({}), Code::Unauthenticated).await;
    world.done(&token.expect("a new one"), "identity.list", json!({})).await;
}

#[tokio::test]
async fn another_key_than_the_one_it_was_made_with_opens_nothing() {
    let (world, _, _) = World::full().await;
    world.plane.close().await;
    let other = Fake::at(BEGIN.parse().expect("a time"));
    Kek::generate(&other);
    let kek = Kek::generate(&other);
    let opened = Plane::open(world.dir.path(), world.source(), kek, Options::default()).await;
    assert!(matches!(opened, Err(control_plane::plane::Error::OtherKey { .. })));
}

#[tokio::test]
async fn a_closed_store_is_unavailable_and_a_frame_that_is_none_is_denied() {
    let (world, acme, _) = World::full().await;
    for frame in [&b"{}"[..], b"", b"\xff", br#"{"version":2,"message":"done"}"#] {
        let answered = tenancy::plane::decode(&world.plane.answer(frame).await);
        assert!(matches!(answered, Ok(Answered::Denied(_))));
    }
    world.plane.close().await;
    let answer = world.call(&acme.owner, "token.whoami", json!({})).await;
    let Answer::Unavailable(unavailable) = answer else { panic!("{answer:?}") };
    assert_eq!(unavailable.what, "control store");
}
