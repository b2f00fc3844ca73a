//! Owns the authority view: the [`Document`] that the control plane sends to whoever serves an
//! identity, and [`AuthorityView`], the same indexed for deciding. Invariant: a view is one
//! immutable revision of one identity; it holds data and never a verdict.
//!
//! A reference to what is not in the document gives nothing: a grant of an unknown role allows
//! nothing, a child of an unknown token is dead. A contradiction (the same id twice, another
//! identity's scope) is a fault of whoever wrote the document, and the view is not made.
//!
//! The index is such that one decision looks at one token, one principal and at most three of its
//! scopes, whatever the number of grants.

mod bearer;
mod document;
mod holder;
mod index;
mod proposed;

use std::collections::HashMap;
use std::sync::Arc;

use contract::id;
use contract::{Id, Name, Scope, Timestamp};

pub(crate) use bearer::{Bearer, Bound, common};
pub use contract::verbs::principal::{Kind as PrincipalKind, Stage};
pub use contract::verbs::token::PackRef;
pub use document::{
    Credential, CredentialGrant, Document, Grant, OnLabel, Pack, Pin, Principal, ScopeRecord,
    Settings, Token,
};
pub(crate) use holder::{Holder, Until};
pub use index::Inconsistent;
pub use proposed::Proposal;

use crate::role::{ActionSet, BuiltIn, Role};
use crate::token;

/// The pack that is whatever is classified, at its newest version.
pub const LIVE: &str = "live";
/// How many ancestors a token may have.
pub const ANCESTORS_MAX: usize = 3;

/// One revision of who may do what in one identity.
#[derive(Debug)]
pub struct AuthorityView {
    identity: Name,
    identity_id: Id<id::Identity>,
    root: Scope,
    revision: u64,
    catalogue_revision: u64,
    suspended: bool,
    settings: Settings,
    roles: Vec<Role>,
    scopes: HashMap<Scope, Place>,
    holders: HashMap<Id<id::Principal>, Holder>,
    bearers: HashMap<token::Hash, Bearer>,
    hashes: HashMap<Id<id::Token>, token::Hash>,
    safe: Safe,
    packs: HashMap<(Name, u32), Arc<PackEntry>>,
}

/// A scope that exists.
#[derive(Debug)]
struct Place {
    record: ScopeRecord,
    /// It or a scope above it is archived.
    archived: bool,
}

/// The credentials and which scopes may use them until when.
#[derive(Debug, Default)]
struct Safe {
    credentials: HashMap<Id<id::Credential>, Credential>,
    until: HashMap<Id<id::Credential>, HashMap<Scope, Until>>,
}

/// A pack and its pins by tool.
#[derive(Debug)]
pub(crate) struct PackEntry {
    record: Pack,
    pins: HashMap<Id<id::Tool>, Pin>,
}

impl PackEntry {
    pub(crate) fn pin(&self, tool: Id<id::Tool>) -> Option<Pin> {
        self.pins.get(&tool).copied()
    }
}

impl AuthorityView {
    /// Indexes a document.
    ///
    /// # Errors
    /// When the document contradicts itself: the first contradiction found.
    pub fn new(document: Document) -> Result<Self, Inconsistent> {
        index::build(document)
    }

    /// The identity's name.
    pub const fn identity(&self) -> &Name {
        &self.identity
    }

    /// The identity's id.
    pub const fn identity_id(&self) -> Id<id::Identity> {
        self.identity_id
    }

    /// The scope of the whole identity.
    pub const fn root(&self) -> &Scope {
        &self.root
    }

    /// The authority revision. Grows with every change of a grant, token, principal or scope.
    pub const fn revision(&self) -> u64 {
        self.revision
    }

    /// The revision of the catalogue that this view was written with.
    pub const fn catalogue_revision(&self) -> u64 {
        self.catalogue_revision
    }

