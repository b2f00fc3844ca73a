//! Owns what a refusal means for who typed the call: the same fix, as it is written on a command
//! line. Invariant: only `fix` changes; what was refused, and why, stays.

use clap::ArgMatches;
use serde_json::Value;

use super::collect::typed;
use super::plan::{self, Flag, Form};
use crate::canonical::parse_strict;
use crate::refusal::{Fault, Refusal};
use crate::verb::Verb;

/// Says `key:=JSON` where a value was refused for its type and was typed as `key=text`: whoever types
/// does not see that the text was sent as a text. The schema is the service's, so it cannot be
/// converted here.
pub fn mend(verb: &Verb, matches: &ArgMatches, refusal: &mut Refusal) {
    for flag in plan::of(verb).iter().filter(|flag| flag.form == Form::Pairs) {
        let (placed, named) = typed(flag, matches);
        let texts: Vec<String> = placed.into_iter().chain(named).collect();
        for fault in &mut refusal.faults {
            if let Some(fix) = fix(flag, &texts, fault) {
                fault.fix = fix;
            }
        }
    }
    if let [only] = refusal.faults.as_slice() {
        refusal.fix.clone_from(&only.fix);
    }
}

fn fix(flag: &Flag, texts: &[String], fault: &Fault) -> Option<String> {
    let name = fault.field.strip_prefix(&flag.field())?.strip_prefix('.')?;
    let (_, wanted) = fault.say.split_once(" is not of type ")?;
    let given = texts.iter().find_map(|text| text.strip_prefix(name)?.strip_prefix('='))?;
    let value = parse_strict(given.as_bytes()).ok()?;
    let kinds = wanted.trim_end_matches('.').split(" or ");
    let fits = kinds.into_iter().any(|kind| is_of(&value, kind));
    fits.then(|| format!("It was sent as a text. Write it as JSON: {name}:={given}"))
}

fn is_of(value: &Value, kind: &str) -> bool {
    match value {
        Value::Null => kind == "null",
        Value::Bool(_) => kind == "boolean",
        Value::Number(number) => kind == "number" || (kind == "integer" && !number.is_f64()),
        Value::Array(_) => kind == "array",
        Value::Object(_) => kind == "object",
        // A text in quotes was no better as a text.
        Value::String(_) => false,
    }
}
