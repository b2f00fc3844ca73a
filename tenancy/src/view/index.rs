//! Owns the making of a view from a [`Document`]. Invariant: a document that contradicts itself makes
//! no view.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::sync::Arc;

use contract::id;
use contract::{Id, Name, Scope};

use super::holder::Until;
use super::{
    ANCESTORS_MAX, AuthorityView, CredentialGrant, Document, LIVE, Pack, PackEntry, Place, Safe,
    ScopeRecord, bearer, holder,
};
use crate::role::{BuiltIn, Role};

/// How a document contradicts itself.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Inconsistent {
    /// Something of another identity is in it.
    #[error("scope {scope} is not in identity {identity}")]
    ForeignScope {
        /// The identity the document is of.
        identity: Name,
        /// The scope.
        scope: Scope,
    },
    /// The scope above is missing.
    #[error("scope {0} is there and the scope above it is not")]
    Orphan(Scope),
    /// Two records are the same thing.
    #[error("{what} {which} is there twice")]
    Twice {
        /// Of which kind they are.
        what: &'static str,
        /// Which they are.
        which: String,
    },
    /// A role or pack of the identity's has the name of a built-in one.
    #[error("{what} {name} has the name of a built-in one")]
    BuiltInName {
        /// Role or pack.
        what: &'static str,
        /// The name.
        name: Name,
    },
    /// An operator's or a node's token is bound to a principal.
    #[error("{0} is of a kind that no principal has")]
    Kind(Id<id::Token>),
    /// A token descends from another principal's.
    #[error("{0} is a child of another principal's token")]
    ForeignParent(Id<id::Token>),
    /// A token has too many ancestors, or is its own.
    #[error("{0} has more than {ANCESTORS_MAX} ancestors")]
    TooDeep(Id<id::Token>),
    /// A pack is named without its version, or `live` with one.
    #[error(
        "{token} is bound to pack {pack} the wrong way: `live` has no version, others have one"
    )]
    Unversioned {
        /// The token.
        token: Id<id::Token>,
        /// The pack.
        pack: Name,
    },
}

pub(super) type Packs = HashMap<(Name, u32), Arc<PackEntry>>;

pub(super) fn build(document: Document) -> Result<AuthorityView, Inconsistent> {
    let root = Scope::identity(&document.identity);
    check_scopes(&document, &root)?;
    check_roles(&document.roles)?;
    let scopes = index_scopes(document.scopes, document.identity_id, &root)?;
    let packs = index_packs(document.packs)?;
    let (bearers, hashes) = bearer::index(document.tokens, &packs, &root)?;
    let holders = holder::index(document.principals, document.grants, &document.roles)?;
    let mut safe =
        Safe { until: index_credential_grants(document.credential_grants)?, ..Safe::default() };
    for credential in document.credentials {
        insert_once(
            &mut safe.credentials,
            credential.id,
            credential,
            "credential",
            ToString::to_string,
        )?;
    }
    Ok(AuthorityView {
        identity: document.identity,
        identity_id: document.identity_id,
        root,
        revision: document.revision,
        catalogue_revision: document.catalogue_revision,
        suspended: document.suspended,
        settings: document.settings,
        roles: document.roles,
        scopes,
        holders,
        bearers,
        hashes,
        safe,
        packs,
    })
}

pub(super) fn insert_once<K: Hash + Eq, V>(
    map: &mut HashMap<K, V>,
    key: K,
    value: V,
    what: &'static str,
    which: impl Fn(&K) -> String,
) -> Result<(), Inconsistent> {
    match map.entry(key) {
        Entry::Occupied(there) => Err(Inconsistent::Twice { what, which: which(there.key()) }),
        Entry::Vacant(place) => {
            place.insert(value);
            Ok(())
        }
    }
}

