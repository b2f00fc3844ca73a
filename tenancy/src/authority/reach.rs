//! Owns the question turned round: at which scopes may the caller do this? Invariant: every scope it
//! answers is one at which [`decide`](super::decide()) permits, and none is left out.

use std::collections::HashSet;

use contract::{Action, Scope};

use super::decide::{First, Question, judge};
use super::{Caller, Now, Objection};
use crate::lease::Standing;

/// Every scope at which the caller may do `action`, in order. Looks at every scope of the identity:
/// for listing places, not for the way of a call.
///
/// # Errors
/// Unavailable without a valid lease. A caller who is no longer anyone reaches nothing.
pub fn places<'v>(
    standing: &Standing,
    caller: &Caller<'v>,
    action: Action,
    now: Now,
) -> Result<Vec<&'v Scope>, Objection> {
    if !standing.stands_at(now.boot_ms) {
        return Err(Objection::Unavailable);
    }
    let claim = caller.claim();
    let may = |target: &&Scope| {
        let question = Question { action, target, called: None, now: now.wall };
        judge(&claim, &question, &mut First).is_ok()
    };
    let mut places: Vec<_> =
        caller.view().scopes().map(|record| &record.scope).filter(may).collect();
    places.sort_unstable();
    Ok(places)
}

/// The highest scopes at which the caller may do `action`, in order: the granted scopes, cut by the
/// token. What lies below one of them may be archived, and is then not reached.
///
/// # Errors
/// As [`places`].
pub fn reachable<'v>(
    standing: &Standing,
    caller: &Caller<'v>,
    action: Action,
    now: Now,
) -> Result<Vec<&'v Scope>, Objection> {
    let places = places(standing, caller, action, now)?;
    let known: HashSet<&str> = places.iter().map(|scope| scope.as_str()).collect();
    let highest = |scope: &&Scope| !scope.upward().skip(1).any(|above| known.contains(above));
    Ok(places.iter().copied().filter(highest).collect())
}
