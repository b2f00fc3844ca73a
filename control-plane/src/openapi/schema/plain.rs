//! Schemas that fit where there is no JSON: a path, a query, a header, a form. Invariant: these only
//! narrow a schema, and what they call plain the check of declarations calls a scalar.

use serde_json::{Map, Value, json};

const PLAIN: [&str; 4] = ["string", "integer", "number", "boolean"];

/// Whether everything the schema lets through is a text, a number or a boolean; makes it say so if it
/// can. Null is none of them and is left out.
pub(in crate::openapi) fn is_plain(schema: &mut Value) -> bool {
    let Some(fields) = schema.as_object_mut() else { return false };
    without_null(fields);
    if fields.get("type").is_none() {
        let key = if fields.contains_key("anyOf") { "anyOf" } else { "oneOf" };
        if let Some(Value::Array(branches)) = fields.get_mut(key) {
            if !branches.iter_mut().all(is_plain) {
                return false;
            }
            let kinds: Vec<Value> = branches.iter().flat_map(kinds).map(Value::from).collect();
            let mut distinct: Vec<Value> = Vec::new();
            for kind in kinds {
                if !distinct.contains(&kind) {
                    distinct.push(kind);
                }
            }
            fields.insert("type".to_owned(), Value::Array(distinct));
        }
    }
    let kinds = kinds(schema);
    !kinds.is_empty() && kinds.iter().all(|kind| PLAIN.contains(&kind.as_str()))
}

/// Whether everything the schema lets through is a list of such.
pub(in crate::openapi) fn is_list(schema: &mut Value) -> bool {
    let Some(fields) = schema.as_object_mut() else { return false };
    without_null(fields);
    if fields.get("type").is_none() && fields.contains_key("items") {
        fields.insert("type".to_owned(), json!("array"));
    }
    fields.get("type") == Some(&json!("array")) && fields.get_mut("items").is_some_and(is_plain)
}

/// Whether everything the schema lets through is an object of such with nothing else in it; closes it.
pub(in crate::openapi) fn members(schema: &mut Value) -> bool {
    let Some(fields) = schema.as_object_mut() else { return false };
    without_null(fields);
    if fields.get("type").is_none() && fields.contains_key("properties") {
        fields.insert("type".to_owned(), json!("object"));
    }
    let plain = fields.get("type") == Some(&json!("object"))
        && !fields.contains_key("patternProperties")
        && fields
            .get_mut("properties")
            .and_then(Value::as_object_mut)
            .is_some_and(|properties| properties.values_mut().all(is_plain));
    if plain {
        fields.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    plain
}

fn without_null(fields: &mut Map<String, Value>) {
    if let Some(Value::Array(kinds)) = fields.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [only] = kinds.as_slice() {
            let only = only.clone();
            fields.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(values)) = fields.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    for key in ["anyOf", "oneOf"] {
        let Some(Value::Array(branches)) = fields.get_mut(key) else { continue };
        branches.retain(|branch| branch.get("type").is_none_or(|kind| kind != "null"));
        if let [Value::Object(only)] = branches.as_slice() {
            let only = only.clone();
            fields.shift_remove(key);
            for (key, value) in only {
                fields.entry(key).or_insert(value);
            }
        }
    }
}

fn kinds(schema: &Value) -> Vec<String> {
    match schema.get("type") {
        Some(Value::String(one)) => vec![one.clone()],
        Some(Value::Array(several)) => {
            several.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        _ => {
            let listed = schema.get("enum").and_then(Value::as_array).map(Vec::as_slice);
            let values = listed.or_else(|| schema.get("const").map(std::slice::from_ref));
            values.unwrap_or_default().iter().map(|value| kind_of(value).to_owned()).collect()
        }
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
