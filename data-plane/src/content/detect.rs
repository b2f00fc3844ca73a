//! Finds personal values and secrets in a text.
//!
//! Detection runs once, when content is stored, over the whole; what it finds is kept as spans.
//! Invariants: spans lie on character boundaries of the text, are sorted and never overlap; the
//! work grows in step with the text, whatever it holds. It is deliberately narrow where a number
//! has no telling form: ids, times and amounts must stay readable, or agents cannot work.

mod assignment;
mod bank;
mod echo;
pub(crate) mod email;
mod form;
mod hint;
mod hit;
mod key;
mod national;
mod phone;
mod scan;
mod secret;
mod structured;
#[cfg(test)]
mod tests;

use crate::content::table;
use hit::{End, Hit};
use key::Key;
use scan::Scan;
use serde::{Deserialize, Serialize};

/// What a span holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    // In order of weight: where two kinds claim the same bytes, the later one names the span.
    Phone,
    Email,
    NationalId,
    Iban,
    Card,
    Secret,
}

/// The label a kind puts on content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Sensitivity {
    Personal,
    Confidential,
}

impl Kind {
    pub(crate) const ALL: [Self; 6] =
        [Self::Phone, Self::Email, Self::NationalId, Self::Iban, Self::Card, Self::Secret];

    /// The name in placeholders and in stored spans.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Phone => "phone",
            Self::Email => "email",
            Self::NationalId => "national_id",
            Self::Iban => "iban",
            Self::Card => "card",
            Self::Secret => "secret",
        }
    }

    pub(crate) const fn sensitivity(self) -> Sensitivity {
        match self {
            Self::Phone | Self::Email | Self::NationalId | Self::Iban | Self::Card => {
                Sensitivity::Personal
            }
            Self::Secret => Sensitivity::Confidential,
        }
    }
}

/// A found value: byte offsets of the text it was found in, `end` excluded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) kind: Kind,
    /// The span is a whole JSON number outside quotes: what replaces it must be quoted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) bare: bool,
}

impl Span {
    pub(crate) const fn new(start: usize, end: usize, kind: Kind) -> Self {
        Self { start, end, kind, bare: false }
    }
}

/// Finds spans in plain text.
pub(crate) fn detect(text: &str) -> Vec<Span> {
    echo::complete(text, search(text, &Key::default()))
}

/// Finds spans in a JSON text: inside strings however they are escaped, in member names, and in
/// bare numbers. What is not JSON is searched as plain text.
pub(crate) fn detect_json(text: &str) -> Vec<Span> {
    if structured::is_json_lines(text) {
        structured::in_json_lines(text)
    } else {
        structured::in_json(text)
    }
}

/// Finds spans in content of a media type. The type is a hint, not a promise: upstreams mislabel,
/// so what looks like JSON is searched as JSON whatever it is called.
pub(crate) fn detect_for(media_type: &str, text: &str) -> Vec<Span> {
    let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match essence.as_str() {
        "application/x-ndjson" | "application/jsonl" | "application/json-lines" => {
            structured::in_json_lines(text)
        }
        "text/csv" => structured::in_table(text, table::delimiter(text).unwrap_or(b',')),
        "text/tab-separated-values" => structured::in_table(text, b'\t'),
        json if json == "application/json" || json.ends_with("+json") => detect_json(text),
        _ if text
            .trim_start_matches(['\u{feff}', ' ', '\n', '\r', '\t'])
            .starts_with(['{', '[']) =>
        {
            detect_json(text)
        }
        _ => detect(text),
    }
}

/// One pass over `text`, which stands under `key`.
fn search(text: &str, key: &Key) -> Vec<Hit> {
    let mut scan = Scan::new(text, key);
    let mut hits = Vec::new();
    for at in 0..scan.len() {
        at_byte(&mut scan, at, &mut hits);
    }
    if let Some((start, end)) = assignment::whole(key, text) {
        hits.push(Hit::told(start, end, Kind::Secret));
    }
    hit::resolve(hits)
}

/// What can be recognised from the byte at `at`.
fn at_byte(scan: &mut Scan<'_>, at: usize, hits: &mut Vec<Hit>) {
    let Some(byte) = scan.byte(at) else { return };
    let from = |end: Option<End>, kind: Kind| end.map(|end| end.hit(at, kind));
    match byte {
        b'@' | b'&' | b'\\' | 0xef => hits.extend(address(scan, at)),
        b'%' => {
            hits.extend(address(scan, at));
            hits.extend(from(phone::starting(scan, at), Kind::Phone));
        }
        b'+' | b'(' => hits.extend(from(phone::starting(scan, at), Kind::Phone)),
        b'-' => hits.extend(from(secret::key_block(scan, at).map(End::shown), Kind::Secret)),
        b'=' | b':' => {
            let password = secret::url_password(scan, at);
            hits.extend(password.map(|(start, end)| Hit::told(start, end, Kind::Secret)));
            let assigned = assignment::around(scan, at);
            hits.extend(assigned.map(|(start, end)| Hit::told(start, end, Kind::Secret)));
        }
        b'0'..=b'9' if scan.opens(at) && scan.is_number(at) => {
            hits.extend(from(bank::card(scan, at), Kind::Card));
            hits.extend(from(national::starting(scan, at), Kind::NationalId));
            hits.extend(from(phone::starting(scan, at), Kind::Phone));
        }
        b'A'..=b'Z' | b'a'..=b'z' if scan.opens(at) => {
            hits.extend(from(bank::iban(scan, at).map(End::shown), Kind::Iban));
            hits.extend(from(secret::starting(scan, at).map(End::shown), Kind::Secret));
            if byte.is_ascii_uppercase() {
                hits.extend(from(national::starting(scan, at), Kind::NationalId));
            }
        }
        _ => {}
    }
}

fn address(scan: &Scan<'_>, at: usize) -> Option<Hit> {
    email::around(scan, at).map(|(start, end)| Hit::shown(start, end, Kind::Email))
}
