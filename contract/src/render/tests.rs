//! That the three surfaces say the same of every input, read from what is rendered: the MCP tool, the
//! OpenAPI document, and the clap commands.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::{cli, mcp, openapi, rest};
use crate::verb::{Registry, Verb};

/// An input as a surface shows it: its fields, each with its schema and whether it must be there.
type Fields = BTreeMap<String, (Value, bool)>;

/// The schema with what may differ between surfaces taken away: how one value is written, whether
/// leaving out can be said as `null`, and line breaks.
fn normal(schema: &Value) -> Value {
    let Some(map) = schema.as_object() else {
        return if *schema == json!(true) { json!({}) } else { schema.clone() };
    };
    if let Some(branches) = map.get("anyOf").and_then(Value::as_array) {
        let kept: Vec<_> = branches.iter().filter(|branch| branch["type"] != "null").collect();
        if let ([Value::Object(only)], true) = (
            kept.iter().map(|one| (*one).clone()).collect::<Vec<_>>().as_slice(),
            kept.len() < branches.len(),
        ) {
            let mut merged = only.clone();
            merged.extend(
                map.iter()
                    .filter(|(key, _)| *key != "anyOf")
                    .map(|(key, value)| (key.clone(), value.clone())),
            );
            return normal(&Value::Object(merged));
        }
    }
    let mut out = Map::new();
    for (key, value) in map {
        let value = match (key.as_str(), value) {
            ("type", Value::Array(types)) => {
                let types: Vec<_> = types.iter().filter(|kind| **kind != "null").collect();
                if let [only] = types.as_slice() { (*only).clone() } else { json!(types) }
            }
            ("const", value) => json!([value]),
            ("description", Value::String(text)) => {
                text.split_whitespace().collect::<Vec<_>>().join(" ").into()
            }
            ("properties", Value::Object(fields)) => fields
                .iter()
                .map(|(name, field)| (name.clone(), normal(field)))
                .collect::<Map<_, _>>()
                .into(),
            ("items" | "additionalProperties", schema) => normal(schema),
            ("oneOf" | "anyOf", Value::Array(branches)) => branches.iter().map(normal).collect(),
            ("required", Value::Array(names)) => names
                .iter()
                .filter_map(Value::as_str)
                .collect::<BTreeSet<_>>()
                .into_iter()
                .collect(),
            (_, value) => value.clone(),
        };
        out.insert(if key == "const" { "enum".to_owned() } else { key.clone() }, value);
    }
    Value::Object(out)
}

fn of_object(schema: &Value) -> Fields {
    let schema = normal(schema);
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let fields = schema["properties"].as_object().cloned().unwrap_or_default();
    fields
        .into_iter()
        .map(|(name, field)| (name.clone(), (field, required.contains(&json!(name)))))
        .collect()
}

fn on_mcp(verb: &Verb) -> Fields {
    of_object(&mcp::tool(verb)["inputSchema"])
}

fn on_rest(document: &Value, verb: &Verb) -> Fields {
    let operation = &document["paths"][verb.path][verb.method.as_str().to_ascii_lowercase()];
    let mut fields = Fields::new();
    for said in operation["parameters"].as_array().into_iter().flatten() {
        let name = said["name"].as_str().expect("a name");
        let of_request =
            said["in"] == "header" || (name == "dry_run" && verb.field(name).is_none());
        if !of_request {
            assert_eq!(
                said["description"],
                normal(&said["schema"])["description"],
                "{} {name}",
                verb.name
            );
            let required = said["required"] == json!(true);
            fields.insert(name.to_owned(), (normal(&said["schema"]), required));
        }
    }
    if let Some(reference) =
        operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].as_str()
    {
        let schema = document.pointer(reference.trim_start_matches('#')).expect(reference);
        assert_eq!(
            operation["requestBody"]["required"],
            schema.get("required").is_some(),
            "{}",
            verb.name
        );
        assert_eq!(schema["additionalProperties"], json!(false), "{}", verb.name);
        fields.extend(of_object(schema));
    }
    fields
}

#[test]
fn mcp_and_rest_take_the_same_inputs() {
    let document = openapi::document().expect("can be written");
    for verb in Registry::get().iter() {
        let (mcp, rest) = (on_mcp(verb), on_rest(&document, verb));
        assert_eq!(
            mcp.keys().collect::<Vec<_>>(),
            rest.keys().collect::<Vec<_>>(),
            "{}",
            verb.name
        );
        for (name, said) in &mcp {
            assert_eq!(said, &rest[name], "{} {name}", verb.name);
        }
        let declared = verb.input["properties"].as_object().map_or(0, Map::len);
        assert_eq!(mcp.len(), declared, "{}", verb.name);
    }
}

