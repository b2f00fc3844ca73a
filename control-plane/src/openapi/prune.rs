//! Which operations are asked for. Invariant: paths are compared by segment, never by text.

use std::collections::BTreeMap;

use contract::verbs::server::TagCount;

use super::outline::Operation;
use super::{Asked, brief};

/// The most tags that are listed.
const TAGS_MAX: usize = 200;

/// Whether an operation is asked for.
pub(super) fn wanted(asked: &Asked<'_>, one: &Operation<'_>) -> bool {
    let tagged = asked.tags.is_empty()
        || one.tags.iter().any(|tag| asked.tags.iter().any(|asked| asked == tag));
    tagged && matches(asked.paths, one.path)
}

/// Whether a path begins with the segments of one of `patterns`, or there are none.
pub(super) fn matches(patterns: &[String], path: &str) -> bool {
    let begins = |pattern: &String| {
        let mut segments = segments(path);
        self::segments(pattern)
            .all(|wanted| segments.next().is_some_and(|segment| wanted == "*" || wanted == segment))
    };
    patterns.is_empty() || patterns.iter().any(begins)
}

fn segments(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|segment| !segment.is_empty())
}

/// The tags of the operations, by name.
pub(super) fn tags(operations: &[Operation<'_>]) -> Vec<TagCount> {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for tag in operations.iter().flat_map(|one| &one.tags) {
        *counts.entry(tag).or_default() += 1;
    }
    let counts = counts.into_iter().take(TAGS_MAX);
    counts.map(|(tag, operations)| TagCount { tag: brief(tag), operations }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_compared_by_segment() {
        for (pattern, path, fits) in [
            ("/shop", "/shop", true),
            ("/shop", "/shop/items", true),
            ("/shop/", "/shop/items", true),
            ("/shop", "/shopping", false),
            ("/shop/items", "/shop", false),
            ("/*/items", "/shop/items/{id}", true),
            ("/*/items", "/shop/orders", false),
            ("/shop/*/lines", "/shop/{id}/lines", true),
            ("/shop/{id}", "/shop/{id}/lines", true),
            ("/", "/anything", true),
        ] {
            assert_eq!(matches(&[pattern.to_owned()], path), fits, "{pattern} {path}");
        }
        assert!(matches(&[], "/anything"));
    }
}
