//! A generated identity, and a naive model of who may call what in it. Invariant: the model is written
//! from the design's words alone and calls nothing of the product.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::Index;

/// Groups and projects. Some names begin alike: scopes compare by segment, never by text.
pub(super) const SCOPES: [&str; 12] = [
    "",
    "/shop",
    "/shop/checkout",
    "/shop/check",
    "/shop/returns",
    "/shopping",
    "/shopping/checkout",
    "/sh",
    "/sh/op",
    "/support",
    "/support/mail",
    "/support/returns",
];

/// Roles that call tools, and those that do not.
const CALLING: [&str; 4] = ["owner", "admin", "approver", "member"];
const LOOKING: [&str; 4] = ["curator", "billing", "auditor", "viewer"];
pub(super) const EFFECTS: [&str; 4] = ["read", "write", "destructive", "financial"];
const TOOLS: [&str; 3] = ["ask", "tell.more", "drop_all"];
const SERVERS: [&str; 2] = ["orders", "letters"];

/// Where a tool stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Classified,
    Unclassified,
    /// Declared anew since: what was judged goes on.
    Drifted,
    Withdrawn,
}

#[derive(Debug, Clone)]
pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) effect: &'static str,
    pub(super) state: State,
}

/// What a server sends along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Credential {
    None,
    /// Granted at this scope.
    Granted(&'static str),
    /// Granted at the server's scope, and revoked.
    Revoked,
}

#[derive(Debug, Clone)]
pub(super) struct Server {
    pub(super) scope: &'static str,
    pub(super) name: &'static str,
    pub(super) interchangeable: bool,
    pub(super) withdrawn: bool,
    pub(super) credential: Credential,
    pub(super) tools: Vec<Tool>,
}

#[derive(Debug, Clone)]
pub(super) struct Grant {
    pub(super) role: &'static str,
    pub(super) scope: &'static str,
    pub(super) revoked: bool,
}

/// What a token is bound to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Packs {
    Live,
    None,
    /// The one pack that the identity publishes.
    Half,
}

/// What a token is narrowed to.
#[derive(Debug, Clone)]
pub(super) struct Narrowing {
    pub(super) scope: Option<&'static str>,
    pub(super) effects: Option<Vec<&'static str>>,
    pub(super) packs: Packs,
}

#[derive(Debug, Clone)]
pub(super) struct Principal {
    pub(super) agent: bool,
    pub(super) supervised: bool,
    pub(super) grants: Vec<Grant>,
    pub(super) token: Narrowing,
    /// Whether it calls with a child of the token, narrowed to this scope.
    pub(super) child: Option<&'static str>,
}

#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) servers: Vec<Server>,
    pub(super) principals: Vec<Principal>,
    /// Archived at the end.
    pub(super) archived: Vec<&'static str>,
    /// Which of the classified tools the pack pins.
    pub(super) pinned: u64,
}

/// A tool by its full address, without the identity.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Found {
    pub(super) scope: &'static str,
    pub(super) address: String,
}

/// Whether the scope `above` is `below` or lies above it.
fn covers(above: &str, below: &str) -> bool {
    let above: Vec<&str> = above.split('/').collect();
    let below: Vec<&str> = below.split('/').collect();
    below.starts_with(&above)
}

/// The place of a scope, as an address says it.
pub(super) fn place(scope: &str) -> &str {
    scope.strip_prefix('/').unwrap_or(".")
}

impl Plan {
    /// Every tool of the plan, with its server.
    pub(super) fn tools(&self) -> impl Iterator<Item = (&Server, &Tool)> {
        self.servers.iter().flat_map(|server| server.tools.iter().map(move |tool| (server, tool)))
    }

    /// Whether the pack pins a tool.
    pub(super) fn pins(&self, server: &Server, tool: &Tool) -> bool {
        let at =
            self.tools().position(|(one, of)| std::ptr::eq(one, server) && std::ptr::eq(of, tool));
        tool.state != State::Unclassified && at.is_some_and(|at| self.pinned >> (at % 64) & 1 == 1)
    }

    fn is_archived(&self, scope: &str) -> bool {
        self.archived.iter().any(|archived| covers(archived, scope))
    }

