//! The body of a request.
//!
//! The invariant: its members are the declared ones, in declared order, and no others.

use bytes::Bytes;
use serde_json::{Map, Value};

use super::super::declaration::Body;
use super::super::fault::Fault;
use super::{encode, internal, scalar};

/// The media type and the bytes; neither where the endpoint has no body.
pub(super) fn written(
    body: Body,
    members: &[(String, Value)],
    whole: Option<&Value>,
) -> Result<(Option<&'static str>, Bytes), Fault> {
    match body {
        Body::None => Ok((None, Bytes::new())),
        Body::Json => {
            let members: Map<String, Value> = members.iter().cloned().collect();
            let object = Value::Object(members);
            let text = whole.unwrap_or(&object).to_string();
            Ok((Some("application/json"), Bytes::from(text)))
        }
        Body::Form => {
            let text = form(members)?;
            Ok((Some("application/x-www-form-urlencoded"), Bytes::from(text)))
        }
    }
}

fn form(members: &[(String, Value)]) -> Result<String, Fault> {
    let mut pairs = Vec::new();
    for (name, value) in members {
        let items = match value {
            Value::Array(items) => items.as_slice(),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Object(_) => std::slice::from_ref(value),
        };
        for item in items {
            let text =
                scalar(None, item).map_err(|misfit| internal(name, &misfit.say, misfit.fix))?;
            pairs.push(format!("{}={}", encode(name.as_bytes()), encode(text.as_bytes())));
        }
    }
    Ok(pairs.join("&"))
}
