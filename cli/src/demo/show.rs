//! Owns how the walk is told: numbered sentences, the answers as they came, and what had to hold.
//! Invariant: what did not hold is always told, with what was expected and what came, and counted.

use std::fmt::Display;
use std::io::IsTerminal as _;

use contract::render::cli::visible;
use serde_json::Value;

use crate::output;

/// How many lines of an answer are shown.
const LINES_MAX: usize = 30;
/// What is shorter than this stands on one line, in characters.
const WIDTH: usize = 96;
/// How much of a text in an answer is shown, in characters.
const TEXT_MAX: usize = 300;
/// How many items of a list in an answer are shown.
const ITEMS_MAX: usize = 5;

const BOLD: &str = "1";
const DIM: &str = "2";
const RED: &str = "31";
const GREEN: &str = "32";

/// The page that the walk is written on.
#[derive(Debug)]
pub(crate) struct Page {
    colour: bool,
    step: u32,
    checked: u32,
    failed: u32,
}

impl Page {
    /// An empty page; in colour where a person reads it.
    pub(crate) fn new() -> Self {
        Self { colour: std::io::stdout().is_terminal(), step: 0, checked: 0, failed: 0 }
    }

    /// How many checks there were, and how many did not hold.
    pub(crate) const fn tally(&self) -> (u32, u32) {
        (self.checked, self.failed)
    }

    /// Begins a step.
    pub(crate) fn step(&mut self, sentence: &str) {
        self.step += 1;
        let title = self.painted(BOLD, &format!("{}. {sentence}", self.step));
        output::line(&format!("\n{title}"));
    }

    /// Shows an answer, trimmed, after what was sent to get it.
    pub(crate) fn answer(&self, sent: &str, body: &Value) {
        output::line(&format!("   {}", self.painted(DIM, &format!("> {sent}"))));
        let mut lines = Vec::new();
        laid_out(&trimmed(body), 0, "", &mut lines);
        for line in lines.iter().take(LINES_MAX) {
            output::line(&format!("   {}", visible(line)));
        }
        if lines.len() > LINES_MAX {
            output::line(&format!("   … {} lines more", lines.len() - LINES_MAX));
        }
    }

    /// Says what must hold and whether it does; if not, with what came instead.
    pub(crate) fn check(&mut self, holds: bool, must: &str, got: impl Display) {
        self.checked += 1;
        if holds {
            output::line(&format!("   {} {must}", self.painted(GREEN, "✓")));
            return;
        }
        self.failed += 1;
        output::line(&format!("   {} {must}", self.painted(RED, "✗")));
        output::line(&format!("     expected: {must}"));
        output::line(&format!("     got:      {}", visible(&got.to_string())));
    }

    /// A step that could not be gone to its end.
    pub(crate) fn broke(&mut self, error: &anyhow::Error) {
        self.check(false, "the step goes to its end", format!("{error:#}"));
    }

    fn painted(&self, how: &str, text: &str) -> String {
        if self.colour { format!("\u{1b}[{how}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// Tells something of the step that is under way.
pub(crate) fn say(sentence: &str) {
    output::line(&format!("   {}", visible(sentence)));
}

/// A value as JSON on as few lines as are easily read; `before` stands before it.
fn laid_out(value: &Value, depth: usize, before: &str, out: &mut Vec<String>) {
    let indent = "  ".repeat(depth);
    let whole = format!("{indent}{before}{value}");
    let (open, close) = match value {
        Value::Object(_) => ('{', '}'),
        Value::Array(_) => ('[', ']'),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            return out.push(whole);
        }
    };
    if whole.chars().count() <= WIDTH {
        return out.push(whole);
    }
    out.push(format!("{indent}{before}{open}"));
    let named = value.as_object().into_iter().flatten();
    let named = named.map(|(name, member)| (format!("{}: ", Value::from(name.as_str())), member));
    let listed = value.as_array().into_iter().flatten().map(|item| (String::new(), item));
    let mut inside = named.chain(listed).peekable();
    while let Some((before, item)) = inside.next() {
        laid_out(item, depth + 1, &before, out);
        if let Some(last) = out.last_mut().filter(|_| inside.peek().is_some()) {
            last.push(',');
        }
    }
    out.push(format!("{indent}{close}"));
}

/// A value with its long texts and lists cut, and the cuts said.
fn trimmed(value: &Value) -> Value {
    match value {
        Value::String(text) if text.chars().count() > TEXT_MAX => {
            let head: String = text.chars().take(TEXT_MAX).collect();
            Value::String(format!("{head}… ({} bytes)", text.len()))
        }
        Value::Array(items) => {
            let mut shown: Vec<Value> = items.iter().take(ITEMS_MAX).map(trimmed).collect();
            if items.len() > ITEMS_MAX {
                shown.push(Value::String(format!("… {} more", items.len() - ITEMS_MAX)));
            }
            Value::Array(shown)
        }
        Value::Object(members) => {
            members.iter().map(|(name, member)| (name.clone(), trimmed(member))).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_cut_is_said() {
        let long = "é".repeat(TEXT_MAX + 1);
        let list = [1, 2, 3, 4, 5, 6, 7];
        let shown = trimmed(&json!({ "text": long, "list": list, "short": "as it is" }));
        assert!(shown["text"].as_str().is_some_and(|text| text.ends_with("… (602 bytes)")));
        assert_eq!(shown["list"], json!([1, 2, 3, 4, 5, "… 2 more"]));
        assert_eq!(shown["short"], "as it is");
    }

    #[test]
    fn what_is_short_stands_on_one_line() {
        let mut lines = Vec::new();
        let long = "a word ".repeat(12);
        laid_out(&json!({ "a": [1, { "b": null }], "c": { "d": long } }), 0, "", &mut lines);
        let long = format!("    \"d\": \"{long}\"");
        assert_eq!(lines, ["{", "  \"a\": [1,{\"b\":null}],", "  \"c\": {", &long, "  }", "}"]);
    }

    #[test]
    fn what_does_not_hold_is_counted() {
        let mut page = Page::new();
        page.check(true, "one is one", 1);
        page.check(false, "one is two", 1);
        assert_eq!(page.tally(), (2, 1));
    }
}
