//! Owns the way back from flags to an input. Invariant: whatever was typed is in the input or refused
//! by name.

use std::path::{Path, PathBuf};

use clap::ArgMatches;
use serde_json::{Map, Value};

use super::INPUT;
use super::plan::{self, Flag, Form, Item};
use crate::canonical::parse_strict;
use crate::refusal::{Fault, Refusal};
use crate::render::rest;
use crate::schema::bare;
use crate::validate::{join, one};
use crate::verb::Verb;

/// Where a whole input is to be read from, by the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source<'a> {
    /// Standard input.
    Stdin,
    /// This file.
    File(&'a Path),
}

/// What `--input` says.
pub fn source(matches: &ArgMatches) -> Option<Source<'_>> {
    let path = matches.try_get_one::<PathBuf>(INPUT).ok().flatten()?;
    Some(if path.as_os_str() == "-" { Source::Stdin } else { Source::File(path) })
}

/// The input that the flags of `verb` say, on top of `whole`: what [`source`] names, if anything.
///
/// # Errors
///
/// A refusal that names every fault of the input together.
pub fn collect(
    verb: &Verb,
    matches: &ArgMatches,
    whole: Option<&[u8]>,
) -> Result<Value, Box<Refusal>> {
    let mut input = match whole {
        Some(bytes) => match parse_strict(bytes) {
            Ok(Value::Object(fields)) => fields,
            Ok(_) => {
                let say = "The input is no JSON object.";
                return Err(Box::new(Refusal::of_field(INPUT, say, "Give one JSON object.")));
            }
            Err(error) => return Err(Box::new(rest::malformed(&error))),
        },
        None => Map::new(),
    };
    let mut faults = Vec::new();
    for flag in plan::of(verb) {
        match said(&flag, matches) {
            Ok(Some(value)) => set(&mut input, &flag.path, value),
            Ok(None) => {}
            Err(fault) => faults.push(fault),
        }
    }
    let input = Value::Object(input);
    // A field that could not be read is not also reported as missing.
    let named: Vec<String> = faults.iter().map(|fault| fault.field.clone()).collect();
    let more = verb.validator.faults(&input, "");
    faults.extend(more.into_iter().filter(|fault| !named.contains(&fault.field)));
    if faults.is_empty() { Ok(input) } else { Err(Box::new(Refusal::of_input(faults))) }
}

fn said(flag: &Flag, matches: &ArgMatches) -> Result<Option<Value>, Fault> {
    let texts = |id: &str| -> Vec<String> {
        let many = matches.try_get_many::<String>(id).ok().flatten();
        many.into_iter().flatten().cloned().collect()
    };
    if flag.shared && flag.form == Form::Boolean {
        let asked = matches.try_get_one::<bool>(&flag.id()).ok().flatten();
        return Ok(asked.filter(|asked| **asked).map(|asked| Value::Bool(*asked)));
    }
    let named = texts(&flag.id());
    let placed = if flag.position.is_some() { texts(&flag.position_id()) } else { Vec::new() };
    if !named.is_empty() && !placed.is_empty() && named != placed {
        let field = flag.field();
        let say = format!("`{field}` was given twice, with and without --{}.", flag.long);
        return Err(Fault::new(field, say, "Give it once."));
    }
    let texts = if named.is_empty() { placed } else { named };
    if texts.is_empty() { Ok(None) } else { value(flag, texts).map(Some) }
}

fn value(flag: &Flag, texts: Vec<String>) -> Result<Value, Fault> {
    let field = flag.field();
    match &flag.form {
        Form::List(item) => list(&field, item, &flag.schema, &texts),
        Form::Pairs => pairs(&field, &flag.schema, texts).map(Value::Object),
        Form::Scalar | Form::Choice(_) | Form::Boolean => {
            let text = texts.into_iter().next_back().unwrap_or_default();
            Ok(one(Some(&flag.schema), text))
        }
        Form::Json => json(&field, &texts.into_iter().next_back().unwrap_or_default()),
    }
}

fn list(field: &str, item: &Item, schema: &Value, texts: &[String]) -> Result<Value, Fault> {
    if texts == ["[]"] {
        return Ok(Value::Array(Vec::new()));
    }
    let items = schema.get("items").map(bare).unwrap_or_default();
    let mut out = Vec::new();
    for text in texts {
        match item {
            Item::Scalar | Item::Choice(_) => out.push(one(Some(&items), text.clone())),
            Item::Members | Item::Json => match text.trim_start().chars().next() {
                Some('[') => {
                    if let Value::Array(several) = json(field, text)? {
                        out.extend(several);
                    }
                }
                Some('{') => out.push(json(field, text)?),
                _ if *item == Item::Members => out.push(members(field, &items, text)?),
                _ => out.push(json(field, text)?),
            },
        }
    }
    Ok(Value::Array(out))
}

/// `key=value,key=value`, each value by its own schema.
fn members(field: &str, schema: &Value, text: &str) -> Result<Value, Fault> {
    let mut out = Map::new();
    for pair in text.split(',') {
        let (name, value) = pair.split_once('=').ok_or_else(|| no_pair(field, pair))?;
        let member = schema.get("properties").and_then(|fields| fields.get(name)).map(bare);
        put(field, &mut out, name, one(member.as_ref(), value.to_owned()))?;
    }
    Ok(Value::Object(out))
}

fn pairs(field: &str, schema: &Value, texts: Vec<String>) -> Result<Map<String, Value>, Fault> {
    let values = schema.get("additionalProperties").filter(|values| values.is_object()).map(bare);
    let mut out = Map::new();
    for text in texts {
        if text.trim_start().starts_with('{') {
            let Value::Object(several) = json(field, &text)? else { continue };
            for (name, value) in several {
                put(field, &mut out, &name, value)?;
            }
            continue;
        }
        let (name, value) = text.split_once('=').ok_or_else(|| no_pair(field, &text))?;
        if let Some(name) = name.strip_suffix(':') {
            put(field, &mut out, name, json(&join(field, name), value)?)?;
        } else {
            put(field, &mut out, name, one(values.as_ref(), value.to_owned()))?;
        }
    }
    Ok(out)
}

fn put(field: &str, out: &mut Map<String, Value>, name: &str, value: Value) -> Result<(), Fault> {
    if out.contains_key(name) {
        let field = join(field, name);
        let say = format!("`{field}` was given twice.");
        return Err(Fault::new(field, say, "Give it once."));
    }
    out.insert(name.to_owned(), value);
    Ok(())
}

fn json(field: &str, text: &str) -> Result<Value, Fault> {
    parse_strict(text.as_bytes()).map_err(|error| {
        let fix = "Give JSON; a text goes in double quotes.";
        Fault::new(field, format!("`{field}` is no JSON: {error}."), fix)
    })
}

fn no_pair(field: &str, given: &str) -> Fault {
    let given: String = given.chars().take(60).collect();
    Fault::new(field, format!("{given:?} is no key=value."), "Give key=value, or JSON.")
}

/// Puts `value` at `path`, making the objects on the way.
fn set(input: &mut Map<String, Value>, path: &[String], value: Value) {
    match path {
        [] => {}
        [name] => {
            input.insert(name.clone(), value);
        }
        [name, rest @ ..] => {
            let inner = input.entry(name.clone()).or_insert_with(|| Value::Object(Map::new()));
            if !inner.is_object() {
                *inner = Value::Object(Map::new());
            }
            if let Some(inner) = inner.as_object_mut() {
                set(inner, rest, value);
            }
        }
    }
}
