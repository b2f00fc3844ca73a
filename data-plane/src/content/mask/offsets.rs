//! The way between places of a raw text and of its masked form.
//!
//! Invariant: a place inside a replaced span leads to the whole of its counterpart, never into it.

use std::ops::Range;

#[derive(Debug, Clone, PartialEq, Eq)]
struct Replaced {
    raw: Range<usize>,
    masked: Range<usize>,
}

/// The replaced spans of one text, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Offsets {
    replaced: Vec<Replaced>,
}

impl Offsets {
    pub(super) fn push(&mut self, raw: Range<usize>, masked: Range<usize>) {
        self.replaced.push(Replaced { raw, masked });
    }

    #[cfg_attr(not(test), expect(dead_code, reason = "passages are led back to the payload by it"))]
    /// The masked range that shows everything of a raw range.
    pub(crate) fn to_masked(&self, raw: Range<usize>) -> Range<usize> {
        map(&self.replaced, raw, |entry| &entry.raw, |entry| &entry.masked)
    }

    #[cfg_attr(not(test), expect(dead_code, reason = "passages are led back to the payload by it"))]
    /// The raw range behind everything in a masked range.
    pub(crate) fn to_raw(&self, masked: Range<usize>) -> Range<usize> {
        map(&self.replaced, masked, |entry| &entry.masked, |entry| &entry.raw)
    }
}

type Side = fn(&Replaced) -> &Range<usize>;

fn map(replaced: &[Replaced], range: Range<usize>, from: Side, to: Side) -> Range<usize> {
    // An empty range is a place; it stays one.
    let start = place(replaced, range.start, from, to, |side| side.start);
    let end =
        place(
            replaced,
            range.end,
            from,
            to,
            |side| {
                if range.is_empty() { side.start } else { side.end }
            },
        );
    start..end
}

fn place(
    replaced: &[Replaced],
    at: usize,
    from: Side,
    to: Side,
    inside: impl Fn(&Range<usize>) -> usize,
) -> usize {
    let next = replaced.partition_point(|entry| from(entry).start < at);
    match next.checked_sub(1).and_then(|index| replaced.get(index)) {
        Some(entry) if at < from(entry).end => inside(to(entry)),
        Some(entry) => to(entry).end + (at - from(entry).end),
        None => at,
    }
}
