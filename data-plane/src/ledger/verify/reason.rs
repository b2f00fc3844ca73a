//! Why an export does not hold: one variant a rule.

use contract::canonical::{self, StrictError};

use crate::ledger::{chain, checkpoint, entry, merkle};

/// The rule that a line broke.
#[derive(Debug, thiserror::Error)]
pub enum Reason {
    /// The input failed.
    #[error("it could not be read")]
    Read(#[source] std::io::Error),
    /// There is no line at all.
    #[error("the export is empty")]
    Empty,
    /// The line is longer than any of ours.
    #[error("it is longer than {limit} bytes")]
    LineTooLong {
        /// The limit in bytes.
        limit: usize,
    },
    /// The last line has no line feed.
    #[error("it is cut off")]
    Unterminated,
    /// The line is no JSON, or JSON that readers differ about.
    #[error("it is not strict JSON")]
    Json(#[source] StrictError),
    /// The line's value has no canonical form.
    #[error("it has no canonical form")]
    Canonical(#[source] canonical::Error),
    /// The line is not written in canonical form.
    #[error("it is not in canonical form")]
    NotCanonical,
    /// The line has not the fields of its kind.
    #[error("it is not a {expected}")]
    Shape {
        /// What stands at such a place.
        expected: &'static str,
        /// What is amiss.
        #[source]
        source: serde_json::Error,
    },
    /// The header is of another version.
    #[error("the header is of version {version}, which is not known here")]
    Version {
        /// The version.
        version: u64,
    },
    /// The origin does not end in the identity.
    #[error("the origin {origin:?} is not of the identity {identity:?}")]
    Origin {
        /// The origin.
        origin: String,
        /// The identity.
        identity: String,
    },
    /// A whole chain does not begin at its identity's genesis.
    #[error("the chain does not begin at the genesis of its identity")]
    Genesis,
    /// An export from the middle of a chain without an entry, which would bear out its header.
    #[error("there is no entry from {first_seq} on")]
    EmptyStretch {
        /// The place of the first entry.
        first_seq: u64,
    },
    /// The header's frontier does not fit its first place.
    #[error("the frontier does not fit the first place")]
    Frontier(#[source] merkle::NotAFrontier),
    /// A key of the header is none.
    #[error("the key {name:?} is not one")]
    Key {
        /// The key's name.
        name: String,
        /// What is amiss.
        #[source]
        source: checkpoint::Error,
    },
    /// A key of the header has a role that its name contradicts.
    #[error("the key {name:?} does not have the role it is given")]
    KeyRole {
        /// The key's name.
        name: String,
    },
    /// The header names a key twice, or not in the order of names and ids.
    #[error("the key {name:?} is named twice or out of order")]
    KeyOrder {
        /// The key's name.
        name: String,
    },
    /// The entry cannot be one.
    #[error("it is no entry")]
    Entry(#[source] entry::Error),
    /// The entry does not continue the chain.
    #[error("it does not continue the chain")]
    Chain(#[source] chain::Broken),
    /// The entry's hash is not the one its line states.
    #[error("entry {seq} does not have the hash it states")]
    Hash {
        /// Its place.
        seq: u64,
    },
    /// The entry lies beyond what the header announces.
    #[error("entry {seq} lies beyond the end that the header announces, {next_seq}")]
    Beyond {
        /// Its place.
        seq: u64,
        /// The end announced.
        next_seq: u64,
    },
    /// The checkpoint is not one.
    #[error("it is no checkpoint")]
    Checkpoint(#[source] checkpoint::Error),
    /// The checkpoint is of another ledger.
    #[error("the checkpoint is of {found:?}, not of this ledger")]
    CheckpointOrigin {
        /// Its origin.
        found: String,
    },
    /// The checkpoint does not cover exactly the entries before it.
    #[error("the checkpoint covers {found} entries, yet stands after {expected}")]
    CheckpointSize {
        /// Entries before it.
        expected: u64,
        /// Entries it covers.
        found: u64,
    },
    /// The checkpoint states another root than the entries have.
    #[error("the checkpoint states another root than its {size} entries have")]
    Root {
        /// Entries it covers.
        size: u64,
    },
    /// Two checkpoints over the same entries.
    #[error("the checkpoint over {size} entries stands twice")]
    CheckpointRepeated {
        /// Entries it covers.
        size: u64,
    },
    /// A signature of a key that the header does not name.
    #[error("the header names no key of the signature by {name:?}")]
    UnknownSigner {
        /// The name in the signature line.
        name: String,
    },
    /// A checkpoint is signed twice by one key, or not in the order of names and ids.
    #[error("the signature by {name:?} stands twice or out of order")]
    SignatureOrder {
        /// The key's name.
        name: String,
    },
    /// A checkpoint without the worker's signature.
    #[error("no worker signed the checkpoint")]
    NoWorker,
    /// The export ends before the entry that the header announces as the last.
    #[error("the export ends at {found}, yet the header announces {expected}")]
    Incomplete {
        /// The end announced.
        expected: u64,
        /// The end there is.
        found: u64,
    },
    /// The export does not end in a checkpoint over everything.
    #[error("the export does not end in a checkpoint")]
    Unsigned,
    /// Other than the announced number of checkpoints.
    #[error("there are {found} checkpoints, yet the header announces {expected}")]
    CheckpointCount {
        /// The number announced.
        expected: u64,
        /// The number there is.
        found: u64,
    },
    /// A key of the header signed nothing.
    #[error("the key {name:?} signed nothing")]
    KeyIdle {
        /// The key's name.
        name: String,
    },
    /// The pinned key did not sign the last checkpoint.
    #[error("the last checkpoint is not signed by the key that was expected")]
    PinnedKey,
    /// The export does not continue the pinned checkpoint.
    #[error("the entries up to {size} are not those of the checkpoint known before")]
    PinnedTree {
        /// The pinned size.
        size: u64,
    },
    /// The export does not reach back, or up, to the pinned checkpoint.
    #[error("the export does not pass {size}, where the checkpoint known before stands")]
    PinnedTreeOutside {
        /// The pinned size.
        size: u64,
    },
}
