//! Reads the docs and makes the lists.
//!
//! Invariant: how much of a doc is read is bounded by the limits of `field`, whatever its length.

use super::{Index, Table};
use crate::catalogue::words::field::{self, FIELDS, Field};
use crate::catalogue::words::kin::{self, Sense};
use crate::catalogue::words::{Doc, split, stem, stop};
use std::collections::HashMap;

/// That a doc has a term: how often in each field.
#[derive(Clone, Copy)]
struct Entry {
    term: u32,
    doc: u32,
    counts: [u8; FIELDS],
}

#[derive(Default)]
struct Builder {
    stems: HashMap<Box<str>, u32>,
    surfaces: HashMap<String, u32>,
    entries: Vec<Entry>,
    lengths: Vec<[u16; FIELDS]>,
    senses: Vec<Sense>,
    /// Scratch: terms and fields of the doc at hand.
    terms: Vec<(u32, Field)>,
}

/// Reads all docs. The number of a doc is its position.
pub(in crate::catalogue::words) fn build<'a>(docs: impl IntoIterator<Item = Doc<'a>>) -> Index {
    let mut builder = Builder::default();
    for (number, doc) in (0..u32::MAX).zip(docs) {
        builder.read(number, &doc);
    }
    builder.finish()
}

impl Builder {
    fn read(&mut self, number: u32, doc: &Doc<'_>) {
        self.terms.clear();
        let mut lengths = [0; FIELDS];
        self.text(Field::Name, doc.name, &mut lengths);
        self.text(Field::Server, doc.server, &mut lengths);
        self.text(Field::Title, doc.title, &mut lengths);
        self.text(Field::Place, doc.place, &mut lengths);
        self.about(doc.about, &mut lengths);
        for (name, description) in doc.arguments.iter().take(field::ARGUMENT_LIMIT) {
            self.text(Field::Argument, name, &mut lengths);
            self.text(Field::Description, description, &mut lengths);
        }
        self.lengths.push(lengths);
        self.senses.push(match doc.effect {
            "read" => Sense::Read,
            "write" | "destructive" | "financial" => Sense::Write,
            _ => Sense::Thing,
        });
        self.terms.sort_unstable();
        for of_one in self.terms.chunk_by(|one, other| one.0 == other.0) {
            let mut counts = [0_u8; FIELDS];
            let mut term = 0;
            for &(number, field) in of_one {
                term = number;
                if let Some(count) = counts.get_mut(field as usize) {
                    *count = count.saturating_add(1);
                }
            }
            self.entries.push(Entry { term, doc: number, counts });
        }
    }

    fn text(&mut self, field: Field, text: &str, lengths: &mut [u16; FIELDS]) {
        let Some(length) = lengths.get_mut(field as usize) else {
            return;
        };
        let left = field.word_limit().saturating_sub(usize::from(*length));
        for word in split::words(text, left) {
            if field.is_prose() && stop::is_stop(&word) {
                continue;
            }
            *length = length.saturating_add(1);
            let term = self.term(word);
            self.terms.push((term, field));
        }
    }

    /// What is said of a tool: how it begins, and the rest.
    fn about(&mut self, text: &str, lengths: &mut [u16; FIELDS]) {
        let words = split::words(text, Field::About.word_limit());
        let mut field = Field::Lead;
        for word in words {
            if stop::is_stop(&word) {
                continue;
            }
            if let Some(length) = lengths.get_mut(field as usize) {
                *length = length.saturating_add(1);
                let full = usize::from(*length) >= field.word_limit();
                let term = self.term(word);
                self.terms.push((term, field));
                if full {
                    field = Field::About;
                }
            }
        }
    }

    fn term(&mut self, word: String) -> u32 {
        if let Some(&term) = self.surfaces.get(&word) {
            return term;
        }
        let next = u32::try_from(self.stems.len()).unwrap_or(u32::MAX);
        let stem = stem::stem(&word).into_boxed_str();
        let term = *self.stems.entry(stem).or_insert(next);
        self.surfaces.insert(word, term);
        term
    }

    fn finish(mut self) -> Index {
        self.entries.sort_unstable_by_key(|entry| (entry.term, entry.doc));
        let averages = field::averages(&self.lengths);
        let table = |weights| {
            let mut table = Table { docs: self.lengths.len(), ..Table::default() };
            for entry in &self.entries {
                let lengths = self.lengths.get(entry.doc as usize);
                let lengths = lengths.copied().unwrap_or_default();
                let impact = field::impact(weights, entry.counts, &lengths, &averages);
                table.push(entry.term, entry.doc, impact);
            }
            table.ends.resize(self.stems.len(), table.postings.len());
            table.postings.shrink_to_fit();
            table
        };
        let all = table(&field::ALL);
        let names = table(&field::NAMES);
        let leads = table(&field::LEADS);
        let kin = kin::groups().iter().map(|group| {
            let members = group.members.iter();
            members.filter_map(|stem| self.stems.get(stem.as_str()).copied()).collect()
        });
        let kin = kin.collect();
        let mut surfaces: Vec<(Box<str>, u32)> =
            self.surfaces.into_iter().map(|(word, term)| (word.into_boxed_str(), term)).collect();
        surfaces.sort_unstable();
        Index {
            docs: self.lengths.len(),
            all,
            names,
            leads,
            kin,
            senses: self.senses,
            stems: self.stems,
            surfaces,
        }
    }
}
