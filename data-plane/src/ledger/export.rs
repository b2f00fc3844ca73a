//! The export: a ledger, or a stretch of one, as JSON lines that verify on their own.
//!
//! Owns the form of the lines and writes them; [`super::verify`] reads them. Invariant: every line
//! is canonical JSON (RFC 8785) ended by one line feed, and says nothing that a hash or a
//! signature further down does not bear out, so no byte can change unseen.
//!
//! The first line is the [`Header`]. Then comes a line an entry, in order. A checkpoint's line
//! stands after the last entry it covers; the last line of all is one over everything.

use std::io::{self, Write};

use contract::canonical::{self, to_canonical_text};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::checkpoint::{Key, Note};
use super::entry::Entry;
use super::merkle::{Frontier, Hash};

/// The version of the form.
pub const VERSION: u64 = 1;

/// Why a line could not be written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The output failed.
    #[error("the export could not be written")]
    Write(#[from] io::Error),
    /// The header could not be written as JSON.
    #[error("the header cannot be written as JSON")]
    Serialise(#[source] serde_json::Error),
    /// The line has no canonical form.
    #[error("the line has no canonical form")]
    Canonical(#[source] canonical::Error),
}

/// Whose key it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The identity's worker, which writes the ledger. Its key's name is the ledger's origin.
    Worker,
    /// The control plane, which countersigns. Its key has another name.
    ControlPlane,
}

/// A key named in a header.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeaderKey {
    /// The name it signs under.
    pub name: String,
    /// Its 32 bytes in standard base64.
    pub public_key_b64: String,
    /// Whose it is.
    pub role: Role,
}

impl HeaderKey {
    fn new(key: &Key, role: Role) -> Self {
        Self { name: key.name().to_owned(), public_key_b64: key.to_base64(), role }
    }
}

/// The first line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// The version of the form: [`VERSION`].
    pub bailiwick_ledger: u64,
    /// Whose ledger it is, as [`super::chain::genesis`] was given it.
    pub identity: String,
    /// The first line of its checkpoints; ends in `/` and the identity.
    pub origin: String,
    /// The place of the first entry.
    pub first_seq: u64,
    /// The place after the last entry.
    pub next_seq: u64,
    /// The hash before the first entry: the genesis, if that is entry 0.
    pub prev: Hash,
    /// The peaks of the tree over all that came before the first entry.
    pub frontier: Vec<Hash>,
    /// How many checkpoint lines there are.
    pub checkpoints: u64,
    /// The keys that signed them, each at least once, in the order of names and ids.
    pub keys: Vec<HeaderKey>,
}

/// From where to where an export goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stretch {
    /// The hash before its first entry.
    pub prev: Hash,
    /// The tree over all that came before; its size is the place of the first entry.
    pub before: Frontier,
    /// The place after its last entry.
    pub next_seq: u64,
}

impl Header {
    /// The header of a stretch.
    pub fn new(
        identity: &str,
        origin: &str,
        stretch: &Stretch,
        checkpoints: u64,
        keys: &[(Key, Role)],
    ) -> Self {
        let mut keys = keys.to_vec();
        keys.sort_by(|(a, _), (b, _)| (a.name(), a.id()).cmp(&(b.name(), b.id())));
        let keys = keys.iter().map(|(key, role)| HeaderKey::new(key, *role)).collect();
        Self {
            bailiwick_ledger: VERSION,
            identity: identity.to_owned(),
            origin: origin.to_owned(),
            first_seq: stretch.before.size(),
            next_seq: stretch.next_seq,
            prev: stretch.prev,
            frontier: stretch.before.peaks().to_vec(),
            checkpoints,
            keys,
        }
    }
}

/// An entry as the store holds it; its body need not be parsed to be written.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// Its place.
    pub seq: u64,
    /// Its time.
    pub at_ms: i64,
    /// The hash before it.
    pub prev: Hash,
    /// Its hash.
    pub hash: Hash,
    /// The canonical JSON of its body.
    pub body_text: &'a str,
}

impl<'a> From<&'a Entry> for Row<'a> {
    fn from(entry: &'a Entry) -> Self {
        Self {
            seq: entry.seq(),
            at_ms: entry.at_ms(),
            prev: entry.prev(),
            hash: entry.hash(),
            body_text: entry.body_text(),
        }
    }
}

/// Writes the first line.
///
/// # Errors
///
/// [`Error`] if the output fails or a number of the header is beyond what JSON keeps.
pub fn write_header(out: &mut impl Write, header: &Header) -> Result<(), Error> {
    write_value(out, &serde_json::to_value(header).map_err(Error::Serialise)?)
}

/// Writes an entry's line.
///
/// # Errors
///
/// [`Error::Write`] if the output fails.
pub fn write_entry(out: &mut impl Write, row: Row<'_>) -> Result<(), Error> {
    let Row { seq, at_ms, prev, hash, body_text } = row;
    // The names stand in canonical order, and the body is canonical already.
    writeln!(
        out,
        r#"{{"at_ms":{at_ms},"body":{body_text},"hash":"{hash}","prev":"{prev}","seq":{seq}}}"#
    )?;
    Ok(())
}

/// Writes a checkpoint's line. It belongs after the last entry the checkpoint covers.
///
/// # Errors
///
/// [`Error::Write`] if the output fails.
pub fn write_checkpoint(out: &mut impl Write, note: &Note) -> Result<(), Error> {
    write_value(out, &json!({ "checkpoint": note.text() }))
}

fn write_value(out: &mut impl Write, value: &Value) -> Result<(), Error> {
    let text = to_canonical_text(value).map_err(Error::Canonical)?;
    writeln!(out, "{text}")?;
    Ok(())
}
