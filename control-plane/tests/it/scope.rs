//! Groups and projects: made, listed, renamed and archived by whoever may at their scope.

use contract::Code;
use serde_json::json;

use crate::stock::{get, server};
use crate::world::{World, column, text};

#[tokio::test]
async fn groups_and_projects_are_made_listed_and_renamed() {
    let (world, acme, _) = World::full().await;
    let made = world.envelope(&acme.owner, "group.create", json!({ "name": "support" })).await;
    assert_eq!(
        (&made.result["scope"], &made.result["title"]),
        (&json!("acme/support"), &json!("support"))
    );
    assert_eq!(made.written[0].object.id, text(&made.result, "id"));
    let input = json!({ "group": "support", "name": "desk", "title": "The desk" });
    let desk = world.done(&acme.owner, "project.create", input).await;
    assert_eq!(desk["scope"], json!("acme/support/desk"));
    assert_eq!(
        column(&world.done(&acme.owner, "group.list", json!({})).await, "scope"),
        ["acme/shop", "acme/support"]
    );
    let listed = world.done(&acme.owner, "project.list", json!({ "group": "shop" })).await;
    assert_eq!(column(&listed, "scope"), ["acme/shop/checkout", "acme/shop/returns"]);
    for (verb, mut input) in [
        ("group.update", json!({ "group": "support" })),
        ("project.update", json!({ "group": "support", "project": "desk" })),
    ] {
        input["title"] = json!("Help");
        input["expected_version"] = json!(7);
        let refusal = world.refused(&acme.owner, verb, input.clone()).await;
        assert_eq!(
            (refusal.code, &refusal.more["current_version"]),
            (Code::VersionMismatch, &json!(1))
        );
        input["expected_version"] = json!(1);
        let updated = world.done(&acme.owner, verb, input).await;
        assert_eq!((&updated["title"], &updated["version"]), (&json!("Help"), &json!(2)));
    }
}

#[tokio::test]
async fn names_are_unique_and_projects_need_a_group_that_is_open() {
    let (world, acme, _) = World::full().await;
    let owner = &acme.owner;
    world.refused_as(owner, "group.create", json!({ "name": "shop" }), Code::AlreadyExists).await;
    let input = json!({ "group": "shop", "name": "checkout" });
    world.refused_as(owner, "project.create", input, Code::AlreadyExists).await;
    let input = json!({ "group": "nowhere", "name": "x" });
    world.refused_as(owner, "project.create", input, Code::NotFound).await;
    let input = json!({ "group": "shop", "expected_version": 1 });
    let archived = world.done(owner, "group.archive", input).await;
    assert_eq!((&archived["archived"], &archived["version"]), (&json!(true), &json!(2)));
    let input = json!({ "group": "shop", "name": "late" });
    world.refused_as(owner, "project.create", input, Code::WrongState).await;
    let input = json!({ "group": "shop", "expected_version": 2 });
    let again = world.envelope(owner, "group.archive", input).await;
    assert_eq!((&again.result["version"], again.written), (&json!(2), vec![]));
    // The records of an archived scope stay readable.
    let listed = world.done(owner, "project.list", json!({ "group": "shop" })).await;
    assert_eq!(column(&listed, "scope").len(), 2);
    let input = json!({ "group": "shop", "project": "returns", "expected_version": 1 });
    let archived = world.done(owner, "project.archive", input).await;
    assert_eq!(archived["archived"], json!(true));
}

