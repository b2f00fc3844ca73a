//! From text to words: lower case, marks of accent folded, and the joints of identifiers opened.
//!
//! Invariant: the same text gives the same words at build time and in a query, so whatever was
//! indexed can be asked for in the form in which it is written.

/// Longest word, in characters; longer ones are cut.
const WORD_CHARS: usize = 40;
/// Longest identifier of two parts, or with a digit, that is a word as a whole too (`GitHub`,
/// `k8s`), in characters: above it the whole is a phrase (`listInvoices`) that nobody types.
const WHOLE_CHARS: usize = 10;

/// What a character is to the splitter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Lower,
    Upper,
    Digit,
    /// A script that writes no spaces: indexed by pairs of characters.
    Unspaced,
    /// Stands between words.
    Gap,
}

fn kind(character: char) -> Kind {
    match character {
        '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{20000}'..='\u{2fa1f}' => Kind::Unspaced,
        _ if character.is_uppercase() => Kind::Upper,
        _ if character.is_numeric() => Kind::Digit,
        _ if character.is_alphabetic() => Kind::Lower,
        _ => Kind::Gap,
    }
}

/// The Latin letter under a mark of accent; other characters as they are.
const fn fold(character: char) -> char {
    match character {
        'à'..='å' | 'ā' | 'ă' | 'ą' => 'a',
        'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' => 'c',
        'ď' | 'đ' => 'd',
        'è'..='ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' => 'e',
        'ĝ' | 'ğ' | 'ġ' | 'ģ' => 'g',
        'ì'..='ï' | 'ĩ' | 'ī' | 'ĭ' | 'į' | 'ı' => 'i',
        'ķ' => 'k',
        'ĺ' | 'ļ' | 'ľ' | 'ł' => 'l',
        'ñ' | 'ń' | 'ņ' | 'ň' => 'n',
        'ò'..='ö' | 'ø' | 'ō' | 'ŏ' | 'ő' => 'o',
        'ŕ' | 'ŗ' | 'ř' => 'r',
        'ś' | 'ŝ' | 'ş' | 'š' | 'ș' => 's',
        'ţ' | 'ť' | 'ŧ' | 'ț' => 't',
        'ù'..='ü' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' | 'ų' => 'u',
        'ý' | 'ÿ' | 'ŷ' => 'y',
        'ź' | 'ż' | 'ž' => 'z',
        _ => character,
    }
}

/// The words of a text in their order, at most `limit`. No more of the text is read than that
/// many words can fill.
pub(super) fn words(text: &str, limit: usize) -> Vec<String> {
    let mut out = Vec::new();
    let mut run: Vec<(Kind, char)> = Vec::new();
    let mut apostrophe = false;
    let longest = limit.saturating_mul(WORD_CHARS);
    for character in text.chars().take(longest) {
        if matches!(character, '\u{300}'..='\u{36f}') {
            continue; // A combining mark: the letter before it is what counts.
        }
        let kind = kind(character);
        if kind == Kind::Gap {
            end_run(&mut run, apostrophe, &mut out);
            apostrophe = matches!(character, '\'' | '’');
        } else {
            run.push((kind, character));
        }
        if out.len() >= limit {
            break;
        }
    }
    end_run(&mut run, apostrophe, &mut out);
    out.truncate(limit);
    out
}

/// Writes the words of one run of letters and digits, and empties it. What follows an apostrophe
/// and is short (`'s`, `'re`) is an ending and no word.
fn end_run(run: &mut Vec<(Kind, char)>, after_apostrophe: bool, out: &mut Vec<String>) {
    if !(after_apostrophe && run.len() <= 2) {
        let parts = parts(run);
        let has = |sought| parts.iter().any(|&(kind, _)| kind == sought);
        let alone = parts.len() == 1;
        let whole = parts.len() == 2 || has(Kind::Digit);
        if !alone && whole && run.len() <= WHOLE_CHARS && !has(Kind::Unspaced) {
            out.push(parts.iter().map(|(_, part)| part.as_str()).collect());
        }
        for (kind, part) in parts {
            match kind {
                Kind::Unspaced => pairs(&part, out),
                // A lone letter or a number inside an identifier (`x`, `v2`) says nothing.
                Kind::Digit if !alone => {}
                Kind::Gap => {}
                Kind::Lower | Kind::Upper if !alone && part.chars().nth(1).is_none() => {}
                Kind::Lower | Kind::Upper | Kind::Digit => {
                    out.push(part.chars().take(WORD_CHARS).collect());
                }
            }
        }
    }
    run.clear();
}

