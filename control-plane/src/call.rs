//! Owns [`Call`]: what an operation works with. Invariant: every question about authority is asked
//! anew, at the scope of the thing touched, of the view that was read in this very transaction; the
//! answer is a [`Permit`], which the store asks for.

use contract::id::{self, Id, Kind};
use contract::shape::http::Policy;
use contract::{Action, Code, Name, Refusal, Scope, Timestamp};
use tenancy::authority::{self, Caller, Now, Objection};
use tenancy::clock::{self, Source};
use tenancy::lease::Standing;
use tenancy::permit::{self, Permit};
use tenancy::role::ActionSet;
use tenancy::seal::Kek;
use tenancy::token::{Presented, Uses};
use tenancy::view::AuthorityView;

use crate::failure::Failure;
use crate::store::tx::{Conn, Writing};

/// A call that only reads.
pub(crate) type Read<'v> = Call<'v, Conn>;
/// A call that writes.
pub(crate) type Write<'v> = Call<'v, Writing>;

/// A caller's call, while an operation carries it out.
#[derive(Debug)]
pub(crate) struct Call<'v, T> {
    /// Who calls.
    pub(crate) caller: Caller<'v>,
    /// The transaction. Whoever reads passes it on as `&mut call.tx`.
    pub(crate) tx: T,
    /// What the plane supplies.
    pub(crate) means: Means<'v>,
}

/// What the plane supplies to every call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Means<'v> {
    /// Time and randomness.
    pub(crate) source: &'v dyn Source,
    /// Opens and wraps identities' data keys.
    pub(crate) kek: &'v Kek,
    /// What servers may declare out of the ordinary.
    pub(crate) policy: &'v Policy,
    /// When tokens were last used here.
    pub(crate) uses: &'v Uses<(Name, Id<id::Token>)>,
}

impl<T> Call<'_, T> {
    /// The moment.
    pub(crate) fn now(&self) -> Timestamp {
        self.means.source.now()
    }

    /// A new id.
    pub(crate) fn new_id<K: Kind>(&self) -> Id<K> {
        clock::new_id(self.means.source)
    }

    /// The scope of the caller's whole identity.
    pub(crate) fn root(&self) -> &Scope {
        self.caller.view().root()
    }

    /// The permit to do `action` at `scope`.
    ///
    /// # Errors
    /// Refused as not granted, narrowed, archived or a person's to do. For creating something at a
    /// scope that the caller names.
    pub(crate) fn may(&self, action: Action, scope: &Scope) -> Result<Permit, Failure> {
        let now = Now::of(self.means.source);
        authority::decide(&Standing::Primary, &self.caller, action, scope, now)
            .permit()
            .map_err(|objection| Failure::objected(objection, action, scope))
    }

    /// The permit to add something by `action` at `scope`, where the action alone may still take away
    /// although the scope is archived.
    ///
    /// # Errors
    /// As [`may`](Self::may).
    pub(crate) fn may_add(&self, action: Action, scope: &Scope) -> Result<Permit, Failure> {
        let permit = self.may(action, scope)?;
        if self.caller.view().archived(scope) == Some(true) {
            let archived = Objection::Refused(authority::Reason::ScopeArchived);
            return Err(Failure::objected(archived, action, scope));
        }
        Ok(permit)
    }

    /// The permit to do `action` at `scope`, for a record that lies there: whoever has none gets the
    /// answer of a record that is not there, told as the `what` that `field` names.
    pub(crate) fn may_see(
        &self,
        action: Action,
        scope: &Scope,
        (field, what): (&str, &str),
    ) -> Result<Permit, Failure> {
        self.may(action, scope).map_err(|failure| failure.hiding(field, what))
    }

    /// The permits to do `action` at the highest scopes at which the caller may, none of which lies in
    /// another. To find a record, ask the store with each; to list, gather from all. No permit is no
    /// error: nothing is found then.
    pub(crate) fn reach(&self, action: Action) -> Result<Vec<Permit>, Failure> {
        let root = self.root();
        let object = |objection| Failure::objected(objection, action, root);
        if action.users_only() && !self.caller.is_person() {
            return self.may(action, root).map(|permit| vec![permit]);
        }
        let now = Now::of(self.means.source);
        authority::reachable(&Standing::Primary, &self.caller, action, now)
            .map_err(object)?
            .into_iter()
            .map(|scope| self.may(action, scope))
            .collect()
    }

    /// The permits to list by: as [`reach`](Self::reach), but who may nowhere is refused.
    pub(crate) fn reach_any(&self, action: Action) -> Result<Vec<Permit>, Failure> {
        let permits = self.reach(action)?;
        if permits.is_empty() {
            let reason = Objection::Refused(authority::Reason::NoGrant);
            return Err(Failure::objected(reason, action, self.root()));
        }
        Ok(permits)
    }

    /// That the caller holds each of `actions` at `scope`, and so may confer them there.
    pub(crate) fn may_confer(&self, actions: ActionSet, scope: &Scope) -> Result<(), Failure> {
        let now = Now::of(self.means.source);
        let missing = authority::may_confer(&Standing::Primary, &self.caller, actions, scope, now)
            .map_err(|objection| Failure::objected(objection, Action::GrantManage, scope))?;
        if missing.is_empty() { Ok(()) } else { Err(beyond(missing, scope).into()) }
    }
}