    /// The model: may this principal call this tool?
    pub(super) fn may(&self, principal: &Principal, server: &Server, tool: &Tool) -> bool {
        let scope = server.scope;
        let granted = principal.grants.iter().any(|grant| {
            !grant.revoked && CALLING.contains(&grant.role) && covers(grant.scope, scope)
        });
        let token = &principal.token;
        let in_scope = token.scope.is_none_or(|to| covers(to, scope))
            && principal.child.is_none_or(|to| covers(to, scope));
        let in_effects = token.effects.as_ref().is_none_or(|to| to.contains(&tool.effect));
        let in_packs = match token.packs {
            Packs::Live => true,
            Packs::None => false,
            Packs::Half => self.pins(server, tool),
        };
        let there = !server.withdrawn
            && matches!(tool.state, State::Classified | State::Drifted)
            && !self.is_archived(scope);
        let usable = match server.credential {
            Credential::None => true,
            Credential::Granted(at) => covers(at, scope),
            Credential::Revoked => false,
        };
        granted && in_scope && in_effects && in_packs && there && usable
    }

    /// Everything that a principal may call.
    pub(super) fn callable(&self, principal: &Principal) -> BTreeSet<Found> {
        self.tools()
            .filter(|(server, tool)| self.may(principal, server, tool))
            .map(|(server, tool)| found(server, tool))
            .collect()
    }
}

pub(super) fn found(server: &Server, tool: &Tool) -> Found {
    let address = format!("{}/{}.{}", place(server.scope), server.name, tool.name);
    Found { scope: server.scope, address }
}

fn scope() -> impl Strategy<Value = &'static str> {
    any::<Index>().prop_map(|at| *at.get(&SCOPES))
}

fn tool() -> impl Strategy<Value = (usize, State)> {
    let state = prop_oneof![
        6 => Just(State::Classified),
        1 => Just(State::Unclassified),
        1 => Just(State::Drifted),
        1 => Just(State::Withdrawn),
    ];
    (0..EFFECTS.len(), state)
}

fn server() -> impl Strategy<Value = Server> {
    let credential = prop_oneof![
        8 => Just(Credential::None),
        3 => scope().prop_map(Credential::Granted),
        1 => Just(Credential::Revoked),
    ];
    let flags = (prop::bool::weighted(0.2), prop::bool::weighted(0.1));
    (scope(), 0..SERVERS.len(), flags, credential, prop::collection::vec(tool(), 1..=3)).prop_map(
        |(scope, name, (interchangeable, withdrawn), credential, tools)| {
            let tool = |((effect, state), name): ((usize, State), &&'static str)| Tool {
                name,
                effect: EFFECTS[effect],
                state,
            };
            Server {
                scope,
                name: SERVERS[name],
                interchangeable,
                withdrawn,
                credential,
                tools: tools.into_iter().zip(&TOOLS).map(tool).collect(),
            }
        },
    )
}

fn grant() -> impl Strategy<Value = Grant> {
    let role = prop_oneof![
        3 => prop::sample::select(&CALLING[..]),
        1 => prop::sample::select(&LOOKING[..]),
    ];
    // Often high up, so that much is reached and much is not.
    let scope = prop_oneof![3 => Just(""), 2 => Just("/shop"), 5 => scope()];
    (role, scope, prop::bool::weighted(0.15)).prop_map(|(role, scope, revoked)| Grant {
        role,
        scope,
        revoked,
    })
}

fn narrowing() -> impl Strategy<Value = Narrowing> {
    let packs = prop_oneof![
        8 => Just(Packs::Live),
        1 => Just(Packs::None),
        2 => Just(Packs::Half),
    ];
    let effects = prop::sample::subsequence(&EFFECTS[..], 1..=3);
    (prop::option::weighted(0.2, scope()), prop::option::weighted(0.2, effects), packs)
        .prop_map(|(scope, effects, packs)| Narrowing { scope, effects, packs })
}

fn principal() -> impl Strategy<Value = Principal> {
    let grants = prop::collection::vec(grant(), 1..=4);
    let flags = (prop::bool::weighted(0.7), prop::bool::weighted(0.3));
    (flags, grants, narrowing(), prop::option::weighted(0.1, scope())).prop_map(
        |((agent, supervised), grants, token, child)| {
            // A child lies within its parent.
            let within = |to: &&'static str| token.scope.is_none_or(|home| covers(home, to));
            Principal { agent, supervised, grants, child: child.filter(within), token }
        },
    )
}

/// A plan. Of servers with the same name at the same scope the first counts.
pub(super) fn plan() -> impl Strategy<Value = Plan> {
    let servers = prop::collection::vec(server(), 8..=14);
    let principals = prop::collection::vec(principal(), 8..=12);
    let archived = prop::collection::vec(1..SCOPES.len(), 0..=2);
    (servers, principals, archived, any::<u64>()).prop_map(
        |(mut servers, principals, archived, pinned)| {
            let mut names = BTreeSet::new();
            servers.retain(|server| names.insert((server.scope, server.name)));
            let archived = archived.into_iter().map(|at| SCOPES[at]).collect();
            Plan { servers, principals, archived, pinned }
        },
    )
}
