//! The written form of a placeholder: `[email:1]`, or `[email:other]` past the bound of a run.
//!
//! Invariant: a placeholder is ASCII, needs no escape in JSON or CSV, and is at most [`LIMIT`] bytes.

use crate::content::detect::Kind;
use std::ops::Range;

/// Longest placeholder, in bytes: `[national_id:` with six digits, and room.
const LIMIT: usize = 24;
/// Most digits of a number.
const DIGITS: usize = 6;
/// What stands for the number past the bound.
pub(super) const OTHER: &str = "other";

/// The end of the placeholder that starts at `at`.
fn end_at(text: &str, at: usize) -> Option<usize> {
    let inner = text.get(at..)?.strip_prefix('[')?;
    let kind = Kind::ALL
        .into_iter()
        .find(|kind| inner.strip_prefix(kind.name()).is_some_and(|rest| rest.starts_with(':')))?;
    let number = inner.get(kind.name().len() + 1..)?;
    let digits = number.bytes().take_while(u8::is_ascii_digit).count();
    let length = if number.starts_with(OTHER) { OTHER.len() } else { digits };
    let closed = number.as_bytes().get(length) == Some(&b']');
    let valid = closed && (digits == 0 || digits <= DIGITS) && length > 0;
    valid.then_some(at + 1 + kind.name().len() + 1 + length + 1)
}

/// Where the first placeholder in `text` lies.
pub(crate) fn find_placeholder(text: &str) -> Option<Range<usize>> {
    text.match_indices('[').find_map(|(at, _)| Some(at..end_at(text, at)?))
}

/// The first placeholder in an argument, which the caller meant as a value and which is none. It
/// must be refused, unless the tool's declaration lets the platform put the value back.
pub(crate) fn contains_placeholder(argument: &str) -> Option<&str> {
    argument.get(find_placeholder(argument)?)
}

/// The placeholder that a cut at `at` would split.
pub(crate) fn covering_placeholder(text: &str, at: usize) -> Option<Range<usize>> {
    let window = text.ceil_char_boundary(at.saturating_sub(LIMIT));
    let before = text.get(window..text.floor_char_boundary(at))?;
    let start = window + before.rfind('[')?;
    let end = end_at(text, start)?;
    (start < at && at < end).then_some(start..end)
}
