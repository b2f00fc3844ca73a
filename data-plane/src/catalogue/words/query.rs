//! From what a caller typed to the words that are looked for.
//!
//! Invariant: at most [`WORD_LIMIT`] words of the first [`QUERY_CHARS`] characters, each once;
//! empty only if the query has no letter and no digit.

use super::kin::{self, Sense};
use super::{split, stem, stop};

/// How much of a query is read, in characters.
pub(super) const QUERY_CHARS: usize = 400;
/// Most words that are looked for.
pub(super) const WORD_LIMIT: usize = 16;
/// Most words that are read before the empty ones go.
const READ_LIMIT: usize = 80;
/// Longest phrase, in words.
const PHRASE_WORDS: usize = 3;

/// What stands before the circumstances of what is to be done.
const PREPOSITIONS: [&str; 15] = [
    "about", "after", "at", "before", "between", "by", "during", "for", "from", "in", "inside",
    "into", "on", "to", "with",
];

/// What belongs to the verb before it, however far away.
const PARTICLES: [&str; 12] =
    ["at", "away", "back", "down", "in", "off", "on", "out", "over", "through", "to", "up"];
/// How far away, in words.
const PARTED_WORDS: usize = 4;

/// One word, or phrase, that is looked for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// As typed, folded; empty for a phrase.
    pub(super) surface: String,
    /// Its stem, or the stems of the phrase with spaces between.
    pub(super) stem: String,
    /// Whether it stands behind a preposition: what is done says more than where.
    pub(super) aside: bool,
}

/// What was asked.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) words: Vec<Word>,
    /// The effect that the first telling word wants; `Thing` if none tells.
    pub(super) sense: Sense,
    /// Whether a preposition was read behind the first word.
    behind: bool,
}

/// Reads a query. `known` says whether a stem is in the index: two neighbours that are one word
/// there (`web hook`, `e-mail`) are looked for as that word too.
pub(super) fn read(query: &str, known: impl Fn(&str) -> bool) -> Asked {
    let query: String = query.chars().take(QUERY_CHARS).collect();
    let surfaces = split::words(&query, READ_LIMIT);
    let stems: Vec<String> = surfaces.iter().map(|word| stem::stem(word)).collect();
    let mut asked = Asked { words: Vec::new(), sense: Sense::Thing, behind: false };
    let mut stops = Vec::new();
    let mut particles = Vec::new();
    let mut at = 0;
    while let (Some(surface), Some(stem)) = (surfaces.get(at), stems.get(at)) {
        asked.behind |= !asked.words.is_empty() && PREPOSITIONS.contains(&surface.as_str());
        if let Some((gap, phrase)) = parted(&stems, at) {
            asked.take(String::new(), phrase);
            particles.push(at + gap);
            at += 1;
            continue;
        }
        if particles.contains(&at) {
            at += 1;
            continue;
        }
        if let Some((length, phrase)) = phrase(&stems, at) {
            asked.take(String::new(), phrase);
            at += length;
            continue;
        }
        if let Some(next) = surfaces.get(at + 1) {
            let joined = format!("{surface}{next}");
            let joined_stem = stem::stem(&joined);
            if known(&joined_stem) || !kin::groups_of(&joined_stem).is_empty() {
                asked.take(joined, joined_stem);
            }
        }
        if stop::is_stop(surface) && kin::groups_of(surface).is_empty() {
            stops.push((surface, stem));
        } else {
            asked.take(surface.clone(), stem.clone());
        }
        at += 1;
    }
    if asked.words.is_empty() {
        for (surface, stem) in stops {
            asked.take(surface.clone(), stem.clone());
        }
    }
    asked
}

/// The longest phrase of the table that begins here: its length in words and its key.
fn phrase(stems: &[String], at: usize) -> Option<(usize, String)> {
    (2..=PHRASE_WORDS).rev().find_map(|length| {
        let key = stems.get(at..at + length)?.join(" ");
        (!kin::groups_of(&key).is_empty()).then_some((length, key))
    })
}

