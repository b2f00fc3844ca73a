//! Owns how JSON Schemas are made from Rust types (JSON Schema 2020-12). Invariant: a schema is
//! self-contained: no `$ref`, no `$defs`, no `$schema`, since some MCP clients refuse them.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

mod read;

pub(crate) use read::{
    Choice, Variant, bare, choices, const_as_enum, first_sentence, is_free, one_line, open_objects,
    variants,
};

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
    schema.remove("title");
    let mut value = schema.to_value();
    tidy(&mut value);
    value
}

/// Takes out what says nothing to a caller: the number formats (`uint32` and the like) that JSON
/// Schema does not define. `date-time` and its kind stay, since the validator holds to them.
fn tidy(value: &mut Value) {
    match value {
        Value::Object(map) => {
            let of_number = |format: &str| {
                ["uint", "int", "float", "double"].iter().any(|kind| format.starts_with(kind))
            };
            if map.get("format").and_then(Value::as_str).is_some_and(of_number) {
                map.shift_remove("format");
            }
            map.values_mut().for_each(tidy);
        }
        Value::Array(items) => items.iter_mut().for_each(tidy),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
