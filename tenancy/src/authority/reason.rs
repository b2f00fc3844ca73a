//! Owns the reasons for which authority refuses. Invariant: the list is closed, and
//! [`Reason::public`] makes no difference between what is not there and what is not granted.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why authority refused. Goes into the ledger as it is; a caller is told [`Reason::public`].
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// No live token of the identity has this hash and kind.
    UnknownToken,
    /// The token or one of its ancestors was revoked, or an ancestor is not known.
    TokenRevoked,
    /// The token or one of its ancestors has expired.
    TokenExpired,
    /// The principal is suspended.
    PrincipalSuspended,
    /// The whole identity is suspended.
    IdentitySuspended,
    /// Only a person, signed in as such, may do this.
    UserRequired,
    /// No grant allows the action at the target scope.
    NoGrant,
    /// The target scope is another identity's.
    ForeignIdentity,
    /// The principal may, but the token was narrowed to another scope.
    NarrowedScope,
    /// The principal may, but the token was narrowed to other actions.
    NarrowedAction,
    /// There is no such scope.
    UnknownScope,
    /// The scope, or one above it, is archived.
    ScopeArchived,
    /// The tool is not in the token's packs, or not at this version.
    NotInPack,
    /// The tool is in the token's packs, and not in those that the run started with.
    NotInRun,
    /// No live credential grant lets the servers at the scope use the credential.
    CredentialNotGranted,
}

impl Reason {
    /// Every reason.
    pub const ALL: [Self; 15] = [
        Self::UnknownToken,
        Self::TokenRevoked,
        Self::TokenExpired,
        Self::PrincipalSuspended,
        Self::IdentitySuspended,
        Self::UserRequired,
        Self::NoGrant,
        Self::ForeignIdentity,
        Self::NarrowedScope,
        Self::NarrowedAction,
        Self::UnknownScope,
        Self::ScopeArchived,
        Self::NotInPack,
        Self::NotInRun,
        Self::CredentialNotGranted,
    ];

    /// The word used on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UnknownToken => "unknown_token",
            Self::TokenRevoked => "token_revoked",
            Self::TokenExpired => "token_expired",
            Self::PrincipalSuspended => "principal_suspended",
            Self::IdentitySuspended => "identity_suspended",
            Self::UserRequired => "user_required",
            Self::NoGrant => "no_grant",
            Self::ForeignIdentity => "foreign_identity",
            Self::NarrowedScope => "narrowed_scope",
            Self::NarrowedAction => "narrowed_action",
            Self::UnknownScope => "unknown_scope",
            Self::ScopeArchived => "scope_archived",
            Self::NotInPack => "not_in_pack",
            Self::NotInRun => "not_in_run",
            Self::CredentialNotGranted => "credential_not_granted",
        }
    }

    /// What the caller may be told: [`UnknownToken`](Self::UnknownToken) for whatever keeps a token
    /// from being taken, [`NoGrant`](Self::NoGrant) for whatever is not granted or not there.
    ///
    /// The other reasons give nothing away: each is either the same for every target, or is reached
    /// only by who holds a grant that covers the target and a token that reaches it.
    #[must_use]
    pub const fn public(self) -> Self {
        match self {
            Self::UnknownToken
            | Self::TokenRevoked
            | Self::TokenExpired
            | Self::PrincipalSuspended
            | Self::IdentitySuspended => Self::UnknownToken,
            Self::NoGrant
            | Self::ForeignIdentity
            | Self::UnknownScope
            | Self::CredentialNotGranted => Self::NoGrant,
            Self::UserRequired
            | Self::NarrowedScope
            | Self::NarrowedAction
            | Self::ScopeArchived
            | Self::NotInPack
            | Self::NotInRun => self,
        }
    }

    /// The reason in a sentence, for an explanation.
    pub const fn say(self) -> &'static str {
        match self {
            Self::UnknownToken => "No token of this identity has this hash and kind.",
            Self::TokenRevoked => "The token, or one it descends from, was revoked.",
            Self::TokenExpired => "The token, or one it descends from, has expired.",
            Self::PrincipalSuspended => "The principal is suspended.",
            Self::IdentitySuspended => "The identity is suspended.",
            Self::UserRequired => {
                "Only a user signed in as such may do this: no agent, and no child token."
            }
            Self::NoGrant => "No live grant at the scope or above it allows the action.",
            Self::ForeignIdentity => "The scope is in another identity.",
            Self::NarrowedScope => "The token is narrowed to a scope that does not cover this one.",
            Self::NarrowedAction => {
                "The token is narrowed to actions that do not include this one."
            }
            Self::UnknownScope => "There is no such scope.",
            Self::ScopeArchived => "The scope, or one above it, is archived.",
            Self::NotInPack => "The token's packs do not hold the tool at this version.",
            Self::NotInRun => {
                "The run keeps the packs that it started with, and they do not hold the tool at this \
                 version."
            }
            Self::CredentialNotGranted => {
                "No live credential grant lets the servers at this scope use the credential."
            }
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
