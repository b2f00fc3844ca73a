//! Owns the check of an input against its schema. Invariant: all faults of one input are reported
//! together, each with the field, what is wrong and what to send instead; nothing is coerced except
//! texts from a query string, by [`Validator::coerce`].

use std::fmt;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::{Map, Number, Value};

use crate::refusal::Fault;
use crate::schema::bare;

mod union;

/// The most faults reported for one input.
const FAULTS_MAX: usize = 32;

/// A compiled schema.
pub struct Validator {
    schema: Value,
    compiled: Result<jsonschema::Validator, String>,
}

impl fmt::Debug for Validator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Validator")
            .field("compiles", &self.compiled.is_ok())
            .finish_non_exhaustive()
    }
}

impl Validator {
    /// Compiles `schema`. One that does not compile refuses every input: see [`Self::broken`].
    pub fn new(schema: &Value) -> Self {
        let compiled = jsonschema::options()
            .with_draft(jsonschema::Draft::Draft202012)
            .should_validate_formats(true)
            .build(schema)
            .map_err(|error| error.to_string());
        Self { schema: schema.clone(), compiled }
    }

    /// Why the schema itself does not compile.
    pub fn broken(&self) -> Option<&str> {
        self.compiled.as_ref().err().map(String::as_str)
    }

    /// Every fault of `input`; none means that it fits. `prefix` goes before the fields' names
    /// (`arguments` makes `arguments.limit`).
    pub fn faults(&self, input: &Value, prefix: &str) -> Vec<Fault> {
        let compiled = match &self.compiled {
            Ok(compiled) => compiled,
            Err(why) => {
                return vec![Fault::new(
                    prefix,
                    format!("The schema of this tool is broken: {why}"),
                    "Tell whoever declared the tool.",
                )];
            }
        };
        if compiled.is_valid(input) {
            return Vec::new();
        }
        let mut faults: Vec<Fault> = Vec::new();
        for error in compiled.iter_errors(input).take(FAULTS_MAX) {
            self.explain(&error, prefix, &mut faults);
        }
        faults.dedup();
        faults.truncate(FAULTS_MAX);
        faults
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "every other kind of fault is told by its keyword's own words"
    )]
    fn explain(&self, error: &jsonschema::ValidationError<'_>, prefix: &str, out: &mut Vec<Fault>) {
        let pointer = error.instance_path().to_string();
        let at = field_path(prefix, &pointer);
        // A secret that does not fit is still a secret: it is not echoed.
        let secret = self
            .at(&pointer)
            .and_then(|schema| schema.get("writeOnly").and_then(Value::as_bool))
            .unwrap_or(false);
        let given = if secret { "The value".to_owned() } else { brief(error.instance()) };
        match error.kind() {
            ValidationErrorKind::AdditionalProperties { unexpected }
            | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
                let known = self.known_fields(&pointer);
                let told = unexpected.iter().take(FAULTS_MAX);
                out.extend(told.map(|name| unknown(&join(&at, name), name, &known)));
            }
            ValidationErrorKind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                out.push(Fault::new(
                    join(&at, name),
                    format!("`{name}` is missing."),
                    self.describe(&format!("{pointer}/{name}"), "Send it."),
                ));
            }
            ValidationErrorKind::Type { kind } => {
                let wanted = types(kind);
                out.push(Fault::new(
                    at,
                    format!("{given} is not of type {wanted}."),
                    format!("Send {}.", with_article(&wanted)),
                ));
            }
            ValidationErrorKind::Enum { options } => out.push(Fault::new(
                at,
                format!("{given} is not one of the values taken."),
                format!("Send one of {options}."),
            )),
            ValidationErrorKind::AnyOf { .. } | ValidationErrorKind::OneOfNotValid { .. } => {
                match self.at(&pointer) {
                    Some(schema) => union::explain(&schema, error.instance(), &at, out),
                    None => out.push(Fault::new(
                        at,
                        format!("{given} fits none of the forms taken here."),
                        "Read the schema of this field.",
                    )),
                }
            }
            other => {
                let text = format!("{given}: {}.", rule(other, error));
                out.push(Fault::new(
                    at,
                    text,
                    self.describe(&pointer, "Read the schema of this field."),
                ));
            }
        }
    }

    fn at(&self, pointer: &str) -> Option<Value> {
        let mut schema = bare(&self.schema);
        for part in pointer.split('/').skip(1) {
            let inner = match schema.get("properties").and_then(|fields| fields.get(part)) {
                Some(field) => field,
                None => schema.get("items").or_else(|| schema.get("additionalProperties"))?,
            };
            schema = bare(inner);
        }
        Some(schema)
    }

    fn known_fields(&self, pointer: &str) -> Vec<String> {
        self.at(pointer)
            .and_then(|schema| {
                Some(schema.get("properties")?.as_object()?.keys().cloned().collect())
            })
            .unwrap_or_default()
    }

    fn describe(&self, pointer: &str, otherwise: &str) -> String {
        self.at(pointer)
            .and_then(|schema| Some(schema.get("description")?.as_str()?.to_owned()))
            .map_or_else(|| otherwise.to_owned(), |text| format!("Send: {text}"))
    }

    /// Turns the texts of a query string (or of command-line flags) into the types that the
    /// schema's top-level fields ask for. What does not fit is left as text, for
    /// [`Self::faults`] to name.
    pub fn coerce(&self, pairs: impl IntoIterator<Item = (String, String)>) -> Map<String, Value> {
        let mut out = Map::new();
        for (name, text) in pairs {
            let schema = self.schema.get("properties").and_then(|fields| fields.get(&name));
            if schema.is_some_and(|schema| takes(schema, "array")) {
                let items = schema.and_then(|schema| schema.get("items"));
                let item = one(items, text);
                let list = out.entry(name).or_insert_with(|| Value::Array(Vec::new()));
                if let Value::Array(list) = list {
                    list.push(item);
                }
            } else {
                out.insert(name, one(schema, text));
            }
        }
        out
    }
}

