//! What kind of text this is, from the text itself: a declared type is believed only where the
//! text does not speak against it.

use crate::content::{json, table};

pub(crate) const JSON: &str = "application/json";
pub(crate) const JSON_LINES: &str = "application/x-ndjson";
pub(crate) const CSV: &str = "text/csv";
pub(crate) const TSV: &str = "text/tab-separated-values";
pub(crate) const HTML: &str = "text/html";
pub(crate) const XML: &str = "application/xml";
pub(crate) const MARKDOWN: &str = "text/markdown";
pub(crate) const PLAIN: &str = "text/plain";

/// Lines that must be JSON before a text counts as JSON lines.
const SAMPLE: usize = 20;

/// The media type of a text, without parameters; one of the constants here.
pub(crate) fn detect_media_type(declared: Option<&str>, text: &str) -> &'static str {
    let declared = declared.and_then(known);
    let start = text.trim_start_matches(['\u{feff}', ' ', '\n', '\r', '\t']);
    if start.starts_with(['{', '[']) || declared == Some(JSON) {
        if json::is_json(text) {
            return JSON;
        }
        if is_json_lines(text) {
            return JSON_LINES;
        }
    }
    if start.starts_with('<')
        && let Some(markup) = markup(start)
    {
        return markup;
    }
    match declared {
        Some(table @ (CSV | TSV)) => table,
        // Said to be JSON and found not to be.
        Some(JSON | JSON_LINES) => PLAIN,
        Some(other) if other != PLAIN => other,
        _ => match table::delimiter(text) {
            Some(b'\t') => TSV,
            Some(_) if !super::log::is_log(text) => CSV,
            _ => PLAIN,
        },
    }
}

fn known(declared: &str) -> Option<&'static str> {
    let essence = declared.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match essence.as_str() {
        "application/x-ndjson" | "application/jsonl" | "application/json-lines" => Some(JSON_LINES),
        "application/xhtml+xml" => Some(HTML),
        "text/xml" => Some(XML),
        "text/json" => Some(JSON),
        other if other.ends_with("+json") => Some(JSON),
        other if other.ends_with("+xml") => Some(XML),
        other => {
            [JSON, CSV, TSV, HTML, XML, MARKDOWN, PLAIN].into_iter().find(|&known| known == other)
        }
    }
}

/// At least two lines, the first ones all JSON objects or arrays.
fn is_json_lines(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let sample: Vec<_> = lines.by_ref().take(SAMPLE).collect();
    let is_document =
        |line: &&str| line.trim_start().starts_with(['{', '[']) && json::is_json(line);
    sample.len() >= 2 && sample.iter().all(is_document)
}

fn markup(start: &str) -> Option<&'static str> {
    let opening: String = start.chars().take(16).collect::<String>().to_ascii_lowercase();
    if opening.starts_with("<!doctype html") || opening.starts_with("<html") {
        return Some(HTML);
    }
    let element = opening.strip_prefix('<')?.starts_with(|first: char| first.is_ascii_alphabetic());
    let closed = start.trim_end().ends_with('>');
    (opening.starts_with("<?xml") || (element && closed)).then_some(XML)
}
