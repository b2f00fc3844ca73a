//! Words that people use for the same thing: a task says `bills` where a tool says `invoice`.
//!
//! Made by hand, of what people say in general and not of any one catalogue. A wrong relation costs
//! a place in the ranking and never hides a tool. Invariant: groups are made of stems, as the index
//! is.

mod table;
mod table_more;

use super::{split, stem};
use std::collections::HashMap;
use std::sync::LazyLock;

/// What a word of a task says about the effect that is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sense {
    /// Something is to be known.
    Read,
    /// Something is to be changed.
    Write,
    /// Nothing.
    Thing,
}

/// Words of one meaning.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) sense: Sense,
    /// Stems of the words that are looked for.
    pub(super) members: Vec<String>,
}

#[derive(Debug)]
struct Kin {
    groups: Vec<Group>,
    /// From a stem, or the stems of a phrase with spaces between, to its groups.
    by_key: HashMap<String, Vec<usize>>,
}

static KIN: LazyLock<Kin> = LazyLock::new(|| read_table(&TABLES));

/// The table, in two pieces.
const TABLES: [&str; 2] = [table::GENERAL, table_more::PARTICULAR];

fn read_table(tables: &[&str]) -> Kin {
    let mut kin = Kin { groups: Vec::new(), by_key: HashMap::new() };
    for line in tables.iter().flat_map(|table| table.lines()) {
        let mut words = line.split_whitespace();
        let sense = match words.next() {
            Some("read") => Sense::Read,
            Some("write") => Sense::Write,
            Some(_) => Sense::Thing,
            None => continue,
        };
        let number = kin.groups.len();
        let mut members = Vec::new();
        let mut leads_only = false;
        for word in words {
            if word == "<" {
                leads_only = true;
                continue;
            }
            let stems = split::words(word, 8);
            let stems: Vec<String> = stems.iter().map(|word| stem::stem(word)).collect();
            let groups = kin.by_key.entry(stems.join(" ")).or_default();
            if !groups.contains(&number) {
                groups.push(number);
            }
            if let [single] = stems.as_slice()
                && !leads_only
            {
                members.push(single.clone());
            }
        }
        kin.groups.push(Group { sense, members });
    }
    kin
}

/// Every group, in the order of the table.
pub(super) fn groups() -> &'static [Group] {
    &KIN.groups
}

/// Numbers of the groups that a stem, or a phrase (stems joined by spaces), belongs to.
pub(super) fn groups_of(key: &str) -> &'static [usize] {
    KIN.by_key.get(key).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn related(one: &str, other: &str) -> bool {
        let other = stem::stem(other);
        let key: Vec<String> = one.split(' ').map(stem::stem).collect();
        groups_of(&key.join(" ")).iter().any(|&number| groups()[number].members.contains(&other))
    }

    #[test]
    fn words_and_phrases_lead_to_what_tools_are_called() {
        for (one, other) in [
            ("bills", "invoice"),
            ("clients", "customer"),
            ("get rid of", "delete"),
            ("turn off", "disable"),
            ("look up", "get"),
            ("how many", "count"),
            ("fetched", "read"),
            ("modify", "update"),
        ] {
            assert!(related(one, other), "{one} and {other}");
        }
        assert!(!related("create", "delete"));
        assert!(!related("invoice", "server"));
    }

    #[test]
    fn what_stands_behind_the_sign_only_leads() {
        assert!(related("bin", "delete"));
        assert!(!related("delete", "bin"));
    }

    #[test]
    fn the_table_is_well_formed() {
        let lines = TABLES.iter().flat_map(|table| table.lines());
        for line in lines.filter(|line| !line.is_empty()) {
            let first = line.split(' ').next();
            assert!(matches!(first, Some("read" | "write" | "-")), "{line}");
            assert!(line.split(' ').all(|word| !word.is_empty()), "{line}");
            assert!(line.matches('<').count() <= 1, "{line}");
            assert!(line.is_ascii() && line.len() <= 100, "{line}");
        }
        assert!(groups().iter().all(|group| !group.members.is_empty()));
    }
}
