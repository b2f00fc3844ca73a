//! Which values may fill a path segment.
//!
//! The invariant: a value that passes is one segment to every reader of a path: to one that decodes
//! it again and again, to one that cuts parameters off at `;`, and to one that trims or folds
//! characters that look like dots. Values are refused, never repaired.

use percent_encoding::percent_decode;

use super::Misfit;

const FIX: &str = "send one plain path segment, as in `inv_42`";

/// Refuses a value that is not one segment to every reader.
///
/// `percent` says whether the declaration lets the value hold `%`.
pub(super) fn check(text: &str, percent: bool) -> Result<(), Misfit> {
    if text.contains('%') && !percent {
        return Err(Misfit::new("it holds a `%`", FIX));
    }
    let mut decoded = text.as_bytes().to_vec();
    loop {
        let read = String::from_utf8_lossy(&decoded);
        once(&read)?;
        // Each round that changes something is at least two bytes shorter, so this ends.
        let next: Vec<u8> = percent_decode(&decoded).collect();
        if next == decoded {
            return Ok(());
        }
        decoded = next;
    }
}

fn once(text: &str) -> Result<(), Misfit> {
    if text.trim().is_empty() {
        return Err(Misfit::new("it is empty", FIX));
    }
    if text.contains(char::is_control) {
        return Err(Misfit::new("it holds a control character", FIX));
    }
    if text.contains(['/', '\\']) {
        return Err(Misfit::new("it holds a slash", FIX));
    }
    let mut parts = text.split(';');
    if parts.next().is_some_and(is_nothing) || text.split(';').any(is_dots) {
        return Err(Misfit::new("it becomes a dot segment, or nothing, to some readers", FIX));
    }
    Ok(())
}

fn is_nothing(part: &str) -> bool {
    part.chars().all(is_unseen)
}

/// Whether a reader that trims spaces, drops what is unseen, or folds what looks alike sees only
/// dots.
fn is_dots(part: &str) -> bool {
    let mut dots = false;
    for character in part.chars().filter(|character| !is_unseen(*character)) {
        if !matches!(character, '.' | '．' | '․' | '‥' | '…' | '。' | '｡' | '︒' | '﹒')
        {
            return false;
        }
        dots = true;
    }
    dots
}

/// White space, and characters without a shape (a part of Unicode's default-ignorable ones).
fn is_unseen(character: char) -> bool {
    character.is_whitespace()
        || matches!(
            character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
                | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
        )
}
