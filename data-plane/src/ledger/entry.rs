//! One entry of the ledger: its place, its time, its body, and the hash that seals them.
//!
//! Owns [`Entry`]; the bodies are in [`body`]. Invariant: an entry's hash is SHA-256 of 0x00, the
//! hash of the entry before it, and the canonical JSON (RFC 8785) of `{at_ms, body, seq}`. That is
//! the leaf hash of RFC 6962 over the latter two, so the chain and the tree share one hash.

pub mod body;

use contract::canonical::{self, StrictError, parse_strict, to_canonical_text_inside};
use serde_json::Value;

pub use body::Body;

use super::merkle::{Hash, leaf_hash};

/// The largest place and the widest time, in either direction: 2^53 - 1, since every reader of
/// JSON keeps integers up to there.
pub const INTEGER_MAX: u64 = (1 << 53) - 1;

/// The longest canonical text of a body. An export's line holds it with room to spare.
pub const BODY_MAX_BYTES: usize = 512 * 1024;

/// Why an entry cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The place or the time lies beyond [`INTEGER_MAX`].
    #[error("{what} {value} lies beyond what JSON numbers keep")]
    Range {
        /// `seq` or `at_ms`.
        what: &'static str,
        /// The number.
        value: i128,
    },
    /// The body is no object, or has no `kind` that is a word.
    #[error("the body is no object with a kind")]
    Kind,
    /// The body is longer than [`BODY_MAX_BYTES`].
    #[error("the body has {bytes} bytes, more than an entry holds")]
    TooLong {
        /// Its length in bytes.
        bytes: usize,
    },
    /// The body has no canonical form.
    #[error("the body has no canonical form")]
    Canonical(#[source] canonical::Error),
    /// The body could not be written as JSON.
    #[error("the body cannot be written as JSON")]
    Serialise(#[source] serde_json::Error),
    /// The stored text of a body is no JSON.
    #[error("the stored body is no JSON")]
    Json(#[source] StrictError),
    /// The stored text of a body is not the one that was hashed.
    #[error("the stored body is not in canonical form")]
    NotCanonical,
}

/// One entry. Its parts cannot be changed once it is made.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    seq: u64,
    at_ms: i64,
    prev: Hash,
    hash: Hash,
    kind: String,
    body: Value,
    body_text: String,
}

impl Entry {
    /// Seals a body at a place.
    ///
    /// # Errors
    ///
    /// [`Error`] if the body is no object with a kind, or a number in it is not kept exactly.
    pub fn new(seq: u64, at_ms: i64, prev: Hash, body: Value) -> Result<Self, Error> {
        let body_text = to_canonical_text_inside(1, &body).map_err(Error::Canonical)?;
        if body_text.len() > BODY_MAX_BYTES {
            return Err(Error::TooLong { bytes: body_text.len() });
        }
        let kind = kind_of(&body).ok_or(Error::Kind)?.to_owned();
        if seq > INTEGER_MAX {
            return Err(Error::Range { what: "seq", value: seq.into() });
        }
        if at_ms.unsigned_abs() > INTEGER_MAX {
            return Err(Error::Range { what: "at_ms", value: at_ms.into() });
        }
        let sealed = sealed_text(seq, at_ms, &body_text);
        let hash = leaf_hash(&[prev.as_bytes(), sealed.as_bytes()]);
        Ok(Self { seq, at_ms, prev, hash, kind, body, body_text })
    }

    /// Makes an entry again from what the store holds. Its hash is computed, not taken over.
    ///
    /// # Errors
    ///
    /// As [`Entry::new`], and if `body_text` is not what [`Entry::body_text`] gave.
    pub fn from_stored(seq: u64, at_ms: i64, prev: Hash, body_text: &str) -> Result<Self, Error> {
        let body = parse_strict(body_text.as_bytes()).map_err(Error::Json)?;
        let entry = Self::new(seq, at_ms, prev, body)?;
        if entry.body_text != body_text {
            return Err(Error::NotCanonical);
        }
        Ok(entry)
    }

    /// The place in the chain, counted from 0: also the index of the leaf in the tree.
    pub const fn seq(&self) -> u64 {
        self.seq
    }

    /// Milliseconds since the Unix epoch, as the writer's clock had it. Not necessarily growing.
    pub const fn at_ms(&self) -> i64 {
        self.at_ms
    }

    /// The hash of the entry before this one, or the chain's genesis.
    pub const fn prev(&self) -> Hash {
        self.prev
    }

    /// The hash that seals this entry.
    pub const fn hash(&self) -> Hash {
        self.hash
    }

    /// The body's `kind`.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The body.
    pub const fn body(&self) -> &Value {
        &self.body
    }

    /// The canonical JSON of the body: what the store keeps and the hash covers.
    pub fn body_text(&self) -> &str {
        &self.body_text
    }
}

/// The canonical JSON that the hash covers; the names stand in canonical order.
fn sealed_text(seq: u64, at_ms: i64, body_text: &str) -> String {
    format!(r#"{{"at_ms":{at_ms},"body":{body_text},"seq":{seq}}}"#)
}

/// The `kind` of a body that is an object: one word of a-z and `_`, at most 40 bytes.
fn kind_of(body: &Value) -> Option<&str> {
    let is_word = |kind: &&str| {
        (1..=40).contains(&kind.len()) && kind.bytes().all(|b| b == b'_' || b.is_ascii_lowercase())
    };
    body.as_object()?.get("kind")?.as_str().filter(is_word)
}

#[cfg(test)]
mod tests;