pub(super) fn once<K: Hash + Eq + Copy + ToString>(
    seen: &mut HashSet<K>,
    key: &K,
    what: &'static str,
) -> Result<(), Inconsistent> {
    if seen.insert(*key) {
        Ok(())
    } else {
        Err(Inconsistent::Twice { what, which: key.to_string() })
    }
}

fn check_scopes(document: &Document, root: &Scope) -> Result<(), Inconsistent> {
    let named = document.scopes.iter().map(|record| &record.scope);
    let narrowed = document.tokens.iter().filter_map(|token| token.scope.as_ref());
    let granted = document.grants.iter().map(|grant| &grant.scope);
    let lent = document.credential_grants.iter().map(|grant| &grant.scope);
    match named.chain(narrowed).chain(granted).chain(lent).find(|scope| !root.covers(scope)) {
        None => Ok(()),
        Some(scope) => Err(Inconsistent::ForeignScope {
            identity: document.identity.clone(),
            scope: scope.clone(),
        }),
    }
}

fn check_roles(roles: &[Role]) -> Result<(), Inconsistent> {
    let mut seen = HashSet::new();
    for Role { name, .. } in roles {
        if BuiltIn::named(name.as_str()).is_some() {
            return Err(Inconsistent::BuiltInName { what: "role", name: name.clone() });
        }
        once(&mut seen, &name.as_str(), "role")?;
    }
    Ok(())
}

fn index_scopes(
    records: Vec<ScopeRecord>,
    identity: Id<id::Identity>,
    root: &Scope,
) -> Result<HashMap<Scope, Place>, Inconsistent> {
    let mut scopes = HashMap::with_capacity(records.len() + 1);
    for record in records {
        let archived = record.archived;
        let scope = record.scope.clone();
        insert_once(&mut scopes, scope, Place { record, archived }, "scope", Scope::to_string)?;
    }
    scopes.entry(root.clone()).or_insert_with(|| {
        let record = ScopeRecord { scope: root.clone(), id: identity.to_string(), archived: false };
        Place { record, archived: false }
    });
    let archived: HashSet<Scope> = scopes
        .values()
        .filter(|place| place.archived)
        .map(|place| place.record.scope.clone())
        .collect();
    let orphaned = |scope: &&Scope| scope.upward().any(|at| !scopes.contains_key(at));
    if let Some(orphan) = scopes.keys().filter(orphaned).min() {
        return Err(Inconsistent::Orphan(orphan.clone()));
    }
    for (scope, place) in &mut scopes {
        place.archived = scope.upward().any(|at| archived.contains(at));
    }
    Ok(scopes)
}

fn index_packs(records: Vec<Pack>) -> Result<Packs, Inconsistent> {
    let mut packs = HashMap::with_capacity(records.len());
    for record in records {
        if record.name.as_str() == LIVE {
            return Err(Inconsistent::BuiltInName { what: "pack", name: record.name });
        }
        let mut pins = HashMap::with_capacity(record.pins.len());
        for pin in &record.pins {
            insert_once(&mut pins, pin.tool, *pin, "pin of tool", ToString::to_string)?;
        }
        let key = (record.name.clone(), record.version);
        let entry = Arc::new(PackEntry { record, pins });
        insert_once(&mut packs, key, entry, "pack", |(name, version)| format!("{name} {version}"))?;
    }
    Ok(packs)
}

type Lent = HashMap<Id<id::Credential>, HashMap<Scope, Until>>;

fn index_credential_grants(grants: Vec<CredentialGrant>) -> Result<Lent, Inconsistent> {
    let mut lent: Lent = HashMap::new();
    let mut seen = HashSet::with_capacity(grants.len());
    for grant in grants {
        once(&mut seen, &grant.id, "credential grant")?;
        if grant.revoked {
            continue;
        }
        let until = Until::of(grant.expires);
        let latest = lent.entry(grant.credential).or_default().entry(grant.scope).or_insert(until);
        *latest = until.max(*latest);
    }
    Ok(lent)
}
