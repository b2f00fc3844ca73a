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
    let mut schema = make::<T>(SchemaSettings::draft2020_12());
    tidy(&mut schema, true);
    schema
}

/// The schema of what a caller gets.
pub fn of_answer<T: JsonSchema>() -> Value {
    let mut schema = make::<T>(SchemaSettings::draft2020_12().for_serialize());
    tidy(&mut schema, false);
    schema
}

fn make<T: JsonSchema>(settings: SchemaSettings) -> Value {
    let settings = settings.with(|s| {
        s.inline_subschemas = true;
        s.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.remove("title");
    schema.to_value()
}

/// Takes out the number formats (`uint32` and the like) that JSON Schema does not define. Of an input
/// it says what they mean, so that a number which could not be kept is refused by its field's name.
/// `date-time` and its kind stay, since the validator holds to them.
fn tidy(value: &mut Value, bound: bool) {
    match value {
        Value::Object(map) => {
            let format = map.get("format").and_then(Value::as_str).map(str::to_owned);
            if let Some(limits) = format.as_deref().and_then(limits) {
                map.shift_remove("format");
                for (keyword, limit) in limits.into_iter().flatten().filter(|_| bound) {
                    if !map.contains_key(keyword) {
                        map.insert(keyword.to_owned(), limit.into());
                    }
                }
            }
            map.values_mut().for_each(|inner| tidy(inner, bound));
        }
        Value::Array(items) => items.iter_mut().for_each(|inner| tidy(inner, bound)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// What a number format asks for; `None` if it is none. JSON keeps whole numbers exactly up to 2^53 - 1
/// (RFC 8259, section 6), which is what [`crate::canonical`] takes.
fn limits(format: &str) -> Option<[Option<(&'static str, i64)>; 2]> {
    const EXACT: i64 = (1 << 53) - 1;
    let (least, most) = match format {
        "uint8" => (0, u8::MAX.into()),
        "uint16" => (0, u16::MAX.into()),
        "uint32" => (0, u32::MAX.into()),
        "int32" => (i32::MIN.into(), i32::MAX.into()),
        "int64" | "int" => (-EXACT, EXACT),
        "uint64" | "uint" => (0, EXACT),
        "float" | "double" => return Some([None, None]),
        _ => return None,
    };
    Some([Some(("minimum", least)), Some(("maximum", most))])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "its schema is all that is looked at")]
    struct Numbers {
        small: u32,
        whole: Option<i64>,
        real: f64,
        #[schemars(range(min = 1, max = 9))]
        few: u32,
    }

    #[test]
    fn a_number_of_an_input_says_how_far_it_goes() {
        let schema = of_input::<Numbers>();
        let exact = 9_007_199_254_740_991_i64;
        assert_eq!(
            schema["properties"],
            json!({
                "small": { "type": "integer", "minimum": 0, "maximum": u32::MAX },
                "whole": { "type": ["integer", "null"], "minimum": -exact, "maximum": exact },
                "real": { "type": "number" },
                "few": { "type": "integer", "minimum": 1, "maximum": 9 },
            })
        );
        assert_eq!(
            of_answer::<Numbers>()["properties"]["whole"],
            json!({ "type": ["integer", "null"] })
        );
    }
}
