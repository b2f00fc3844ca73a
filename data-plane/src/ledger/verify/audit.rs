//! The checks, in the order of the lines.
//!
//! Invariant: every field of the header is borne out by the entries, by a checkpoint's root or by
//! a signature before [`Audit::finish`] answers.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::tally::Tally;
use super::{Pins, Reason, Report, SignedBy};
use crate::ledger::chain::{Chain, genesis};
use crate::ledger::checkpoint::{Key, Note};
use crate::ledger::entry::Entry;
use crate::ledger::export::{Header, Role, VERSION};
use crate::ledger::merkle::{Frontier, Hash};

/// The state between two lines.
pub(super) struct Audit {
    header: Header,
    keys: Keys,
    chain: Chain,
    tally: Tally,
    checkpoints: u64,
    last_checkpoint: Option<u64>,
    pins: Pins,
    tree_met: bool,
}

/// The header's keys, by name and id.
type Keys = BTreeMap<(String, [u8; 4]), Use>;

/// A key and what it has signed so far.
struct Use {
    key: Key,
    role: Role,
    checkpoints: u64,
    up_to_seq: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EntryLine {
    at_ms: i64,
    body: Value,
    hash: Hash,
    prev: Hash,
    seq: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckpointLine {
    checkpoint: String,
}

impl Audit {
    /// Takes the first line.
    pub(super) fn begin(line: Value, pins: Pins) -> Result<Self, Reason> {
        let header: Header = shaped(line, "header")?;
        if header.bailiwick_ledger != VERSION {
            return Err(Reason::Version { version: header.bailiwick_ledger });
        }
        if header.origin.rsplit_once('/').is_none_or(|(_, last)| last != header.identity) {
            let (origin, identity) = (header.origin, header.identity);
            return Err(Reason::Origin { origin, identity });
        }
        if header.first_seq == 0 && header.prev != genesis(&header.identity) {
            return Err(Reason::Genesis);
        }
        if header.first_seq > 0 && header.first_seq >= header.next_seq {
            return Err(Reason::EmptyStretch { first_seq: header.first_seq });
        }
        let frontier =
            Frontier::new(header.first_seq, header.frontier.clone()).map_err(Reason::Frontier)?;
        let chain = Chain::after(header.prev, frontier);
        let keys = keys_of(&header)?;
        let mut audit = Self {
            header,
            keys,
            chain,
            tally: Tally::default(),
            checkpoints: 0,
            last_checkpoint: None,
            pins,
            tree_met: false,
        };
        audit.meet_pinned_tree()?;
        Ok(audit)
    }

    /// Takes any later line.
    pub(super) fn take(&mut self, line: Value) -> Result<(), Reason> {
        if line.get("checkpoint").is_some() {
            let line: CheckpointLine = shaped(line, "checkpoint's line")?;
            self.take_checkpoint(&line.checkpoint)
        } else {
            self.take_entry(shaped(line, "entry's line")?)
        }
    }

    /// Answers at the end of the input.
    pub(super) fn finish(self) -> Result<Report, Reason> {
        let (expected, found) = (self.header.next_seq, self.chain.next_seq());
        if expected != found {
            return Err(Reason::Incomplete { expected, found });
        }
        if self.last_checkpoint != Some(found) {
            return Err(Reason::Unsigned);
        }
        if self.checkpoints != self.header.checkpoints {
            let (expected, found) = (self.header.checkpoints, self.checkpoints);
            return Err(Reason::CheckpointCount { expected, found });
        }
        if let Some(idle) = self.keys.values().find(|used| used.checkpoints == 0) {
            return Err(Reason::KeyIdle { name: idle.key.name().to_owned() });
        }
        if let Some(pinned) = self.pins.key {
            let is_it = |used: &Use| *used.key.public() == pinned && used.up_to_seq == found;
            if !self.keys.values().any(is_it) {
                return Err(Reason::PinnedKey);
            }
        }
        if let Some((size, _)) = self.pins.tree.filter(|_| !self.tree_met) {
            return Err(Reason::PinnedTreeOutside { size });
        }
        Ok(self.report())
    }

    fn take_entry(&mut self, line: EntryLine) -> Result<(), Reason> {
        let EntryLine { at_ms, body, hash, prev, seq } = line;
        let entry = Entry::new(seq, at_ms, prev, body).map_err(Reason::Entry)?;
        self.chain.admit(&entry).map_err(Reason::Chain)?;
        if entry.hash() != hash {
            return Err(Reason::Hash { seq });
        }
        if seq >= self.header.next_seq {
            return Err(Reason::Beyond { seq, next_seq: self.header.next_seq });
        }
        self.tally.take(&entry);
        self.meet_pinned_tree()
    }

    fn take_checkpoint(&mut self, text: &str) -> Result<(), Reason> {
        let note = Note::parse(text).map_err(Reason::Checkpoint)?;
        let size = self.chain.next_seq();
        if note.checkpoint.origin != self.header.origin {
            return Err(Reason::CheckpointOrigin { found: note.checkpoint.origin });
        }
        if note.checkpoint.size != size {
            let (expected, found) = (size, note.checkpoint.size);
            return Err(Reason::CheckpointSize { expected, found });
        }
        if note.checkpoint.root != self.chain.root() {
            return Err(Reason::Root { size });
        }
        if self.last_checkpoint == Some(size) {
            return Err(Reason::CheckpointRepeated { size });
        }
        self.take_signatures(&note)?;
        self.checkpoints += 1;
        self.last_checkpoint = Some(size);
        Ok(())
    }

    /// Unlike a general reader of notes, which passes over signatures of unknown keys, this one
    /// refuses them: a changed name or key id would otherwise go unseen.
    fn take_signatures(&mut self, note: &Note) -> Result<(), Reason> {
        let text = note.checkpoint.text();
        let (mut last, mut by_worker) = (None, false);
        for signature in &note.signatures {
            let name = || signature.name.clone();
            let claimed = (signature.name.clone(), signature.key_id);
            let Some(used) = self.keys.get_mut(&claimed) else {
                return Err(Reason::UnknownSigner { name: name() });
            };
            if last.is_some_and(|last| last >= claimed) {
                return Err(Reason::SignatureOrder { name: name() });
            }
            used.key.verify(text.as_bytes(), &signature.bytes).map_err(Reason::Checkpoint)?;
            used.checkpoints += 1;
            used.up_to_seq = note.checkpoint.size;
            by_worker |= used.role == Role::Worker;
            last = Some(claimed);
        }
        if by_worker { Ok(()) } else { Err(Reason::NoWorker) }
    }

    fn meet_pinned_tree(&mut self) -> Result<(), Reason> {
        match self.pins.tree {
            Some((size, root)) if size == self.chain.next_seq() => {
                if self.chain.root() != root {
                    return Err(Reason::PinnedTree { size });
                }
                self.tree_met = true;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn report(self) -> Report {
        let Self { header, keys, chain, tally, .. } = self;
        let signed_by = keys.into_values().map(|used| SignedBy {
            name: used.key.name().to_owned(),
            role: used.role,
            fingerprint: used.key.fingerprint(),
            checkpoints: used.checkpoints,
            up_to_seq: used.up_to_seq,
        });
        Report {
            identity: header.identity,
            origin: header.origin,
            first_seq: header.first_seq,
            next_seq: header.next_seq,
            entries: tally.entries,
            first_at_ms: tally.first_at_ms,
            last_at_ms: tally.last_at_ms,
            root: chain.root(),
            head: chain.head(),
            signed_by: signed_by.collect(),
            kinds: tally.kinds.clone(),
            open_rulings: tally.open_rulings(),
            stray_outcomes: tally.stray_outcomes,
            open_rulings_first: tally.into_open_rulings(),
        }
    }
}

/// The worker's keys bear the ledger's origin as their name and no other key does, so that the
/// role a header gives a key is borne out by what signed.
fn keys_of(header: &Header) -> Result<Keys, Reason> {
    let mut keys = Keys::new();
    for line in &header.keys {
        let name = || line.name.clone();
        let key = Key::from_base64(&line.name, &line.public_key_b64)
            .map_err(|source| Reason::Key { name: name(), source })?;
        if (line.role == Role::Worker) != (line.name == header.origin) {
            return Err(Reason::KeyRole { name: name() });
        }
        let used = Use { key, role: line.role, checkpoints: 0, up_to_seq: 0 };
        let place = (name(), used.key.id());
        if keys.last_key_value().is_some_and(|(last, _)| *last >= place) {
            return Err(Reason::KeyOrder { name: name() });
        }
        keys.insert(place, used);
    }
    Ok(keys)
}

fn shaped<T: DeserializeOwned>(line: Value, expected: &'static str) -> Result<T, Reason> {
    serde_json::from_value(line).map_err(|source| Reason::Shape { expected, source })
}
