//! From what a caller typed to a full-text query.
//!
//! Raw text is FTS5 syntax, so every term is quoted and quotes inside are doubled: no input can be
//! a syntax error or an operator. Invariant: at most [`TERM_LIMIT`] terms, because a query of many
//! common words is what costs.

/// Most terms of a query.
pub(crate) const TERM_LIMIT: usize = 8;
/// Longest term, in bytes; longer ones are cut.
const TERM_BYTES: usize = 64;
/// How much of a query is read, in bytes.
const QUERY_BYTES: usize = 4096;

/// Words that say nothing about a text, left out of queries (never of the index): English,
/// Portuguese, Spanish, German, French.
const STOP_WORDS: &[&str] = &[
    "a", "about", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "could",
    "did", "do", "does", "for", "from", "had", "has", "have", "how", "i", "if", "in", "into", "is",
    "it", "its", "me", "my", "no", "not", "of", "on", "or", "our", "please", "should", "so",
    "that", "the", "their", "them", "then", "there", "these", "they", "this", "to", "us", "was",
    "we", "were", "what", "when", "where", "which", "who", "why", "will", "with", "would", "you",
    "your", "ao", "aos", "as", "com", "como", "da", "das", "de", "do", "dos", "e", "em", "entre",
    "essa", "esse", "esta", "este", "eu", "foi", "mais", "mas", "na", "nas", "nos", "não", "o",
    "os", "ou", "para", "pela", "pelo", "por", "que", "quem", "se", "sem", "seu", "sua", "são",
    "um", "uma", "é", "al", "con", "cual", "cuando", "del", "donde", "el", "en", "es", "fue", "la",
    "las", "lo", "los", "más", "nos", "pero", "su", "sus", "un", "una", "unos", "y", "ya", "aber",
    "als", "am", "auch", "auf", "aus", "bei", "das", "dass", "dem", "den", "der", "des", "die",
    "ein", "eine", "einem", "einen", "einer", "er", "für", "hat", "ich", "im", "ist", "mit",
    "nach", "nicht", "oder", "sie", "sind", "und", "von", "war", "was", "wer", "wie", "wir",
    "wird", "wo", "zu", "zum", "zur", "au", "aux", "avec", "ce", "ces", "cette", "dans", "des",
    "du", "est", "et", "il", "je", "le", "les", "leur", "ne", "nous", "ou", "où", "par", "pas",
    "pour", "qui", "sa", "ses", "son", "sont", "sur", "vous", "à",
];

/// The words of a query that carry meaning: lower case, each once, in the order typed. What holds
/// inner signs (`INV-2024/7`) stays one term and is met as a phrase. If nothing but stop words was
/// typed, those are the terms.
pub(crate) fn query_terms(query: &str) -> Vec<String> {
    let query = query.get(..query.floor_char_boundary(QUERY_BYTES)).unwrap_or(query);
    let mut terms = Vec::new();
    let mut stops = Vec::new();
    for word in query.split(|character: char| character.is_whitespace() || character.is_control()) {
        let word = word.trim_matches(|character: char| !character.is_alphanumeric());
        let word = word.get(..word.floor_char_boundary(TERM_BYTES)).unwrap_or(word).to_lowercase();
        if word.is_empty() {
            continue;
        }
        let list = if STOP_WORDS.contains(&word.as_str()) { &mut stops } else { &mut terms };
        if list.len() < TERM_LIMIT && !list.contains(&word) {
            list.push(word);
        }
    }
    if terms.is_empty() { stops } else { terms }
}

/// A term as an FTS5 string.
fn quote(term: &str) -> String {
    format!("\"{}\"", term.replace('"', "\"\""))
}

fn joined(query: &str, operator: &str) -> Option<String> {
    let terms: Vec<String> = query_terms(query).iter().map(|term| quote(term)).collect();
    (!terms.is_empty()).then(|| terms.join(operator))
}

/// The FTS5 query that any of the terms answers; none if nothing was asked.
pub(crate) fn fts5_query(query: &str) -> Option<String> {
    joined(query, " OR ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fts5_query_all(query: &str) -> Option<String> {
        joined(query, " AND ")
    }
    use proptest::prelude::*;

    #[test]
    fn stop_words_are_left_out_unless_nothing_else_was_asked() {
        assert_eq!(
            query_terms("What is the invoice of ACME, and the invoice date?"),
            ["invoice", "acme", "date"]
        );
        assert_eq!(
            query_terms("onde está a fatura do cliente"),
            ["onde", "está", "fatura", "cliente"]
        );
        assert_eq!(query_terms("The Who"), ["the", "who"]);
        assert_eq!(query_terms("INV-2024/7"), ["inv-2024/7"]);
        assert_eq!(query_terms("  ?! \u{0} — "), Vec::<String>::new());
        assert_eq!(query_terms(&"x1 x2 x3 x4 x5 x6 x7 x8 x9 x10".repeat(3)).len(), TERM_LIMIT);
    }

    #[test]
    fn terms_are_quoted_and_operators_are_words() {
        assert_eq!(
            fts5_query("NEAR(a OR b*) say\"hi"),
            Some(r#""near(a" OR "b" OR "say""hi""#.to_owned())
        );
        assert_eq!(fts5_query_all("paid late"), Some("\"paid\" AND \"late\"".to_owned()));
        assert_eq!(fts5_query("\"\"\""), None);
    }

    /// The grammar of what we write: strings with doubled quotes, joined by one operator.
    fn is_query(text: &str, operator: &str) -> bool {
        let (mut rest, mut more) = (text, true);
        while more {
            let Some(inner) = rest.strip_prefix('"') else {
                return false;
            };
            let Some(end) = inner.replace("\"\"", "\u{1}\u{1}").find('"') else {
                return false;
            };
            let (string, after) = inner.split_at(end);
            if !string.contains(char::is_alphanumeric) || string.contains('\0') {
                return false;
            }
            rest = after.strip_prefix('"').unwrap();
            more = rest.starts_with(operator);
            rest = rest.strip_prefix(operator).unwrap_or(rest);
        }
        rest.is_empty()
    }

    proptest! {
        #[test]
        fn no_input_is_a_syntax_error(query in "(\\PC|[\"'()*:^+ \\-\u{0}a]){0,80}") {
            for (written, operator) in [(fts5_query(&query), " OR "), (fts5_query_all(&query), " AND ")] {
                if let Some(text) = written {
                    prop_assert!(is_query(&text, operator), "{}", text);
                    prop_assert!(text.matches(operator).count() < TERM_LIMIT);
                }
            }
        }

        #[test]
        fn a_word_without_signs_is_always_asked_for(word in "[a-z]{4,12}[0-9]") {
            let asked = format!("the {word} of");
            prop_assert_eq!(query_terms(&asked), vec![word]);
        }
    }
}
