//! Replaces spans by placeholders, and knows placeholders again.
//!
//! Search, slices and summaries work on the masked text, so no query is an oracle and no cut splits
//! a value. Invariants: a span is replaced as a whole; inside one run a value always gets the same
//! placeholder and nothing about it can be matched across runs; JSON stays JSON. Whether to mask is
//! decided by labels and roles elsewhere, never here.

mod numbering;
mod offsets;
mod placeholder;
#[cfg(test)]
mod tests;

pub(crate) use numbering::{MaskKey, Numbering};
use offsets::Offsets;
pub(crate) use placeholder::{contains_placeholder, covering_placeholder, find_placeholder};

use crate::content::detect::{Kind, Span};

/// A text with its spans replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Masked {
    pub(crate) text: String,
    /// Leads between places of the masked and of the raw text.
    pub(crate) offsets: Offsets,
}

/// Replaces each span by its placeholder in this run: `[email:1]`. `numbering` is the run's and
/// must be kept with the run; `key` is the run's own.
pub(crate) fn mask(text: &str, spans: &[Span], key: &MaskKey, numbering: &mut Numbering) -> Masked {
    replace(text, spans, |kind, value| numbering.placeholder(kind, &key.hash(kind, value)))
}

/// Replaces each span by its kind alone: `[email]`. For the search index, which all runs share.
pub(crate) fn mask_for_index(text: &str, spans: &[Span]) -> Masked {
    replace(text, spans, |kind, _| format!("[{}]", kind.name()))
}

/// Spans must be those found in `text`. One that lies wrong (out of order, overlapping, across a
/// character) stems from other content; the bytes it names are replaced all the same, widened to
/// whole characters.
fn replace(
    text: &str,
    spans: &[Span],
    mut placeholder: impl FnMut(Kind, &str) -> String,
) -> Masked {
    let mut masked = String::with_capacity(text.len());
    let mut offsets = Offsets::default();
    let mut copied = 0;
    for span in spans {
        let start = text.floor_char_boundary(span.start).max(copied);
        let end = text.ceil_char_boundary(span.end);
        if start >= end {
            continue;
        }
        masked.push_str(text.get(copied..start).unwrap_or_default());
        let masked_start = masked.len();
        let shown = placeholder(span.kind, text.get(start..end).unwrap_or_default());
        if span.bare {
            masked.push('"');
            masked.push_str(&shown);
            masked.push('"');
        } else {
            masked.push_str(&shown);
        }
        offsets.push(start..end, masked_start..masked.len());
        copied = end;
    }
    masked.push_str(text.get(copied..).unwrap_or_default());
    Masked { text: masked, offsets }
}
