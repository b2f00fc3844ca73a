//! How well plain tasks find their tools in catalogues of real size: the operations of public
//! OpenAPI documents, which `scripts/discovery.sh` fetches, and tasks that were written before any
//! of them was read. `docs/discovery.md` tells the rules and the figures.
//!
//! Tasks and judgements are frozen. What is weighed in a search may be set by the tasks with even
//! numbers alone; those with odd numbers are held out.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::catalogue::words::{Doc, Words};
use serde_json::{Value, json};

/// As they were written.
const TASKS: &str = include_str!("discovery/tasks.txt");

/// `task @ place -> address …`: where a person would look who reads the names of the places, and
/// every tool that does it.
const JUDGED: &str = include_str!("discovery/judged.txt");

/// Hits that an agent reads first, and those that one search answers.
const FIRST: usize = 5;
const ANSWERED: usize = 10;

/// The most tools that `catalogue.place` lists.
const LISTED: usize = 200;

struct Tool {
    address: String,
    texts: BTreeMap<String, String>,
    arguments: Vec<(String, String)>,
}

impl Tool {
    fn text(&self, key: &str) -> &str {
        &self.texts[key]
    }
}

struct Task {
    text: &'static str,
    place: &'static str,
    right: HashSet<&'static str>,
}

fn tasks() -> Vec<Task> {
    let read = |line: &'static str| {
        let (head, right) = line.split_once(" -> ").expect(line);
        let (text, place) = head.split_once(" @ ").expect(line);
        Task { text, place, right: right.split(' ').collect() }
    };
    JUDGED.lines().map(read).collect()
}

/// A tool a line.
fn tools(path: &Path) -> Vec<Tool> {
    let read = |line: &str| {
        let value: Value = serde_json::from_str(line).expect(line);
        let texts = value.as_object().expect(line).iter();
        let texts: BTreeMap<String, String> = texts
            .filter_map(|(key, text)| Some((key.clone(), text.as_str()?.to_owned())))
            .collect();
        let arguments = serde_json::from_value(value["arguments"].clone()).expect(line);
        Tool { address: format!("{}.{}", texts["server"], texts["name"]), texts, arguments }
    };
    std::fs::read_to_string(path).expect("the tools").lines().map(read).collect()
}

fn index(tools: &[Tool]) -> Words {
    Words::build(tools.iter().map(|tool| Doc {
        name: tool.text("name"),
        server: tool.text("server"),
        title: tool.text("title"),
        place: tool.text("place"),
        about: tool.text("about"),
        arguments: &tool.arguments,
        effect: tool.text("effect"),
    }))
}

/// How one task went.
struct Went {
    /// Place of the first right tool among those answered, from 1.
    rank: Option<usize>,
    /// Found by a second search, at a place that the first one showed.
    narrowed: bool,
    /// Found by a search at the place that the overview suggests.
    surveyed: bool,
    /// Seen there: among all its tools if one answer lists them all, and else by a search.
    seen: bool,
    five: Vec<String>,
}

fn went(tools: &[Tool], words: &Words, task: &Task) -> Went {
    let is_right = |doc: u32| task.right.contains(tools[doc as usize].address.as_str());
    let place = |doc: u32| tools[doc as usize].text("place");
    let hits = words.search(task.text, ANSWERED, |_| true);
    let rank = hits.iter().position(|hit| is_right(hit.doc)).map(|at| at + 1);
    let there = words.search(task.text, ANSWERED, |doc| place(doc) == task.place);
    let surveyed = there.iter().any(|hit| is_right(hit.doc));
    let shown = hits.iter().any(|hit| place(hit.doc) == task.place);
    let mut listed = tools.iter().filter(|tool| tool.text("place") == task.place);
    let seen = match listed.clone().count() {
        0..=LISTED => listed.any(|tool| task.right.contains(tool.address.as_str())),
        _ => surveyed,
    };
    let five = hits.iter().take(FIRST).map(|hit| tools[hit.doc as usize].address.clone());
    Went { rank, narrowed: shown && surveyed, surveyed, seen, five: five.collect() }
}

