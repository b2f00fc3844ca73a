//! An operation's body as arguments. Invariant: a body is JSON or a form; an object's members are
//! arguments of their own, anything else is one argument that is the whole.

use contract::shape::http::declaration::{Body, Location, Style};
use contract::verbs::server::{Reason, Without};
use serde_json::Value;

use super::draft::Draft;
use super::outline::step;
use super::reference::Document;
use super::schema::{self, Writer, texts};
use super::{Skip, brief, parameter};

/// The most members of a body that are looked at.
const MEMBERS_MAX: usize = 500;

/// What is made of a body.
#[derive(Debug)]
pub(super) struct Made {
    /// How it is written.
    pub(super) body: Body,
    /// Its arguments.
    pub(super) drafts: Vec<Draft>,
    /// What it does without.
    pub(super) without: Vec<Without>,
}

impl Made {
    fn none() -> Self {
        Self { body: Body::None, drafts: Vec::new(), without: Vec::new() }
    }
}

/// The body of an operation at `at`.
pub(super) fn of<'d>(
    document: &Document<'d>,
    operation: &'d Value,
    at: &str,
    writer: &mut Writer<'d>,
) -> Result<Made, Skip> {
    let Some(declared) = operation.get("requestBody") else { return Ok(Made::none()) };
    let at = format!("{at}/requestBody");
    let resolved = document.resolve(declared).map_err(|skip| skip.inside("requestBody"))?;
    let required = resolved.get("required") == Some(&Value::Bool(true));
    let made = written(document, resolved, (&at, required), writer);
    match made {
        Err(skip) if required => Err(skip.inside("requestBody")),
        Err(Skip { reason, say, at: below }) => {
            let without = vec![Without { at: format!("{at}{below}"), reason, say }];
            Ok(Made { without, ..Made::none() })
        }
        Ok(made) => Ok(made),
    }
}

fn written<'d>(
    document: &Document<'d>,
    resolved: &'d Value,
    (at, required): (&str, bool),
    writer: &mut Writer<'d>,
) -> Result<Made, Skip> {
    let Some(contents) = resolved.get("content").and_then(Value::as_object) else {
        return Err(Skip::new(Reason::Malformed, "The body has no content."));
    };
    let bare = |kind: &str| kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let of = |wanted: &str| contents.iter().find(|(kind, _)| bare(kind) == wanted);
    let found = of("application/json")
        .map(|found| (Body::Json, found))
        .or_else(|| of("application/x-www-form-urlencoded").map(|found| (Body::Form, found)));
    let Some((body, (kind, content))) = found else {
        let kinds: Vec<&str> = contents.keys().map(String::as_str).collect();
        let say = format!(
            "The body is `{}`: only JSON and forms can be declared.",
            brief(&kinds.join("`, `"))
        );
        return Err(Skip::new(Reason::Body, say));
    };
    let at = format!("{at}/content{}/schema", step(kind));
    let inside = |skip: Skip| skip.inside("schema").inside(kind).inside("content");
    let any = &Value::Bool(true);
    let declared = content.get("schema").unwrap_or(any);
    let mut made = Made { body, drafts: Vec::new(), without: Vec::new() };
    let whole = writer.write(declared);
    if let Some((written, required_names)) = whole.as_ref().ok().and_then(split) {
        let source = document.resolve(declared).map_err(inside)?;
        for (name, schema) in written.into_iter().take(MEMBERS_MAX) {
            let pointer = format!("/properties{}", step(&name));
            let declared = source.pointer(&pointer).unwrap_or(any);
            let needed = required && required_names.contains(&name);
            made.add((name, declared), Ok(schema), needed, &at).map_err(inside)?;
        }
        return Ok(made);
    }
    match (whole, writer.members_of(declared).map_err(inside)?) {
        (Ok(schema), None) if body == Body::Json => {
            made.drafts.push(all(schema, required, &at));
            Ok(made)
        }
        (Err(skip), None) => Err(inside(skip)),
        (_, Some(members)) => {
            for (name, declared) in members.properties.into_iter().take(MEMBERS_MAX) {
                let needed = required && members.required.contains(&name);
                let written = writer.write(declared);
                made.add((name, declared), written, needed, &at).map_err(inside)?;
            }
            Ok(made)
        }
        (Ok(_), None) => {
            let say = "The form is no object whose members are named.";
            Err(inside(Skip::new(Reason::Body, say)))
        }
    }
}

/// Schemas that were written out, by the member's name.
type Written = Vec<(String, Value)>;

/// The members of a written object and those that must be there, if nothing else is said of it.
fn split(schema: &Value) -> Option<(Written, Vec<String>)> {
    const SAID: [&str; 6] =
        ["type", "properties", "required", "additionalProperties", "description", "title"];
    let fields = schema.as_object()?;
    let is_object = fields.get("type").is_none_or(|kind| *kind == "object");
    let only = fields.keys().all(|key| SAID.contains(&key.as_str()));
    let open = fields.get("additionalProperties").is_some_and(Value::is_object);
    let properties = fields.get("properties")?.as_object()?;
    if !is_object || !only || open || properties.is_empty() {
        return None;
    }
    let required = texts(fields.get("required"));
    let properties = properties.iter().map(|(name, one)| (name.clone(), one.clone())).collect();
    Some((properties, required))
}

/// The one argument that is the whole body.
fn all(schema: Value, required: bool, at: &str) -> Draft {
    Draft {
        target: "body".to_owned(),
        location: Location::Body,
        schema,
        required,
        style: Style::Form,
        explode: None,
        whole_body: true,
        at: at.to_owned(),
    }
}

impl Made {
    /// Adds a member, or names it as left out if it need not be there.
    fn add(
        &mut self,
        (name, declared): (String, &Value),
        written: Result<Value, Skip>,
        required: bool,
        at: &str,
    ) -> Result<(), Skip> {
        let read_only = |one: &Value| one.get("readOnly") == Some(&Value::Bool(true));
        if read_only(declared) || written.as_ref().is_ok_and(read_only) {
            return Ok(());
        }
        let fit = written.and_then(|mut schema| {
            let fits = self.body != Body::Form
                || schema::is_plain(&mut schema)
                || schema::is_list(&mut schema);
            if fits {
                return Ok(schema);
            }
            let say = format!("`{}` is neither plain nor a list in a form.", brief(&name));
            Err(Skip::new(Reason::Style, say))
        });
        let place = format!("{at}/properties{}", step(&name));
        match fit {
            Ok(mut schema) => {
                if let Some(fields) = schema.as_object_mut() {
                    parameter::describe(fields, None, declared);
                }
                self.drafts.push(Draft { required, at: place, ..member(name, schema) });
                Ok(())
            }
            Err(skip) if required => Err(skip.inside(&name).inside("properties")),
            Err(Skip { reason, say, .. }) => {
                self.without.push(Without { at: place, reason, say });
                Ok(())
            }
        }
    }
}

fn member(target: String, schema: Value) -> Draft {
    Draft { target, whole_body: false, ..all(schema, false, "") }
}
