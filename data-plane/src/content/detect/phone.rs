//! Telephone numbers: E.164 with its plus sign, national forms whose shape is telling, and plain
//! digits where a word says so.
//!
//! Kept narrow on purpose: dates, amounts, versions, addresses of hosts and ids must stay readable.

use super::form::{self, Form};
use super::hint::{self, PHONE};
use super::hit::End;
use super::scan::Scan;
use std::ops::RangeInclusive;

/// ITU-T E.164: at most 15 digits. Below 8 with a country code there is hardly a subscriber.
const E164: RangeInclusive<usize> = 8..=15;
/// Digits of a number that a word announces.
const ANNOUNCED: RangeInclusive<usize> = 7..=15;

/// National forms that need no word beside them.
const FORMS: &[Form] = &[
    national("(999) 999-9999", is_north_american),
    national("(999)999-9999", is_north_american),
    national("(999) 999 9999", is_north_american),
    national("999-999-9999", is_north_american),
    national("999.999.9999", is_north_american),
    national("1-999-999-9999", is_north_american),
    national("(99) 99999-9999", is_brazilian),
    national("(99)99999-9999", is_brazilian),
    national("99 99999-9999", is_brazilian),
    national("(99) 9999-9999", is_brazilian),
    national("99 99 99 99 99", is_french),
    national("99.99.99.99.99", is_french),
    national("99999 999999", is_british),
    national("99999 999 999", is_british),
    national("999 9999 9999", is_british),
    national("9999 999 9999", is_british),
    national("9999 9999999", is_german_mobile),
    national("9999 99999999", is_german_mobile),
    national("9999-9999999", is_german_mobile),
    national("9999/9999999", is_german_mobile),
    national("9999/99999999", is_german_mobile),
    national("999 99 99 99", is_spanish),
];

const fn national(template: &'static str, check: fn(&[u8]) -> bool) -> Form {
    Form { template, hints: &[], check }
}

fn digit(number: &[u8], index: usize) -> u8 {
    number.get(index).copied().unwrap_or_default()
}

/// Area code and exchange start with 2 to 9 (ATIS-0300051).
fn is_north_american(number: &[u8]) -> bool {
    let number = number.strip_prefix(b"1").filter(|rest| rest.len() == 10).unwrap_or(number);
    digit(number, 0) >= b'2' && digit(number, 3) >= b'2'
}

/// Two digits of area, none of them 0; mobiles have nine digits and start with 9.
fn is_brazilian(number: &[u8]) -> bool {
    let area = digit(number, 0) != b'0' && digit(number, 1) != b'0';
    let line = digit(number, 2);
    area && if number.len() == 11 { line == b'9' } else { (b'2'..=b'5').contains(&line) }
}

fn is_french(number: &[u8]) -> bool {
    digit(number, 0) == b'0' && digit(number, 1) != b'0'
}

fn is_british(number: &[u8]) -> bool {
    let (first, second) = (digit(number, 0), digit(number, 1));
    first == b'0' && matches!((number.len(), second), (11, b'1' | b'2' | b'3' | b'7'))
}

fn is_german_mobile(number: &[u8]) -> bool {
    number.starts_with(b"015") || number.starts_with(b"016") || number.starts_with(b"017")
}

fn is_spanish(number: &[u8]) -> bool {
    (b'6'..=b'9').contains(&digit(number, 0))
}

/// The end of the telephone number that starts at `at`, which stands at a digit, `(`, `+` or `%2B`.
pub(super) fn starting(scan: &Scan<'_>, at: usize) -> Option<End> {
    let plus = if scan.byte(at) == Some(b'+') { 1 } else { 3 };
    if plus == 1 || scan.starts_with(at, "%2B") {
        return international(scan, at, at + plus).map(End::shown);
    }
    if scan.goes_on(at) || scan.before(at) == Some(b'_') || scan.byte(at) == Some(b'%') {
        return None;
    }
    let told = announced(scan, at).map(|end| End { at: end, told: true });
    told.or_else(|| FORMS.iter().find_map(|form| shaped(scan, at, form)).map(End::shown))
}

fn shaped(scan: &Scan<'_>, at: usize, form: &Form) -> Option<usize> {
    let (end, number) = form::read(scan, at, form.template)?;
    let joined = matches!(scan.before(at), Some(b'-' | b'.' | b'/' | b'#' | b'='));
    // Groups parted by spaces may be any row of numbers: nothing may stand before or after it.
    let alone =
        !form.template.contains(' ') || (!is_row(scan, at) && !digit_after_space(scan, end));
    let clean = scan.closes(end) && !scan.is_gone_on_with(end) && scan.byte(end) != Some(b'_');
    (!joined && alone && clean && (form.check)(&number)).then_some(end)
}

