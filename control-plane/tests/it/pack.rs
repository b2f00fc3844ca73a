//! Packs: what a version pinned it pins for ever.

use contract::{Code, sample};
use serde_json::{Value, json};
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool};

use crate::stock::{fields, get, told_as};
use crate::world::{World, column, text};

async fn pins(world: &World, token: &str, version: u32) -> Value {
    let which = json!({ "pack": "support", "version": version });
    world.done(token, "pack.get", which).await["pins"].clone()
}

#[tokio::test]
async fn a_version_means_for_ever_what_it_meant() {
    let (world, acme, _) = World::stocked().await;
    let (server, tool) = (acme.stocked("server"), acme.stocked("tool"));
    let first = json!([{ "tool": tool, "declaration": 1, "classification": 1 }]);
    assert_eq!(pins(&world, &acme.owner, 1).await, first);
    let words = json!([told_as(get("ticket.get"), "Other words.")]);
    world.publish(&acme.owner, &server, words).await;
    let again = json!({ "name": "support", "tools": [tool] });
    // The newest declaration was not judged: the newest that was is pinned.
    let second = world.envelope(&acme.owner, "pack.publish", again.clone()).await;
    assert_eq!((&second.result["version"], &second.result["pins"]), (&json!(2), &first));
    assert_eq!(second.result["id"], json!(acme.stocked("pack")));
    assert_eq!(second.written[0].version, 2);
    world.classify(&acme.owner, &tool, "write").await;
    let mut third = again;
    third["expected_version"] = json!(3);
    let third = world.done(&acme.owner, "pack.publish", third).await;
    let newest = json!([{ "tool": tool, "declaration": 2, "classification": 2 }]);
    assert_eq!(third["pins"], newest);
    for (version, pinned) in [(1, &first), (2, &first), (3, &newest)] {
        assert_eq!(pins(&world, &acme.owner, version).await, *pinned);
    }
    let unsaid = world.done(&acme.owner, "pack.get", json!({ "pack": "support" })).await;
    assert_eq!(unsaid, third);
    world
        .refused_as(
            &acme.owner,
            "pack.get",
            json!({ "pack": "support", "version": 4 }),
            Code::NotFound,
        )
        .await;
    let view = world.given("acme").await.view;
    let told: Vec<_> = view.packs.iter().map(|pack| (pack.version, pack.pins.clone())).collect();
    assert_eq!(told.len(), 3);
    let told: Vec<_> = told.into_iter().map(|(at, pins)| (at, pins[0].declaration)).collect();
    assert_eq!(told, [(1, 1), (2, 1), (3, 2)]);
    let options = SqliteConnectOptions::new().filename(world.dir.path().join("control.db"));
    let pool = SqlitePool::connect_with(options).await.expect("opens");
    for sql in [
        "UPDATE pins SET declaration = 2",
        "UPDATE packs SET version = 9",
        "UPDATE declarations SET digest = ''",
        "UPDATE classifications SET digest = ''",
    ] {
        let error = sqlx::query(sql).execute(&pool).await.expect_err("is refused");
        assert!(error.to_string().contains("never changes"), "{sql}: {error}");
    }
}

#[tokio::test]
async fn every_tool_that_cannot_be_pinned_is_named() {
    let (world, acme, globex) = World::stocked().await;
    let (server, tool) = (acme.stocked("server"), acme.stocked("tool"));
    let declared = json!([get("b.two"), get("c.three")]);
    let made = world.publish(&acme.owner, &server, declared).await;
    let (two, three) = (text(&made["tools"][0], "id"), text(&made["tools"][1], "id"));
    world.classify(&acme.owner, &three, "read").await;
    world.withdraw(&acme.owner, &server, Some(json!(["c.three"]))).await;
    let (rows, revision) = (world.rows().await, world.revision("acme").await);
    let asked = json!([tool, two, three, tool, globex.stocked("tool"), sample::text("tool", 9)]);
    let input = json!({ "name": "live", "tools": asked });
    let refusal = world.refused(&acme.owner, "pack.publish", input).await;
    assert_eq!(refusal.code, Code::InvalidInput);
    assert_eq!(fields(&refusal), ["name", "tools.1", "tools.2", "tools.3", "tools.4", "tools.5"]);
    assert_eq!(refusal.faults[4].say, refusal.faults[5].say, "theirs is like nobody's");
    assert_eq!((world.rows().await, world.revision("acme").await), (rows, revision));
    // None is none, and never all.
    let input = json!({ "name": "nothing", "tools": [] });
    let empty = world.done(&acme.owner, "pack.publish", input).await;
    assert_eq!((&empty["pins"], &empty["version"]), (&json!([]), &json!(1)));
}

