//! Owns how characters that command a terminal, or that mislead whoever reads it, are shown.
//! Invariant: what comes out holds none of them.

/// The text on one line, with control characters (C0, DEL, C1), line separators and invisible or
/// direction-changing format characters written as escapes: `\n`, `\u{1b}`.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if misleads(character) => out.extend(character.escape_unicode()),
            _ => out.push(character),
        }
    }
    out
}

/// The text line by line, each made visible.
pub(super) fn lines(text: &str) -> Vec<String> {
    text.split_terminator('\n').map(visible).collect()
}

/// Control characters; and the format characters that change direction or cannot be seen. The joiners
/// U+200C and U+200D stay: words of several scripts are wrong without them.
fn misleads(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{61c}'
                | '\u{200b}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn escapes_are_seen_and_words_are_left_alone() {
        assert_eq!(visible("a\u{1b}[31mb\u{9b}2J\u{7f}\0"), r"a\u{1b}[31mb\u{9b}2J\u{7f}\u{0}");
        assert_eq!(visible("a\u{202e}b\u{200b}\u{e0041}"), r"a\u{202e}b\u{200b}\u{e0041}");
        for plain in ["", "Zażółć gęślą", "日本語", "می\u{200c}خواهم", "e\u{301}", "→ … ©"]
        {
            assert_eq!(visible(plain), plain);
        }
    }

    proptest! {
        #[test]
        fn nothing_that_commands_a_terminal_comes_out(text in any::<String>()) {
            prop_assert!(!visible(&text).chars().any(misleads));
            prop_assert!(!lines(&text).concat().chars().any(misleads));
        }
    }
}
