//! Records and cells of delimited text (RFC 4180, any delimiter), as places in it.
//!
//! Cells are never copied while reading: a record is a list of offsets. Invariant: one pass, every
//! byte read once, and every input has an answer: an unclosed quote runs to the end of the text.

use std::borrow::Cow;

/// Where one cell lies, its quotes left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Whether it was quoted, so that `""` inside stands for one quote.
    pub(crate) quoted: bool,
}

impl Cell {
    /// The cell's value.
    pub(crate) fn value<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let written = text.get(self.start..self.end).unwrap_or_default();
        if self.quoted && written.contains("\"\"") {
            Cow::Owned(written.replace("\"\"", "\""))
        } else {
            Cow::Borrowed(written)
        }
    }
}

/// One record; `end` is past its last cell and before its line break.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) cells: Vec<Cell>,
}

/// Reads records one by one. Lines with nothing in them are no records.
#[derive(Debug)]
pub(crate) struct Records<'t> {
    bytes: &'t [u8],
    at: usize,
    delimiter: u8,
}

impl<'t> Records<'t> {
    /// A leading byte-order mark is no part of the first cell.
    pub(crate) fn new(text: &'t str, delimiter: u8) -> Self {
        let at = if text.starts_with('\u{feff}') { 3 } else { 0 };
        Self { bytes: text.as_bytes(), at, delimiter }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn cell(&mut self) -> Cell {
        if self.peek() != Some(b'"') {
            let start = self.at;
            self.skip_plain();
            return Cell { start, end: self.at, quoted: false };
        }
        self.at += 1;
        let start = self.at;
        while let Some(byte) = self.peek() {
            if byte == b'"' {
                if self.bytes.get(self.at + 1) != Some(&b'"') {
                    break;
                }
                self.at += 1;
            }
            self.at += 1;
        }
        let end = self.at;
        // What follows a closing quote is malformed; it is passed over up to the next delimiter.
        self.skip_plain();
        Cell { start, end, quoted: true }
    }

    fn skip_plain(&mut self) {
        while self
            .peek()
            .is_some_and(|byte| byte != self.delimiter && !matches!(byte, b'\n' | b'\r'))
        {
            self.at += 1;
        }
    }
}

impl Iterator for Records<'_> {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        while matches!(self.peek(), Some(b'\n' | b'\r')) {
            self.at += 1;
        }
        self.peek()?;
        let start = self.at;
        let mut cells = vec![self.cell()];
        while self.peek() == Some(self.delimiter) {
            self.at += 1;
            cells.push(self.cell());
        }
        Some(Record { start, end: self.at, cells })
    }
}

const SAMPLE: usize = 20;

/// The delimiter under which the first records of `text` are a table: at least two records of the
/// same two or more columns, under a header of distinct, short names. Prose is not.
pub(crate) fn delimiter(text: &str) -> Option<u8> {
    [b',', b'\t', b';', b'|'].into_iter().find(|&delimiter| is_table(text, delimiter))
}

fn is_table(text: &str, delimiter: u8) -> bool {
    let mut records = Records::new(text, delimiter).take(SAMPLE);
    let Some(header) = records.next() else {
        return false;
    };
    let mut names: Vec<_> = header.cells.iter().map(|cell| cell.value(text)).collect();
    let columns = names.len();
    let named = names.iter().all(|name| is_column_name(name));
    names.sort_unstable();
    names.dedup();
    let mut rows = records.map(|record| record.cells.len()).peekable();
    columns >= 2
        && named
        && names.len() == columns
        && rows.peek().is_some()
        && rows.all(|row| row == columns)
}

fn is_column_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 64
        && !name.starts_with(' ')
        && !name.ends_with(['.', '!', '?'])
        && !name.contains(['{', '}', '<', '>', '\n'])
        && name.contains(|character: char| character.is_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str, delimiter: u8) -> Vec<Vec<String>> {
        let values = |record: Record| {
            record.cells.iter().map(|cell| cell.value(text).into_owned()).collect()
        };
        Records::new(text, delimiter).map(values).collect()
    }

    /// Case C1 and its neighbours.
    #[test]
    fn byte_order_mark_quotes_and_newlines_in_cells() {
        for newline in ["\n", "\r\n"] {
            let text = format!("\u{feff}\"id\",\"n\"{newline}1,\"a{newline}b\"");
            assert_eq!(read(&text, b','), [["id", "n"], ["1", &format!("a{newline}b")]]);
            assert_eq!(delimiter(&text), Some(b','));
        }
        assert_eq!(read("a;\"say \"\"hi\"\"\"\n\n;\n", b';'), [["a", "say \"hi\""], ["", ""]]);
        assert_eq!(read("\"open,\n1", b','), [["open,\n1"]]);
    }

    #[test]
    fn prose_and_logs_are_no_tables() {
        for text in [
            "Hello, world\nHow, are you\n",
            "one line, only",
            "",
            "a\nb\n",
            "x,x\n1,2\n",
            "1,2\n3,4\n",
        ] {
            assert_eq!(delimiter(text), None, "{text:?}");
        }
        assert_eq!(delimiter("id\tname\n1\tAnn\n"), Some(b'\t'));
    }

    proptest! {
        #[test]
        fn what_was_written_is_read(rows in prop::collection::vec(prop::collection::vec("[a\",\n\r é]{0,6}", 2..4), 1..5)) {
            let write = |cell: &String| format!("\"{}\"", cell.replace('"', "\"\""));
            let line = |row: &Vec<String>| row.iter().map(write).collect::<Vec<_>>().join(",");
            let text = rows.iter().map(line).collect::<Vec<_>>().join("\r\n");
            prop_assert_eq!(read(&text, b','), rows);
        }

        #[test]
        fn any_text_has_an_answer(text in any::<String>()) {
            for record in Records::new(&text, b',') {
                for cell in &record.cells {
                    prop_assert!(text.get(cell.start..cell.end).is_some());
                }
            }
        }
    }
}
