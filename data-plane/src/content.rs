//! Content: what calls have answered, kept whole in the namespace.
//!
//! Owns detection, masking, summaries and slices (pure), and the tables they lie in ([`store`]).
//! Invariants: detection runs once, over the whole, when content is stored; what is read back is
//! the masked text unless the caller's role says otherwise; a row outlives its payload.

pub(crate) mod detect;
mod json;
pub(crate) mod mask;
pub(crate) mod slice;
pub(crate) mod store;
pub(crate) mod summary;
mod table;
pub(crate) mod words;
