//! One operation as a proposal. Invariant: what is proposed passes the check of declarations, under
//! the server that it is to be published at.

use contract::shape::http::declaration::{self, Endpoint, Method};
use contract::shape::http::validate;
use contract::verbs::server::{Declaration, Reason, Without};
use contract::{Effect, Label, Labels, ToolName};
use serde_json::Value;

use super::draft::{self, Draft};
use super::outline::{Operation, Outline, step};
use super::parameter::{self, Parameter};
use super::place::Place;
use super::reference::Document;
use super::schema::Writer;
use super::{Asked, NODES_MAX, Proposed, Skip, answer, body, shorten, text_of};

/// The longest word of a tool on itself, in characters.
const ABOUT_CHARS: usize = 1_000;

/// Makes proposals of one document's operations.
#[derive(Debug)]
pub(super) struct Maker<'d, 'a> {
    document: Document<'d>,
    place: &'a Place,
    asked: &'a Asked<'a>,
    writer: Writer<'d>,
}

impl<'d, 'a> Maker<'d, 'a> {
    /// One for this document.
    pub(super) fn new(outline: &Outline<'d>, place: &'a Place, asked: &'a Asked<'a>) -> Self {
        let document = outline.document;
        Self { document, place, asked, writer: Writer::new(document, NODES_MAX) }
    }

    /// The proposal that an operation makes.
    pub(super) fn make(
        &mut self,
        one: &Operation<'d>,
        name: Option<ToolName>,
    ) -> Result<Proposed, Skip> {
        let name = name.ok_or_else(|| {
            Skip::new(Reason::NameClash, "No name of its own can be made for it.")
        })?;
        let method = method(one.method)?;
        let path = self.path(one)?;
        let (mut drafts, mut without) = self.parameters(one)?;
        let made = body::of(&self.document, one.body, &one.at, &mut self.writer)?;
        if method.is_safe() && made.body != declaration::Body::None {
            return Err(Skip::new(Reason::Body, "GET and HEAD carry no body."));
        }
        drafts.extend(made.drafts);
        without.extend(made.without);
        without.extend(callbacks(one));
        let (arguments, more) = draft::named(drafts)?;
        without.extend(more);
        let output = self
            .asked
            .output_schemas
            .then(|| answer::schema(&self.document, one.body, &mut self.writer));
        let endpoint = Endpoint {
            arguments,
            body: made.body,
            media_types: answer::media_types(&self.document, one.body, method),
            output_schema: output.flatten(),
            ..blank(method, &path)?
        };
        self.check(&endpoint)?;
        let tool = Declaration {
            name,
            about: about(one),
            effect: effect(method),
            labels: Labels::of(Label::Untrusted),
            endpoint,
        };
        Ok(Proposed { operation: one.title(), at: one.at.clone(), tool, without })
    }

    /// The whole path, if it is made of literal segments and such that one argument fills.
    fn path(&self, one: &Operation<'_>) -> Result<String, Skip> {
        let base = self.place.base(one.body, one.item).ok_or_else(|| {
            let say = "The document sends it to another host than the rest.";
            Skip::new(Reason::OtherServer, say).inside("servers")
        })?;
        let asked = self.asked.base_path.map(|_| self.place.base_path.clone());
        let base = asked.unwrap_or(base);
        let whole = |segment: &str| {
            let inner = segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
            !inner.unwrap_or(segment).contains(['{', '}'])
        };
        if one.path.contains(['?', '#']) || !one.path.split('/').all(whole) {
            let say = "An argument does not fill one whole segment of the path.";
            return Err(Skip::new(Reason::Path, say));
        }
        Ok(format!("{base}{}", one.path))
    }

