//! What a log says: how many lines of which level, and which lines come again and again.
//!
//! Lines are folded by writing `#` for every number, time, hexadecimal word and UUID in them. Invariant: bounded: at
//! most [`TRACKED`] different lines are told apart, each by its first bytes.

use super::{Structure, shown, time};
use serde::Serialize;
use std::collections::HashMap;

const TRACKED: usize = 4096;
/// How much of a line counts, in bytes.
const LINE_BYTES: usize = 256;
/// How much of a line a summary shows, in bytes.
const SHOWN_BYTES: usize = 100;
/// Folded lines that are reported.
const REPORTED: usize = 6;
/// How far into a line its level is looked for, in bytes.
const LEVEL_BYTES: usize = 120;
/// Lines by which a log is told from other text.
const SAMPLE: usize = 100;

const LEVELS: [&str; 6] = ["fatal", "error", "warn", "info", "debug", "trace"];

/// A level and how many lines have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Level {
    pub(crate) level: &'static str,
    pub(crate) lines: usize,
}

/// A line that comes more than once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Repeated {
    pub(crate) line: String,
    pub(crate) times: usize,
}

/// Counts of lines by level.
#[derive(Debug, Default)]
pub(super) struct Levels([usize; LEVELS.len()]);

impl Levels {
    pub(super) fn count(&mut self, level: Option<&'static str>) {
        let index = level.and_then(|level| LEVELS.iter().position(|&known| known == level));
        if let Some(count) = index.and_then(|index| self.0.get_mut(index)) {
            *count += 1;
        }
    }

    pub(super) fn finish(&self) -> Vec<Level> {
        let counted = LEVELS.into_iter().zip(self.0).filter(|&(_, lines)| lines > 0);
        counted.map(|(level, lines)| Level { level, lines }).collect()
    }
}

/// The level that a word names.
pub(super) fn level_named(word: &str) -> Option<&'static str> {
    let level = match word.to_ascii_lowercase().as_str() {
        "fatal" | "critical" | "crit" | "panic" | "emerg" | "alert" => "fatal",
        "error" | "err" | "severe" => "error",
        "warn" | "warning" => "warn",
        "info" | "notice" | "information" => "info",
        "debug" => "debug",
        "trace" | "verbose" => "trace",
        _ => return None,
    };
    Some(level)
}

/// The level of a line: a level's name in capitals, in brackets, or after `level=`.
fn level(line: &str) -> Option<&'static str> {
    let start = line.get(..line.floor_char_boundary(LEVEL_BYTES)).unwrap_or(line);
    let mut before = "";
    for word in start.split_inclusive(|character: char| !character.is_ascii_alphanumeric()) {
        let name = word.trim_end_matches(|character: char| !character.is_ascii_alphanumeric());
        let capital = name.len() >= 3 && name.bytes().all(|byte| byte.is_ascii_uppercase());
        let marked = before.ends_with(['[', '<', '=']) || word.ends_with([']', ':', '>']);
        if let Some(level) = level_named(name).filter(|_| capital || marked) {
            return Some(level);
        }
        before = word;
    }
    None
}

/// Whether most of the first lines have a level or start with a time.
pub(super) fn is_log(text: &str) -> bool {
    let sample: Vec<_> = text.lines().filter(|line| !line.trim().is_empty()).take(SAMPLE).collect();
    let logged = sample
        .iter()
        .filter(|line| level(line).is_some() || time::at_start(line).is_some())
        .count();
    sample.len() >= 2 && logged * 2 > sample.len()
}

/// The line with `#` for all that changes from one time to the next.
fn folded(line: &str) -> String {
    let line = line.get(..line.floor_char_boundary(LINE_BYTES)).unwrap_or(line);
    let mut out = String::with_capacity(line.len());
    let is_word = |character: char| character.is_ascii_alphanumeric();
    let mut rest = line.trim_end();
    while let Some(first) = rest.chars().next() {
        if let Some(after) = after_uuid(rest) {
            out.push('#');
            rest = after;
            continue;
        }
        let length = if is_word(first) {
            rest.find(|next| !is_word(next)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (word, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        if word.bytes().any(|byte| byte.is_ascii_digit()) {
            push_number(&mut out, word);
        } else {
            out.push_str(word);
        }
        rest = after;
    }
    out
}

/// What follows a UUID (RFC 9562) that `text` begins with. Its groups are told together, since one of
/// letters alone would look like a word.
fn after_uuid(text: &str) -> Option<&str> {
    let (uuid, after) = text.split_at_checked(36)?;
    let fits = uuid.bytes().enumerate().all(|(at, byte)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    });
    (fits && !after.starts_with(|next: char| next.is_ascii_alphanumeric())).then_some(after)
}

/// An id, time or number in several parts becomes one `#`; a word with a number keeps its letters.
fn push_number(out: &mut String, word: &str) {
    let hexadecimal = word.len() >= 4 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let letters = word.trim_end_matches(|character: char| character.is_ascii_digit());
    let named = !hexadecimal
        && !letters.is_empty()
        && letters.bytes().all(|byte| byte.is_ascii_alphabetic());
    if named {
        out.push_str(letters);
    }
    let joined =
        ["-", ":", ".", ",", "/", "+"].iter().any(|joint| out.ends_with(&format!("#{joint}")));
    if joined && !named {
        out.pop();
    } else {
        out.push('#');
    }
}

pub(super) fn of_log(text: &str) -> Structure {
    let mut levels = Levels::default();
    let mut folds: HashMap<String, (usize, usize)> = HashMap::new();
    let mut times = time::Times::default();
    let mut lines = 0;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        lines += 1;
        levels.count(level(line));
        times.meet(time::at_start(line));
        let fold = folded(line);
        let order = folds.len();
        match folds.get_mut(&fold) {
            Some((times, _)) => *times += 1,
            None if order < TRACKED => drop(folds.insert(fold, (1, order))),
            None => {}
        }
    }
    let mut repeated: Vec<_> = folds.into_iter().filter(|&(_, (times, _))| times > 1).collect();
    repeated.sort_by_key(|&(_, (times, order))| (std::cmp::Reverse(times), order));
    repeated.truncate(REPORTED);
    let repeated: Vec<_> = repeated
        .into_iter()
        .map(|(line, (times, _))| Repeated { line: shown(&line, SHOWN_BYTES), times })
        .collect();
    let other_lines = lines - repeated.iter().map(|entry| entry.times).sum::<usize>();
    let (first, last) = times.finish();
    Structure::Log { levels: levels.finish(), repeated, other_lines, first, last }
}
