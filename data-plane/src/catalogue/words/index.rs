//! The index: for every stem, the tools that have it and how much it says about each.
//!
//! Everything that does not depend on the query is worked out here, once: the part of a score
//! that a stem gives a tool (the saturated term frequency of BM25F) stands in the list ready to be
//! added. Invariants: a list is in the order of doc numbers; term numbers depend only on the docs
//! and their order.

mod builder;

use super::field;
use super::kin::Sense;
use std::collections::HashMap;

pub(super) use builder::build;

/// That a tool has a stem.
#[derive(Clone, Copy, Debug)]
pub(super) struct Posting {
    pub(super) doc: u32,
    /// Saturated, weighted frequency, above 0 and below 1.
    pub(super) impact: f32,
}

/// The tools that have one stem.
#[derive(Clone, Copy, Debug)]
pub(super) struct List<'a> {
    pub(super) postings: &'a [Posting],
    /// How rare the stem is.
    pub(super) idf: f32,
}

/// Lists of postings by term, in one piece.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// Where the list of each term ends.
    ends: Vec<usize>,
    postings: Vec<Posting>,
    docs: usize,
}

#[derive(Debug, Default)]
pub(super) struct Index {
    /// Number of docs.
    pub(super) docs: usize,
    /// By all fields.
    pub(super) all: Table,
    /// By the names alone.
    pub(super) names: Table,
    /// By the names and how what is said of a tool begins.
    pub(super) leads: Table,
    /// By kin group, the terms of its members that some tool has.
    pub(super) kin: Vec<Vec<u32>>,
    /// By doc, what its effect answers to; `Thing` if it is not known.
    pub(super) senses: Vec<Sense>,
    stems: HashMap<Box<str>, u32>,
    /// Words as written, sorted, with their terms.
    surfaces: Vec<(Box<str>, u32)>,
}

impl Table {
    /// Adds to the list of a term; terms come in ascending order.
    fn push(&mut self, term: u32, doc: u32, impact: f32) {
        self.ends.resize(term as usize, self.postings.len());
        if impact > 0.0 {
            self.postings.push(Posting { doc, impact });
        }
    }

    pub(super) fn list(&self, term: u32) -> List<'_> {
        let term = term as usize;
        let end = self.ends.get(term).copied().unwrap_or(0);
        let start = match term.checked_sub(1) {
            Some(before) => self.ends.get(before).copied().unwrap_or(end),
            None => 0,
        };
        let postings = self.postings.get(start..end).unwrap_or_default();
        List { postings, idf: field::idf(postings.len(), self.docs) }
    }
}

impl Index {
    /// The term of a stem.
    pub(super) fn term(&self, stem: &str) -> Option<u32> {
        self.stems.get(stem).copied()
    }

    /// The term of a word as it is written somewhere.
    pub(super) fn term_of(&self, surface: &str) -> Option<u32> {
        let found = self.surfaces.binary_search_by(|(word, _)| word.as_ref().cmp(surface));
        let (_, term) = self.surfaces.get(found.ok()?)?;
        Some(*term)
    }

    /// Terms of the first `limit` words that begin so, each once.
    pub(super) fn terms_beginning(&self, prefix: &str, limit: usize) -> Vec<u32> {
        let from = self.surfaces.partition_point(|(word, _)| word.as_ref() < prefix);
        let mut terms: Vec<u32> = self
            .surfaces
            .iter()
            .skip(from)
            .take(limit)
            .take_while(|(word, _)| word.starts_with(prefix))
            .map(|&(_, term)| term)
            .collect();
        terms.sort_unstable();
        terms.dedup();
        terms
    }

    /// The stem of a term.
    #[cfg(test)]
    pub(super) fn stem_of(&self, term: u32) -> String {
        let found = self.stems.iter().find(|&(_, &other)| other == term);
        found.map(|(stem, _)| stem.to_string()).unwrap_or_default()
    }

    /// Bytes held, without what the allocator adds.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        let table = |table: &Table| {
            size_of_val(table.postings.as_slice()) + size_of_val(table.ends.as_slice())
        };
        let words = |length: usize| length + size_of::<(Box<str>, u32)>();
        table(&self.all)
            + table(&self.names)
            + table(&self.leads)
            + self.stems.keys().map(|stem| words(stem.len()) * 8 / 7).sum::<usize>()
            + self.surfaces.iter().map(|(word, _)| words(word.len())).sum::<usize>()
            + self.senses.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::words::Doc;

    fn index(names: &[&str]) -> Index {
        build(names.iter().map(|name| Doc {
            name,
            about: "The tool of all tools",
            ..Doc::default()
        }))
    }

    fn docs(list: List<'_>) -> Vec<u32> {
        list.postings.iter().map(|posting| posting.doc).collect()
    }

    #[test]
    fn lists_hold_each_doc_once_in_order() {
        let index = index(&["order.get", "order.list_orders", "invoice.get", "of"]);
        let list = |word: &str| docs(index.all.list(index.term(word).unwrap()));
        assert_eq!(list("order"), [0, 1]);
        assert_eq!(list("get"), [0, 2]);
        assert_eq!(list("all"), [0, 1, 2, 3]);
        assert_eq!(list("of"), [3], "stop words are kept in names, not in prose");
        assert_eq!(index.term("absent"), None);
    }

    #[test]
    fn the_names_have_lists_of_their_own() {
        let index = index(&["order.get", "all"]);
        let term = index.term("all").unwrap();
        assert_eq!(docs(index.names.list(term)), [1]);
        assert_eq!(docs(index.all.list(term)), [0, 1]);
        let impact = |at: usize| index.all.list(term).postings[at].impact;
        assert!(impact(1) > impact(0), "a name says more than prose");
    }

    #[test]
    fn how_a_description_begins_is_a_field_of_its_own() {
        let late = format!("{}zebra", "filler ".repeat(10));
        let early = format!("zebra {}", "filler ".repeat(10));
        let about = [late.as_str(), early.as_str()];
        let index = build(about.map(|about| Doc { name: "x", about, ..Doc::default() }));
        let term = index.term("zebra").unwrap();
        assert_eq!(docs(index.leads.list(term)), [1]);
        assert_eq!(docs(index.all.list(term)), [0, 1]);
        let impact = |at: usize| index.all.list(term).postings[at].impact;
        assert!(impact(1) > impact(0), "what is said first says more");
    }

    #[test]
    fn words_are_found_as_written_and_by_their_beginning() {
        let index = index(&["orders.get", "ordering.get"]);
        assert_eq!(index.term_of("orders"), index.term("order"));
        assert_eq!(index.term_of("order"), None);
        assert_eq!(index.terms_beginning("ord", 9), [index.term("order").unwrap()]);
        assert!(index.terms_beginning("zz", 9).is_empty());
        assert!(index.terms_beginning("", 0).is_empty());
    }

    #[test]
    fn a_list_of_no_term_is_empty() {
        let index = index(&[]);
        assert!(index.all.list(0).postings.is_empty());
        assert!(index.all.list(u32::MAX).postings.is_empty());
    }
}
