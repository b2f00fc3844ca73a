//! Changes as lines of text. Invariant: one line a change, each of bounded length, and no character
//! of a declaration starts a new line.

use serde_json::Value;

use super::{Change, Group};

/// The longest value that is shown whole, in characters.
const VALUE_CHARS: usize = 160;
/// The most words of a text that are compared one by one.
const WORDS_MAX: usize = 400;
/// The most characters of a text that was compared word by word.
const WORDS_CHARS: usize = 2_000;

/// The changes, a line each: `+` widens, `-` narrows, `~` words, `*` other.
pub fn text(changes: &[(Group, Change)]) -> String {
    if changes.is_empty() {
        return "Nothing changed.\n".to_owned();
    }
    let mut out = String::new();
    for (group, change) in changes {
        let sign = match group {
            Group::Widens => '+',
            Group::Narrows => '-',
            Group::Words => '~',
            Group::Other => '*',
        };
        out.push(sign);
        out.push(' ');
        out.push_str(&line(change));
        out.push('\n');
    }
    out
}

fn line(change: &Change) -> String {
    let at: String =
        change.at.chars().map(|one| if one.is_control() { ' ' } else { one }).collect();
    let what = match (&change.before, &change.after) {
        (Some(Value::String(before)), Some(Value::String(after))) => by_words(before, after)
            .unwrap_or_else(|| format!("{} -> {}", quoted(before), quoted(after))),
        (Some(before), Some(after)) => format!("{} -> {}", shown(before), shown(after)),
        (None, Some(after)) => format!("new: {}", shown(after)),
        (Some(before), None) => format!("gone: {}", shown(before)),
        (None, None) => String::new(),
    };
    format!("{at}: {what}  ({})", change.say)
}

fn shown(value: &Value) -> String {
    cut(&value.to_string(), VALUE_CHARS)
}

fn quoted(text: &str) -> String {
    shown(&Value::String(text.to_owned()))
}

fn cut(text: &str, chars_max: usize) -> String {
    let mut rest = text.chars();
    let mut out: String = rest.by_ref().take(chars_max).collect();
    if rest.next().is_some() {
        out.push('…');
    }
    out
}

/// Two texts in one, with `[-what is gone-]` and `{+what is new+}`; none if that says less than the
/// two beside each other.
fn by_words(before: &str, after: &str) -> Option<String> {
    let (one, other): (Vec<&str>, Vec<&str>) =
        (before.split_whitespace().collect(), after.split_whitespace().collect());
    let fits = |words: &Vec<&str>| (2..=WORDS_MAX).contains(&words.len());
    if !fits(&one) || !fits(&other) || one == other {
        return None;
    }
    let common = common(&one, &other);
    let mut out: Vec<String> = Vec::new();
    let (mut gone, mut new) = (one.iter(), other.iter());
    for word in common.iter().map(Some).chain([None]) {
        let until = |words: &mut std::slice::Iter<'_, &str>| -> Vec<String> {
            let before = words.by_ref().map_while(|next| (Some(next) != word).then_some(*next));
            before.map(str::to_owned).collect()
        };
        let (gone, new) = (until(&mut gone), until(&mut new));
        out.extend((!gone.is_empty()).then(|| format!("[-{}-]", gone.join(" "))));
        out.extend((!new.is_empty()).then(|| format!("{{+{}+}}", new.join(" "))));
        out.extend(word.map(|word| (*word).to_owned()));
    }
    Some(cut(&out.join(" ").replace(char::is_control, " "), WORDS_CHARS))
}

/// The longest row of words that both have, in order.
fn common<'w>(one: &[&'w str], other: &[&str]) -> Vec<&'w str> {
    let width = other.len() + 1;
    let mut lengths = vec![0_u16; (one.len() + 1) * width];
    let at = |row: usize, column: usize| row * width + column;
    let read = |lengths: &[u16], place: usize| lengths.get(place).copied().unwrap_or_default();
    for (row, word) in one.iter().enumerate().rev() {
        for (column, against) in other.iter().enumerate().rev() {
            let longest = if word == against {
                read(&lengths, at(row + 1, column + 1)).saturating_add(1)
            } else {
                read(&lengths, at(row + 1, column)).max(read(&lengths, at(row, column + 1)))
            };
            if let Some(place) = lengths.get_mut(at(row, column)) {
                *place = longest;
            }
        }
    }
    let (mut row, mut column, mut out) = (0, 0, Vec::new());
    while let (Some(word), Some(against)) = (one.get(row), other.get(column)) {
        if word == against {
            out.push(*word);
            (row, column) = (row + 1, column + 1);
        } else if read(&lengths, at(row + 1, column)) >= read(&lengths, at(row, column + 1)) {
            row += 1;
        } else {
            column += 1;
        }
    }
    out
}
