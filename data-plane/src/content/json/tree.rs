//! The values of a JSON text as a flat tree of places.
//!
//! Nodes lie in document order, each knowing where its subtree ends, so walking needs no recursion
//! and a node costs a few words. Invariant: every range is a valid slice of the text it was read
//! from.

use super::{Error, Event, Kind, Lexer, decode};
use std::borrow::Cow;

#[derive(Debug, Clone, Copy)]
struct Node {
    kind: Kind,
    start: u32,
    end: u32,
    /// Where the member's name starts, its opening quote included; equal to `key_end` if none.
    key_start: u32,
    key_end: u32,
    /// The index of the first node that is not in this subtree.
    after: u32,
}

/// A read document. Nodes are named by index; 0 is the root.
#[derive(Debug)]
pub(crate) struct Tree<'t> {
    text: &'t str,
    nodes: Vec<Node>,
}

fn narrow(offset: usize) -> Result<u32, Error> {
    u32::try_from(offset).map_err(|_| Error { at: offset })
}

fn widen(offset: u32) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}

impl<'t> Tree<'t> {
    /// Reads `text`, which must be one JSON value of less than 4 GiB.
    pub(crate) fn parse(text: &'t str) -> Result<Self, Error> {
        let mut tree = Self { text, nodes: Vec::new() };
        let mut open: Vec<usize> = Vec::new();
        let mut key = (0, 0);
        for event in Lexer::new(text) {
            match event? {
                Event::Key { start, end } => key = (narrow(start)?, narrow(end)?),
                Event::Open { kind, start } => {
                    open.push(tree.nodes.len());
                    tree.push(kind, narrow(start)?, 0, std::mem::take(&mut key))?;
                }
                Event::Scalar { kind, start, end } => {
                    tree.push(kind, narrow(start)?, narrow(end)?, std::mem::take(&mut key))?;
                }
                Event::Close { end } => {
                    let after = narrow(tree.nodes.len())?;
                    if let Some(node) = open.pop().and_then(|index| tree.nodes.get_mut(index)) {
                        node.end = narrow(end)?;
                        node.after = after;
                    }
                }
            }
        }
        Ok(tree)
    }

    fn push(&mut self, kind: Kind, start: u32, end: u32, key: (u32, u32)) -> Result<(), Error> {
        let after = narrow(self.nodes.len() + 1)?;
        self.nodes.push(Node { kind, start, end, key_start: key.0, key_end: key.1, after });
        Ok(())
    }

    pub(crate) const fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn kind(&self, node: usize) -> Kind {
        self.nodes.get(node).map_or(Kind::Null, |node| node.kind)
    }

    /// The first and the past-the-end byte of the value in the text.
    pub(crate) fn range(&self, node: usize) -> (usize, usize) {
        self.nodes.get(node).map_or((0, 0), |node| (widen(node.start), widen(node.end)))
    }

    /// The value as it was written.
    pub(crate) fn text(&self, node: usize) -> &'t str {
        let (start, end) = self.range(node);
        self.text.get(start..end).unwrap_or_default()
    }

    /// A string's meaning; nothing for other kinds.
    pub(crate) fn string(&self, node: usize) -> Option<Cow<'t, str>> {
        let inner = self.text(node).strip_prefix('"')?.strip_suffix('"')?;
        Some(decode(inner).text)
    }

    /// The member name under which the value stands, if its parent is an object.
    pub(crate) fn key(&self, node: usize) -> Option<Cow<'t, str>> {
        let node = self.nodes.get(node)?;
        let written = self.text.get(widen(node.key_start)..widen(node.key_end))?;
        Some(decode(written.strip_prefix('"')?.strip_suffix('"')?).text)
    }

    /// The index of the first node outside the subtree.
    pub(crate) fn after(&self, node: usize) -> usize {
        self.nodes.get(node).map_or(usize::MAX, |node| widen(node.after))
    }

    /// The direct children, in document order.
    pub(crate) fn children(&self, node: usize) -> impl Iterator<Item = usize> + use<'_, 't> {
        let end = self.after(node);
        let first = Some(node + 1).filter(|&first| first < end);
        std::iter::successors(first, move |&child| {
            Some(self.after(child)).filter(|&next| next < end)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_children_are_those_of_the_text() {
        let text = r#"{"a": [1, 22.50], "b\u0020c": {"d": "x"}}"#;
        let tree = Tree::parse(text).unwrap();
        let top: Vec<_> =
            tree.children(0).map(|node| (tree.key(node).unwrap(), tree.text(node))).collect();
        assert_eq!(top, [("a".into(), "[1, 22.50]"), ("b c".into(), r#"{"d": "x"}"#)]);
        let array = tree.children(0).next().unwrap();
        assert_eq!(
            tree.children(array).map(|node| tree.text(node)).collect::<Vec<_>>(),
            ["1", "22.50"]
        );
        assert_eq!(tree.key(0), None);
        assert_eq!(tree.text(0), text);
    }
}
