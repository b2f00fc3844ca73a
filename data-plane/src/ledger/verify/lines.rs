//! The lines of an export, one JSON value each.
//!
//! Invariant: a line longer than the limit is never held, and a value comes out only if its line
//! was the canonical text of it.

use std::io::{BufRead, Read as _};

use contract::canonical::{parse_strict, to_canonical};
use serde_json::Value;

use super::{LINE_MAX_BYTES, Reason};

/// Reads line by line.
pub(super) struct Lines<R> {
    reader: R,
    number: u64,
    line: Vec<u8>,
}

impl<R: BufRead> Lines<R> {
    pub(super) const fn new(reader: R) -> Self {
        Self { reader, number: 0, line: Vec::new() }
    }

    /// The number of the line last asked for, counted from 1.
    pub(super) const fn number(&self) -> u64 {
        self.number
    }

    /// The next line's value; nothing at the end.
    pub(super) fn next_value(&mut self) -> Result<Option<Value>, Reason> {
        self.number += 1;
        self.line.clear();
        let limit = LINE_MAX_BYTES as u64 + 1;
        let read = self.reader.by_ref().take(limit).read_until(b'\n', &mut self.line);
        if read.map_err(Reason::Read)? == 0 {
            return Ok(None);
        }
        if self.line.len() > LINE_MAX_BYTES {
            return Err(Reason::LineTooLong { limit: LINE_MAX_BYTES });
        }
        let line = self.line.strip_suffix(b"\n").ok_or(Reason::Unterminated)?;
        let value = parse_strict(line).map_err(Reason::Json)?;
        let canonical = to_canonical(&value).map_err(Reason::Canonical)?;
        if canonical != line {
            return Err(Reason::NotCanonical);
        }
        Ok(Some(value))
    }
}
