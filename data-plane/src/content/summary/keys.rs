//! The keys of JSON: where they stand, how often, and what stands under them.
//!
//! Invariant: bounded: at most [`TRACKED`] different paths are told apart, to [`DEPTH`] levels;
//! others are counted.

use super::{Level, Structure, headings, log, media, shown, time};
use crate::content::json::{Kind, tree::Tree};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};

const TRACKED: usize = 512;
const DEPTH: usize = 4;
/// Most left out paths that are counted.
const COUNTED: usize = 8192;
const NAME_BYTES: usize = 40;

/// A path of keys and what was met under it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Key {
    /// Names joined by dots, `[]` for the elements of an array.
    pub(crate) path: String,
    pub(crate) count: usize,
    pub(crate) types: BTreeSet<&'static str>,
    /// Fewest and most elements of the arrays met.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) elements: Option<(usize, usize)>,
    #[serde(skip)]
    depth: usize,
}

/// A path's parent (nothing: the root) and name (nothing: an element).
type Place = (Option<usize>, Option<String>);

/// Paths met so far.
#[derive(Debug, Default)]
struct Paths {
    known: HashMap<Place, usize>,
    keys: Vec<Key>,
    /// Paths that are not told apart further; those below them count with them.
    left_out: HashSet<Place>,
}

impl Paths {
    fn path(&mut self, parent: Option<usize>, name: Option<String>) -> Option<usize> {
        let place = (parent, name);
        if let Some(&known) = self.known.get(&place) {
            return Some(known);
        }
        let above = parent.and_then(|parent| self.keys.get(parent));
        let depth = above.map_or(0, |key| key.depth) + usize::from(place.1.is_some());
        if self.keys.len() >= TRACKED || depth > DEPTH {
            if self.left_out.len() < COUNTED {
                self.left_out.insert(place);
            }
            return None;
        }
        let before = above.map_or("", |key| key.path.as_str());
        let path = match &place.1 {
            None => format!("{before}[]"),
            Some(name) if before.is_empty() => shown(name, NAME_BYTES),
            Some(name) => format!("{before}.{}", shown(name, NAME_BYTES)),
        };
        let index = self.keys.len();
        self.keys.push(Key { path, count: 0, types: BTreeSet::new(), elements: None, depth });
        self.known.insert(place, index);
        Some(index)
    }

    /// Meets the value at `node` under the path `at`.
    fn meet(&mut self, tree: &Tree<'_>, node: usize, at: usize) {
        let kind = tree.kind(node);
        let Some(key) = self.keys.get_mut(at) else {
            return;
        };
        key.count += 1;
        key.types.insert(kind.name());
        if kind == Kind::Array {
            let length = tree.children(node).count();
            let (least, most) = key.elements.unwrap_or((length, length));
            key.elements = Some((least.min(length), most.max(length)));
        }
    }

    fn read(&mut self, tree: &Tree<'_>) {
        // Open containers: where they end, and their path.
        let mut open: Vec<(usize, Option<usize>)> = vec![(tree.after(0), None)];
        let mut node = 1;
        while node < tree.len() {
            while open.last().is_some_and(|&(end, _)| end <= node) {
                open.pop();
            }
            let parent = open.last().and_then(|&(_, path)| path);
            let name = tree.key(node).map(Cow::into_owned);
            let Some(path) = self.path(parent, name) else {
                node = tree.after(node);
                continue;
            };
            self.meet(tree, node, path);
            open.push((tree.after(node), Some(path)));
            node += 1;
        }
    }

    /// Shallow keys first, each level in the order met.
    fn finish(mut self) -> (Vec<Key>, usize) {
        self.keys.sort_by_key(|key| key.depth);
        (self.keys, self.left_out.len())
    }
}

pub(super) fn of_json(text: &str) -> Structure {
    let Ok(tree) = Tree::parse(text) else {
        return headings::of_text(text, media::PLAIN);
    };
    let mut paths = Paths::default();
    paths.read(&tree);
    let (keys, keys_left_out) = paths.finish();
    let elements = matches!(tree.kind(0), Kind::Array).then(|| tree.children(0).count());
    Structure::Json { root: tree.kind(0).name(), elements, keys, keys_left_out }
}

/// Names under which structured logs keep the level.
const LEVEL_KEYS: &[&str] = &["level", "lvl", "severity", "log.level", "levelname"];
/// Names under which they keep the time.
const TIME_KEYS: &[&str] = &["time", "timestamp", "@timestamp", "ts", "at", "datetime"];

/// The member of a row that stands under one of these names.
fn under<'t>(tree: &'t Tree<'_>, names: &[&str]) -> Option<Cow<'t, str>> {
    let mut members = tree.children(0);
    let found =
        members.find(|&child| tree.key(child).is_some_and(|key| names.contains(&key.as_ref())))?;
    tree.string(found)
}

pub(super) fn of_json_lines(text: &str) -> Structure {
    let mut paths = Paths::default();
    let mut levels = log::Levels::default();
    let mut times = time::Times::default();
    let mut rows = 0;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        rows += 1;
        let Ok(tree) = Tree::parse(line) else {
            continue;
        };
        paths.read(&tree);
        levels.count(under(&tree, LEVEL_KEYS).as_deref().and_then(log::level_named));
        times.meet(under(&tree, TIME_KEYS).as_deref().and_then(time::at_start));
    }
    let (keys, keys_left_out) = paths.finish();
    let levels: Vec<Level> = levels.finish();
    let (first, last) = times.finish();
    Structure::JsonLines { rows, keys, keys_left_out, levels, first, last }
}
