//! Owns tokens, each cut by its whole line of ancestors. Invariant: an ancestor only ever takes away;
//! where the line is broken, the token is dead.

use std::collections::HashMap;
use std::sync::Arc;

use contract::id;
use contract::{Id, Scope};

use super::holder::Until;
use super::index::{Inconsistent, Packs, insert_once};
use super::{ANCESTORS_MAX, LIVE, PackEntry, Token};
use crate::role::ActionSet;
use crate::token;

/// A token, cut by all its ancestors.
#[derive(Debug)]
pub(crate) struct Bearer {
    pub(crate) record: Token,
    /// It or an ancestor was revoked, or an ancestor is not known.
    pub(crate) revoked: bool,
    /// The earliest end in the line.
    pub(crate) until: Until,
    /// Where it reaches; `None` is nowhere, for the scopes of the line have nothing in common.
    pub(crate) reach: Option<Scope>,
    /// Whether anyone in the line was narrowed to a scope.
    pub(crate) narrowed: bool,
    pub(crate) actions: ActionSet,
    /// What each token of the line is bound to, its own first.
    pub(crate) bounds: Vec<Arc<[Bound]>>,
}

/// One pack that a token is bound to.
#[derive(Debug, Clone)]
pub(crate) enum Bound {
    /// Whatever is classified, at its newest.
    Live,
    /// What is pinned.
    Pinned(Arc<PackEntry>),
}

type Tokens<'d> = HashMap<Id<id::Token>, (&'d Token, Arc<[Bound]>)>;
type Bearers = HashMap<token::Hash, Bearer>;
type Hashes = HashMap<Id<id::Token>, token::Hash>;

pub(super) fn index(
    records: Vec<Token>,
    packs: &Packs,
    root: &Scope,
) -> Result<(Bearers, Hashes), Inconsistent> {
    let mut known: Tokens<'_> = HashMap::with_capacity(records.len());
    for record in &records {
        if !matches!(record.kind, token::Kind::Agent | token::Kind::User) {
            return Err(Inconsistent::Kind(record.id));
        }
        let entry = (record, bounds(record, packs)?);
        insert_once(&mut known, record.id, entry, "token", ToString::to_string)?;
    }
    let mut cuts = Vec::with_capacity(records.len());
    for record in &records {
        cuts.push(Cut::of(record, &known, root)?);
    }
    let mut bearers = HashMap::with_capacity(records.len());
    let mut hashes = HashMap::with_capacity(records.len());
    for (record, cut) in records.into_iter().zip(cuts) {
        let (id, hash) = (record.id, record.hash);
        hashes.insert(id, hash);
        insert_once(&mut bearers, hash, cut.bearer(record), "token hash", |_| id.to_string())?;
    }
    Ok((bearers, hashes))
}

fn bounds(record: &Token, packs: &Packs) -> Result<Arc<[Bound]>, Inconsistent> {
    let mut bounds = Vec::with_capacity(record.packs.len());
    for reference in &record.packs {
        match reference.version {
            None if reference.name.as_str() == LIVE => bounds.push(Bound::Live),
            Some(version) if reference.name.as_str() != LIVE => {
                let pinned = packs.get(&(reference.name.clone(), version));
                bounds.extend(pinned.map(|entry| Bound::Pinned(Arc::clone(entry))));
            }
            _ => {
                let pack = reference.name.clone();
                return Err(Inconsistent::Unversioned { token: record.id, pack });
            }
        }
    }
    Ok(bounds.into())
}

/// What is left of a token after its ancestors' narrowing.
struct Cut {
    revoked: bool,
    until: Until,
    reach: Option<Scope>,
    narrowed: bool,
    actions: ActionSet,
    bounds: Vec<Arc<[Bound]>>,
}

impl Cut {
    fn of(record: &Token, known: &Tokens<'_>, root: &Scope) -> Result<Self, Inconsistent> {
        let mut cut = Self {
            revoked: false,
            until: Until::Forever,
            reach: Some(root.clone()),
            narrowed: false,
            actions: ActionSet::ALL,
            bounds: Vec::with_capacity(1),
        };
        let mut next = Some(record.id);
        for _ in 0..=ANCESTORS_MAX {
            let Some(id) = next else { return Ok(cut) };
            let Some((token, bounds)) = known.get(&id) else {
                cut.revoked = true;
                return Ok(cut);
            };
            if token.principal != record.principal {
                return Err(Inconsistent::ForeignParent(record.id));
            }
            cut.by(token, bounds);
            next = token.parent;
        }
        if next.is_none() { Ok(cut) } else { Err(Inconsistent::TooDeep(record.id)) }
    }

    fn by(&mut self, token: &Token, bounds: &Arc<[Bound]>) {
        self.revoked |= token.revoked;
        self.until = self.until.min(Until::of(token.expires));
        self.actions = self.actions & token.actions.unwrap_or(ActionSet::ALL);
        self.bounds.push(Arc::clone(bounds));
        if let Some(scope) = &token.scope {
            self.narrowed = true;
            self.reach = self.reach.take().and_then(|reach| common(reach, scope));
        }
    }

    fn bearer(self, record: Token) -> Bearer {
        let Self { revoked, until, reach, narrowed, actions, bounds } = self;
        Bearer { record, revoked, until, reach, narrowed, actions, bounds }
    }
}

/// What two scopes have in common: the lower one, if one lies in the other.
pub(crate) fn common(a: Scope, b: &Scope) -> Option<Scope> {
    if b.covers(&a) {
        Some(a)
    } else if a.covers(b) {
        Some(b.clone())
    } else {
        None
    }
}
