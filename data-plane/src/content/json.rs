//! Where each value of a JSON text (RFC 8259) lies, byte for byte.
//!
//! Detection, slices and summaries need the *place* of a value, not a copy of it: a copy loses
//! digits of long numbers and the way strings were written. So this module reads events with
//! offsets. Invariant: nesting lives on the heap and reading is linear in the text, so no depth of
//! brackets can overflow the stack.

mod decode;
pub(crate) mod tree;

pub(crate) use decode::decode;

/// What a JSON value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Kind {
    Object,
    Array,
    String,
    Number,
    Boolean,
    Null,
}

impl Kind {
    /// The name JSON Schema gives this type.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Array => "array",
            Self::String => "string",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Null => "null",
        }
    }
}

/// One step of reading. Offsets are bytes of the text; strings and keys include their quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    Open { kind: Kind, start: usize },
    Close { end: usize },
    Key { start: usize, end: usize },
    Scalar { kind: Kind, start: usize, end: usize },
}

/// The text is not JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not JSON from byte {at} on")]
pub(crate) struct Error {
    /// The first byte that no JSON text can have there.
    pub(crate) at: usize,
}

#[derive(Debug, Clone, Copy)]
enum Expect {
    Value,
    FirstItem,
    FirstKey,
    Next,
    Nothing,
}

/// Reads one JSON text as events. After an error it ends.
#[derive(Debug)]
pub(crate) struct Lexer<'t> {
    bytes: &'t [u8],
    at: usize,
    /// One entry for each open container: whether it is an object.
    open: Vec<bool>,
    expect: Expect,
}

impl<'t> Lexer<'t> {
    /// A leading byte-order mark is passed over (RFC 8259 section 8.1 lets a reader do so).
    pub(crate) fn new(text: &'t str) -> Self {
        let at = if text.starts_with('\u{feff}') { 3 } else { 0 };
        Self { bytes: text.as_bytes(), at, open: Vec::new(), expect: Expect::Value }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.at += 1;
        }
        found
    }

    const fn fail<T>(&self) -> Result<T, Error> {
        Err(Error { at: self.at })
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn step(&mut self) -> Result<Option<Event>, Error> {
        self.skip_space();
        let expect = self.expect;
        match expect {
            Expect::FirstItem if self.eat(b']') => Ok(Some(self.close())),
            Expect::Value | Expect::FirstItem => self.value().map(Some),
            Expect::FirstKey if self.eat(b'}') => Ok(Some(self.close())),
            Expect::FirstKey => self.key().map(Some),
            Expect::Next => self.next_or_close(),
            Expect::Nothing => Ok(None),
        }
    }

    fn next_or_close(&mut self) -> Result<Option<Event>, Error> {
        let Some(&object) = self.open.last() else {
            return if self.at == self.bytes.len() { Ok(None) } else { self.fail() };
        };
        if self.eat(if object { b'}' } else { b']' }) {
            return Ok(Some(self.close()));
        }
        if !self.eat(b',') {
            return self.fail();
        }
        self.skip_space();
        if object { self.key().map(Some) } else { self.value().map(Some) }
    }

    fn close(&mut self) -> Event {
        self.open.pop();
        self.expect = Expect::Next;
        Event::Close { end: self.at }
    }

    fn key(&mut self) -> Result<Event, Error> {
        let start = self.at;
        self.string()?;
        let end = self.at;
        self.skip_space();
        if !self.eat(b':') {
            return self.fail();
        }
        self.expect = Expect::Value;
        Ok(Event::Key { start, end })
    }

    fn value(&mut self) -> Result<Event, Error> {
        let start = self.at;
        self.expect = Expect::Next;
        let kind = match self.peek() {
            Some(b'{') => return Ok(self.enter(Kind::Object, Expect::FirstKey)),
            Some(b'[') => return Ok(self.enter(Kind::Array, Expect::FirstItem)),
            Some(b'"') => self.string().map(|()| Kind::String)?,
            Some(b'-' | b'0'..=b'9') => self.number().map(|()| Kind::Number)?,
            Some(b't') => self.word(b"true", Kind::Boolean)?,
            Some(b'f') => self.word(b"false", Kind::Boolean)?,
            Some(b'n') => self.word(b"null", Kind::Null)?,
            _ => return self.fail(),
        };
        Ok(Event::Scalar { kind, start, end: self.at })
    }

    fn enter(&mut self, kind: Kind, expect: Expect) -> Event {
        self.open.push(kind == Kind::Object);
        self.expect = expect;
        self.at += 1;
        Event::Open { kind, start: self.at - 1 }
    }

    fn word(&mut self, word: &[u8], kind: Kind) -> Result<Kind, Error> {
        for &byte in word {
            if !self.eat(byte) {
                return self.fail();
            }
        }
        Ok(kind)
    }

    fn string(&mut self) -> Result<(), Error> {
        if !self.eat(b'"') {
            return self.fail();
        }
        while let Some(byte) = self.peek() {
            match byte {
                b'"' => {
                    self.at += 1;
                    return Ok(());
                }
                b'\\' => {
                    self.at += 1;
                    self.escape()?;
                }
                0..0x20 => return self.fail(),
                _ => self.at += 1,
            }
        }
        self.fail()
    }

    fn escape(&mut self) -> Result<(), Error> {
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 1,
            Some(b'u') => {
                self.at += 1;
                for _ in 0..4 {
                    if !self.peek().is_some_and(|byte| byte.is_ascii_hexdigit()) {
                        return self.fail();
                    }
                    self.at += 1;
                }
            }
            _ => return self.fail(),
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Error> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start { self.fail() } else { Ok(()) }
    }

    fn number(&mut self) -> Result<(), Error> {
        self.eat(b'-');
        if !self.eat(b'0') {
            self.digits()?;
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            if !self.eat(b'+') {
                self.eat(b'-');
            }
            self.digits()?;
        }
        Ok(())
    }
}

impl Iterator for Lexer<'_> {
    type Item = Result<Event, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let step = self.step();
        if step.is_err() {
            self.expect = Expect::Nothing;
        }
        step.transpose()
    }
}

/// Whether the whole text is one JSON value.
pub(crate) fn is_json(text: &str) -> bool {
    Lexer::new(text).all(|event| event.is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn agrees_with_serde_on_what_is_json() {
        let good = ["{}", "[]", "[1,-0.5e+3,\"a\\u00e9\",true,false,null]", " {\"a\":{\"b\":[]}} "];
        let bad = ["", "{", "[1,]", "{\"a\":1,}", "01", "1.", "\"\n\"", "[1 2]", "tru", "{a:1}"];
        for text in good {
            assert!(is_json(text), "{text}");
        }
        for text in bad {
            assert!(!is_json(text), "{text}");
        }
    }

    #[test]
    fn says_where_it_stopped() {
        let error = Lexer::new("[1, x]").find_map(Result::err);
        assert_eq!(error, Some(Error { at: 4 }));
    }

    #[test]
    fn survives_any_depth() {
        let deep = "[".repeat(500_000);
        assert!(!is_json(&deep));
        assert!(is_json(&format!("{deep}{}", "]".repeat(500_000))));
    }

    proptest! {
        #[test]
        fn grammar_is_that_of_serde(text in "[\\[\\]{}:,\"a0-2.eE+\\-\\\\ ]{0,12}") {
            // Numbers too large for f64 are JSON all the same; twelve characters can hold one.
            let serde = match serde_json::from_str::<serde_json::Value>(&text) {
                Ok(_) => true,
                Err(error) => error.to_string().contains("number out of range"),
            };
            prop_assert_eq!(is_json(&text), serde, "{}", text);
        }
    }
}
