//! When words are indexed: with a catalogue, and never by a search.

use super::*;
use contract::sample;
use contract::verbs::server::Declaration;
use serde_json::json;

/// A catalogue of so many tools at one server.
fn catalogue(revision: u64, tools: usize, about: &str) -> plane::Catalogue {
    let instance: Instance =
        serde_json::from_value(json!({ "shape": "http", "origin": "https://tools.invalid" }))
            .expect("an instance");
    let tools = (0..tools).map(|number| {
        let name: ToolName = format!("t_{number:04}").parse().expect("a name");
        let declaration: Declaration = serde_json::from_value(json!({
            "name": name, "about": about, "effect": "read",
            "endpoint": { "method": "GET", "path": "/x" }
        }))
        .expect("a declaration");
        let declared = plane::Declared { version: 1, digest: String::new(), declaration };
        let id = Id::new(uuid::Uuid::from_u128(number as u128));
        plane::Tool { id, name, declarations: vec![declared], classifications: Vec::new() }
    });
    let tools = tools.collect();
    let server = plane::Server {
        id: sample::id(1),
        scope: "acme/shop".parse().expect("a scope"),
        name: "store".parse().expect("a name"),
        title: "Store".to_owned(),
        interchangeable: false,
        instance,
        tools,
    };
    plane::Catalogue { revision, servers: vec![server] }
}

fn found(index: &Index, query: &str) -> usize {
    index.search(query, 5, |_, _| true).len()
}

#[test]
fn a_search_reads_the_words_that_came_with_the_catalogue_and_indexes_none() {
    let policy = Arc::new(http::Policy::default());
    let small = Index::build(catalogue(1, 3, "Feeds zebras."), &policy, None);
    let words = Arc::clone(small.words.get().expect("a small catalogue is indexed when it comes"));
    assert_eq!(found(&small, "zebras"), 3);
    let after = small.words.get().expect("the same");
    assert!(Arc::ptr_eq(&words, after), "a search made another index");
    // A large one is indexed beside the calls: until then a search reads the words before it.
    let pushed = catalogue(2, WORDS_AT_ONCE_MAX + 1, "Feeds walruses.");
    let large = Index::build(pushed, &policy, Some(&small));
    for _ in 0..3 {
        assert_eq!(found(&large, "walruses"), 0);
        assert_eq!(found(&large, "zebras"), 3);
        assert!(large.lacks_words(), "a search indexed the words");
    }
    large.index_words();
    assert_eq!(found(&large, "walruses"), 5);
}
