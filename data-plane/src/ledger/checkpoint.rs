//! Checkpoints: a signed statement of a ledger's size and root.
//!
//! Owns the text form of C2SP tlog-checkpoint, the signed note around it (C2SP signed-note), and
//! its Ed25519 signatures; the keys are in [`key`]. Invariant: a note has one text. What parses is
//! written again byte for byte, so a signature covers exactly what was read.

pub mod key;

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

pub use key::{Key, Signer};

use super::merkle::Hash;

/// Signatures a note may hold; the standard asks that at least 16 be taken.
pub const SIGNATURES_MAX: usize = 16;

/// Why a text is no checkpoint, or a signature does not hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The text does not have the form of a checkpoint.
    #[error("not a checkpoint: {0}")]
    Form(&'static str),
    /// A key's name is empty or holds white space, a control character or a plus sign.
    #[error("{name:?} cannot name a key")]
    Name {
        /// The name.
        name: String,
    },
    /// A public key or a seed that is no Ed25519 key.
    #[error("not an Ed25519 key")]
    Key,
    /// The signature that claims to be of this key does not verify.
    #[error("the signature of {name} does not verify")]
    Signature {
        /// The key's name.
        name: String,
    },
}

/// The size and root of a ledger's tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// Which ledger it is: a schema-less URL that ends in the identity.
    pub origin: String,
    /// Entries covered.
    pub size: u64,
    /// The root over them.
    pub root: Hash,
}

impl Checkpoint {
    /// The text that is signed: origin, size and root, a line each.
    pub fn text(&self) -> String {
        format!("{}\n{}\n{}\n", self.origin, self.size, STANDARD.encode(self.root.as_bytes()))
    }

    /// Reads what [`Checkpoint::text`] wrote. Extension lines are refused, as we write none.
    ///
    /// # Errors
    ///
    /// [`Error::Form`] says what is amiss.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let mut lines = text.split('\n');
        let mut line = || lines.next().ok_or(Error::Form("a line is missing"));
        let (origin, size, root) = (line()?, line()?, line()?);
        let parsed = Self {
            origin: origin.to_owned(),
            size: size.parse().map_err(|_| Error::Form("the size is no number"))?,
            root: decode(root)
                .and_then(|bytes| Hash::try_from(bytes.as_slice()).ok())
                .ok_or(Error::Form("the root is no base64 of 32 bytes"))?,
        };
        if parsed.origin.is_empty() || parsed.origin.contains(char::is_control) {
            return Err(Error::Form("the origin is empty or holds a control character"));
        }
        if parsed.text() != text {
            return Err(Error::Form("it is not written the one way there is"));
        }
        Ok(parsed)
    }
}

/// One signature line of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The name of the key that signed.
    pub name: String,
    /// The key's id: it tells keys of one name apart and proves nothing.
    pub key_id: [u8; 4],
    /// The signature itself.
    pub bytes: Vec<u8>,
}

/// A checkpoint with its signatures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// What is signed.
    pub checkpoint: Checkpoint,
    /// By whom, in the order of names and ids: the worker, and the control plane once it has
    /// countersigned.
    pub signatures: Vec<Signature>,
}

impl Note {
    /// A checkpoint under its first signature.
    pub fn sign(checkpoint: Checkpoint, signer: &Signer) -> Self {
        let signatures = vec![signer.sign(&checkpoint)];
        Self { checkpoint, signatures }
    }

    /// Adds a signature at its place; one of the same key that was there is replaced.
    pub fn countersign(&mut self, signer: &Signer) {
        self.add(signer.sign(&self.checkpoint));
    }

    /// Adds a signature that was made elsewhere. It is not verified here.
    pub fn add(&mut self, signature: Signature) {
        let same = |old: &Signature| (&old.name, old.key_id) == (&signature.name, signature.key_id);
        self.signatures.retain(|old| !same(old));
        self.signatures.push(signature);
        self.signatures.sort_by(|a, b| (&a.name, a.key_id).cmp(&(&b.name, b.key_id)));
    }

    /// The note's text: the checkpoint, an empty line, and a line a signature.
    pub fn text(&self) -> String {
        let mut text = self.checkpoint.text();
        text.push('\n');
        for signature in &self.signatures {
            let blob = [signature.key_id.as_slice(), signature.bytes.as_slice()].concat();
            // Writing to a `String` cannot fail.
            let _ = writeln!(text, "\u{2014} {} {}", signature.name, STANDARD.encode(blob));
        }
        text
    }

    /// Reads what [`Note::text`] wrote. Verifies nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Form`] or [`Error::Name`] says what is amiss.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let (body, lines) =
            text.rsplit_once("\n\n").ok_or(Error::Form("no empty line before the signatures"))?;
        let checkpoint = Checkpoint::parse(&format!("{body}\n"))?;
        let lines = lines.strip_suffix('\n').ok_or(Error::Form("no line break at the end"))?;
        let mut signatures = Vec::new();
        for line in lines.split('\n') {
            if signatures.len() == SIGNATURES_MAX {
                return Err(Error::Form("too many signatures"));
            }
            signatures.push(parse_signature(line)?);
        }
        Ok(Self { checkpoint, signatures })
    }

    /// Whether `key` signed this note; false if the note holds no signature of that name and id.
    ///
    /// # Errors
    ///
    /// [`Error::Signature`] if the note holds one and it does not verify: such a note is to be
    /// refused as a whole.
    pub fn is_signed_by(&self, key: &Key) -> Result<bool, Error> {
        let text = self.checkpoint.text();
        let mut signed = false;
        for signature in self.signatures.iter().filter(|signature| key.claims(signature)) {
            key.verify(text.as_bytes(), &signature.bytes)?;
            signed = true;
        }
        Ok(signed)
    }
}

fn parse_signature(line: &str) -> Result<Signature, Error> {
    let (name, blob) = line
        .strip_prefix("\u{2014} ")
        .and_then(|rest| rest.split_once(' '))
        .ok_or(Error::Form("a signature line is not dash, name and signature"))?;
    key::check_name(name)?;
    let blob = decode(blob).ok_or(Error::Form("a signature is no base64"))?;
    let (key_id, bytes) =
        blob.split_first_chunk::<4>().ok_or(Error::Form("a signature has no key id"))?;
    Ok(Signature { name: name.to_owned(), key_id: *key_id, bytes: bytes.to_vec() })
}

/// Standard base64, in the one way of writing it.
fn decode(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}

#[cfg(test)]
mod tests;