/// Whether one more group of a row, a digit in it, stands right before: `12 06 …`, `1a 06 …`.
fn is_row(scan: &Scan<'_>, at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).and_then(|place| scan.byte(place));
    let pair = [before(3), before(2)];
    before(1) == Some(b' ') && (is_digit(before(2)) || is_hexadecimal_pair(pair))
}

fn digit_after_space(scan: &Scan<'_>, end: usize) -> bool {
    let pair = [scan.byte(end + 1), scan.byte(end + 2)];
    scan.byte(end) == Some(b' ') && (is_digit(pair[0]) || is_hexadecimal_pair(pair))
}

fn is_digit(byte: Option<u8>) -> bool {
    byte.is_some_and(|byte| byte.is_ascii_digit())
}

/// Bytes are dumped in pairs; a pair of letters may be a word (`de 06 12 …`).
fn is_hexadecimal_pair(pair: [Option<u8>; 2]) -> bool {
    let hexadecimal = pair.iter().all(|byte| byte.is_some_and(|byte| byte.is_ascii_hexdigit()));
    hexadecimal && pair.into_iter().any(is_digit)
}

fn announced(scan: &Scan<'_>, at: usize) -> Option<usize> {
    let end = run(scan, at, ANNOUNCED)?;
    let dated =
        || ["9999-99-99", "9999/99/99"].iter().any(|date| form::read(scan, at, date).is_some());
    (!scan.is_gone_on_with(end) && !dated() && hint::names_value(scan, at, PHONE)).then_some(end)
}

fn international(scan: &Scan<'_>, at: usize, first: usize) -> Option<usize> {
    // A plus after a digit or letter is a sum.
    if !scan.opens(at) || !scan.byte(first).is_some_and(|byte| matches!(byte, b'1'..=b'9')) {
        return None;
    }
    let end = run(scan, first, E164)?;
    let written = scan.get(first, end);
    let mut digits = written.bytes().filter(u8::is_ascii_digit);
    let north_american =
        digits.next() != Some(b'1') || (digits.next() >= Some(b'2') && digits.count() >= 9);
    (!is_decimal(written) && !is_year(written) && north_american).then_some(end)
}

/// One dot and no other separator is a decimal number: +3.14159265.
fn is_decimal(written: &str) -> bool {
    let mut separators = written.bytes().filter(|byte| !byte.is_ascii_digit());
    separators.next() == Some(b'.') && separators.next().is_none()
}

/// A year of ISO 8601 with its sign, and what follows it: +012024-05-12, +2024-365.
fn is_year(written: &str) -> bool {
    let Some((year, rest)) = written.split_once('-') else {
        return false;
    };
    let year = (4..=6).contains(&year.len()) && year.bytes().all(|byte| byte.is_ascii_digit());
    let groups: Vec<usize> = rest.split(['-', ' ']).map(str::len).collect();
    year && matches!(groups.as_slice(), [1..=2, ..] | [3] | [3, 1..=2])
}

/// Where the digits from `first` on end, with single separators between them: as many groups as
/// there are with a number of digits in `wanted`. More may follow, of another number.
fn run(scan: &Scan<'_>, first: usize, wanted: RangeInclusive<usize>) -> Option<usize> {
    let mut digits = 0;
    let mut at = first;
    let mut gap = 0;
    let mut longest = None;
    while digits <= *wanted.end() {
        match scan.byte(at) {
            Some(byte) if byte.is_ascii_digit() => {
                (at, digits, gap) = (at + 1, digits + 1, 0);
                let ends = !scan.byte(at).is_some_and(|next| next.is_ascii_alphanumeric());
                if ends && wanted.contains(&digits) {
                    longest = Some(at);
                }
            }
            // `) ` and ` (0) ` are the only separators of more than one character.
            Some(_) if gap < 3 => match scan.separator(at) {
                Some((stands_for, length)) if gap == 0 || is_bracketed(scan, at, stands_for) => {
                    (at, gap) = (at + length, gap + 1);
                }
                _ => break,
            },
            _ => break,
        }
    }
    longest
}

fn is_bracketed(scan: &Scan<'_>, at: usize, stands_for: u8) -> bool {
    stands_for == b'(' || matches!(scan.before(at), Some(b')' | b'('))
}
