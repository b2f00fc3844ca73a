//! Owns how an input that fits its schema becomes its Rust type. Invariant: what JSON Schema takes for a
//! whole number is one: `1.0` is `1` (JSON Schema 2020-12, validation, section 6.1.1).

use serde::de::DeserializeOwned;
use serde_json::Value;

/// Whole numbers up to this one are the same as an integer and as a double.
const EXACT: f64 = 9_007_199_254_740_991.0;

/// The input in its type.
///
/// # Errors
///
/// What does not fit: texts that a pattern cannot rule out, since the schema was held to before.
pub fn typed<T: DeserializeOwned>(mut input: Value) -> Result<T, serde_json::Error> {
    T::deserialize(&input).or_else(|_| {
        // Only where it is needed, so that JSON of the caller's own comes through as it was written.
        whole(&mut input);
        serde_json::from_value(input)
    })
}

/// Writes whole numbers without a fraction.
fn whole(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            let exact = number.as_f64().filter(|n| n.fract() == 0.0 && n.abs() <= EXACT);
            let digits = exact.and_then(|n| format!("{n:.0}").parse::<i64>().ok());
            if let Some(integer) = digits {
                *value = integer.into();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(whole),
        Value::Object(fields) => fields.values_mut().for_each(whole),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Input {
        version: i64,
        limit: Option<u32>,
        free: Value,
    }

    #[test]
    fn a_whole_number_is_one_however_it_is_written() {
        let read = typed::<Input>(json!({ "version": -3.0, "limit": 1e2, "free": [1.5] }));
        let wanted = Input { version: -3, limit: Some(100), free: json!([1.5]) };
        assert_eq!(read.expect("reads"), wanted);
        let read = typed::<Input>(json!({ "version": 1, "free": [2.0] })).expect("reads");
        assert_eq!(read.free.to_string(), "[2.0]");
        for bad in [json!(1.5), json!(1e300), json!("1")] {
            assert!(typed::<Input>(json!({ "version": bad, "free": null })).is_err(), "{bad}");
        }
    }
}
