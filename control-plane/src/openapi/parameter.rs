//! Parameters of an operation as arguments. Invariant: an argument is written on the request just as
//! the document says, or the parameter is left out by name.

use contract::shape::http::declaration::{Location, Style};
use contract::shape::http::header_rule;
use contract::verbs::server::Reason;
use serde_json::{Map, Value};

use super::draft::Draft;
use super::reference::Document;
use super::schema::{self, Writer};
use super::{Skip, brief, shorten, text_of};

/// The most parameters of an operation that are looked at.
const PARAMETERS_MAX: usize = 200;
/// Headers that the platform, the media types or the credential say (OpenAPI 3.1, Parameter Object).
const SAID_ELSEWHERE: [&str; 3] = ["accept", "content-type", "authorization"];

/// A parameter, and where in the document it is.
#[derive(Debug, Clone)]
pub(super) struct Parameter<'d> {
    /// What it says.
    pub(super) body: &'d Value,
    /// Where it is.
    pub(super) at: String,
}

/// The parameters of the path and of the operation, which overrides them by name and place.
pub(super) fn all<'d>(
    document: &Document<'d>,
    (item, item_at): (&'d Value, &str),
    (operation, at): (&'d Value, &str),
) -> Result<Vec<Parameter<'d>>, Skip> {
    let mut all: Vec<Parameter<'d>> = Vec::new();
    for (holder, at) in [(item, item_at), (operation, at)] {
        let items = holder.get("parameters").and_then(Value::as_array).into_iter().flatten();
        for (index, one) in items.enumerate() {
            let at = format!("{at}/parameters/{index}");
            let body = document.resolve(one).map_err(|skip| below(skip, index))?;
            let key = |one: &Value| {
                (text_of(one, "name").map(str::to_owned), text_of(one, "in").map(str::to_owned))
            };
            let made = Parameter { body, at };
            match all.iter_mut().find(|other| key(other.body) == key(body)) {
                Some(other) => *other = made,
                None => all.push(made),
            }
        }
    }
    if all.len() > PARAMETERS_MAX {
        let say = format!("It has more than {PARAMETERS_MAX} parameters.");
        return Err(Skip::new(Reason::TooManyArguments, say));
    }
    Ok(all)
}

fn below(skip: Skip, index: usize) -> Skip {
    skip.inside(&index.to_string()).inside("parameters")
}

impl Parameter<'_> {
    /// Whether a call without it is no call.
    pub(super) fn is_required(&self) -> bool {
        let flagged = self.body.get("required") == Some(&Value::Bool(true));
        flagged || text_of(self.body, "in") == Some("path")
    }
}

/// The parameter as an argument; `None` for what is said elsewhere.
pub(super) fn draft(
    parameter: &Parameter<'_>,
    writer: &mut Writer<'_>,
) -> Result<Option<Draft>, Skip> {
    let body = parameter.body;
    let target = text_of(body, "name").unwrap_or_default();
    let location = match text_of(body, "in") {
        Some("path") => Location::Path,
        Some("query") => Location::Query,
        Some("header") => Location::Header,
        Some("cookie") => {
            let say = format!("`{}` is a cookie: none is sent.", brief(target));
            return Err(Skip::new(Reason::Cookie, say));
        }
        _ => return Err(Skip::new(Reason::Malformed, "It is in no place that OpenAPI has.")),
    };
    if location == Location::Header {
        if SAID_ELSEWHERE.iter().any(|said| said.eq_ignore_ascii_case(target)) {
            return Ok(None);
        }
        if let Err(refused) = header_rule::name(target) {
            let say = format!("The header `{}`: {refused}.", brief(target));
            return Err(Skip::new(Reason::Header, say));
        }
    }
    let Some(declared) = body.get("schema") else {
        let say = format!("`{}` is written as a document of its own.", brief(target));
        return Err(Skip::new(Reason::Style, say));
    };
    let mut schema = writer.write(declared).map_err(|skip| skip.inside("schema"))?;
    let (style, explode) = written(body, location, &mut schema, target)?;
    if let Some(fields) = schema.as_object_mut() {
        describe(fields, text_of(body, "description"), declared);
    }
    Ok(Some(Draft {
        target: target.to_owned(),
        location,
        schema,
        required: parameter.is_required(),
        style,
        explode,
        whole_body: false,
        at: parameter.at.clone(),
    }))
}

/// Says in the schema what it is, and what the system takes where it is left out.
pub(super) fn describe(fields: &mut Map<String, Value>, said: Option<&str>, declared: &Value) {
    let own = fields.shift_remove("description");
    let own = own.as_ref().and_then(Value::as_str);
    let said = said.filter(|said| !said.trim().is_empty()).or(own).unwrap_or_default();
    let mut about = shorten(said, 900);
    let default = declared.get("default").filter(|value| !value.is_object() && !value.is_array());
    if let Some(default) = default.filter(|value| !value.is_null()) {
        let default = brief(&default.to_string());
        let space = if about.is_empty() { "" } else { " " };
        about.push_str(space);
        about.push_str("(If left out: ");
        about.push_str(&default);
        about.push_str(".)");
    }
    if !about.is_empty() {
        fields.insert("description".to_owned(), Value::String(about));
    }
}

/// How it is written, made fit for what the schema lets through.
fn written(
    body: &Value,
    location: Location,
    schema: &mut Value,
    target: &str,
) -> Result<(Style, Option<bool>), Skip> {
    let named = text_of(body, "style");
    let explode = body.get("explode").and_then(Value::as_bool);
    let unfit = |what: &str| Skip::new(Reason::Style, format!("`{}` {what}.", brief(target)));
    if location != Location::Query {
        return match named {
            None | Some("simple") if schema::is_plain(schema) => Ok((Style::Form, None)),
            None | Some("simple") => Err(unfit("is more than one text, number or boolean")),
            Some(_) => Err(unfit("is written in a style that is not supported")),
        };
    }
    let style = match named {
        None | Some("form") => Style::Form,
        Some("deepObject") => Style::DeepObject,
        Some("spaceDelimited") => Style::SpaceDelimited,
        Some("pipeDelimited") => Style::PipeDelimited,
        Some(_) => return Err(unfit("is written in a style that is not supported")),
    };
    let fits = match style {
        Style::Form => {
            schema::is_plain(schema) || schema::is_list(schema) || schema::members(schema)
        }
        Style::DeepObject => schema::members(schema),
        Style::SpaceDelimited | Style::PipeDelimited => {
            if schema::is_plain(schema) {
                return Ok((Style::Form, None));
            }
            schema::is_list(schema)
        }
    };
    let own = explode.filter(|explode| *explode != (style == Style::Form));
    if fits {
        Ok((style, own))
    } else {
        Err(unfit("is neither plain, nor a list or an object of plain values"))
    }
}