/// A secret that leaked is destroyed and a server withdrawn also where the scope is archived; nothing is
/// added there.
#[tokio::test]
async fn at_an_archived_scope_things_are_taken_away_and_none_is_added() {
    let (world, acme, _) = World::stocked().await;
    let owner = &acme.owner;
    let other = world.seal(&acme, "other-key", "https://a.example.com").await;
    let archive = json!({ "group": "shop", "expected_version": 1 });
    world.done(owner, "group.archive", archive).await;
    let server_id = acme.stocked("server");
    let known = world.done(owner, "server.get", json!({ "server": server_id })).await;
    let (rows, revision) = (world.rows().await, world.revision("acme").await);
    for scope in ["acme/shop", "acme/shop/returns"] {
        let credential = json!({ "name": "late", "scope": scope,
            "origins": ["https://a.example.com"], "secret": "s3cret" });
        world.refused_as(owner, "credential.create", credential, Code::WrongState).await;
        let server = server(scope, "late", json!([get("late.get")]));
        world.refused_as(owner, "server.register", server, Code::WrongState).await;
    }
    let publish = json!({ "server": server_id, "tools": [get("late.get")],
        "expected_version": known["version"] });
    world.refused_as(owner, "server.publish", publish, Code::WrongState).await;
    assert_eq!((world.rows().await, world.revision("acme").await), (rows, revision));
    let rotate = json!({ "credential": other, "secret": "n3w", "expected_version": 1 });
    world.done(owner, "credential.rotate", rotate).await;
    for credential in [other, acme.stocked("credential")] {
        world.done(owner, "credential.destroy", json!({ "credential": credential })).await;
    }
    let withdrawn = world.withdraw(owner, &server_id, None).await;
    assert_eq!(withdrawn["withdrawn"], json!(true));
    let given = world.hold("acme", "n1").await;
    assert!(given.view.credentials.is_empty());
}

#[tokio::test]
async fn whoever_may_in_one_project_sees_and_changes_no_other() {
    let (world, acme, _) = World::full().await;
    world.done(&acme.owner, "group.create", json!({ "name": "shopping" })).await;
    let admin = world.caller(&acme.owner, "user", "admin", "acme/shop/checkout").await;
    assert_eq!(column(&world.done(&admin, "group.list", json!({})).await, "scope"), [""; 0]);
    let listed = world.done(&admin, "project.list", json!({ "group": "shop" })).await;
    assert_eq!(column(&listed, "scope"), ["acme/shop/checkout"]);
    let told = |refusal: contract::Refusal| (refusal.code, refusal.say, refusal.fix, refusal.field);
    let mut answers = Vec::new();
    for group in ["shopping", "nowhere"] {
        answers.push(told(world.refused(&admin, "project.list", json!({ "group": group })).await));
    }
    assert_eq!(answers[0], answers[1]);
    let mut answers = Vec::new();
    for project in ["returns", "nowhere"] {
        let mut input = json!({ "group": "shop", "project": project, "expected_version": 1 });
        answers.push(told(world.refused(&admin, "project.archive", input.clone()).await));
        input["title"] = json!("Mine");
        answers.push(told(world.refused(&admin, "project.update", input).await));
    }
    assert!(answers.iter().all(|answer| answer.0 == Code::NotFound && *answer == answers[0]));
    let input = json!({ "group": "shop", "project": "checkout", "expected_version": 1 });
    world.done(&admin, "project.archive", input).await;
    world.refused_as(&admin, "group.create", json!({ "name": "mine" }), Code::NotGranted).await;
}

#[tokio::test]
async fn a_bad_cursor_is_refused_by_name() {
    let (world, acme, _) = World::full().await;
    for (verb, input) in [
        ("group.list", json!({})),
        ("project.list", json!({ "group": "shop" })),
        ("principal.list", json!({})),
        ("grant.list", json!({})),
        ("token.list", json!({})),
    ] {
        // Not base64url, not UTF-8, and not a key of that list.
        for cursor in ["%", "YWNtZQ==", "_w", "Li4"] {
            let mut input = input.clone();
            input["cursor"] = json!(cursor);
            let refusal = world.refused(&acme.owner, verb, input).await;
            assert_eq!(
                (refusal.code, refusal.field.as_deref()),
                (Code::InvalidInput, Some("cursor"))
            );
        }
        for limit in [0, 201] {
            let mut input = input.clone();
            input["limit"] = json!(limit);
            let refusal = world.refused(&acme.owner, verb, input).await;
            assert_eq!(refusal.field.as_deref(), Some("limit"));
        }
    }
}
