//! The whole search: what it promises to every caller, and how well it finds.

mod discovery;
mod judged;
mod scale;

use super::{Doc, Hit, Words};
use proptest::prelude::*;

fn named(names: &[&str]) -> Words {
    Words::build(names.iter().map(|name| Doc { name, ..Doc::default() }))
}

fn docs(hits: &[Hit]) -> Vec<u32> {
    hits.iter().map(|hit| hit.doc).collect()
}

fn found(words: &Words, query: &str) -> Vec<u32> {
    docs(&words.search(query, 10, |_| true))
}

#[test]
fn every_field_is_found_and_the_name_says_most() {
    let arguments = [("zebra".to_owned(), "yonder".to_owned())];
    let doc = Doc {
        server: "billing",
        place: "shop/checkout",
        title: "Ledger",
        about: "Looks a payslip up.",
        arguments: &arguments,
        ..Doc::default()
    };
    let other = Doc { name: "payslip.lookup", ..Doc::default() };
    let words = Words::build([doc, other]);
    for query in ["billing", "checkout", "ledgers", "zebra", "yonder"] {
        assert_eq!(found(&words, query), [0], "{query}");
    }
    assert_eq!(found(&words, "payslip"), [1, 0]);
}

#[test]
fn kin_words_find_and_the_words_themselves_find_first() {
    let words = named(&["invoice.delete", "invoice.get", "customer.get"]);
    assert_eq!(found(&words, "throw a bill away")[0], 0);
    assert_eq!(found(&words, "fetch the bill")[0], 1);
    assert_eq!(found(&words, "which clients")[0], 2);
    let words = named(&["client.get", "customer.get"]);
    assert_eq!(found(&words, "customer"), [1, 0]);
}

#[test]
fn a_slip_or_a_short_form_finds_only_where_nothing_else_does() {
    let words = named(&["customer.get", "repository.list", "custom.set"]);
    assert_eq!(found(&words, "custmer")[0], 0);
    assert_eq!(found(&words, "reposit"), [1]);
    assert_eq!(found(&words, "custom"), [2], "a known word is not stretched");
}

#[test]
fn the_wanted_effect_decides_between_like_tools() {
    let doc = |effect| Doc { name: "flag.beta", effect, ..Doc::default() };
    let words = Words::build([doc("read"), doc("write"), doc("unclassified")]);
    assert_eq!(found(&words, "how many beta flags")[0], 0);
    assert_eq!(found(&words, "edit the beta flag")[0], 1);
    assert_eq!(found(&words, "beta"), [0, 1, 2], "ties go by number");
}

#[test]
fn nothing_asked_or_nothing_there_finds_nothing() {
    let words = named(&["customer.get"]);
    assert!(found(&words, "").is_empty());
    assert!(found(&words, "?!").is_empty());
    assert!(found(&words, "quagmire").is_empty());
    assert!(words.search("customer", 0, |_| panic!("no doc is needed")).is_empty());
    assert!(found(&named(&[]), "customer").is_empty());
}

#[test]
fn authority_is_asked_in_order_and_no_further_than_needed() {
    let words = named(&["order.get"; 400]);
    let mut asked = Vec::new();
    let hits = words.search("order", 3, |doc| {
        asked.push(doc);
        doc % 2 == 1
    });
    assert_eq!(docs(&hits), [1, 3, 5]);
    assert_eq!(asked, [0, 1, 2, 3, 4, 5]);
}

#[test]
fn whatever_is_permitted_is_found_however_far_down() {
    let words = named(&["order.get"; 1_000]);
    let hits = words.search("order", 5, |doc| doc >= 997);
    assert_eq!(docs(&hits), [997, 998, 999]);
    assert!(hits.is_sorted_by(|one, other| one.score >= other.score));
}

/// A catalogue and a query that share their few words, so that everything meets everything.
fn catalogue() -> impl Strategy<Value = (Vec<(String, String)>, String)> {
    let text = "(get|list|order|bill|invoice|client|api|x|of|Zürich|請求書| |_){0,6}";
    (
        prop::collection::vec((text, text), 0..20),
        "(get |lsit |orders? |bils |invoices? |custmer |the |who ){0,6}",
    )
}

fn build(rows: &[(String, String)]) -> Words {
    Words::build(rows.iter().map(|(name, about)| Doc {
        name,
        about,
        effect: "read",
        ..Doc::default()
    }))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_filter_never_leaks_and_only_filters(
        (rows, query) in catalogue(),
        permitted in any::<u64>(),
        limit in 0usize..50,
    ) {
        let words = build(&rows);
        let may = |doc: u32| permitted >> (doc % 64) & 1 == 1;
        let mut asked = Vec::new();
        let hits = words.search(&query, limit, |doc| {
            asked.push(doc);
            may(doc)
        });
        let all = words.search(&query, usize::MAX, |_| true);
        let expected: Vec<u32> = docs(&all).into_iter().filter(|doc| may(*doc)).take(limit).collect();
        prop_assert_eq!(docs(&hits), expected);
        prop_assert!(docs(&all).starts_with(&asked), "asked in the order of the ranking, once each");
        prop_assert!(all.iter().all(|hit| (hit.doc as usize) < rows.len() && hit.score > 0.0));
        let before = |one: &Hit, other: &Hit| {
            one.score > other.score || (one.score >= other.score && one.doc < other.doc)
        };
        prop_assert!(all.is_sorted_by(before));
    }

    #[test]
    fn the_same_docs_and_query_give_the_same_hits((rows, query) in catalogue()) {
        let one = build(&rows).search(&query, 20, |_| true);
        let other = build(&rows).search(&query, 20, |_| true);
        prop_assert_eq!(one, other);
    }

    #[test]
    fn any_text_is_indexed_and_any_query_answered(
        texts in prop::collection::vec("\\PC{0,80}", 7),
        effect in "\\PC{0,8}",
        query in "\\PC{0,500}",
    ) {
        let arguments = [(texts[0].clone(), texts[1].clone())];
        let doc = Doc {
            name: &texts[2],
            server: &texts[3],
            title: &texts[4],
            place: &texts[5],
            about: &texts[6],
            arguments: &arguments,
            effect: &effect,
        };
        let words = Words::build([doc, Doc::default()]);
        prop_assert!(words.search(&query, 5, |_| true).iter().all(|hit| hit.doc == 0));
        let name = words.search(&texts[2], 5, |_| true);
        let speaks = !super::split::words(&texts[2], 1).is_empty();
        prop_assert_eq!(name.len(), usize::from(speaks), "a tool is found by its own name");
    }
}
