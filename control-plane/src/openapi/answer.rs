//! Good answers of an operation: their media types, and their schema where it is asked for.

use contract::shape::http::declaration::Method;
use serde_json::Value;

use super::reference::Document;
use super::schema::Writer;

/// The most media types of a tool.
const TYPES_MAX: usize = 16;
/// The media type that is expected where the document names none.
const JSON: &str = "application/json";

/// The media types of good answers, JSON before all others.
pub(super) fn media_types(
    document: &Document<'_>,
    operation: &Value,
    method: Method,
) -> Vec<String> {
    let mut types: Vec<String> = Vec::new();
    for answer in good(document, operation) {
        let contents = answer.get("content").and_then(Value::as_object).into_iter().flatten();
        for (kind, _) in contents {
            let kind = bare(kind);
            if is_type(&kind) && !types.contains(&kind) {
                types.push(kind);
            }
        }
    }
    if types.iter().any(|kind| is_json(kind)) {
        types.retain(|kind| is_json(kind));
    }
    types.truncate(TYPES_MAX);
    if types.is_empty() && method != Method::Head {
        types.push(JSON.to_owned());
    }
    types
}

/// The schema of good answers, if there is one of JSON and all have the same; none if it cannot be
/// written out.
pub(super) fn schema(
    document: &Document<'_>,
    operation: &Value,
    writer: &mut Writer<'_>,
) -> Option<Value> {
    let mut found: Option<&Value> = None;
    for answer in good(document, operation) {
        let contents = answer.get("content").and_then(Value::as_object).into_iter().flatten();
        for (_, content) in contents.filter(|(kind, _)| is_json(&bare(kind))) {
            let schema = content.get("schema")?;
            if found.is_some_and(|found| found != schema) {
                return None;
            }
            found = Some(schema);
        }
    }
    let written = writer.write(found?).ok()?;
    written.as_object().is_some_and(|fields| !fields.is_empty()).then_some(written)
}

/// The answers with a status of success; what the document says by default if it has none such.
fn good<'d>(document: &Document<'d>, operation: &'d Value) -> Vec<&'d Value> {
    let all = operation.get("responses").and_then(Value::as_object);
    let of = |wanted: fn(&str) -> bool| -> Vec<&'d Value> {
        let some = all.into_iter().flatten().filter(|(status, _)| wanted(status));
        some.filter_map(|(_, answer)| document.resolve(answer).ok()).collect()
    };
    let good = of(|status| status.starts_with('2'));
    if good.is_empty() { of(|status| status == "default") } else { good }
}

fn bare(kind: &str) -> String {
    kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn is_json(kind: &str) -> bool {
    kind == JSON || (kind.starts_with("application/") && kind.ends_with("+json"))
}

/// Whether it is a media type as a declaration takes it, without wildcards.
fn is_type(kind: &str) -> bool {
    let token = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$&^_.+-".contains(&byte))
    };
    kind.len() <= 127
        && kind.split_once('/').is_some_and(|(kind, subtype)| token(kind) && token(subtype))
}