#[tokio::test]
async fn a_pack_is_published_for_the_whole_identity_by_who_sees_its_tools() {
    let (world, acme, globex) = World::stocked().await;
    let input = json!({ "name": "triage", "tools": [acme.stocked("tool")] });
    let near = world.caller(&acme.owner, "user", "curator", "acme/shop").await;
    for verb in ["pack.publish", "pack.list"] {
        let input = if verb == "pack.list" { json!({}) } else { input.clone() };
        world.refused_as(&near, verb, input, Code::NotGranted).await;
    }
    let which = json!({ "pack": "support" });
    world.refused_as(&near, "pack.get", which.clone(), Code::NotFound).await;
    let narrowed = json!({ "actions": ["pack.manage"] });
    let narrowed = world.done(&acme.owner, "token.narrow", narrowed).await;
    let blind = text(&narrowed, "secret");
    let refusal = world.refused(&blind, "pack.publish", input.clone()).await;
    assert_eq!(fields(&refusal), ["tools.0"]);
    let curator = world.caller(&acme.owner, "user", "curator", "acme").await;
    world.done(&curator, "pack.publish", input).await;
    let listed = world.done(&curator, "pack.list", json!({})).await;
    assert_eq!(column(&listed, "name"), ["support", "triage"]);
    let theirs = world.done(&globex.owner, "pack.get", which).await;
    assert_eq!(theirs["id"], json!(globex.stocked("pack")));
    let theirs = world.done(&globex.owner, "pack.list", json!({})).await;
    assert_eq!(column(&theirs, "name"), ["support"]);
}

#[tokio::test]
async fn a_list_has_each_pack_once_at_its_newest() {
    let (world, acme, _) = World::stocked().await;
    for name in ["support", "alpha", "support", "omega", "alpha"] {
        let input = json!({ "name": name, "tools": [acme.stocked("tool")] });
        world.done(&acme.owner, "pack.publish", input).await;
    }
    let (mut paged, mut input) = (Vec::new(), json!({ "limit": 2 }));
    loop {
        let page = world.done(&acme.owner, "pack.list", input.clone()).await;
        for pack in page["items"].as_array().expect("a page") {
            assert_eq!(pack["pins"].as_array().expect("pins").len(), 1);
            paged.push((text(pack, "name"), pack["version"].clone()));
        }
        let Some(cursor) = page.get("cursor") else { break };
        input["cursor"] = cursor.clone();
    }
    let expected = [("alpha", 2), ("omega", 1), ("support", 3)];
    assert_eq!(paged, expected.map(|(name, version)| (name.to_owned(), json!(version))));
}

#[tokio::test]
async fn the_version_to_be_published_can_be_expected() {
    let (world, acme, _) = World::stocked().await;
    for (name, expected, next) in [("support", 1, 2), ("support", 3, 2), ("new", 2, 1)] {
        let input = json!({
            "name": name, "tools": [acme.stocked("tool")], "expected_version": expected,
        });
        let refusal = world.refused(&acme.owner, "pack.publish", input).await;
        assert_eq!(refusal.code, Code::VersionMismatch, "{name}");
        assert_eq!(refusal.field.as_deref(), Some("expected_version"));
        assert_eq!(refusal.more["current_version"], json!(next - 1));
        assert!(refusal.fix.contains(&format!("Send {next} ")));
    }
    let input = json!({ "name": "new", "tools": [acme.stocked("tool")], "expected_version": 1 });
    world.done(&acme.owner, "pack.publish", input).await;
}
