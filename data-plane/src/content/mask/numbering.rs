//! Which number a value has in a run.
//!
//! Values are known by a keyed hash only, so what is kept with the run holds no value and matches
//! nothing of another run. Invariant: bounded: past [`Numbering::LIMIT`] values of a kind all
//! further ones share `[kind:other]`.

use super::placeholder::OTHER;
use crate::content::detect::Kind;
use crate::content::detect::email::AT_FORMS;
use crate::content::json;
use ring::hmac;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// The key under which one run's values are hashed. Random, 32 bytes, kept with the run.
#[derive(Clone)]
pub(crate) struct MaskKey(hmac::Key);

impl std::fmt::Debug for MaskKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("MaskKey")
    }
}

impl MaskKey {
    pub(crate) fn new(bytes: &[u8; 32]) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, bytes))
    }

    /// The hash of a value, the same for all the ways the value can be written: HMAC-SHA-256
    /// (RFC 2104) over kind and normal form, cut to 128 bits.
    pub(crate) fn hash(&self, kind: Kind, value: &str) -> ValueHash {
        let mut context = hmac::Context::with_key(&self.0);
        context.update(kind.name().as_bytes());
        context.update(&[0]);
        context.update(normal(kind, value).as_bytes());
        let tag = context.sign();
        let mut hash = [0; 16];
        hash.iter_mut().zip(tag.as_ref()).for_each(|(to, from)| *to = *from);
        ValueHash(u128::from_be_bytes(hash))
    }
}

/// A value's keyed hash. Says nothing outside its run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ValueHash(u128);

/// The normal form of a value: escapes resolved; letters folded and separators dropped where they
/// mean nothing.
fn normal(kind: Kind, value: &str) -> String {
    let value = json::decode(value).text;
    let significant = |keep: fn(&char) -> bool| value.chars().filter(keep).collect::<String>();
    match kind {
        Kind::Secret => value.into_owned(),
        Kind::Email => {
            let plain = AT_FORMS
                .iter()
                .skip(1)
                .fold(value.into_owned(), |text, form| text.replace(form, "@"));
            plain.to_lowercase()
        }
        Kind::Phone => {
            let digits = significant(char::is_ascii_digit);
            let digits = if value.starts_with("%2B") {
                digits.strip_prefix('2').unwrap_or(&digits)
            } else {
                &digits
            };
            digits.strip_prefix("00").unwrap_or(digits).to_owned()
        }
        Kind::NationalId | Kind::Iban | Kind::Card => {
            significant(char::is_ascii_alphanumeric).to_ascii_uppercase()
        }
    }
}

/// The numbers given out in one run, in the order in which values were first masked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub(crate) struct Numbering {
    numbers: HashMap<(Kind, ValueHash), usize>,
    counts: BTreeMap<Kind, usize>,
}

impl Numbering {
    /// Values of one kind that a run tells apart.
    pub(crate) const LIMIT: usize = 4096;

    /// The placeholder of a value, numbered now if it is new to the run.
    pub(crate) fn placeholder(&mut self, kind: Kind, value: &ValueHash) -> String {
        match self.number(kind, *value) {
            Some(number) => format!("[{}:{number}]", kind.name()),
            None => format!("[{}:{OTHER}]", kind.name()),
        }
    }

    /// How many placeholders there are.
    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }

    fn number(&mut self, kind: Kind, value: ValueHash) -> Option<usize> {
        if let Some(number) = self.numbers.get(&(kind, value)) {
            return Some(*number);
        }
        let count = self.counts.entry(kind).or_default();
        if *count >= Self::LIMIT {
            return None;
        }
        *count += 1;
        self.numbers.insert((kind, value), *count);
        Some(*count)
    }
}

/// As it is kept: hashes by kind, in the order of their numbers.
#[derive(Clone, Serialize, Deserialize)]
struct Stored(BTreeMap<Kind, Vec<String>>);

impl From<Numbering> for Stored {
    fn from(numbering: Numbering) -> Self {
        let mut entries: Vec<_> = numbering.numbers.into_iter().collect();
        entries.sort_by_key(|&((kind, _), number)| (kind, number));
        let mut stored: BTreeMap<Kind, Vec<String>> = BTreeMap::new();
        for ((kind, hash), _) in entries {
            stored.entry(kind).or_default().push(format!("{:032x}", hash.0));
        }
        Self(stored)
    }
}

impl From<Stored> for Numbering {
    fn from(stored: Stored) -> Self {
        let mut numbering = Self::default();
        for (kind, hashes) in stored.0 {
            for hash in hashes {
                // A hash that was not written by us keeps its number and is never met again.
                let value = u128::from_str_radix(&hash, 16).unwrap_or_default();
                numbering.number(kind, ValueHash(value));
            }
        }
        numbering
    }
}
