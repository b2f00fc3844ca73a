//! Owns sealing: a key-encryption key ([`Kek`]) wraps one data key per identity ([`Dek`]), and the
//! data key seals that identity's secrets, each under a key of its own.
//!
//! Invariant: a sealed value opens only for the identity, record, version and set of origins it was
//! sealed for. Anything else is an error with a name, never an empty secret. Nothing here does I/O.
//!
//! The cipher is AES-256-GCM (NIST SP 800-38D) under a fresh random 96-bit nonce. The key of a
//! record is HKDF-SHA256 (RFC 5869) of the data key, with record and version as info: each such key
//! seals a handful of values in its life, so two of them never share a nonce.
//!
//! Limit: `ring` does not wipe the key schedules that it expands. Every key and secret that this
//! module itself holds is wiped when it is dropped.

mod cipher;
mod envelope;
mod secret;

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use contract::Id;
use contract::id::{Identity, Kind};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use crate::clock::Source;

pub use envelope::{KeyId, Malformed, Sealed, Wrapped};
pub use secret::Secret;

use cipher::{canonical, decrypt, derive, encrypt, mac};
use envelope::FORMAT;

/// The size of either kind of key, in bytes.
pub const KEY_BYTES: usize = 32;

/// Why something was not sealed or not opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// It was sealed under another key than the one given.
    #[error("sealed under key {sealed_under}, but key {given} was given")]
    OtherKey {
        /// The key that its header names.
        sealed_under: KeyId,
        /// The key that was given.
        given: KeyId,
    },
    /// It was altered, or sealed for another identity, record, version or set of origins. Which of
    /// these it is cannot be told, because the seal covers them together.
    #[error(
        "the seal does not open: it was altered, or made for another identity, record, version or \
         set of origins"
    )]
    DoesNotOpen,
    /// The cipher refused its input: AES-GCM encrypts at most 64 GiB at once.
    #[error("the cipher refused an input of {bytes} bytes")]
    TooLong {
        /// How long the input is.
        bytes: usize,
    },
}

/// What a sealed value belongs to. All of it is authenticated with the value.
#[derive(Debug, Clone, Copy)]
pub struct Binding<'a, K: Kind> {
    /// The tenant.
    pub identity: Id<Identity>,
    /// The record. Its kind counts too.
    pub record: Id<K>,
    /// The record's version.
    pub version: u64,
    /// The origins that the secret may go to. They are a set: order and repetition do not count.
    pub origins: &'a [String],
}

/// The key-encryption key of an installation. It wraps data keys and encrypts nothing else; digests
/// of what holds a secret are keyed by it.
pub struct Kek {
    key: Zeroizing<[u8; KEY_BYTES]>,
    id: KeyId,
}

/// The data key of one identity.
pub struct Dek {
    key: Zeroizing<[u8; KEY_BYTES]>,
    id: KeyId,
}

impl Kek {
    /// A key from its bytes, which must have come from a generator fit for keys.
    pub fn new(key: Zeroizing<[u8; KEY_BYTES]>) -> Self {
        let id = key_id(b"bailiwick kek id", &key);
        Self { key, id }
    }

    /// A new random key.
    pub fn generate(source: &dyn Source) -> Self {
        Self::new(random_key(source))
    }

    /// The key's id. It is made from the key: the same bytes have the same id wherever they are
    /// loaded, and the id tells nothing about them.
    pub const fn id(&self) -> KeyId {
        self.id
    }

    /// A digest of `message` which nobody can make, or hold a guess against, without this key:
    /// HMAC-SHA256 (RFC 2104) under a key of its own for each `purpose`. Under another key-encryption
    /// key the same message has another digest.
    pub fn keyed_digest(&self, purpose: &str, message: &[u8]) -> [u8; 32] {
        let own = mac(&self.key, &canonical(&[b"bailiwick digest key", purpose.as_bytes()]));
        *mac(&own, message)
    }

    /// The key's bytes, for whoever stores it.
    pub(crate) fn expose(&self) -> &[u8; KEY_BYTES] {
        &self.key
    }
}

impl Dek {
    /// A new random data key.
    pub fn generate(source: &dyn Source) -> Self {
        Self::new(random_key(source))
    }

    fn new(key: Zeroizing<[u8; KEY_BYTES]>) -> Self {
        let id = key_id(b"bailiwick dek id", &key);
        Self { key, id }
    }

    /// The key as text, for the plane message that hands it to the holder of the identity's lease.
    pub fn to_text(&self) -> Zeroizing<String> {
        Zeroizing::new(STANDARD.encode(*self.key))
    }

    /// The key of such a text; `None` if it is none.
    pub fn from_text(text: &str) -> Option<Self> {
        let bytes = Zeroizing::new(STANDARD.decode(text).ok()?);
        let key: [u8; KEY_BYTES] = bytes.as_slice().try_into().ok()?;
        Some(Self::new(Zeroizing::new(key)))
    }