/// A field that a command line can say by itself, as the schema shows it.
#[derive(Debug, Default)]
struct Leaf {
    /// What each variant says of it.
    schemas: Vec<Value>,
    /// Whether every input has it; whether every object has it that could.
    always: bool,
    with_others: bool,
    /// The descriptions of the objects around it.
    around: BTreeSet<String>,
}

fn branches(schema: &Value) -> Vec<&Value> {
    if schema["properties"].as_object().is_some_and(|fields| !fields.is_empty()) {
        return vec![schema];
    }
    let all = schema["oneOf"].as_array().map(Vec::as_slice).unwrap_or_default();
    let objects: Vec<_> = all.iter().filter(|one| one["properties"].is_object()).collect();
    if objects.len() == all.len() { objects } else { Vec::new() }
}

fn leaves(
    path: &str,
    schema: &Value,
    always: bool,
    needed: bool,
    around: &BTreeSet<String>,
    out: &mut BTreeMap<String, Leaf>,
) {
    let branches = branches(schema);
    if branches.is_empty() || path.split('.').count() >= 4 {
        let first = Leaf { always: true, with_others: true, ..Leaf::default() };
        let leaf = out.entry(path.to_owned()).or_insert(first);
        leaf.schemas.push(schema.clone());
        leaf.always &= always;
        leaf.with_others &= needed;
        leaf.around.extend(around.iter().cloned());
        return;
    }
    let mut around = around.clone();
    around.extend(schema["description"].as_str().map(str::to_owned));
    for branch in &branches {
        for (name, field) in branch["properties"].as_object().expect("fields") {
            let needed =
                branch["required"].as_array().is_some_and(|names| names.contains(&json!(name)));
            let everywhere = branches.iter().all(|one| one["properties"].get(name).is_some());
            leaves(
                &format!("{path}.{name}"),
                field,
                always && needed && everywhere,
                needed,
                &around,
                out,
            );
        }
    }
}

/// What help says of a limit, as keyword and value.
fn keyword(fact: &str, of_items: bool) -> Option<(String, String)> {
    let fact = if of_items { fact.strip_prefix("each ")? } else { fact };
    let plain = [("default: ", "default"), ("form: ", "format"), ("pattern: ", "pattern")];
    for (word, key) in plain {
        if let Some(value) = fact.strip_prefix(word) {
            return Some((key.to_owned(), value.to_owned()));
        }
    }
    if let Some((key, value)) = fact.split_once(": ").filter(|(key, _)| !key.contains(' ')) {
        return Some((key.to_owned(), value.to_owned()));
    }
    if fact == "none twice" {
        return Some(("uniqueItems".to_owned(), "true".to_owned()));
    }
    let at_least = fact.strip_prefix("at least ").map(|rest| ("min", rest));
    let (end, rest) = at_least.or_else(|| Some(("max", fact.strip_prefix("at most ")?)))?;
    let (number, what) = rest.split_once(' ').unwrap_or((rest, ""));
    let key = match what {
        "" => format!("{end}imum"),
        "characters" => format!("{end}Length"),
        "of them" => format!("{end}Items"),
        _ => return None,
    };
    Some((key, number.to_owned()))
}

