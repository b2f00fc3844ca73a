//! Owns the written form of what is sealed: a header (format, key id, nonce) and the cipher's text.
//! Invariant: one value has one written form, and a form of another version is refused by name.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::aead::{MAX_TAG_LEN, NONCE_LEN};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The format written here, as the first byte and as part of what is authenticated.
pub(super) const FORMAT: u8 = 1;

const KEY_ID_BYTES: usize = 8;

/// Names a key without telling anything about it. Shown as 16 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyId([u8; KEY_ID_BYTES]);

/// A data key as it is stored: wrapped under a [`Kek`](super::Kek).
#[derive(Clone, PartialEq, Eq)]
pub struct Wrapped(pub(super) Envelope);

/// A secret as it is stored: sealed under a [`Dek`](super::Dek).
#[derive(Clone, PartialEq, Eq)]
pub struct Sealed(pub(super) Envelope);

#[derive(Clone, PartialEq, Eq)]
pub(super) struct Envelope {
    pub(super) key: KeyId,
    pub(super) nonce: [u8; NONCE_LEN],
    pub(super) body: Vec<u8>,
}

/// Why a text is not the written form of something sealed. The text itself is never repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// It is not base64 (RFC 4648, padded, canonical).
    #[error("the sealed value is not base64")]
    Base64,
    /// It ends inside its header or its tag.
    #[error("the sealed value is cut")]
    Cut,
    /// It was written in a format that this version does not know.
    #[error("the sealed value has format {found}, and this version knows {FORMAT}")]
    Format {
        /// Its first byte.
        found: u8,
    },
}

impl KeyId {
    pub(super) fn of(digest: &[u8; 32]) -> Self {
        Self(std::array::from_fn(|at| digest.get(at).copied().unwrap_or_default()))
    }

    pub(super) const fn as_bytes(&self) -> &[u8; KEY_ID_BYTES] {
        &self.0
    }
}

impl Wrapped {
    /// The key that opens it.
    pub const fn kek(&self) -> KeyId {
        self.0.key
    }
}

impl Sealed {
    /// The key that opens it.
    pub const fn dek(&self) -> KeyId {
        self.0.key
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Envelope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = [&[FORMAT], &self.key.0[..], &self.nonce[..], &self.body[..]].concat();
        f.write_str(&STANDARD.encode(bytes))
    }
}

impl FromStr for Envelope {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let bytes = STANDARD.decode(text).map_err(|_| Malformed::Base64)?;
        let (&format, rest) = bytes.split_first().ok_or(Malformed::Cut)?;
        if format != FORMAT {
            return Err(Malformed::Format { found: format });
        }
        let (key, rest) = rest.split_first_chunk::<KEY_ID_BYTES>().ok_or(Malformed::Cut)?;
        let (nonce, body) = rest.split_first_chunk::<NONCE_LEN>().ok_or(Malformed::Cut)?;
        if body.len() < MAX_TAG_LEN {
            return Err(Malformed::Cut);
        }
        Ok(Self { key: KeyId(*key), nonce: *nonce, body: body.to_vec() })
    }
}

macro_rules! written_form {
    ($type:ident) => {
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }
        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(
                    f,
                    "{}(under {}, {} bytes)",
                    stringify!($type),
                    self.0.key,
                    self.0.body.len()
                )
            }
        }
        impl FromStr for $type {
            type Err = Malformed;

            fn from_str(text: &str) -> Result<Self, Malformed> {
                text.parse().map(Self)
            }
        }
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.collect_str(self)
            }
        }
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                Cow::<'de, str>::deserialize(d)?.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

written_form!(Wrapped);
written_form!(Sealed);
