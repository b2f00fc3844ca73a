//! The input schema that callers see, made from the declared arguments.

use serde_json::{Map, Value, json};

use super::Endpoint;

/// JSON Schema (2020-12) of the arguments object: closed, in declared order, without `$schema`.
///
/// Arguments whose value the declaration fixes are not in it.
pub fn input_schema(endpoint: &Endpoint) -> Value {
    let shown = || endpoint.arguments.iter().filter(|argument| argument.fixed.is_none());
    let properties: Map<String, Value> =
        shown().map(|argument| (argument.name.clone(), argument.schema.clone())).collect();
    let required: Vec<&str> = shown()
        .filter(|argument| argument.required && argument.schema.get("default").is_none())
        .map(|argument| argument.name.as_str())
        .collect();
    let mut schema = json!({ "type": "object", "properties": properties });
    if let Some(members) = schema.as_object_mut() {
        if !required.is_empty() {
            members.insert(String::from("required"), json!(required));
        }
        members.insert(String::from("additionalProperties"), Value::Bool(false));
    }
    schema
}
