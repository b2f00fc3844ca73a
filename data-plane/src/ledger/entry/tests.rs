use serde_json::json;

use super::body::{Outcome, OutcomeUnknown, Ruling, Run, Settled, Start, Verdict, Written};
use super::*;

fn ruling() -> Ruling {
    Ruling {
        id: "ruling_1".into(),
        scope: "acme/shop".into(),
        principal: "principal_1".into(),
        on_behalf_of: None,
        token: Some("token_1".into()),
        run: Some("run_1".into()),
        address: "shop/orders.cancel".into(),
        action: Some("call.write".into()),
        effect: Some("write".into()),
        revision: 12,
        declaration_version: Some(3),
        argument_digest: "00ff".into(),
        argument_salted: true,
        labels: vec!["untrusted".into()],
        verdict: Verdict::Block,
        check: Some("label".into()),
        rule: Some("tainted_write".into()),
        policy_hash: None,
        reservation: None,
        surface: "mcp".into(),
        decision_id: "decision_1".into(),
    }
}

#[test]
fn the_hash_is_over_tag_previous_hash_and_canonical_json() {
    let body = json!({"kind": "note", "b": 1, "a": "é"});
    let entry = Entry::new(2, 1_700_000_000_000, Hash::new([7; 32]), body).unwrap();
    assert_eq!(entry.body_text(), r#"{"a":"é","b":1,"kind":"note"}"#);
    let sealed = r#"{"at_ms":1700000000000,"body":{"a":"é","b":1,"kind":"note"},"seq":2}"#;
    let whole = to_canonical_text_inside(
        0,
        &json!({"seq": 2, "at_ms": 1_700_000_000_000_i64, "body": entry.body()}),
    );
    assert_eq!(whole.as_deref(), Ok(sealed));
    let tagged = [[0].as_slice(), &[7; 32], sealed.as_bytes()].concat();
    assert_eq!(entry.hash(), Hash::of(&[&tagged]));
    // Computed once with another implementation of SHA-256.
    assert_eq!(
        entry.hash().to_string(),
        "3dfc1a27732ac662ddc3b92a9a67f518960d4af206a54a503f31736f78c21e37"
    );
}

#[test]
fn every_part_goes_into_the_hash() {
    let body = json!({"kind": "note", "n": 1});
    let base = Entry::new(1, 1, Hash::new([1; 32]), body.clone()).unwrap();
    for other in [
        Entry::new(2, 1, Hash::new([1; 32]), body.clone()),
        Entry::new(1, -1, Hash::new([1; 32]), body.clone()),
        Entry::new(1, 1, Hash::new([2; 32]), body),
        Entry::new(1, 1, Hash::new([1; 32]), json!({"kind": "note", "n": 2})),
        Entry::new(1, 1, Hash::new([1; 32]), json!({"kind": "node", "n": 1})),
    ] {
        assert_ne!(other.unwrap().hash(), base.hash());
    }
}

#[test]
fn a_refused_call_names_check_and_rule_in_the_ledger() {
    let body = Body::Ruling(Box::new(ruling())).to_value().unwrap();
    let entry = Entry::new(0, 0, Hash::new([0; 32]), body).unwrap();
    assert_eq!(
        entry.body_text(),
        concat!(
            r#"{"action":"call.write","address":"shop/orders.cancel","argument_digest":"00ff","#,
            r#""argument_salted":true,"check":"label","decision_id":"decision_1","#,
            r#""declaration_version":3,"effect":"write","id":"ruling_1","kind":"ruling","#,
            r#""labels":["untrusted"],"principal":"principal_1","revision":12,"#,
            r#""rule":"tainted_write","run":"run_1","scope":"acme/shop","surface":"mcp","#,
            r#""token":"token_1","verdict":"block"}"#
        )
    );
    assert_eq!(entry.kind(), "ruling");
}

#[test]
fn bodies_read_back_and_say_their_kind() {
    let outcome = Outcome {
        ruling: "ruling_1".into(),
        status: "ok".into(),
        result_digest: Some("ab".into()),
        result_bytes: 12,
        result_labels: vec![],
        handle: None,
        duration_ms: 3,
        written: vec![Written { table: "orders".into(), id: "7".into(), version: 2 }],
    };
    let unknown = OutcomeUnknown { ruling: "ruling_1".into(), reason: "crash".into() };
    let settled = Settled {
        ruling: "ruling_1".into(),
        took_effect: true,
        lookup: "shop/orders.find".into(),
        handle: None,
    };
    let start = Start {
        worker: "w".into(),
        version: "0.1.0".into(),
        epoch: 1,
        isolation: "none".into(),
        unfinished: 0,
    };
    let run = Run {
        id: "run_1".into(),
        act: "started".into(),
        principal: "principal_1".into(),
        scope: "acme".into(),
        parent: None,
        labels: vec![],
    };
    for body in [
        Body::Ruling(Box::new(ruling())),
        Body::Outcome(outcome),
        Body::OutcomeUnknown(unknown),
        Body::Settled(settled),
        Body::Start(start),
        Body::Run(run),
    ] {
        let value = body.to_value().unwrap();
        assert_eq!(value["kind"], body.kind());
        assert_eq!(serde_json::from_value::<Body>(value).unwrap(), body);
    }
}

#[test]
fn what_cannot_be_sealed_is_refused() {
    let make = |seq, at_ms, body| Entry::new(seq, at_ms, Hash::new([0; 32]), body);
    for body in [
        json!(null),
        json!([{"kind": "note"}]),
        json!({}),
        json!({"kind": 1}),
        json!({"kind": ""}),
        json!({"kind": "Note"}),
        json!({"kind": "a".repeat(41)}),
    ] {
        assert!(matches!(make(0, 0, body), Err(Error::Kind)));
    }
    let note = || json!({"kind": "note"});
    let range = |result| matches!(result, Err(Error::Range { .. }));
    assert!(range(make(INTEGER_MAX + 1, 0, note())));
    assert!(range(make(u64::MAX, 0, note())));
    assert!(range(make(0, i64::MIN, note())));
    assert!(make(INTEGER_MAX, -(1 << 53) + 1, note()).is_ok());
    let long = json!({"kind": "note", "text": "x".repeat(BODY_MAX_BYTES)});
    assert!(matches!(make(0, 0, long), Err(Error::TooLong { .. })));
    let unkept = json!({"kind": "note", "n": [u64::MAX]});
    assert!(matches!(make(0, 0, unkept), Err(Error::Canonical(_))));
}

#[test]
fn a_stored_body_must_be_the_text_that_was_hashed() {
    let make = |text| Entry::from_stored(0, 0, Hash::new([0; 32]), text);
    assert!(make(r#"{"a":1,"kind":"note"}"#).is_ok());
    for text in
        [r#"{"kind":"note","a":1}"#, r#"{"a":1, "kind":"note"}"#, r#"{"a":1.0,"kind":"note"}"#]
    {
        assert!(matches!(make(text), Err(Error::NotCanonical)), "{text}");
    }
    assert!(matches!(make(r#"{"a":1,"a":1,"kind":"note"}"#), Err(Error::Json(_))));
}
