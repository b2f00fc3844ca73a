//! Owns the operations on invites: how a person comes by their first token. Invariant: an invite confers
//! no more than its inviter could still confer by minting the token themselves, when it is accepted.
//!
//! Signing in through a tenant's OIDC provider will join here: an invite binds an e-mail address to a
//! principal, and whoever signs in with that address is that principal.

pub(crate) mod accept;
pub(crate) mod create;
pub(crate) mod list;
pub(crate) mod revoke;