/// Turns one text into the type that its schema asks for, or leaves it as text.
pub(crate) fn one(schema: Option<&Value>, text: String) -> Value {
    let Some(schema) = schema else { return Value::String(text) };
    if takes(schema, "integer")
        && let Ok(number) = text.parse::<i64>()
    {
        return Value::Number(number.into());
    }
    if takes(schema, "number")
        && let Some(number) = text.parse().ok().and_then(Number::from_f64)
    {
        return Value::Number(number);
    }
    if takes(schema, "boolean")
        && let Ok(flag) = text.parse()
    {
        return Value::Bool(flag);
    }
    if (takes(schema, "object") || !is_scalar(schema))
        && let Ok(value) = serde_json::from_str(&text)
    {
        return value;
    }
    Value::String(text)
}

/// Whether the schema takes nothing but single texts, numbers and truth values.
pub(crate) fn is_scalar(schema: &Value) -> bool {
    schema.get("enum").is_some()
        || schema.get("const").is_some()
        || ["string", "integer", "number", "boolean"].iter().any(|kind| takes(schema, kind))
        || schema
            .get("oneOf")
            .and_then(Value::as_array)
            .is_some_and(|all| all.iter().all(is_scalar))
        || schema
            .get("anyOf")
            .and_then(Value::as_array)
            .is_some_and(|all| all.iter().all(|one| is_scalar(one) || takes(one, "null")))
}

/// Whether a schema's `type` says `kind`.
pub fn takes(schema: &Value, kind: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(only)) => only == kind,
        Some(Value::Array(several)) => several.iter().any(|one| one == kind),
        _ => schema
            .get("anyOf")
            .and_then(Value::as_array)
            .is_some_and(|all| all.iter().any(|one| takes(one, kind))),
    }
}

/// A fault of an unknown field, with the nearest known one.
fn unknown(path: &str, name: &str, known: &[String]) -> Fault {
    let nearest = known
        .iter()
        .map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= 1 + candidate.len() / 3)
        .min_by_key(|(distance, _)| *distance);
    let fix = match nearest {
        Some((_, candidate)) => format!("Did you mean `{candidate}`?"),
        None if known.is_empty() => "Leave it out: no field is taken here.".to_owned(),
        None => format!("Leave it out. Fields taken here: {}.", known.join(", ")),
    };
    Fault::new(path, format!("`{name}` is not a field."), fix)
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the validator's own words, without the value, do for the keywords seldom used"
)]
fn rule(kind: &ValidationErrorKind, error: &jsonschema::ValidationError<'_>) -> String {
    match kind {
        ValidationErrorKind::Pattern { pattern } => format!("does not match the pattern {pattern}"),
        ValidationErrorKind::MaxLength { limit } => format!("longer than {limit} characters"),
        ValidationErrorKind::MinLength { limit } => format!("shorter than {limit} characters"),
        ValidationErrorKind::Maximum { limit } => format!("above {limit}"),
        ValidationErrorKind::Minimum { limit } => format!("below {limit}"),
        ValidationErrorKind::MaxItems { limit } => format!("more than {limit} items"),
        ValidationErrorKind::MinItems { limit } => format!("fewer than {limit} items"),
        ValidationErrorKind::Format { format } => format!("not a {format}"),
        _ => {
            let text: String = error.masked().to_string().chars().take(200).collect();
            text
        }
    }
}