fn figures(all: &[&Went]) -> Value {
    let per_cent = |is: &dyn Fn(&Went) -> bool| {
        let found = all.iter().filter(|went| is(went)).count();
        json!({ "found": found, "per_cent": f64::from(u32::try_from(found * 1_000 / all.len()).expect("a thousand")) / 10.0 })
    };
    json!({
        "tasks": all.len(),
        "first": per_cent(&|went| went.rank == Some(1)),
        "in_first_5": per_cent(&|went| went.rank.is_some_and(|rank| rank <= FIRST)),
        "one_search": per_cent(&|went| went.rank.is_some()),
        "overview_then_search_there": per_cent(&|went| went.surveyed),
        "overview_then_place_or_search_there": per_cent(&|went| went.seen),
        "search_then_search_there": per_cent(&|went| went.rank.is_some() || went.narrowed),
    })
}

/// The median and the 99th of a hundred, in microseconds, of one search.
fn cost(words: &Words, tasks: &[Task]) -> Value {
    let mut costs: Vec<u128> = Vec::new();
    for _ in 0..5 {
        for task in tasks {
            let begun = Instant::now();
            assert!(words.search(task.text, ANSWERED, |_| true).len() <= ANSWERED);
            costs.push(begun.elapsed().as_micros());
        }
    }
    costs.sort_unstable();
    json!({ "p50": costs[costs.len() / 2], "p99": costs[costs.len() * 99 / 100] })
}

fn measured(path: &Path, tasks: &[Task]) -> Value {
    let tools = tools(path);
    let known: HashSet<&str> = tools.iter().map(|tool| tool.address.as_str()).collect();
    let begun = Instant::now();
    let words = index(&tools);
    let built = begun.elapsed().as_millis();
    let mut all = Vec::new();
    for task in tasks {
        assert!(task.right.iter().any(|address| known.contains(address)), "{}", task.text);
        all.push(went(&tools, &words, task));
    }
    let half = |odd: usize| {
        let half = all.iter().enumerate().filter(|(at, _)| at % 2 == odd).map(|(_, went)| went);
        figures(&half.collect::<Vec<_>>())
    };
    let missed = all
        .iter()
        .zip(tasks)
        .enumerate()
        .filter(|(_, (went, _))| went.rank.is_none_or(|rank| rank > FIRST));
    let missed = missed.map(|(at, (went, task))| {
        let set = if at % 2 == 0 { "tuned" } else { "held_out" };
        json!({ "task": task.text, "set": set, "rank": went.rank, "two_calls": went.surveyed,
                "first": went.five })
    });
    json!({
        "tools": tools.len(), "built_ms": built, "search_us": cost(&words, tasks),
        "all": figures(&all.iter().collect::<Vec<_>>()), "tuned": half(0), "held_out": half(1),
        "not_in_first_5": missed.collect::<Vec<_>>(),
    })
}

#[test]
fn every_judged_task_is_one_that_was_written_and_three_were_set_aside() {
    let written: Vec<&str> = TASKS.lines().collect();
    let judged = tasks();
    let places = judged.iter().map(|task| written.iter().position(|text| *text == task.text));
    let places: Vec<usize> = places.map(|place| place.expect("a task as written")).collect();
    assert!(places.is_sorted_by(|one, other| one < other), "each once, in the order written");
    assert_eq!(written.len() - judged.len(), 3, "no tool of the smaller catalogue does these");
    assert!(judged.len() >= 100);
}

#[test]
#[ignore = "needs the catalogues that scripts/discovery.sh makes in the folder DISCOVERY_TOOLS names"]
#[expect(clippy::print_stdout, reason = "whoever runs it wants to read the figures")]
fn the_right_tool_is_found_in_catalogues_of_real_size() {
    let folder = PathBuf::from(std::env::var("DISCOVERY_TOOLS").expect("a folder"));
    let tasks = tasks();
    let of = |name: &str| measured(&folder.join(name), &tasks);
    let (small, large) = (of("small.jsonl"), of("large.jsonl"));
    for (name, figures) in [("small", &small), ("large", &large)] {
        for set in ["all", "tuned", "held_out"] {
            println!("{name} {set}: {}", figures[set]);
        }
        println!("{name}: {} tools, {} µs", figures["tools"], figures["search_us"]);
    }
    let all = json!({ "small": small, "large": large });
    let text = serde_json::to_string_pretty(&all).expect("JSON");
    std::fs::write(folder.join("../discovery.json"), text).expect("written");
}
