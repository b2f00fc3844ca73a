//! The chain: where the next entry goes and what it must name.
//!
//! Owns [`Chain`], the writer's whole state, with no I/O: the writer appends a batch to a clone,
//! stores the rows, the head and the frontier in one transaction, and keeps the clone only if that
//! was committed. Invariant: the entries admitted are numbered from 0 without a gap, and each
//! names the hash of the one before it; the first names the genesis of its identity.

use serde_json::Value;

use super::checkpoint::Checkpoint;
use super::entry::{self, Body, Entry};
use super::merkle::{Frontier, Hash};

/// Why an entry does not continue a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// It is not the next one.
    #[error("entry {found} stands where entry {expected} belongs")]
    Seq {
        /// The place that is next.
        expected: u64,
        /// The place the entry has.
        found: u64,
    },
    /// It follows another entry than the last.
    #[error("entry {seq} does not follow the entry before it")]
    Prev {
        /// Its place.
        seq: u64,
    },
}

/// A stored head and frontier that do not belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the chain goes on at {next_seq}, yet its frontier has {leaves} leaves")]
pub struct Torn {
    /// The place that is next.
    pub next_seq: u64,
    /// Leaves of the frontier.
    pub leaves: u64,
}

/// What the first entry of an identity's chain names as the one before it.
///
/// It binds the chain to the identity, so that one tenant's entries cannot pass for another's.
pub fn genesis(identity: &str) -> Hash {
    Hash::of(&[b"bailiwick ledger v1\n", identity.as_bytes()])
}

/// The end of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    head: Hash,
    frontier: Frontier,
}

impl Chain {
    /// The empty chain of an identity. `identity` must stay the same for the chain's whole life.
    pub fn new(identity: &str) -> Self {
        Self { head: genesis(identity), frontier: Frontier::default() }
    }

    /// The chain that goes on after a stored end.
    ///
    /// # Errors
    ///
    /// [`Torn`] if the frontier is of another size than the chain.
    pub fn resume(next_seq: u64, head: Hash, frontier: Frontier) -> Result<Self, Torn> {
        if frontier.size() != next_seq {
            return Err(Torn { next_seq, leaves: frontier.size() });
        }
        Ok(Self::after(head, frontier))
    }

    /// The chain that goes on after this head, at the place the frontier has come to.
    pub(super) const fn after(head: Hash, frontier: Frontier) -> Self {
        Self { head, frontier }
    }

    /// The place of the next entry; also how many there are.
    pub const fn next_seq(&self) -> u64 {
        self.frontier.size()
    }

    /// The hash of the last entry, or the genesis.
    pub const fn head(&self) -> Hash {
        self.head
    }

    /// The tree's frontier, to be stored beside the head.
    pub const fn frontier(&self) -> &Frontier {
        &self.frontier
    }

    /// The root of the tree over all entries.
    pub fn root(&self) -> Hash {
        self.frontier.root()
    }

    /// Seals a body as the next entry. A failure leaves the chain as it was.
    ///
    /// # Errors
    ///
    /// [`entry::Error`] if a number in the body is not kept exactly.
    pub fn append(&mut self, at_ms: i64, body: &Body) -> Result<Entry, entry::Error> {
        self.append_value(at_ms, body.to_value()?)
    }

    /// As [`Chain::append`], for a body that is JSON already.
    ///
    /// # Errors
    ///
    /// [`entry::Error`] if the body is no object with a kind or has no canonical form.
    pub fn append_value(&mut self, at_ms: i64, body: Value) -> Result<Entry, entry::Error> {
        let entry = Entry::new(self.next_seq(), at_ms, self.head, body)?;
        self.take(&entry);
        Ok(entry)
    }

