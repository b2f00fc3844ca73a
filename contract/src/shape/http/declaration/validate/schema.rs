//! Compiling JSON Schemas that a tenant wrote, and reading which types they let through.
//!
//! The invariant: a schema refers to nothing outside itself, its expressions run in linear time, and
//! its size is bounded.

use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::Value;

const MAX_SCHEMA_BYTES: usize = 32 << 10;

/// Why a schema is refused.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unfit {
    #[error("it is not a JSON Schema: {0}")]
    Invalid(String),
    #[error("it holds `{0}`, which cannot stand here")]
    Reference(String),
    #[error("it is longer than {MAX_SCHEMA_BYTES} bytes")]
    Size,
}

/// Which `$` keywords may stand in a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum References {
    /// None: the schema is copied into another one, where a reference would point elsewhere.
    None,
    /// Those that point into the schema itself.
    Local,
}

pub(super) fn compile(schema: &Value, references: References) -> Result<Validator, Unfit> {
    if schema.to_string().len() > MAX_SCHEMA_BYTES {
        return Err(Unfit::Size);
    }
    if !schema.is_object() {
        return Err(Unfit::Invalid(String::from("it is not an object")));
    }
    if let Some(keyword) = stray_reference(schema, references) {
        return Err(Unfit::Reference(keyword));
    }
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .should_validate_formats(true)
        .with_pattern_options(PatternOptions::regex().size_limit(1 << 20))
        .build(schema)
        .map_err(|error| Unfit::Invalid(error.to_string()))
}

fn stray_reference(schema: &Value, references: References) -> Option<String> {
    match schema {
        Value::Object(members) => members.iter().find_map(|(keyword, inner)| {
            let values = matches!(keyword.as_str(), "const" | "enum" | "default" | "examples");
            let stray = keyword.starts_with('$')
                && keyword != "$comment"
                && !(references == References::Local && is_local(keyword, inner));
            if stray {
                return Some(keyword.clone());
            }
            if values { None } else { stray_reference(inner, references) }
        }),
        Value::Array(items) => items.iter().find_map(|item| stray_reference(item, references)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

fn is_local(keyword: &str, inner: &Value) -> bool {
    match keyword {
        "$defs" | "$anchor" => true,
        "$ref" => inner.as_str().is_some_and(|target| target.starts_with('#')),
        "$schema" => inner.as_str().is_some_and(|draft| draft.ends_with("2020-12/schema")),
        _ => false,
    }
}

/// The types a schema lets through, where it says so: by `type`, or by the values it lists.
pub(super) fn types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(one)) => return vec![one],
        Some(Value::Array(several)) => return several.iter().filter_map(Value::as_str).collect(),
        Some(_) | None => {}
    }
    let listed = schema.get("enum").and_then(Value::as_array).map(Vec::as_slice);
    let values = listed.or_else(|| schema.get("const").map(std::slice::from_ref));
    values.unwrap_or_default().iter().map(type_of).collect()
}

fn type_of(value: &Value) -> &'static str {
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

/// Whether everything the schema lets through is a text, a number or a boolean.
pub(super) fn is_scalar(schema: &Value) -> bool {
    let types = types(schema);
    !types.is_empty()
        && types.iter().all(|name| matches!(*name, "string" | "integer" | "number" | "boolean"))
}

/// Whether everything the schema lets through is a list of scalars.
pub(super) fn is_list(schema: &Value) -> bool {
    types(schema) == ["array"] && schema.get("items").is_some_and(is_scalar)
}

/// The member names of an object of scalars with nothing else in it; none if it is no such object.
pub(super) fn members(schema: &Value) -> Option<Vec<&str>> {
    let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    let properties = schema.get("properties")?.as_object()?;
    let plain = types(schema) == ["object"]
        && closed
        && schema.get("patternProperties").is_none()
        && properties.values().all(is_scalar);
    plain.then(|| properties.keys().map(String::as_str).collect())
}
