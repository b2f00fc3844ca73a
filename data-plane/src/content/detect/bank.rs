//! Payment cards (ISO/IEC 7812: issuer range, length, Luhn) and IBANs (ISO 13616: country,
//! length, remainder 97).

use super::form;
use super::hint::{self, CARD};
use super::hit::End;
use super::scan::Scan;

const GROUPED: &[&str] = &[
    "9999 9999 9999 9999 999",
    "9999-9999-9999-9999-999",
    "9999 9999 9999 9999",
    "9999-9999-9999-9999",
    "9999.9999.9999.9999",
    "9999 999999 99999",
    "9999-999999-99999",
    "9999 999999 9999",
    "9999-999999-9999",
    "9999 999 999 999",
    "9999-999-999-999",
];

/// The end of the card number that starts at the digit at `at`.
pub(super) fn card(scan: &Scan<'_>, at: usize) -> Option<End> {
    if scan.goes_on(at) {
        return None;
    }
    let read = |template: &&str| form::read(scan, at, template).filter(|read| is_card(&read.1));
    let grouped = GROUPED.iter().find_map(read).map(|(end, _)| End::shown(end));
    let end = grouped.or_else(|| ungrouped(scan, at))?;
    (scan.closes(end.at) && !scan.is_gone_on_with(end.at)).then_some(end)
}

fn ungrouped(scan: &Scan<'_>, at: usize) -> Option<End> {
    let mut end = at;
    while end < at + 20 && scan.byte(end).is_some_and(|byte| byte.is_ascii_digit()) {
        end += 1;
    }
    // Thirteen plain digits are an article number (EAN-13), and more than sixteen a 64-bit id,
    // unless a word says card or the issuer gives such numbers.
    let number = scan.get(at, end);
    let told = match end - at {
        13 => true,
        17..=19 => !number.starts_with("62"),
        _ => false,
    };
    let card = (13..20).contains(&(end - at)) && is_card(number.as_bytes());
    (card && (!told || hint::names_value(scan, at, CARD))).then_some(End { at: end, told })
}

fn is_card(number: &[u8]) -> bool {
    is_issued(number) && luhn(number)
}

/// Issuer identification numbers in use, with the lengths they come in.
fn is_issued(number: &[u8]) -> bool {
    let prefix = |length: usize| {
        form::digits(number.get(..length).unwrap_or_default())
            .iter()
            .fold(0, |sum, digit| sum * 10 + digit)
    };
    let length = number.len();
    match (prefix(1), prefix(2), prefix(3), prefix(4)) {
        (4, ..) => matches!(length, 13 | 16 | 19),
        (_, 34 | 37, ..) => length == 15,
        (_, 51..=55, ..) | (_, _, _, 2221..=2720) => length == 16,
        (_, 36 | 38 | 39, ..) | (_, _, 300..=305 | 309, _) => length == 14,

        (_, 65, ..) | (_, _, 644..=649, _) | (_, _, _, 6011 | 3528..=3589) => {
            matches!(length, 16 | 19)
        }
        (_, 62 | 81, ..) => (16..=19).contains(&length),
        (_, _, _, 5018 | 5020 | 5038 | 5893 | 6304 | 6759 | 6761..=6763) => {
            (13..=19).contains(&length)
        }
        (_, 60, ..) | (_, _, 508, _) => length == 16,
        _ => false,
    }
}

fn luhn(number: &[u8]) -> bool {
    let double = |digit: u32| if digit > 4 { digit * 2 - 9 } else { digit * 2 };
    let digits = form::digits(number);
    let turned = digits.iter().rev().enumerate();
    let sum: u32 =
        turned.map(|(index, &digit)| if index % 2 == 1 { double(digit) } else { digit }).sum();
    sum.is_multiple_of(10) && !form::is_uniform(number)
}

