//! Owns `catalogue.overview`, `place`, `search` and `describe`. Invariant: each shows exactly what
//! this caller could call at this moment; nothing is kept between two questions.

use std::collections::BTreeMap;
use std::sync::Arc;

use contract::verb::Registry;
use contract::verbs::catalogue as said;
use contract::{Address, Effect, Place, hint};
use serde_json::{Value, json};

use super::{Call, Sat, Seated};
use crate::catalogue::Target;
use crate::catalogue::index::{Server, Tool};
use crate::catalogue::resolve::{self, Resolved};

/// How many lines one place answers at the most.
const LINES_MAX: usize = 200;
/// How many places an overview names at the most.
const PLACES_MAX: usize = 200;

impl Call<'_, '_> {
    fn callable(&self, server: &Arc<Server>, tool: &Arc<Tool>) -> Option<Resolved> {
        let resolved = resolve::at(self.found.asking.caller, server, tool);
        resolve::callable(self.found.asking, &resolved).then_some(resolved)
    }
}

pub(super) fn overview(call: &Call<'_, '_>) -> Sat {
    let index = &call.found.world.index;
    let mut places = Vec::new();
    for scope in index.scopes() {
        let counts: Vec<usize> = index
            .at(scope)
            .map(|server| {
                server.tools.values().filter(|tool| call.callable(server, tool).is_some()).count()
            })
            .filter(|tools| *tools > 0)
            .collect();
        if !counts.is_empty() && places.len() < PLACES_MAX {
            places.push(said::PlaceCount {
                place: Place::of(scope),
                servers: counts.len(),
                tools: counts.iter().sum(),
            });
        }
    }
    let empty = places.is_empty();
    let overview = said::Overview {
        home: call.found.asking.caller.home().clone(),
        places,
        seats: seats(),
        not_answering: Vec::new(),
    };
    let sat = Sat::of(&overview);
    if empty {
        sat.hint(
            hint::Kind::NextStep,
            "You can call no server's tool yet: ask for a grant where the tools are, or for the \
             tools to be classified.",
        )
    } else {
        sat.hint(
            hint::Kind::NextStep,
            "Read a place with `catalogue_place`, or find a tool by words with `catalogue_search`.",
        )
    }
}

/// The seats that agents can reach, each with its tools.
fn seats() -> Vec<said::Seat> {
    let mut seats: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for verb in Registry::get().iter().filter(|verb| verb.on_mcp() && verb.noun() != "catalogue") {
        seats.entry(verb.noun()).or_default().push(verb.act().to_owned());
    }
    seats
        .into_iter()
        .filter_map(|(seat, tools)| Some(said::Seat { seat: seat.parse().ok()?, tools }))
        .collect()
}

pub(super) fn place(call: &Call<'_, '_>) -> Seated {
    let input: said::PlaceInput = call.input()?;
    let scope = input.place.scope(call.found.asking.caller.view().root());
    let mut lines = 0;
    let mut cut = false;
    let mut servers = Vec::new();
    for server in scope.iter().flat_map(|scope| call.found.world.index.at(scope)) {
        let mut tools: Vec<said::Line> = Vec::new();
        for tool in server.tools.values() {
            let Some(resolved) = call.callable(server, tool) else { continue };
            cut |= lines >= LINES_MAX;
            if lines < LINES_MAX {
                tools.push(line(&resolved));
                lines += 1;
            }
        }
        if !tools.is_empty() {
            servers.push(said::ServerLines {
                server: server.name.clone(),
                title: server.title.clone(),
                answering: true,
                tools,
            });
        }
    }
    let empty = servers.is_empty();
    let mut sat = Sat::of(&said::PlaceAnswer { place: input.place, servers });
    if empty {
        sat = sat.hint(
            hint::Kind::LookElsewhere,
            "There is nothing here that you can call. `catalogue_overview` names the places that have.",
        );
    }
    if cut {
        sat = sat.hint(
            hint::Kind::MoreFollows,
            format!("Only the first {LINES_MAX} tools are shown: find the others with `catalogue_search`."),
        );
    }
    Ok(sat)
}

fn line(resolved: &Resolved) -> said::Line {
    let about = match &resolved.target {
        Target::Tool(tool) => tool.version.as_ref().map_or("", |version| &version.declared.about),
        Target::Seat(verb) => verb.about,
    };
    let first = about.split_inclusive(". ").next().unwrap_or_default();
    said::Line {
        address: resolved.address.clone(),
        effect: resolved.effect,
        about: first.trim_end().chars().take(200).collect(),
    }
}

