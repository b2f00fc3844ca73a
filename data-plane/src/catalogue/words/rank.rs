//! From lists to an order: each ranking is added up on a board, and the rankings are fused by
//! their places (reciprocal rank fusion; Cormack, Clarke and Büttcher, SIGIR 2009).
//!
//! Invariant: the order depends on index and query alone, ties going to the lower doc number.

mod board;

use super::Hit;
use super::index::{Index, Table};
use super::kin::Sense;
use super::plan::{Read, Sought};
use board::{Board, Scored};
use std::collections::BinaryHeap;

/// The constant of the fusion; the first place is 1.
const FUSION: f32 = 10.0;
/// How much of each ranking is fused.
const DEPTH: u8 = 100;
/// What each ranking counts in the fusion: by the words themselves, with kin words, by names,
/// with near words, by names and leads.
const WEIGHTS: [f32; 5] = [0.5, 1.2, 1.0, 0.5, 0.9];
/// The least of them.
const LEAST_WEIGHT: f32 = 0.5;

/// The docs that match, best first, worked out as far as they are taken.
#[derive(Debug)]
pub(super) struct Ranked {
    fused: std::vec::IntoIter<Scored>,
    /// What is below the depth of every ranking; ordered when it is reached.
    rest: Vec<Scored>,
    heap: Option<BinaryHeap<Scored>>,
    place: f32,
}

/// Ranks the docs of a plan.
pub(super) fn rank(index: &Index, plan: &[Sought], wanted: Sense) -> Ranked {
    let own = add_up(index.docs, &index.all, plan, |sought| {
        let own = sought.own.iter();
        own.map(|read| (read, read.factor)).collect()
    });
    let mut kin = add_up(index.docs, &index.all, plan, |sought| {
        let reads = sought.own.iter().chain(&sought.kin);
        reads.map(|read| (read, read.factor)).collect()
    });
    let names = add_up(index.docs, &index.names, plan, |sought| {
        let reads = sought.own.iter().chain(&sought.kin);
        reads.map(|read| (read, read.name_factor)).collect()
    });
    let mut leads = add_up(index.docs, &index.leads, plan, |sought| {
        let reads = sought.own.iter().chain(&sought.kin);
        reads.map(|read| (read, read.lead_factor)).collect()
    });
    let guessed = plan.iter().any(|sought| !sought.near.is_empty());
    let mut near = guessed.then(|| {
        add_up(index.docs, &index.all, plan, |sought| {
            let reads = sought.own.iter().chain(&sought.kin).chain(&sought.near);
            reads.map(|read| (read, read.factor)).collect()
        })
    });
    if wanted != Sense::Thing {
        for board in [&mut kin, &mut leads].into_iter().chain(&mut near) {
            board.lift(&index.senses, wanted);
        }
    }
    let top = |board: &Board| board.top(usize::from(DEPTH));
    let near_top = near.as_ref().map(top).unwrap_or_default();
    let fused = fuse(&[top(&own), top(&kin), top(&names), near_top, top(&leads)]);
    let mut taken: Vec<u32> = fused.iter().map(|scored| scored.doc).collect();
    taken.sort_unstable();
    // The widest ranking holds whatever any of them found.
    let widest = near.as_ref().unwrap_or(&kin);
    let rest = widest.scored();
    let rest = rest.filter(|scored| taken.binary_search(&scored.doc).is_err());
    Ranked { rest: rest.collect(), fused: fused.into_iter(), heap: None, place: 0.0 }
}

/// Adds up one ranking: for every word, the lists that `reads` names with their factors.
fn add_up<'a>(
    docs: usize,
    table: &Table,
    plan: &'a [Sought],
    reads: impl Fn(&'a Sought) -> Vec<(&'a Read, f32)>,
) -> Board {
    let mut board = Board::new(docs);
    for sought in plan {
        for (read, factor) in reads(sought) {
            board.note(table.list(read.term).postings, factor);
        }
        board.end_word();
    }
    board
}

