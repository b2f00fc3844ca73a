//! Owns the parts that operations share: schemas by name, and one response for each status of a
//! refusal. Invariant: the statuses are those of the closed list of codes.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{
    ComponentsBuilder, ContentBuilder, HeaderBuilder, Ref, Response, ResponseBuilder,
};

use super::operation::{body_schema, is_gated};
use crate::envelope::{DryRun, Held, Unavailable, Written};
use crate::hint::Hint;
use crate::schema::{const_as_enum, of_answer, open_objects};
use crate::verb::{Registry, Verb};
use crate::{Code, Refusal};

/// The response of a call that waits for a person.
pub(super) const HELD: &str = "Held";
/// The response of a call that could not be decided now.
pub(super) const UNAVAILABLE: &str = "Unavailable";

/// `credential-grant.create` becomes `CredentialGrantCreate`.
pub(super) fn base_name(verb: &Verb) -> String {
    let words = verb.name.split(['.', '-', '_']);
    words
        .flat_map(|word| {
            let mut letters = word.chars();
            let first = letters.next().map(|letter| letter.to_ascii_uppercase());
            first.into_iter().chain(letters)
        })
        .collect()
}

/// The statuses of refusals, each with the name of its response.
pub(super) fn problems() -> impl Iterator<Item = (u16, &'static str)> {
    let statuses: BTreeSet<u16> = Code::ALL.iter().map(|code| code.status()).collect();
    statuses.into_iter().map(|status| (status, problem_name(status)))
}

const fn problem_name(status: u16) -> &'static str {
    match status {
        400 => "Malformed",
        401 => "Unauthenticated",
        403 => "Forbidden",
        404 => "NotFound",
        405 => "MethodNotAllowed",
        409 => "Conflict",
        413 => "TooLarge",
        415 => "UnsupportedMediaType",
        422 => "Invalid",
        424 => "UpstreamFailed",
        429 => "TooManyCalls",
        _ => "Refused",
    }
}

/// Every schema that the document names.
pub(super) fn schemas(registry: &Registry) -> Map<String, Value> {
    let mut schemas = Map::new();
    let mut put = |name: &str, mut schema: Value| {
        const_as_enum(&mut schema);
        open_objects(&mut schema);
        schemas.insert(name.to_owned(), schema);
    };
    put("Written", of_answer::<Written>());
    put("Hint", of_answer::<Hint>());
    put("Refusal", of_answer::<Refusal>());
    put("Problem", problem());
    put("Held", wrapped("held", &of_answer::<Held>()));
    put("Unavailable", unavailable());
    put("DryRun", of_answer::<DryRun>());
    for verb in registry.iter() {
        let name = base_name(verb);
        put(&format!("{name}Result"), verb.answer.clone());
        put(&format!("{name}Answer"), answer(verb));
        if let Some(body) = body_schema(verb) {
            put(&format!("{name}Input"), body);
        }
    }
    schemas
}

/// Puts the shared responses in.
pub(super) fn responses(components: ComponentsBuilder) -> ComponentsBuilder {
    let held = response("The call waits for a person.", "application/json", "Held");
    let unavailable = response("Not now; try again.", "application/json", "Unavailable");
    let components =
        components.response(HELD, held).response(UNAVAILABLE, retry_after(unavailable));
    problems().fold(components, |components, (status, name)| {
        let codes = Code::ALL.iter().filter(|code| code.status() == status);
        let codes: Vec<_> = codes.map(|code| format!("`{}`", code.as_str())).collect();
        let about = format!("Refused: {}.", codes.join(", "));
        let response = response(&about, "application/problem+json", "Problem");
        let waits = Code::RateLimited.status() == status;
        components.response(name, if waits { retry_after(response) } else { response })
    })
}

fn response(about: &str, media_type: &str, schema: &str) -> Response {
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name(schema))).build();
    ResponseBuilder::new().description(about).content(media_type, content).build()
}

fn retry_after(mut response: Response) -> Response {
    let seconds = ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(0));
    let header = HeaderBuilder::new()
        .schema(Some(seconds))
        .description(Some("When to try again, in seconds."))
        .build();
    response.headers.insert("Retry-After".to_owned(), header.into());
    response
}

fn answer(verb: &Verb) -> Value {
    let mut result = reference(&format!("{}Result", base_name(verb)));
    if is_gated(verb) {
        result = json!({ "anyOf": [result, reference("DryRun")] });
    }
    json!({
        "type": "object",
        "properties": {
            "result": result,
            "written": {
                "type": "array",
                "items": reference("Written"),
                "description": "Every object the call changed, with its new version."
            },
            "hints": {
                "type": "array",
                "items": reference("Hint"),
                "description": "What the answer teaches."
            }
        },
        "required": ["result", "written", "hints"]
    })
}

fn problem() -> Value {
    json!({
        "type": "object",
        "description": "A refusal, with the members of RFC 9457.",
        "properties": {
            "type": { "type": "string", "format": "uri", "description": "The code, as a URN." },
            "title": { "type": "string", "description": "The code, in a few words." },
            "status": { "type": "integer", "description": "The HTTP status." },
            "detail": { "type": "string", "description": "What happened, in a sentence." },
            "refusal": reference("Refusal")
        },
        "required": ["type", "title", "status", "detail", "refusal"]
    })
}

fn unavailable() -> Value {
    let mut schema = wrapped("unavailable", &of_answer::<Unavailable>());
    if let Some(fields) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        let retryable =
            json!({ "type": "boolean", "description": "Always true: nothing was decided." });
        fields.insert("retryable".to_owned(), retryable);
    }
    schema
}

fn wrapped(member: &str, schema: &Value) -> Value {
    json!({ "type": "object", "properties": { member: schema }, "required": [member] })
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}
