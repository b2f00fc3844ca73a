//! Owns what packs and credential grants allow. Invariant: a tool must be allowed by the packs of
//! every token of the line; an empty list of packs allows nothing.

use std::sync::Arc;

use contract::id;
use contract::{Id, Scope, Timestamp};

use super::{Caller, Reason};
use crate::view::{AuthorityView, Bearer, Bound, Credential, PackRef, Pin};

/// A tool at the version that is to be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Called {
    /// The tool.
    pub tool: Id<id::Tool>,
    /// At which version.
    pub version: Version,
    /// Whether that is the newest declaration that is classified, as its newest classification
    /// judged it: what the pack `live` allows.
    pub newest: bool,
}

/// A declaration of a tool, as one classification judged it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Version {
    /// The declaration's version.
    pub declaration: u32,
    /// The classification's version.
    pub classification: u32,
}

/// Whether the caller's packs, those of every ancestor of its token and those that its run keeps hold
/// the tool.
pub fn pack_allows(caller: &Caller<'_>, called: &Called) -> bool {
    line_allows(caller.bearer(), called) && run_allows(caller, called)
}

/// The version of `tool` that the caller would call: the first of its packs that holds the tool and
/// that its token's ancestors and its run allow says which. Where the run alone stands against all of
/// them, it is the first that the token allows, so that the decision can name the run. `newest` is the
/// tool's newest classified version, if there is one.
pub fn pack_pick(
    caller: &Caller<'_>,
    tool: Id<id::Tool>,
    newest: Option<Version>,
) -> Option<Called> {
    let bearer = caller.bearer();
    let candidates = bearer.bounds.first()?.iter().filter_map(|bound| match bound {
        Bound::Live => newest,
        Bound::Pinned(pack) => pack.pin(tool).map(|pin| Version {
            declaration: pin.declaration,
            classification: pin.classification,
        }),
    });
    let mut first = None;
    for version in candidates {
        let called = Called { tool, version, newest: newest == Some(version) };
        if !line_allows(bearer, &called) {
            continue;
        }
        if run_allows(caller, &called) {
            return Some(called);
        }
        first = first.or(Some(called));
    }
    first
}

fn run_allows(caller: &Caller<'_>, called: &Called) -> bool {
    let claim = caller.claim();
    kept_allow(claim.view, claim.kept, called)
}

/// Whether all that a run keeps holds the tool. `live` pins nothing, so where a run keeps it, the token
/// alone says what is called.
pub(super) fn kept_allow(view: &AuthorityView, kept: &[Arc<[PackRef]>], called: &Called) -> bool {
    let holds = |pack: &PackRef| match pack.version {
        None => true,
        Some(version) => view
            .pack_entry(&pack.name, version)
            .and_then(|pack| pack.pin(called.tool))
            .is_some_and(|pin| pinned(pin, called)),
    };
    kept.iter().all(|packs| packs.iter().any(holds))
}

pub(super) fn line_allows(bearer: &Bearer, called: &Called) -> bool {
    // A line has its own token at least; a line of none would allow everything.
    !bearer.bounds.is_empty()
        && bearer.bounds.iter().all(|bounds| bounds.iter().any(|bound| bound_allows(bound, called)))
}

fn bound_allows(bound: &Bound, called: &Called) -> bool {
    match bound {
        Bound::Live => called.newest,
        Bound::Pinned(pack) => pack.pin(called.tool).is_some_and(|pin| pinned(pin, called)),
    }
}

fn pinned(pin: Pin, called: &Called) -> bool {
    pin.declaration == called.version.declaration
        && pin.classification == called.version.classification
}

/// The credential, if the servers at `server` may use it at `now`: a credential grant there or above.
///
/// This says nothing about the caller, whose call was decided before.
///
/// # Errors
/// When there is no such credential or no live credential grant; the two are not told apart.
pub fn credential_usable<'v>(
    view: &'v AuthorityView,
    credential: Id<id::Credential>,
    server: &Scope,
    now: Timestamp,
) -> Result<&'v Credential, Reason> {
    view.credential(credential)
        .filter(|_| view.credential_granted(credential, server, now))
        .ok_or(Reason::CredentialNotGranted)
}
