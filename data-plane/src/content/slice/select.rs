//! Finding the values a `JSONPath` selects (RFC 9535), in its order and with its repetitions.
//!
//! Invariant: at most [`VISITS`] values are looked at, because a short path of wildcards and
//! descendants can ask for more than there is time or memory.

use super::Error;
use super::path::{Literal, Operator, Path, Segment, Selector, Step, Test};
use crate::content::json::{Kind, tree::Tree};
use std::cmp::Ordering;

/// Most values that one path may look at.
const VISITS: usize = 4_000_000;

/// The nodes that `path` selects.
pub(super) fn select(tree: &Tree<'_>, path: &Path) -> Result<Vec<usize>, Error> {
    let mut search = Search { tree, visits: 0 };
    let mut nodes = vec![0];
    for segment in &path.segments {
        nodes = search.segment(&nodes, segment)?;
    }
    Ok(nodes)
}

struct Search<'t> {
    tree: &'t Tree<'t>,
    visits: usize,
}

impl Search<'_> {
    fn spend(&mut self, visits: usize) -> Result<(), Error> {
        self.visits = self.visits.saturating_add(visits);
        if self.visits > VISITS { Err(Error::TooBroad) } else { Ok(()) }
    }

    fn segment(&mut self, nodes: &[usize], segment: &Segment) -> Result<Vec<usize>, Error> {
        let mut selected = Vec::new();
        for &node in nodes {
            let last = if segment.descends { self.tree.after(node) } else { node + 1 };
            for from in node..last {
                self.spend(1)?;
                for selector in &segment.selectors {
                    self.apply(from, selector, &mut selected)?;
                }
            }
        }
        Ok(selected)
    }

    fn apply(
        &mut self,
        node: usize,
        selector: &Selector,
        selected: &mut Vec<usize>,
    ) -> Result<(), Error> {
        let array = self.tree.kind(node) == Kind::Array;
        match selector {
            Selector::Name(name) => {
                let children = self.children(node)?;
                selected.extend(
                    children
                        .into_iter()
                        .rev()
                        .find(|&child| self.tree.key(child).is_some_and(|key| key == *name)),
                );
            }
            Selector::Wildcard => selected.extend(self.children(node)?),
            Selector::Index(index) if array => {
                let children = self.children(node)?;
                selected
                    .extend(place(*index, children.len()).and_then(|index| children.get(index)));
            }
            Selector::Slice { start, end, step } if array => {
                let children = self.children(node)?;
                let picked = slice(children.len(), *start, *end, *step);
                selected.extend(picked.filter_map(|index| children.get(index)));
            }
            Selector::Index(_) | Selector::Slice { .. } => {}
            Selector::Filter(alternatives) => {
                for child in self.children(node)? {
                    if self.holds(child, alternatives)? {
                        selected.push(child);
                    }
                }
            }
        }
        Ok(())
    }

    fn children(&mut self, node: usize) -> Result<Vec<usize>, Error> {
        let children: Vec<usize> = self.tree.children(node).collect();
        self.spend(children.len())?;
        Ok(children)
    }

    fn holds(&mut self, node: usize, alternatives: &[Vec<Test>]) -> Result<bool, Error> {
        for tests in alternatives {
            let mut all = true;
            for test in tests {
                all = all && self.passes(node, test)?;
            }
            if all {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn passes(&mut self, node: usize, test: &Test) -> Result<bool, Error> {
        let mut found = Some(if test.from_root { 0 } else { node });
        for step in &test.steps {
            let Some(node) = found else { break };
            let children = self.children(node)?;
            found = match (step, self.tree.kind(node)) {
                (Step::Name(name), Kind::Object) => children
                    .into_iter()
                    .rev()
                    .find(|&child| self.tree.key(child).is_some_and(|key| key == *name)),
                (Step::Index(index), Kind::Array) => {
                    place(*index, children.len()).and_then(|index| children.get(index).copied())
                }
                _ => None,
            };
        }
        let holds = match &test.comparison {
            None => found.is_some(),
            Some((operator, literal)) => compares(self.tree, found, *operator, literal),
        };
        Ok(holds != test.negated)
    }
}

/// Where an index, counted from the end if negative, lies among `length` elements.
fn place(index: i64, length: usize) -> Option<usize> {
    if index >= 0 {
        usize::try_from(index).ok()
    } else {
        length.checked_sub(usize::try_from(index.unsigned_abs()).ok()?)
    }
}

/// RFC 9535 section 2.3.4.2.2.
fn slice(
    length: usize,
    start: Option<i64>,
    end: Option<i64>,
    step: i64,
) -> impl Iterator<Item = usize> {
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    let normal = |index: i64| {
        if index >= 0 { index } else { length.saturating_add(index) }
    };
    let (first, last) = if step >= 0 {
        (
            normal(start.unwrap_or(0)).clamp(0, length),
            normal(end.unwrap_or(length)).clamp(0, length),
        )
    } else {
        let (from, to) = (start.unwrap_or(length - 1), end.map_or(-1, normal));
        (normal(from).clamp(-1, length - 1), to.clamp(-1, length - 1))
    };
    let goes_on = move |&index: &i64| {
        if step > 0 { index < last } else { step < 0 && index > last }
    };
    let indices = std::iter::successors(Some(first).filter(goes_on), move |&index| {
        Some(index + step).filter(goes_on)
    });
    indices.filter_map(|index| usize::try_from(index).ok())
}

/// RFC 9535 section 2.3.5.2.2: only values of one kind compare, and nothing equals no literal.
fn compares(tree: &Tree<'_>, node: Option<usize>, operator: Operator, literal: &Literal) -> bool {
    let order = node.and_then(|node| order(tree, node, literal));
    let ordered = matches!(literal, Literal::Text(_) | Literal::Number(_));
    match operator {
        Operator::Equal => order == Some(Ordering::Equal),
        Operator::Unequal => order != Some(Ordering::Equal),
        Operator::Less => ordered && order == Some(Ordering::Less),
        Operator::Greater => ordered && order == Some(Ordering::Greater),
        Operator::LessOrEqual => {
            matches!(order, Some(Ordering::Equal)) || (ordered && order == Some(Ordering::Less))
        }
        Operator::GreaterOrEqual => {
            matches!(order, Some(Ordering::Equal)) || (ordered && order == Some(Ordering::Greater))
        }
    }
}

fn order(tree: &Tree<'_>, node: usize, literal: &Literal) -> Option<Ordering> {
    match (tree.kind(node), literal) {
        (Kind::String, Literal::Text(text)) => Some(tree.string(node)?.as_ref().cmp(text)),
        (Kind::Number, Literal::Number(number)) => number_order(tree.text(node), number),
        (Kind::Boolean, Literal::Boolean(value)) => Some((tree.text(node) == "true").cmp(value)),
        (Kind::Null, Literal::Null) => Some(Ordering::Equal),
        _ => None,
    }
}

/// Whole numbers compare by every digit, others as doubles.
fn number_order(left: &str, right: &str) -> Option<Ordering> {
    match (left.parse::<i128>(), right.parse::<i128>()) {
        (Ok(left), Ok(right)) => Some(left.cmp(&right)),
        _ => left.parse::<f64>().ok()?.partial_cmp(&right.parse().ok()?),
    }
}
