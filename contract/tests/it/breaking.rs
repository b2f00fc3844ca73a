//! Which changes of the committed contract break a caller who was written for the one before. A pure
//! function of the two documents; what it finds has to be named in the changelog.
//!
//! A caller is taken to leave alone what it does not know: a new verb, a new optional field, a new
//! member of an answer and a new word of an answer's closed list break nobody.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::Value;

mod changelog;
mod schema;
#[cfg(test)]
mod tests;

pub(crate) use changelog::unannounced;
use schema::{Document, Side};

/// One change that breaks a caller.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Break {
    /// The verb, the MCP tool or the shared schema that it is a change of.
    pub(crate) of: String,
    /// What changed, in a sentence.
    pub(crate) say: String,
}

impl fmt::Display for Break {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.of, self.say)
    }
}

/// The parts of an answer that every verb shares. Each is compared once, under its own name.
const SHARED: [&str; 7] =
    ["Problem", "Refusal", "Held", "Unavailable", "Written", "Hint", "DryRun"];

/// What breaks from one OpenAPI document to the next.
pub(crate) fn of_openapi(before: &Value, now: &Value) -> BTreeSet<Break> {
    let documents = Document { before, now };
    let mut found = Found::default();
    for name in SHARED {
        let at = |document: &Value| document["components"]["schemas"][name].clone();
        if !at(before).is_null() {
            found.put(name, documents.faults(&at(before), &at(now), Side::Answer));
        }
    }
    let (old, new) = (operations(before), operations(now));
    for (verb, one) in &old {
        let Some(other) = new.get(verb) else {
            found.put(verb, vec!["the verb is gone.".to_owned()]);
            continue;
        };
        found.put(verb, of_operation(&documents, one, other));
    }
    found.0
}

/// What breaks from one document of MCP tools to the next.
pub(crate) fn of_tools(before: &Value, now: &Value) -> BTreeSet<Break> {
    let documents = Document { before, now };
    let mut found = Found::default();
    let new = tools(now);
    for (name, one) in tools(before) {
        let Some(other) = new.get(&name) else {
            found.put(&name, vec!["the tool is gone.".to_owned()]);
            continue;
        };
        for (member, side) in [("inputSchema", Side::Input), ("outputSchema", Side::Answer)] {
            found.put(&name, documents.faults(&one[member], &other[member], side));
        }
    }
    let listed = |document: &Value| document["announced"].as_array().cloned().unwrap_or_default();
    let announced = listed(now);
    for name in listed(before).iter().filter(|name| !announced.contains(name)) {
        let name = name.as_str().unwrap_or_default();
        found.put(name, vec!["the tool is no longer announced.".to_owned()]);
    }
    found.0
}

#[derive(Debug, Default)]
struct Found(BTreeSet<Break>);

impl Found {
    fn put(&mut self, of: &str, says: Vec<String>) {
        self.0.extend(says.into_iter().map(|say| Break { of: of.to_owned(), say }));
    }
}

/// An operation and where it is reached.
struct Operation<'d> {
    route: String,
    said: &'d Value,
}

fn operations(document: &Value) -> BTreeMap<String, Operation<'_>> {
    let mut all = BTreeMap::new();
    for (path, item) in document["paths"].as_object().into_iter().flatten() {
        for (method, said) in item.as_object().into_iter().flatten() {
            if let Some(id) = said["operationId"].as_str() {
                let route = format!("{} {path}", method.to_ascii_uppercase());
                all.insert(id.to_owned(), Operation { route, said });
            }
        }
    }
    all
}

fn tools(document: &Value) -> BTreeMap<String, &Value> {
    let all = document["tools"].as_array().into_iter().flatten();
    all.filter_map(|tool| Some((tool["name"].as_str()?.to_owned(), tool))).collect()
}

fn of_operation(
    documents: &Document<'_>,
    one: &Operation<'_>,
    other: &Operation<'_>,
) -> Vec<String> {
    let mut says = Vec::new();
    if one.route != other.route {
        says.push(format!("`{}` is `{}` now.", one.route, other.route));
    }
    for (member, what) in [
        ("security", "the kind of token"),
        ("x-needs", "what it needs"),
        ("x-effect", "its effect"),
    ] {
        if one.said[member] != other.said[member] {
            says.push(format!("{what} is another: {}.", other.said[member]));
        }
    }
    says.extend(of_parameters(documents, one.said, other.said));
    let body = |operation: &Value| operation["requestBody"].clone();
    let schema = |body: &Value| body["content"]["application/json"]["schema"].clone();
    match (body(one.said), body(other.said)) {
        (Value::Null, Value::Null) => {}
        (_, Value::Null) => says.push("it takes no body any more.".to_owned()),
        (Value::Null, new) if new["required"] == true => {
            says.push("it asks for a body now.".to_owned());
        }
        (Value::Null, _) => {}
        (old, new) => {
            if new["required"] == true && old["required"] != true {
                says.push("its body must be sent now.".to_owned());
            }
            says.extend(documents.faults(&schema(&old), &schema(&new), Side::Input));
        }
    }
    let done = |operation: &Value| schema(&operation["responses"]["200"]);
    says.extend(documents.faults(&done(one.said), &done(other.said), Side::Answer));
    says
}

fn of_parameters(documents: &Document<'_>, one: &Value, other: &Value) -> Vec<String> {
    fn all(operation: &Value) -> BTreeMap<(String, String), &Value> {
        let all = operation["parameters"].as_array().into_iter().flatten();
        let text = |said: &Value, member: &str| said[member].as_str().unwrap_or("?").to_owned();
        all.map(|said| ((text(said, "name"), text(said, "in")), said)).collect()
    }
    let (old, new) = (all(one), all(other));
    let mut says = Vec::new();
    for ((name, place), said) in &new {
        let was = old.get(&(name.clone(), place.clone()));
        let asked = |said: &Value| said["required"] == true;
        if asked(said) && !was.is_some_and(|was| asked(was)) {
            says.push(format!("`{name}` must be sent now ({place})."));
        }
        if let Some(was) = was {
            let faults = documents.faults(&was["schema"], &said["schema"], Side::Input);
            says.extend(faults.into_iter().map(|fault| format!("{name}: {fault}")));
        }
    }
    let gone = old.keys().filter(|key| !new.contains_key(*key));
    says.extend(gone.map(|(name, place)| format!("`{name}` is no longer taken ({place}).")));
    says
}
