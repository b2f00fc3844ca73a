//! Reading the words of a `JSONPath`: names, numbers, quoted text.

use super::Literal;
use crate::content::json;
use crate::content::slice::Error;

/// A path and how far it is read.
pub(super) struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    pub(super) const fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    pub(super) const fn at(&self) -> usize {
        self.at
    }

    /// Refuses what stands at an earlier place.
    pub(super) const fn fail_at<T>(at: usize, reason: &'static str) -> Result<T, Error> {
        Err(Error::BadPath { at, reason })
    }

    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    pub(super) const fn fail<T>(&self, reason: &'static str) -> Result<T, Error> {
        Self::fail_at(self.at, reason)
    }

    pub(super) fn expect(&mut self, token: &str, reason: &'static str) -> Result<(), Error> {
        if self.eat(token) { Ok(()) } else { self.fail(reason) }
    }

    pub(super) fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
    }

    pub(super) fn take_while(&mut self, belongs: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let length = rest.find(|character| !belongs(character)).unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }

    /// RFC 9535 section 2.1: integers lie within what a double holds exactly, without leading zeros.
    pub(super) fn integer(&mut self) -> Result<Option<i64>, Error> {
        let start = self.at;
        self.eat("-");
        self.take_while(|character| character.is_ascii_digit());
        let written = self.text.get(start..self.at).unwrap_or_default();
        if written.is_empty() {
            return Ok(None);
        }
        let digits = written.trim_start_matches('-');
        let plain = written == "0" || !(digits.is_empty() || digits.starts_with('0'));
        let value =
            written.parse::<i64>().ok().filter(|value| plain && value.unsigned_abs() < 1 << 53);
        if value.is_none() {
            return Self::fail_at(start, "this is no integer");
        }
        Ok(value)
    }

    /// A string in single or double quotes, if one stands here. Its escapes are those of JSON, and
    /// the quotes themselves.
    pub(super) fn quoted(&mut self) -> Result<Option<String>, Error> {
        let start = self.at;
        let Some(quote) = self.rest().chars().next().filter(|first| matches!(first, '"' | '\''))
        else {
            return Ok(None);
        };
        let mut inner = String::new();
        let mut characters = self.rest().char_indices().skip(1);
        while let Some((offset, character)) = characters.next() {
            match character {
                _ if character == quote => {
                    self.at += offset + 1;
                    let valid = json::is_json(&format!("\"{inner}\""));
                    let text = valid.then(|| json::decode(&inner).text.into_owned());
                    return text.map_or_else(
                        || {
                            Self::fail_at(
                                start,
                                "this text has a control character or a wrong escape",
                            )
                        },
                        |text| Ok(Some(text)),
                    );
                }
                '\\' => match characters.next() {
                    Some((_, '\'')) => inner.push('\''),
                    Some((_, escaped)) => inner.extend(['\\', escaped]),
                    None => break,
                },
                '"' => inner.push_str("\\\""),
                _ => inner.push(character),
            }
        }
        self.fail("the quote is not closed")
    }

    pub(super) fn literal(&mut self) -> Result<Literal, Error> {
        if let Some(text) = self.quoted()? {
            return Ok(Literal::Text(text));
        }
        let start = self.at;
        let word = self.take_while(|character| {
            character.is_ascii_alphanumeric() || matches!(character, '-' | '+' | '.')
        });
        let number = word.starts_with(|first: char| first == '-' || first.is_ascii_digit());
        match word {
            "true" => Ok(Literal::Boolean(true)),
            "false" => Ok(Literal::Boolean(false)),
            "null" => Ok(Literal::Null),
            _ if number && json::is_json(word) => Ok(Literal::Number(word.to_owned())),
            _ => Self::fail_at(
                start,
                "a text in quotes, a number, true, false or null is missing; functions are not offered",
            ),
        }
    }
}
