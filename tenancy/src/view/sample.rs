//! Owns the documents that tests write down in a line each. Numbers stand for ids.

use contract::id::{Id, Kind};
use contract::{Action, Name, Scope, Timestamp};
use uuid::Uuid;

use super::{
    Credential, CredentialGrant, Document, Grant, LIVE, Pack, PackRef, Pin, Principal,
    PrincipalKind, ScopeRecord, Stage, Token,
};
use crate::role::{ActionSet, Role};
use crate::token;

pub(crate) fn name(text: &str) -> Name {
    text.parse().expect("a name")
}

pub(crate) fn scope(text: &str) -> Scope {
    text.parse().expect("a scope")
}

pub(crate) fn id<K: Kind>(number: u32) -> Id<K> {
    Id::new(Uuid::from_u128(u128::from(number)))
}

pub(crate) fn at(ms: i64) -> Timestamp {
    Timestamp::from_ms(ms)
}

pub(crate) fn hash(number: u32) -> token::Hash {
    let mut bytes = [0; 32];
    bytes[..4].copy_from_slice(&number.to_be_bytes());
    token::Hash::from_bytes(bytes)
}

/// A document that is filled in step by step.
#[derive(Debug, Clone)]
pub(crate) struct World(pub(crate) Document);

impl World {
    /// `acme` with the scopes that every test can use.
    pub(crate) fn acme() -> Self {
        let mut world = Self(Document::empty(name("acme"), id(1), 7));
        for place in ["acme/shop", "acme/shop/checkout", "acme/shop/returns", "acme/shopping"] {
            world = world.scope(place, false);
        }
        world
    }

    pub(crate) fn scope(mut self, place: &str, archived: bool) -> Self {
        self.0.scopes.retain(|record| record.scope.as_str() != place);
        self.0.scopes.push(ScopeRecord { scope: scope(place), id: "group_".to_owned(), archived });
        self
    }

    pub(crate) fn principal(mut self, number: u32, kind: PrincipalKind) -> Self {
        self.0.principals.push(Principal {
            id: id(number),
            kind,
            name: name(&format!("p{number}")),
            display: None,
            stage: Stage::Supervised,
            suspended: false,
        });
        self
    }

    pub(crate) fn agent(self, number: u32) -> Self {
        self.principal(number, PrincipalKind::Agent)
    }

    pub(crate) fn user(self, number: u32) -> Self {
        self.principal(number, PrincipalKind::User)
    }

    pub(crate) fn grant(mut self, number: u32, principal: u32, place: &str, role: &str) -> Self {
        self.0.grants.push(Grant {
            id: id(number),
            principal: id(principal),
            scope: scope(place),
            role: name(role),
            expires: None,
            revoked: false,
        });
        self
    }

    pub(crate) fn token(mut self, number: u32, principal: u32) -> Self {
        self.0.tokens.push(Token {
            id: id(number),
            principal: id(principal),
            kind: token::Kind::Agent,
            parent: None,
            family: None,
            hash: hash(number),
            scope: None,
            actions: None,
            packs: vec![PackRef { name: name(LIVE), version: None }],
            expires: None,
            revoked: false,
        });
        self
    }

    /// A token of the same principal as its parent's.
    pub(crate) fn child(self, number: u32, parent: u32) -> Self {
        let holder = self.0.tokens.iter().find(|token| token.id == id(parent));
        let holder = holder.map_or_else(|| id(0), |token| token.principal);
        let mut world = self.token(number, 0);
        let child = world.0.tokens.last_mut().expect("was just made");
        (child.principal, child.parent) = (holder, Some(id(parent)));
        world
    }

    pub(crate) fn role(mut self, role: &str, actions: &[Action]) -> Self {
        self.0.roles.push(Role { name: name(role), actions: ActionSet::of(actions) });
        self
    }

    /// A pack of (tool, declaration, classification).
    pub(crate) fn pack(mut self, pack: &str, version: u32, pins: &[(u32, u32, u32)]) -> Self {
        let pin = |&(tool, declaration, classification): &(u32, u32, u32)| Pin {
            tool: id(tool),
            declaration,
            classification,
        };
        let pins = pins.iter().map(pin).collect();
        let number = u32::try_from(self.0.packs.len()).expect("is few");
        self.0.packs.push(Pack { id: id(number), name: name(pack), version, pins });
        self
    }

    pub(crate) fn credential(mut self, number: u32) -> Self {
        self.0.credentials.push(Credential {
            id: id(number),
            name: name(&format!("c{number}")),
            version: 1,
            origins: vec!["https://billing.example".to_owned()],
            sealed: "c2VhbGVk".to_owned(),
        });
        self
    }

    pub(crate) fn lend(mut self, number: u32, credential: u32, place: &str) -> Self {
        self.0.credential_grants.push(CredentialGrant {
            id: id(number),
            credential: id(credential),
            scope: scope(place),
            expires: None,
            revoked: false,
        });
        self
    }

    /// Changes the record that was put in last.
    pub(crate) fn but(mut self, change: impl FnOnce(&mut Document)) -> Self {
        change(&mut self.0);
        self
    }

    /// Changes the token of that number.
    pub(crate) fn with_token(self, number: u32, change: impl FnOnce(&mut Token)) -> Self {
        self.but(|document| {
            let token = document.tokens.iter_mut().find(|token| token.id == id(number));
            change(token.expect("the token is there"));
        })
    }

    /// Changes the grant of that number.
    pub(crate) fn with_grant(self, number: u32, change: impl FnOnce(&mut Grant)) -> Self {
        self.but(|document| {
            let grant = document.grants.iter_mut().find(|grant| grant.id == id(number));
            change(grant.expect("the grant is there"));
        })
    }

    pub(crate) fn packs(self, token: u32, packs: &[(&str, Option<u32>)]) -> Self {
        let packs =
            packs.iter().map(|(pack, version)| PackRef { name: name(pack), version: *version });
        let packs = packs.collect();
        self.with_token(token, |token| token.packs = packs)
    }

    pub(crate) fn view(self) -> super::AuthorityView {
        super::AuthorityView::new(self.0).expect("is consistent")
    }
}
