//! Owns the operations on usage figures.

pub(crate) mod query;
