//! Reading a `JSONPath` (RFC 9535).
//!
//! Offered: names, indices, wildcards, slices, unions, descendants, and filters that test or
//! compare a singular path with a literal, joined by `&&`, `||` and `!`. Not offered: functions,
//! parentheses and filters inside filters, because what nests without bound is a way to stop a
//! worker. Invariant: no recursion; what is not offered is refused at its byte.

mod reader;

use super::Error;
use reader::Reader;

/// Longest path, in bytes.
const LIMIT: usize = 2048;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Path {
    pub(super) segments: Vec<Segment>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Segment {
    /// `..`: applies to the node and to all below it.
    pub(super) descends: bool,
    pub(super) selectors: Vec<Selector>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Selector {
    Name(String),
    Wildcard,
    Index(i64),
    Slice {
        start: Option<i64>,
        end: Option<i64>,
        step: i64,
    },
    /// Alternatives, each of which holds if all of its tests do.
    Filter(Vec<Vec<Test>>),
}

/// A test of one value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Test {
    pub(super) negated: bool,
    /// Whether the path starts at the root (`$`) instead of the tested value (`@`).
    pub(super) from_root: bool,
    pub(super) steps: Vec<Step>,
    /// Nothing: the path must lead somewhere.
    pub(super) comparison: Option<(Operator, Literal)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    Name(String),
    Index(i64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Operator {
    /// The operator that says the same with the sides changed.
    const fn turned(self) -> Self {
        match self {
            Self::Equal | Self::Unequal => self,
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Greater => Self::Less,
            Self::GreaterOrEqual => Self::LessOrEqual,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Literal {
    Text(String),
    /// As written, so that no digit is lost.
    Number(String),
    Boolean(bool),
    Null,
}

impl Path {
    pub(super) fn parse(text: &str) -> Result<Self, Error> {
        let mut reader = Reader::new(text);
        if text.len() > LIMIT {
            return Err(Error::BadPath { at: LIMIT, reason: "it is longer than 2048 bytes" });
        }
        reader.expect("$", "it must start with `$`")?;
        let mut segments = Vec::new();
        loop {
            reader.skip_space();
            if reader.rest().is_empty() {
                return Ok(Self { segments });
            }
            segments.push(reader.segment()?);
        }
    }
}

impl Reader<'_> {
    fn segment(&mut self) -> Result<Segment, Error> {
        let descends = self.eat("..");
        if self.eat("[") {
            return Ok(Segment { descends, selectors: self.union()? });
        }
        if !descends {
            self.expect(".", "a segment starts with `.`, `..` or `[`")?;
        }
        let selector =
            if self.eat("*") { Selector::Wildcard } else { Selector::Name(self.short_name()?) };
        Ok(Segment { descends, selectors: vec![selector] })
    }

    fn short_name(&mut self) -> Result<String, Error> {
        let start = self.at();
        let name = self.take_while(|character| {
            character.is_alphanumeric() || character == '_' || !character.is_ascii()
        });
        if name.is_empty() || name.starts_with(|character: char| character.is_ascii_digit()) {
            return Self::fail_at(
                start,
                "a name after a dot has letters, digits and `_` and starts with no digit",
            );
        }
        Ok(name.to_owned())
    }

    fn union(&mut self) -> Result<Vec<Selector>, Error> {
        let mut selectors = Vec::new();
        loop {
            self.skip_space();
            selectors.push(self.selector()?);
            self.skip_space();
            if self.eat("]") {
                return Ok(selectors);
            }
            self.expect(",", "`]` or `,` is missing")?;
        }
    }

    fn selector(&mut self) -> Result<Selector, Error> {
        if self.eat("*") {
            return Ok(Selector::Wildcard);
        }
        if self.eat("?") {
            return self.filter();
        }
        if let Some(name) = self.quoted()? {
            return Ok(Selector::Name(name));
        }
        self.index_or_slice()
    }

    fn index_or_slice(&mut self) -> Result<Selector, Error> {
        let start = self.integer()?;
        self.skip_space();
        if !self.eat(":") {
            return start.map_or_else(
                || self.fail("a name in quotes, an index, `*`, a slice or a filter is missing"),
                |index| Ok(Selector::Index(index)),
            );
        }
        self.skip_space();
        let end = self.integer()?;
        self.skip_space();
        let mut step = 1;
        if self.eat(":") {
            self.skip_space();
            step = self.integer()?.unwrap_or(1);
        }
        Ok(Selector::Slice { start, end, step })
    }

    /// What follows `?`. One pair of parentheses around the whole, as older dialects demand, is
    /// passed over.
    fn filter(&mut self) -> Result<Selector, Error> {
        self.skip_space();
        let wrapped = self.eat("(");
        let mut alternatives = Vec::new();
        let mut tests = Vec::new();
        loop {
            self.skip_space();
            tests.push(self.test()?);
            self.skip_space();
            if self.eat("&&") {
                continue;
            }
            alternatives.push(std::mem::take(&mut tests));
            if !self.eat("||") {
                break;
            }
        }
        if wrapped {
            self.expect(")", "`)` is missing; parentheses stand around the whole filter only")?;
        }
        Ok(Selector::Filter(alternatives))
    }

    fn test(&mut self) -> Result<Test, Error> {
        let negated = self.eat("!");
        self.skip_space();
        if !self.rest().starts_with(['@', '$']) {
            let literal = self.literal()?;
            self.skip_space();
            let Some(operator) = self.operator() else {
                return self.fail("a comparison is missing");
            };
            self.skip_space();
            let (from_root, steps) = self.singular()?;
            return Ok(Test {
                negated,
                from_root,
                steps,
                comparison: Some((operator.turned(), literal)),
            });
        }
        let (from_root, steps) = self.singular()?;
        self.skip_space();
        let Some(operator) = self.operator() else {
            return Ok(Test { negated, from_root, steps, comparison: None });
        };
        if negated {
            return self.fail("`!` stands before a test of being there, not before a comparison");
        }
        self.skip_space();
        Ok(Test { negated, from_root, steps, comparison: Some((operator, self.literal()?)) })
    }

    fn operator(&mut self) -> Option<Operator> {
        let operators = [
            ("==", Operator::Equal),
            ("!=", Operator::Unequal),
            ("<=", Operator::LessOrEqual),
            (">=", Operator::GreaterOrEqual),
            ("<", Operator::Less),
            (">", Operator::Greater),
        ];
        operators.into_iter().find_map(|(written, operator)| self.eat(written).then_some(operator))
    }

    fn singular(&mut self) -> Result<(bool, Vec<Step>), Error> {
        let from_root = self.eat("$");
        if !from_root {
            self.expect("@", "a path from `@` or `$` is missing")?;
        }
        let mut steps = Vec::new();
        loop {
            if self.rest().starts_with("..") || self.rest().starts_with(".*") {
                return self.fail("a path in a filter leads to one value");
            } else if self.eat(".") {
                steps.push(Step::Name(self.short_name()?));
            } else if self.eat("[") {
                steps.push(match self.quoted()? {
                    Some(name) => Step::Name(name),
                    None => match self.integer()? {
                        Some(index) => Step::Index(index),
                        None => return self.fail("a path in a filter leads to one value"),
                    },
                });
                self.expect("]", "`]` is missing")?;
            } else {
                return Ok((from_root, steps));
            }
        }
    }
}
