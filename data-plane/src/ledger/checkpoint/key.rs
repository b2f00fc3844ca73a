//! The keys that sign checkpoints: Ed25519 (RFC 8032) under a name.
//!
//! Invariant: a seed goes in and never comes out, not even in `Debug`.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};

use super::{Checkpoint, Error, Signature};
use crate::ledger::merkle::Hash;

/// The signature type of plain Ed25519 in C2SP signed-note.
const ED25519_TYPE: u8 = 0x01;

/// A name that the signature lines of a note can hold.
pub(super) fn check_name(name: &str) -> Result<(), Error> {
    let bad = |c: char| c.is_whitespace() || c.is_control() || c == '+';
    if name.is_empty() || name.contains(bad) {
        return Err(Error::Name { name: name.to_owned() });
    }
    Ok(())
}

/// A public key and the name it signs under.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    name: String,
    public: [u8; 32],
}

impl Key {
    /// A key from its 32 bytes.
    ///
    /// # Errors
    ///
    /// [`Error::Name`] if the name cannot stand in a signature line.
    pub fn new(name: &str, public: [u8; 32]) -> Result<Self, Error> {
        check_name(name)?;
        Ok(Self { name: name.to_owned(), public })
    }

    /// A key from the standard base64 of its 32 bytes.
    ///
    /// # Errors
    ///
    /// [`Error::Key`] if it is not that, else as [`Key::new`].
    pub fn from_base64(name: &str, text: &str) -> Result<Self, Error> {
        let bytes = super::decode(text).ok_or(Error::Key)?;
        Self::new(name, bytes.try_into().map_err(|_| Error::Key)?)
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The 32 bytes.
    pub const fn public(&self) -> &[u8; 32] {
        &self.public
    }

    /// The 32 bytes in standard base64.
    pub fn to_base64(&self) -> String {
        STANDARD.encode(self.public)
    }

    /// The key's id: the first four bytes of SHA-256 over name, line break, type and key.
    pub fn id(&self) -> [u8; 4] {
        let parts: [&[u8]; 4] = [self.name.as_bytes(), b"\n", &[ED25519_TYPE], &self.public];
        let [a, b, c, d, ..] = *Hash::of(&parts).as_bytes();
        [a, b, c, d]
    }

    /// What people compare: `sha256:` and the hex SHA-256 of the 32 bytes.
    pub fn fingerprint(&self) -> String {
        format!("sha256:{}", Hash::of(&[&self.public]))
    }

    /// Whether a signature line says it is of this key.
    pub fn claims(&self, signature: &Signature) -> bool {
        signature.name == self.name && signature.key_id == self.id()
    }

    /// Checks a signature over a note's text.
    ///
    /// # Errors
    ///
    /// [`Error::Signature`] if it is not this key's over this text.
    pub fn verify(&self, text: &[u8], signature: &[u8]) -> Result<(), Error> {
        UnparsedPublicKey::new(&ED25519, self.public)
            .verify(text, signature)
            .map_err(|_| Error::Signature { name: self.name.clone() })
    }
}

/// A key that can sign.
pub struct Signer {
    key: Key,
    pair: Ed25519KeyPair,
}

impl Signer {
    /// A signer from its 32 secret bytes, which the caller draws and seals.
    ///
    /// # Errors
    ///
    /// [`Error::Name`] if the name cannot stand in a signature line.
    pub fn from_seed(name: &str, seed: &[u8; 32]) -> Result<Self, Error> {
        let pair = Ed25519KeyPair::from_seed_unchecked(seed).map_err(|_| Error::Key)?;
        let public = pair.public_key().as_ref().try_into().map_err(|_| Error::Key)?;
        Ok(Self { key: Key::new(name, public)?, pair })
    }

    /// The public half.
    pub const fn key(&self) -> &Key {
        &self.key
    }

    /// Signs a checkpoint's text.
    pub fn sign(&self, checkpoint: &Checkpoint) -> Signature {
        let bytes = self.pair.sign(checkpoint.text().as_bytes()).as_ref().to_vec();
        Signature { name: self.key.name.clone(), key_id: self.key.id(), bytes }
    }
}

impl fmt::Debug for Signer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Signer").field("key", &self.key).finish_non_exhaustive()
    }
}
