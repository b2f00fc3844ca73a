//! Owns the operations on credential grants. Invariant: nobody gives away the use of a credential
//! that they may not give at the scope where it is managed.

pub(crate) mod create;
pub(crate) mod list;
pub(crate) mod revoke;
