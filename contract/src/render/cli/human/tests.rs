//! What people see.

use serde_json::json;

use super::*;
use crate::verb::Registry;
use crate::{Code, Envelope, Fault, Hint, Written, hint, sample};

fn verb(name: &str) -> &'static Verb {
    Registry::get().verb(name).expect(name)
}

fn shown(name: &str, envelope: Envelope) -> String {
    human(verb(name), &Answer::Done(envelope))
}

#[test]
fn a_page_is_a_table_in_the_order_of_its_declaration() {
    let result = json!({ "items": [
        { "about": "One ticket, by its number.", "x": 1, "effect": "read", "address": "shop/tickets.ticket.get" },
        { "about": "Files a ticket.", "effect": "write", "address": "shop/tickets.ticket.create" }
    ], "cursor": "abc" });
    let hint = Hint::new(hint::Kind::MoreFollows, "There are more.");
    let envelope = Envelope::of(result).hint(hint).wrote(Written::new("grants", "grant_1", 3));
    insta::assert_snapshot!(shown("token.list", envelope), @r#"
    ABOUT                       X  EFFECT  ADDRESS
    One ticket, by its number.  1  read    shop/tickets.ticket.get
    Files a ticket.                write   shop/tickets.ticket.create
    more: --cursor abc
    written: grants grant_1, now version 3
    hint more_follows: There are more.
    "#);
    let result = json!({ "items": [{ "name": "billing-key", "id": "c", "origins": ["https://a", "https://b"] }] });
    insta::assert_snapshot!(shown("credential.list", Envelope::of(result)), @r#"
    ID  NAME         ORIGINS
    c   billing-key  https://a, https://b
    "#);
}

#[test]
fn ids_are_never_cut_and_too_wide_a_table_becomes_records() {
    for verb in Registry::get().iter().filter(|verb| verb.act() == "list") {
        let text = human(verb, &Answer::Done(Envelope::of(verb.example_answer.clone())));
        let items = verb.example_answer["items"].as_array().expect("items");
        for value in items.iter().flat_map(|item| item.as_object().expect("an item").values()) {
            let copied = value.as_str().filter(|value| !value.contains(' '));
            assert!(
                copied.is_none_or(|value| text.contains(value)),
                "{}: {value}\n{text}",
                verb.name
            );
        }
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH_MAX), "{text}");
    }
    insta::assert_snapshot!(shown("grant.list", Envelope::of(verb("grant.list").example_answer.clone())), @r#"
    id         grant_019ad000000070008000000000000002
    principal  principal_019ad000000070008000000000000002
    scope      acme/shop
    role       member
    revoked    false
    created    2026-11-30T12:00:00Z
    version    1
    "#);
}

#[test]
fn long_texts_are_cut_in_tables_and_kept_in_records() {
    let about = "word ".repeat(60);
    let hit = json!({ "address": "shop/tickets.ticket.get", "effect": "read", "about": about });
    let text = shown("catalogue.search", Envelope::of(json!({ "hits": [hit] })));
    assert!(
        text.lines().all(|line| line.chars().count() <= WIDTH_MAX) && text.contains('…'),
        "{text}"
    );
    let text = shown("content.slice", Envelope::of(json!({ "text": "a\tb\nc\n", "left": 0 })));
    assert_eq!(text, "text:\n  a\\tb\n  c\nleft  0\n");
}

#[test]
fn records_in_records_are_shown_whole() {
    let place = verb("catalogue.place");
    insta::assert_snapshot!(human(place, &Answer::Done(Envelope::of(place.example_answer.clone()))), @r#"
    place  shop
    servers:
      server     tickets
      title      Tickets
      answering  true
      tools:
        ADDRESS                  EFFECT  ABOUT
        shop/tickets.ticket.get  read    One ticket, by its number.
    "#);
}

#[test]
fn nothing_to_show_is_said() {
    assert_eq!(shown("grant.list", Envelope::of(json!({ "items": [] }))), "(none)\n");
    assert_eq!(shown("catalogue.call", Envelope::of(json!({}))), "(nothing)\n");
}

#[test]
fn no_answer_reaches_the_terminal_as_a_command() {
    let evil = "x\u{1b}]0;owned\u{7}\u{9b}2J\r";
    let result = json!({ evil: evil, "list": [evil], "text": format!("{evil}\n{evil}"),
        "items": [{ evil: evil, "deep": { evil: [evil] } }] });
    let mut envelope = Envelope::of(result).wrote(Written::new(evil, evil, 1));
    envelope = envelope.hint(Hint::new(hint::Kind::NextStep, evil));
    let mut refusal =
        Refusal::of_input(vec![Fault::new(evil, evil, evil), Fault::new(evil, evil, evil)]);
    refusal = refusal.with("places", json!([evil]));
    let mut plain = Refusal::new(Code::NotGranted, evil, evil).with(evil, evil);
    plain.field = Some(evil.to_owned());
    let held = Held {
        approval: sample::id(1),
        why: evil.to_owned(),
        expires: crate::Timestamp::from_ms(0),
    };
    let answers = [
        Answer::Done(envelope),
        refusal.into(),
        plain.into(),
        Answer::Held(held),
        Answer::unavailable(evil, 1),
    ];
    for verb in Registry::get().iter() {
        for answer in &answers {
            let text = human(verb, answer);
            assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
            assert!(text.ends_with('\n'));
        }
    }
}

#[test]
fn a_refusal_says_every_fault_what_to_do_and_how_to_ask_why() {
    let faults = vec![
        Fault::new("limt", "`limt` is not a field.", "Did you mean `limit`?"),
        Fault::new("state", "\"x\" is not one of the values taken.", "Send one of `open`."),
    ];
    insta::assert_snapshot!(human(verb("grant.list"), &Refusal::of_input(faults).into()), @r#"
    refused: The input is not valid (invalid_input)
      limt: `limt` is not a field.
        fix: Did you mean `limit`?
      state: "x" is not one of the values taken.
        fix: Send one of `open`.
    "#);
    let refusal = Refusal::new(Code::VersionMismatch, "It is at version 3.", "Read it again.")
        .with("current_version", 3)
        .decided(sample::id(1));
    insta::assert_snapshot!(human(verb("grant.list"), &refusal.into()), @r#"
    refused: The version is not the current one (version_mismatch)
      It is at version 3.
      fix: Read it again.
      current_version  3
      why: bailiwick access explain --decision decision_019ad000000070008000000000000001
    "#);
}

#[test]
fn held_and_unavailable_say_what_comes_next() {
    let held = Held {
        approval: sample::id(1),
        why: "The run read untrusted content.".to_owned(),
        expires: crate::Timestamp::from_ms(1_796_040_000_000),
    };
    insta::assert_snapshot!(human(verb("catalogue.call"), &Answer::Held(held)), @r#"
    held: The run read untrusted content.
      A person must release this call; it is made then.
      waits until: 2026-11-30T12:00:00Z
      its answer: bailiwick approval get approval_019ad000000070008000000000000001
      or send exactly the same call again.
    "#);
    insta::assert_snapshot!(human(verb("catalogue.call"), &Answer::unavailable("The worker", 1250)), @r#"
    unavailable: The worker
      Nothing was decided. Try again in 1.250 s.
    "#);
}