    /// The key's id, as the header of what it sealed names it.
    pub const fn id(&self) -> KeyId {
        self.id
    }

    /// This key, wrapped for `identity` under `kek`.
    ///
    /// # Errors
    /// [`Error::TooLong`], which no key is.
    pub fn wrap(
        &self,
        kek: &Kek,
        identity: Id<Identity>,
        source: &dyn Source,
    ) -> Result<Wrapped, Error> {
        let key = derive(&kek.key, b"bailiwick wrapping key")?;
        let aad = wrapping_aad(kek.id, identity);
        encrypt(key, kek.id, &aad, &*self.key, source).map(Wrapped)
    }

    /// Seals `secret` for what `binding` names.
    ///
    /// # Errors
    /// [`Error::TooLong`].
    pub fn seal<K: Kind>(
        &self,
        binding: &Binding<'_, K>,
        secret: &[u8],
        source: &dyn Source,
    ) -> Result<Sealed, Error> {
        let key = derive(&self.key, &binding.info())?;
        encrypt(key, self.id, &binding.aad(self.id), secret, source).map(Sealed)
    }

    /// Opens what was sealed for exactly what `binding` names.
    ///
    /// # Errors
    /// [`Error::OtherKey`] and [`Error::DoesNotOpen`].
    pub fn open<K: Kind>(
        &self,
        binding: &Binding<'_, K>,
        sealed: &Sealed,
    ) -> Result<Secret, Error> {
        let key = derive(&self.key, &binding.info())?;
        decrypt(key, self.id, &binding.aad(self.id), &sealed.0)
    }
}

impl Wrapped {
    /// The data key of `identity`.
    ///
    /// # Errors
    /// [`Error::OtherKey`] and [`Error::DoesNotOpen`].
    pub fn open(&self, kek: &Kek, identity: Id<Identity>) -> Result<Dek, Error> {
        let key = derive(&kek.key, b"bailiwick wrapping key")?;
        let opened = decrypt(key, kek.id, &wrapping_aad(kek.id, identity), &self.0)?;
        let mut dek = Zeroizing::new([0; KEY_BYTES]);
        if opened.expose().len() != KEY_BYTES {
            return Err(Error::DoesNotOpen);
        }
        dek.copy_from_slice(opened.expose());
        Ok(Dek::new(dek))
    }

    /// The same data key under `new`. What it sealed stays as it is.
    ///
    /// # Errors
    /// As [`Wrapped::open`] under `old`.
    pub fn rewrap(
        &self,
        old: &Kek,
        new: &Kek,
        identity: Id<Identity>,
        source: &dyn Source,
    ) -> Result<Self, Error> {
        self.open(old, identity)?.wrap(new, identity, source)
    }
}

impl<K: Kind> Binding<'_, K> {
    /// What the record's own key is derived with.
    fn info(&self) -> Vec<u8> {
        canonical(&[
            b"bailiwick record key",
            K::PREFIX.as_bytes(),
            self.record.uuid().as_bytes(),
            &self.version.to_be_bytes(),
        ])
    }

    /// What is authenticated beside the secret.
    fn aad(&self, dek: KeyId) -> Vec<u8> {
        let (identity, record) = (self.identity.uuid(), self.record.uuid());
        let version = self.version.to_be_bytes();
        let mut origins: Vec<&str> = self.origins.iter().map(String::as_str).collect();
        origins.sort_unstable();
        origins.dedup();
        let mut parts: Vec<&[u8]> = vec![
            b"bailiwick sealed",
            &[FORMAT],
            dek.as_bytes(),
            identity.as_bytes(),
            K::PREFIX.as_bytes(),
            record.as_bytes(),
            &version,
        ];
        parts.extend(origins.iter().map(|origin| origin.as_bytes()));
        canonical(&parts)
    }
}

impl fmt::Debug for Kek {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kek({})", self.id)
    }
}

impl fmt::Debug for Dek {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dek({})", self.id)
    }
}

fn wrapping_aad(kek: KeyId, identity: Id<Identity>) -> Vec<u8> {
    canonical(&[b"bailiwick dek", &[FORMAT], identity.uuid().as_bytes(), kek.as_bytes()])
}

fn random_key(source: &dyn Source) -> Zeroizing<[u8; KEY_BYTES]> {
    let mut key = Zeroizing::new([0; KEY_BYTES]);
    source.random(&mut *key);
    key
}

fn key_id(domain: &[u8], key: &[u8; KEY_BYTES]) -> KeyId {
    let digest: [u8; 32] = Sha256::new().chain_update(domain).chain_update(key).finalize().into();
    KeyId::of(&digest)
}

#[cfg(test)]
mod tests;
