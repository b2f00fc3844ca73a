//! `make bench`: how the service compares with the least that could do the same, measured side by side in
//! one run, and written with the machine's description to `docs/benchmarks.md` and `target/bench.json`.
//!
//! The split that justifies this crate: it starts both planes beside baselines of its own, which neither
//! plane may know and no product ships. Invariant: what it finds is reported as it is; a missed target
//! fails no run and no test.
//!
//! ```text
//! bench                every figure
//! bench rest. mcp.     those whose names begin so; the page is left as it is
//! ```
//! `QUICK=1` measures briefly and leaves the page as it is. `CALLS` is how many calls memory is watched
//! over, however long they take; without it, a million or as many as four minutes hold.

mod baseline;
mod client;
mod closed;
mod insert;
mod machine;
mod measure;
mod open;
mod page;
mod pin;
mod process;
mod report;
mod shots;
mod site;
mod stat;
mod upstream;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use serde_json::json;

use machine::Machine;
use measure::{Plan, added, decision, gate, memory, surfaces};
use pin::Halves;
use report::Figure;
use site::Site;

/// Calls over which memory is watched, if `CALLS` does not say.
const CALLS: usize = 1_000_000;
const CALLS_QUICK: usize = 20_000;
/// How long they may take, so that a run ends.
const CALLS_LIMIT: Duration = Duration::from_mins(4);
/// Where the figures go.
const PAGE: &str = "docs/benchmarks.md";
const FILE: &str = "target/bench.json";

fn main() -> anyhow::Result<()> {
    let plan = plan()?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let halves = Halves::split()?;
    match arguments.first().map(String::as_str) {
        Some(memory::OF_CALLS) => say(&memory::watch_calls(plan, &halves)?),
        Some(memory::OF_IDENTITIES) => say(&memory::watch_identities(plan, &halves)?),
        _ => whole(plan, &halves, &arguments),
    }
}

fn plan() -> anyhow::Result<Plan> {
    let said = |name| std::env::var(name).ok().filter(|text| !text.is_empty());
    let quick = said("QUICK").is_some_and(|text| text != "0");
    let (calls, calls_limit) = match said("CALLS") {
        Some(text) => (text.parse().context("CALLS is no number")?, Duration::MAX),
        None if quick => (CALLS_QUICK, CALLS_LIMIT),
        None => (CALLS, CALLS_LIMIT),
    };
    Ok(Plan { quick, calls, calls_limit })
}

/// Measures what is asked for, and writes it down.
fn whole(plan: Plan, halves: &Halves, names: &[String]) -> anyhow::Result<()> {
    let chosen =
        |name: &str| names.is_empty() || names.iter().any(|asked| name.starts_with(asked.as_str()));
    let mut machine = Machine::describe(halves);
    let mut figures = Vec::new();
    let mut tell = |new: Vec<Figure>| {
        let told = new.iter().try_for_each(tell);
        figures.extend(new);
        told
    };
    if chosen("decision.") {
        tell(decision::figures(plan)?)?;
    }
    let site = Site::start(halves)?;
    if chosen("gate.") {
        tell(gate::figures(plan, halves, &site)?)?;
    }
    tell(surfaces::figures(plan, halves, &site, &chosen)?)?;
    if chosen("added.") {
        tell(added::figures(plan, halves, &site)?)?;
    }
    drop(site);
    tell(memory::figures(&chosen)?)?;
    machine.end();
    say(&page::told(&machine))?;
    let text = serde_json::to_string_pretty(
        &json!({ "machine": machine, "quick": plan.quick, "figures": figures }),
    )?;
    fs::write(FILE, text).context(FILE)?;
    if names.is_empty() && !plan.quick {
        let page = fs::read_to_string(PAGE).context(PAGE)?;
        fs::write(Path::new(PAGE), page::renewed(&page, &machine, &figures)?).context(PAGE)?;
    }
    Ok(())
}

fn tell(figure: &Figure) -> anyhow::Result<()> {
    let target = figure.target.map(|target| format!(" (target {target})")).unwrap_or_default();
    let verdict = figure.verdict().trim_matches('*');
    let gap = if verdict.is_empty() { "" } else { ": " };
    say(&format!(
        "{:<28} {}{target}{gap}{verdict}\n{:29}{}",
        figure.name,
        page::value(figure),
        "",
        figure.detail
    ))
}

fn say(text: &str) -> anyhow::Result<()> {
    writeln!(std::io::stdout().lock(), "{text}").context("standard output")
}
