//! What a word that no tool has may have been meant to be: one slip of the fingers, a short form,
//! a longer form, two words written as one.
//!
//! Used only for words the index does not know. Invariant: the number of look-ups depends on the
//! word and never on the size of the index.

use super::index::Index;
use std::cmp::Reverse;

/// Shortest word in which a slip is looked for, in letters: below it everything is near everything.
const SLIP_FROM: usize = 5;
/// Longest word in which a slip is looked for.
const SLIP_TO: usize = 24;
/// Shortest beginning that stands for a longer word (`auth`, `repo`).
const PREFIX_FROM: usize = 3;
/// Shortest half of two words written as one.
const HALF_FROM: usize = 3;
/// Most words that are looked at behind one beginning.
const PREFIX_LOOK: usize = 64;
/// Most terms that one word may stand for.
const NEAR_LIMIT: usize = 8;

const SLIP_WEIGHT: f32 = 0.8;
const HALF_WEIGHT: f32 = 0.8;
const LONGER_WEIGHT: f32 = 0.6;
const SHORTER_WEIGHT: f32 = 0.6;

/// The terms near a word, with their weights, the surest first.
pub(super) fn terms(index: &Index, word: &str) -> Vec<(u32, f32)> {
    let mut found = Vec::new();
    let mut take = |term: u32, weight: f32| {
        let taken = found.iter().any(|&(other, _)| other == term);
        if !taken && found.len() < NEAR_LIMIT {
            found.push((term, weight));
        }
    };
    if word.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        for slip in slips(word) {
            if let Some(term) = index.term_of(&slip) {
                take(term, SLIP_WEIGHT);
            }
        }
        for (first, second) in halves(word) {
            if let (Some(first), Some(second)) = (index.term_of(first), index.term_of(second)) {
                take(first, HALF_WEIGHT);
                take(second, HALF_WEIGHT);
            }
        }
    }
    if word.chars().count() >= PREFIX_FROM {
        let mut longer = index.terms_beginning(word, PREFIX_LOOK);
        longer.sort_by_key(|&term| (Reverse(index.all.list(term).postings.len()), term));
        for term in longer {
            take(term, LONGER_WEIGHT);
        }
        for shorter in beginnings(word) {
            if let Some(term) = index.term_of(shorter) {
                take(term, SHORTER_WEIGHT);
            }
        }
    }
    found
}

/// Every text that one slip turns into the word: a letter too many, two swapped, one wrong, one
/// missing. Empty for words that are short, long or not plain.
fn slips(word: &str) -> Vec<String> {
    if !(SLIP_FROM..=SLIP_TO).contains(&word.len()) {
        return Vec::new();
    }
    let mut out = Vec::new();
    for (at, _) in word.char_indices() {
        let (before, after) = word.split_at(at);
        let mut rest = after.chars();
        let first = rest.next();
        out.push(format!("{before}{}", rest.as_str()));
        let mut beyond = rest.clone();
        if let (Some(first), Some(second)) = (first, beyond.next()) {
            out.push(format!("{before}{second}{first}{}", beyond.as_str()));
        }
        for letter in 'a'..='z' {
            out.push(format!("{before}{letter}{}", rest.as_str()));
            out.push(format!("{before}{letter}{after}"));
        }
    }
    out.extend(('a'..='z').map(|letter| format!("{word}{letter}")));
    out
}

/// Every cut of a word in two halves that are long enough.
fn halves(word: &str) -> impl Iterator<Item = (&str, &str)> {
    word.char_indices()
        .map(|(at, _)| word.split_at(at))
        .filter(|(first, second)| first.len() >= HALF_FROM && second.len() >= HALF_FROM)
}

/// The beginnings of a word that are long enough to be words, the longest first.
fn beginnings(word: &str) -> impl Iterator<Item = &str> {
    word.char_indices()
        .rev()
        .map(|(at, _)| word.split_at(at).0)
        .filter(|beginning| beginning.len() > PREFIX_FROM)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::words::{Doc, index};

    fn near(word: &str) -> Vec<String> {
        let names = ["customer.get", "repository.list", "webhook.add", "data.notify", "source.bin"];
        let index = index::build(names.iter().map(|name| Doc { name, ..Doc::default() }));
        terms(&index, word).into_iter().map(|(term, _)| index.stem_of(term)).collect()
    }

    #[test]
    fn one_slip_is_forgiven_in_long_words() {
        for typed in ["custmer", "cusotmer", "cuwtomer", "custoomer", "ustomer", "customerr"] {
            assert_eq!(near(typed), ["customer"], "{typed}");
        }
        assert!(near("cusmer").is_empty(), "two slips");
        assert!(near("gett").is_empty(), "too short");
    }

    #[test]
    fn short_long_and_joined_forms_are_found() {
        assert_eq!(near("repo"), ["repositori"]);
        assert_eq!(near("datasource"), ["data", "sourc"]);
        assert_eq!(near("customership"), ["customer"]);
        assert!(near("x").is_empty());
    }

    #[test]
    fn the_number_of_look_ups_depends_on_the_word_alone() {
        assert_eq!(slips("abcdefgh").len(), 8 * 53 + 7 + 26);
        assert!(slips(&"a".repeat(SLIP_TO + 1)).is_empty());
        assert!(slips("abcd").is_empty());
        assert!(near(&"q".repeat(400)).is_empty());
    }
}
