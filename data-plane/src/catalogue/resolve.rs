//! Owns the way from an address to what it names and where the call reaches. Invariant: what is not
//! there and what the caller may not reach are answered alike; a list of places holds only those
//! that the caller may name.

use std::sync::Arc;

use contract::shape::Instance;
use contract::verb::{Registry, Verb};
use contract::verbs::tool::Classification;
use contract::{Action, Address, Effect, Place, Scope};
use tenancy::authority::{self, Called, Caller, Now};
use tenancy::lease::Standing;

use super::index::{Index, Server, Tool, Version};

/// What a call names.
#[derive(Debug, Clone)]
pub(crate) enum Target {
    /// One of the platform's own verbs.
    Seat(&'static Verb),
    /// A tool of a server.
    Tool(Box<ToolTarget>),
}

/// A tool, at the version that this caller's packs hold.
#[derive(Debug, Clone)]
pub(crate) struct ToolTarget {
    /// Its server.
    pub(crate) server: Arc<Server>,
    /// The tool.
    pub(crate) tool: Arc<Tool>,
    /// The declaration to call; absent if no classified one is in the caller's packs.
    pub(crate) version: Option<Arc<Version>>,
    /// What that declaration was judged to be.
    pub(crate) classification: Option<Classification>,
    /// The same, as authority sees it.
    pub(crate) called: Option<Called>,
}

/// What a call names and where it reaches.
#[derive(Debug, Clone)]
pub(crate) struct Resolved {
    /// The full address.
    pub(crate) address: Address,
    /// Where the call is decided.
    pub(crate) scope: Scope,
    /// What it names.
    pub(crate) target: Target,
    /// What it does to the world.
    pub(crate) effect: Effect,
    /// Whether the place was chosen for the caller.
    pub(crate) chosen: bool,
    /// The action that a seat needs there, where it is not the control plane that decides.
    pub(crate) action: Option<Action>,
    /// The record that a seat's call is about.
    pub(crate) record: Record,
}

/// The record that a seat's call is about. One that is not there and one that may not be seen are
/// answered alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Record {
    /// None.
    None,
    /// One that is there.
    There {
        /// The field that names it.
        field: &'static str,
    },
    /// One that is not.
    Absent {
        /// The field that names it.
        field: &'static str,
    },
}

/// Why an address names nothing that can be called.
#[derive(Debug)]
pub(crate) enum Unresolved {
    /// Nothing there, or nothing the caller may reach.
    Unknown,
    /// A place must be named: one of these.
    PlaceRequired(Vec<Place>),
}

/// Who asks, and by which standing and moment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asking<'a, 'v> {
    /// Who.
    pub(crate) caller: &'a Caller<'v>,
    /// Under which lease.
    pub(crate) standing: Standing,
    /// When.
    pub(crate) now: Now,
}

/// Finds what `address` names for this caller.
pub(crate) fn resolve(
    index: &Index,
    asking: Asking<'_, '_>,
    address: &Address,
) -> Result<Resolved, Unresolved> {
    match &address.place {
        None => {
            if let Some(seat) = seat(address) {
                return Ok(Resolved {
                    address: address.clone(),
                    scope: asking.caller.home().clone(),
                    target: Target::Seat(seat),
                    effect: seat.effect,
                    chosen: false,
                    action: None,
                    record: Record::None,
                });
            }
            without_place(index, asking, address)
        }
        Some(place) => {
            let scope = place.scope(asking.caller.view().root()).ok_or(Unresolved::Unknown)?;
            let server = index.server(&scope, &address.server).ok_or(Unresolved::Unknown)?;
            let tool = server.tools.get(&address.tool).ok_or(Unresolved::Unknown)?;
            Ok(at(asking.caller, server, tool))
        }
    }
}

/// The verb of the platform's own that an address without a place names, if agents can reach it.
pub(crate) fn seat(address: &Address) -> Option<&'static Verb> {
    let name = format!("{}.{}", address.server, address.tool);
    Registry::get().verb(&name).filter(|verb| verb.on_mcp() && address.place.is_none())
}

