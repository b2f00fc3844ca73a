//! Words near a number that say what it is.
//!
//! Plain digits are ids and counts far more often than telephone numbers, so forms without a
//! telling shape count only where a key, a column name or the words before say so. Invariant: a
//! hint is looked for on the same line and never across another number.

use super::scan::Scan;

/// Splits a key or a phrase into lower-case words: at anything but letters and digits, and where
/// `camelCase` turns.
pub(super) fn words(phrase: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut lower_before = false;
    for character in phrase.chars() {
        let turns = lower_before && character.is_uppercase();
        if (turns || !character.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if character.is_alphanumeric() {
            word.extend(character.to_lowercase());
        }
        lower_before = character.is_lowercase();
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

pub(super) const PHONE: &[&str] = &[
    "cel",
    "cell",
    "cellphone",
    "celular",
    "fax",
    "fone",
    "handy",
    "handynummer",
    "mobil",
    "mobile",
    "mobiltelefon",
    "movil",
    "móvil",
    "msisdn",
    "phone",
    "phones",
    "phonenumber",
    "rufnummer",
    "sms",
    "tel",
    "telefon",
    "telefone",
    "telefono",
    "teléfono",
    "telefonnummer",
    "telephone",
    "téléphone",
    "tlf",
    "tél",
    "whatsapp",
];

pub(super) const CARD: &[&str] = &[
    "card",
    "cardnumber",
    "carte",
    "cartao",
    "cartão",
    "ccnumber",
    "creditcard",
    "kreditkarte",
    "pan",
    "tarjeta",
    "visa",
];

/// Words that make a key speak *about* the thing instead of holding it.
const ABOUT: &[&str] = &[
    "at", "code", "count", "created", "date", "expires", "id", "ids", "length", "limit", "size",
    "time", "total", "type", "updated", "verified", "version",
];

fn tells(words: &[String], hints: &[&str]) -> bool {
    words.iter().any(|word| hints.contains(&word.as_str()))
}

/// Whether the key, or the words right before `at`, name one of `hints`.
pub(super) fn names(scan: &Scan<'_>, at: usize, hints: &[&str]) -> bool {
    if tells(scan.key(), hints) {
        return true;
    }
    let window = scan.window_before(at);
    let cut = |character: char| character.is_numeric() || "\n\r;,{}[]|<>".contains(character);
    let near = window.rfind(cut).and_then(|last| window.get(last..)).unwrap_or(window);
    // A word that the window cuts in two is no word.
    let near = if near.len() == window.len() && at > window.len() {
        near.split_once(|character: char| !character.is_alphanumeric()).map_or("", |(_, rest)| rest)
    } else {
        near
    };
    tells(&words(near), hints)
}

/// As [`names`], unless the key or the last word before speaks about the thing (`phone_id`).
pub(super) fn names_value(scan: &Scan<'_>, at: usize, hints: &[&str]) -> bool {
    if tells(scan.key(), ABOUT) {
        return false;
    }
    let about = |word: String| ABOUT.contains(&word.as_str());
    names(scan, at, hints) && !words(scan.window_before(at)).pop().is_some_and(about)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::detect::key::Key;

    #[test]
    fn keys_split_into_words() {
        assert_eq!(words("customerPhone_number"), ["customer", "phone", "number"]);
        assert_eq!(words("Tél.:"), ["tél"]);
    }

    #[test]
    fn a_hint_does_not_reach_past_another_number_or_line() {
        let at = |text: &str| names_value(&Scan::new(text, &Key::default()), text.len(), PHONE);
        assert!(at("phone: "));
        assert!(at("{\"phone\":\""));
        assert!(!at("phone 5551234 ref "));
        assert!(at("phone ref "));
        assert!(!at("phone\n"));
        assert!(!at("phone_id="));
        assert!(!at("hotel "));
        assert!(!at(&format!("phone{}", " x".repeat(30))));
    }
}
