//! A document's text as a value. Invariant: what is made of a text is bounded, however often it
//! names its own parts; a text that is no value is refused with the line it fails at.

use contract::Fault;
use serde_json::Value;

use super::{FIELD, yaml};

/// The value of a text: JSON where it begins as an object of JSON, YAML otherwise.
pub(super) fn read(text: &str) -> Result<Value, Fault> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let json = text.trim_start().starts_with('{');
    let read = if json {
        serde_json::from_str(text).map_err(|error| error.to_string())
    } else {
        yaml::read(text).map_err(|error| error.to_string())
    };
    read.map_err(|why| {
        let form = if json { "JSON" } else { "YAML" };
        let say = format!("It cannot be read as {form}: {why}.");
        Fault::new(FIELD, say, format!("Send an OpenAPI document that is well-formed {form}."))
    })
}
