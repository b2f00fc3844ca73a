//! Owns the MCP surface: tools, the five that are announced, the flat names, and the instructions.
//! Invariant: what is announced has one size, whatever the size of the catalogue.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::schema::{bare, open_objects};
use crate::verb::{Registry, Verb};
use crate::{Address, Effect, Place};

/// The verbs whose tools are announced, in this order.
pub const ANNOUNCED: [&str; 5] = [
    "catalogue.overview",
    "catalogue.place",
    "catalogue.search",
    "catalogue.describe",
    "catalogue.call",
];

/// The most bytes that the announced tools take as JSON.
pub const ANNOUNCED_MAX_BYTES: usize = 4096;
/// The most bytes that the instructions take.
pub const INSTRUCTIONS_MAX_BYTES: usize = 2048;
/// The most characters of a tool's name, among `[a-zA-Z0-9_-]`.
pub const NAME_MAX_CHARS: usize = 64;

/// How many characters of a flat name come from the hash: 5 bits each.
const HASH_CHARS: usize = 12;

static BY_NAME: LazyLock<BTreeMap<String, &'static Verb>> = LazyLock::new(|| {
    Registry::get().iter().filter(|verb| verb.on_mcp()).map(|verb| (name(verb), verb)).collect()
});

/// The tool's name: `catalogue_search`. Some clients and model interfaces take neither dots nor
/// hyphens.
pub fn name(verb: &Verb) -> String {
    plain(verb.name)
}

/// The verb whose tool has this name, if it is on MCP.
pub fn find(name: &str) -> Option<&'static Verb> {
    BY_NAME.get(name).copied()
}

/// The verb as an MCP tool. Its description ends in its worked example.
pub fn tool(verb: &Verb) -> Value {
    let mut tool = described(verb);
    tool.insert("outputSchema".to_owned(), output_schema(verb));
    tool.insert("annotations".to_owned(), annotations(verb));
    Value::Object(tool)
}

/// The five announced tools. They have no `outputSchema`: it would take more of a model's attention
/// than all the rest, and the instructions say what an answer looks like.
pub fn announced() -> Vec<Value> {
    let verbs = ANNOUNCED.iter().filter_map(|name| Registry::get().verb(name));
    verbs
        .map(|verb| {
            let mut tool = described(verb);
            tool.insert("annotations".to_owned(), annotations(verb));
            Value::Object(tool)
        })
        .collect()
}

/// All that the MCP surface says of itself, as it is committed: the instructions, which tools are
/// announced, and every tool.
pub fn document() -> Value {
    let announced: Vec<_> =
        ANNOUNCED.iter().filter_map(|name| Registry::get().verb(name)).map(name).collect();
    let tools: Vec<_> = BY_NAME.values().map(|verb| tool(verb)).collect();
    json!({ "instructions": instructions(), "announced": announced, "tools": tools })
}

/// What the handshake says the service is for and how to use it.
pub fn instructions() -> &'static str {
    include_str!("mcp/instructions.md").trim_ascii()
}

/// The name of a tool in the flat catalogue: what can be read of its address, and a hash of the
/// whole address (60 bits of its SHA-256), since names are cut and addresses are not.
pub fn flat_name(address: &Address) -> String {
    let place = match &address.place {
        None => String::new(),
        Some(Place::Identity) => "_at_identity".to_owned(),
        Some(place @ (Place::Group(_) | Place::Project(..) | Place::Node(_))) => {
            format!("_at_{place}")
        }
    };
    let readable = plain(&format!("{}_{}{place}", address.server, address.tool));
    let kept: String = readable.chars().take(NAME_MAX_CHARS - HASH_CHARS - 1).collect();
    let digest = Sha256::digest(address.to_string().as_bytes());
    let bits = digest.iter().take(8).fold(0_u64, |bits, byte| (bits << 8) | u64::from(*byte));
    let hash: String = (0..HASH_CHARS).map(|index| base32(bits >> (5 * index))).collect();
    format!("{kept}_{hash}")
}

fn base32(bits: u64) -> char {
    let index = u8::try_from(bits & 31).unwrap_or_default();
    char::from(if index < 26 { b'a' + index } else { b'2' + index - 26 })
}

fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

fn described(verb: &Verb) -> Map<String, Value> {
    let mut tool = Map::new();
    tool.insert("name".to_owned(), name(verb).into());
    tool.insert("title".to_owned(), title(verb).into());
    tool.insert("description".to_owned(), verb.described().into());
    tool.insert("inputSchema".to_owned(), input_schema(verb));
    tool
}

/// `credential-grant.create` becomes `Credential grant: create`.
fn title(verb: &Verb) -> String {
    let noun = verb.noun().replace('-', " ");
    let mut letters = noun.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    let noun: String = first.into_iter().chain(letters).collect();
    format!("{noun}: {}", verb.act().replace('_', " "))
}

/// The input's schema without what only costs attention: the words on the whole (the description
/// says more), and `null` where a field can be left out.
fn input_schema(verb: &Verb) -> Value {
    let mut schema = verb.input.clone();
    open_objects(&mut schema);
    if let Some(map) = schema.as_object_mut() {
        map.shift_remove("description");
        let fields = map.entry("properties").or_insert_with(|| json!({}));
        for field in fields.as_object_mut().into_iter().flat_map(Map::values_mut) {
            *field = bare(field);
        }
    }
    schema
}

/// The four answers as one object: which of the four is there tells them apart.
fn output_schema(verb: &Verb) -> Value {
    let mut result = verb.answer.clone();
    open_objects(&mut result);
    json!({
        "type": "object",
        "properties": {
            "result": result,
            "written": { "type": "array", "items": { "type": "object" } },
            "hints": { "type": "array", "items": { "type": "object" } },
            "held": { "type": "object" },
            "refusal": { "type": "object" },
            "unavailable": { "type": "object" }
        },
        "oneOf": [
            { "required": ["result"] }, { "required": ["held"] },
            { "required": ["refusal"] }, { "required": ["unavailable"] }
        ]
    })
}

/// What the verb's effect says to a client that has only hints to go by. `catalogue.call` may reach
/// any tool, and so says the worst.
fn annotations(verb: &Verb) -> Value {
    let reaches_out = verb.name == "catalogue.call";
    let reads = verb.effect == Effect::Read;
    json!({
        "readOnlyHint": reads,
        "destructiveHint": reaches_out || matches!(verb.effect, Effect::Destructive | Effect::Financial),
        "idempotentHint": reads,
        "openWorldHint": reaches_out
    })
}

#[cfg(test)]
mod tests;
