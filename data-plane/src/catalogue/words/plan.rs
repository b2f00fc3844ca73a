//! Which lists a query reads.
//!
//! Invariant: at most [`READ_LIMIT`] postings for each ranking, or one list. What does not fit is
//! left out, kin words before the words themselves and common words before rare ones; a tool that
//! only has what was left out is not found.

use super::index::{Index, Table};
use super::query::Word;
use super::{field, kin, near};

/// Most postings that one ranking reads. Above what 16 words can reach in a catalogue of 10,000
/// tools without kin words, so that there only kin words are ever left out.
pub(super) const READ_LIMIT: usize = 250_000;
/// Most words of one query that are looked for by what is near them.
const NEAR_WORDS: usize = 6;
/// Most kin terms of one word.
const KIN_LIMIT: usize = 24;
/// What a match of a kin word counts against that of the word itself. Above 1 because kin words
/// are what tools are called, and the words of a task often stand in a description by chance.
const KIN_WEIGHT: f32 = 1.2;
/// The same of a word for a thing: things are called by the same word more often than acts.
const THING_WEIGHT: f32 = 0.9;
/// What a word behind a preposition counts.
const ASIDE: f32 = 0.7;
/// How much of the rarity of a word is its own; the rest is that of the word and its kin
/// together. A rare word that has common kin is rare by accident.
const OWN_RARITY: f32 = 0.6;

/// One term to be read and the factor of its matches, its rarity included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Read {
    pub(super) term: u32,
    pub(super) factor: f32,
    /// The same for the index of names.
    pub(super) name_factor: f32,
    /// And for the index of names and leads.
    pub(super) lead_factor: f32,
}

/// What one word of the query reads; a tool counts the best of its matches.
#[derive(Debug, Default)]
pub(super) struct Sought {
    pub(super) own: Option<Read>,
    pub(super) kin: Vec<Read>,
    /// Only for words that have neither of the two.
    pub(super) near: Vec<Read>,
}

/// Which lists are read for the words of a query.
pub(super) fn plan(index: &Index, words: &[Word]) -> Vec<Sought> {
    let mut plan: Vec<Sought> = words.iter().map(|word| sought(index, words, word)).collect();
    let unknown = |sought: &Sought| sought.own.is_none() && sought.kin.is_empty();
    let pairs = plan.iter_mut().zip(words);
    let unknown = pairs.filter(|(sought, _)| unknown(sought));
    for (sought, word) in unknown.take(NEAR_WORDS) {
        let near = near::terms(index, &word.surface).into_iter();
        sought.near =
            near.map(|(term, weight)| Concept::NONE.read(index, term, weight, 1.0)).collect();
    }
    fit(index, &mut plan, READ_LIMIT);
    plan
}

fn sought(index: &Index, words: &[Word], word: &Word) -> Sought {
    let own = index.term(&word.stem);
    let mut kin: Vec<(u32, f32)> = Vec::new();
    for &number in kin::groups_of(&word.stem) {
        let is_thing =
            kin::groups().get(number).is_some_and(|group| group.sense == kin::Sense::Thing);
        let weight = if is_thing { THING_WEIGHT } else { KIN_WEIGHT };
        for &term in index.kin.get(number).map_or(&[][..], Vec::as_slice) {
            let asked = words.iter().any(|word| index.term(&word.stem) == Some(term));
            let known = kin.iter().any(|(known, _)| *known == term);
            if !asked && !known && kin.len() < KIN_LIMIT {
                kin.push((term, weight));
            }
        }
    }
    let terms: Vec<u32> = kin.iter().map(|(term, _)| *term).collect();
    let concept = Concept::of(index, own, &terms);
    let weight = if word.aside { ASIDE } else { 1.0 };
    Sought {
        own: own.map(|term| concept.read(index, term, weight, OWN_RARITY)),
        kin: kin
            .into_iter()
            .map(|(term, kin)| concept.read(index, term, weight * kin, 0.0))
            .collect(),
        near: Vec::new(),
    }
}

/// How rare a word and its kin are together.
struct Concept {
    idf: f32,
    name_idf: f32,
    lead_idf: f32,
}

impl Concept {
    /// Of a term that is rare by itself alone.
    const NONE: Self = Self { idf: 0.0, name_idf: 0.0, lead_idf: 0.0 };

    fn of(index: &Index, own: Option<u32>, kin: &[u32]) -> Self {
        let idf = |table: &Table| {
            let terms = kin.iter().copied().chain(own);
            let docs_with = terms.map(|term| table.list(term).postings.len()).sum();
            field::idf(docs_with, index.docs)
        };
        Self { idf: idf(&index.all), name_idf: idf(&index.names), lead_idf: idf(&index.leads) }
    }

