//! Owns what the command line prints for people. Invariant: no character of an answer reaches the
//! terminal as a command: every value goes through [`visible::visible`].

mod table;
pub(super) mod visible;

use serde_json::{Map, Value};

use crate::Answer;
use crate::envelope::{Envelope, Held, Unavailable};
use crate::refusal::Refusal;
use crate::verb::Verb;
use table::Table;
use visible::{lines, visible};

/// The widest a table gets, in characters; beyond it, records are printed one below another.
const WIDTH_MAX: usize = 110;
/// Texts longer than this get lines of their own.
const INLINE_MAX: usize = 90;

/// The answer to `verb`, for people: what was asked for, what was written, and the hints last. Ends
/// with a newline.
pub fn human(verb: &Verb, answer: &Answer) -> String {
    let mut out = Lines::default();
    match answer {
        Answer::Done(envelope) => done(verb, envelope, &mut out),
        Answer::Refused(refusal) => refused(refusal, &mut out),
        Answer::Held(held) => waiting(held, &mut out),
        Answer::Unavailable(unavailable) => not_now(unavailable, &mut out),
    }
    out.0
}

/// Text, line by line.
#[derive(Debug, Default)]
struct Lines(String);

impl Lines {
    /// One line. `text` holds nothing that was not made visible.
    fn push(&mut self, depth: usize, text: &str) {
        if !text.is_empty() {
            self.0.push_str(&"  ".repeat(depth));
            self.0.push_str(text);
        }
        self.0.push('\n');
    }
}

fn done(verb: &Verb, envelope: &Envelope, out: &mut Lines) {
    block(&envelope.result, Some(&verb.answer), 0, out);
    for written in &envelope.written {
        let (table, id) = (visible(&written.object.table), visible(&written.object.id));
        out.push(0, &format!("written: {table} {id}, now version {}", written.version));
    }
    for hint in &envelope.hints {
        out.push(0, &format!("hint {}: {}", hint.hint.as_str(), visible(&hint.say)));
    }
}

fn refused(refusal: &Refusal, out: &mut Lines) {
    let code = refusal.code;
    out.push(0, &format!("refused: {} ({})", code.title(), code.as_str()));
    if refusal.faults.len() < 2 {
        if let Some(field) = &refusal.field {
            out.push(1, &format!("field: {}", visible(field)));
        }
        out.push(1, &visible(&refusal.say));
        out.push(1, &format!("fix: {}", visible(&refusal.fix)));
    }
    for fault in refusal.faults.iter().filter(|_| refusal.faults.len() > 1) {
        out.push(1, &format!("{}: {}", visible(&fault.field), visible(&fault.say)));
        out.push(2, &format!("fix: {}", visible(&fault.fix)));
    }
    record(&refusal.more, None, 1, out);
    if let Some(decision) = refusal.decision_id {
        out.push(1, &format!("why: bailiwick access explain --decision {decision}"));
    }
}

fn waiting(held: &Held, out: &mut Lines) {
    out.push(0, &format!("held: {}", visible(&held.why)));
    out.push(1, "A person must release this call; it is made then.");
    out.push(1, &format!("waits until: {}", held.expires));
    out.push(1, &format!("its answer: bailiwick approval get {}", held.approval));
    out.push(1, "or send exactly the same call again.");
}

fn not_now(unavailable: &Unavailable, out: &mut Lines) {
    out.push(0, &format!("unavailable: {}", visible(&unavailable.what)));
    let (seconds, ms) = (unavailable.retry_after_ms / 1000, unavailable.retry_after_ms % 1000);
    out.push(1, &format!("Nothing was decided. Try again in {seconds}.{ms:03} s."));
}

/// A value on lines of its own.
fn block(value: &Value, schema: Option<&Value>, depth: usize, out: &mut Lines) {
    match value {
        Value::Object(fields) if fields.is_empty() => out.push(depth, "(nothing)"),
        Value::Object(fields) => record(fields, schema, depth, out),
        Value::Array(items) if items.is_empty() => out.push(depth, "(none)"),
        Value::Array(items) if items.iter().all(Value::is_object) => {
            records(items, schema.and_then(|schema| schema.get("items")), depth, out);
        }
        Value::Array(items) => {
            for item in items {
                block(item, None, depth, out);
            }
        }
        Value::String(text) => lines(text).iter().for_each(|line| out.push(depth, line)),
        Value::Null | Value::Bool(_) | Value::Number(_) => out.push(depth, &inline(value)),
    }
}

/// Fields with their values beside them; what does not fit there follows on lines of its own.
fn record(fields: &Map<String, Value>, schema: Option<&Value>, depth: usize, out: &mut Lines) {
    let width = fields
        .iter()
        .filter(|(_, value)| fits(value))
        .map(|(name, _)| visible(name).chars().count());
    let width = width.max().unwrap_or(0);
    let page = depth == 0 && fields.contains_key("items");
    for (name, value) in fields {
        let of_field = schema.and_then(|schema| schema.get("properties")?.get(name));
        let shown = visible(name);
        if page && name == "items" {
            block(value, of_field, depth, out);
        } else if page && name == "cursor" {
            out.push(depth, &format!("more: --cursor {}", inline(value)));
        } else if fits(value) {
            out.push(depth, &format!("{shown:width$}  {}", inline(value)));
        } else {
            out.push(depth, &format!("{shown}:"));
            block(value, of_field, depth + 1, out);
        }
    }
}

/// A table; or one record below another, where values hold objects or a table would be too wide.
fn records(items: &[Value], schema: Option<&Value>, depth: usize, out: &mut Lines) {
    let items: Vec<&Map<String, Value>> = items.iter().filter_map(Value::as_object).collect();
    let declared = schema.and_then(|schema| schema.get("properties")?.as_object());
    let table = items.iter().flat_map(|item| item.values()).all(is_flat);
    let table = table.then(|| Table::of(&items, declared));
    if let Some(rows) = table.and_then(|table| table.rows(WIDTH_MAX.saturating_sub(2 * depth))) {
        for row in rows {
            out.push(depth, &row);
        }
        return;
    }
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(0, "");
        }
        record(item, schema, depth, out);
    }
}

/// Whether a value is shown beside its name.
fn fits(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
        Value::String(text) => !text.contains('\n') && text.chars().count() <= INLINE_MAX,
        Value::Array(items) => {
            is_flat(value) && items.iter().all(fits) && inline(value).chars().count() <= INLINE_MAX
        }
        Value::Object(fields) => fields.is_empty(),
    }
}

/// Whether a value holds no object and no list of lists.
fn is_flat(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().all(|item| !item.is_object() && !item.is_array()),
        Value::Object(fields) => fields.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

/// A value on one line.
fn inline(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => visible(text),
        Value::Array(items) if items.is_empty() => "(none)".to_owned(),
        Value::Array(items) if is_flat(value) => {
            items.iter().map(inline).collect::<Vec<_>>().join(", ")
        }
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            visible(&value.to_string())
        }
    }
}

#[cfg(test)]
mod tests;
