//! The sums of one ranking.
//!
//! Invariant: a doc is found exactly if some word matched it, and its sum is then above 0.

use crate::catalogue::words::index::Posting;
use crate::catalogue::words::kin::Sense;
use std::cmp::{Ordering, Reverse};

/// What a tool whose effect is the one that is wanted gains.
const SENSE_GAIN: f32 = 1.2;

/// A score and its doc, ordered so that the greatest is the best.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scored {
    pub(super) score: f32,
    pub(super) doc: u32,
}

impl Ord for Scored {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_score = self.score.total_cmp(&other.score);
        by_score.then_with(|| Reverse(self.doc).cmp(&Reverse(other.doc)))
    }
}

impl PartialOrd for Scored {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Scored {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Scored {}

/// What one doc has got.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    sum: f32,
    /// What the words that matched are worth.
    met: f32,
    /// The best match of the word at hand.
    best: f32,
}

#[derive(Debug)]
pub(super) struct Board {
    cells: Vec<Cell>,
    /// Docs with a sum, in the order in which they got one.
    found: Vec<u32>,
    /// Docs that the word at hand matches.
    matched: Vec<u32>,
    /// The greatest factor of the word at hand, and the sum of those of all words.
    worth: f32,
    worths: f32,
}

impl Board {
    pub(super) fn new(docs: usize) -> Self {
        Self {
            cells: vec![Cell::default(); docs],
            found: Vec::new(),
            matched: Vec::new(),
            worth: 0.0,
            worths: 0.0,
        }
    }

    /// Notes the matches of one list for the word at hand.
    pub(super) fn note(&mut self, postings: &[Posting], factor: f32) {
        self.worth = self.worth.max(factor);
        for posting in postings {
            let Some(cell) = self.cells.get_mut(posting.doc as usize) else {
                continue;
            };
            if cell.best <= 0.0 {
                self.matched.push(posting.doc);
            }
            cell.best = cell.best.max(posting.impact * factor);
        }
    }

    /// Ends a word: adds the best match of each doc to its sum.
    pub(super) fn end_word(&mut self) {
        let worth = std::mem::take(&mut self.worth);
        self.worths += worth;
        for doc in self.matched.drain(..) {
            let Some(cell) = self.cells.get_mut(doc as usize) else {
                continue;
            };
            if cell.sum <= 0.0 {
                self.found.push(doc);
            }
            cell.sum += std::mem::take(&mut cell.best);
            cell.met += worth;
        }
    }

    /// Lifts the docs whose effect is the one that is wanted.
    pub(super) fn lift(&mut self, senses: &[Sense], wanted: Sense) {
        for &doc in &self.found {
            let at = doc as usize;
            if let (Some(cell), Some(sense)) = (self.cells.get_mut(at), senses.get(at))
                && *sense == wanted
            {
                cell.sum *= SENSE_GAIN;
            }
        }
    }

    /// The docs that were found. A score is lowered by what was asked for and not met: two words
    /// of a task met are better than one met twice as well.
    pub(super) fn scored(&self) -> impl Iterator<Item = Scored> {
        self.found.iter().map(|&doc| {
            let cell = self.cells.get(doc as usize).copied().unwrap_or_default();
            let score = cell.sum * (cell.met / self.worths).sqrt().sqrt();
            Scored { score, doc }
        })
    }

    /// The best `depth`, the best first.
    pub(super) fn top(&self, depth: usize) -> Vec<Scored> {
        let mut all: Vec<Scored> = self.scored().collect();
        if all.len() > depth {
            all.select_nth_unstable_by(depth, |one, other| other.cmp(one));
            all.truncate(depth);
        }
        all.sort_unstable_by(|one, other| other.cmp(one));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn posting(doc: u32, impact: f32) -> Posting {
        Posting { doc, impact }
    }

    fn docs(board: &Board, depth: usize) -> Vec<u32> {
        board.top(depth).iter().map(|scored| scored.doc).collect()
    }

    #[test]
    fn a_word_counts_its_best_match_and_words_add_up() {
        let mut board = Board::new(4);
        board.note(&[posting(0, 0.5), posting(2, 0.5)], 2.0);
        board.note(&[posting(2, 0.9)], 1.0);
        board.end_word();
        assert!((board.top(9)[1].score - 1.0).abs() < 1e-6, "the best, not the sum");
        board.note(&[posting(2, 0.5), posting(3, 0.5)], 2.0);
        board.end_word();
        assert!((board.top(9)[0].score - 2.0).abs() < 1e-6);
        assert_eq!(docs(&board, 9), [2, 0, 3]);
        assert_eq!(docs(&board, 1), [2]);
    }

    #[test]
    fn meeting_more_of_what_was_asked_beats_meeting_one_word_well() {
        let mut board = Board::new(2);
        board.note(&[posting(0, 0.8), posting(1, 0.4)], 1.0);
        board.end_word();
        board.note(&[posting(1, 0.4)], 1.0);
        board.end_word();
        assert_eq!(docs(&board, 9), [1, 0]);
    }

    #[test]
    fn the_wanted_effect_decides_between_equals() {
        let mut board = Board::new(2);
        board.note(&[posting(0, 0.5), posting(1, 0.5)], 1.0);
        board.end_word();
        assert_eq!(docs(&board, 9), [0, 1]);
        board.lift(&[Sense::Read, Sense::Write], Sense::Write);
        assert_eq!(docs(&board, 9), [1, 0]);
    }

    #[test]
    fn a_doc_beyond_the_board_is_left_out() {
        let mut board = Board::new(1);
        board.note(&[posting(7, 0.5)], 1.0);
        board.end_word();
        assert!(board.top(9).is_empty());
    }
}