    /// Takes an entry that was sealed before, if it continues this chain.
    ///
    /// # Errors
    ///
    /// [`Broken`] says what does not fit; the chain stays as it was.
    pub fn admit(&mut self, entry: &Entry) -> Result<(), Broken> {
        let (expected, found) = (self.next_seq(), entry.seq());
        if expected != found {
            return Err(Broken::Seq { expected, found });
        }
        if entry.prev() != self.head {
            return Err(Broken::Prev { seq: found });
        }
        self.take(entry);
        Ok(())
    }

    /// The checkpoint over all entries so far, not yet signed.
    pub fn checkpoint(&self, origin: &str) -> Checkpoint {
        Checkpoint { origin: origin.to_owned(), size: self.next_seq(), root: self.root() }
    }

    fn take(&mut self, entry: &Entry) {
        self.head = entry.hash();
        self.frontier.push(entry.hash());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::ledger::merkle;

    fn body(n: u64) -> Value {
        json!({"kind": "note", "n": n})
    }

    #[test]
    fn entries_link_from_the_genesis_of_their_identity() {
        let mut chain = Chain::new("acme");
        let first = chain.append_value(5, body(0)).unwrap();
        let second = chain.append_value(4, body(1)).unwrap();
        assert_eq!((first.seq(), first.prev()), (0, genesis("acme")));
        assert_eq!((second.seq(), second.prev()), (1, first.hash()));
        assert_eq!((chain.next_seq(), chain.head()), (2, second.hash()));
        assert_eq!(chain.root(), merkle::node_hash(&first.hash(), &second.hash()));
        assert_ne!(genesis("acme"), genesis("globex"));
        assert_eq!(Chain::new("globex").admit(&first), Err(Broken::Prev { seq: 0 }));
    }

    #[test]
    fn what_does_not_continue_the_chain_is_refused_and_changes_nothing() {
        let mut chain = Chain::new("acme");
        let mut fork = chain.clone();
        let first = chain.append_value(0, body(0)).unwrap();
        let other = fork.append_value(0, body(9)).unwrap();
        let second = fork.append_value(0, body(1)).unwrap();
        let before = chain.clone();
        assert_eq!(chain.admit(&first), Err(Broken::Seq { expected: 1, found: 0 }));
        assert_eq!(chain.admit(&other), Err(Broken::Seq { expected: 1, found: 0 }));
        assert_eq!(chain.admit(&second), Err(Broken::Prev { seq: 1 }));
        assert!(chain.append_value(0, json!({"kind": "note", "n": u64::MAX})).is_err());
        assert!(chain.append_value(i64::MIN, body(1)).is_err());
        assert!(chain.append_value(0, json!(["note"])).is_err());
        assert_eq!(chain, before);
    }

    #[test]
    fn a_torn_end_is_not_resumed() {
        let mut chain = Chain::new("acme");
        chain.append_value(0, body(0)).unwrap();
        let torn = Chain::resume(2, chain.head(), chain.frontier().clone());
        assert_eq!(torn, Err(Torn { next_seq: 2, leaves: 1 }));
    }

    proptest! {
        #[test]
        fn a_resumed_chain_goes_on_as_if_it_had_never_stopped(
            count in 1_u64..40, stop in 0_u64..40
        ) {
            let (mut straight, mut resumed) = (Chain::new("acme"), Chain::new("acme"));
            let mut hashes = Vec::new();
            for n in 0..count {
                if n == stop {
                    let frontier = Frontier::from_bytes(&resumed.frontier().to_bytes()).unwrap();
                    resumed = Chain::resume(n, resumed.head(), frontier).unwrap();
                }
                let entry = straight.append_value(0, body(n)).unwrap();
                let stored = Entry::from_stored(
                    entry.seq(), entry.at_ms(), entry.prev(), entry.body_text(),
                ).unwrap();
                prop_assert_eq!(&stored, &entry);
                resumed.admit(&stored).unwrap();
                hashes.push(entry.hash());
            }
            prop_assert_eq!(straight.root(), merkle::root(&hashes));
            prop_assert_eq!(resumed, straight);
        }
    }
}
