//! Owns how JSON Schemas are made from Rust types (JSON Schema 2020-12). Invariant: a schema is
//! self-contained: no `$ref`, no `$defs`, no `$schema`, since some MCP clients refuse them.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use schemars::transform::{RestrictFormats, Transform};
use serde_json::Value;

/// The schema of what a caller sends.
pub fn of_input<T: JsonSchema>() -> Value {
    make::<T>(SchemaSettings::draft2020_12())
}

/// The schema of what a caller gets.
pub fn of_answer<T: JsonSchema>() -> Value {
    make::<T>(SchemaSettings::draft2020_12().for_serialize())
}

fn make<T: JsonSchema>(settings: SchemaSettings) -> Value {
    let settings = settings.with(|s| {
        s.inline_subschemas = true;
        s.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    RestrictFormats::default().transform(&mut schema);
    schema.remove("title");
    let mut value = schema.to_value();
    tidy(&mut value);
    value
}

/// Takes out what says nothing to a caller: `format: uint32` and the like, and `null` among the
/// values of an optional enum.
fn tidy(value: &mut Value) {
    match value {
        Value::Object(map) => {
            if map.get("format").and_then(Value::as_str).is_some_and(|f| f.starts_with("uint") || f.starts_with("int")) {
                map.shift_remove("format");
            }
            map.values_mut().for_each(tidy);
        }
        Value::Array(items) => items.iter_mut().for_each(tidy),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
