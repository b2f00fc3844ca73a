//! Ranking by likeness, and the fusion of several rankings into one.
//!
//! Fusion is by reciprocal rank: an item's score is the sum, over the lists that hold it, of
//! 1 / (k + place), places counted from 1. A small `k` lets one first place count for more than two
//! places in the middle, which is what short lists need. Invariant: the order is total, so the same
//! lists give the same order.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::Hash;

/// How much a place counts, if the caller does not say.
pub(crate) const K_DEFAULT: u32 = 10;
/// How far down each list is read.
pub(crate) const DEPTH: usize = 100;

/// A passage, and how like it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Likeness {
    pub(crate) passage: i64,
    pub(crate) like: f32,
    /// Whether the vector was given by whoever asks, or else by whoever the content is of.
    pub(crate) own: bool,
}

impl Likeness {
    /// The most alike first; of those alike, the passage that was stored first.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        other.like.total_cmp(&self.like).then(self.passage.cmp(&other.passage))
    }
}

/// Passages to be taken from the most alike on, a page at a time. Only what is taken is sorted.
#[derive(Debug, Default)]
pub(crate) struct Ranking(pub(crate) Vec<Likeness>);

impl Ranking {
    /// The next `many` of them, in order.
    pub(crate) fn take(&mut self, many: usize) -> Vec<Likeness> {
        if self.0.len() > many {
            self.0.select_nth_unstable_by(many, Likeness::order);
        }
        let rest = self.0.split_off(many.min(self.0.len()));
        let mut page = std::mem::replace(&mut self.0, rest);
        page.sort_unstable_by(Likeness::order);
        page
    }
}

/// An item of a fused list: its place in each of the two lists, from 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fused<T> {
    pub(crate) item: T,
    pub(crate) words: Option<u32>,
    pub(crate) vectors: Option<u32>,
    /// What it scores, as a fraction: two sums that are equal may differ in the last bit of a float.
    share: (u128, u128),
}

impl<T: Copy + Ord> Fused<T> {
    /// By score; of those alike, by the better place, then by words, then by the item itself.
    fn order(&self, other: &Self) -> Ordering {
        let best = |one: &Self| {
            let places = [one.words, one.vectors].into_iter().flatten();
            (places.min().unwrap_or(u32::MAX), one.words.unwrap_or(u32::MAX))
        };
        let (left, right) = (self.share, other.share);
        let scored = (right.0 * left.1).cmp(&(left.0 * right.1));
        scored.then(best(self).cmp(&best(other))).then(self.item.cmp(&other.item))
    }
}

/// One list of two, best first. An item that a list names twice counts at its better place.
pub(crate) fn fuse<T: Copy + Ord + Hash>(words: &[T], vectors: &[T], k: u32) -> Vec<Fused<T>> {
    let mut all: HashMap<T, Fused<T>> = HashMap::with_capacity(words.len() + vectors.len());
    let empty = |item| Fused { item, words: None, vectors: None, share: (0, 1) };
    for (item, place) in words.iter().copied().zip(1_u32..) {
        all.entry(item).or_insert_with(|| empty(item)).words.get_or_insert(place);
    }
    for (item, place) in vectors.iter().copied().zip(1_u32..) {
        all.entry(item).or_insert_with(|| empty(item)).vectors.get_or_insert(place);
    }
    let mut fused: Vec<_> = all.into_values().collect();
    for one in &mut fused {
        for place in [one.words, one.vectors].into_iter().flatten() {
            let below = u128::from(k) + u128::from(place);
            let (above, under) = one.share;
            one.share = (above * below + under, under * below);
        }
    }
    fused.sort_unstable_by(Fused::order);
    fused
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn list() -> impl Strategy<Value = Vec<u8>> {
        prop::collection::vec(0_u8..40, 0..60)
    }

    /// The rule as it is written down: exact fractions, and every pair compared.
    fn naive(words: &[u8], vectors: &[u8], k: u32) -> Vec<u8> {
        let place = |list: &[u8], item: u8| list.iter().position(|one| *one == item);
        // 1/(k+a) + 1/(k+b) as a fraction; a list that does not hold it adds nothing.
        let score = |item: u8| {
            let parts = [place(words, item), place(vectors, item)];
            parts.into_iter().flatten().fold((0_u128, 1_u128), |(above, below), at| {
                let next = u128::from(k) + u128::try_from(at).unwrap() + 1;
                (above * next + below, below * next)
            })
        };
        let before = |one: u8, other: u8| {
            let (left, right) = (score(one), score(other));
            let (left, right) = (left.0 * right.1, right.0 * left.1);
            if left != right {
                return left > right;
            }
            let best = |item| {
                let in_words = place(words, item);
                let first = in_words.into_iter().chain(place(vectors, item)).min();
                (first, in_words.is_none(), in_words, item)
            };
            best(one) < best(other)
        };
        let mut items: Vec<u8> = words.iter().chain(vectors).copied().collect();
        items.sort_unstable();
        items.dedup();
        let rank = |item: u8| items.iter().filter(|other| before(**other, item)).count();
        let mut ranked: Vec<_> = items.iter().map(|item| (rank(*item), *item)).collect();
        ranked.sort_unstable();
        ranked.into_iter().map(|(_, item)| item).collect()
    }

    proptest! {
        #[test]
        fn fusion_is_the_rule(words in list(), vectors in list(), k in 1_u32..100) {
            let fused: Vec<_> = fuse(&words, &vectors, k).iter().map(|one| one.item).collect();
            prop_assert_eq!(fused, naive(&words, &vectors, k));
        }

        #[test]
        fn places_are_those_of_the_lists(words in list(), vectors in list()) {
            for one in fuse(&words, &vectors, K_DEFAULT) {
                for (list, place) in [(&words, one.words), (&vectors, one.vectors)] {
                    let at = list.iter().position(|item| *item == one.item);
                    prop_assert_eq!(place, at.map(|at| u32::try_from(at).unwrap() + 1));
                }
            }
        }

        #[test]
        fn one_list_keeps_its_order(words in list()) {
            let fused: Vec<_> = fuse(&words, &[], K_DEFAULT).iter().map(|one| one.item).collect();
            let mut once = Vec::new();
            for word in &words { if !once.contains(word) { once.push(*word) } }
            prop_assert_eq!(fused, once);
        }

        #[test]
        fn pages_put_together_are_the_sorted_whole(likes in prop::collection::vec(-9_i8..9, 0..300), page in 1_usize..50) {
            let all: Vec<_> = likes.iter().zip(1..).map(|(like, passage)| Likeness { passage, like: f32::from(*like), own: true }).collect();
            let mut sorted = all.clone();
            sorted.sort_by(Likeness::order);
            let mut ranking = Ranking(all);
            let mut together = Vec::new();
            loop {
                let next = ranking.take(page);
                if next.is_empty() { break }
                together.extend(next);
            }
            prop_assert_eq!(together, sorted);
        }
    }

    /// What `k` is for: with a small one, a first place goes before two places in the middle.
    #[test]
    fn a_small_k_lets_a_first_place_count() {
        let words = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
        let vectors = [21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 12];
        let place = |k| fuse(&words, &vectors, k).iter().position(|one| one.item == 12).unwrap();
        assert_eq!(place(60), 0);
        assert_eq!(place(1), 10);
    }
}