/// A tool as this caller would call it.
pub(crate) fn at(caller: &Caller<'_>, server: &Arc<Server>, tool: &Arc<Tool>) -> Resolved {
    let called = authority::pack_pick(caller, tool.id, tool.newest_classified());
    let version = called.and_then(|called| tool.version(called.version.declaration));
    let classification = called
        .and_then(|called| tool.classification(called.version.classification))
        .filter(|judged| version.is_some_and(|version| version.digest == judged.digest));
    let effect = classification.map_or_else(
        || tool.newest().map_or(Effect::Financial, |newest| newest.declared.effect),
        |judged| judged.effect,
    );
    Resolved {
        address: server.address(&tool.name),
        scope: server.scope.clone(),
        effect,
        chosen: false,
        action: Some(effect.action()),
        record: Record::None,
        target: Target::Tool(Box::new(ToolTarget {
            version: version.cloned(),
            classification: classification.cloned(),
            called,
            server: Arc::clone(server),
            tool: Arc::clone(tool),
        })),
    }
}

/// Whether the caller may call the tool: what search, describe and lists show.
pub(crate) fn callable(asking: Asking<'_, '_>, resolved: &Resolved) -> bool {
    let Target::Tool(target) = &resolved.target else { return false };
    let (Some(called), Some(_), Some(version)) =
        (&target.called, &target.classification, &target.version)
    else {
        return false;
    };
    version.endpoint().is_ok()
        && permits(asking, called, resolved)
        && credential_usable(asking, target)
}

/// Whether the server of a tool may use the credential that it sends along, if it sends one.
pub(crate) fn credential_usable(asking: Asking<'_, '_>, target: &ToolTarget) -> bool {
    let Instance::Http(server) = &*target.server.instance;
    let (view, scope) = (asking.caller.view(), &target.server.scope);
    server.credential.as_ref().is_none_or(|credential| {
        credential
            .id
            .parse()
            .is_ok_and(|id| authority::credential_usable(view, id, scope, asking.now.wall).is_ok())
    })
}

fn permits(asking: Asking<'_, '_>, called: &Called, resolved: &Resolved) -> bool {
    let action = resolved.effect.action();
    let scope = &resolved.scope;
    authority::decide_call(&asking.standing, asking.caller, called, action, scope, asking.now)
        .permit()
        .is_ok()
}

/// A server that may answer from any place answers from the nearest scope, then by name; any other
/// needs its place.
fn without_place(
    index: &Index,
    asking: Asking<'_, '_>,
    address: &Address,
) -> Result<Resolved, Unresolved> {
    let home = asking.caller.home();
    let mut candidates: Vec<Resolved> = index
        .named(&address.server)
        .iter()
        .filter_map(|server| Some((server, server.tools.get(&address.tool)?)))
        .map(|(server, tool)| at(asking.caller, server, tool))
        .filter(|resolved| callable(asking, resolved))
        .collect();
    candidates.sort_by_key(|resolved| (distance(home, &resolved.scope), resolved.scope.clone()));
    let interchangeable = |resolved: &Resolved| match &resolved.target {
        Target::Tool(target) => target.server.interchangeable,
        Target::Seat(_) => false,
    };
    if let Some(chosen) = candidates.iter().find(|resolved| interchangeable(resolved)) {
        return Ok(Resolved { chosen: true, ..chosen.clone() });
    }
    if candidates.is_empty() {
        return Err(Unresolved::Unknown);
    }
    Err(Unresolved::PlaceRequired(candidates.iter().map(|found| Place::of(&found.scope)).collect()))
}

/// How many steps lie between two scopes of one identity.
fn distance(from: &Scope, to: &Scope) -> usize {
    let shared = from.as_str().split('/').zip(to.as_str().split('/')).take_while(|(a, b)| a == b);
    let shared = shared.count();
    let depth = |scope: &Scope| scope.as_str().split('/').count();
    depth(from) + depth(to) - 2 * shared
}