fn limits(schema: &Value) -> BTreeSet<(String, String)> {
    let not_limits = [
        "type",
        "description",
        "properties",
        "required",
        "items",
        "additionalProperties",
        "oneOf",
        "anyOf",
        "enum",
    ];
    let map = schema.as_object().expect("a schema");
    map.iter()
        .filter(|(key, _)| !not_limits.contains(&key.as_str()))
        .map(|(key, value)| {
            (key.clone(), value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        })
        .collect()
}

/// The values of a closed list, with what each means.
fn listed(schema: &Value) -> BTreeSet<(String, Option<String>)> {
    if let Some(values) = schema["enum"].as_array() {
        let about = schema["description"].as_str().filter(|_| values.len() == 1).map(str::to_owned);
        return values
            .iter()
            .map(|value| (value.as_str().expect("a text").to_owned(), about.clone()))
            .collect();
    }
    let branches = schema["oneOf"].as_array().cloned().unwrap_or_default();
    branches.iter().flat_map(listed).collect()
}

fn check_flag(at: &str, leaf: &Leaf, arg: &clap::Arg) {
    let help = arg.get_long_help().expect("help").to_string();
    let said = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for text in leaf
        .schemas
        .iter()
        .filter_map(|schema| schema["description"].as_str())
        .chain(leaf.around.iter().map(String::as_str))
    {
        assert!(said.contains(text), "{at}: {text:?} is not in {help}");
    }
    let heading = if leaf.always { cli::REQUIRED } else { cli::OPTIONAL };
    assert_eq!(arg.get_help_heading(), Some(heading), "{at}");
    assert_eq!(help.contains("needed beside"), leaf.with_others && !leaf.always, "{at}: {help}");
    let facts: Vec<&str> =
        help.lines().filter_map(|line| line.strip_prefix('[')?.strip_suffix(']')).collect();
    let told: BTreeSet<_> = facts.iter().filter_map(|fact| keyword(fact, false)).collect();
    assert_eq!(told, leaf.schemas.iter().flat_map(limits).collect(), "{at}: {help}");
    let items: Vec<&Value> = leaf.schemas.iter().filter_map(|schema| schema.get("items")).collect();
    let single = items.iter().filter(|item| item["type"] != "object" && item["type"] != "array");
    let told: BTreeSet<_> = facts.iter().filter_map(|fact| keyword(fact, true)).collect();
    assert_eq!(told, single.flat_map(|item| limits(item)).collect(), "{at}: {help}");
    let values: BTreeSet<_> = arg
        .get_possible_values()
        .iter()
        .map(|value| (value.get_name().to_owned(), value.get_help().map(ToString::to_string)))
        .collect();
    let boolean = leaf.schemas.iter().any(|schema| schema["type"] == "boolean");
    let truth = ["true", "false"].map(|value| (value.to_owned(), None));
    let expected: BTreeSet<_> = if boolean {
        truth.into_iter().collect()
    } else {
        leaf.schemas.iter().chain(items).flat_map(listed).collect()
    };
    let names = |all: &BTreeSet<(String, Option<String>)>| {
        all.iter().map(|(name, _)| name.clone()).collect::<BTreeSet<_>>()
    };
    assert_eq!(names(&values), names(&expected), "{at}");
    for (value, about) in expected.iter().filter(|(_, about)| about.is_some()) {
        assert!(values.contains(&(value.clone(), about.clone())), "{at} {value}");
    }
}

#[test]
fn the_command_line_takes_the_same_inputs() {
    let program = cli::command(clap::Command::new("bailiwick"));
    for verb in Registry::get().iter() {
        let command =
            program.find_subcommand(verb.noun()).and_then(|noun| noun.find_subcommand(verb.act()));
        let command = command.expect(verb.name);
        let schema: Value = serde_json::from_str(&cli::schema(verb)).expect("JSON");
        assert_eq!(schema, verb.input, "{}", verb.name);
        let mut expected = BTreeMap::new();
        for (name, (schema, required)) in on_mcp(verb) {
            leaves(&name, &schema, required, required, &BTreeSet::new(), &mut expected);
        }
        let mut flags: BTreeMap<String, &clap::Arg> = BTreeMap::new();
        for arg in command.get_arguments() {
            let id = arg.get_id().as_str();
            if let Some(field) = id.strip_prefix("field:") {
                flags.insert(field.to_owned(), arg);
                let long = field.replace(['.', '_'], "-");
                let said = arg.get_long().expect("a flag");
                assert!(
                    said == long || said == format!("of-{long}"),
                    "{} {field}: --{said}",
                    verb.name
                );
            } else {
                let field = id.strip_prefix("place:").or_else(|| id.strip_prefix("file:"));
                let known = field.is_some_and(|field| expected.contains_key(field));
                assert!(known || ["input", "schema"].contains(&id), "{} {id}", verb.name);
            }
        }
        if verb.name == "catalogue.call" {
            for field in ["run", "dry_run", "idempotency_key"] {
                assert!(expected.remove(field).is_some() && !flags.contains_key(field));
            }
        }
        assert_eq!(
            flags.keys().collect::<Vec<_>>(),
            expected.keys().collect::<Vec<_>>(),
            "{}",
            verb.name
        );
        for (field, leaf) in &expected {
            check_flag(&format!("{} {field}", verb.name), leaf, flags[field]);
        }
    }
}

#[test]
fn the_three_surfaces_say_the_same_of_every_verb() {
    let document = openapi::document().expect("can be written");
    let program = cli::command(clap::Command::new("bailiwick"));
    for verb in Registry::get().iter() {
        let tool = mcp::tool(verb);
        let operation = &document["paths"][verb.path][verb.method.as_str().to_ascii_lowercase()];
        let command =
            program.find_subcommand(verb.noun()).and_then(|noun| noun.find_subcommand(verb.act()));
        let command = command.expect(verb.name);
        let about = command.get_long_about().expect("words").to_string();
        let ends = |text: &Value, example: &str| {
            let text = text.as_str().expect("a text");
            assert_eq!(text, format!("{about} Example: {example}"), "{}", verb.name);
        };
        ends(&tool["description"], &verb.example_input.to_string());
        ends(&operation["description"], &format!("`{}`", rest::line(verb, &verb.example_input)));
        let help = command.clone().render_long_help().to_string();
        assert!(help.trim_end().ends_with(&cli::example(verb)), "{help}");
        let summary = command.get_about().expect("words").to_string();
        assert_eq!(operation["summary"], summary, "{}", verb.name);
        assert!(about.starts_with(&summary), "{summary}");
    }
}
