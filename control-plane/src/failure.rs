//! Owns the edge of every error: a call that did not go well was either refused or cannot be carried
//! out now. Invariant: what the store says never reaches a caller; what authority says reaches them in
//! the words of [`Reason::public`] only.

use contract::{Action, Code, Refusal, Scope};
use tenancy::authority::{Objection, Reason};

use crate::store;

/// Why a call was not carried out.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It was refused, and nothing was done.
    Refused(Box<Refused>),
    /// The store does not answer.
    Unavailable(store::Error),
}

/// A refusal, and what the ledger is to know of it.
#[derive(Debug)]
pub(crate) struct Refused {
    /// What the caller is told.
    pub(crate) refusal: Refusal,
    /// The action that was needed, if that was it.
    pub(crate) action: Option<Action>,
    /// The scope at which it was needed.
    pub(crate) scope: Option<Scope>,
}

impl Failure {
    /// What authority objects to `action` at `scope`.
    pub(crate) fn objected(objection: Objection, action: Action, scope: &Scope) -> Self {
        let refusal = match objection {
            Objection::Refused(reason) => told(reason, action),
            // The control plane judges by the primary, which always stands.
            Objection::Unavailable => told(Reason::NoGrant, action),
        };
        let refused = Refused { refusal, action: Some(action), scope: Some(scope.clone()) };
        Self::Refused(Box::new(refused))
    }

    /// The same failure, but what was refused looks like a record that is not there. That only a
    /// person may do it is said all the same: it is true of every record.
    pub(crate) fn hiding(self, field: &str, what: &str) -> Self {
        match self {
            Self::Refused(mut refused) if refused.refusal.code != Code::UserRequired => {
                refused.refusal = Refusal::not_found(field, what);
                Self::Refused(refused)
            }
            kept @ (Self::Refused(_) | Self::Unavailable(_)) => kept,
        }
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(Box::new(Refused { refusal, action: None, scope: None }))
    }
}

impl From<store::Error> for Failure {
    fn from(error: store::Error) -> Self {
        Self::Unavailable(error)
    }
}

/// A caller who is not known. The one text for every cause.
pub(crate) fn unauthenticated() -> Refusal {
    Refusal::new(
        Code::Unauthenticated,
        "The token is not known, or is no longer taken.",
        "Send a token that is neither revoked nor expired, of a principal that is not suspended.",
    )
}

/// What a caller is told when authority refused `action`.
fn told(reason: Reason, action: Action) -> Refusal {
    match reason.public() {
        Reason::UserRequired => Refusal::new(
            Code::UserRequired,
            format!("Only a person, signed in as such, may do `{action}`."),
            "Ask a user of your identity to do it with their own token.",
        ),
        Reason::NarrowedScope | Reason::NarrowedAction => Refusal::new(
            Code::Narrowed,
            format!("This token was narrowed and does not reach `{action}` there."),
            "Use a token that is not narrowed to less.",
        ),
        Reason::ScopeArchived => Refusal::new(
            Code::WrongState,
            "The scope, or one above it, is archived.",
            "Choose a scope that is not archived.",
        ),
        Reason::NotInPack | Reason::NotInRun => Refusal::new(
            Code::NotInPack,
            "The tool is not in the packs that this token is bound to.",
            "Ask for a token that is bound to a pack with the tool.",
        ),
        Reason::UnknownToken
        | Reason::TokenRevoked
        | Reason::TokenExpired
        | Reason::PrincipalSuspended
        | Reason::IdentitySuspended => unauthenticated(),
        Reason::NoGrant
        | Reason::ForeignIdentity
        | Reason::UnknownScope
        | Reason::CredentialNotGranted => not_granted(action),
    }
}

/// What is not granted there, or not there: one text for both.
fn not_granted(action: Action) -> Refusal {
    Refusal::new(
        Code::NotGranted,
        format!("You may not do `{action}` there, or there is no such scope."),
        format!("Ask for a grant of a role with `{action}` at that scope; see `token.whoami`."),
    )
}

/// What only operators may do.
pub(crate) fn operators_only() -> Refusal {
    Refusal::new(
        Code::NotGranted,
        "Only an operator of this service may do this.",
        "Ask whoever runs the service.",
    )
}
