//! A small judged set: what a person asks in plain words, and the tools that would do it.
//!
//! The tasks were written before the tools were described and before anything was weighed. They
//! are frozen: a task that is not found stays in, and the floor of the test is what may be moved,
//! upwards.

use crate::catalogue::words::{Doc, Words};

/// A task, and the addresses (without place) of which one must be found.
const TASKS: &str = include_str!("judged/tasks.txt");

/// A server (name, title, place) after `#`, and below it its tools: name, effect, description,
/// arguments.
const TOOLS: &str = include_str!("judged/tools.txt");

#[derive(Default)]
struct Tool {
    address: String,
    server: &'static str,
    title: &'static str,
    place: &'static str,
    name: &'static str,
    effect: &'static str,
    about: &'static str,
    arguments: Vec<(String, String)>,
}

/// The cells of a line.
fn cells<const N: usize>(line: &'static str) -> [&'static str; N] {
    let cells: Vec<&str> = line.split('|').map(str::trim).collect();
    cells.try_into().expect(line)
}

fn tools() -> Vec<Tool> {
    let mut tools = Vec::new();
    let mut of = ["", "", ""];
    for line in TOOLS.lines() {
        if let Some(server) = line.strip_prefix('#') {
            of = cells(server);
            continue;
        }
        let [name, effect, about, arguments] = cells(line);
        let arguments = arguments.split(';').map(|argument| {
            let (name, about) = argument.split_once(':').unwrap_or((argument, ""));
            (name.trim().to_owned(), about.trim().to_owned())
        });
        let [server, title, place] = of;
        tools.push(Tool {
            address: format!("{server}.{name}"),
            server,
            title,
            place,
            name,
            effect,
            about,
            arguments: arguments.collect(),
        });
    }
    tools
}

fn tasks() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    TASKS.lines().map(|line| {
        let (task, right) = line.split_once(" -> ").expect(line);
        (task, right.split(' ').collect())
    })
}

#[test]
fn nine_of_ten_tasks_find_their_tool_among_the_first_five() {
    let tools = tools();
    let words = Words::build(tools.iter().map(|tool| Doc {
        name: tool.name,
        server: tool.server,
        title: tool.title,
        place: tool.place,
        about: tool.about,
        arguments: &tool.arguments,
        effect: tool.effect,
    }));
    let mut all = 0;
    let mut missed = Vec::new();
    for (task, right) in tasks() {
        all += 1;
        let hits = words.search(task, 5, |_| true);
        let five = hits.iter().map(|hit| tools[hit.doc as usize].address.as_str());
        let five: Vec<&str> = five.collect();
        if !five.iter().any(|address| right.contains(address)) {
            missed.push((task, five));
        }
    }
    assert!(missed.len() * 10 <= all, "{} of {all} missed: {missed:#?}", missed.len());
}

#[test]
fn every_address_of_the_tasks_is_a_tool() {
    let tools = tools();
    for (task, right) in tasks() {
        for address in right {
            let known = tools.iter().any(|tool| tool.address == address);
            assert!(known, "{task}: {address}");
        }
    }
}
