//! Owns the page `docs/benchmarks.md`. Invariant: only what stands between its two markers is written
//! anew; the words around them are kept by hand.

use std::fmt::Write as _;

use anyhow::Context;

use crate::machine::Machine;
use crate::report::{Figure, Plain};

const BEGIN: &str = "<!-- begin: written by make bench -->";
const END: &str = "<!-- end -->";

/// The page with a new table.
///
/// # Errors
/// When the markers do not stand in it, once and in order.
pub(crate) fn renewed(page: &str, machine: &Machine, figures: &[Figure]) -> anyhow::Result<String> {
    let (before, rest) = page.split_once(BEGIN).context("the page has no first marker")?;
    let (_, after) = rest.split_once(END).context("the page has no second marker")?;
    Ok(format!("{before}{BEGIN}\n\n{}\n{}{END}{after}", told(machine), table(figures)))
}

/// The machine in a sentence or two.
pub(crate) fn told(machine: &Machine) -> String {
    let [start, end] = &machine.load;
    format!(
        "{}, commit {}. {} ({}), {}, Linux {}, {}, release build. Load average {start} at the start, \
         {end} at the end.\n",
        machine.began,
        machine.commit,
        machine.processor,
        machine.processors,
        machine.memory,
        machine.kernel,
        machine.compiler,
    )
}

/// The figures as a table.
pub(crate) fn table(figures: &[Figure]) -> String {
    let mut text = String::from(
        "| name | what | median (95 % interval) | target | |\n|---|---|---|---|---|\n",
    );
    for figure in figures {
        let target = figure.target.map(|target| target.to_string()).unwrap_or_default();
        let detail =
            if figure.detail.is_empty() { String::new() } else { format!("<br>{}", figure.detail) };
        // Writing to a String does not fail.
        let _ = writeln!(
            text,
            "| `{}` | {}{detail} | {} | {target} | {} |",
            figure.name,
            figure.what,
            value(figure),
            figure.verdict(),
        );
    }
    text
}

/// The median, with its interval where it was measured more than once.
pub(crate) fn value(figure: &Figure) -> String {
    let spread = &figure.spread;
    let unit = if figure.unit.is_empty() { String::new() } else { format!(" {}", figure.unit) };
    let median = Plain(spread.median);
    if spread.rounds == 1 {
        return format!("{median}{unit}");
    }
    format!("{median}{unit} ({}–{})", Plain(spread.low), Plain(spread.high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Target;
    use crate::stat::Spread;

    fn machine() -> Machine {
        Machine {
            began: "2026-11-30T12:00:00Z".to_owned(),
            commit: "abc".to_owned(),
            processor: "a processor".to_owned(),
            processors: "1 serve, 1 call".to_owned(),
            memory: "8.0 GiB".to_owned(),
            kernel: "6.1".to_owned(),
            compiler: "rustc 1.95".to_owned(),
            load: ["0.1".to_owned(), "1.9".to_owned()],
        }
    }

    #[test]
    fn what_stands_around_the_markers_is_kept_and_what_stood_between_is_not() {
        let page = format!("before\n{BEGIN}\nold\n{END}\nafter\n");
        let figures = [
            Figure::new(
                "a.b",
                "one over two",
                Spread { median: 0.3, low: 0.2, high: 0.4, rounds: 9 },
            )
            .target(Target::AtLeast(0.25)),
            Figure::new("c", "three", Spread::once(4.0)).unit("ms").target(Target::AtMost(1.5)),
        ];
        let new = renewed(&page, &machine(), &figures).expect("a page");
        assert!(new.starts_with("before\n") && new.ends_with("\nafter\n") && !new.contains("old"));
        assert!(
            new.contains("| `a.b` | one over two | 0.300 (0.200–0.400) | ≥ 0.25 | met |"),
            "{new}"
        );
        assert!(new.contains("| `c` | three | 4.00 ms | ≤ 1.5 | **not met** |"), "{new}");
        assert_eq!(renewed(&new, &machine(), &figures).expect("a page"), new);
        assert!(renewed("no markers", &machine(), &figures).is_err());
    }
}
