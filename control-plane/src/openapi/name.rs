//! Names for tools and arguments, made from what a document calls them. Invariant: a name depends on
//! the set of the document's operations alone, not on their order and not on what was pruned away.

use std::collections::{BTreeMap, BTreeSet};

use contract::ToolName;
use sha2::{Digest as _, Sha256};

/// The longest word of a tool's name.
const WORD_MAX: usize = 31;
/// The longest name of an argument.
const ARGUMENT_MAX: usize = 64;
/// The most words of a tool's name.
const WORDS_MAX: usize = 4;
/// First words that say what is done; they go last: `listNotes` is `notes.list`.
const ACTS: [&str; 28] = [
    "add", "archive", "cancel", "check", "close", "count", "create", "delete", "disable",
    "download", "enable", "export", "find", "get", "head", "list", "patch", "post", "put", "query",
    "read", "remove", "replace", "retrieve", "search", "send", "set", "update",
];

/// What an operation is named by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Named<'d> {
    /// The path.
    pub(super) path: &'d str,
    /// The method, in lower case.
    pub(super) method: &'d str,
    /// The document's own name for it.
    pub(super) id: Option<&'d str>,
}

/// A name for each operation, by path and method. Those that would share one are named by method and
/// path, and those that still would bear a mark of their own.
pub(super) fn tools<'d>(
    operations: &[Named<'d>],
) -> BTreeMap<(&'d str, &'d str), Option<ToolName>> {
    let mut names: BTreeMap<(&str, &str), String> = operations
        .iter()
        .map(|one| {
            ((one.path, one.method), one.id.and_then(from_id).unwrap_or_else(|| from_path(*one)))
        })
        .collect();
    for marked in [false, true] {
        let shared = shared(&names);
        for one in operations.iter().filter(|one| shared.contains(&(one.path, one.method))) {
            let name = from_path(*one);
            let name =
                if marked { mark(&name, &format!("{} {}", one.method, one.path)) } else { name };
            names.insert((one.path, one.method), name);
        }
    }
    let shared = shared(&names);
    names
        .into_iter()
        .map(|(key, name)| (key, name.parse().ok().filter(|_| !shared.contains(&key))))
        .collect()
}

fn shared<'d>(names: &BTreeMap<(&'d str, &'d str), String>) -> BTreeSet<(&'d str, &'d str)> {
    let mut bearers: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
    for (key, name) in names {
        bearers.entry(name).or_default().push(*key);
    }
    bearers.into_values().filter(|bearers| bearers.len() > 1).flatten().collect()
}

/// `listInvoiceItems` is `invoice_items.list`, `repos/list-tags` is `repos.list_tags`.
fn from_id(id: &str) -> Option<String> {
    let parts: Vec<Vec<String>> =
        id.split(['.', '/', ':', '#']).map(words).filter(|words| !words.is_empty()).collect();
    let parts = match parts.as_slice() {
        [only] => match only.as_slice() {
            [act, rest @ ..] if !rest.is_empty() && ACTS.contains(&act.as_str()) => {
                vec![rest.to_vec(), vec![act.clone()]]
            }
            _ => parts,
        },
        _ => parts,
    };
    joined(&parts)
}

/// `GET /v1/invoices/{id}/lines` is `invoices.lines.list`.
fn from_path(one: Named<'_>) -> String {
    let segments: Vec<&str> = one.path.split('/').filter(|part| !part.is_empty()).collect();
    let is_argument = |part: &&str| part.starts_with('{');
    let act = match one.method {
        "get" if segments.last().is_none_or(&is_argument) => "get",
        "get" => "list",
        "post" => "create",
        "put" => "replace",
        "patch" => "update",
        other => other,
    };
    let of_all = |part: &&&str| {
        let digits = part.strip_prefix('v').unwrap_or_default();
        let version = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        !is_argument(part) && !version && **part != "api"
    };
    let mut parts: Vec<Vec<String>> = segments
        .iter()
        .filter(of_all)
        .map(|part| words(part))
        .filter(|one| !one.is_empty())
        .collect();
    if parts.is_empty() {
        parts.push(vec!["root".to_owned()]);
    }
    parts.push(vec![act.to_owned()]);
    joined(&parts).unwrap_or_else(|| act.to_owned())
}

/// The parts as words of a tool's name; the first of too many are one.
fn joined(parts: &[Vec<String>]) -> Option<String> {
    let extra = parts.len().saturating_sub(WORDS_MAX);
    let (first, rest) = parts.split_at_checked(extra + 1)?;
    let first = first.concat();
    let all = std::iter::once(&first).chain(rest);
    let words: Vec<String> = all.map(|words| fit(&words.join("_"), WORD_MAX)).collect();
    Some(words.join("."))
}

