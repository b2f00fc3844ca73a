//! What a search costs in a large catalogue, counted and not timed.

use crate::catalogue::words::{Doc, Words, plan, query};
use std::sync::LazyLock;

const OBJECTS: [&str; 40] = [
    "invoice", "order", "customer", "ticket", "channel", "message", "file", "folder", "branch",
    "commit", "release", "incident", "alert", "metric", "host", "cluster", "policy", "role",
    "group", "user", "payment", "refund", "shipment", "product", "campaign", "audience", "page",
    "form", "contract", "employee", "expense", "report", "task", "event", "calendar", "key",
    "token", "domain", "record", "backup",
];
const ACTIONS: [&str; 10] =
    ["get", "list", "create", "update", "delete", "search", "archive", "restore", "share", "count"];
const SERVERS: usize = 25;

/// 10,000 tools: every action on every object of every server.
static TOOLS: LazyLock<Vec<(String, String, String)>> = LazyLock::new(|| {
    let mut tools = Vec::new();
    for server in 0..SERVERS {
        for object in OBJECTS {
            for action in ACTIONS {
                tools.push((
                    format!("vendor{server}"),
                    format!("{object}.{action}"),
                    format!("To {action} one {object} or many of an account by name and id."),
                ));
            }
        }
    }
    tools
});

/// Their index, built once for all tests.
static WORDS: LazyLock<Words> = LazyLock::new(|| {
    Words::build(TOOLS.iter().map(|(server, name, about)| Doc {
        name,
        server,
        about,
        ..Doc::default()
    }))
});

/// How many postings a query reads of the index by all fields, for its widest ranking.
fn read(words: &Words, text: &str) -> usize {
    let index = &words.index;
    let asked = query::read(text, |stem| index.term(stem).is_some());
    let plan = plan::plan(index, &asked.words);
    let reads =
        plan.iter().flat_map(|sought| sought.own.iter().chain(&sought.kin).chain(&sought.near));
    reads.map(|read| index.all.list(read.term).postings.len()).sum()
}

#[test]
fn a_search_of_ten_thousand_tools_is_bounded_work() {
    let words = &*WORDS;
    assert_eq!(TOOLS.len(), 10_000);
    let ordinary = read(words, "Give the customer their money back");
    assert!(ordinary <= 2 * TOOLS.len(), "{ordinary}");
    let common = "name account id many one get list create update delete ".repeat(8);
    let sorts = [
        common.as_str(),
        &"q".repeat(400),
        &"custmer invioce ordr tickt chanel mesage ".repeat(10),
        &ACTIONS.join(" "),
        &OBJECTS.join(" "),
        &"é請求書 ".repeat(80),
    ];
    for text in sorts {
        let postings = read(words, text);
        assert!(postings <= plan::READ_LIMIT, "{text}: {postings}");
        let mut asked = 0;
        let hits = words.search(text, 10, |_| {
            asked += 1;
            true
        });
        assert_eq!(asked, hits.len(), "{text}: authority is decided for hits alone");
    }
}

#[test]
fn a_caller_of_one_tool_finds_it_among_ten_thousand() {
    let last = u32::try_from(TOOLS.len() - 1).unwrap();
    let mut asked = 0_usize;
    let hits = WORDS.search("an account by its name", 10, |doc| {
        asked += 1;
        doc == last
    });
    assert_eq!(hits.len(), 1);
    assert!(asked <= TOOLS.len(), "each once at most: {asked}");
}

#[test]
fn the_index_is_small_and_long_text_costs_no_more() {
    let bytes = WORDS.bytes();
    assert!(bytes < 3_000_000, "{bytes} bytes for 10,000 tools");
    let doc = |about| Doc { name: "x", about, ..Doc::default() };
    let text: Vec<String> = (0..1_000).map(|n| format!("word{n}")).collect();
    let text = text.join(" ");
    let long = format!("{text} {}", "more ".repeat(100_000));
    assert_eq!(Words::build([doc(&text)]).bytes(), Words::build([doc(&long)]).bytes());
}

#[test]
fn many_arguments_with_long_descriptions_cost_no_more_than_one() {
    let describe = |argument: usize| {
        let words: Vec<String> = (0..200).map(|n| format!("word{argument}x{n}")).collect();
        (format!("argument{argument}"), words.join(" "))
    };
    let arguments: Vec<(String, String)> = (0..500).map(describe).collect();
    let bytes = |arguments| {
        let doc = Doc { name: "x", arguments, ..Doc::default() };
        Words::build([doc]).bytes()
    };
    assert!(bytes(&arguments) < 2 * bytes(&arguments[..1]));
}
