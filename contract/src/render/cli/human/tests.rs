//! What people see.

use serde_json::json;

use super::*;
use crate::verb::Registry;
use crate::{Code, Envelope, Fault, Hint, Written, hint, sample};

fn verb(name: &str) -> &'static Verb {
    Registry::get().verb(name).expect(name)
}

fn shown(name: &str, envelope: Envelope) -> String {
    human(verb(name), &Answer::Done(envelope), WIDTH)
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
        let text = human(verb, &Answer::Done(Envelope::of(verb.example_answer.clone())), WIDTH);
        let items = verb.example_answer["items"].as_array().expect("items");
        for value in items.iter().flat_map(|item| item.as_object().expect("an item").values()) {
            let copied = value.as_str().filter(|value| !value.contains(' '));
            assert!(
                copied.is_none_or(|value| text.contains(value)),
                "{}: {value}\n{text}",
                verb.name
            );
        }
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
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
fn nothing_is_ever_cut() {
    let about = "word ".repeat(60).trim_end().to_owned();
    let hit = json!({ "address": "shop/tickets.ticket.get", "effect": "read", "about": about });
    let text = shown("catalogue.search", Envelope::of(json!({ "hits": [hit] })));
    assert!(text.contains(&about), "{text}");
    let text = shown("content.slice", Envelope::of(json!({ "text": "a\tb\nc\n", "left": 0 })));
    assert_eq!(text, "text:\n  a\\tb\n  c\nleft  0\n");
    for verb in Registry::get().iter() {
        for width in [40, 80, 200] {
            let done = Answer::Done(Envelope::of(verb.example_answer.clone()));
            let text = human(verb, &done, width);
            let words: Vec<&str> = text.split_whitespace().collect();
            for word in texts(&verb.example_answer).iter().flat_map(|text| text.split_whitespace())
            {
                let whole = words.iter().any(|shown| shown.contains(word));
                assert!(whole, "{}: {word}\n{text}", verb.name);
            }
            assert!(!text.contains('…') || verb.example_answer.to_string().contains('…'), "{text}");
        }
    }
}

fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(fields) => fields.values().flat_map(texts).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

#[test]
fn a_table_is_as_wide_as_was_asked_and_its_texts_go_on_below() {
    let result = json!({ "hits": [
        { "address": "shop/tickets.ticket.get", "effect": "read", "about": "One ticket, by its number, with what was answered." },
        { "address": "shop/tickets.ticket.create", "effect": "write", "about": "Files a ticket." }
    ] });
    let search =
        |width| human(verb("catalogue.search"), &Answer::Done(Envelope::of(result.clone())), width);
    insta::assert_snapshot!(search(75), @r#"
    hits:
      ADDRESS                     EFFECT  ABOUT
      shop/tickets.ticket.get     read    One ticket, by its number, with what
                                          was answered.
      shop/tickets.ticket.create  write   Files a ticket.
    "#);
    // Where that is too narrow to be read, one block a hit.
    insta::assert_snapshot!(search(50), @r#"
    hits:
      address  shop/tickets.ticket.get
      effect   read
      about:
        One ticket, by its number, with what was answered.

      address  shop/tickets.ticket.create
      effect   write
      about    Files a ticket.
    "#);
}

#[test]
fn what_a_curator_judges_is_the_json_it_is() {
    let mut tool = verb("tool.get").example_answer.clone();
    tool["declared"]["endpoint"]["arguments"][0]["schema"] =
        json!({ "type": "string", "enum": ["7", "a, b"], "default": null });
    let text = shown("tool.list", Envelope::of(json!({ "items": [tool.clone()] })));
    assert_eq!(text, shown("tool.get", Envelope::of(tool)), "a list shows no less");
    let schema = r#"
      schema:
        {
          "type": "string",
          "enum": [
            "7",
            "a, b"
          ],
          "default": null
        }
"#;
    assert!(text.contains(schema), "{text}");
}

#[test]
fn records_in_records_are_shown_whole() {
    let place = verb("catalogue.place");
    insta::assert_snapshot!(human(place, &Answer::Done(Envelope::of(place.example_answer.clone())), WIDTH), @r#"
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
            let text = human(verb, answer, WIDTH);
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
    insta::assert_snapshot!(human(verb("grant.list"), &Refusal::of_input(faults).into(), WIDTH), @r#"
    refused: The input is not valid (invalid_input)
      limt: `limt` is not a field.
        fix: Did you mean `limit`?
      state: "x" is not one of the values taken.
        fix: Send one of `open`.
    "#);
    let refusal = Refusal::new(Code::VersionMismatch, "It is at version 3.", "Read it again.")
        .with("current_version", 3)
        .decided(sample::id(1));
    insta::assert_snapshot!(human(verb("grant.list"), &refusal.into(), WIDTH), @r#"
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
    insta::assert_snapshot!(human(verb("catalogue.call"), &Answer::Held(held.clone()), WIDTH), @r#"
    held: The run read untrusted content.
      a person must release it: bailiwick approval release approval_019ad000000070008000000000000001
      waits until: 2026-11-30T12:00:00Z
      after that: send exactly the same call again for its answer,
      or read it: bailiwick approval get approval_019ad000000070008000000000000001
    "#);
    insta::assert_snapshot!(human(verb("project.create"), &Answer::Held(held), WIDTH), @r#"
    held: The run read untrusted content.
      a person must release it: bailiwick approval release approval_019ad000000070008000000000000001
      waits until: 2026-11-30T12:00:00Z
      after that: send exactly the same call again; it is made then
    "#);
    insta::assert_snapshot!(human(verb("catalogue.call"), &Answer::unavailable("The worker", 1250), WIDTH), @r#"
    unavailable: The worker
      try again in 1.250 s
    "#);
}
