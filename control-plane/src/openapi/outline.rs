//! The outline of a document: that it is one, and which operations it has. Invariant: what is in an
//! [`Outline`] has the shape that the specification gives it, down to its operations' parameters; all
//! that has not is told together.

use std::collections::BTreeMap;

use contract::verbs::server::{LeftOut, Reason};
use contract::{Fault, ToolName};
use serde_json::Value;

use super::name::{self, Named};
use super::reference::Document;
use super::{FIELD, brief, text_of};

/// The most faults that are told.
const FAULTS_MAX: usize = 32;
/// The most operations of a document.
const OPERATIONS_MAX: usize = 5_000;
/// The methods that a path may have.
const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// A document and its operations, by path and method.
#[derive(Debug)]
pub(super) struct Outline<'d> {
    /// The document.
    pub(super) document: Document<'d>,
    /// Its operations.
    pub(super) operations: Vec<Operation<'d>>,
    /// What holds no operations that can be read, and what is no operation of the system's.
    pub(super) left_out: Vec<LeftOut>,
}

/// One operation.
#[derive(Debug)]
pub(super) struct Operation<'d> {
    /// The path, as the document writes it.
    pub(super) path: &'d str,
    /// The method, in lower case.
    pub(super) method: &'d str,
    /// Where in the document it is.
    pub(super) at: String,
    /// What its path says of all its operations.
    pub(super) item: &'d Value,
    /// What it says itself.
    pub(super) body: &'d Value,
    /// Its tags.
    pub(super) tags: Vec<&'d str>,
}

impl Operation<'_> {
    /// Method and path.
    pub(super) fn title(&self) -> String {
        format!("{} {}", self.method.to_ascii_uppercase(), brief(self.path))
    }
}

impl<'d> Outline<'d> {
    /// A name for each operation, by path and method; none where no name of its own was found.
    pub(super) fn names(&self) -> BTreeMap<(&'d str, &'d str), Option<ToolName>> {
        let named = self.operations.iter().map(|one| Named {
            path: one.path,
            method: one.method,
            id: text_of(one.body, "operationId"),
        });
        name::tools(&named.collect::<Vec<_>>())
    }
}

/// The outline of a document.
///
/// # Errors
///
/// Every fault of it, up to a bound.
pub(super) fn of(root: &Value) -> Result<Outline<'_>, Vec<Fault>> {
    let mut faults = Faults::default();
    let is_30 = version(root, &mut faults);
    let document = Document { root, is_30 };
    let mut outline = Outline { document, operations: Vec::new(), left_out: webhooks(root) };
    match root.get("paths") {
        Some(Value::Object(paths)) => {
            let mut paths: Vec<_> =
                paths.iter().filter(|(key, _)| !key.starts_with("x-")).collect();
            paths.sort_by_key(|(path, _)| path.as_str());
            for (path, item) in paths {
                item_of(&mut outline, path, item, &mut faults);
            }
        }
        None if !is_30 && root.get("webhooks").is_some() => {}
        Some(_) | None => faults.add("/paths", "There is no object of paths.", "List the paths."),
    }
    if outline.operations.len() > OPERATIONS_MAX {
        let say = format!("There are more than {OPERATIONS_MAX} operations.");
        faults.add("/paths", &say, "Send a document with fewer paths.");
    }
    faults.none_or(outline)
}

/// Whether the document is of OpenAPI 3.0 rather than 3.1.
fn version(root: &Value, faults: &mut Faults) -> bool {
    const FIX: &str = "Send a document of OpenAPI 3.0 or 3.1; converters exist for others.";
    let version = text_of(root, "openapi");
    let of = |minor: &str| {
        version.and_then(|version| version.strip_prefix(minor)).is_some_and(|rest| {
            rest.is_empty() || (rest.starts_with('.') && rest.bytes().all(|b| b.is_ascii_graphic()))
        })
    };
    if of("3.0") || of("3.1") {
        return of("3.0");
    }
    let unfit = version
        .map(str::to_owned)
        .or_else(|| Some(format!("Swagger {}", text_of(root, "swagger")?)));
    let say = match unfit {
        Some(version) => format!("It is of another version: `{}`.", brief(&version)),
        None => "It does not say which version of OpenAPI it is of.".to_owned(),
    };
    faults.add("/openapi", &say, FIX);
    true
}

fn item_of<'d>(outline: &mut Outline<'d>, path: &'d str, item: &'d Value, faults: &mut Faults) {
    let at = format!("/paths{}", step(path));
    if !path.starts_with('/') {
        faults.add(&at, "A path does not begin with a slash.", "Write it as in `/invoices/{id}`.");
    }
    if !item.is_object() {
        faults.add(
            &at,
            "What a path holds is no object.",
            "Put its operations under their methods.",
        );
        return;
    }
    let resolved = match outline.document.resolve(item) {
        Ok(resolved) => resolved,
        Err(skip) => {
            let operation = format!("any {}", brief(path));
            outline.left_out.push(LeftOut { operation, at, reason: skip.reason, say: skip.say });
            return;
        }
    };
    parameters(resolved, &at, faults);
    for method in METHODS {
        let Some(body) = resolved.get(method) else { continue };
        let at = format!("{at}/{method}");
        if !body.is_object() {
            faults.add(&at, "An operation is no object.", "Describe it, or take it out.");
            continue;
        }
        parameters(body, &at, faults);
        let tags = body.get("tags").and_then(Value::as_array).into_iter().flatten();
        let tags = tags.filter_map(Value::as_str).collect();
        outline.operations.push(Operation { path, method, at, item: resolved, body, tags });
    }
}

fn parameters(holder: &Value, at: &str, faults: &mut Faults) {
    let at = format!("{at}/parameters");
    let items = match holder.get("parameters") {
        None => return,
        Some(Value::Array(items)) => items,
        Some(_) => {
            faults.add(&at, "The parameters are no list.", "Send a list, empty if there are none.");
            return;
        }
    };
    for (index, parameter) in items.iter().enumerate() {
        let known = |place: &str| ["path", "query", "header", "cookie"].contains(&place);
        let named = text_of(parameter, "name").is_some_and(|name| !name.is_empty())
            && text_of(parameter, "in").is_some_and(known);
        if !named && parameter.get("$ref").is_none() {
            faults.add(
                &format!("{at}/{index}"),
                "A parameter has no name, or is in none of path, query, header and cookie.",
                "Give it `name` and `in`.",
            );
        }
    }
}

/// Calls that the system makes are no tools of it.
fn webhooks(root: &Value) -> Vec<LeftOut> {
    let names = root.get("webhooks").and_then(Value::as_object).into_iter().flatten();
    names
        .map(|(name, _)| LeftOut {
            operation: brief(name),
            at: format!("/webhooks{}", step(name)),
            reason: Reason::Callback,
            say: "A webhook is a call that the system makes, and no tool of it.".to_owned(),
        })
        .collect()
}

/// One step of a JSON pointer (RFC 6901).
pub(super) fn step(key: &str) -> String {
    format!("/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// The faults found so far; of too many the first.
#[derive(Debug, Default)]
struct Faults(Vec<Fault>);

impl Faults {
    fn add(&mut self, at: &str, say: &str, fix: &str) {
        if self.0.len() < FAULTS_MAX {
            self.0.push(Fault::new(format!("{FIELD}{at}"), say, fix));
        }
    }

    fn none_or<T>(self, value: T) -> Result<T, Vec<Fault>> {
        if self.0.is_empty() { Ok(value) } else { Err(self.0) }
    }
}