fn types(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(one) => one.to_string(),
        TypeKind::Multiple(several) => {
            let words: Vec<_> = several.iter().map(|one| one.to_string()).collect();
            words.join(" or ")
        }
    }
}

/// The name of one type or several, as part of a sentence: `an integer or null`.
fn with_article(wanted: &str) -> String {
    let article = match wanted.chars().next() {
        _ if wanted.starts_with("null") => "",
        Some('a' | 'i' | 'o') => "an ",
        _ => "a ",
    };
    format!("{article}{wanted}")
}

pub(crate) fn brief(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 60 {
        return text;
    }
    let head: String = text.chars().take(57).collect();
    format!("{head}…")
}

pub(crate) fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// `/filter/0/name` under `arguments` becomes `arguments.filter.0.name`.
pub(crate) fn field_path(prefix: &str, pointer: &str) -> String {
    pointer
        .split('/')
        .skip(1)
        .map(|part| part.replace("~1", "/").replace("~0", "~"))
        .fold(prefix.to_owned(), |path, part| join(&path, &part))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn validator() -> Validator {
        Validator::new(&json!({
            "type": "object", "additionalProperties": false, "required": ["id"],
            "properties": {
                "id": { "type": "string", "pattern": "^[a-z]+$", "description": "The id, in small letters." },
                "limit": { "type": "integer", "minimum": 1, "maximum": 100 },
                "kind": { "enum": ["a", "b"] },
                "tags": { "type": "array", "items": { "type": "integer" } },
                "deep": { "type": "object", "additionalProperties": false, "properties": { "x": { "type": "number" } } }
            }
        }))
    }

    #[test]
    fn all_faults_of_one_input_come_together_and_name_their_fields() {
        let faults = validator().faults(
            &json!({ "limt": 5, "limit": 1000, "kind": "c", "deep": { "y": 1 }, "tags": ["x"] }),
            "arguments",
        );
        let named: Vec<_> = faults.iter().map(|fault| fault.field.as_str()).collect();
        for field in [
            "arguments.limt",
            "arguments.limit",
            "arguments.kind",
            "arguments.deep.y",
            "arguments.tags.0",
            "arguments.id",
        ] {
            assert!(named.contains(&field), "{field} is not among {named:?}");
        }
        let limt = faults.iter().find(|fault| fault.field.ends_with("limt")).expect("named");
        assert_eq!(limt.fix, "Did you mean `limit`?");
        assert!(faults.iter().all(|fault| !fault.fix.is_empty() && !fault.say.is_empty()));
    }

    #[test]
    fn a_fix_is_a_sentence() {
        let faults = validator().faults(&json!({ "id": 1, "limit": "1", "deep": [] }), "");
        let mut fixes: Vec<_> = faults.iter().map(|fault| fault.fix.as_str()).collect();
        fixes.sort_unstable();
        assert_eq!(fixes, ["Send a string.", "Send an integer.", "Send an object."]);
    }

    #[test]
    fn what_fits_has_no_fault() {
        assert_eq!(
            validator().faults(&json!({ "id": "a", "limit": 100, "deep": { "x": 1.5 } }), ""),
            []
        );
    }

    #[test]
    fn texts_are_coerced_by_the_schema_and_never_further() {
        let pairs = [("id", "7"), ("limit", "7"), ("tags", "1"), ("tags", "2"), ("limt", "9")];
        let pairs = pairs.map(|(name, text)| (name.to_owned(), text.to_owned()));
        let input = Value::Object(validator().coerce(pairs));
        assert_eq!(input, json!({ "id": "7", "limit": 7, "tags": [1, 2], "limt": "9" }));
    }
}
