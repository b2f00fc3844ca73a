//! Owns how an input is written as a command line: the way there, of which [`super::collect()`] is
//! the way back.

use serde_json::Value;

use super::plan::{self, Flag, Form, Item};
use crate::verb::Verb;

/// The words after the program's name that send `input` to `verb`. A field that is not in the schema
/// is left out.
pub fn argv(verb: &Verb, input: &Value) -> Vec<String> {
    let mut words = vec![verb.noun().to_owned(), verb.act().to_owned()];
    let mut flags = plan::of(verb);
    flags.sort_by_key(|flag| flag.position.unwrap_or(usize::MAX));
    for flag in &flags {
        let value = flag.path.iter().try_fold(input, |value, name| value.get(name));
        if let Some(value) = value.filter(|value| !value.is_null()) {
            say(flag, value, &mut words);
        }
    }
    words
}

/// The same as one line for a shell, with the program's name.
pub fn line(program: &str, verb: &Verb, input: &Value) -> String {
    shell(program, argv(verb, input))
}

/// The verb's example as one line for a shell, with each secret in a file.
pub(super) fn example(program: &str, verb: &Verb) -> String {
    let mut input = verb.example_input.clone();
    let mut files = Vec::new();
    for flag in plan::of(verb).iter().filter(|flag| flag.is_in_file()) {
        let Some((name, above)) = flag.path.split_last() else { continue };
        let inner = above.iter().try_fold(&mut input, |value, name| value.get_mut(name));
        let fields = inner.and_then(Value::as_object_mut);
        if fields.is_some_and(|fields| fields.shift_remove(name).is_some()) {
            files.extend([format!("--{}", flag.file_long()), format!("./{name}.txt")]);
        }
    }
    shell(program, argv(verb, &input).into_iter().chain(files))
}

fn shell(program: &str, words: impl IntoIterator<Item = String>) -> String {
    let words = std::iter::once(program.to_owned()).chain(words);
    words.map(|word| quoted(&word)).collect::<Vec<_>>().join(" ")
}

fn say(flag: &Flag, value: &Value, words: &mut Vec<String>) {
    if flag.form == Form::Boolean {
        let said = if *value == Value::Bool(true) { String::new() } else { format!("={value}") };
        words.push(format!("--{}{said}", flag.long));
        return;
    }
    let items = value.as_array().filter(|items| !items.is_empty());
    let several = match (&flag.form, items) {
        (Form::List(_), Some(items)) => items.iter().map(|item| item_text(flag, item)).collect(),
        (Form::Json, _) => vec![value.to_string()],
        _ => vec![text(value)],
    };
    for value in several {
        let dashed = value.starts_with('-');
        // An object is said by its flag, so that the line says what it is.
        match flag.position.filter(|_| flag.form != Form::Pairs) {
            Some(_) if !dashed => words.push(value),
            _ if dashed => words.push(format!("--{}={value}", flag.long)),
            _ => words.extend([format!("--{}", flag.long), value]),
        }
    }
}

fn item_text(flag: &Flag, item: &Value) -> String {
    if flag.form == Form::List(Item::Json) {
        return item.to_string();
    }
    let members = item.as_object().filter(|_| flag.form == Form::List(Item::Members));
    let Some(members) = members.filter(|members| !members.is_empty()) else { return text(item) };
    let plain: Option<Vec<_>> = members
        .iter()
        .map(|(name, value)| {
            let value = text(value);
            let clear = !value.contains([',', '{', '[']) && !name.starts_with(['{', '[']);
            clear.then(|| format!("{name}={value}"))
        })
        .collect();
    plain.map_or_else(|| text(item), |pairs| pairs.join(","))
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The word as a POSIX shell reads it back.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
