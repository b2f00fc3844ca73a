//! Words that say nothing about a tool: left out of queries and of prose, never of names.

use std::collections::HashSet;
use std::sync::LazyLock;

const STOP_WORDS: &str = "
a about after again am an and any anyone are as at be been before being but by can cannot could
currently did do does doing done for from give go going had has have having he help her here him
his how i if in into is it its just know let like me might much must my need no not now of off on
one onto or our out over please really s shall she should so some somebody someone something such
t than that the their them then there these they thing this those to too tool under up upon us
using want was we were what when where whether which who whom whose why will wish with would yet
you your
";

static STOP: LazyLock<HashSet<&str>> = LazyLock::new(|| STOP_WORDS.split_whitespace().collect());

/// Whether a word, folded as `split` folds it, is one of them.
pub(super) fn is_stop(word: &str) -> bool {
    STOP.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::words::split;

    #[test]
    fn the_list_is_written_as_words_are_split() {
        assert_eq!(
            split::words(STOP_WORDS, 1_000),
            STOP_WORDS.split_whitespace().collect::<Vec<_>>()
        );
        assert!(is_stop("the") && is_stop("your"));
        assert!(!is_stop("invoice") && !is_stop(""));
    }
}
