//! What was recognised once by its name or its neighbours, found again where nothing tells.
//!
//! `tel: 5551234567` is a telephone number; the same digits further down are it too. Without this
//! a masked text would still hold values it masks. Invariant: bounded: values of 8 to 64 bytes, of
//! at most eight different lengths, are looked up at the starts of tokens.

use super::hit::{self, Hit};
use super::key::Key;
use super::scan::Scan;
use super::{Kind, Span};
use std::collections::{BTreeMap, HashMap};

const LENGTHS: std::ops::RangeInclusive<usize> = 8..=64;
const DISTINCT_LENGTHS: usize = 8;

/// Values to look for again, by length.
#[derive(Debug, Default)]
pub(super) struct Echo {
    values: BTreeMap<usize, HashMap<String, Kind>>,
}

impl Echo {
    pub(super) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Remembers what words told in `text`. What holds no digit may be a word of its own.
    pub(super) fn learn(&mut self, text: &str, hits: &[Hit]) {
        for Hit { span, .. } in hits.iter().filter(|hit| hit.told) {
            let value = text.get(span.start..span.end).unwrap_or_default();
            let room =
                self.values.len() < DISTINCT_LENGTHS || self.values.contains_key(&value.len());
            let numbered = value.bytes().any(|byte| byte.is_ascii_digit());
            if LENGTHS.contains(&value.len()) && numbered && room {
                self.values.entry(value.len()).or_default().insert(value.to_owned(), span.kind);
            }
        }
    }

    /// Where the remembered values stand.
    pub(super) fn find(&self, scan: &Scan<'_>) -> Vec<Hit> {
        let mut hits = Vec::new();
        for start in (0..scan.len()).filter(|&start| !self.is_empty() && scan.opens(start)) {
            for (length, values) in self.values.iter().rev() {
                let end = start + length;
                if let Some(&kind) = values.get(scan.get(start, end)).filter(|_| scan.closes(end)) {
                    hits.push(Hit::told(start, end, kind));
                    break;
                }
            }
        }
        hits
    }
}

/// The spans of hits in a text searched as a whole, with the echoes of what was told.
pub(super) fn complete(text: &str, mut hits: Vec<Hit>) -> Vec<Span> {
    let mut echo = Echo::default();
    echo.learn(text, &hits);
    hits.extend(echo.find(&Scan::new(text, &Key::default())));
    hit::spans(hits)
}
