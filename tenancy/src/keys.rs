//! Owns the loading of the keys that lie outside every database: the key-encryption key and the
//! Ed25519 key that signs the ledger's checkpoints.
//!
//! Invariant: a key is made only where the caller says that none can have been lost, is on disk
//! before it is used, and appears in no error. The key-encryption key is handed on as a value,
//! never through the environment: no child process may inherit [`KEK_VARIABLE`].

mod private_file;

use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::signature::{Ed25519KeyPair, KeyPair};
use zeroize::Zeroizing;

use crate::clock::Source;
use crate::seal::{KEY_BYTES, Kek, Secret};

pub use private_file::{
    Error as FileError, create_private, private_folder, read_private, write_private,
};

pub(crate) use private_file::sync_folder_of;

/// The environment variable that may hold the key-encryption key, as base64 of 32 bytes. Whoever
/// reads it clears the environment of every child.
pub const KEK_VARIABLE: &str = "BAILIWICK_KEK";
/// The name of the key-encryption key's file in the data folder.
pub const KEK_FILE: &str = "kek";
/// The name of the checkpoint signing key's file in the data folder.
pub const SIGNING_KEY_FILE: &str = "signing-key.p8";

const SEED_BYTES: usize = 32;

/// What to do where there is no key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absent {
    /// Make one: this installation holds nothing yet.
    Make,
    /// Fail: there is data, so a key was lost, and a new one would open none of it.
    Refuse,
}

/// Why there is no key. No variant holds a byte of one.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The key's file could not be read or written, or others could.
    #[error("cannot use the key file")]
    File(#[source] FileError),
    /// The key is not 32 bytes of base64 (RFC 4648, padded).
    #[error("the key in {place} is not base64 of {KEY_BYTES} bytes")]
    NotAKey {
        /// Where it was read.
        place: String,
    },
    /// The key is one byte over and over: a placeholder, not a key.
    #[error("the key in {place} is a single byte repeated, not a random key")]
    NotRandom {
        /// Where it was read.
        place: String,
    },
    /// There are two keys, and they differ.
    #[error("{KEK_VARIABLE} and {path} hold different keys: remove the one that is not in use")]
    Two {
        /// The key's file.
        path: PathBuf,
    },
    /// There is none, and making one was not allowed.
    #[error("{path} does not exist, and a new key would not open the data that is here")]
    Lost {
        /// The key's file.
        path: PathBuf,
    },
    /// The signing key is no PKCS#8 version 2 document of Ed25519 (RFC 5958, RFC 8410), or its two
    /// halves disagree.
    #[error("the signing key in {path} is not a PKCS#8 document of an Ed25519 key pair")]
    NotASigningKey {
        /// The key's file.
        path: PathBuf,
    },
}

/// The key-encryption key: the value of [`KEK_VARIABLE`] if there is one, else what `file` holds,
/// else a new one, written to `file` first.
///
/// # Errors
/// [`Error`]; also when both places hold a key and they differ.
pub fn load_kek(
    file: &Path,
    variable: Option<&str>,
    absent: Absent,
    source: &dyn Source,
) -> Result<Kek, Error> {
    let stored = match read_private(file) {
        Ok(bytes) => Some(parse_kek(bytes.expose(), &file.display().to_string())?),
        Err(FileError::Missing { .. }) => None,
        Err(error) => return Err(Error::File(error)),
    };
    let given = variable.map(|text| parse_kek(text.as_bytes(), KEK_VARIABLE)).transpose()?;
    match (given, stored) {
        (Some(given), Some(stored)) if given.id() != stored.id() => {
            Err(Error::Two { path: file.to_owned() })
        }
        (Some(kek), _) | (None, Some(kek)) => Ok(kek),
        (None, None) if absent == Absent::Refuse => Err(Error::Lost { path: file.to_owned() }),
        (None, None) => make_kek(file, source),
    }
}

/// The Ed25519 key pair that `file` holds as PKCS#8, or a new one, written to `file` first.
///
/// # Errors
/// [`Error`].
pub fn load_signing_key(
    file: &Path,
    absent: Absent,
    source: &dyn Source,
) -> Result<Ed25519KeyPair, Error> {
    match read_private(file) {
        Ok(document) => parse_signing_key(&document, file),
        Err(FileError::Missing { .. }) if absent == Absent::Make => make_signing_key(file, source),
        Err(FileError::Missing { .. }) => Err(Error::Lost { path: file.to_owned() }),
        Err(error) => Err(Error::File(error)),
    }
}

fn parse_kek(text: &[u8], place: &str) -> Result<Kek, Error> {
    // Every tool that writes such a file ends it with a newline.
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    let not_a_key = || Error::NotAKey { place: place.to_owned() };
    let mut key = Zeroizing::new([0; KEY_BYTES]);
    let decoded = Zeroizing::new(STANDARD.decode(text).map_err(|_| not_a_key())?);
    if decoded.len() != KEY_BYTES {
        return Err(not_a_key());
    }
    key.copy_from_slice(&decoded);
    if key.windows(2).all(|pair| pair.first() == pair.last()) {
        return Err(Error::NotRandom { place: place.to_owned() });
    }
    Ok(Kek::new(key))
}

fn make_kek(file: &Path, source: &dyn Source) -> Result<Kek, Error> {
    let kek = Kek::generate(source);
    let mut text = Zeroizing::new(STANDARD.encode(kek.expose()));
    text.push('\n');
    match create_private(file, text.as_bytes(), source) {
        Ok(()) => Ok(kek),
        // Another process was first, and its key is the one in use.
        Err(FileError::Exists { .. }) => {
            let bytes = read_private(file).map_err(Error::File)?;
            parse_kek(bytes.expose(), &file.display().to_string())
        }
        Err(error) => Err(Error::File(error)),
    }
}

fn parse_signing_key(document: &Secret, file: &Path) -> Result<Ed25519KeyPair, Error> {
    Ed25519KeyPair::from_pkcs8(document.expose())
        .map_err(|_| Error::NotASigningKey { path: file.to_owned() })
}

fn make_signing_key(file: &Path, source: &dyn Source) -> Result<Ed25519KeyPair, Error> {
    let mut seed = Zeroizing::new([0; SEED_BYTES]);
    source.random(&mut *seed);
    let pair = Ed25519KeyPair::from_seed_unchecked(&*seed)
        .map_err(|_| Error::NotASigningKey { path: file.to_owned() })?;
    match create_private(file, &pkcs8(&seed, pair.public_key().as_ref()), source) {
        Ok(()) => Ok(pair),
        Err(FileError::Exists { .. }) => {
            parse_signing_key(&read_private(file).map_err(Error::File)?, file)
        }
        Err(error) => Err(Error::File(error)),
    }
}

/// A `OneAsymmetricKey` of version 2 in DER (RFC 5958, RFC 8410 section 10.3): it carries the
/// public half, so that a damaged file is noticed. `ring` makes such a document too, but only with
/// randomness of its own.
fn pkcs8(seed: &[u8; SEED_BYTES], public: &[u8]) -> Zeroizing<Vec<u8>> {
    let head = b"\x30\x51\x02\x01\x01\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20";
    let middle = b"\x81\x21\x00";
    Zeroizing::new([&head[..], seed, middle, public].concat())
}

#[cfg(test)]
mod tests;