/// A verb that is parted from its particle by what it is done to, `turn the lights off`: how far
/// away the particle is, and the key of both.
fn parted(stems: &[String], at: usize) -> Option<(usize, String)> {
    let verb = stems.get(at)?;
    (2..=PARTED_WORDS).find_map(|gap| {
        let particle = stems.get(at + gap).filter(|stem| PARTICLES.contains(&stem.as_str()))?;
        let key = format!("{verb} {particle}");
        (!kin::groups_of(&key).is_empty()).then_some((gap, key))
    })
}

impl Asked {
    fn take(&mut self, surface: String, stem: String) {
        self.hint(&stem);
        let taken = self.words.iter().any(|word| word.stem == stem);
        if !taken && self.words.len() < WORD_LIMIT {
            self.words.push(Word { surface, stem, aside: self.behind });
        }
    }

    /// Takes the effect from the first word whose groups agree on one.
    fn hint(&mut self, stem: &str) {
        if self.sense != Sense::Thing {
            return;
        }
        let mut senses = kin::groups_of(stem)
            .iter()
            .filter_map(|&number| kin::groups().get(number))
            .map(|group| group.sense);
        self.sense = senses
            .next()
            .filter(|first| senses.all(|other| other == *first))
            .unwrap_or(Sense::Thing);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn stems(query: &str) -> Vec<String> {
        let asked = read(query, |stem| stem == "webhook");
        asked.words.into_iter().map(|word| word.stem).collect()
    }

    fn sense(query: &str) -> Sense {
        read(query, |_| false).sense
    }

    #[test]
    fn stop_words_go_unless_nothing_else_was_asked() {
        assert_eq!(stems("Please send the invoice to my customer"), ["send", "invoic", "customer"]);
        assert_eq!(stems("to be or not to be"), ["to", "be", "or", "not"]);
        assert!(stems(" ?! … ").is_empty());
    }

    #[test]
    fn phrases_and_joined_words_are_seen() {
        assert_eq!(stems("get rid of the invoice"), ["get rid of", "invoic"]);
        assert_eq!(stems("register a web hook"), ["register", "webhook", "web", "hook"]);
    }

    #[test]
    fn a_verb_is_one_with_its_particle_however_far_away() {
        assert_eq!(stems("Turn the lights off"), ["turn off", "light"]);
        assert_eq!(
            stems("Turn the lights of the house off at night"),
            ["turn", "light", "hous", "night"]
        );
        assert_eq!(sense("Turn the lights off"), Sense::Write);
    }

    #[test]
    fn what_stands_behind_a_preposition_is_aside() {
        let aside = |query: &str| -> Vec<String> {
            let words = read(query, |_| false).words.into_iter();
            words.filter(|word| word.aside).map(|word| word.stem).collect()
        };
        assert_eq!(aside("Delete a message from the channel"), ["channel"]);
        assert!(aside("In the channel").is_empty(), "it is all there is");
    }

    #[test]
    fn the_first_telling_word_says_which_effect_is_wanted() {
        assert_eq!(sense("How many orders were cancelled?"), Sense::Read);
        assert_eq!(sense("Which bills are paid"), Sense::Read);
        assert_eq!(sense("delete the list of orders"), Sense::Write);
        assert_eq!(sense("Turn off the lights"), Sense::Write);
        assert_eq!(sense("orders of customers"), Sense::Thing);
    }

    #[test]
    fn the_number_of_words_is_bounded() {
        let long: Vec<String> = (0..200).map(|n| format!("word{n}")).collect();
        assert_eq!(stems(&long.join(" ")).len(), WORD_LIMIT);
        assert_eq!(stems(&format!("{}invoice", " ".repeat(QUERY_CHARS))), [""; 0]);
    }

    proptest! {
        #[test]
        fn any_query_is_read(query in "\\PC{0,600}") {
            let asked = read(&query, |stem| stem.len() > 3);
            prop_assert!(asked.words.len() <= WORD_LIMIT);
            for word in asked.words {
                prop_assert!(!word.stem.is_empty());
            }
        }
    }
}
