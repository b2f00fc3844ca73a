//! A text being searched: bounded looks around a position.
//!
//! Invariant: whatever is asked costs a constant, or is a run of bytes remembered until it ends, so
//! asking at every position stays linear in the text. Positions found are character boundaries,
//! because every run starts and stops at an ASCII byte or at an end of the text.

use super::key::Key;

/// How far back or ahead a position's surroundings are looked at, in bytes.
const WINDOW: usize = 40;
/// Fewest digits of a number that is looked for.
const DIGITS: usize = 7;

/// A run of bytes of one class, remembered.
#[derive(Debug, Default, Clone, Copy)]
struct Run {
    start: usize,
    end: usize,
}

/// The text, what is known of its place, and the runs last measured.
#[derive(Debug)]
pub(super) struct Scan<'t> {
    text: &'t str,
    bytes: &'t [u8],
    /// The JSON key or the column name under which the text stands.
    key: &'t Key,
    tokens: [Run; 5],
    value: Run,
    armour: Run,
    block: Option<Run>,
    /// Bytes looked at, so that tests can measure growth without a clock.
    #[cfg(test)]
    pub(super) work: std::cell::Cell<usize>,
}

impl<'t> Scan<'t> {
    pub(super) fn new(text: &'t str, key: &'t Key) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            key,
            tokens: [Run::default(); 5],
            value: Run::default(),
            armour: Run::default(),
            block: None,
            #[cfg(test)]
            work: std::cell::Cell::new(0),
        }
    }

    pub(super) const fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn key(&self) -> &'t [String] {
        &self.key.words
    }

    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        #[cfg(test)]
        self.work.set(self.work.get() + 1);
        self.bytes.get(at).copied()
    }

    pub(super) fn before(&self, at: usize) -> Option<u8> {
        self.byte(at.checked_sub(1)?)
    }

    /// The text between two boundaries; empty if they are none.
    pub(super) fn get(&self, start: usize, end: usize) -> &'t str {
        #[cfg(test)]
        self.work.set(self.work.get() + end.saturating_sub(start));
        self.text.get(start..end).unwrap_or_default()
    }

    /// As [`Self::get`], of at most `limit` bytes.
    pub(super) fn head(&self, start: usize, end: usize, limit: usize) -> &'t str {
        let cut = self.text.floor_char_boundary(start.saturating_add(limit));
        self.get(start, end.min(cut))
    }

    pub(super) fn starts_with(&self, at: usize, prefix: &str) -> bool {
        self.bytes.get(at..).is_some_and(|rest| rest.starts_with(prefix.as_bytes()))
    }

    /// Whether no ASCII letter or digit stands right before `at`.
    pub(super) fn opens(&self, at: usize) -> bool {
        !self.before(at).is_some_and(|byte| byte.is_ascii_alphanumeric())
    }

    /// Whether no ASCII letter or digit stands at `at`.
    pub(super) fn closes(&self, at: usize) -> bool {
        !self.byte(at).is_some_and(|byte| byte.is_ascii_alphanumeric())
    }

    /// Whether `at` goes on a number or date begun before: `.4111`, `2024-01`, `10:30`, `1,000`.
    pub(super) fn goes_on(&self, at: usize) -> bool {
        let joined = matches!(self.before(at), Some(b'.' | b',' | b'-' | b'/' | b':' | b'+'));
        joined && self.before(at - 1).is_some_and(|byte| byte.is_ascii_digit())
    }

    /// Whether a number that ends at `at` is gone on with: `.5`, `-01`, `:30`.
    pub(super) fn is_gone_on_with(&self, at: usize) -> bool {
        let joined = matches!(self.byte(at), Some(b'.' | b'-' | b'/' | b':' | b'+'));
        joined && self.byte(at + 1).is_some_and(|byte| byte.is_ascii_digit())
    }

    /// Whether so many digits follow, with no more than single separators between them, that they
    /// can be a number of any kind. Letters may take the place of digits in some.
    pub(super) fn is_number(&self, at: usize) -> bool {
        let mut digits = 0;
        for here in at..at + WINDOW {
            match self.byte(here) {
                Some(b'0'..=b'9') => digits += 1,
                Some(b'A'..=b'Z') => return true,
                Some(b' ' | b'-' | b'.' | b'/' | b'(' | b')' | 0x80..) => {}
                _ => break,
            }
            if digits >= DIGITS {
                return true;
            }
        }
        false
    }

    /// The end of the run of `A-Z a-z 0-9 _ -` that holds `at`. Tokens of several parts remember
    /// each part in a slot of its own (0 to 4), else asking for one would forget the other.
    pub(super) fn token_end(&mut self, slot: usize, at: usize) -> usize {
        let known = self.tokens.get(slot).copied().unwrap_or_default();
        let run = self.extend(known, at, is_token_byte);
        if let Some(remembered) = self.tokens.get_mut(slot) {
            *remembered = run;
        }
        run.end
    }

    /// The end of what can be the inside of an armoured key block at `at`.
    pub(super) fn armour_end(&mut self, at: usize) -> usize {
        self.armour = self.extend(self.armour, at, is_armour_byte);
        self.armour.end
    }

    /// The end of what can be an unquoted value at `at`.
    pub(super) fn value_end(&mut self, at: usize) -> usize {
        self.value = self.extend(self.value, at, is_value_byte);
        self.value.end
    }

    fn extend(&self, known: Run, at: usize, class: fn(u8) -> bool) -> Run {
        if known.start <= at && at < known.end {
            return known;
        }
        let mut end = at;
        while self.byte(end).is_some_and(class) {
            end += 1;
        }
        Run { start: at, end }
    }

    /// The next `needle` at or after `at`. Ask for one needle and growing positions only: the
    /// answer is remembered, also that there is none.
    pub(super) fn find_ahead(&mut self, at: usize, needle: &str) -> Option<usize> {
        let known = self.block.filter(|run| run.start <= at && at <= run.end);
        let run = known.unwrap_or_else(|| {
            let found = self.text.get(at..).and_then(|rest| rest.find(needle));
            Run { start: at, end: found.map_or(usize::MAX, |offset| at + offset) }
        });
        self.block = Some(run);
        Some(run.end).filter(|&end| end != usize::MAX)
    }

    /// The text of at most [`WINDOW`] bytes before `at`.
    pub(super) fn window_before(&self, at: usize) -> &'t str {
        self.get(self.text.ceil_char_boundary(at.saturating_sub(WINDOW)), at)
    }

    /// The length of the one separating space or dash at `at`, written in any of its usual forms,
    /// and the ASCII character it stands for.
    pub(super) fn separator(&self, at: usize) -> Option<(u8, usize)> {
        let byte = self.byte(at)?;
        if byte.is_ascii() {
            return matches!(byte, b' ' | b'-' | b'.' | b'/' | b'(' | b')').then_some((byte, 1));
        }
        let rest = self.bytes.get(at..)?;
        let wide = |forms: &[&str]| {
            forms.iter().find(|form| rest.starts_with(form.as_bytes())).map(|form| form.len())
        };
        let space = wide(&["\u{a0}", "\u{202f}", "\u{2009}"]).map(|length| (b' ', length));
        space.or_else(|| wide(&["\u{2010}", "\u{2011}", "\u{2013}"]).map(|length| (b'-', length)))
    }
}

pub(super) const fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

const fn is_armour_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'+' | b'/' | b'=' | b'-' | b':' | b',' | b'\\' | b' ' | b'\n' | b'\r')
}

const fn is_value_byte(byte: u8) -> bool {
    !matches!(
        byte,
        0..=b' '
            | b'"'
            | b'\''
            | b'`'
            | b','
            | b';'
            | b'&'
            | b'<'
            | b'>'
            | b')'
            | b'}'
            | b'|'
            | b'\\'
            | 0x7f
    )
}
