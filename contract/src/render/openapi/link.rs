//! Owns the links of an operation: which other verbs take the id of what it has made (OpenAPI 3.1,
//! "Link Object"). Invariant: a link is read from the schemas alone, where both say the same id.

use serde_json::{Map, Value, json};

use crate::Effect;
use crate::verb::{Method, Needs, Registry, Verb};

/// The links of `verb`'s answer; empty for a verb that makes nothing.
pub(super) fn of(verb: &Verb) -> Map<String, Value> {
    let Some(made) = Made::by(verb) else { return Map::new() };
    let others = Registry::get().iter().filter(|other| other.name != verb.name);
    let links = others.filter(|other| other.needs != Needs::Operator || other.needs == verb.needs);
    links.filter_map(|other| Some((other.name.to_owned(), made.link(other)?))).collect()
}

/// What a verb has made: where its answer says it.
#[derive(Debug)]
struct Made<'v> {
    verb: &'v Verb,
    /// The path to the record in the answer, its id's pattern, where its name is said, and whether it
    /// has a version.
    at: String,
    id: Option<&'v str>,
    name: Option<String>,
    versioned: bool,
}

impl<'v> Made<'v> {
    fn by(verb: &'v Verb) -> Option<Self> {
        if verb.effect == Effect::Read || verb.method != Method::Post {
            return None;
        }
        let fields = verb.answer.get("properties")?.as_object()?;
        let below = fields.iter().map(|(name, field)| (format!("/{name}"), field));
        let records = std::iter::once((String::new(), &verb.answer)).chain(below);
        let has =
            |record: &Value, name: &str| record.pointer(&format!("/properties/{name}")).is_some();
        let mut found = records.filter_map(|(at, record)| {
            let id = pattern(record.pointer("/properties/id")?).filter(|id| id.ends_with("{32}$"));
            let answered = has(record, "name").then(|| format!("$response.body#/result{at}/name"));
            // A record that is known by its scope was named by whoever made it.
            let asked = verb.field("name").map(|_| "$request.body#/name".to_owned());
            let (name, versioned) = (answered.or(asked), has(record, "version"));
            (id.is_some() || name.is_some()).then_some(Self { verb, at, id, name, versioned })
        });
        let made = found.next()?;
        // What is said in the path is there already.
        let known = |field| verb.field(field).and_then(pattern);
        let changes =
            verb.path_fields().any(|field| field == verb.noun() || known(field) == made.id);
        (!changes).then_some(made)
    }

    /// The link to `other`, if it takes what was made.
    fn link(&self, other: &Verb) -> Option<Value> {
        let in_path: Vec<_> = other.path_fields().collect();
        let mut parameters = Map::new();
        let mut body = Map::new();
        for (name, field) in other.input.get("properties")?.as_object()? {
            let required = in_path.contains(&name.as_str()) || is_required(other, name);
            let Some(value) = self.value(name, field) else {
                let from = self.verb.path_fields().find(|own| own == name);
                if let Some(own) = from.filter(|_| in_path.contains(&name.as_str())) {
                    parameters.insert(name.clone(), format!("$request.path.{own}").into());
                }
                continue;
            };
            if in_path.contains(&name.as_str()) || !other.method.has_body() {
                parameters.insert(name.clone(), value.into());
            } else if required {
                body.insert(name.clone(), value.into());
            }
        }
        let whole = in_path.iter().all(|name| parameters.contains_key(*name));
        let speaks = |map: &Map<String, Value>| {
            map.iter().any(|(name, value)| name != VERSION && is_answered(value))
        };
        if !whole || !(speaks(&parameters) || speaks(&body)) {
            return None;
        }
        let mut link = json!({ "operationId": other.name, "parameters": parameters });
        if !body.is_empty() {
            link.as_object_mut()?.insert("requestBody".to_owned(), Value::Object(body));
        }
        Some(link)
    }

    /// The expression for a field that takes what was made.
    fn value(&self, name: &str, field: &Value) -> Option<String> {
        let at = &self.at;
        let same = self.id.is_some() && pattern(field) == self.id;
        if same {
            return Some(format!("$response.body#/result{at}/id"));
        }
        if let Some(said) = self.name.as_ref().filter(|_| name == self.verb.noun()) {
            return Some(said.clone());
        }
        let version = self.versioned && name == VERSION;
        version.then(|| format!("$response.body#/result{at}/version"))
    }
}

/// The field of an update that says which version is meant.
const VERSION: &str = "expected_version";

fn is_answered(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.contains(".body#/"))
}

fn is_required(verb: &Verb, name: &str) -> bool {
    let names = verb.input.get("required").and_then(Value::as_array);
    names.is_some_and(|names| names.iter().any(|one| one == name))
}

fn pattern(schema: &Value) -> Option<&str> {
    let mut branches = schema.get("anyOf").and_then(Value::as_array).into_iter().flatten();
    let own = schema.get("pattern").and_then(Value::as_str);
    own.or_else(|| branches.find_map(|branch| branch.get("pattern")?.as_str()))
}