/// Fuses rankings. Docs of one score share the place of the first of them.
fn fuse(tops: &[Vec<Scored>; 5]) -> Vec<Scored> {
    let mut shares: Vec<Scored> = Vec::new();
    for (top, weight) in tops.iter().zip(WEIGHTS) {
        let mut place = 0.0;
        let mut shared = 1.0;
        let mut before = f32::NAN;
        for &Scored { score, doc } in top {
            place += 1.0;
            if score.total_cmp(&before).is_ne() {
                shared = place;
                before = score;
            }
            let score = weight / (FUSION + shared);
            shares.push(Scored { score, doc });
        }
    }
    // Stable: the shares of a doc stay in the order of the rankings and add up the same way.
    shares.sort_by_key(|share| share.doc);
    let mut fused: Vec<Scored> = shares
        .chunk_by(|one, other| one.doc == other.doc)
        .filter_map(|of_one| {
            let doc = of_one.first()?.doc;
            let score = of_one.iter().map(|share| share.score).sum();
            Some(Scored { score, doc })
        })
        .collect();
    fused.sort_unstable_by(|one, other| other.cmp(one));
    fused
}

impl Iterator for Ranked {
    type Item = Hit;

    fn next(&mut self) -> Option<Hit> {
        if let Some(Scored { score, doc }) = self.fused.next() {
            return Some(Hit { doc, score });
        }
        let rest = &mut self.rest;
        let heap = self.heap.get_or_insert_with(|| BinaryHeap::from(std::mem::take(rest)));
        let Scored { doc, .. } = heap.pop()?;
        self.place += 1.0;
        // As if the lightest ranking alone had it there: below whatever was fused.
        let score = LEAST_WEIGHT / (FUSION + f32::from(DEPTH) + self.place);
        Some(Hit { doc, score })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scored(docs: &[(u32, f32)]) -> Vec<Scored> {
        docs.iter().map(|&(doc, score)| Scored { score, doc }).collect()
    }

    #[test]
    fn fusion_adds_what_each_place_is_worth() {
        let tops = [
            scored(&[(7, 3.0), (1, 2.0)]),
            scored(&[(1, 9.0)]),
            scored(&[]),
            scored(&[]),
            Vec::new(),
        ];
        let fused = fuse(&tops);
        assert_eq!(fused[0].doc, 1);
        assert!((fused[0].score - (WEIGHTS[0] / 12.0 + WEIGHTS[1] / 11.0)).abs() < 1e-6);
        assert!((fused[1].score - WEIGHTS[0] / 11.0).abs() < 1e-6);
    }

    #[test]
    fn equal_scores_share_a_place_and_ties_go_by_number() {
        let tops = [
            scored(&[(4, 1.0), (9, 1.0), (2, 0.5)]),
            Vec::new(),
            Vec::new(),
            Vec::new(),
            Vec::new(),
        ];
        let fused = fuse(&tops);
        let docs: Vec<u32> = fused.iter().map(|scored| scored.doc).collect();
        assert_eq!(docs, [4, 9, 2]);
        assert!(fused[0].score.total_cmp(&fused[1].score).is_eq());
        assert!((fused[2].score - WEIGHTS[0] / 13.0).abs() < 1e-6);
    }

    #[test]
    fn what_is_below_the_depth_comes_last_and_in_order() {
        let ranked = Ranked {
            fused: scored(&[(5, 0.01)]).into_iter(),
            rest: scored(&[(1, 2.0), (2, 9.0), (3, 2.0)]),
            heap: None,
            place: 0.0,
        };
        let hits: Vec<Hit> = ranked.collect();
        let docs: Vec<u32> = hits.iter().map(|hit| hit.doc).collect();
        assert_eq!(docs, [5, 2, 1, 3]);
        assert!(hits.is_sorted_by(|one, other| one.score > other.score));
        assert!(WEIGHTS.iter().all(|weight| *weight >= LEAST_WEIGHT));
    }
}
