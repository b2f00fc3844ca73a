//! From what was sent to what may be built upon: every rule of a declaration, all faults together.
//!
//! The invariant: a [`Validated`] exists only for a declaration without a fault, and nothing else
//! can make one.

mod arguments;
mod schema;
mod server;
mod template;

use std::time::Duration;

use jsonschema::Validator;
use serde_json::Value;

pub use server::Target;
pub use template::Segment;

use super::super::fault::{Fault, Faults};
use super::super::header_rule;
use super::clean::{CleanValue, Rule};
use super::{Endpoint, Method, Policy, Server};
use crate::Address;

const MAX_TIMEOUT_MS: u64 = 120_000;
const MAX_RESPONSE_BYTES: u64 = 64 << 20;
const MAX_RATIO: u64 = 1_000;
const MAX_WINDOW_SECONDS: u32 = 31 * 86_400;

/// A declaration without a fault, ready to be called.
#[derive(Debug)]
pub struct Validated {
    target: Target,
    endpoint: Endpoint,
    segments: Vec<Segment>,
    checks: Vec<Validator>,
    output: Option<Validator>,
    clean: Vec<Rule>,
}

impl Validated {
    /// The upstream, and how to speak to it.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// The declaration.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Milliseconds for connecting, headers and body together, as a duration.
    pub fn timeout(&self) -> Duration {
        Duration::from_millis(self.endpoint.timeout_ms)
    }

    /// The path, segment by segment.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The compiled schema of each argument, in declared order.
    pub fn checks(&self) -> &[Validator] {
        &self.checks
    }

    /// What is wrong with an answer by the declared output schema; nothing where none is declared.
    /// The texts name places and rules, never values.
    pub fn check_output(&self, answer: &Value) -> Vec<Fault> {
        let mut faults = Faults::default();
        for error in self.output.iter().flat_map(|output| output.iter_errors(answer)).take(8) {
            faults.add(
                error.instance_path().to_string(),
                error.masked().to_string(),
                "publish a declaration whose output schema fits what the upstream answers",
            );
        }
        faults.into_vec()
    }

    /// The values of an answer that carry no taint of the text around them.
    pub fn clean_values(&self, answer: &Value) -> Vec<CleanValue> {
        let mut found = Vec::new();
        for rule in &self.clean {
            rule.collect(answer, &mut found);
        }
        found
    }
}

/// Checks a server and one endpoint of it.
///
/// # Errors
///
/// Every [`Fault`] of both, each with a JSON pointer that starts with `/server` or `/endpoint`.
pub fn validate(
    server: &Server,
    endpoint: &Endpoint,
    policy: &Policy,
) -> Result<Validated, Vec<Fault>> {
    let mut faults = Faults::default();
    let target = server::check(server, policy, &mut faults);
    let segments = template::check(endpoint, &mut faults);
    let checks = arguments::check(endpoint, server, &mut faults);
    limits(endpoint, &mut faults);
    media_types(endpoint, &mut faults);
    idempotency(endpoint, server, &mut faults);
    lookup(endpoint, &mut faults);
    let output = output(endpoint, &mut faults);
    let clean = clean(endpoint, &mut faults);
    let faults = faults.into_vec();
    match target {
        Some(target) if faults.is_empty() => {
            Ok(Validated { target, endpoint: endpoint.clone(), segments, checks, output, clean })
        }
        Some(_) | None => Err(faults),
    }
}

/// Checks a server alone, as when it is declared before its tools.
///
/// # Errors
///
/// Every [`Fault`] of it, each with a JSON pointer that starts with `/server`.
pub fn validate_server(server: &Server, policy: &Policy) -> Result<Target, Vec<Fault>> {
    let mut faults = Faults::default();
    match server::check(server, policy, &mut faults) {
        Some(target) => faults.none_or(target),
        None => Err(faults.into_vec()),
    }
}

fn limits(endpoint: &Endpoint, faults: &mut Faults) {
    let mut within = |field: &str, value: u64, max: u64| {
        if value == 0 || value > max {
            let say = format!("{value} is out of range");
            faults.add(format!("/endpoint/{field}"), say, format!("use 1 to {max}"));
        }
    };
    within("timeout_ms", endpoint.timeout_ms, MAX_TIMEOUT_MS);
    within("response_limit_bytes", endpoint.response_limit_bytes, MAX_RESPONSE_BYTES);
    within("max_ratio", endpoint.max_ratio, MAX_RATIO);
    if let Some(rate) = endpoint.rate_limit {
        within("rate_limit/calls", rate.calls.into(), 1_000_000);
        within("rate_limit/per_seconds", rate.per_seconds.into(), 86_400);
    }
    if let Some(idempotency) = &endpoint.idempotency {
        let window = idempotency.window_seconds.into();
        within("idempotency/window_seconds", window, MAX_WINDOW_SECONDS.into());
    }
}