/// Lengths by country, after the SWIFT registry.
const IBAN_LENGTHS: &[(&str, usize)] = &[
    ("AD", 24),
    ("AE", 23),
    ("AL", 28),
    ("AT", 20),
    ("AZ", 28),
    ("BA", 20),
    ("BE", 16),
    ("BG", 22),
    ("BH", 22),
    ("BI", 27),
    ("BR", 29),
    ("BY", 28),
    ("CH", 21),
    ("CR", 22),
    ("CY", 28),
    ("CZ", 24),
    ("DE", 22),
    ("DJ", 27),
    ("DK", 18),
    ("DO", 28),
    ("EE", 20),
    ("EG", 29),
    ("ES", 24),
    ("FI", 18),
    ("FK", 18),
    ("FO", 18),
    ("FR", 27),
    ("GB", 22),
    ("GE", 22),
    ("GI", 23),
    ("GL", 18),
    ("GR", 27),
    ("GT", 28),
    ("HN", 28),
    ("HR", 21),
    ("HU", 28),
    ("IE", 22),
    ("IL", 23),
    ("IQ", 23),
    ("IS", 26),
    ("IT", 27),
    ("JO", 30),
    ("KW", 30),
    ("KZ", 20),
    ("LB", 28),
    ("LC", 32),
    ("LI", 21),
    ("LT", 20),
    ("LU", 20),
    ("LV", 21),
    ("LY", 25),
    ("MC", 27),
    ("MD", 24),
    ("ME", 22),
    ("MK", 19),
    ("MN", 20),
    ("MR", 27),
    ("MT", 31),
    ("MU", 30),
    ("NI", 28),
    ("NL", 18),
    ("NO", 15),
    ("OM", 23),
    ("PK", 24),
    ("PL", 28),
    ("PS", 29),
    ("PT", 25),
    ("QA", 29),
    ("RO", 24),
    ("RS", 22),
    ("RU", 33),
    ("SA", 24),
    ("SC", 31),
    ("SD", 18),
    ("SE", 24),
    ("SI", 19),
    ("SK", 24),
    ("SM", 27),
    ("SO", 23),
    ("ST", 25),
    ("SV", 28),
    ("TL", 23),
    ("TN", 24),
    ("TR", 26),
    ("UA", 29),
    ("VA", 22),
    ("VG", 24),
    ("XK", 20),
    ("YE", 30),
];

/// The end of the IBAN that starts at the letter at `at`. Groups may be parted by one space or
/// dash; small letters count.
pub(super) fn iban(scan: &Scan<'_>, at: usize) -> Option<usize> {
    if ![2, 3].iter().all(|digit| scan.byte(at + digit).is_some_and(|byte| byte.is_ascii_digit())) {
        return None;
    }
    let country = scan.get(at, at + 2).to_ascii_uppercase();
    let index = IBAN_LENGTHS.binary_search_by_key(&country.as_str(), |entry| entry.0).ok()?;
    let wanted = IBAN_LENGTHS.get(index)?.1;
    let mut number = Vec::with_capacity(wanted);
    let mut end = at;
    while number.len() < wanted {
        let byte = scan.byte(end)?;
        if byte.is_ascii_alphanumeric() {
            number.push(byte.to_ascii_uppercase());
            end += 1;
        } else {
            let (stands_for, length) = scan.separator(end)?;
            let parts = matches!(stands_for, b' ' | b'-')
                && number.len() % 4 == 0
                && scan.before(end)?.is_ascii_alphanumeric();
            parts.then_some(())?;
            end += length;
        }
    }
    (scan.closes(end) && remainder_97(&number) == Some(1)).then_some(end)
}

fn remainder_97(number: &[u8]) -> Option<u32> {
    let (head, tail) = number.split_at_checked(4)?;
    let turned = tail.iter().chain(head);
    let remainder = turned.fold(0, |sum, &byte| match byte {
        b'A'..=b'Z' => (sum * 100 + u32::from(byte - b'A') + 10) % 97,
        _ => (sum * 10 + u32::from(byte.wrapping_sub(b'0'))) % 97,
    });
    Some(remainder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn countries_are_in_order() {
        assert!(IBAN_LENGTHS.is_sorted_by_key(|entry| entry.0));
    }
}
