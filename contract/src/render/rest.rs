//! Owns the REST surface: which verb a method and a path name, and how an input is read from path,
//! query and body. Invariant: whatever a request says is either part of the input or refused by
//! name; nothing is dropped.

mod route;
mod say;
mod text;

use serde_json::{Map, Value};

pub use route::{Found, find};
pub use say::{Request, line, request};

use crate::canonical::{StrictError, parse_strict};
use crate::refusal::{Code, Fault, Refusal};
use crate::validate::{field_path, join, takes};
use crate::verb::Verb;

/// The query field that asks for a dry run. It belongs to the request and not to any input: take it
/// out with [`split_dry_run`] before [`input`], which refuses it like any unknown field.
pub const DRY_RUN: &str = "dry_run";

/// The input of `verb` from its path fields (as [`find`] answers them), the query as it was sent, and
/// the body with its media type (empty if none was said).
///
/// # Errors
///
/// A refusal that names every fault of the input together, or says what is wrong with the body.
pub fn input(
    verb: &Verb,
    path: &[(&'static str, String)],
    query: Option<&str>,
    body: Option<(&str, &[u8])>,
) -> Result<Value, Box<Refusal>> {
    let mut faults = Vec::new();
    let query = text::pairs(query.unwrap_or_default(), &mut faults);
    let body = body.filter(|(_, bytes)| !bytes.is_empty());
    let mut fields = if verb.method.has_body() {
        faults.extend(query.iter().map(|(name, _)| misplaced(name)));
        body.map_or_else(|| Ok(Map::new()), |(media_type, bytes)| object(media_type, bytes))?
    } else {
        if body.is_some() {
            return Err(Box::new(Refusal::new(
                Code::MalformedBody,
                format!("{} takes no body.", verb.method.as_str()),
                "Send the fields in the query and leave the body empty.",
            )));
        }
        repeated(verb, &query, &mut faults);
        verb.validator.coerce(query)
    };
    let path = path.iter().map(|(name, text)| ((*name).to_owned(), text.clone()));
    for (name, value) in verb.validator.coerce(path) {
        if let Some(other) = fields.get(&name).filter(|other| **other != value) {
            faults.push(Fault::new(
                &name,
                format!("`{name}` is {value} in the path and {other} beside it."),
                "Send it in the path only.",
            ));
        }
        fields.insert(name, value);
    }
    let input = Value::Object(fields);
    faults.extend(verb.validator.faults(&input, ""));
    if faults.is_empty() { Ok(input) } else { Err(Box::new(Refusal::of_input(faults))) }
}

/// Takes [`DRY_RUN`] out of a query: whether a dry run is asked for, and what is left.
///
/// # Errors
///
/// A refusal if it is said twice or is neither `true` nor `false`.
pub fn split_dry_run(query: Option<&str>) -> Result<(bool, Option<String>), Box<Refusal>> {
    let Some(query) = query else { return Ok((false, None)) };
    let says = |part: &&str| part.split('=').next() == Some(DRY_RUN);
    let (said, rest): (Vec<_>, Vec<_>) = query.split('&').partition(says);
    let asked = match said.as_slice() {
        [] | ["dry_run=false"] => false,
        ["dry_run=true"] => true,
        _ => {
            let fix = "Send `dry_run=true` once, or leave it out.";
            let refusal = Refusal::of_field(DRY_RUN, "`dry_run` is neither true nor false.", fix);
            return Err(Box::new(refusal));
        }
    };
    let rest = rest.join("&");
    Ok((asked, Some(rest).filter(|rest| !rest.is_empty())))
}

/// The JSON object of a request body.
///
/// # Errors
///
/// A refusal: of the media type, of what is no JSON, of a key that stands twice, or of what is no
/// object.
pub fn object(media_type: &str, bytes: &[u8]) -> Result<Map<String, Value>, Box<Refusal>> {
    if !is_json(media_type) {
        let given: String = media_type.chars().take(80).collect();
        return Err(Box::new(Refusal::new(
            Code::UnsupportedMediaType,
            format!("The body is of the media type `{given}`."),
            "Send JSON, with `Content-Type: application/json`.",
        )));
    }
    match parse_strict(bytes) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(Box::new(Refusal::of_field(
            "body",
            "The body is no JSON object.",
            "Send one object whose members are the fields.",
        ))),
        Err(error) => Err(Box::new(malformed(&error))),
    }
}

/// `application/json`, with no parameter but `charset=utf-8`.
fn is_json(media_type: &str) -> bool {
    let mut parts = media_type.split(';').map(str::trim);
    parts.next().is_some_and(|kind| kind.eq_ignore_ascii_case("application/json"))
        && parts.all(|parameter| {
            let parameter = parameter.replace('"', "");
            parameter.is_empty() || parameter.eq_ignore_ascii_case("charset=utf-8")
        })
}

/// The refusal of a text that is not one JSON value with each key once.
pub(crate) fn malformed(error: &StrictError) -> Refusal {
    let (field, fix) = match error {
        StrictError::DuplicateKey { key, pointer } => {
            (Some(join(&field_path("", pointer), key)), "Send each key once.")
        }
        StrictError::Syntax { .. } | StrictError::Trailing { .. } => {
            (None, "Send one JSON object and nothing after it.")
        }
        StrictError::TooDeep { .. } => (None, "Send fewer levels of nesting."),
        // It is JSON all the same: what is wrong is a value.
        StrictError::Inexact { .. } => {
            return Refusal::of_field("body", format!("{error}."), "Send the number as a string.");
        }
    };
    let mut refusal =
        Refusal::new(Code::MalformedBody, format!("The body is malformed: {error}."), fix);
    refusal.field = field;
    refusal
}

fn misplaced(name: &str) -> Fault {
    Fault::new(
        name,
        format!("`{name}` came in the query; this verb takes its fields in the body."),
        "Send it in the JSON body.",
    )
}

/// Fields that take one value and were sent several times: which one is meant cannot be known.
fn repeated(verb: &Verb, query: &[(String, String)], faults: &mut Vec<Fault>) {
    for (index, (name, _)) in query.iter().enumerate() {
        let several = verb.field(name).is_some_and(|schema| takes(schema, "array"));
        let earlier = query.iter().take(index).any(|(other, _)| other == name);
        if earlier && !several {
            faults.push(Fault::new(name, format!("`{name}` stands twice."), "Send it once."));
        }
    }
    faults.dedup();
}

#[cfg(test)]
mod tests;
