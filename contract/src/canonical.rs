//! Canonical JSON: one value, one text.
//!
//! Owns the canonical form of RFC 8785 (JCS), the digests taken over it, and the strict parser
//! that request bodies and ledger exports go through. The invariant: two values with the same
//! canonical text are the same value to every reader that holds numbers as IEEE 754 doubles, and
//! an integer that would lose digits on the way is refused, never rounded.

mod number;
mod parse;
mod twins;

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

pub use parse::{StrictError, parse_strict};
pub use twins::case_twins;

/// How deep objects and arrays may nest, in the strict parser and in the canonical form alike.
///
/// One limit for both, so that what could be written can also be read back.
pub const DEPTH_MAX: usize = 64;

/// Why a value has no canonical form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// An integer whose digits a double does not keep.
    #[error("the number {number} at {pointer:?} is not kept exactly; send it as a string")]
    Inexact {
        /// RFC 6901 pointer to the number.
        pointer: String,
        /// The number as it stood in the value.
        number: String,
    },
    /// Nesting beyond [`DEPTH_MAX`].
    #[error("nested deeper than {limit} levels")]
    TooDeep {
        /// The limit that was passed.
        limit: usize,
    },
}

impl Error {
    /// The same fault, seen from the container that holds the faulty part under `key`.
    fn inside(self, key: &str) -> Self {
        match self {
            Self::Inexact { pointer, number } => {
                Self::Inexact { pointer: pointer_inside(key, &pointer), number }
            }
            Self::TooDeep { limit } => Self::TooDeep { limit },
        }
    }
}

/// The canonical bytes of `value`, per RFC 8785.
///
/// # Errors
///
/// [`Error::Inexact`] for an integer whose digits a double does not keep, [`Error::TooDeep`] for
/// nesting beyond [`DEPTH_MAX`].
pub fn to_canonical(value: &Value) -> Result<Vec<u8>, Error> {
    to_canonical_text(value).map(String::into_bytes)
}

/// The same as [`to_canonical`], as text.
///
/// # Errors
///
/// As [`to_canonical`].
pub fn to_canonical_text(value: &Value) -> Result<String, Error> {
    to_canonical_text_inside(0, value)
}

/// The same as [`to_canonical_text`], for a value that will stand `outer` levels down in another
/// and so has that much less of [`DEPTH_MAX`] left.
///
/// # Errors
///
/// As [`to_canonical`].
pub fn to_canonical_text_inside(outer: usize, value: &Value) -> Result<String, Error> {
    let mut out = String::with_capacity(256);
    write_value(value, outer, &mut out)?;
    Ok(out)
}

/// SHA-256 of the canonical bytes.
///
/// # Errors
///
/// As [`to_canonical`].
pub fn digest(value: &Value) -> Result<[u8; 32], Error> {
    Ok(Sha256::digest(to_canonical(value)?).into())
}

/// SHA-256 of the salt followed by the canonical bytes.
///
/// The salt is kept beside the erasable payload: once both are gone, the digest that stays in the
/// ledger cannot be matched by guessing.
///
/// # Errors
///
/// As [`to_canonical`].
pub fn salted_digest(salt: &[u8; 16], value: &Value) -> Result<[u8; 32], Error> {
    Ok(salted_digest_of_bytes(salt, &to_canonical(value)?))
}

/// SHA-256 of the salt followed by `bytes`, for payloads that are not JSON.
pub fn salted_digest_of_bytes(salt: &[u8; 16], bytes: &[u8]) -> [u8; 32] {
    Sha256::new().chain_update(salt).chain_update(bytes).finalize().into()
}

fn write_value(value: &Value, depth: usize, out: &mut String) -> Result<(), Error> {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => number::write(number, out)?,
        Value::String(text) => write_string(text, out),
        Value::Array(items) => write_array(items, deeper(depth)?, out)?,
        Value::Object(members) => write_object(members, deeper(depth)?, out)?,
    }
    Ok(())
}

const fn deeper(depth: usize) -> Result<usize, Error> {
    if depth >= DEPTH_MAX {
        return Err(Error::TooDeep { limit: DEPTH_MAX });
    }
    Ok(depth + 1)
}

fn write_array(items: &[Value], depth: usize, out: &mut String) -> Result<(), Error> {
    out.push('[');
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_value(item, depth, out).map_err(|error| error.inside(&index.to_string()))?;
    }
    out.push(']');
    Ok(())
}

/// Members go in the order of their names as UTF-16 code units (RFC 8785, 3.2.3), which differs
/// from the order of the UTF-8 bytes where characters beyond the basic plane are involved.
fn write_object(members: &Map<String, Value>, depth: usize, out: &mut String) -> Result<(), Error> {
    let mut sorted: Vec<(&String, &Value)> = members.iter().collect();
    sorted.sort_unstable_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
    out.push('{');
    for (index, (key, value)) in sorted.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_string(key, out);
        out.push(':');
        write_value(value, depth, out).map_err(|error| error.inside(key))?;
    }
    out.push('}');
    Ok(())
}

/// Escapes only what RFC 8785, 3.2.2.2 escapes; everything else stands as it is.
fn write_string(text: &str, out: &mut String) {
    const HEX: [char; 16] =
        ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            '\0'..='\u{1f}' => {
                let code = u32::from(character);
                out.push_str("\\u00");
                out.push(if code < 16 { '0' } else { '1' });
                out.extend(HEX.get(code as usize % 16));
            }
            _ => out.push(character),
        }
    }
    out.push('"');
}

/// An RFC 6901 pointer with one more segment in front.
fn pointer_inside(key: &str, pointer: &str) -> String {
    format!("/{}{pointer}", key.replace('~', "~0").replace('/', "~1"))
}

#[cfg(test)]
mod tests;