    /// A term, as rare as it is itself in part (`own`, 0 to 1) and else as the whole concept is.
    fn read(&self, index: &Index, term: u32, weight: f32, own: f32) -> Read {
        let mixed = |itself: f32, concept: f32| weight * (own * itself + (1.0 - own) * concept);
        Read {
            term,
            factor: mixed(index.all.list(term).idf, self.idf),
            name_factor: mixed(index.names.list(term).idf, self.name_idf),
            lead_factor: mixed(index.leads.list(term).idf, self.lead_idf),
        }
    }
}

/// Leaves out what is above the limit.
fn fit(index: &Index, plan: &mut [Sought], limit: usize) {
    let length = |read: &Read| index.all.list(read.term).postings.len();
    let mut wanted: Vec<(bool, usize, u32)> = Vec::new();
    for sought in plan.iter() {
        wanted.extend(sought.own.iter().map(|read| (false, length(read), read.term)));
        let others = sought.kin.iter().chain(&sought.near);
        wanted.extend(others.map(|read| (true, length(read), read.term)));
    }
    wanted.sort_unstable();
    let mut sum = 0;
    let fits = wanted.iter().take_while(|(_, length, _)| {
        let first = sum == 0;
        sum += length;
        first || sum <= limit
    });
    let kept = fits.count();
    if kept == wanted.len() {
        return;
    }
    let dropped = wanted.split_off(kept);
    let keep = |other: bool, read: &Read| !dropped.contains(&(other, length(read), read.term));
    for sought in plan {
        sought.own = sought.own.filter(|read| keep(false, read));
        sought.kin.retain(|read| keep(true, read));
        sought.near.retain(|read| keep(true, read));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::words::{Doc, index, query};

    fn planned(index: &Index, text: &str) -> Vec<Sought> {
        plan(index, &query::read(text, |stem| index.term(stem).is_some()).words)
    }

    fn stems(index: &Index, reads: &[Read]) -> Vec<String> {
        reads.iter().map(|read| index.stem_of(read.term)).collect()
    }

    fn small() -> Index {
        let names = ["invoice.get", "invoice.list", "customer.delete", "invoice.fetch"];
        index::build(names.iter().map(|name| Doc { name, ..Doc::default() }))
    }

    #[test]
    fn kin_words_are_read_at_less_weight_and_never_as_rarer() {
        let index = small();
        let plan = planned(&index, "bills read");
        assert_eq!(stems(&index, &plan[0].kin), ["invoic"]);
        assert_eq!(stems(&index, &plan[1].kin), ["get", "fetch"]);
        let plan = planned(&index, "invoice");
        assert!(plan[0].own.is_some() && plan[0].kin.is_empty());
        let plan = planned(&index, "get");
        let own = plan[0].own.unwrap();
        assert!(plan[0].kin.iter().all(|read| read.factor < own.factor));
    }

    #[test]
    fn a_word_that_is_asked_for_is_not_read_as_kin_too() {
        let index = small();
        let plan = planned(&index, "get or fetch");
        assert_eq!(plan.len(), 2);
        for sought in plan {
            assert!(sought.own.is_some());
            let kin = stems(&index, &sought.kin);
            assert!(!kin.contains(&"get".to_owned()) && !kin.contains(&"fetch".to_owned()));
        }
    }

    #[test]
    fn near_words_are_read_only_for_unknown_words() {
        let index = small();
        let plan = planned(&index, "custmer invoice");
        assert_eq!(stems(&index, &plan[0].near), ["customer"]);
        assert!(plan[1].near.is_empty());
    }

    #[test]
    fn only_so_many_unknown_words_are_stretched() {
        let index = small();
        let plan = planned(&index, "custmer customr cstomer cusomer cutomer custoer customet");
        let stretched = plan.iter().filter(|sought| !sought.near.is_empty());
        assert_eq!((plan.len(), stretched.count()), (7, NEAR_WORDS));
    }

    #[test]
    fn what_is_above_the_limit_is_left_out_kin_and_common_words_first() {
        let index = small();
        let fitted = |limit| {
            let mut plan = planned(&index, "delete bills get");
            fit(&index, &mut plan, limit);
            let own = plan.iter().filter(|sought| sought.own.is_some()).count();
            let kin: usize = plan.iter().map(|sought| sought.kin.len()).sum();
            (own, kin)
        };
        assert_eq!(fitted(9), (2, 3), "for bills invoice, for get fetch and list");
        assert_eq!(fitted(4), (2, 2), "invoice is the most common");
        assert_eq!(fitted(3), (2, 1));
        assert_eq!(fitted(2), (2, 0));
        assert_eq!(fitted(1), (1, 0));
        assert_eq!(fitted(0), (1, 0), "one is always read");
    }
}
