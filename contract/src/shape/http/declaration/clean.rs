//! Typed extraction: the parts of an answer that hold no free text.
//!
//! The invariant: a value counts as clean only if it is of the declared kind in full. A kind cannot
//! hold a sentence: no white space, a bounded length, or a closed set.

use regex::Regex;
use regex_syntax::hir::{Class, Hir, HirKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A part of the answer that holds no free text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CleanOutput {
    /// Where it is in the answer: a JSON pointer, with `*` for every item of a list or member of an
    /// object, as in `/items/*/id`.
    pub pointer: String,
    /// What it is. A value of another kind is not clean.
    pub kind: CleanKind,
}

/// A kind of value that cannot hold a sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum CleanKind {
    /// A JSON number without fraction.
    Integer {},
    /// `true` or `false`.
    Boolean {},
    /// One of these strings.
    Enum {
        /// The strings.
        #[schemars(length(min = 1, max = 256))]
        values: Vec<String>,
    },
    /// A date (`2026-11-30`) or an RFC 3339 date and time, as a string.
    Date {},
    /// A UUID in its hyphenated form, as a string.
    Uuid {},
    /// A string that matches this expression from end to end. The expression may match no white
    /// space and nothing longer than 64 bytes.
    Pattern {
        /// The expression, in the syntax of Rust's `regex`.
        pattern: String,
    },
}

/// A value of an answer that was found to be clean.
#[derive(Debug, Clone, PartialEq)]
pub struct CleanValue {
    /// Where it was, with the `*` filled in.
    pub pointer: String,
    /// The value.
    pub value: Value,
}

/// The longest text a pattern may match, in bytes.
const MAX_PATTERN_TEXT_BYTES: usize = 64;

/// Why a [`CleanOutput`] is refused when it is declared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unfit {
    #[error("the pointer does not start with a slash")]
    Pointer,
    #[error("the list of values is empty, too long, or holds a value of more than 64 bytes")]
    Values,
    #[error("the expression cannot be read")]
    Unreadable,
    #[error("the expression can match white space, and so a sentence")]
    WhiteSpace,
    #[error("the expression can match more than {MAX_PATTERN_TEXT_BYTES} bytes")]
    Unbounded,
}

/// One declared part, ready to be looked for.
#[derive(Debug, Clone)]
pub(super) struct Rule {
    tokens: Vec<String>,
    kind: CleanKind,
    pattern: Option<Regex>,
}

impl Rule {
    pub(super) fn compile(output: &CleanOutput) -> Result<Self, Unfit> {
        let tokens = match output.pointer.strip_prefix('/') {
            Some(rest) => rest.split('/').map(unescape).collect(),
            None if output.pointer.is_empty() => Vec::new(),
            None => return Err(Unfit::Pointer),
        };
        let mut pattern = None;
        match &output.kind {
            CleanKind::Enum { values } => {
                let short = values.iter().all(|value| value.len() <= MAX_PATTERN_TEXT_BYTES);
                if values.is_empty() || values.len() > 256 || !short {
                    return Err(Unfit::Values);
                }
            }
            CleanKind::Pattern { pattern: text } => pattern = Some(compile_pattern(text)?),
            CleanKind::Integer {}
            | CleanKind::Boolean {}
            | CleanKind::Date {}
            | CleanKind::Uuid {} => {}
        }
        Ok(Self { tokens, kind: output.kind.clone(), pattern })
    }

    /// The clean values of `answer` this rule finds, added to `found`.
    pub(super) fn collect(&self, answer: &Value, found: &mut Vec<CleanValue>) {
        self.walk(answer, &self.tokens, &mut String::new(), found);
    }

