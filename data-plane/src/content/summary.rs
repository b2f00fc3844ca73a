//! What a text is, in two kilobytes: shape, size, head, structure.
//!
//! A result above the inline limit is answered with this and a handle. It is made from the masked
//! text. Invariants: a summary as JSON is at most [`LIMIT_BYTES`] long whatever the text; what did
//! not fit is counted, not silently dropped; the work is linear in the text.

mod columns;
mod fit;
mod headings;
mod keys;
mod log;
pub(crate) mod media;
#[cfg(test)]
mod tests;
mod time;

use columns::Column;
use headings::Heading;
use keys::Key;
use log::{Level, Repeated};
pub(crate) use media::detect_media_type;

use crate::content::{slice, table};
use serde::Serialize;

/// Longest summary as JSON, in bytes.
pub(crate) const LIMIT_BYTES: usize = 2048;
/// How much of the text the head shows at most, in bytes.
pub(crate) const HEAD_BYTES: usize = 1024;

/// What a text is. `bytes` and `lines` count the text that was given, `head` is its beginning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Summary {
    pub(crate) media_type: &'static str,
    pub(crate) bytes: usize,
    pub(crate) characters: usize,
    pub(crate) lines: usize,
    pub(crate) structure: Structure,
    pub(crate) head: String,
    /// Whether the head is less than the text.
    pub(crate) head_is_cut: bool,
}

/// What a text is made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "shape", rename_all = "snake_case")]
pub(crate) enum Structure {
    /// One JSON value. Keys are paths: `items[].id`.
    Json {
        root: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        elements: Option<usize>,
        keys: Vec<Key>,
        keys_left_out: usize,
    },
    /// One JSON value a line.
    JsonLines {
        rows: usize,
        keys: Vec<Key>,
        keys_left_out: usize,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        levels: Vec<Level>,
        /// The times of the first and the last row that has one.
        #[serde(skip_serializing_if = "Option::is_none")]
        first: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        last: Option<String>,
    },
    Table {
        rows: usize,
        columns: Vec<Column>,
        columns_left_out: usize,
    },
    Log {
        levels: Vec<Level>,
        /// The lines that come most often, numbers and ids replaced by `#`.
        repeated: Vec<Repeated>,
        /// Lines that are not under `repeated`.
        other_lines: usize,
        /// The times of the first and the last line that has one, as they are written.
        #[serde(skip_serializing_if = "Option::is_none")]
        first: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        last: Option<String>,
    },
    Text {
        paragraphs: usize,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        headings: Vec<Heading>,
        #[serde(skip_serializing_if = "is_zero")]
        headings_left_out: usize,
    },
}

/// Summarises a text, which must be the masked one. `declared` is the media type its source gave.
pub(crate) fn summarise(text: &str, declared: Option<&str>) -> Summary {
    let media_type = detect_media_type(declared, text);
    let end = slice::cut_before(text, HEAD_BYTES);
    let head = text.get(..end).unwrap_or_default().to_owned();
    fit::fit(Summary {
        media_type,
        bytes: text.len(),
        characters: text.chars().count(),
        lines: text.lines().count(),
        structure: structure(text, media_type),
        head_is_cut: head.len() < text.len(),
        head,
    })
}

/// The structure of a text of a detected media type.
fn structure(text: &str, media_type: &'static str) -> Structure {
    match media_type {
        media::JSON => keys::of_json(text),
        media::JSON_LINES => keys::of_json_lines(text),
        media::CSV => columns::of_table(text, table::delimiter(text).unwrap_or(b',')),
        media::TSV => columns::of_table(text, b'\t'),
        media::PLAIN if log::is_log(text) => log::of_log(text),
        _ => headings::of_text(text, media_type),
    }
}

fn paragraphs(text: &str) -> usize {
    let mut blank = true;
    let starts = text.lines().filter(|line| {
        let was_blank = blank;
        blank = line.trim().is_empty();
        was_blank && !blank
    });
    starts.count()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// A name or line as a summary shows it: cut to `limit` bytes, the cut shown.
fn shown(text: &str, limit: usize) -> String {
    let end = slice::cut_before(text, limit);
    let cut = text.get(..end).unwrap_or_default();
    if end < text.len() { format!("{cut}…") } else { cut.to_owned() }
}
