//! The rules of arguments: names, places, schemas, and no two of them in one place.

use jsonschema::Validator;
use serde_json::Value;

use super::super::super::fault::Faults;
use super::super::super::header_rule;
use super::super::{Argument, Body, Endpoint, Location, Server, Style};
use super::{schema, server};

const MAX_ARGUMENTS: usize = 64;

pub(super) fn check(endpoint: &Endpoint, server: &Server, faults: &mut Faults) -> Vec<Validator> {
    let arguments = &endpoint.arguments;
    if arguments.len() > MAX_ARGUMENTS {
        let say = format!("there are {} arguments", arguments.len());
        faults.add("/endpoint/arguments", say, format!("declare at most {MAX_ARGUMENTS}"));
        return Vec::new();
    }
    if endpoint.method.is_safe() && endpoint.body != Body::None {
        let say = "GET and HEAD carry no body";
        faults.add("/endpoint/body", say, "set it to `none`, or use another method");
    }
    let mut checks = Vec::new();
    for (index, argument) in arguments.iter().enumerate() {
        let at = format!("/endpoint/arguments/{index}");
        name(argument, arguments.get(..index).unwrap_or_default(), &at, faults);
        match argument.location {
            Location::Path => path(argument, &at, faults),
            Location::Query => query(argument, &at, faults),
            Location::Header => header(argument, endpoint, server, &at, faults),
            Location::Body => body(argument, endpoint, &at, faults),
        }
        out_of_place(argument, &at, faults);
        checks.extend(values(argument, &at, faults));
    }
    collisions(endpoint, server, faults);
    checks
}

fn name(argument: &Argument, before: &[Argument], at: &str, faults: &mut Faults) {
    let name = &argument.name;
    let mut bytes = name.bytes();
    let well = name.len() <= 64
        && bytes.next().is_some_and(|first| first.is_ascii_lowercase())
        && bytes.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    if !well {
        let say = format!("{name:?} is not a name of an argument");
        faults.add(format!("{at}/name"), say, "use `[a-z][a-z0-9_]*`, at most 64 characters");
    }
    if before.iter().any(|other| other.name == *name) {
        let say = format!("`{name}` is declared twice");
        faults.add(format!("{at}/name"), say, "give each argument a name of its own");
    }
    if argument.required && argument.fixed.is_some() {
        let say = "a fixed argument cannot be asked for";
        faults.add(format!("{at}/required"), say, "leave `required` or `fixed` out");
    }
}

fn path(argument: &Argument, at: &str, faults: &mut Faults) {
    if !argument.required && argument.fallback().is_none() {
        let say = "a path without one of its segments is another path";
        faults.add(format!("{at}/required"), say, "set it to true, or give a default");
    }
    if !schema::is_scalar(&argument.schema) {
        let say = "a segment is filled by one text, number or boolean";
        faults.add(format!("{at}/schema/type"), say, SCALAR_FIX);
    }
}

const SCALAR_FIX: &str = "say `type`: string, integer, number or boolean";

fn query(argument: &Argument, at: &str, faults: &mut Faults) {
    let declared = &argument.schema;
    let scalar = schema::is_scalar(declared);
    let fits = match argument.style {
        Style::Form => scalar || schema::is_list(declared) || schema::members(declared).is_some(),
        Style::DeepObject => schema::members(declared).is_some(),
        Style::SpaceDelimited | Style::PipeDelimited => schema::is_list(declared),
    };
    if !fits {
        faults.add(
            format!("{at}/schema/type"),
            "the declared style cannot write what this schema lets through",
            "say `type`: a text, number or boolean, a list of those, or an object of those with \
             `additionalProperties: false`",
        );
    }
    let target = argument.target();
    if target.is_empty() || target.contains(char::is_control) {
        let say = "it is no name of a query pair";
        faults.add(format!("{at}/target"), say, "name what the upstream documents");
    }
}

fn header(
    argument: &Argument,
    endpoint: &Endpoint,
    server: &Server,
    at: &str,
    faults: &mut Faults,
) {
    let target = argument.target();
    let field = format!("{at}/target");
    let key = endpoint.idempotency.as_ref().and_then(|one| one.upstream_header.as_deref());
    if let Err(refused) = header_rule::name(target) {
        faults.add(field, format!("`{target}`: {refused}"), "name another header");
    } else if server::sets_header(server, target) {
        faults.add(field, "the server sets this header already", "name another header");
    } else if key.is_some_and(|key| key.eq_ignore_ascii_case(target)) {
        faults.add(field, "the idempotency key goes there", "leave the argument out");
    }
    if !schema::is_scalar(&argument.schema) {
        let say = "a header holds one text, number or boolean";
        faults.add(format!("{at}/schema/type"), say, SCALAR_FIX);
    }
}

