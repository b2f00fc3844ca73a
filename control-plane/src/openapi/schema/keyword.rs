//! The keywords that are taken over, and those that OpenAPI 3.0 has otherwise. Invariant: a keyword
//! that is not named here is in no schema that is made.

use serde_json::{Map, Value, json};

use super::super::shorten;
use super::texts;

/// The longest description, in characters.
const DESCRIPTION_CHARS: usize = 1_000;
/// The most memory of a compiled pattern, as it is for those of a declaration.
const PATTERN_BYTES: usize = 1 << 20;

const ONE: [&str; 9] = [
    "items",
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "unevaluatedProperties",
];
const LIST: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];
const NAMED: [&str; 2] = ["properties", "patternProperties"];
const NUMBERS: [&str; 3] = ["maximum", "minimum", "multipleOf"];
const COUNTS: [&str; 6] =
    ["maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties"];

/// Whether a schema is under the keyword.
pub(super) fn holds_one(key: &str) -> bool {
    ONE.contains(&key)
}

/// Whether a list of schemas is under the keyword.
pub(super) fn holds_list(key: &str) -> bool {
    LIST.contains(&key)
}

/// Whether schemas by names are under the keyword.
pub(super) fn holds_named(key: &str) -> bool {
    NAMED.contains(&key)
}

/// Whether anything is made of the keyword.
pub(super) fn is_known(key: &str) -> bool {
    let plain = ["type", "enum", "const", "format", "required", "pattern", "uniqueItems"];
    let bounds = ["exclusiveMaximum", "exclusiveMinimum"];
    holds_one(key)
        || holds_list(key)
        || holds_named(key)
        || NUMBERS.contains(&key)
        || COUNTS.contains(&key)
        || plain.contains(&key)
        || bounds.contains(&key)
}

/// The value of a keyword under which no schema is, if it is as it has to be. A default is not taken
/// over: a declaration's is sent, and a document's only says what the system does anyway.
pub(super) fn copied(key: &str, value: &Value) -> Option<Value> {
    let is_count = |value: &Value| value.as_u64().is_some();
    match key {
        "description" | "title" => {
            let text = shorten(value.as_str()?, DESCRIPTION_CHARS);
            (!text.is_empty()).then_some(Value::String(text))
        }
        "type" | "const" => Some(value.clone()),
        "enum" => value.as_array().filter(|values| !values.is_empty()).map(|_| value.clone()),
        "format" => value.is_string().then(|| value.clone()),
        "uniqueItems" | "readOnly" => value.is_boolean().then(|| value.clone()),
        "pattern" => is_pattern(value.as_str()?).then(|| value.clone()),
        "required" => {
            let names = texts(Some(value));
            (!names.is_empty()).then(|| json!(names))
        }
        "multipleOf" => value.as_f64().is_some_and(|by| by > 0.0).then(|| value.clone()),
        _ if NUMBERS.contains(&key) => value.is_number().then(|| value.clone()),
        _ if COUNTS.contains(&key) => is_count(value).then(|| value.clone()),
        _ => None,
    }
}

/// Whether a pattern runs in linear time, as those of a declaration must; the system itself judges by
/// one that does not.
pub(super) fn is_pattern(text: &str) -> bool {
    regex::RegexBuilder::new(text).size_limit(PATTERN_BYTES).build().is_ok()
}

/// Exclusive bounds: numbers since 3.1; before, what says that the other bound is exclusive.
pub(super) fn bounds(fields: &Map<String, Value>, out: &mut Map<String, Value>) {
    for (exclusive, bound) in [("exclusiveMaximum", "maximum"), ("exclusiveMinimum", "minimum")] {
        match fields.get(exclusive) {
            Some(Value::Bool(true)) => {
                if let Some(number) = out.shift_remove(bound) {
                    out.insert(exclusive.to_owned(), number);
                }
            }
            Some(number @ Value::Number(_)) => {
                out.insert(exclusive.to_owned(), number.clone());
            }
            _ => {}
        }
    }
}

/// The schema, or null.
pub(super) fn or_null(mut schema: Map<String, Value>) -> Map<String, Value> {
    if let Some(Value::Array(values)) = schema.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    match schema.get("type").cloned() {
        Some(Value::String(kind)) if kind != "null" => {
            schema.insert("type".to_owned(), json!([kind, "null"]));
            schema
        }
        Some(_) => schema,
        None if schema
            .keys()
            .all(|key| key == "description" || key == "title" || key == "enum") =>
        {
            schema
        }
        None => {
            let description = schema.shift_remove("description");
            let mut out = Map::new();
            out.extend(description.map(|said| ("description".to_owned(), said)));
            out.insert("anyOf".to_owned(), json!([schema, { "type": "null" }]));
            out
        }
    }
}
