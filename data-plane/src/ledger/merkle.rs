//! The Merkle tree over a ledger's entries, as RFC 6962, 2.1 defines it.
//!
//! Owns [`struct@Hash`], the tree's hashing and [`Frontier`], the little that must be kept to grow a
//! tree; proofs are in [`proof`]. Invariant: a frontier of n leaves yields the root that the n
//! leaves themselves yield, and grows by one leaf at a cost of at most log2(n) hashes.

pub mod proof;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

/// A SHA-256 value: of an entry, of a node, of a whole tree. Shown as 64 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hash([u8; 32]);

/// A text or byte string that is no [`struct@Hash`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a hash of 32 bytes, shown as 64 lower-case hex digits")]
pub struct NotAHash;

impl Hash {
    /// Wraps the 32 bytes.
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// SHA-256 of the parts, one after the other.
    pub(super) fn of(parts: &[&[u8]]) -> Self {
        let mut hasher = Sha256::new();
        for part in parts {
            hasher.update(part);
        }
        Self(hasher.finalize().into())
    }
}

impl TryFrom<&[u8]> for Hash {
    type Error = NotAHash;

    fn try_from(bytes: &[u8]) -> Result<Self, NotAHash> {
        bytes.try_into().map(Self).map_err(|_| NotAHash)
    }
}

impl FromStr for Hash {
    type Err = NotAHash;

    /// Takes lower-case digits only, so that one hash has one text.
    fn from_str(text: &str) -> Result<Self, NotAHash> {
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'a'..=b'f' => Some(byte - b'a' + 10),
            _ => None,
        };
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        let bytes: Option<Vec<u8>> =
            pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect();
        let bytes = bytes.filter(|_| rest.is_empty()).ok_or(NotAHash)?;
        Self::try_from(bytes.as_slice())
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Hash({self})")
    }
}

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// The hash of a leaf: SHA-256 of 0x00 and the parts of its data, one after the other.
pub fn leaf_hash(data: &[&[u8]]) -> Hash {
    let mut hasher = Sha256::new();
    hasher.update([0x00]);
    for part in data {
        hasher.update(part);
    }
    Hash(hasher.finalize().into())
}

/// The hash of an inner node: SHA-256 of 0x01, the left and the right child.
pub fn node_hash(left: &Hash, right: &Hash) -> Hash {
    Hash::of(&[&[0x01], &left.0, &right.0])
}

/// The root of a tree without leaves: SHA-256 of nothing.
pub fn empty_root() -> Hash {
    Hash::of(&[])
}

/// The root over these leaf hashes.
pub fn root(leaves: &[Hash]) -> Hash {
    let mut frontier = Frontier::default();
    for leaf in leaves {
        frontier.push(*leaf);
    }
    frontier.root()
}

/// Bytes that are no [`Frontier`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a frontier: a tree of {size} leaves has {expected} peaks, not {found}")]
pub struct NotAFrontier {
    /// Leaves of the tree, as stated.
    pub size: u64,
    /// Peaks a tree of that size has.
    pub expected: usize,
    /// Peaks found.
    pub found: usize,
}

/// The roots of the full subtrees a tree falls into, the largest and leftmost first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frontier {
    size: u64,
    peaks: Vec<Hash>,
}

impl Frontier {
    /// A frontier from its parts. A tree of n leaves has as many peaks as n has one-bits.
    ///
    /// # Errors
    ///
    /// [`NotAFrontier`] if the number of peaks does not fit the size.
    pub fn new(size: u64, peaks: Vec<Hash>) -> Result<Self, NotAFrontier> {
        let (expected, found) = (size.count_ones() as usize, peaks.len());
        if expected != found {
            return Err(NotAFrontier { size, expected, found });
        }
        Ok(Self { size, peaks })
    }

    /// Leaves of the tree.
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// The roots of the full subtrees, leftmost first.
    pub fn peaks(&self) -> &[Hash] {
        &self.peaks
    }

    /// Appends a leaf.
    pub fn push(&mut self, leaf: Hash) {
        let mut node = leaf;
        let mut size = self.size;
        while size & 1 == 1 {
            if let Some(left) = self.peaks.pop() {
                node = node_hash(&left, &node);
            }
            size >>= 1;
        }
        self.peaks.push(node);
        self.size += 1;
    }

    /// The root of the tree.
    pub fn root(&self) -> Hash {
        let joined =
            self.peaks.iter().rev().copied().reduce(|right, left| node_hash(&left, &right));
        joined.unwrap_or_else(empty_root)
    }

    /// For the store: the size in eight bytes, the most significant first, then the peaks.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.size.to_be_bytes().to_vec();
        for peak in &self.peaks {
            bytes.extend_from_slice(&peak.0);
        }
        bytes
    }

    /// Reads what [`Frontier::to_bytes`] wrote.
    ///
    /// # Errors
    ///
    /// [`NotAFrontier`] if the bytes are cut, too many, or do not fit the size they state.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NotAFrontier> {
        let cut = NotAFrontier { size: 0, expected: 0, found: 0 };
        let (size, peaks) = bytes.split_first_chunk::<8>().ok_or(cut)?;
        let size = u64::from_be_bytes(*size);
        let (peaks, rest) = peaks.as_chunks::<32>();
        if !rest.is_empty() {
            let expected = size.count_ones() as usize;
            return Err(NotAFrontier { size, expected, found: peaks.len() });
        }
        Self::new(size, peaks.iter().copied().map(Hash).collect())
    }
}

#[cfg(test)]
mod tests;
