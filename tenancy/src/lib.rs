//! Who and where: principals, tokens, roles, grants, the authority view, leases, namespaces, keys,
//! and the messages the two planes exchange.
//!
//! The split that justifies this crate: both planes judge by the same function over the same view,
//! and neither imports the other. Deciding is pure; only [`namespace`] and [`keys`] touch files.

pub mod authority;
pub mod clock;
pub mod keys;
pub mod lease;
pub mod namespace;
pub mod permit;
pub mod plane;
pub mod role;
pub mod seal;
pub mod token;
pub mod view;
