//! Bad input: every fault of it together, and nothing written but that it was refused.

use contract::Code;
use serde_json::json;

use crate::world::{How, World, refused};

#[tokio::test]
async fn all_faults_come_together_and_nothing_is_written() {
    let (world, acme, _) = World::full().await;
    let (rows, revision) = (world.rows().await, world.revision("acme").await);
    let cases = [
        ("group.create", json!({ "name": "Shop", "titel": "x" }), vec!["name", "titel"]),
        (
            "grant.create",
            json!({ "principal": "grant_7", "scope": "acme/", "role": "Owner", "expires": "soon" }),
            vec!["principal", "scope", "role", "expires"],
        ),
        (
            "grant.create",
            json!({ "principal": acme.bot.replace(|c: char| c.is_ascii_digit(), "0"),
                "scope": "acme", "role": "king", "expires": "2026-11-30T12:00:00Z" }),
            vec!["principal", "role", "expires"],
        ),
        ("principal.create", json!({ "kind": "robot", "nam": "x" }), vec!["kind", "nam", "name"]),
        ("token.create", json!({ "packs": [{ "version": 0 }] }), vec!["principal", "packs.0.name"]),
        ("project.create", json!([]), vec![""]),
        ("token.narrow", json!({ "scope": "..", "actions": ["fly"] }), vec!["scope", "actions.0"]),
    ];
    for (verb, input, fields) in cases {
        let refusal = world.refused(&acme.owner, verb, input).await;
        assert_eq!(refusal.code, Code::InvalidInput, "{verb}: {refusal:?}");
        for field in fields {
            let named = refusal.faults.iter().any(|fault| fault.field == field);
            assert!(named, "{verb} does not name {field:?}: {:?}", refusal.faults);
        }
        assert!(refusal.faults.iter().all(|fault| !fault.fix.is_empty()));
    }
    assert_eq!((world.rows().await, world.revision("acme").await), (rows, revision));
}

#[tokio::test]
async fn an_agents_write_that_no_gate_let_through_is_refused_and_its_read_is_not() {
    let (world, acme, _) = World::full().await;
    let ungated = How { ungated: true, ..How::default() };
    let rows = world.rows().await;
    let answer = world.call_so(&acme.bot_token, "token.narrow", json!({}), &ungated).await;
    let refusal = refused(answer);
    assert_eq!(refusal.code, Code::UserRequired);
    assert!(refusal.fix.contains("data plane"));
    assert_eq!(world.rows().await, rows);
    let answer = world.call_so(&acme.bot_token, "token.whoami", json!({}), &ungated).await;
    crate::world::done(answer);
    let answer = world.call_so(&acme.owner, "token.narrow", json!({}), &ungated).await;
    crate::world::done(answer);
}