    fn parameters(&mut self, one: &Operation<'d>) -> Result<(Vec<Draft>, Vec<Without>), Skip> {
        let item_at = format!("/paths{}", step(one.path));
        let all = parameter::all(&self.document, (one.item, &item_at), (one.body, &one.at))?;
        let (mut drafts, mut without) = (Vec::new(), Vec::new());
        for parameter in &all {
            if is_stray(parameter, one.path) {
                continue;
            }
            match parameter::draft(parameter, &mut self.writer) {
                Ok(made) => drafts.extend(made),
                Err(skip) if parameter.is_required() => {
                    let below = parameter.at.strip_prefix(&one.at).unwrap_or_default();
                    return Err(Skip { at: format!("{below}{}", skip.at), ..skip });
                }
                Err(Skip { reason, say, at }) => {
                    without.push(Without { at: format!("{}{at}", parameter.at), reason, say });
                }
            }
        }
        Ok((drafts, without))
    }

    fn check(&self, endpoint: &Endpoint) -> Result<(), Skip> {
        let faults = validate(self.asked.server, endpoint, self.asked.policy).err();
        let faults = faults.into_iter().flatten();
        // What is wrong with the server is none of the document's.
        let mut of_endpoint = faults.filter(|fault| fault.field.starts_with("/endpoint"));
        match of_endpoint.next() {
            None => Ok(()),
            Some(fault) => {
                let say = format!("{}: {}; {}.", fault.field, fault.say, fault.fix);
                Err(Skip::new(Reason::NotDeclarable, shorten(&say, 400)))
            }
        }
    }
}

/// A declaration of which nothing but method and path is said: the rest is as for every declaration.
fn blank(method: Method, path: &str) -> Result<Endpoint, Skip> {
    let blank = serde_json::json!({ "method": method, "path": path });
    serde_json::from_value(blank)
        .map_err(|error| Skip::new(Reason::NotDeclarable, error.to_string()))
}

fn method(method: &str) -> Result<Method, Skip> {
    Ok(match method {
        "get" => Method::Get,
        "head" => Method::Head,
        "post" => Method::Post,
        "put" => Method::Put,
        "patch" => Method::Patch,
        "delete" => Method::Delete,
        other => {
            let say = format!("No tool has the method {}.", other.to_ascii_uppercase());
            return Err(Skip::new(Reason::Method, say));
        }
    })
}

/// What the method alone suggests (RFC 9110, 9.2.1 and 9.3.5); the curator decides.
fn effect(method: Method) -> Effect {
    match method {
        Method::Get | Method::Head => Effect::Read,
        Method::Delete => Effect::Destructive,
        Method::Post | Method::Put | Method::Patch => Effect::Write,
    }
}

/// Summary and description, or else method and path.
fn about(one: &Operation<'_>) -> String {
    let said =
        ["summary", "description"].map(|key| text_of(one.body, key).unwrap_or_default().trim());
    let text = match said {
        ["", ""] => format!("{}.", one.title()),
        [one, ""] | ["", one] => one.to_owned(),
        [summary, description] if description.starts_with(summary) => description.to_owned(),
        [summary, description] => {
            let stop = if summary.ends_with(['.', '!', '?']) { "" } else { "." };
            format!("{summary}{stop} {description}")
        }
    };
    let text = shorten(&text, ABOUT_CHARS);
    if text.is_empty() { format!("{}.", one.title()) } else { text }
}

/// A path parameter that the path does not have: it is sent nowhere.
fn is_stray(parameter: &Parameter<'_>, path: &str) -> bool {
    let name = text_of(parameter.body, "name").unwrap_or_default();
    text_of(parameter.body, "in") == Some("path") && !path.contains(&format!("{{{name}}}"))
}

/// Calls that the system would make back.
fn callbacks(one: &Operation<'_>) -> Vec<Without> {
    let names = one.body.get("callbacks").and_then(Value::as_object).into_iter().flatten();
    names
        .map(|(name, _)| Without {
            at: format!("{}/callbacks{}", one.at, step(name)),
            reason: Reason::Callback,
            say: "A callback is a call that the system makes, and no tool of it.".to_owned(),
        })
        .collect()
}
