//! The verifier: reads an export and says whether it holds, with nothing but the export.
//!
//! Owns [`verify`], [`Pins`] and [`Report`]. Invariant: no byte of an accepted export can be
//! changed, left out, doubled or moved without the export being refused, with the line and the
//! reason. Memory stays bounded by the longest line and by the rulings without an outcome.
//!
//! An export alone proves that it is whole and that the keys it names signed it. Whose keys those
//! are, and that no later entry was kept back, shows only against something known before: a
//! [`Pins`].

mod audit;
mod lines;
mod reason;
mod tally;

use std::collections::BTreeMap;
use std::io::BufRead;

use serde::Serialize;

pub use reason::Reason;

use super::export::Role;
use super::merkle::Hash;
use audit::Audit;
use lines::Lines;

/// The longest line read, with its line feed.
pub const LINE_MAX_BYTES: usize = 1024 * 1024;

/// How many of the rulings without an outcome a report names.
pub const OPEN_NAMED_MAX: usize = 100;

/// An export that does not hold.
#[derive(Debug, thiserror::Error)]
#[error("line {line} does not hold")]
pub struct Error {
    /// The line, counted from 1. Where something is missing at the end, the one after the last.
    pub line: u64,
    /// Why.
    #[source]
    pub reason: Reason,
}

/// What the reader of an export knew before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pins {
    /// An Ed25519 public key that must have signed the last checkpoint.
    pub key: Option<[u8; 32]>,
    /// The size and root of an earlier checkpoint, which the export must continue.
    pub tree: Option<(u64, Hash)>,
}

/// What an export that holds says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Whose ledger it is.
    pub identity: String,
    /// The first line of its checkpoints.
    pub origin: String,
    /// The place of its first entry. Not 0: the export begins in the middle.
    pub first_seq: u64,
    /// The place after its last entry.
    pub next_seq: u64,
    /// How many entries it holds.
    pub entries: u64,
    /// The time of the first entry, in milliseconds since the Unix epoch.
    pub first_at_ms: Option<i64>,
    /// The time of the last entry.
    pub last_at_ms: Option<i64>,
    /// The root of the tree over all entries up to `next_seq`.
    pub root: Hash,
    /// The hash of the last entry.
    pub head: Hash,
    /// The keys that signed.
    pub signed_by: Vec<SignedBy>,
    /// How many entries there are of each kind.
    pub kinds: BTreeMap<String, u64>,
    /// How many rulings that let a call through have no outcome in the export.
    pub open_rulings: u64,
    /// The first [`OPEN_NAMED_MAX`] of them.
    pub open_rulings_first: Vec<OpenRuling>,
    /// Outcomes whose ruling is not open: before the first entry, answered already, or missing.
    pub stray_outcomes: u64,
}

/// A key that signed at least one checkpoint of an export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SignedBy {
    /// The name it signed under.
    pub name: String,
    /// Whose it is, as the header says.
    pub role: Role,
    /// `sha256:` and the hex SHA-256 of the public key.
    pub fingerprint: String,
    /// How many checkpoints it signed.
    pub checkpoints: u64,
    /// The place after the last entry it vouches for.
    pub up_to_seq: u64,
}

/// A ruling without an outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OpenRuling {
    /// Its place.
    pub seq: u64,
    /// Its id.
    pub id: String,
}

/// Reads an export to its end and checks all of it.
///
/// # Errors
///
/// [`Error`] names the first line that does not hold, and why.
pub fn verify(reader: impl BufRead, pins: &Pins) -> Result<Report, Error> {
    let mut lines = Lines::new(reader);
    let result = audit(&mut lines, *pins);
    result.map_err(|reason| Error { line: lines.number(), reason })
}

fn audit(lines: &mut Lines<impl BufRead>, pins: Pins) -> Result<Report, Reason> {
    let header = lines.next_value()?.ok_or(Reason::Empty)?;
    let mut audit = Audit::begin(header, pins)?;
    while let Some(line) = lines.next_value()? {
        audit.take(line)?;
    }
    audit.finish()
}

#[cfg(test)]
mod tests;
