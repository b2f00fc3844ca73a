//! What holds of the document. That it is valid OpenAPI 3.1 is checked by
//! `tests/contract/check_openapi.py`.

use std::collections::BTreeSet;

use serde_json::{Map, json};

use super::*;
use crate::validate::Validator;
use crate::verb::Needs;

fn written() -> Value {
    document().expect("can be written")
}

fn operation<'a>(document: &'a Value, verb: &Verb) -> &'a Value {
    &document["paths"][verb.path][method(verb)]
}

/// The document's reference at `value`, followed.
fn followed<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    match value["$ref"].as_str() {
        Some(reference) => document.pointer(reference.trim_start_matches('#')).expect(reference),
        None => value,
    }
}

#[test]
fn every_verb_is_one_operation_and_nothing_else_is() {
    let document = written();
    assert_eq!(document["openapi"], "3.1.0");
    let mut found = BTreeSet::new();
    for item in document["paths"].as_object().expect("paths").values() {
        for operation in item.as_object().expect("an item").values() {
            found.insert(operation["operationId"].as_str().expect("an id").to_owned());
        }
    }
    let verbs: BTreeSet<_> = Registry::get().iter().map(|verb| verb.name.to_owned()).collect();
    assert_eq!(found, verbs);
}

#[test]
fn every_reference_leads_somewhere_and_no_const_is_left() {
    let document = written();
    let mut seen = 0;
    let mut waiting = vec![&document];
    while let Some(value) = waiting.pop() {
        if value["$ref"].is_string() {
            followed(&document, value);
            seen += 1;
        }
        waiting.extend(value.as_object().into_iter().flat_map(Map::values));
        waiting.extend(value.as_array().into_iter().flatten());
    }
    assert!(seen > 200);
    assert!(
        !document.to_string().contains("\"const\""),
        "a reader that drops `const` would lose it"
    );
}

#[test]
fn every_answer_fits_the_schema_of_its_response() {
    let document = written();
    for verb in Registry::get().iter() {
        let operation = operation(&document, verb);
        let content = &operation["responses"]["200"]["content"]["application/json"];
        let mut schema = followed(&document, &content["schema"]).clone();
        schema["components"] = document["components"].clone();
        let answer = Validator::new(&schema);
        assert_eq!(answer.broken(), None, "{}", verb.name);
        assert_eq!(answer.faults(&content["example"], ""), [], "{}", verb.name);
        assert_ne!(answer.faults(&json!({ "result": null }), ""), [], "{}", verb.name);
    }
}

#[test]
fn every_refusal_is_documented_as_it_is_sent() {
    let document = written();
    let mut problem = document["components"]["schemas"]["Problem"].clone();
    problem["components"] = document["components"].clone();
    let problem = Validator::new(&problem);
    for code in crate::Code::ALL {
        let body = crate::Refusal::new(*code, "No.", "Ask.").body();
        assert_eq!(problem.faults(&body, ""), [], "{code:?}");
        let about = document["components"]["responses"].as_object().expect("responses").values();
        let named = about.filter(|response| {
            let about = response["description"].as_str().expect("a text");
            about.contains(&format!("`{}`", code.as_str()))
        });
        assert_eq!(named.count(), 1, "{code:?}");
    }
}

#[test]
fn what_each_operation_can_answer_follows_from_its_verb() {
    let document = written();
    for verb in Registry::get().iter() {
        let operation = operation(&document, verb);
        let responses = &operation["responses"];
        for status in ["200", "400", "401", "403", "404", "409", "422", "429", "503"] {
            assert!(responses[status].is_object(), "{} {status}", verb.name);
        }
        assert!(responses["405"].is_null(), "{}", verb.name);
        assert_eq!(responses["415"].is_object(), verb.method.has_body(), "{}", verb.name);
        let gated = !matches!(verb.needs, Needs::Operator | Needs::Anyone);
        let held = verb.effect != crate::Effect::Read && gated;
        assert_eq!(responses["202"].is_object(), held, "{}", verb.name);
        assert_eq!(responses["424"].is_object(), verb.name == "catalogue.call");
        let said = operation["parameters"].as_array().map_or_else(Vec::new, |parameters| {
            parameters
                .iter()
                .map(|said| said["name"].as_str().expect("a name").to_owned())
                .collect()
        });
        let writes = verb.effect != crate::Effect::Read;
        assert_eq!(said.contains(&"Idempotency-Key".to_owned()), writes, "{}", verb.name);
        assert!(
            operation["parameters"]
                .as_array()
                .is_none_or(|all| all.iter().all(|one| one["schema"].is_object()))
        );
    }
    let retry = &document["components"]["responses"]["Unavailable"]["headers"]["Retry-After"];
    assert_eq!(retry["schema"]["type"], "integer");
}

#[test]
fn the_document_is_the_same_text_every_time() {
    assert_eq!(written().to_string(), written().to_string());
}
