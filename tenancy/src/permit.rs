//! Owns permits: proof, as a value, that something was decided. Invariant: a [`Permit`] exists only
//! because [`decide`](crate::authority::decide) permitted exactly what it names; every function that
//! reads or writes a tenant's records takes one, and puts its scope into the query.
//!
//! ```compile_fail
//! # fn forge(identity: contract::Name, scope: contract::Scope) {
//! let permit = tenancy::permit::Permit { identity, scope, ..todo!() };
//! # }
//! ```
//!
//! ```compile_fail
//! # fn forge(caller: &tenancy::authority::Caller<'_>, scope: &contract::Scope) {
//! let permit = tenancy::permit::Permit::issue(todo!(), caller, contract::Action::CallRead, scope);
//! # }
//! ```

use contract::id;
use contract::{Action, Id, Name, Scope, Timestamp};
use subtle::ConstantTimeEq;

use crate::authority::{Caller, Grounds};
use crate::token;

/// That one principal may do one action at one scope, as decided at one revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permit {
    identity: Name,
    principal: Id<id::Principal>,
    token: Id<id::Token>,
    action: Action,
    scope: Scope,
    revision: u64,
}

impl Permit {
    /// Only the decision has [`Grounds`].
    pub(crate) fn issue(_: Grounds, caller: &Caller<'_>, action: Action, scope: &Scope) -> Self {
        Self {
            identity: caller.identity().clone(),
            principal: caller.principal().id,
            token: caller.token().id,
            action,
            scope: scope.clone(),
            revision: caller.revision(),
        }
    }

    /// In which identity.
    pub const fn identity(&self) -> &Name {
        &self.identity
    }

    /// Who may.
    pub const fn principal(&self) -> Id<id::Principal> {
        self.principal
    }

    /// By which token.
    pub const fn token(&self) -> Id<id::Token> {
        self.token
    }

    /// What.
    pub const fn action(&self) -> Action {
        self.action
    }

    /// Where: the scope that the call reaches.
    pub const fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The authority revision by which it was decided.
    pub const fn revision(&self) -> u64 {
        self.revision
    }
}

/// An operator's token as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorToken {
    /// Its id, for the record of what was done with it.
    pub id: Id<id::Token>,
    /// The SHA-256 of the whole token.
    pub hash: token::Hash,
    /// The moment from which it is no longer taken.
    pub expires: Option<Timestamp>,
    /// Whether it was revoked.
    pub revoked: bool,
}

/// That the caller runs the service. Opens no tenant record: nothing that takes a [`Permit`] takes
/// this.
///
/// ```compile_fail
/// # fn open(operator: tenancy::permit::Operator) {
/// let permit: tenancy::permit::Permit = operator.into();
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operator {
    token: Id<id::Token>,
}

impl Operator {
    /// Verifies a presented token against the stored one. `None` if it is another one, of another
    /// kind, revoked or expired; which of these is not said.
    pub fn verify(
        presented: &token::Presented<'_>,
        stored: &OperatorToken,
        now: Timestamp,
    ) -> Option<Self> {
        let same = presented.hash().as_bytes().ct_eq(stored.hash.as_bytes());
        let ended = stored.revoked || stored.expires.is_some_and(|end| end <= now);
        let operator = presented.kind() == token::Kind::Operator;
        (bool::from(same) && operator && !ended).then_some(Self { token: stored.id })
    }

    /// By which token.
    pub const fn token(&self) -> Id<id::Token> {
        self.token
    }
}

/// That a plane does its own work in one identity: loading a view, emptying the outbox, folding the
/// ledger, ending what has expired. No caller stands behind it, so nothing that answers a caller may
/// take one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plane {
    identity: Name,
}

impl Plane {
    /// The plane's own work in `identity`. Where this is called is where a reviewer looks.
    pub const fn of(identity: Name) -> Self {
        Self { identity }
    }

    /// In which identity.
    pub const fn identity(&self) -> &Name {
        &self.identity
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Fake;

    #[test]
    fn only_the_operators_own_live_token_opens() {
        let now = Timestamp::from_ms(1_000);
        let source = Fake::at(now);
        let route = token::Route::random(&source);
        let secret = token::mint(&source, token::Kind::Operator, &route);
        let other = token::mint(&source, token::Kind::Operator, &route);
        let agent = token::mint(&source, token::Kind::Agent, &route);
        let stored = OperatorToken {
            id: crate::clock::new_id(&source),
            hash: secret.hash(),
            expires: None,
            revoked: false,
        };
        let verify = |secret: &token::Secret, stored: &OperatorToken| {
            let presented = token::Presented::parse(secret.expose()).expect("parses");
            Operator::verify(&presented, stored, now)
        };
        let opened = verify(&secret, &stored).expect("is the operator's");
        assert_eq!(opened.token(), stored.id);
        assert_eq!(verify(&other, &stored), None);
        let but = |change: fn(&mut OperatorToken)| {
            let mut changed = stored.clone();
            change(&mut changed);
            changed
        };
        assert_eq!(verify(&secret, &but(|stored| stored.revoked = true)), None);
        let over = but(|stored| stored.expires = Some(Timestamp::from_ms(1_000)));
        assert_eq!(verify(&secret, &over), None);
        let lasts = but(|stored| stored.expires = Some(Timestamp::from_ms(1_001)));
        assert!(verify(&secret, &lasts).is_some());
        let stored = OperatorToken { hash: agent.hash(), ..stored };
        assert_eq!(verify(&agent, &stored), None, "an agent's token, even where one is stored");
    }
}