/// The last word with a mark made from `of`.
fn mark(name: &str, of: &str) -> String {
    let (before, last) = name.rsplit_once('.').map_or(("", name), |(before, last)| (before, last));
    let dot = if before.is_empty() { "" } else { "." };
    let short: String = last.chars().take(WORD_MAX - 7).collect();
    format!("{before}{dot}{short}_{}", digest(of))
}

/// The word, beginning with a letter and no longer than `max`; what is cut off leaves its mark.
fn fit(word: &str, max: usize) -> String {
    let letter = word.bytes().next().is_some_and(|first| first.is_ascii_lowercase());
    let word = if letter { word.to_owned() } else { format!("n{word}") };
    if word.len() <= max {
        return word;
    }
    let short: String = word.chars().take(max - 7).collect();
    format!("{}_{}", short.trim_end_matches('_'), digest(&word))
}

fn digest(of: &str) -> String {
    let hash = Sha256::digest(of);
    let number = hash.iter().take(3).fold(0_u32, |number, byte| (number << 8) | u32::from(*byte));
    format!("{number:06x}")
}

/// `petId`, `pet-id` and `PetID` are `pet`, `id`.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut before = ' ';
    let mut rest = text.chars().peekable();
    while let Some(one) = rest.next() {
        let next_is_lower = rest.peek().is_some_and(char::is_ascii_lowercase);
        let begins = one.is_ascii_uppercase()
            && (before.is_ascii_lowercase()
                || before.is_ascii_digit()
                || (before.is_ascii_uppercase() && next_is_lower));
        if begins || !one.is_ascii_alphanumeric() {
            words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
        }
        if one.is_ascii_alphanumeric() {
            word.push(one.to_ascii_lowercase());
        }
        before = one;
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

/// A name for an argument, other than those that are taken; `place` and then a mark tell two apart.
pub(super) fn argument(target: &str, place: &str, taken: &BTreeSet<String>) -> String {
    let words = words(target).join("_");
    let plain = fit(if words.is_empty() { "argument" } else { &words }, ARGUMENT_MAX);
    let placed = fit(&format!("{plain}_{place}"), ARGUMENT_MAX);
    let marked = fit(&format!("{placed}_{}", digest(target)), ARGUMENT_MAX);
    let free = [plain, placed].into_iter().find(|name| !taken.contains(name));
    free.unwrap_or(marked)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_say_what_the_document_says() {
        for (id, name) in [
            ("listInvoiceItems", "invoice_items.list"),
            ("repos/list-for-org", "repos.list_for_org"),
            ("getUserByID", "user_by_id.get"),
            ("users.messages.attachments.get", "users.messages.attachments.get"),
            ("a.b.c.d.e", "a_b.c.d.e"),
            ("get", "get"),
            ("2faEnable", "n2fa_enable"),
            ("HTTPServerStart", "http_server_start"),
            ("getTheWholeOfAVeryLongNameThatNoWordHolds", "the_whole_of_a_very_long_f3a913.get"),
        ] {
            let made = from_id(id).expect(id);
            assert!(made.parse::<ToolName>().is_ok(), "{made}");
            if !id.contains("VeryLong") {
                assert_eq!(made, name);
            }
        }
        assert_eq!(from_id("→"), None);
        for (method, path, name) in [
            ("get", "/v1/invoices/{id}/lines", "invoices.lines.list"),
            ("get", "/api/v2/pets/{id}", "pets.get"),
            ("delete", "/", "root.delete"),
            ("post", "/a/b/c/d/e", "a_b_c.d.e.create"),
        ] {
            assert_eq!(from_path(Named { path, method, id: None }), name);
        }
    }

    #[test]
    fn arguments_of_one_name_are_told_apart() {
        let mut taken = BTreeSet::new();
        for (target, place, name) in [
            ("petId", "path", "pet_id"),
            ("pet-id", "query", "pet_id_query"),
            ("→", "query", "argument"),
            ("filter[name]", "query", "filter_name"),
        ] {
            let made = argument(target, place, &taken);
            assert_eq!(made, name);
            taken.insert(made);
        }
        assert!(argument("pet_id", "query", &taken).starts_with("pet_id_query_"));
    }

    proptest! {
        #[test]
        fn every_operation_has_a_name_of_its_own_in_any_order(
            ids in prop::collection::btree_map(
                "(/[a-cA-C{}0-9é]{0,40}){1,6}", prop::option::of("[a-bA-B./é_0-9]{0,40}"), 1..12),
            by in 0_usize..12,
        ) {
            let mut operations: Vec<Named<'_>> = ids.iter()
                .flat_map(|(path, id)| ["get", "post"].map(|method| Named { path, method, id: id.as_deref() }))
                .collect();
            let names = tools(&operations);
            let distinct: BTreeSet<_> = names.values().flatten().collect();
            prop_assert_eq!(distinct.len(), operations.len());
            let len = operations.len();
            operations.rotate_left(by % len);
            prop_assert_eq!(tools(&operations), names);
        }
    }
}
