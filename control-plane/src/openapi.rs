//! Owns how an OpenAPI document becomes proposals for tools. Invariants: nothing of a document is
//! followed out of it; every operation that was asked for is proposed or named with why not; each
//! proposal is a declaration without a fault, by the same check that publishing makes.

mod answer;
mod body;
mod draft;
mod name;
mod operation;
mod outline;
mod parameter;
mod place;
mod prune;
mod reference;
mod schema;
mod security;
mod text;
mod yaml;

use contract::Fault;
use contract::shape::http;
use contract::verbs::server::{
    CredentialSuggestion, Declaration, LeftOut, Reason, TagCount, Without,
};
use serde_json::Value;

use operation::Maker;
use outline::Operation;

/// The input's field that faults of the document are told of.
const FIELD: &str = "document";
/// The most things left out that are listed.
const LEFT_OUT_MAX: usize = 1_000;
/// The most nodes of all schemas of one answer together.
const NODES_MAX: usize = 400_000;
/// The most bytes of all proposals together.
const PROPOSALS_BYTES_MAX: usize = 3 << 20;

/// What is asked of a document.
#[derive(Debug)]
pub(crate) struct Asked<'a> {
    /// Its text.
    pub(crate) document: &'a str,
    /// The tags of which an operation bears one; empty for any.
    pub(crate) tags: &'a [String],
    /// The patterns of which a path begins with one; empty for any.
    pub(crate) paths: &'a [String],
    /// What goes before each path, if the document's own word does not count.
    pub(crate) base_path: Option<&'a str>,
    /// Whether schemas of answers are taken over.
    pub(crate) output_schemas: bool,
    /// The most proposals.
    pub(crate) limit: usize,
    /// Where the tools will point.
    pub(crate) server: &'a http::Server,
    /// What servers may declare out of the ordinary.
    pub(crate) policy: &'a http::Policy,
}

/// What a document was read as.
#[derive(Debug)]
pub(crate) struct Found {
    /// The proposals, by path and method.
    pub(crate) proposals: Vec<Proposed>,
    /// What matched and is not proposed.
    pub(crate) left_out: Vec<LeftOut>,
    /// How many operations there are.
    pub(crate) operations: usize,
    /// How many of them were not asked for.
    pub(crate) pruned: usize,
    /// The tags, by name.
    pub(crate) tags: Vec<TagCount>,
    /// What went before each path.
    pub(crate) base_path: String,
    /// The origins that the document names for itself.
    pub(crate) origins: Vec<String>,
    /// The ways to authenticate that it describes.
    pub(crate) credentials: Vec<CredentialSuggestion>,
}

/// One proposal.
#[derive(Debug)]
pub(crate) struct Proposed {
    /// Method and path.
    pub(crate) operation: String,
    /// Where in the document it is.
    pub(crate) at: String,
    /// The declaration.
    pub(crate) tool: Declaration,
    /// Optional parts that cannot be declared.
    pub(crate) without: Vec<Without>,
}

/// Why something is not proposed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Skip {
    reason: Reason,
    say: String,
    /// Where it is, below what was being read.
    at: String,
}

impl Skip {
    fn new(reason: Reason, say: impl Into<String>) -> Self {
        Self { reason, say: say.into(), at: String::new() }
    }

    /// The same, seen from what holds the faulty part under `key`.
    fn inside(mut self, key: &str) -> Self {
        self.at.insert_str(0, &outline::step(key));
        self
    }
}

/// Reads a document as proposals.
///
/// # Errors
///
/// Every fault of the document's outline together, each with where it is and what to do.
pub(crate) fn read(asked: &Asked<'_>) -> Result<Found, Vec<Fault>> {
    let root = text::read(asked.document).map_err(|fault| vec![fault])?;
    let outline = outline::of(&root)?;
    let place = place::of(&root, asked)?;
    let names = outline.names();
    let mut maker = Maker::new(&outline, &place, asked);
    let mut found = Found {
        proposals: Vec::new(),
        left_out: outline.left_out.clone(),
        operations: outline.operations.len(),
        pruned: 0,
        tags: prune::tags(&outline.operations),
        base_path: place.base_path.clone(),
        origins: place.origins.clone(),
        credentials: security::suggestions(&outline.document),
    };
    found.left_out.retain(|one| {
        let path = one.operation.split_once(' ').map_or("", |(_, path)| path);
        asked.tags.is_empty() && (path.is_empty() || prune::matches(asked.paths, path))
    });
    let mut bytes = 0;
    for one in &outline.operations {
        if !prune::wanted(asked, one) {
            found.pruned += 1;
            continue;
        }
        let name = names.get(&(one.path, one.method)).cloned().flatten();
        let made = if found.proposals.len() < asked.limit && bytes < PROPOSALS_BYTES_MAX {
            maker.make(one, name)
        } else {
            Err(Skip::new(Reason::OverLimit, "The limit was reached before it."))
        };
        match made {
            Ok(proposed) => {
                bytes += serde_json::to_string(&proposed.tool).map_or(0, |text| text.len());
                found.proposals.push(proposed);
            }
            Err(skip) => found.left_out.push(left_out(one, skip)),
        }
    }
    // By path, as the proposals are: the slashes of a pointer's step are written otherwise.
    found.left_out.sort_by_cached_key(|one| one.at.replace("~1", "/"));
    found.left_out.truncate(LEFT_OUT_MAX);
    Ok(found)
}

fn left_out(one: &Operation<'_>, skip: Skip) -> LeftOut {
    let Skip { reason, say, at } = skip;
    LeftOut { operation: one.title(), at: format!("{}{at}", one.at), reason, say }
}

/// A text of the document on one line, without what a terminal would obey, and no longer than
/// `chars_max`.
fn shorten(text: &str, chars_max: usize) -> String {
    let words: Vec<&str> =
        text.split(|one: char| one.is_whitespace() || one.is_control()).collect();
    let line = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    if line.chars().count() <= chars_max {
        return line;
    }
    let short: String = line.chars().take(chars_max.saturating_sub(1)).collect();
    format!("{}…", short.trim_end())
}

/// A name of the document, to be told.
fn brief(text: &str) -> String {
    shorten(text, 120)
}

/// A text member of a value.
fn text_of<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}

#[cfg(test)]
mod tests;
