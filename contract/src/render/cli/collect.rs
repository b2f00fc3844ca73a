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
    named(matches, INPUT)
}

fn named<'a>(matches: &'a ArgMatches, id: &str) -> Option<Source<'a>> {
    let path = matches.try_get_one::<PathBuf>(id).ok().flatten()?;
    Some(if path.as_os_str() == "-" { Source::Stdin } else { Source::File(path) })
}

/// The fields whose secrets or documents are in files, and the files.
pub fn secrets<'a>(verb: &Verb, matches: &'a ArgMatches) -> Vec<(String, Source<'a>)> {
    let flags = plan::of(verb).into_iter().filter(Flag::is_in_file);
    flags.filter_map(|flag| Some((flag.field(), named(matches, &flag.file_id())?))).collect()
}

/// The input that the flags of `verb` say, on top of `whole`: what [`source`] names, if anything.
/// `secrets` holds the texts of what [`secrets()`] names; a line feed at the end of one is left off,
/// since editors put it there.
///
/// # Errors
///
/// A refusal that names every fault of the input together.
pub fn collect(
    verb: &Verb,
    matches: &ArgMatches,
    whole: Option<&[u8]>,
    secrets: &[(String, String)],
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
        let secret = secrets.iter().find(|(field, _)| flag.is_in_file() && *field == flag.field());
        match said(&flag, matches, secret.map(|(_, text)| text.as_str())) {
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

fn said(flag: &Flag, matches: &ArgMatches, secret: Option<&str>) -> Result<Option<Value>, Fault> {
    if flag.shared && flag.form == Form::Boolean {
        let asked = matches.try_get_one::<bool>(&flag.id()).ok().flatten();
        return Ok(asked.filter(|asked| **asked).map(|asked| Value::Bool(*asked)));
    }
    let (placed, mut named) = typed(flag, matches);
    let twice = |how: String| {
        let field = flag.field();
        let say = format!("`{field}` was given twice, {how}.");
        Fault::new(field, say, "Give it once.")
    };
    if let Some(text) = secret {
        if !named.is_empty() || !placed.is_empty() {
            return Err(twice(format!("as a text and with --{}", flag.file_long())));
        }
        let line = text.strip_suffix('\n').unwrap_or(text);
        named.push(line.strip_suffix('\r').unwrap_or(line).to_owned());
    }
    let texts = if flag.form == Form::Pairs {
        placed.into_iter().chain(named).collect()
    } else if !named.is_empty() && !placed.is_empty() && named != placed {
        return Err(twice(format!("with and without --{}", flag.long)));
    } else if named.is_empty() {
        placed
    } else {
        named
    };
    if texts.is_empty() { Ok(None) } else { value(flag, texts).map(Some) }
}

/// What was typed for a flag: by its place, and by its name.
pub(super) fn typed(flag: &Flag, matches: &ArgMatches) -> (Vec<String>, Vec<String>) {
    let texts = |id: &str| -> Vec<String> {
        let many = matches.try_get_many::<String>(id).ok().flatten();
        many.into_iter().flatten().cloned().collect()
    };
    let placed = if flag.position.is_some() { texts(&flag.position_id()) } else { Vec::new() };
    (placed, texts(&flag.id()))
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
