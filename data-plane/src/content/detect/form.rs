//! Written forms of numbers, as templates.
//!
//! In a template `9` stands for a digit, `A` for a capital letter, `X` for either; a space, dash,
//! dot or slash for itself in its usual variants. Invariant: reading a form looks at no more than
//! the template's length.

use super::scan::Scan;

/// A way a number is written, and when to believe it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    pub(super) template: &'static str,
    /// Words that must stand by; empty if the form and its check are telling enough.
    pub(super) hints: &'static [&'static str],
    /// Whether the significant characters are a number of this kind.
    pub(super) check: fn(&[u8]) -> bool,
}

/// Where a form at `start` ends and its letters and digits, if the text has the form there.
pub(super) fn read(scan: &Scan<'_>, start: usize, template: &str) -> Option<(usize, Vec<u8>)> {
    let mut at = start;
    for wanted in template.bytes() {
        at += step(scan, at, wanted)?;
    }
    let significant = scan.get(start, at).bytes().filter(u8::is_ascii_alphanumeric).collect();
    Some((at, significant))
}

fn step(scan: &Scan<'_>, at: usize, wanted: u8) -> Option<usize> {
    let byte = scan.byte(at)?;
    let fits = match wanted {
        b'9' => byte.is_ascii_digit(),
        b'A' => byte.is_ascii_uppercase(),
        b'X' => byte.is_ascii_digit() || byte.is_ascii_uppercase(),
        _ => {
            return scan
                .separator(at)
                .filter(|&(stands_for, _)| stands_for == wanted)
                .map(|(_, length)| length);
        }
    };
    fits.then_some(1)
}

/// The digits of `characters` as numbers; letters are left out.
pub(super) fn digits(characters: &[u8]) -> Vec<u32> {
    characters
        .iter()
        .filter(|byte| byte.is_ascii_digit())
        .map(|byte| u32::from(byte - b'0'))
        .collect()
}

/// Sum of products, over the shorter of the two.
pub(super) fn weighted(digits: &[u32], weights: &[u32]) -> u32 {
    digits.iter().zip(weights).map(|(digit, weight)| digit * weight).sum()
}

/// Whether all characters are the same: no authority issues such a number.
pub(super) fn is_uniform(characters: &[u8]) -> bool {
    characters.windows(2).all(|pair| pair.first() == pair.last())
}
