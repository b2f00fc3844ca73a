//! Owns what the command line prints for people. Invariants: no character of an answer reaches the
//! terminal as a command (every value goes through [`visible::visible`]), and none is left out:
//! what does not fit beside its name follows below it.

mod table;
pub(super) mod visible;

use serde_json::{Map, Value};

use crate::Answer;
use crate::envelope::{Envelope, Held, Unavailable};
use crate::refusal::Refusal;
use crate::schema::{bare, is_free};
use crate::verb::{Plane, Verb};
use table::Table;
use visible::{lines, visible};

/// How wide the reader's window is taken to be where nothing says, in characters.
pub const WIDTH: usize = 110;
/// What is left of the width for a name beside a text, in characters.
const NAME: usize = 20;

/// The answer to `verb`, for people: what was asked for, what was written, and the hints last. No
/// table is wider than `width` characters; a text may be. Ends with a newline.
pub fn human(verb: &Verb, answer: &Answer, width: usize) -> String {
    let mut out = Lines { text: String::new(), width };
    match answer {
        Answer::Done(envelope) => done(verb, envelope, &mut out),
        Answer::Refused(refusal) => refused(refusal, &mut out),
        Answer::Held(held) => waiting(verb, held, &mut out),
        Answer::Unavailable(unavailable) => not_now(unavailable, &mut out),
    }
    out.text
}

/// Text, line by line.
#[derive(Debug)]
struct Lines {
    text: String,
    width: usize,
}

impl Lines {
    /// One line. `text` holds nothing that was not made visible.
    fn push(&mut self, depth: usize, text: &str) {
        if !text.is_empty() {
            self.text.push_str(&"  ".repeat(depth));
            self.text.push_str(text);
        }
        self.text.push('\n');
    }

    /// Whether a value is shown beside its name.
    fn fits(&self, value: &Value) -> bool {
        let length_max = self.width.saturating_sub(NAME);
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => true,
            Value::String(text) if text.contains('\n') => false,
            // One word is no better off on a line of its own.
            Value::String(text) => text.chars().count() <= length_max || !text.contains(' '),
            Value::Array(items) => {
                is_flat(value)
                    && items.iter().all(|item| self.fits(item))
                    && inline(value).chars().count() <= length_max
            }
            Value::Object(fields) => fields.is_empty(),
        }
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

fn waiting(verb: &Verb, held: &Held, out: &mut Lines) {
    let Held { approval, expires, why } = held;
    out.push(0, &format!("held: {}", visible(why)));
    out.push(1, &format!("a person must release it: bailiwick approval release {approval}"));
    out.push(1, &format!("waits until: {expires}"));
    if verb.plane == Plane::Control {
        // The control plane takes nobody's word for a caller: it needs their token once more.
        out.push(1, "after that: send exactly the same call again; it is made then");
    } else {
        out.push(1, "after that: send exactly the same call again for its answer,");
        out.push(1, &format!("or read it: bailiwick approval get {approval}"));
    }
}

fn not_now(unavailable: &Unavailable, out: &mut Lines) {
    out.push(0, &format!("unavailable: {}", visible(&unavailable.what)));
    let (seconds, ms) = (unavailable.retry_after_ms / 1000, unavailable.retry_after_ms % 1000);
    // Whether anything was sent is for `what` to say: here it is not known.
    out.push(1, &format!("try again in {seconds}.{ms:03} s"));
}

/// A value on lines of its own.
fn block(value: &Value, schema: Option<&Value>, depth: usize, out: &mut Lines) {
    match value {
        Value::Object(fields) if fields.is_empty() => out.push(depth, "(nothing)"),
        Value::Object(fields) => record(fields, schema, depth, out),
        Value::Array(items) if items.is_empty() => out.push(depth, "(none)"),
        Value::Array(items) if items.iter().all(Value::is_object) => {
            let of_items = schema.and_then(|schema| schema.get("items")).map(bare);
            records(items, of_items.as_ref(), depth, out);
        }
        Value::Array(items) if is_flat(value) => {
            for item in items {
                block(item, None, depth, out);
            }
        }
        Value::Array(_) => json(value, depth, out),
        Value::String(text) => lines(text).iter().for_each(|line| out.push(depth, line)),
        Value::Null | Value::Bool(_) | Value::Number(_) => out.push(depth, &inline(value)),
    }
}

/// Fields with their values beside them; what does not fit there follows on lines of its own.
fn record(fields: &Map<String, Value>, schema: Option<&Value>, depth: usize, out: &mut Lines) {
    let width = fields
        .iter()
        .filter(|(_, value)| out.fits(value))
        .map(|(name, _)| visible(name).chars().count());
    let width = width.max().unwrap_or(0);
    let page = depth == 0 && fields.contains_key("items");
    for (name, value) in fields {
        let of_field = schema.and_then(|schema| schema.get("properties")?.get(name)).map(bare);
        let shown = visible(name);
        if page && name == "items" {
            block(value, of_field.as_ref(), depth, out);
        } else if page && name == "cursor" {
            out.push(depth, &format!("more: --cursor {}", inline(value)));
        } else if out.fits(value) {
            out.push(depth, &format!("{shown:width$}  {}", inline(value)));
        } else {
            out.push(depth, &format!("{shown}:"));
            // What takes any JSON is shown as the JSON it is: `"7"` is not `7` to who must judge it.
            if of_field.as_ref().is_some_and(takes_any_object) && !value.is_string() {
                json(value, depth + 1, out);
            } else {
                block(value, of_field.as_ref(), depth + 1, out);
            }
        }
    }
}

/// A value as indented JSON.
fn json(value: &Value, depth: usize, out: &mut Lines) {
    let text = serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string());
    text.lines().for_each(|line| out.push(depth, &visible(line)));
}

/// Whether the schema leaves it open what an object holds.
fn takes_any_object(schema: &Value) -> bool {
    let open = schema.get("additionalProperties").is_some_and(is_free);
    is_free(schema) || (open && schema.get("properties").is_none())
}

/// A table; or one record below another, where a value needs lines of its own or a table would be
/// too wide.
fn records(items: &[Value], schema: Option<&Value>, depth: usize, out: &mut Lines) {
    let items: Vec<&Map<String, Value>> = items.iter().filter_map(Value::as_object).collect();
    let declared = schema.and_then(|schema| schema.get("properties")?.as_object());
    let table = items.iter().flat_map(|item| item.values()).all(|value| out.fits(value));
    let table = table.then(|| Table::of(&items, declared));
    if let Some(rows) = table.and_then(|table| table.rows(out.width.saturating_sub(2 * depth))) {
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