/// The parts of a run: cut where letters and digits meet, before a capital that begins a word
/// (`listAll`, `HTTPServer`), and around unspaced script. Each is lower case and folded.
fn parts(run: &[(Kind, char)]) -> Vec<(Kind, String)> {
    let mut parts: Vec<(Kind, String)> = Vec::new();
    let mut before: Option<Kind> = None;
    for (at, &(kind, character)) in run.iter().enumerate() {
        let next = run.get(at + 1).copied();
        let joined = match (before, kind) {
            (Some(Kind::Upper), Kind::Upper) => {
                next.is_none_or(|(kind, _)| kind != Kind::Lower) || plural(run, at + 1)
            }
            (Some(Kind::Upper | Kind::Lower), Kind::Lower) => true,
            (Some(before), kind) => before == kind,
            (None, _) => false,
        };
        before = Some(kind);
        if !joined {
            parts.push((kind, String::new()));
        }
        if let Some((_, part)) = parts.last_mut() {
            part.extend(character.to_lowercase().map(fold));
        }
    }
    parts
}

/// Whether the run ends here with the `s` of a plural (`URLs`).
fn plural(run: &[(Kind, char)], at: usize) -> bool {
    at + 1 == run.len() && matches!(run.get(at), Some((Kind::Lower, 's')))
}

/// Every pair of neighbours of a text without spaces; the text itself if it is one character.
fn pairs(part: &str, out: &mut Vec<String>) {
    let mut before = None;
    let mut any = false;
    for character in part.chars() {
        if let Some(before) = before {
            out.push(String::from_iter([before, character]));
            any = true;
        }
        before = Some(character);
    }
    if !any {
        out.push(part.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(text: &str) -> Vec<String> {
        words(text, 64)
    }

    #[test]
    fn identifiers_are_opened_at_their_joints() {
        assert_eq!(split("invoice.find_by-number"), ["invoice", "find", "by", "number"]);
        assert_eq!(split("listInvoicesForCustomer"), ["list", "invoices", "for", "customer"]);
        assert_eq!(split("parseHTTPResponse"), ["parse", "http", "response"]);
        assert_eq!(split("URLs of APIs"), ["urls", "of", "apis"]);
        assert_eq!(split("~ace/shop"), ["ace", "shop"]);
    }

    #[test]
    fn short_identifiers_of_two_parts_are_words_as_a_whole_too() {
        assert_eq!(split("GitHub"), ["github", "git", "hub"]);
        assert_eq!(split("oauth2"), ["oauth2", "oauth"]);
        assert_eq!(split("s3 v2 k8s"), ["s3", "v2", "k8s"]);
        assert_eq!(split("top 10"), ["top", "10"]);
    }

    #[test]
    fn accents_marks_and_endings_are_folded() {
        assert_eq!(split("Zürich ZÜRICH zu\u{308}rich"), ["zurich", "zurich", "zurich"]);
        assert_eq!(split("relatório São"), ["relatorio", "sao"]);
        assert_eq!(
            split("Maria's customers’ we're O'Brien"),
            ["maria", "customers", "we", "o", "brien"]
        );
    }

    #[test]
    fn unspaced_script_is_indexed_by_pairs() {
        assert_eq!(split("請求書 を"), ["請求", "求書", "を"]);
        assert_eq!(split("API請求"), ["api", "請求"]);
    }

    #[test]
    fn limits_hold() {
        assert_eq!(words("a b c d", 3), ["a", "b", "c"]);
        assert_eq!(split(&"x".repeat(500))[0].len(), WORD_CHARS);
        assert!(words("a b c d", 0).is_empty());
    }

    proptest! {
        #[test]
        fn any_text_gives_bounded_clean_words(text in "\\PC{0,200}", limit in 0usize..20) {
            let found = words(&text, limit);
            prop_assert!(found.len() <= limit);
            for word in found {
                prop_assert!(!word.is_empty() && !word.contains(|c: char| c.is_whitespace()));
                prop_assert!(word.chars().count() <= 3 * WORD_CHARS);
            }
        }

        #[test]
        fn what_is_written_can_be_asked_for(text in "[a-zA-Z0-9_. ]{0,60}") {
            let lower = split(&text).join(" ");
            let again = split(&lower);
            for word in split(&text) {
                prop_assert!(again.contains(&word), "{word}");
            }
        }
    }
}
