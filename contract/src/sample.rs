//! Owns the sample world that every worked example speaks of: the identity `acme` with its groups,
//! projects, people, agents and servers. Invariant: an example's ids are built by [`id`], so that a
//! test can put the ids of a real world in their place.

use uuid::Uuid;

use crate::id::{Id, Kind};

/// The sample id number `n` of a kind.
pub fn id<K: Kind>(n: u8) -> Id<K> {
    Id::new(Uuid::from_u128(0x019a_d000_0000_7000_8000_0000_0000_0000 | u128::from(n)))
}

/// The sample id number `n` of the kind with this prefix, as text.
pub fn text(prefix: &str, n: u8) -> String {
    format!("{prefix}_{}", id::<crate::id::Grant>(n).uuid().simple())
}
