//! Owns the reference pages that are made from the closed lists. Invariant: each page is a function
//! of its list, so that a test can compare it with what is committed.

use std::fmt::Write as _;

use crate::hint;
use crate::refusal::Code;
use crate::schema::one_line;

/// `docs/refusals.md`: every refusal code, by status.
pub fn refusals_markdown() -> String {
    let mut out = String::from(
        "# Refusals\n\nEvery code a refusal can carry, by HTTP status. Made from `contract::refusal::Code`: \
         change it there.\n\nA refusal is answered as `application/problem+json` (RFC 9457) on REST, as an \
         error result on MCP, and with exit code 2 on the command line. Its `fix` says what the caller can do.\n\n\
         | status | code | title | when |\n|---|---|---|---|\n",
    );
    let mut codes = Code::ALL.to_vec();
    codes.sort_by_key(|code| code.status());
    for code in codes {
        let (status, word) = (code.status(), code.as_str());
        let _infallible = writeln!(
            out,
            "| {status} | `{word}` | {} | {} |",
            cell(code.title()),
            cell(code.about())
        );
    }
    out
}

/// `docs/hints.md`: every hint.
pub fn hints_markdown() -> String {
    let mut out = String::from(
        "# Hints\n\nEvery hint an answer can carry. Made from `contract::hint::Kind`: change it there. A hint \
         teaches the workflow and never changes what was answered.\n\n| hint | meaning |\n|---|---|\n",
    );
    for kind in hint::Kind::ALL {
        let _infallible = writeln!(out, "| `{}` | {} |", kind.as_str(), cell(kind.about()));
    }
    out
}

/// A text that stays in its cell.
fn cell(text: &str) -> String {
    one_line(text).replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_and_every_hint_has_one_row() {
        let refusals = refusals_markdown();
        for code in Code::ALL {
            assert_eq!(
                refusals.matches(&format!("| `{}` |", code.as_str())).count(),
                1,
                "{code:?}"
            );
        }
        let hints = hints_markdown();
        for kind in hint::Kind::ALL {
            assert_eq!(hints.matches(&format!("| `{}` |", kind.as_str())).count(), 1, "{kind:?}");
        }
        let mut rows = refusals.lines().filter(|line| line.starts_with("| "));
        assert!(rows.all(|row| row.matches(" | ").count() == 3));
    }

    #[test]
    fn a_bar_does_not_open_a_cell() {
        assert_eq!(cell(" a | b\n c"), "a \\| b c");
    }
}
