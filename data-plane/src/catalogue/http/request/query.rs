//! Query pairs in the declared style.
//!
//! The invariant: an argument yields pairs of its own declared name, or of the members its schema
//! names, and no value can add a pair or an item. A value that holds the style's own delimiter is
//! refused, because a receiver that decodes first would split it.

use serde_json::{Map, Value};

use super::super::declaration::{Argument, Style};
use super::{Misfit, encode, scalar};

/// One pair of the query, as it reads when decoded, and as it is written.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) name: String,
    pub(super) value: String,
    written: String,
}

impl Pair {
    fn new(name: &str, value: String) -> Self {
        let written = format!("{}={}", encode(name.as_bytes()), encode(value.as_bytes()));
        Self { name: name.to_owned(), value, written }
    }
}

/// The query string of these pairs; none where there is no pair.
pub(super) fn written(pairs: &[Pair]) -> Option<String> {
    let texts: Vec<&str> = pairs.iter().map(|pair| pair.written.as_str()).collect();
    (!texts.is_empty()).then(|| texts.join("&"))
}

/// The pairs that `value` yields. An empty list or object yields none.
pub(super) fn pairs(argument: &Argument, value: &Value) -> Result<Vec<Pair>, Misfit> {
    let name = argument.target();
    match value {
        Value::Array(items) => {
            let declared = argument.schema.get("items").and_then(|items| items.get("type"));
            let texts: Result<Vec<String>, Misfit> =
                items.iter().map(|item| scalar(declared, item)).collect();
            let texts = texts?;
            if argument.explodes() {
                return Ok(texts.into_iter().map(|text| Pair::new(name, text)).collect());
            }
            joined(name, delimiter(argument.style)?, &texts)
        }
        Value::Object(members) => object(argument, members),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            Ok(vec![Pair::new(name, scalar(argument.schema.get("type"), value)?)])
        }
    }
}

fn object(argument: &Argument, members: &Map<String, Value>) -> Result<Vec<Pair>, Misfit> {
    let name = argument.target();
    let properties = argument.schema.get("properties").and_then(Value::as_object);
    let mut texts = Vec::new();
    for (member, value) in members {
        let Some(declared) = properties.and_then(|properties| properties.get(member)) else {
            let fix = "send the members that the input schema names";
            return Err(Misfit::new("it has a member that is not declared", fix));
        };
        texts.push((member, scalar(declared.get("type"), value)?));
    }
    match argument.style {
        Style::DeepObject => {
            let pair = |(member, text)| Pair::new(&format!("{name}[{member}]"), text);
            Ok(texts.into_iter().map(pair).collect())
        }
        Style::Form if argument.explodes() => {
            Ok(texts.into_iter().map(|(member, text)| Pair::new(member, text)).collect())
        }
        Style::Form | Style::SpaceDelimited | Style::PipeDelimited => {
            let flat: Vec<String> =
                texts.into_iter().flat_map(|(member, text)| [member.clone(), text]).collect();
            joined(name, delimiter(argument.style)?, &flat)
        }
    }
}

fn delimiter(style: Style) -> Result<char, Misfit> {
    match style {
        Style::Form => Ok(','),
        Style::SpaceDelimited => Ok(' '),
        Style::PipeDelimited => Ok('|'),
        Style::DeepObject => {
            Err(Misfit::new("a list cannot be written in this style", "send an object"))
        }
    }
}

/// One pair whose items are joined. The comma stands as it is, as RFC 6570 writes it; the others are
/// encoded, as OpenAPI writes them.
fn joined(name: &str, delimiter: char, items: &[String]) -> Result<Vec<Pair>, Misfit> {
    if items.is_empty() {
        return Ok(Vec::new());
    }
    if items.iter().any(|item| item.contains(delimiter) || item.is_empty()) {
        let say = format!("an item is empty, or holds `{delimiter}`, which separates items here");
        return Err(Misfit::new(say, "send items without it"));
    }
    let mut pair = Pair::new(name, items.join(&delimiter.to_string()));
    if delimiter == ',' {
        let texts: Vec<String> = items.iter().map(|item| encode(item.as_bytes())).collect();
        pair.written = format!("{}={}", encode(name.as_bytes()), texts.join(","));
    }
    Ok(vec![pair])
}
