//! Owns the countersigning of checkpoints (C2SP tlog-checkpoint, in a C2SP signed-note). Invariant:
//! what is countersigned is never smaller than, and never a fork at the size of, what was countersigned
//! before.
//!
//! Whose note it is, the lease says; the ledger's own signature is for whoever verifies an export.

use std::fmt::{self, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use sha2::{Digest as _, Sha256};
use tenancy::permit;
use tenancy::plane::{Answered, Countersigned};

use crate::lease::not_held;
use crate::plane::Plane;
use crate::store::checkpoint::Checkpoint;
use crate::store::{self, Error};

/// The signature type of plain Ed25519 in C2SP signed-note.
const ED25519_TYPE: u8 = 0x01;
/// The longest note that is read.
const NOTE_MAX_BYTES: usize = 16 * 1024;

/// The key that countersigns, and its name.
pub(crate) struct Countersigner {
    name: String,
    pair: Ed25519KeyPair,
}

impl fmt::Debug for Countersigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Countersigner").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Countersigner {
    /// The countersigner of that name, or `None` if the name cannot stand in a signature line.
    pub(crate) fn new(name: &str, pair: Ed25519KeyPair) -> Option<Self> {
        let bad = |c: char| c.is_whitespace() || c.is_control() || c == '+';
        let good = !name.is_empty() && !name.contains(bad);
        good.then(|| Self { name: name.to_owned(), pair })
    }

    fn typed_key(&self) -> Vec<u8> {
        [&[ED25519_TYPE], self.pair.public_key().as_ref()].concat()
    }

    /// The first four bytes of SHA-256 over name, line break, type and key.
    fn key_id(&self) -> Vec<u8> {
        let named = [self.name.as_bytes(), b"\n", &self.typed_key()].concat();
        Sha256::digest(named).iter().take(4).copied().collect()
    }

    /// The public key as verifiers of signed notes take it.
    pub(crate) fn verifier_key(&self) -> String {
        let mut id = String::new();
        for byte in self.key_id() {
            // Writing to a text cannot fail.
            let _ = write!(id, "{byte:02x}");
        }
        format!("{}+{id}+{}", self.name, STANDARD.encode(self.typed_key()))
    }

    /// The signature line over `text`.
    fn line(&self, text: &str) -> String {
        let signature = self.pair.sign(text.as_bytes());
        let blob = [self.key_id().as_slice(), signature.as_ref()].concat();
        format!("\u{2014} {} {}\n", self.name, STANDARD.encode(blob))
    }

    /// `note` with this signature in place of any earlier one under the same name.
    fn countersign(&self, note: &Note<'_>) -> Countersigned {
        let mut signed = format!("{}\n", note.text);
        let own = format!("\u{2014} {} ", self.name);
        for line in note.signatures.lines().filter(|line| !line.starts_with(&own)) {
            signed.push_str(line);
            signed.push('\n');
        }
        signed.push_str(&self.line(note.text));
        let public_key = STANDARD.encode(self.pair.public_key());
        Countersigned { note: signed, name: self.name.clone(), public_key }
    }
}

/// A signed note of a checkpoint, taken apart.
struct Note<'n> {
    /// What is signed, with the line break that ends it.
    text: &'n str,
    signatures: &'n str,
    checkpoint: Checkpoint,
}

impl<'n> Note<'n> {
    fn parse(note: &'n str) -> Option<Self> {
        let (body, signatures) =
            note.rsplit_once("\n\n").filter(|_| note.len() <= NOTE_MAX_BYTES)?;
        if !signatures.ends_with('\n') || !signatures.starts_with("\u{2014} ") {
            return None;
        }
        let text = note.get(..body.len().checked_add(1)?)?;
        let mut lines = body.split('\n');
        let (origin, size, root) = (lines.next()?, lines.next()?, lines.next()?);
        let number: u64 = size.parse().ok().filter(|number: &u64| number.to_string() == size)?;
        let is_root = STANDARD.decode(root).is_ok_and(|bytes| bytes.len() == 32);
        if origin.is_empty() || !is_root || lines.next().is_some() {
            return None;
        }
        let (origin, root) = (origin.to_owned(), root.to_owned());
        Some(Self { text, signatures, checkpoint: Checkpoint { origin, size: number, root } })
    }
}

impl Plane {
    /// Countersigns `note` and remembers it, unless the ledger shrank or forked.
    pub(crate) async fn checkpoint(
        &self,
        plane: &permit::Plane,
        epoch: u64,
        note: &str,
    ) -> Result<Answered, Error> {
        let deny = |why: &str| Ok(Answered::Denied(why.to_owned()));
        let Some(note) = Note::parse(note) else {
            return deny("not the signed note of a checkpoint");
        };
        let mut tx = self.store.upkeep().await?;
        if self.held(&mut tx, plane, epoch).await?.is_none() {
            return Ok(not_held());
        }
        let new = &note.checkpoint;
        if let Some(last) = store::checkpoint::get(&mut tx, plane).await? {
            let fork = new.size == last.size && new.root != last.root;
            if new.origin != last.origin || new.size < last.size || fork {
                tracing::error!(
                    identity = %plane.identity(), last = last.size, new = new.size, fork,
                    "a ledger shrank or forked from its last checkpoint"
                );
                return deny("the ledger shrank or forked from its last checkpoint");
            }
        }
        store::checkpoint::put(&mut tx, plane, new, self.source.now()).await?;
        tx.commit().await?;
        Ok(Answered::Countersigned(self.countersigner.countersign(&note)))
    }
}
