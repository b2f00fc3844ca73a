//! YAML as a value of JSON, from the parser's events. Invariant: an alias costs what it stands for, so
//! that a text of a few lines cannot become a value of gigabytes; nothing recurses on the text.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, Span, Tag};
use serde_json::{Map, Number, Value};

/// The most nodes of a value, those that aliases repeat included.
const NODES_MAX: usize = 300_000;
/// The most bytes of all its texts together, those that aliases repeat included.
const BYTES_MAX: usize = 16 << 20;
/// How deep it may nest.
const DEPTH_MAX: usize = 100;

/// Why a text is no value.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Error {
    #[error("line {line}: {why}")]
    At {
        /// The line, from 1.
        line: usize,
        /// What is wrong there.
        why: String,
    },
    #[error("with its aliases it is larger than {NODES_MAX} nodes or {BYTES_MAX} bytes")]
    TooLarge,
    #[error("it holds no document, or more than one")]
    NotOne,
}

/// The one document of the text.
pub(super) fn read(text: &str) -> Result<Value, Error> {
    let mut loader = Loader::default();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| Error::At {
            line: error.marker().line(),
            why: error.info().to_owned(),
        })?;
        loader.take(event, span)?;
    }
    match loader.documents.pop() {
        Some(only) if loader.documents.is_empty() => Ok(only),
        Some(_) | None => Err(Error::NotOne),
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Size {
    nodes: usize,
    bytes: usize,
}

#[derive(Debug)]
enum Open {
    Sequence(Vec<Value>),
    Mapping { done: Map<String, Value>, key: Option<String> },
}

#[derive(Debug)]
struct Frame {
    open: Open,
    anchor: usize,
    /// What had been made when it was opened.
    before: Size,
}

#[derive(Debug, Default)]
struct Loader {
    frames: Vec<Frame>,
    anchors: HashMap<usize, (Value, Size)>,
    documents: Vec<Value>,
    made: Size,
}

impl Loader {
    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), Error> {
        let at = |why: &str| Error::At { line: span.start.line(), why: why.to_owned() };
        match event {
            Event::Alias(anchor) => {
                let (value, size) = self
                    .anchors
                    .get(&anchor)
                    .ok_or_else(|| at("an alias stands for what is not complete before it"))?;
                let (value, size) = (value.clone(), *size);
                self.grow(size)?;
                self.put(value).map_err(at)
            }
            Event::Scalar(text, style, anchor, tag) => {
                let size = Size { nodes: 1, bytes: text.len() };
                self.grow(size)?;
                let plain = style == ScalarStyle::Plain && tag.is_none_or(|tag| !is_text(&tag));
                let value = if self.awaits_key() || !plain {
                    if plain && text == "<<" {
                        return Err(at("merge keys are not read: write the members out"));
                    }
                    Value::String(text.into_owned())
                } else {
                    resolve(&text)
                };
                if anchor > 0 {
                    self.anchors.insert(anchor, (value.clone(), size));
                }
                self.put(value).map_err(at)
            }
            Event::SequenceStart(anchor, _) => {
                self.open(Open::Sequence(Vec::new()), anchor).map_err(at)
            }
            Event::MappingStart(anchor, _) => {
                self.open(Open::Mapping { done: Map::new(), key: None }, anchor).map_err(at)
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(at),
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd => Ok(()),
        }
    }

    fn grow(&mut self, by: Size) -> Result<(), Error> {
        self.made.nodes = self.made.nodes.saturating_add(by.nodes);
        self.made.bytes = self.made.bytes.saturating_add(by.bytes);
        let fits = self.made.nodes <= NODES_MAX && self.made.bytes <= BYTES_MAX;
        if fits { Ok(()) } else { Err(Error::TooLarge) }
    }

    fn awaits_key(&self) -> bool {
        let top = self.frames.last().map(|frame| &frame.open);
        matches!(top, Some(Open::Mapping { key: None, .. }))
    }

    fn open(&mut self, open: Open, anchor: usize) -> Result<(), &'static str> {
        if self.awaits_key() {
            return Err("a key is no text");
        }
        if self.frames.len() >= DEPTH_MAX {
            return Err("it nests too deep");
        }
        self.frames.push(Frame { open, anchor, before: self.made });
        Ok(())
    }

    fn close(&mut self, at: impl Fn(&str) -> Error) -> Result<(), Error> {
        self.grow(Size { nodes: 1, bytes: 0 })?;
        let frame = self.frames.pop().ok_or_else(|| at("nothing is open here"))?;
        let value = match frame.open {
            Open::Sequence(items) => Value::Array(items),
            Open::Mapping { done, .. } => Value::Object(done),
        };
        if frame.anchor > 0 {
            let size = Size {
                nodes: self.made.nodes - frame.before.nodes,
                bytes: self.made.bytes - frame.before.bytes,
            };
            // What is kept for aliases is a copy, and counts as one.
            self.grow(size)?;
            self.anchors.insert(frame.anchor, (value.clone(), size));
        }
        self.put(value).map_err(at)
    }

    fn put(&mut self, value: Value) -> Result<(), &'static str> {
        match self.frames.last_mut().map(|frame| &mut frame.open) {
            None => self.documents.push(value),
            Some(Open::Sequence(items)) => items.push(value),
            Some(Open::Mapping { done, key }) => match key.take() {
                None => {
                    let Value::String(text) = value else { return Err("a key is no text") };
                    if done.contains_key(&text) {
                        return Err("a key is there twice");
                    }
                    *key = Some(text);
                }
                Some(name) => drop(done.insert(name, value)),
            },
        }
        Ok(())
    }
}

