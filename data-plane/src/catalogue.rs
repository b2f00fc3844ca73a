//! The catalogue: everything that can be called in an identity, beside the seats.
//!
//! Owns the index that calls and discovery are answered from, and the shapes. Invariant: an index is
//! built once, when the control plane pushes a catalogue, and never changed; what a caller finds in
//! it is what [`resolve`] would let them call.

pub mod http;
pub(crate) mod index;
pub(crate) mod resolve;
pub(crate) mod words;

pub(crate) use index::Index;
pub(crate) use resolve::{Resolved, Target};