pub(super) fn search(call: &Call<'_, '_>) -> Seated {
    let input: said::SearchInput = call.input()?;
    let limit = usize::try_from(input.limit.unwrap_or(10)).unwrap_or(10);
    let root = call.found.asking.caller.view().root();
    // A place that is none of this identity's holds nothing, as one where nothing may be called.
    let at = input.place.as_ref().map(|place| place.scope(root));
    let may = |server: &Arc<Server>, tool: &Arc<Tool>| {
        at.as_ref().is_none_or(|scope| scope.as_ref() == Some(&server.scope))
            && call.callable(server, tool).is_some()
    };
    let found = call.found.world.index.search(&input.query, limit, may);
    let hits: Vec<said::Line> = found
        .iter()
        .filter_map(|(server, tool)| call.callable(server, tool))
        .map(|resolved| line(&resolved))
        .collect();
    let empty = hits.is_empty();
    let sat = Sat::of(&said::Found { hits });
    Ok(if empty {
        sat.hint(
            hint::Kind::LookElsewhere,
            "No tool that you can call matches. Try other words, or read a place with \
             `catalogue_place`; the platform's own tools are in `catalogue_overview`.",
        )
    } else {
        sat
    })
}

pub(super) fn describe(call: &Call<'_, '_>) -> Seated {
    let input: said::DescribeInput = call.input()?;
    let mut described = said::Described { tools: Vec::new(), not_found: Vec::new() };
    for address in input.addresses {
        match description(call, &address) {
            Some(description) => described.tools.push(description),
            None => described.not_found.push(address),
        }
    }
    Ok(Sat::of(&described))
}

fn description(call: &Call<'_, '_>, address: &Address) -> Option<said::Description> {
    let index = &call.found.world.index;
    let resolved = resolve::resolve(index, call.found.asking, address).ok()?;
    match &resolved.target {
        Target::Seat(verb) => Some(said::Description {
            address: resolved.address.clone(),
            about: verb.described(),
            effect: verb.effect,
            labels: contract::Labels::NONE,
            declaration: 0,
            input_schema: verb.input.clone(),
            output_schema: Some(verb.answer.clone()),
            limits: json!({}),
            example: json!({ "address": resolved.address, "arguments": verb.example_input }),
        }),
        Target::Tool(tool) if resolve::callable(call.found.asking, &resolved) => {
            let version = tool.version.as_ref()?;
            let endpoint = &version.declared.endpoint;
            let mut limits = json!({
                "timeout_ms": endpoint.timeout_ms,
                "response_limit_bytes": endpoint.response_limit_bytes,
            });
            if let (Some(rate), Some(members)) = (endpoint.rate_limit, limits.as_object_mut()) {
                members.insert("rate".to_owned(), json!(rate));
            }
            Some(said::Description {
                address: resolved.address.clone(),
                about: version.declared.about.clone(),
                effect: resolved.effect,
                labels: tool.classification.as_ref()?.labels,
                declaration: version.number,
                input_schema: version.input_schema.clone(),
                output_schema: endpoint.output_schema.clone(),
                limits,
                example: example(&resolved.address, resolved.effect, &version.input_schema),
            })
        }
        Target::Tool(_) => None,
    }
}

/// A call to start from: every required argument, with a value of its type.
fn example(address: &Address, effect: Effect, schema: &Value) -> Value {
    let required = schema.get("required").and_then(Value::as_array);
    let arguments: serde_json::Map<String, Value> = required
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(|name| {
            let field = schema.get("properties").and_then(|fields| fields.get(name));
            (name.to_owned(), field.map_or(Value::Null, sample))
        })
        .collect();
    let mut call = json!({ "address": address, "arguments": arguments });
    if effect != Effect::Read
        && let Some(members) = call.as_object_mut()
    {
        members.insert("dry_run".to_owned(), Value::Bool(true));
    }
    call
}

fn sample(schema: &Value) -> Value {
    let given = schema
        .get("examples")
        .and_then(|examples| examples.get(0))
        .or_else(|| schema.get("default"))
        .or_else(|| schema.get("const"))
        .or_else(|| schema.get("enum").and_then(|values| values.get(0)));
    if let Some(given) = given {
        return given.clone();
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or_else(|| json!(1)),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => json!({}),
        _ => json!("…"),
    }
}
