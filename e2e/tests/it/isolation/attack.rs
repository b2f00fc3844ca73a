//! The inputs that a stranger tries: each verb's example and each of its fields, with the target's ids,
//! names and scopes in place of the sample's, and the same with what is nowhere.

use contract::Verb;
use serde_json::{Map, Value, json};

use super::target::{MARK, SCOPE, Target};

/// An input about something of the target's, and the same about nothing.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Attack {
    pub(super) of: String,
    pub(super) real: Value,
    pub(super) absent: Value,
}

impl Attack {
    /// Whether it is about anything of the target's.
    pub(super) fn aims(&self) -> bool {
        self.real != self.absent
    }
}

/// What stands in the place of something of the target's.
#[derive(Clone, Copy)]
enum With<'t> {
    Real(&'t Target),
    Absent,
}

impl With<'_> {
    fn id(self, prefix: &str) -> Option<String> {
        match self {
            Self::Real(target) => target.ids.get(prefix).cloned(),
            Self::Absent => Some(contract::sample::text(prefix, 77)),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Real(_) => MARK,
            Self::Absent => "nothing",
        }
    }

    fn group(self) -> &'static str {
        match self {
            Self::Real(_) => "shop",
            Self::Absent => "nothing",
        }
    }

    fn place(self) -> String {
        match self {
            Self::Real(_) => "shop/checkout".to_owned(),
            Self::Absent => "shop/nothing".to_owned(),
        }
    }

    fn scope(self) -> String {
        match self {
            Self::Real(_) => SCOPE.to_owned(),
            Self::Absent => "acme/shop/nothing".to_owned(),
        }
    }

    fn address(self) -> String {
        format!("{}/{}.ticket.get", self.place(), self.name())
    }

    /// What stands for a text of the sample world; `field` says what kind of name it is.
    fn text(self, field: &str, text: &str) -> Value {
        if let Some(id) = prefix_of(text).and_then(|prefix| self.id(prefix)) {
            return id.into();
        }
        let digest = text.len() == 64 && text.bytes().all(|byte| byte == b'0');
        match (field, self) {
            (_, Self::Real(target)) if digest => target.digest.clone().into(),
            ("group", _) => self.group().into(),
            ("project", Self::Real(_)) => "checkout".into(),
            ("identity", Self::Real(_)) => "acme".into(),
            ("role", _) if text == "support" => self.name().into(),
            ("project" | "identity" | "pack" | "query", _) => self.name().into(),
            ("scope", _) => self.scope().into(),
            ("place", _) => self.place().into(),
            ("address" | "addresses", _) => self.address().into(),
            _ => text.into(),
        }
    }

    fn value(self, field: &str, value: &Value) -> Value {
        match value {
            Value::String(text) => self.text(field, text),
            Value::Array(items) => items.iter().map(|item| self.value(field, item)).collect(),
            Value::Object(map) => {
                let member =
                    |(name, item): (&String, &Value)| (name.clone(), self.value(name, item));
                Value::Object(map.iter().map(member).collect())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    /// A value for a field that the example leaves out, by what its schema says it is.
    fn by_schema(self, field: &str, schema: &Value) -> Option<Value> {
        let pattern = find(schema, "pattern").and_then(Value::as_str).unwrap_or_default();
        let prefix = pattern.strip_prefix('^').and_then(|rest| rest.split_once('_'));
        let id = prefix.and_then(|(prefix, _)| self.id(prefix));
        let one = match field {
            "scope" => Some(self.scope()),
            "place" => Some(self.place()),
            "address" => Some(self.address()),
            _ => id,
        }?;
        let list = schema.get("type").is_some_and(|kind| kind.to_string().contains("array"));
        Some(if list { json!([one]) } else { json!(one) })
    }
}

/// The kind of a sample id.
fn prefix_of(text: &str) -> Option<&str> {
    let (prefix, hex) = text.split_once('_')?;
    (hex.len() == 32 && hex.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(prefix)
}

/// The first member of that name, however deep.
fn find<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    let found = value.get(name);
    found.or_else(|| match value {
        Value::Object(map) => map.values().find_map(|inner| find(inner, name)),
        Value::Array(items) => items.iter().find_map(|inner| find(inner, name)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    })
}

/// Everything that is tried on a verb.
pub(super) fn attacks(verb: &Verb, target: &Target) -> Vec<Attack> {
    let both = [With::Real(target), With::Absent];
    let [real, absent] = both.map(|with| with.value("", &verb.example_input));
    let mut all = vec![Attack { of: "example".to_owned(), real, absent }];
    let fields = verb.input["properties"].as_object().cloned().unwrap_or_else(Map::new);
    for (field, schema) in &fields {
        let [real, absent] = both.map(|with| {
            let mut input = with.value("", &verb.example_input);
            let value = with.by_schema(field, schema)?;
            input[field] = value;
            Some(input)
        });
        if let (Some(real), Some(absent)) = (real, absent) {
            let attack = Attack { of: field.clone(), real, absent };
            if !all.iter().any(|known| known.real == attack.real) {
                all.push(attack);
            }
        }
    }
    if fields.contains_key("limit") {
        let [real, absent] = both.map(|with| whole(verb, with));
        all.push(Attack { of: "whole".to_owned(), real, absent });
    }
    all.extend(crafted(verb, &both));
    all
}

/// A list as a whole, without what the example leaves out of it.
fn whole(verb: &Verb, with: With<'_>) -> Value {
    let mut input = with.value("", &verb.example_input);
    let required = verb.input["required"].as_array().cloned().unwrap_or_default();
    if let Some(fields) = input.as_object_mut() {
        fields.retain(|name, _| required.contains(&json!(name)));
    }
    let most = verb.input.pointer("/properties/limit/maximum").and_then(Value::as_u64);
    input["limit"] = json!(most.unwrap_or(50));
    input
}

/// What no field's schema says: an id inside another field, a tool that is called.
fn crafted(verb: &Verb, both: &[With<'_>; 2]) -> Vec<Attack> {
    let each = |of: &str, make: &dyn Fn(With<'_>) -> Value| {
        let [real, absent] = [make(both[0]), make(both[1])];
        Attack { of: of.to_owned(), real, absent }
    };
    let id = |with: With<'_>, prefix: &str| with.id(prefix).unwrap_or_default();
    match verb.name {
        "access.explain" => vec![
            each("about myself", &|with| json!({ "action": "call.read", "scope": with.scope() })),
            each("about myself and a tool", &|with| json!({ "address": with.address() })),
            each("a decision", &|with| json!({ "decision": id(with, "decision") })),
        ],
        "server.register" => vec![each("a credential", &|with| {
            let mut input = verb.example_input.clone();
            input["instance"]["credential"] =
                json!({ "id": id(with, "credential"), "placement": { "kind": "bearer" } });
            input["name"] = json!("borrowed");
            input
        })],
        "pack.publish" => {
            vec![each("a tool", &|with| json!({ "name": "borrowed", "tools": [id(with, "tool")] }))]
        }
        "role.create" => {
            vec![each("a role", &|with| json!({ "name": with.name(), "actions": ["call.read"] }))]
        }
        "token.create" | "token.narrow" => vec![each("a pack", &|with| {
            let mut input = with.value("", &verb.example_input);
            input["packs"] = json!([{ "name": with.name(), "version": 1 }]);
            input
        })],
        "catalogue.call" => vec![
            each(
                "a slice",
                &|with| json!({ "address": "content.slice", "arguments": { "handle": id(with, "content") } }),
            ),
            each("dry", &|with| json!({ "address": with.address(), "dry_run": true })),
            each("a write", &|with| {
                let address = format!("{}/{}.ticket.create", with.place(), with.name());
                json!({ "address": address, "arguments": { "subject": "mine" } })
            }),
            each(
                "without place",
                &|with| json!({ "address": format!("{}.ticket.get", with.name()), "arguments": {} }),
            ),
            each("no arguments", &|with| json!({ "address": with.address(), "arguments": {} })),
        ],
        _ => Vec::new(),
    }
}
