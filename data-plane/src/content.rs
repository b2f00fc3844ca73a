//! Content: what calls have answered, kept whole in the namespace.
//!
//! Owns detection, masking, summaries and slices (pure), the tables they lie in ([`store`]), and how
//! passages are found again, by words ([`find`]) and by vectors ([`vector`]).
//! Invariants: detection runs once, over the whole, when content is stored; what is read back is
//! the masked text unless the caller's role says otherwise; a row outlives its payload.

pub(crate) mod detect;
pub(crate) mod find;
mod json;
pub(crate) mod mask;
pub(crate) mod slice;
pub(crate) mod store;
pub(crate) mod summary;
mod table;
pub(crate) mod vector;
pub(crate) mod words;