fn media_types(endpoint: &Endpoint, faults: &mut Faults) {
    let types = &endpoint.media_types;
    if types.len() > 16 || (types.is_empty() && endpoint.method != Method::Head) {
        let say = format!("{} media types are declared", types.len());
        faults.add("/endpoint/media_types", say, "name 1 to 16 media types");
    }
    for (index, text) in types.iter().enumerate() {
        let token = |part: &str| {
            !part.is_empty()
                && part.bytes().all(|byte| {
                    byte.is_ascii_lowercase()
                        || byte.is_ascii_digit()
                        || b"!#$&^_.+-".contains(&byte)
                })
        };
        let well = text.len() <= 127
            && text.split_once('/').is_some_and(|(kind, subtype)| token(kind) && token(subtype));
        if !well {
            faults.add(
                format!("/endpoint/media_types/{index}"),
                "it is not a media type in lower case without parameters",
                "write it as in `application/json`",
            );
        }
    }
}

fn idempotency(endpoint: &Endpoint, server: &Server, faults: &mut Faults) {
    let header = endpoint.idempotency.as_ref().and_then(|one| one.upstream_header.as_deref());
    let Some(header) = header else { return };
    let field = "/endpoint/idempotency/upstream_header";
    if let Err(refused) = header_rule::name(header) {
        faults.add(field, refused.to_string(), "name the header the upstream documents");
    } else if server::sets_header(server, header) {
        faults.add(field, "the server sets this header already", "name another header");
    }
}

fn lookup(endpoint: &Endpoint, faults: &mut Faults) {
    let Some(lookup) = &endpoint.lookup else {
        return;
    };
    if lookup.address.parse::<Address>().is_err() {
        faults.add(
            "/endpoint/lookup/address",
            "it is not the address of a tool",
            "write it as in `orders.find_by_reference` or `shop/orders.find_by_reference`",
        );
    }
    if lookup.absent_statuses.len() > 8
        || lookup.arguments.len() > 64
        || !(1..=86_400).contains(&lookup.settles_seconds)
    {
        faults.add(
            "/endpoint/lookup",
            "it is not of the size that a look-up may have",
            "use up to 64 arguments, 8 statuses, and 1 to 86400 seconds",
        );
    }
    for (at, status) in lookup.absent_statuses.iter().enumerate() {
        if !(400..=499).contains(status) {
            faults.add(
                format!("/endpoint/lookup/absent_statuses/{at}"),
                "it is not a status with which an upstream refuses",
                "name a status from 400 to 499, as in 404",
            );
        }
    }
    if !(lookup.done.is_empty() || lookup.done.starts_with('/')) {
        let say = "it is not a JSON pointer";
        faults.add("/endpoint/lookup/done", say, "start it with a slash, as in `/items`");
    }
    for (name, pointer) in &lookup.arguments {
        let first = pointer.strip_prefix('/').and_then(|rest| rest.split('/').next());
        let declared = endpoint.arguments.iter().find(|one| Some(one.name.as_str()) == first);
        let say = match declared {
            None => "it does not point at an argument of this endpoint",
            Some(argument) if !argument.required => "it points at an argument that may be left out",
            Some(_) => continue,
        };
        faults.add(
            format!("/endpoint/lookup/arguments/{name}"),
            say,
            "write a JSON pointer to a required argument, as in `/reference`",
        );
    }
}

fn output(endpoint: &Endpoint, faults: &mut Faults) -> Option<Validator> {
    let declared = endpoint.output_schema.as_ref()?;
    match schema::compile(declared, schema::References::Local) {
        Ok(validator) => Some(validator),
        Err(unfit) => {
            let fix = "write a JSON Schema (2020-12) that refers to nothing outside itself";
            faults.add("/endpoint/output_schema", unfit.to_string(), fix);
            None
        }
    }
}

fn clean(endpoint: &Endpoint, faults: &mut Faults) -> Vec<Rule> {
    if endpoint.clean_outputs.len() > 64 {
        faults.add("/endpoint/clean_outputs", "there are more than 64", "declare at most 64");
        return Vec::new();
    }
    let mut rules = Vec::new();
    for (index, declared) in endpoint.clean_outputs.iter().enumerate() {
        match Rule::compile(declared) {
            Ok(rule) => rules.push(rule),
            Err(unfit) => faults.add(
                format!("/endpoint/clean_outputs/{index}"),
                unfit.to_string(),
                "declare a kind that cannot hold a sentence, where the answer has one",
            ),
        }
    }
    rules
}
