//! Parts of a text: by line, byte, JSON pointer, `JSONPath` or row.
//!
//! Works on the text that the caller may see, which is the masked one unless their role says
//! otherwise. Invariants: a cut falls on a character boundary and never into a placeholder; the
//! answer says the range it really holds and what is left on both sides; asking on from `range.end`
//! always gets further. All counting starts at 0 and ends are excluded.

mod json;
mod path;
mod pick;
mod refused;
mod rows;
mod select;
#[cfg(test)]
mod tests;

pub(crate) use refused::Error;

use crate::content::mask;
use serde::Serialize;

/// What a range counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Unit {
    Line,
    Byte,
    Row,
    /// Values that a `JSONPath` selects.
    Match,
}

impl Unit {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Line => "line",
            Self::Byte => "byte",
            Self::Row => "row",
            Self::Match => "match",
        }
    }
}

/// What is asked for. `end` left out means up to the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Selector {
    Lines {
        start: usize,
        end: Option<usize>,
    },
    Bytes {
        start: usize,
        end: Option<usize>,
    },
    /// Rows of a table, of JSON lines or of a JSON array. A table's header is no row.
    Rows {
        start: usize,
        end: Option<usize>,
    },
    /// One value, by JSON pointer (RFC 6901).
    Pointer {
        pointer: String,
    },
    /// Values by `JSONPath` (RFC 9535, without functions and parentheses), some of them by `start`
    /// and `end`.
    Path {
        path: String,
        start: usize,
        end: Option<usize>,
    },
}

/// The range an answer holds, out of how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Range {
    pub(crate) unit: Unit,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) of: usize,
}

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Sliced {
    pub(crate) text: String,
    /// Its unit is bytes of the whole text where one line, row or value is longer than the cap.
    pub(crate) range: Range,
    /// How many units lie before and after, inside what was selected.
    pub(crate) left_before: usize,
    pub(crate) left_after: usize,
    /// The cap ended the answer before the range that was asked for.
    pub(crate) truncated: bool,
    /// The header line of a table, as it is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) header: Option<String>,
}

/// Takes a part of `text`, of `cap_bytes` at most (a single character or placeholder longer than
/// that is given whole).
///
/// # Errors
///
/// [`Error`] names the field at fault and the way to mend it.
pub(crate) fn slice(
    text: &str,
    media_type: &str,
    selector: &Selector,
    cap_bytes: usize,
) -> Result<Sliced, Error> {
    match selector {
        Selector::Lines { start, end } => rows::lines(text, (*start, *end), cap_bytes),
        Selector::Bytes { start, end } => bytes(text, (*start, *end), cap_bytes),
        Selector::Rows { start, end } => rows::rows(text, media_type, (*start, *end), cap_bytes),
        Selector::Pointer { pointer } => json::pointer(text, pointer, cap_bytes),
        Selector::Path { path, start, end } => json::path(text, path, (*start, *end), cap_bytes),
    }
}

fn bytes(text: &str, asked: (usize, Option<usize>), cap_bytes: usize) -> Result<Sliced, Error> {
    let (start, end) = pick::bounds(Unit::Byte, asked, text.len())?;
    Ok(cut(text, (start, end), (0, text.len()), cap_bytes))
}

/// The part of `text` from `asked.0` to `asked.1`, where `within` is what was selected as a whole.
fn cut(text: &str, asked: (usize, usize), within: (usize, usize), cap_bytes: usize) -> Sliced {
    let start = cut_before(text, asked.0);
    let limit = asked.1.min(start.saturating_add(cap_bytes.max(1)));
    let before = cut_before(text, limit);
    // A character or placeholder that the range touches is given whole rather than never.
    let end = if before > start || asked.0 >= asked.1 {
        before.max(start)
    } else {
        cut_after(text, start + 1)
    };
    Sliced {
        text: text.get(start..end).unwrap_or_default().to_owned(),
        range: Range { unit: Unit::Byte, start, end, of: text.len() },
        left_before: start.saturating_sub(within.0),
        left_after: within.1.saturating_sub(end),
        truncated: limit < asked.1 && end < asked.1,
        header: None,
    }
}

/// The nearest place at or before `at` where a text may be cut.
pub(crate) fn cut_before(text: &str, at: usize) -> usize {
    let at = text.floor_char_boundary(at);
    mask::covering_placeholder(text, at).map_or(at, |placeholder| placeholder.start)
}

fn cut_after(text: &str, at: usize) -> usize {
    let at = text.ceil_char_boundary(at);
    mask::covering_placeholder(text, at).map_or(at, |placeholder| placeholder.end)
}
