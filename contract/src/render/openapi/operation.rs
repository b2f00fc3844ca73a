//! Owns how one verb becomes one operation.

use serde_json::{Map, Value, json};
use utoipa::openapi::path::{
    Operation, OperationBuilder, Parameter, ParameterBuilder, ParameterIn,
};
use utoipa::openapi::request_body::{RequestBody, RequestBodyBuilder};
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::{Content, ContentBuilder, Ref, Required, ResponseBuilder};

use super::component::{HELD, UNAVAILABLE, base_name, problems};
use super::{OPERATOR, TOKEN, link};
use crate::render::rest::{DRY_RUN, line};
use crate::schema::{bare, const_as_enum, first_sentence, one_line};
use crate::validate::takes;
use crate::verb::{Needs, Plane, Verb};
use crate::{Code, Effect, idempotency};

/// A parameter: its name, where it is, whether it must be there, what it is, its schema.
pub(in crate::render) struct Said<'a> {
    pub(in crate::render) name: &'a str,
    place: ParameterIn,
    required: bool,
    pub(in crate::render) about: String,
    pub(in crate::render) schema: Value,
}

/// The operation of `verb`, without what [`complete`] puts in.
pub(super) fn of(verb: &'static Verb) -> Operation {
    let scheme = match verb.needs {
        // An empty requirement: nothing is needed (OpenAPI 3.1, security requirement object).
        Needs::Anyone => SecurityRequirement::default(),
        Needs::Operator => SecurityRequirement::new(OPERATOR, Vec::<String>::new()),
        Needs::Caller | Needs::Action(_) => SecurityRequirement::new(TOKEN, Vec::<String>::new()),
    };
    let mut operation = OperationBuilder::new()
        .operation_id(Some(verb.name))
        .tag(verb.noun())
        .summary(Some(first_sentence(verb.about)))
        .description(Some(described(verb)))
        .security(scheme)
        .request_body(body(verb))
        .response("200", done(verb));
    for said in parameters(verb) {
        operation = operation.parameter(parameter(&said, verb));
    }
    if may_be_held(verb) {
        operation = operation.response("202", Ref::from_response_name(HELD));
    }
    for (status, name) in problems().filter(|(status, _)| can_answer(verb, *status)) {
        operation = operation.response(status.to_string(), Ref::from_response_name(name));
    }
    operation.response("503", Ref::from_response_name(UNAVAILABLE)).build()
}

/// Puts into the operation of `verb`, as JSON, what utoipa's types would change: the schemas of its
/// parameters, and the members that OpenAPI does not know (utoipa keeps those in no fixed order).
pub(super) fn complete(verb: &Verb, operation: &mut Map<String, Value>) {
    let written = operation.get_mut("parameters").and_then(Value::as_array_mut);
    for (parameter, said) in written.into_iter().flatten().zip(parameters(verb)) {
        if let Some(parameter) = parameter.as_object_mut() {
            parameter.insert("schema".to_owned(), said.schema);
        }
    }
    let needs = match verb.needs {
        Needs::Caller => "caller",
        Needs::Action(action) => action.as_str(),
        Needs::Operator => "operator",
        Needs::Anyone => "anyone",
    };
    let links = link::of(verb);
    if let Some(done) = operation
        .get_mut("responses")
        .and_then(|responses| responses.get_mut("200"))
        .and_then(Value::as_object_mut)
        .filter(|_| !links.is_empty())
    {
        done.insert("links".to_owned(), Value::Object(links));
    }
    let hints: Vec<_> = verb.hints.iter().map(|hint| hint.as_str()).collect();
    operation.insert("x-effect".to_owned(), verb.effect.as_str().into());
    operation.insert("x-needs".to_owned(), needs.into());
    operation.insert("x-hints".to_owned(), hints.into());
}

/// What the verb does, and its worked example as a request.
fn described(verb: &Verb) -> String {
    format!("{} Example: `{}`", one_line(verb.about), line(verb, &verb.example_input))
}

/// The body's schema: the input without what travels in the path; `None` if nothing is left for it.
pub(super) fn body_schema(verb: &Verb) -> Option<Value> {
    if !verb.method.has_body() {
        return None;
    }
    let mut schema = verb.input.clone();
    let map = schema.as_object_mut()?;
    for field in verb.path_fields() {
        map.get_mut("properties").and_then(Value::as_object_mut)?.shift_remove(field);
        if let Some(Value::Array(names)) = map.get_mut("required") {
            names.retain(|name| name != field);
        }
    }
    if map.get("required").and_then(Value::as_array).is_some_and(Vec::is_empty) {
        map.shift_remove("required");
    }
    Some(schema)
}

/// Whether the Gate rules on calls of this verb: on the data plane's own, and on an agent's writes to
/// the control plane.
pub(super) fn is_gated(verb: &Verb) -> bool {
    !matches!(verb.needs, Needs::Operator | Needs::Anyone)
        && (verb.plane == Plane::Data || verb.effect != Effect::Read)
}

