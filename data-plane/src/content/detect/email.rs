//! E-mail addresses: the practical part of RFC 5322 and RFC 6531, found from their `@`.
//!
//! Invariant: neither side of an address can hold an `@`, so the looks to both sides of all of them
//! together pass over the text at most twice.

use super::scan::Scan;

/// How `@` is written: plain, in a URL, in HTML, in a JSON string, full-width.
pub(crate) const AT_FORMS: &[&str] = &["@", "%40", "&#64;", "&#x40;", "\\u0040", "\u{ff20}"];

/// RFC 5321 section 4.5.3.1.1: longest local part, in bytes.
const LOCAL_LIMIT: usize = 64;
/// RFC 5321 section 4.5.3.1.2: longest domain, in bytes.
const DOMAIN_LIMIT: usize = 255;
/// Endings that are file names, as in `logo@2x.png`.
const FILE_ENDINGS: &[&str] =
    &["css", "gif", "htm", "html", "jpeg", "jpg", "js", "json", "png", "svg", "webp"];

/// The address around an `@`, in whatever form, that stands at `at`.
pub(super) fn around(scan: &Scan<'_>, at: usize) -> Option<(usize, usize)> {
    let form = AT_FORMS.iter().find(|form| scan.starts_with(at, form))?;
    let start = local_start(scan, at)?;
    let end = domain_end(scan, at + form.len())?;
    if is_user_info(scan, start) || is_remote(scan, start, at, end) {
        return None;
    }
    Some((start, end))
}

fn local_start(scan: &Scan<'_>, at: usize) -> Option<usize> {
    let floor = at.saturating_sub(LOCAL_LIMIT);
    let mut start = at;
    while start > floor && scan.before(start).is_some_and(is_local) {
        start -= 1;
    }
    // The limit may fall inside a character: the address then starts after it.
    while start < at && scan.byte(start).is_some_and(|byte| byte & 0xc0 == 0x80) {
        start += 1;
    }
    let local = scan.get(start, at);
    let wide = local.chars().next_back().is_some_and(|last| last >= WIDE);
    let sign = local.char_indices().rev().find(|&(_, character)| !is_letter(character, wide));
    start += sign.map_or(0, |(offset, character)| offset + character.len_utf8());
    let local = scan.get(start, at);
    let trimmed = local.trim_start_matches(['.', '-']);
    (!trimmed.is_empty() && !local.ends_with('.')).then(|| at - trimmed.len())
}

const fn is_local(byte: u8) -> bool {
    is_label(byte) || matches!(byte, b'.' | b'_' | b'+' | b'~' | b'#' | b'$')
}

/// From here on scripts are written without spaces: a word before an address is no part of it.
const WIDE: char = '\u{2e80}';

/// Whether a character can be part of an address: no ASCII that got this far is left out, nor
/// letters and marks of other scripts, but signs and spaces are.
fn is_letter(character: char, wide: bool) -> bool {
    let sign = matches!(character, '\u{80}'..='\u{bf}' | '\u{d7}' | '\u{f7}' | '\u{2000}'..='\u{2bff}')
        || matches!(character, '\u{3000}'..='\u{303f}' | '\u{fe00}'..='\u{fe6f}' | '\u{ff00}'..='\u{ff20}');
    character.is_ascii() || (!sign && (wide || character < WIDE))
}

fn domain_end(scan: &Scan<'_>, start: usize) -> Option<usize> {
    let mut at = start;
    let mut end = None;
    loop {
        let label = at;
        while at - start < DOMAIN_LIMIT && scan.byte(at).is_some_and(is_label) {
            at += 1;
        }
        // The limit may fall inside a character.
        while scan.byte(at).is_some_and(|byte| byte & 0xc0 == 0x80) {
            at -= 1;
        }
        let written = scan.get(label, at);
        let wide = written.starts_with(|first| first >= WIDE);
        let written = written
            .find(|character| !is_letter(character, wide))
            .and_then(|cut| written.get(..cut))
            .unwrap_or(written);
        at = label + written.len();
        if written.is_empty() || written.ends_with('-') {
            // `ann@x.org.` and `ann@x.org.-` end in a full stop, not in a label.
            return end;
        }
        // The domain must end in its top level: `18.2.0` and `x.org1` are none.
        end = (label > start && is_top_level(written)).then_some(at);
        if scan.byte(at) != Some(b'.') {
            return end;
        }
        at += 1;
    }
}

const fn is_label(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || !byte.is_ascii() || byte == b'-'
}

fn is_top_level(label: &str) -> bool {
    if label.starts_with("xn--") {
        return true;
    }
    let letters = label.chars().all(char::is_alphabetic) && label.chars().count() >= 2;
    letters && !FILE_ENDINGS.contains(&label.to_ascii_lowercase().as_str())
}

/// Whether what stands before the `@` is the password of a URL, which is a secret's business.
fn is_user_info(scan: &Scan<'_>, start: usize) -> bool {
    if scan.before(start) != Some(b':') {
        return false;
    }
    let window = scan.window_before(start);
    let word =
        window.rsplit(|character: char| character.is_whitespace()).next().unwrap_or_default();
    word.contains("://")
}

/// `git@host.org:owner/name` names a place, not a person.
fn is_remote(scan: &Scan<'_>, start: usize, at: usize, end: usize) -> bool {
    scan.get(start, at) == "git" && matches!(scan.byte(end), Some(b':' | b'/'))
}
