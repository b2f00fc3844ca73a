//! Owns [`Secret`]. Invariant: its bytes show in no `Debug`, cannot be serialised, and are wiped
//! when it is dropped.

use std::fmt;

use serde::{Deserialize, Deserializer};
use zeroize::Zeroizing;

/// Bytes that must not be seen.
pub struct Secret(Zeroizing<Vec<u8>>);

impl Secret {
    /// The bytes. Called in the last function before they leave, and nowhere else.
    pub fn expose(&self) -> &[u8] {
        &self.0
    }

    /// The bytes as text, or `None` if they are none.
    pub fn expose_text(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }
}

impl From<Vec<u8>> for Secret {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Zeroizing::new(bytes))
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self::from(text.into_bytes())
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        String::deserialize(d).map(Self::from)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}