/// A call that would confer what its caller does not hold.
pub(crate) fn beyond(missing: ActionSet, scope: &Scope) -> Refusal {
    Refusal::new(
        Code::BeyondOwnAuthority,
        format!("This would confer what you do not hold at {scope}: {missing}."),
        "Confer less, or ask someone who holds it.",
    )
}

/// That `current` is the version which the caller read, if they said one.
pub(crate) fn expect_version(expected: Option<i64>, current: i64) -> Result<(), Failure> {
    match expected {
        Some(expected) if expected != current => {
            let say = format!("The record is at version {current}, not {expected}.");
            let mut refusal = Refusal::new(
                Code::VersionMismatch,
                say,
                "Read the record again, then send its version as `expected_version`.",
            );
            refusal.field = Some("expected_version".to_owned());
            Err(refusal.with("current_version", current).into())
        }
        _ => Ok(()),
    }
}

/// That a name is free.
pub(crate) fn already_exists(field: &str, say: String) -> Refusal {
    let mut refusal = Refusal::new(Code::AlreadyExists, say, "Choose another name.");
    refusal.field = Some(field.to_owned());
    refusal
}

/// An operator's call, while an operation carries it out.
#[derive(Debug)]
pub(crate) struct Operate<'v, T> {
    /// That the caller is an operator.
    pub(crate) operator: permit::Operator,
    /// The transaction.
    pub(crate) tx: T,
    /// What the plane supplies.
    pub(crate) means: Means<'v>,
}

impl<T> Operate<'_, T> {
    /// The moment.
    pub(crate) fn now(&self) -> Timestamp {
        self.means.source.now()
    }

    /// A new id.
    pub(crate) fn new_id<K: Kind>(&self) -> Id<K> {
        clock::new_id(self.means.source)
    }
}

/// The call of whoever holds a secret and says nothing else of who they are.
#[derive(Debug)]
pub(crate) struct Open<'v> {
    /// The secret.
    pub(crate) presented: &'v Presented<'v>,
    /// The identity that the secret's route finds.
    pub(crate) plane: &'v permit::Plane,
    /// Its view, read in this transaction.
    pub(crate) view: &'v AuthorityView,
    /// The transaction.
    pub(crate) tx: Writing,
    /// What the plane supplies.
    pub(crate) means: Means<'v>,
}

impl Open<'_> {
    /// The moment.
    pub(crate) fn now(&self) -> Timestamp {
        self.means.source.now()
    }

    /// A new id.
    pub(crate) fn new_id<K: Kind>(&self) -> Id<K> {
        clock::new_id(self.means.source)
    }
}
