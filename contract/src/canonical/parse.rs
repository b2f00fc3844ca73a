//! The strict parser for bodies that come from outside.
//!
//! Invariant: what it accepts means the same to every JSON reader. A name given twice in one
//! object, an integer that parsing would round, bytes after the value and deep nesting are
//! refused, since readers differ in what they make of them.

use std::cell::RefCell;
use std::fmt;

use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::{DEPTH_MAX, number, pointer_inside};

/// Why a body was not taken.
#[derive(Debug, thiserror::Error)]
pub enum StrictError {
    /// The bytes are no JSON text.
    #[error("not JSON at line {line}, column {column}")]
    Syntax {
        /// Line, counted from 1.
        line: usize,
        /// Column in bytes, counted from 1.
        column: usize,
        /// What the parser met there.
        #[source]
        source: serde_json::Error,
    },
    /// One object names a member twice, however its name was escaped.
    #[error("the key {key:?} stands twice in the object at {pointer:?}")]
    DuplicateKey {
        /// The name.
        key: String,
        /// RFC 6901 pointer to the object.
        pointer: String,
    },
    /// Nesting beyond [`DEPTH_MAX`].
    #[error("nested deeper than {limit} levels")]
    TooDeep {
        /// The limit that was passed.
        limit: usize,
    },
    /// Something other than white space follows the value.
    #[error("more bytes follow the value, from line {line}, column {column}")]
    Trailing {
        /// Line, counted from 1.
        line: usize,
        /// Column in bytes, counted from 1.
        column: usize,
    },
    /// An integer with more digits than a reader keeps.
    #[error("the integer at byte {offset} is not kept exactly; send it as a string")]
    Inexact {
        /// Offset of its first byte, counted from 0.
        offset: usize,
    },
}

/// Parses one JSON text and nothing else.
///
/// # Errors
///
/// [`StrictError`] says which rule the body broke and where.
pub fn parse_strict(bytes: &[u8]) -> Result<Value, StrictError> {
    let fault = RefCell::new(None);
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let parsed = Node { depth: 0, fault: &fault }.deserialize(&mut deserializer);
    if let Some(fault) = fault.into_inner() {
        return Err(fault);
    }
    let value = parsed.map_err(|source| StrictError::Syntax {
        line: source.line(),
        column: source.column(),
        source,
    })?;
    deserializer
        .end()
        .map_err(|error| StrictError::Trailing { line: error.line(), column: error.column() })?;
    match rounded_integer(bytes) {
        Some(offset) => Err(StrictError::Inexact { offset }),
        None => Ok(value),
    }
}

/// The first integer of a valid JSON text that neither 64-bit type holds and whose digits a
/// double would change.
///
/// Those that do fit come through parsing unchanged; whether they have a canonical form is for
/// the canonical form to say.
fn rounded_integer(bytes: &[u8]) -> Option<usize> {
    let mut rest = bytes.iter().enumerate().peekable();
    while let Some((offset, &byte)) = rest.next() {
        match byte {
            b'"' => {
                while let Some((_, &inner)) = rest.next()
                    && inner != b'"'
                {
                    if inner == b'\\' {
                        rest.next();
                    }
                }
            }
            b'-' | b'0'..=b'9' => {
                let mut text = String::from(char::from(byte));
                let in_number = |&(_, next): &(usize, &u8)| {
                    matches!(next, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-')
                };
                while let Some((_, &next)) = rest.next_if(in_number) {
                    text.push(char::from(next));
                }
                if rounds(&text) {
                    return Some(offset);
                }
            }
            _ => {}
        }
    }
    None
}

fn rounds(text: &str) -> bool {
    !text.contains(['.', 'e', 'E'])
        && text.parse::<i64>().is_err()
        && text.parse::<u64>().is_err()
        && !number::keeps_digits(text)
}

/// One value at a known depth. Faults of ours go to `fault`, since serde's errors hold text only.
struct Node<'a> {
    depth: usize,
    fault: &'a RefCell<Option<StrictError>>,
}

impl Node<'_> {
    fn child<E: serde::de::Error>(&self) -> Result<Node<'_>, E> {
        if self.depth >= DEPTH_MAX {
            return Err(self.fail(StrictError::TooDeep { limit: DEPTH_MAX }));
        }
        Ok(Node { depth: self.depth + 1, fault: self.fault })
    }

    fn fail<E: serde::de::Error>(&self, fault: StrictError) -> E {
        let error = E::custom(&fault);
        *self.fault.borrow_mut() = Some(fault);
        error
    }

    /// Extends the pointer of a fault met further down.
    fn inside(&self, key: &str) {
        if let Some(StrictError::DuplicateKey { pointer, .. }) = self.fault.borrow_mut().as_mut() {
            *pointer = pointer_inside(key, pointer);
        }
    }
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, input: D) -> Result<Value, D::Error> {
        input.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("a number beyond the range of a double"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        loop {
            match items.next_element_seed(self.child()?) {
                Ok(Some(item)) => array.push(item),
                Ok(None) => return Ok(Value::Array(array)),
                Err(error) => {
                    self.inside(&array.len().to_string());
                    return Err(error);
                }
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        self.child::<A::Error>()?;
        while let Some(key) = members.next_key::<String>()? {
            if object.contains_key(&key) {
                return Err(self.fail(StrictError::DuplicateKey { key, pointer: String::new() }));
            }
            match members.next_value_seed(self.child()?) {
                Ok(value) => object.insert(key, value),
                Err(error) => {
                    self.inside(&key);
                    return Err(error);
                }
            };
        }
        Ok(Value::Object(object))
    }
}
