//! When a JSON Schema takes less of a caller than the one before, or promises less to it.
//!
//! Both are one question, put the other way round: does the outer schema take all that the inner one
//! takes? Of an input the outer one is the new, of an answer the old. Where it cannot be told that it
//! does, it is said that it does not.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// Who has to live with the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// The caller sends what fits it.
    Input,
    /// The caller reads what fits it.
    Answer,
}

/// The two documents that references lead into.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Document<'d> {
    pub(crate) before: &'d Value,
    pub(crate) now: &'d Value,
}

/// Limits that take more the higher they are, and those that take more the lower they are.
const CEILINGS: [&str; 5] =
    ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];
const FLOORS: [&str; 5] = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
/// Rules of which it is only known whether they are the same.
const RULES: [&str; 8] = [
    "pattern",
    "format",
    "multipleOf",
    "uniqueItems",
    "not",
    "propertyNames",
    "prefixItems",
    "contains",
];

impl Document<'_> {
    /// What breaks from `before` to `now`, each in a sentence.
    pub(crate) fn faults(&self, before: &Value, now: &Value, side: Side) -> Vec<String> {
        let mut walk = Walk { documents: self, side, says: Vec::new() };
        walk.compare("", before, now);
        walk.says
    }
}

struct Walk<'w> {
    documents: &'w Document<'w>,
    side: Side,
    says: Vec<String>,
}

/// A document's schema, its reference followed; `None` for one that is shared and compared elsewhere.
fn followed(document: &Value, schema: &Value) -> Value {
    let reference = schema["$ref"].as_str();
    let target = reference.and_then(|one| document.pointer(one.trim_start_matches('#')));
    target.unwrap_or(schema).clone()
}

