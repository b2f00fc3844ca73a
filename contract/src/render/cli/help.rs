//! Owns what help says of a flag: the field's own description, and its limits in brackets.

use serde_json::Value;

use super::plan::{Flag, Form, Item, Need};
use crate::schema::{first_sentence, is_free, one_line};

/// One line.
pub(super) fn short(flag: &Flag) -> String {
    let text = first_sentence(&about(flag));
    format!("{text}{}", or_flag(flag))
}

/// The description, how to write the value, and every limit. What is said as JSON has a schema that
/// is too long for here: `command` (as in `bailiwick grant create`) prints it.
pub(super) fn long(flag: &Flag, command: &str) -> String {
    let mut lines = vec![format!("{}{}", about(flag), or_flag(flag))];
    lines.extend(how(flag).map(str::to_owned));
    lines.extend(facts(flag).into_iter().map(|fact| format!("[{fact}]")));
    if matches!(flag.form, Form::Json | Form::List(Item::Members | Item::Json))
        && !is_free(&flag.schema)
    {
        lines.push(format!("Its JSON Schema: {command} --schema"));
    }
    lines.join("\n")
}

fn or_flag(flag: &Flag) -> String {
    if flag.is_in_file() {
        // What is typed as a flag stays in the shell's history.
        return format!(" (better: --{})", flag.file_long());
    }
    flag.position.map_or_else(String::new, |_| format!(" (or --{})", flag.long))
}

/// The field's description; that of the object around it if it has none.
fn about(flag: &Flag) -> String {
    let own = flag.schema.get("description").and_then(Value::as_str).map(one_line);
    own.or_else(|| flag.within.last().map(|(_, about)| about.clone())).unwrap_or_default()
}

fn how(flag: &Flag) -> Option<&'static str> {
    match &flag.form {
        Form::List(Item::Scalar | Item::Choice(_)) => {
            Some("Can be given several times; '[]' is the empty list.")
        }
        Form::List(Item::Members) => Some(
            "Each as JSON or as key=value,key=value. Can be given several times; '[]' is the empty list.",
        ),
        Form::List(Item::Json) => {
            Some("Each as JSON. Can be given several times; a JSON list gives all at once.")
        }
        Form::Pairs => {
            Some("As key=text, key:=JSON, or one JSON object. Can be given several times.")
        }
        Form::Json => Some("As JSON."),
        Form::Scalar | Form::Boolean | Form::Choice(_) => None,
    }
}

/// What the schema asks for, in words, one fact each.
fn facts(flag: &Flag) -> Vec<String> {
    let mut facts: Vec<_> =
        flag.within.iter().map(|(name, about)| format!("of {name}: {about}")).collect();
    if !flag.only.is_empty() {
        facts.push(format!("for {}", flag.only.join(", ")));
    }
    if flag.need == Need::WithOthers {
        facts.push("needed beside the other fields of its object".to_owned());
    }
    limits(&flag.schema, "", &mut facts);
    if let (Form::List(Item::Scalar), Some(items)) = (&flag.form, flag.schema.get("items")) {
        limits(items, "each ", &mut facts);
    }
    facts
}

/// Keywords that flags, their values and their descriptions tell.
const TOLD_ELSEWHERE: [&str; 11] = [
    "type",
    "description",
    "properties",
    "required",
    "items",
    "additionalProperties",
    "oneOf",
    "anyOf",
    "enum",
    "const",
    "uniqueItems",
];

/// The limits that a schema sets, in words, one fact each. `whose` goes before each.
pub(in crate::render) fn limits(schema: &Value, whose: &str, facts: &mut Vec<String>) {
    let words: [(&str, &str, &str); 11] = [
        ("default", "default: ", ""),
        ("minimum", "at least ", ""),
        ("maximum", "at most ", ""),
        ("exclusiveMinimum", "more than ", ""),
        ("exclusiveMaximum", "less than ", ""),
        ("minLength", "at least ", " characters"),
        ("maxLength", "at most ", " characters"),
        ("minItems", "at least ", " of them"),
        ("maxItems", "at most ", " of them"),
        ("format", "form: ", ""),
        ("pattern", "pattern: ", ""),
    ];
    for (keyword, before, after) in words {
        if let Some(value) = schema.get(keyword) {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            facts.push(format!("{whose}{before}{value}{after}"));
        }
    }
    if schema.get("uniqueItems") == Some(&Value::Bool(true)) {
        facts.push(format!("{whose}none twice"));
    }
    // What has no words of ours is still told.
    let told = |key: &str| words.iter().any(|(keyword, ..)| *keyword == key);
    let others = schema.as_object().into_iter().flatten();
    for (key, value) in
        others.filter(|(key, _)| !told(key) && !TOLD_ELSEWHERE.contains(&key.as_str()))
    {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        facts.push(format!("{whose}{key}: {value}"));
    }
}
