//! What MCP clients are told, and how much of it.

use std::collections::BTreeSet;

use super::*;
use crate::validate::Validator;

#[test]
fn what_is_announced_fits_its_budget() {
    let tools = Value::Array(announced()).to_string();
    let instructions = instructions();
    assert!(tools.len() <= ANNOUNCED_MAX_BYTES, "{} bytes of tools", tools.len());
    assert!(instructions.len() <= INSTRUCTIONS_MAX_BYTES, "{} bytes", instructions.len());
    assert!(tools.len() + instructions.len() <= 6144);
    for tool in announced() {
        let verb = find(tool["name"].as_str().expect("a name")).expect("a verb");
        let about = tool["description"].as_str().expect("a text");
        assert!(about.ends_with(&verb.example_input.to_string()), "{about}");
    }
    let names: Vec<_> = announced().iter().map(|tool| tool["name"].clone()).collect();
    assert_eq!(
        names,
        [
            "catalogue_overview",
            "catalogue_place",
            "catalogue_search",
            "catalogue_describe",
            "catalogue_call"
        ]
    );
}

#[test]
fn the_instructions_speak_of_verbs_that_exist() {
    let words = instructions().split(|c: char| !(c.is_ascii_lowercase() || c == '.' || c == '_'));
    let words: Vec<_> = words.map(|word| word.trim_matches('.')).collect();
    for noun in ["content", "approval", "access"] {
        let named: Vec<_> =
            words.iter().filter(|word| word.starts_with(&format!("{noun}."))).collect();
        assert!(!named.is_empty(), "{noun}");
        assert!(named.iter().all(|word| Registry::get().verb(word).is_some()), "{named:?}");
    }
    let tools: BTreeSet<_> = words.iter().filter(|word| word.starts_with("catalogue_")).collect();
    assert!(tools.len() == 5 && tools.iter().all(|word| find(word).is_some()), "{tools:?}");
    for answer in ["result", "held", "refusal", "unavailable", "hints", "untrusted", "dry_run"] {
        assert!(words.contains(&answer), "{answer} is not explained");
    }
}

#[test]
fn every_verb_on_mcp_has_a_name_of_its_own_that_clients_take() {
    let mut names = BTreeSet::new();
    for verb in Registry::get().iter() {
        let name = name(verb);
        assert!(name.len() <= NAME_MAX_CHARS, "{name}");
        assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'), "{name}");
        assert_eq!(find(&name).map(|verb| verb.name), verb.on_mcp().then_some(verb.name));
        assert!(names.insert(name), "{}", verb.name);
    }
}

#[test]
fn tools_are_what_clients_take() {
    for verb in Registry::get().iter() {
        let tool = tool(verb);
        for schema in [&tool["inputSchema"], &tool["outputSchema"]] {
            assert_eq!(schema["type"], "object", "{}", verb.name);
            let fields = schema["properties"].as_object().expect("properties");
            assert!(
                fields.values().all(Value::is_object),
                "{}: a field's schema is no object",
                verb.name
            );
            assert_eq!(Validator::new(schema).broken(), None, "{}", verb.name);
        }
        let input = Validator::new(&tool["inputSchema"]);
        assert_eq!(input.faults(&verb.example_input, ""), [], "{}", verb.name);
        let description = tool["description"].as_str().expect("a text");
        assert!(description.ends_with(&verb.example_input.to_string()), "{description}");
    }
}

#[test]
fn each_of_the_four_answers_fits_the_output_schema_and_nothing_else_does() {
    use crate::{Answer, Envelope, Held, Refusal};
    for verb in Registry::get().iter() {
        let schema = Validator::new(&tool(verb)["outputSchema"]);
        let held = Held {
            approval: crate::sample::id(1),
            why: "The run read untrusted content.".to_owned(),
            expires: crate::Timestamp::from_ms(0),
        };
        let done = Envelope::of(verb.example_answer.clone());
        for answer in [
            Answer::Done(done),
            Answer::Held(held),
            Answer::unavailable("the worker", 100),
            Refusal::new(crate::Code::NotGranted, "No.", "Ask.").into(),
        ] {
            assert_eq!(schema.faults(&answer.body(), ""), [], "{}: {answer:?}", verb.name);
        }
        for wrong in [json!({}), json!({ "hints": [] }), json!({ "held": {}, "refusal": {} })] {
            assert_ne!(schema.faults(&wrong, ""), [], "{}: {wrong}", verb.name);
        }
    }
}

#[test]
fn annotations_follow_the_effect() {
    for verb in Registry::get().iter() {
        let hints = annotations(verb);
        assert_eq!(hints["readOnlyHint"], verb.effect == Effect::Read, "{}", verb.name);
        if verb.name != "catalogue.call" {
            assert_eq!(hints["destructiveHint"], verb.effect > Effect::Write, "{}", verb.name);
        }
    }
    let call = annotations(Registry::get().verb("catalogue.call").expect("there"));
    assert_eq!(
        call,
        json!({ "readOnlyHint": false, "destructiveHint": true, "idempotentHint": false, "openWorldHint": true })
    );
}

#[test]
fn flat_names_are_short_readable_and_differ() {
    let addresses = [
        "content.search",
        "shop/tickets.ticket.get",
        "./tickets.ticket.get",
        "~shop/tickets.ticket.get",
        "shop/tickets.ticket_get",
        "shop-tickets.ticket.get",
        "tickets.ticket.get",
    ];
    let long =
        |tail: &str| format!("{}/{}.{}{tail}", "g".repeat(63), "s".repeat(63), "t".repeat(30));
    let long = [long("a"), long("b")];
    let mut names = BTreeSet::new();
    for text in addresses.into_iter().chain(long.iter().map(String::as_str)) {
        let name = flat_name(&text.parse().expect(text));
        assert!(
            name.len() <= NAME_MAX_CHARS
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'),
            "{name}"
        );
        assert!(find(&name).is_none(), "{name} is a verb's");
        assert!(names.insert(name.clone()), "{text}: {name} was given before");
    }
    // Clients keep these names: they must stay what they are.
    insta::assert_snapshot!(
        flat_name(&"shop/tickets.ticket.get".parse().expect("an address")),
        @"tickets_ticket_get_at_shop_izrnp25wsdhp"
    );
}