impl Walk<'_> {
    fn say(&mut self, at: &str, what: &str) {
        let at = if at.is_empty() { "the whole" } else { at };
        let whose = if self.side == Side::Input { "" } else { " of the answer" };
        self.says.push(format!("`{at}`{whose} {what}."));
    }

    fn compare(&mut self, at: &str, before: &Value, now: &Value) {
        let shared = before["$ref"].as_str().and_then(|path| path.rsplit('/').next());
        if before == now && shared.is_some_and(|name| super::SHARED.contains(&name)) {
            return;
        }
        let before = followed(self.documents.before, before);
        let now = followed(self.documents.now, now);
        // What is not there says nothing, as `true` does.
        let object = |schema: Value| match schema {
            Value::Object(map) => map,
            Value::Bool(false) => Map::from_iter([("not".to_owned(), json!({}))]),
            Value::Null
            | Value::Bool(true)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_) => Map::new(),
        };
        let (before, now) = (object(before), object(now));
        self.values(at, &before, &now);
        self.limits(at, &before, &now);
        self.members(at, &before, &now);
        self.forms(at, &before, &now);
    }

    /// The outer and the inner of the two.
    fn sides<'s, T>(&self, before: &'s T, now: &'s T) -> (&'s T, &'s T) {
        if self.side == Side::Input { (now, before) } else { (before, now) }
    }

    fn less(&self) -> &'static str {
        if self.side == Side::Input { "takes less" } else { "promises less" }
    }

    fn values(&mut self, at: &str, before: &Map<String, Value>, now: &Map<String, Value>) {
        let (outer, inner) = self.sides(before, now);
        if let Some(taken) = types(outer)
            && !types(inner).is_some_and(|kinds| kinds.is_subset(&taken))
            && !listed(inner).is_some_and(|values| values.iter().all(|one| fits(one, &taken)))
        {
            self.say(at, &format!("is of another type: {}", json!(types(now))));
        }
        let Some(taken) = listed(outer) else { return };
        match (listed(inner), self.side) {
            // A caller leaves a word that it does not know alone.
            (Some(_), Side::Answer) => {}
            (Some(values), Side::Input) => {
                for value in values.iter().filter(|value| !taken.contains(value)) {
                    self.say(at, &format!("no longer takes {value}"));
                }
            }
            (None, Side::Input) => self.say(at, "is a closed list now"),
            (None, Side::Answer) => self.say(at, "is no longer a closed list"),
        }
    }

    fn limits(&mut self, at: &str, before: &Map<String, Value>, now: &Map<String, Value>) {
        let (outer, inner) = self.sides(before, now);
        let number = |side: &Map<String, Value>, key: &str| side.get(key).and_then(Value::as_f64);
        let mut tighter = Vec::new();
        for (keys, sign) in [(CEILINGS, 1.0), (FLOORS, -1.0)] {
            for key in keys {
                let Some(limit) = number(outer, key) else { continue };
                if number(inner, key).is_none_or(|inner| inner * sign > limit * sign) {
                    tighter.push(key);
                }
            }
        }
        let ruled =
            |key: &&&str| outer.get(**key).is_some() && outer.get(**key) != inner.get(**key);
        tighter.extend(RULES.iter().filter(ruled));
        for key in tighter {
            let (was, is) = (before.get(key), now.get(key));
            let text =
                |side: Option<&Value>| side.map_or_else(|| "none".to_owned(), Value::to_string);
            let less = self.less();
            self.say(at, &format!("{less}: {key} was {}, is {}", text(was), text(is)));
        }
    }

    fn members(&mut self, at: &str, before: &Map<String, Value>, now: &Map<String, Value>) {
        let fields = |side: &Map<String, Value>| {
            side.get("properties").and_then(Value::as_object).cloned().unwrap_or_default()
        };
        let (old, new) = (fields(before), fields(now));
        let closed =
            |side: &Map<String, Value>| side.get("additionalProperties") == Some(&json!(false));
        let named =
            |name: &str| if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") };
        for (name, field) in &old {
            match new.get(name) {
                Some(now) => self.compare(&named(name), field, now),
                None if self.side == Side::Answer => self.say(&named(name), "is gone"),
                None if closed(now) => self.say(&named(name), "is no longer taken"),
                None => {}
            }
        }
        let (outer, inner) = self.sides(before, now);
        for name in required(outer).difference(&required(inner)) {
            let what = match self.side {
                Side::Input => "must be sent now",
                Side::Answer => "may be left out now",
            };
            // What is gone has been said.
            if self.side == Side::Input || new.contains_key(name) {
                self.say(&named(name), what);
            }
        }
        if self.side == Side::Input && closed(now) && !closed(before) {
            self.say(at, "takes no other fields any more");
        }
        for key in ["items", "additionalProperties"] {
            let none = json!({});
            let side =
                |side: &Map<String, Value>| side.get(key).filter(|one| one.is_object()).cloned();
            let (old, new) = (side(before), side(now));
            if old.is_some() || new.is_some() {
                let (old, new) = (old.unwrap_or_else(|| none.clone()), new.unwrap_or(none));
                self.compare(&format!("{at}[]"), &old, &new);
            }
        }
    }

    fn forms(&mut self, at: &str, before: &Map<String, Value>, now: &Map<String, Value>) {
        if branches(before).is_none() && branches(now).is_none() {
            return;
        }
        let forms = |side: &Map<String, Value>| {
            branches(side).unwrap_or_else(|| vec![Value::Object(side.clone())])
        };
        let (old, new) = (forms(before), forms(now));
        let (outer, inner) = self.sides(&old, &new);
        for form in inner {
            let tried = outer.iter().map(|other| {
                let (old, new) =
                    if self.side == Side::Input { (form, other) } else { (other, form) };
                (
                    tag(form).is_some() && tag(form) == tag(other),
                    self.documents.faults(old, new, self.side),
                )
            });
            let tried: Vec<_> = tried.collect();
            if tried.iter().any(|(_, says)| says.is_empty()) {
                continue;
            }
            // A tagged form is told by its own faults; a new one of an answer is left alone.
            match tried.into_iter().find(|(same, _)| *same) {
                Some((_, says)) => self.says.extend(says),
                None if self.side == Side::Answer && tag(form).is_some() => {}
                None => {
                    let text: String = form.to_string().chars().take(80).collect();
                    let less = self.less();
                    self.say(at, &format!("{less}: nothing stands for the form {text}"));
                }
            }
        }
    }
}

/// The types that are taken; none if all are.
fn types(schema: &Map<String, Value>) -> Option<BTreeSet<String>> {
    let said = schema.get("type")?;
    let one = said.as_str().map(str::to_owned);
    let several = said.as_array().into_iter().flatten().filter_map(Value::as_str);
    let mut kinds: BTreeSet<String> = several.map(str::to_owned).chain(one).collect();
    if kinds.contains("number") {
        // Every integer is a number.
        kinds.insert("integer".to_owned());
    }
    Some(kinds)
}

fn fits(value: &Value, kinds: &BTreeSet<String>) -> bool {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    kinds.contains(kind)
}

/// The values of a closed list; none if it is none.
fn listed(schema: &Map<String, Value>) -> Option<Vec<Value>> {
    let single = schema.get("const").map(|value| vec![value.clone()]);
    single.or_else(|| schema.get("enum")?.as_array().cloned())
}

fn required(schema: &Map<String, Value>) -> BTreeSet<String> {
    let names = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    names.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn branches(schema: &Map<String, Value>) -> Option<Vec<Value>> {
    let all = ["oneOf", "anyOf"].iter().find_map(|key| schema.get(*key)?.as_array());
    all.cloned()
}

/// What tells a form from the others: its only value, or that of its first field which has but one.
fn tag(form: &Value) -> Option<Value> {
    let only = |schema: &Value| {
        let values = listed(schema.as_object()?)?;
        values.first().filter(|_| values.len() == 1).cloned()
    };
    let fields = form.get("properties").and_then(Value::as_object);
    only(form).or_else(|| fields?.values().find_map(only))
}