    fn walk(&self, at: &Value, rest: &[String], path: &mut String, found: &mut Vec<CleanValue>) {
        let Some((token, rest)) = rest.split_first() else {
            if self.fits(at) {
                found.push(CleanValue { pointer: path.clone(), value: at.clone() });
            }
            return;
        };
        let mut step = |name: &str, inner: &Value| {
            let length = path.len();
            path.push('/');
            path.push_str(&name.replace('~', "~0").replace('/', "~1"));
            self.walk(inner, rest, path, found);
            path.truncate(length);
        };
        match at {
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    let name = index.to_string();
                    if token == "*" || *token == name {
                        step(&name, item);
                    }
                }
            }
            Value::Object(members) => {
                for (name, member) in members {
                    if token == "*" || token == name {
                        step(name, member);
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn fits(&self, value: &Value) -> bool {
        match &self.kind {
            CleanKind::Integer {} => value.is_i64() || value.is_u64(),
            CleanKind::Boolean {} => value.is_boolean(),
            CleanKind::Enum { values } => {
                value.as_str().is_some_and(|text| values.iter().any(|one| one == text))
            }
            CleanKind::Date {} => value.as_str().is_some_and(is_date),
            CleanKind::Uuid {} => value
                .as_str()
                .is_some_and(|text| text.len() == 36 && uuid::Uuid::try_parse(text).is_ok()),
            CleanKind::Pattern { .. } => value.as_str().is_some_and(|text| {
                self.pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
            }),
        }
    }
}

fn unescape(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
}

fn is_date(text: &str) -> bool {
    use time::format_description::well_known::{Iso8601, Rfc3339};
    if text.len() == 10 {
        return time::Date::parse(text, &Iso8601::DATE).is_ok();
    }
    text.len() <= 35 && time::OffsetDateTime::parse(text, &Rfc3339).is_ok()
}

fn compile_pattern(text: &str) -> Result<Regex, Unfit> {
    let hir = regex_syntax::parse(text).map_err(|_| Unfit::Unreadable)?;
    let longest = hir.properties().maximum_len();
    if longest.is_none_or(|longest| longest > MAX_PATTERN_TEXT_BYTES) {
        return Err(Unfit::Unbounded);
    }
    if matches_white_space(&hir) {
        return Err(Unfit::WhiteSpace);
    }
    Regex::new(&format!(r"\A(?:{text})\z")).map_err(|_| Unfit::Unreadable)
}

fn matches_white_space(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => false,
        HirKind::Literal(literal) => {
            String::from_utf8_lossy(&literal.0).contains(char::is_whitespace)
        }
        HirKind::Class(Class::Unicode(class)) => class.ranges().iter().any(|range| {
            WHITE_SPACE.iter().any(|space| (range.start()..=range.end()).contains(space))
        }),
        HirKind::Class(Class::Bytes(class)) => class.ranges().iter().any(|range| {
            (range.start()..=range.end()).any(|byte| byte.is_ascii_whitespace() || byte == 0x0b)
        }),
        HirKind::Repetition(repetition) => matches_white_space(&repetition.sub),
        HirKind::Capture(capture) => matches_white_space(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().any(matches_white_space)
        }
    }
}

/// Every character of Unicode's `White_Space`.
const WHITE_SPACE: [char; 25] = [
    '\u{9}', '\u{a}', '\u{b}', '\u{c}', '\u{d}', ' ', '\u{85}', '\u{a0}', '\u{1680}', '\u{2000}',
    '\u{2001}', '\u{2002}', '\u{2003}', '\u{2004}', '\u{2005}', '\u{2006}', '\u{2007}', '\u{2008}',
    '\u{2009}', '\u{200a}', '\u{2028}', '\u{2029}', '\u{202f}', '\u{205f}', '\u{3000}',
];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rule(pointer: &str, kind: Value) -> Result<Rule, Unfit> {
        Rule::compile(&CleanOutput {
            pointer: pointer.to_owned(),
            kind: serde_json::from_value(kind).unwrap(),
        })
    }

    fn found(pointer: &str, kind: Value, answer: &Value) -> Vec<String> {
        let mut found = Vec::new();
        rule(pointer, kind).unwrap().collect(answer, &mut found);
        found.into_iter().map(|clean| clean.pointer).collect()
    }

    #[test]
    fn a_value_of_the_declared_kind_is_clean_and_its_neighbour_is_not() {
        for (kind, clean, dirty) in [
            (json!({"type": "integer"}), json!(-7), json!(1.5)),
            (json!({"type": "integer"}), json!(u64::MAX), json!("7")),
            (json!({"type": "boolean"}), json!(false), json!("false")),
            (json!({"type": "enum", "values": ["open"]}), json!("open"), json!("open it")),
            (json!({"type": "date"}), json!("2026-02-28"), json!("2026-02-30")),
            (json!({"type": "date"}), json!("2026-02-28T10:00:00Z"), json!("2026-02-28 do it")),
            (
                json!({"type": "uuid"}),
                json!("0190f3a0-0000-7000-8000-000000000000"),
                json!("0190f3a0000070008000000000000000"),
            ),
            (json!({"type": "pattern", "pattern": "T-[0-9]{1,9}"}), json!("T-12"), json!("T-12 x")),
            (json!({"type": "pattern", "pattern": "a|b"}), json!("b"), json!("b\nrm")),
        ] {
            assert_eq!(found("/x", kind.clone(), &json!({"x": clean})), ["/x"], "{clean}");
            assert!(found("/x", kind, &json!({"x": dirty})).is_empty(), "{dirty}");
        }
    }

    #[test]
    fn a_star_reaches_every_item() {
        let answer = json!({"items": [{"id": 1}, {"id": "no"}, {"id": 3}], "a/b": 4});
        let kind = json!({"type": "integer"});
        assert_eq!(found("/items/*/id", kind.clone(), &answer), ["/items/0/id", "/items/2/id"]);
        assert_eq!(found("/items/2/id", kind.clone(), &answer), ["/items/2/id"]);
        assert_eq!(found("/a~1b", kind, &answer), ["/a~1b"]);
    }

    #[test]
    fn an_expression_that_could_hold_a_sentence_is_refused() {
        for (pattern, unfit) in [
            (".{1,16}", Unfit::WhiteSpace),
            ("[a-z]+", Unfit::Unbounded),
            ("[a-z ]{1,40}", Unfit::WhiteSpace),
            ("a b", Unfit::WhiteSpace),
            ("[^x]{2}", Unfit::WhiteSpace),
            ("(?:\\w|\\s){3}", Unfit::WhiteSpace),
            ("[a-z]{65}", Unfit::Unbounded),
            ("(", Unfit::Unreadable),
        ] {
            let got = rule("/x", json!({"type": "pattern", "pattern": pattern})).unwrap_err();
            assert_eq!(got, unfit, "{pattern}");
        }
        assert_eq!(rule("x", json!({"type": "integer"})).unwrap_err(), Unfit::Pointer);
        let empty = json!({"type": "enum", "values": []});
        assert_eq!(rule("/x", empty).unwrap_err(), Unfit::Values);
    }
}
