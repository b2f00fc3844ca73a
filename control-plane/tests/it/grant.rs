//! Grants: given by who holds them, listed where they may be seen, revoked for good.

use contract::Code;
use serde_json::json;

use crate::world::{World, column, text};

#[tokio::test]
async fn a_grant_is_given_listed_and_revoked() {
    let (world, acme, _) = World::full().await;
    let input = json!({ "principal": acme.bot, "scope": "acme/shop/returns", "role": "viewer" });
    let given = world.envelope(&acme.owner, "grant.create", input).await;
    let id = text(&given.result, "id");
    assert_eq!(given.written[0].object.id, id);
    assert_eq!(given.written[0].version, 1);
    let listed = world.done(&acme.owner, "grant.list", json!({ "principal": acme.bot })).await;
    assert_eq!(column(&listed, "id"), [acme.bot_grant.clone(), id.clone()]);
    let ended = world.envelope(&acme.owner, "grant.revoke", json!({ "grant": id })).await;
    assert_eq!((&ended.result["revoked"], ended.written[0].version), (&json!(true), 2));
    let again = world.envelope(&acme.owner, "grant.revoke", json!({ "grant": id })).await;
    assert_eq!((again.result, again.written), (ended.result, vec![]));
}

#[tokio::test]
async fn the_next_call_under_a_revoked_grant_is_refused() {
    let (world, acme, _) = World::full().await;
    let viewer = world.caller(&acme.owner, "user", "viewer", "acme").await;
    world.done(&viewer, "principal.list", json!({})).await;
    let who = world.done(&viewer, "token.whoami", json!({})).await;
    assert_eq!(who["grants"], json!(["viewer at acme"]));
    let of = json!({ "principal": who["principal"] });
    let grant = column(&world.done(&acme.owner, "grant.list", of).await, "id").remove(0);
    world.done(&acme.owner, "grant.revoke", json!({ "grant": grant })).await;
    world.refused_as(&viewer, "principal.list", json!({}), Code::NotGranted).await;
    assert_eq!(world.done(&viewer, "token.whoami", json!({})).await["grants"], json!([]));
}

#[tokio::test]
async fn nobody_confers_what_they_do_not_hold() {
    let (world, acme, _) = World::full().await;
    let admin = world.caller(&acme.owner, "user", "admin", "acme/shop").await;
    let give =
        |scope: &str, role: &str| json!({ "principal": acme.bot, "scope": scope, "role": role });
    world.done(&admin, "grant.create", give("acme/shop/checkout", "member")).await;
    for role in ["owner", "curator", "approver"] {
        let code = Code::BeyondOwnAuthority;
        world.refused_as(&admin, "grant.create", give("acme/shop", role), code).await;
    }
    for scope in ["acme", "acme/shopping", "globex/shop", "acme/shop/nowhere/deep"] {
        let refusal = world.refused(&admin, "grant.create", give(scope, "viewer")).await;
        let expected = [Code::NotGranted, Code::InvalidInput];
        assert!(expected.contains(&refusal.code), "{scope}: {refusal:?}");
    }
    // What ends with the admin's own grant is not theirs to give afterwards.
    let agent = world.caller(&acme.owner, "agent", "owner", "acme").await;
    world.done(&agent, "grant.create", give("acme/shop", "admin")).await;
    let code = Code::BeyondOwnAuthority;
    world.refused_as(&agent, "grant.create", give("acme/shop", "approver"), code).await;
}

#[tokio::test]
async fn a_list_shows_what_may_be_seen_page_by_page() {
    let (world, acme, _) = World::full().await;
    let auditor = world.caller(&acme.owner, "user", "auditor", "acme/shop/returns").await;
    for role in ["viewer", "member", "billing"] {
        for project in ["checkout", "returns"] {
            let scope = format!("acme/shop/{project}");
            let input = json!({ "principal": acme.bot, "scope": scope, "role": role });
            world.done(&acme.owner, "grant.create", input).await;
        }
    }
    let seen = world.done(&auditor, "grant.list", json!({})).await;
    assert_eq!(column(&seen, "scope"), ["acme/shop/returns"; 4]);
    let whole = column(&world.done(&acme.owner, "grant.list", json!({})).await, "id");
    let (mut paged, mut cursor) = (Vec::new(), None);
    loop {
        let mut input = json!({ "limit": 2 });
        if let Some(cursor) = cursor {
            input["cursor"] = cursor;
        }
        let page = world.envelope(&acme.owner, "grant.list", input).await;
        assert!(column(&page.result, "id").len() <= 2);
        assert_eq!(page.hints.len(), usize::from(page.result.get("cursor").is_some()));
        paged.extend(column(&page.result, "id"));
        cursor = page.result.get("cursor").cloned();
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(paged, whole);
}

#[tokio::test]
async fn a_record_of_the_next_project_is_like_one_that_is_not_there() {
    let (world, acme, _) = World::full().await;
    let admin = world.caller(&acme.owner, "user", "admin", "acme/shop/checkout").await;
    let input = json!({ "principal": acme.bot, "scope": "acme/shop/returns", "role": "viewer" });
    let grant = text(&world.done(&acme.owner, "grant.create", input).await, "id");
    let input = json!({ "principal": acme.bot, "scope": "acme/shop/returns" });
    let token = world.done(&acme.owner, "token.create", input).await;
    let token = text(&token["token"], "id");
    let absent = |id: &str| id.replace(|c: char| c.is_ascii_digit(), "0");
    for (verb, member, id) in [
        ("grant.revoke", "grant", &grant),
        ("token.revoke", "token", &token),
        ("token.rebind", "token", &token),
    ] {
        let mut told = Vec::new();
        for id in [id.clone(), absent(id)] {
            let mut input = json!({ member: id });
            if verb == "token.rebind" {
                input["packs"] = json!([]);
                input["expected_version"] = json!(1);
            }
            let refusal = world.refused(&admin, verb, input).await;
            told.push((refusal.code, refusal.field, refusal.say, refusal.fix));
        }
        assert_eq!(told[0], told[1], "{verb}");
        assert_eq!(told[0].0, Code::NotFound);
    }
}