    /// Whether every call of the identity is refused.
    pub const fn suspended(&self) -> bool {
        self.suspended
    }

    /// The identity's settings.
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The record of `scope`, if there is such a scope. The identity itself always exists, and has
    /// a record if the document had one.
    pub fn scope(&self, scope: &Scope) -> Option<&ScopeRecord> {
        self.scopes.get(scope).map(|place| &place.record)
    }

    /// The scopes there are, archived ones included, in no order.
    pub fn scopes(&self) -> impl Iterator<Item = &ScopeRecord> {
        self.scopes.values().map(|place| &place.record)
    }

    /// Whether `scope` or a scope above it is archived, or `None` if there is no such scope.
    pub fn archived(&self, scope: &Scope) -> Option<bool> {
        self.scopes.get(scope).map(|place| place.archived)
    }

    /// The principal of that id.
    pub fn principal(&self, id: Id<id::Principal>) -> Option<&Principal> {
        self.holder(id).map(|holder| &holder.record)
    }

    /// The principals, in no order.
    pub fn principals(&self) -> impl Iterator<Item = &Principal> {
        self.holders.values().map(|holder| &holder.record)
    }

    /// The grants of a principal, revoked and expired ones included, by id.
    pub fn grants(&self, principal: Id<id::Principal>) -> &[Grant] {
        self.holder(principal).map_or(&[], |holder| &holder.grants)
    }

    /// The token of that id.
    pub fn token(&self, id: Id<id::Token>) -> Option<&Token> {
        self.bearer_of(id).map(|bearer| &bearer.record)
    }

    /// The actions of the role of that name, built in or the identity's own.
    pub fn role(&self, name: &str) -> Option<ActionSet> {
        role_in(&self.roles, name)
    }

    /// The identity's own roles.
    pub fn roles(&self) -> &[Role] {
        &self.roles
    }

    /// The credential of that id. Whether a server may use it is
    /// [`credential_usable`](crate::authority::credential_usable).
    pub fn credential(&self, id: Id<id::Credential>) -> Option<&Credential> {
        self.safe.credentials.get(&id)
    }

    /// The pack of that name and version.
    pub fn pack(&self, name: &Name, version: u32) -> Option<&Pack> {
        self.packs.get(&(name.clone(), version)).map(|entry| &entry.record)
    }

    pub(crate) fn pack_entry(&self, name: &Name, version: u32) -> Option<&PackEntry> {
        self.packs.get(&(name.clone(), version)).map(AsRef::as_ref)
    }

    /// Whether a token of that id, or a successor of it, is alive.
    pub fn stands(&self, token: Id<id::Token>) -> bool {
        self.bearer_of(token).is_some_and(|bearer| !bearer.revoked)
            || self.bearers.values().any(|bearer| bearer.record.family == Some(token))
    }

    pub(crate) fn holder(&self, id: Id<id::Principal>) -> Option<&Holder> {
        self.holders.get(&id)
    }

    pub(crate) fn bearer(&self, hash: &token::Hash) -> Option<&Bearer> {
        self.bearers.get(hash)
    }

    pub(crate) fn bearer_of(&self, id: Id<id::Token>) -> Option<&Bearer> {
        self.bearers.get(self.hashes.get(&id)?)
    }

    /// Whether the servers at `scope` may use the credential at `now`.
    pub(crate) fn credential_granted(
        &self,
        id: Id<id::Credential>,
        scope: &Scope,
        now: Timestamp,
    ) -> bool {
        let Some(until) = self.safe.until.get(&id) else {
            return false;
        };
        scope.upward().filter_map(|at| until.get(at)).any(|until| until.after(now))
    }
}

fn role_in(roles: &[Role], name: &str) -> Option<ActionSet> {
    let own = || roles.iter().find(|role| role.name.as_str() == name).map(|role| role.actions);
    BuiltIn::named(name).map(BuiltIn::actions).or_else(own)
}

#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
mod tests;
