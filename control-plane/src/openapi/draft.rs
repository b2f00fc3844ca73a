//! Arguments on their way to a declaration: what the system names them, before callers' names are
//! given. Invariant: no two arguments of a tool share a name, and names do not depend on the order in
//! which the document lists them.

use std::collections::BTreeSet;

use contract::shape::http::declaration::{Argument, Location, Style};
use contract::verbs::server::{Reason, Without};
use serde_json::Value;

use super::{Skip, name};

/// The most arguments of a tool.
const ARGUMENTS_MAX: usize = 64;

/// An argument that has no name yet.
#[derive(Debug)]
pub(super) struct Draft {
    /// What the system names it.
    pub(super) target: String,
    /// Where on the request it goes.
    pub(super) location: Location,
    /// Its schema.
    pub(super) schema: Value,
    /// Whether it must be there.
    pub(super) required: bool,
    /// How it is written in the query.
    pub(super) style: Style,
    /// Whether each item or member is a pair of its own, if that is not the style's own way.
    pub(super) explode: Option<bool>,
    /// Whether it is the whole body.
    pub(super) whole_body: bool,
    /// Where in the document it is.
    pub(super) at: String,
}

/// The drafts as arguments, in their order, and what does not fit among them.
pub(super) fn named(drafts: Vec<Draft>) -> Result<(Vec<Argument>, Vec<Without>), Skip> {
    let needed = drafts.iter().filter(|draft| draft.required).count();
    if needed > ARGUMENTS_MAX {
        let say = format!("{needed} arguments must be there: a tool has at most {ARGUMENTS_MAX}.");
        return Err(Skip::new(Reason::TooManyArguments, say));
    }
    let mut room = ARGUMENTS_MAX - needed;
    let (mut kept, mut without) = (Vec::new(), Vec::new());
    for draft in drafts {
        if !draft.required && room == 0 {
            let say = format!("A tool has at most {ARGUMENTS_MAX} arguments.");
            without.push(Without { at: draft.at, reason: Reason::TooManyArguments, say });
            continue;
        }
        room -= usize::from(!draft.required);
        kept.push(draft);
    }
    let mut order: Vec<usize> = (0..kept.len()).collect();
    // The plain name goes to the path's first, then to the query's, a header's and the body's.
    order.sort_by_key(|index| kept.get(*index).map(|one| (rank(one.location), one.target.clone())));
    let mut names = vec![String::new(); kept.len()];
    let mut taken = BTreeSet::new();
    for index in order {
        let (Some(draft), Some(name)) = (kept.get(index), names.get_mut(index)) else { continue };
        *name = name::argument(&draft.target, place(draft.location), &taken);
        if !taken.insert(name.clone()) {
            let say = "Two of its arguments cannot be told apart by name.";
            return Err(Skip::new(Reason::NameClash, say));
        }
    }
    let arguments = kept.into_iter().zip(names).map(|(draft, name)| argument(draft, name));
    Ok((arguments.collect(), without))
}

fn argument(draft: Draft, name: String) -> Argument {
    let plain = draft.target == name || draft.whole_body;
    Argument {
        target: (!plain).then_some(draft.target),
        name,
        location: draft.location,
        schema: draft.schema,
        required: draft.required,
        style: draft.style,
        explode: draft.explode,
        allow_percent: false,
        whole_body: draft.whole_body,
        fixed: None,
    }
}

fn place(location: Location) -> &'static str {
    match location {
        Location::Path => "path",
        Location::Query => "query",
        Location::Header => "header",
        Location::Body => "body",
    }
}

fn rank(location: Location) -> u8 {
    match location {
        Location::Path => 0,
        Location::Query => 1,
        Location::Header => 2,
        Location::Body => 3,
    }
}
