//! Bad input: every fault of it together, and nothing written but that it was refused.

use contract::{Answer, Code};
use serde_json::json;
use tenancy::plane::{Answered, ToControl, VerbCall};

use crate::world::{How, World, name, refused};

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

/// A store that does not answer is no decision: a renewal that it fails must not end a lease.
#[tokio::test]
async fn a_store_that_does_not_answer_denies_nobody() {
    let (world, acme, _) = World::full().await;
    let epoch = world.hold("acme", "n1").await.epoch;
    world.plane.close().await;
    let identity = || name("acme");
    let note = "o\n7\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n\n\u{2014} w AAAA\n".to_owned();
    let fresh_until = "2026-11-30T12:00:00Z".parse().expect("a time");
    for message in [
        ToControl::Route { route: "route".to_owned() },
        ToControl::Exists { identity: identity() },
        ToControl::Acquire { identity: identity(), node: "n2".to_owned() },
        ToControl::Renew { identity: identity(), epoch, revision: 1, catalogue: 0 },
        ToControl::Ack { identity: identity(), epoch, revision: 1 },
        ToControl::Release { identity: identity(), epoch },
        ToControl::Outbox { identity: identity(), epoch, folded: 0, limit: 1 },
        ToControl::Usage { identity: identity(), epoch, totals: Vec::new(), fresh_until },
        ToControl::Checkpoint { identity: identity(), epoch, note },
    ] {
        let asked = format!("{message:?}");
        let answered = world.ask(message).await;
        assert!(matches!(answered, Answered::Unavailable(_)), "{asked}: {answered:?}");
    }
    let call = VerbCall {
        token: acme.owner.clone(),
        verb: "token.whoami".to_owned(),
        input: json!({}),
        idempotency_key: None,
        surface: "rest".to_owned(),
        gated: true,
        dry_run: false,
    };
    let answered = world.ask(ToControl::Verb(Box::new(call))).await;
    assert!(matches!(answered, Answered::Verb(Answer::Unavailable(_))), "{answered:?}");
}
