//! One fault at a time, each with the line and the reason it is refused by.

use super::*;

/// Six entries, a checkpoint after the fourth and one at the end: nine lines with the header.
struct Sample {
    text: String,
}

impl Sample {
    fn new() -> Self {
        Self { text: Ledger::new(6).export(0, 4) }
    }

    /// The line at `number`, counted from 1, changed or left out.
    fn with(&self, number: usize, change: impl Fn(&str) -> Option<String>) -> String {
        let lines = self.text.split_inclusive('\n').enumerate();
        lines
            .filter_map(
                |(at, line)| {
                    if at + 1 == number { change(line) } else { Some(line.to_owned()) }
                },
            )
            .collect()
    }

    fn without(&self, number: usize) -> String {
        self.with(number, |_| None)
    }

    fn edit(&self, number: usize, from: &str, to: &str) -> String {
        let edited = self.with(number, |line| Some(line.replacen(from, to, 1)));
        assert_ne!(edited, self.text, "line {number} has no {from}");
        edited
    }
}

fn assert_refused<const N: usize>(cases: [(String, u64, &str); N]) {
    for (text, line, word) in cases {
        assert_eq!(refusal(&text), (line, word.to_owned()), "{text}");
    }
}

#[test]
fn a_header_that_nothing_bears_out_is_refused() {
    let sample = Sample::new();
    let header = |from: &str, to: &str| sample.edit(1, from, to);
    let key = worker().key().to_base64();
    assert_refused([
        (header("\"bailiwick_ledger\":1", "\"bailiwick_ledger\":2"), 1, "Version"),
        (header("\"identity\":\"acme\"", "\"identity\":\"acmf\""), 1, "Origin"),
        (header("\"first_seq\":0", "\"first_seq\":1"), 1, "Frontier"),
        (header("\"first_seq\":0", "\"first_seq\":6"), 1, "EmptyStretch"),
        (header("\"frontier\":[]", "\"frontier\":null"), 1, "Shape"),
        (header("\"role\":\"worker\"", "\"role\":\"control_plane\""), 1, "KeyRole"),
        (header("\"role\":\"control_plane\"", "\"role\":\"worker\""), 1, "KeyRole"),
        (header("\"role\":\"worker\"", "\"role\":\"owner\""), 1, "Shape"),
        (header(&key, &control().key().to_base64()), 6, "UnknownSigner"),
        (header(&key, "AAAA"), 1, "Key"),
        (header("\"next_seq\":6", "\"next_seq\":7"), 10, "Incomplete"),
        (header("\"next_seq\":6", "\"next_seq\":5"), 8, "Beyond"),
        (header("\"checkpoints\":2", "\"checkpoints\":3"), 10, "CheckpointCount"),
        (header("}", "},\"note\":1"), 1, "Json"),
        (sample.without(1), 1, "Shape"),
        (String::new(), 1, "Empty"),
    ]);
}

#[test]
fn a_changed_entry_is_refused_at_its_line() {
    let sample = Sample::new();
    assert_refused([
        (sample.edit(2, "\"at_ms\":1000", "\"at_ms\":1001"), 2, "Hash"),
        (sample.edit(3, "\"status\":\"ok\"", "\"status\":\"no\""), 3, "Hash"),
        (sample.edit(3, "\"kind\":\"outcome\"", "\"kind\":\"Outcome\""), 3, "Entry"),
        (sample.edit(3, "\"status\":\"ok\"", "\"status\": \"ok\""), 3, "NotCanonical"),
        (sample.edit(3, "\"ok\"", "\"\\u006fk\""), 3, "NotCanonical"),
        (sample.edit(3, "\"ok\"", "\"ok\",\"status\":\"ok\""), 3, "Json"),
        (sample.edit(3, "\"seq\":1", "\"seq\":2"), 3, "Chain"),
        (sample.edit(3, "\"seq\":1", "\"seq\":1.5"), 3, "Shape"),
        (sample.edit(3, "{\"at_ms\"", "{\"actor\":1,\"at_ms\""), 3, "Shape"),
        (sample.without(3), 3, "Chain"),
    ]);
}

#[test]
fn a_changed_checkpoint_is_refused_at_its_line() {
    let sample = Sample::new();
    let last = sample.text.lines().last().unwrap();
    assert_refused([
        (sample.edit(6, "ledger/acme\\n4", "ledger/acmf\\n4"), 6, "CheckpointOrigin"),
        (sample.edit(6, "acme\\n4", "acme\\n3"), 6, "CheckpointSize"),
        (sample.edit(6, "control-plane ", "control-plana "), 6, "UnknownSigner"),
        (sample.edit(6, "\\n\\n", "\\nmore\\n\\n"), 6, "Checkpoint"),
        (sample.without(6), 9, "CheckpointCount"),
        (sample.without(9), 9, "Unsigned"),
        (format!("{}{last}\n", sample.text), 10, "CheckpointRepeated"),
        (sample.text.trim_end().to_owned(), 9, "Unterminated"),
        (format!("{}\n", sample.text), 10, "Json"),
        (sample.text.replace('\n', "\r\n"), 1, "NotCanonical"),
    ]);
}
