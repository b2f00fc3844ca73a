//! The ledger: one hash-chained record of rulings and outcomes an identity.
//!
//! Owns the pure core (entries, chain, Merkle tree, checkpoints, export, verification). Invariant:
//! nothing here does I/O; the one writer of the namespace ([`crate::store`]) appends to the chain in
//! the transaction that stores what the entries are about.

pub mod chain;
pub mod checkpoint;
pub mod entry;
pub mod export;
pub mod merkle;
pub mod verify;
