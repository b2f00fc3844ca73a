//! What a JSON string means, with the way back to how it was written.
//!
//! Invariant: every input has an answer, and every character boundary of the meaning leads to a
//! character boundary of the source.

use std::borrow::Cow;

/// A string's meaning, and the way back to how it was written.
#[derive(Debug)]
pub(crate) struct Decoded<'t> {
    pub(crate) text: Cow<'t, str>,
    /// Pairs (offset in `text`, offset in the source) where the two stop running in step.
    jumps: Vec<(usize, usize)>,
}

impl Decoded<'_> {
    /// Where a character boundary of `text` lies in the source.
    pub(crate) fn source(&self, at: usize) -> usize {
        let next = self.jumps.partition_point(|&(decoded, _)| decoded <= at);
        match next.checked_sub(1).and_then(|index| self.jumps.get(index)) {
            Some(&(decoded, source)) => source + (at - decoded),
            None => at,
        }
    }
}

/// Decodes what stands between a JSON string's quotes. What is no valid escape is kept as written,
/// and half a surrogate pair becomes U+FFFD, so every input has an answer.
pub(crate) fn decode(inner: &str) -> Decoded<'_> {
    if !inner.contains('\\') {
        return Decoded { text: Cow::Borrowed(inner), jumps: Vec::new() };
    }
    let mut text = String::with_capacity(inner.len());
    let mut jumps = Vec::new();
    let mut at = 0;
    while let Some(rest) = inner.get(at..).filter(|rest| !rest.is_empty()) {
        if let Some((character, length)) = unescape(rest) {
            jumps.push((text.len(), at));
            text.push(character);
            at += length;
            jumps.push((text.len(), at));
        } else {
            let escape = usize::from(rest.starts_with('\\'));
            let plain = rest.get(escape..).and_then(|tail| tail.find('\\'));
            let run = plain.map_or(rest.len(), |offset| offset + escape);
            text.push_str(rest.get(..run).unwrap_or_default());
            at += run;
        }
    }
    Decoded { text: Cow::Owned(text), jumps }
}

/// The character that the escape at the start of `rest` stands for, and the escape's length.
fn unescape(rest: &str) -> Option<(char, usize)> {
    let escaped = *rest.strip_prefix('\\')?.as_bytes().first()?;
    let character = match escaped {
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return unicode(rest),
        _ => return None,
    };
    Some((character, 2))
}

fn unicode(rest: &str) -> Option<(char, usize)> {
    let unit = |from: usize| {
        let escape = rest.get(from..from + 6)?.strip_prefix("\\u")?;
        escape.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(())?;
        u32::from_str_radix(escape, 16).ok()
    };
    let high = unit(0)?;
    if let (0xd800..0xdc00, Some(low @ 0xdc00..0xe000)) = (high, unit(6)) {
        let code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
        return char::from_u32(code).map(|character| (character, 12));
    }
    Some((char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER), 6))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::json::is_json;
    use proptest::prelude::*;

    #[test]
    fn decoded_offsets_lead_back_to_the_source() {
        let decoded = decode(r"a\u0040b \ud83d\ude00 \ud800 \q \");
        assert_eq!(decoded.text, "a@b \u{1f600} \u{fffd} \\q \\");
        assert_eq!((decoded.source(1), decoded.source(2), decoded.source(3)), (1, 7, 8));
        let smile = decoded.text.find('\u{1f600}').unwrap();
        assert_eq!((decoded.source(smile), decoded.source(smile + 4)), (9, 21));
    }

    proptest! {
        #[test]
        fn strings_decode_as_serde_decodes_them(text in any::<String>()) {
            let written = serde_json::to_string(&text).unwrap();
            prop_assert!(is_json(&written));
            let inner = written.strip_prefix('"').unwrap().strip_suffix('"').unwrap();
            let decoded = decode(inner);
            prop_assert_eq!(&decoded.text, &text);
            for (at, _) in text.char_indices() {
                prop_assert!(inner.is_char_boundary(decoded.source(at)));
            }
            prop_assert_eq!(decoded.source(text.len()), inner.len());
        }
    }
}