fn body(argument: &Argument, endpoint: &Endpoint, at: &str, faults: &mut Faults) {
    let alone = endpoint.arguments.iter().filter(|one| one.location == Location::Body).count() == 1;
    match endpoint.body {
        Body::None => {
            let say = "the endpoint has no body";
            faults.add(format!("{at}/in"), say, "set the endpoint's `body`, or use the query");
        }
        Body::Json if argument.whole_body && !alone => {
            let say = "another argument goes in the body too";
            faults.add(format!("{at}/whole_body"), say, "leave one of them out");
        }
        Body::Json => {}
        Body::Form => {
            if argument.whole_body {
                let say = "a form has pairs, and no whole";
                faults.add(format!("{at}/whole_body"), say, "use `body: json`");
            }
            if !schema::is_scalar(&argument.schema) && !schema::is_list(&argument.schema) {
                let say = "a form holds texts, numbers, booleans and lists of those";
                faults.add(format!("{at}/schema/type"), say, SCALAR_FIX);
            }
        }
    }
    if argument.target().is_empty() && !argument.whole_body {
        let say = "it is empty";
        faults.add(format!("{at}/target"), say, "name a member, or set `whole_body`");
    }
}

/// Settings that mean something only elsewhere.
fn out_of_place(argument: &Argument, at: &str, faults: &mut Faults) {
    let mut only = |set: bool, field: &str, location: Location, word: &str| {
        if set && argument.location != location {
            let say = format!("it means nothing outside the {word}");
            faults.add(format!("{at}/{field}"), say, "leave it out");
        }
    };
    only(argument.style != Style::Form, "style", Location::Query, "query");
    only(argument.explode.is_some(), "explode", Location::Query, "query");
    only(argument.allow_percent, "allow_percent", Location::Path, "path");
    only(argument.whole_body, "whole_body", Location::Body, "body");
}

/// The schema, and the values that the declaration itself gives.
fn values(argument: &Argument, at: &str, faults: &mut Faults) -> Option<Validator> {
    let validator = match schema::compile(&argument.schema, schema::References::None) {
        Ok(validator) => validator,
        Err(unfit) => {
            let fix = "write a JSON Schema (2020-12) object without references";
            faults.add(format!("{at}/schema"), unfit.to_string(), fix);
            return None;
        }
    };
    let default = argument.schema.get("default");
    let given: [(&str, Option<&Value>); 2] =
        [("fixed", argument.fixed.as_ref()), ("schema/default", default)];
    for (field, value) in given {
        if let Some(error) = value.and_then(|value| validator.iter_errors(value).next()) {
            let say = format!("its own schema refuses it: {}", error.masked());
            faults.add(format!("{at}/{field}"), say, "give a value the schema lets through");
        }
    }
    Some(validator)
}

/// No two arguments, and no argument and the credential, may fill one place.
fn collisions(endpoint: &Endpoint, server: &Server, faults: &mut Faults) {
    let mut taken: Vec<(Location, String)> = Vec::new();
    if let Some(pair) = server::credential_pair(server) {
        taken.push((Location::Query, pair.to_ascii_lowercase()));
    }
    for (index, argument) in endpoint.arguments.iter().enumerate() {
        let exploded = argument.location == Location::Query
            && argument.style == Style::Form
            && argument.explodes();
        let names = match schema::members(&argument.schema) {
            Some(members) if exploded => members,
            Some(_) | None => vec![argument.target()],
        };
        for name in names {
            // Upstreams differ in whether they fold the case of a query name; headers always do.
            let folds = matches!(argument.location, Location::Query | Location::Header);
            let name = if folds { name.to_ascii_lowercase() } else { name.to_owned() };
            let place = (argument.location, name);
            if taken.contains(&place) {
                faults.add(
                    format!("/endpoint/arguments/{index}/target"),
                    format!("`{}` is filled by something else already", place.1),
                    "give each argument a place of its own",
                );
            } else {
                taken.push(place);
            }
        }
    }
}