/// Whether a call of this verb can wait for a person.
pub(in crate::render) fn may_be_held(verb: &Verb) -> bool {
    is_gated(verb) && verb.effect != Effect::Read
}

/// The codes that this verb can be refused with.
pub(in crate::render) fn codes(verb: &Verb) -> impl Iterator<Item = Code> {
    let of_transport = [Code::MethodNotAllowed, Code::NoSuchRoute];
    let answers =
        move |code: &Code| !of_transport.contains(code) && can_answer(verb, code.status());
    Code::ALL.iter().copied().filter(answers)
}

/// Whether this verb can be refused with this status.
fn can_answer(verb: &Verb, status: u16) -> bool {
    let codes = |code: Code| code.status() == status;
    let of_transport = [Code::MethodNotAllowed, Code::NoSuchRoute];
    let of_bodies = [Code::BodyTooLarge, Code::UnsupportedMediaType];
    if of_bodies.into_iter().any(codes) {
        return verb.method.has_body();
    }
    if Code::UpstreamFailed.status() == status {
        return verb.name == "catalogue.call";
    }
    Code::ALL.iter().any(|code| code.status() == status && !of_transport.contains(code))
}

fn parameters(verb: &Verb) -> Vec<Said<'_>> {
    let path: Vec<_> = verb.path_fields().collect();
    let fields = verb.input.get("properties").and_then(Value::as_object);
    let required = verb.input.get("required").and_then(Value::as_array);
    let mut said: Vec<_> = fields
        .into_iter()
        .flatten()
        .filter(|(name, _)| path.contains(&name.as_str()) || !verb.method.has_body())
        .map(|(name, schema)| of_field(name, schema, required, &path))
        .collect();
    said.extend(headers(verb));
    said
}

fn of_field<'a>(
    name: &'a str,
    schema: &Value,
    required: Option<&Vec<Value>>,
    path: &[&str],
) -> Said<'a> {
    let mut schema = bare(schema);
    const_as_enum(&mut schema);
    let in_path = path.contains(&name);
    Said {
        name,
        place: if in_path { ParameterIn::Path } else { ParameterIn::Query },
        required: in_path || required.is_some_and(|names| names.iter().any(|other| other == name)),
        about: schema.get("description").and_then(Value::as_str).map(one_line).unwrap_or_default(),
        schema,
    }
}

/// What a request can say beside the input.
pub(in crate::render) fn headers(verb: &Verb) -> Vec<Said<'static>> {
    let optional = |name, place, about: &str, schema| Said {
        name,
        place,
        required: false,
        about: about.to_owned(),
        schema,
    };
    let mut said = Vec::new();
    if is_gated(verb) {
        said.push(optional(
            "Bailiwick-Run",
            ParameterIn::Header,
            "The run the call belongs to; your default run if left out.",
            json!({ "type": "string", "pattern": "^run_[0-9a-f]{32}$" }),
        ));
    }
    if verb.field(DRY_RUN).is_none() {
        said.push(optional(
            DRY_RUN,
            ParameterIn::Query,
            "Only say what would happen.",
            json!({ "type": "boolean", "default": false }),
        ));
    }
    if verb.effect != Effect::Read {
        said.push(optional(
            "Idempotency-Key",
            ParameterIn::Header,
            "The same key is carried out once.",
            json!({
                "type": "string", "minLength": 1, "maxLength": idempotency::MAX_BYTES,
                "pattern": idempotency::PATTERN,
            }),
        ));
    }
    said
}

fn parameter(said: &Said<'_>, verb: &Verb) -> Parameter {
    let required = if said.required { Required::True } else { Required::False };
    let repeats = takes(&said.schema, "array");
    ParameterBuilder::new()
        .name(said.name)
        .parameter_in(said.place.clone())
        .required(required)
        .description(Some(&said.about))
        .explode(repeats.then_some(true))
        .example(verb.example_input.get(said.name).cloned())
        .build()
}

fn body(verb: &Verb) -> Option<RequestBody> {
    let schema = body_schema(verb)?;
    let mut example = verb.example_input.as_object().cloned().unwrap_or_default();
    for field in verb.path_fields() {
        example.shift_remove(field);
    }
    let required = if schema.get("required").is_some() { Required::True } else { Required::False };
    let content = content(&format!("{}Input", base_name(verb)), Value::Object(example));
    Some(
        RequestBodyBuilder::new()
            .required(Some(required))
            .content("application/json", content)
            .build(),
    )
}

fn done(verb: &Verb) -> utoipa::openapi::Response {
    let example = json!({ "result": verb.example_answer, "written": [], "hints": [] });
    let content = content(&format!("{}Answer", base_name(verb)), example);
    ResponseBuilder::new().description("Done.").content("application/json", content).build()
}

fn content(schema: &str, example: Value) -> Content {
    ContentBuilder::new().schema(Some(Ref::from_schema_name(schema))).example(Some(example)).build()
}
