//! Owns the operations on packs. They live in the identity, so each is decided there.

pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod publish;
