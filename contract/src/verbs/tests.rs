//! What holds of every verb.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::verb::{Method, Needs, Registry};

#[test]
fn names_routes_and_addresses_are_each_one_of_a_kind() {
    let registry = Registry::get();
    let mut routes = BTreeSet::new();
    for verb in registry.iter() {
        assert!(routes.insert((verb.method, verb.path)), "{} shares its route", verb.name);
        let address = verb.name.parse::<crate::Address>().expect("a verb's name is an address");
        assert_eq!(address.server.as_str(), verb.noun());
    }
    assert_eq!(registry.iter().count(), super::all().len(), "two verbs share a name");
}

#[test]
fn schemas_compile_stand_alone_and_take_no_unknown_field() {
    for verb in Registry::get().iter() {
        assert_eq!(verb.validator.broken(), None, "{}", verb.name);
        for schema in [&verb.input, &verb.answer] {
            let text = schema.to_string();
            for banned in ["\"$ref\"", "\"$defs\"", "\"$schema\""] {
                assert!(!text.contains(banned), "{} holds {banned}: {text}", verb.name);
            }
        }
        assert_eq!(verb.input["additionalProperties"], Value::Bool(false), "{}", verb.name);
        for field in verb.path_fields() {
            assert!(verb.field(field).is_some(), "{}: no field {field}", verb.name);
        }
        if !verb.method.has_body() && verb.method != Method::Get {
            assert_eq!(verb.path_fields().count(), 1, "{}", verb.name);
        }
    }
}

#[test]
fn every_field_says_what_it_is() {
    fn walk(name: &str, schema: &Value) {
        let fields = schema.get("properties").and_then(Value::as_object);
        for (field, schema) in fields.into_iter().flatten() {
            if field != "shape" {
                assert!(schema.get("description").is_some(), "{name}.{field} has no description");
            }
            walk(&format!("{name}.{field}"), schema);
        }
    }
    for verb in Registry::get().iter() {
        assert!(verb.about.len() > 20, "{} says too little", verb.name);
        walk(verb.name, &verb.input);
        walk(verb.name, &verb.answer);
    }
}

#[test]
fn every_example_fits_its_schemas() {
    for verb in Registry::get().iter() {
        assert_eq!(verb.validator.faults(&verb.example_input, ""), [], "{}", verb.name);
        let answer = crate::validate::Validator::new(&verb.answer);
        assert_eq!(answer.faults(&verb.example_answer, ""), [], "{}", verb.name);
    }
}

#[test]
fn operators_have_no_mcp() {
    for verb in Registry::get().iter() {
        assert_eq!(verb.on_mcp(), verb.needs != Needs::Operator);
        assert_eq!(verb.noun() == "identity", verb.needs == Needs::Operator, "{}", verb.name);
    }
}
