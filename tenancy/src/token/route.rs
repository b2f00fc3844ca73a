//! Owns routes. Invariant: a route matches its grammar and says nothing but where to look.

use std::fmt;
use std::str::FromStr;

use contract::Id;
use contract::id;
use serde::{Deserialize, Deserializer, Serialize};

use super::Malformed;
use super::base62::digit;
use crate::clock::Source;

const MIN_CHARS: usize = 4;
pub(super) const MAX_CHARS: usize = 32;
const RANDOM_CHARS: usize = 12;
const ALPHABET: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789";

/// The part of a token that finds its identity: `[a-z0-9]{4,32}`, and opaque.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Route(Box<str>);

pub(super) fn is_route(text: &str) -> bool {
    (MIN_CHARS..=MAX_CHARS).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
}

impl Route {
    /// The route that is the identity's id itself: 32 hexadecimal digits.
    pub fn of(identity: Id<id::Identity>) -> Self {
        Self(identity.uuid().simple().to_string().into())
    }

    /// A route of 12 random characters (62 bits), for whoever keeps a table of routes.
    pub fn random(source: &dyn Source) -> Self {
        let mut bytes = [0_u8; RANDOM_CHARS];
        source.random(&mut bytes);
        // 256 is no multiple of 36: the first four characters come a little more often. A route is
        // no secret, so that is no weakness.
        Self(bytes.iter().map(|byte| char::from(digit(u32::from(byte % 36), ALPHABET))).collect())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
impl FromStr for Route {
    type Err = Malformed;
    fn from_str(text: &str) -> Result<Self, Malformed> {
        if is_route(text) { Ok(Self(text.into())) } else { Err(Malformed::Route) }
    }
}
impl<'de> Deserialize<'de> for Route {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        String::deserialize(d)?.parse().map_err(serde::de::Error::custom)
    }
}