fn is_text(tag: &Tag) -> bool {
    tag.is_yaml_core_schema() && tag.suffix == "str"
}

/// A plain scalar by the core schema of YAML 1.2 (10.3.2); what JSON has no number for is a text.
fn resolve(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    let radix = [("0x", 16), ("0o", 8)].into_iter().find_map(|(prefix, radix)| {
        u64::from_str_radix(text.strip_prefix(prefix)?, radix).ok().map(Value::from)
    });
    radix.or_else(|| number(text)).unwrap_or_else(|| Value::String(text.to_owned()))
}

fn number(text: &str) -> Option<Value> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let digits = unsigned.bytes().any(|byte| byte.is_ascii_digit());
    if !digits || !unsigned.bytes().all(|byte| b"0123456789.eE+-".contains(&byte)) {
        return None;
    }
    if unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
        let plain = text.strip_prefix('+').unwrap_or(text);
        if let Ok(number) = plain.parse::<i64>() {
            return Some(number.into());
        }
        if let Ok(number) = plain.parse::<u64>() {
            return Some(number.into());
        }
    }
    text.parse().ok().and_then(Number::from_f64).map(Value::Number)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn yaml_is_read_as_the_json_that_it_means() {
        let text = "a: 1\n200: { b: [yes, 'no', \"x\\n\", ~, true] }\nc: |\n  two\n  lines\nd: &x {e: 0x1f, f: -1.5, g: 1.2.3, h: !!str 7}\ni: *x\nj: 2026-11-30\nk: 18446744073709551615\n";
        let one = json!({ "e": 31, "f": -1.5, "g": "1.2.3", "h": "7" });
        assert_eq!(
            read(text).expect("YAML"),
            json!({
                "a": 1, "200": { "b": ["yes", "no", "x\n", null, true] }, "c": "two\nlines\n",
                "d": one, "i": one, "j": "2026-11-30", "k": 18_446_744_073_709_551_615_u64
            })
        );
    }

    #[test]
    fn what_means_no_json_is_refused_with_its_line() {
        for (text, line) in [
            ("a: 1\na: 2\n", 2),
            ("a:\n  <<: {b: 1}\n", 2),
            ("a: &x [*x]\n", 1),
            ("? [a]\n: b\n", 1),
            ("a: [1, 2\n", 2),
        ] {
            let error = read(text).expect_err(text);
            assert!(matches!(error, Error::At { line: at, .. } if at == line), "{text}: {error}");
        }
        for text in ["", "a: 1\n---\nb: 2\n"] {
            assert_eq!(read(text), Err(Error::NotOne), "{text}");
        }
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        assert!(read(&deep).is_err());
        assert!(read(&"- ".repeat(50_000)).is_err());
    }

    #[test]
    fn aliases_that_multiply_are_stopped() {
        let mut lines = vec!["a0: &a0 [x,x,x,x,x,x,x,x,x,x]".to_owned()];
        for n in 1..12 {
            let inner = vec![format!("*a{}", n - 1); 10].join(",");
            lines.push(format!("a{n}: &a{n} [{inner}]"));
        }
        assert_eq!(read(&lines.join("\n")), Err(Error::TooLarge));
        let long = format!("a: &a {}\nb: [{}]\n", "x".repeat(10_000), vec!["*a"; 5_000].join(","));
        assert_eq!(read(&long), Err(Error::TooLarge));
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(json!(null)),
            any::<bool>().prop_map(|b| json!(b)),
            any::<i64>().prop_map(|n| json!(n)),
            "[ -~é\n\t]{0,12}".prop_map(|text| json!(text)),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
                prop::collection::btree_map("[ -~é]{0,6}", inner, 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn json_is_yaml(value in json()) {
            prop_assert_eq!(read(&value.to_string()), Ok(value));
        }

        #[test]
        fn any_text_is_read_or_refused(text in "[-a{}\\[\\],:&*!|> \n'\"#%@?0-9.e]{0,80}") {
            let _read = read(&text);
        }
    }
}
