//! Values of a JSON text, as they are written in it: no digit of a number is lost.

use super::path::Path;
use super::pick::{Join, pick};
use super::{Error, Sliced, Unit, cut, select};
use crate::content::json::{Kind, tree::Tree};

/// The value a JSON pointer (RFC 6901) leads to. Of members of the same name the last counts.
pub(super) fn pointer(text: &str, pointer: &str, cap_bytes: usize) -> Result<Sliced, Error> {
    let tokens = tokens(pointer)?;
    let tree = Tree::parse(text).map_err(|source| Error::NotJson { field: "pointer", source })?;
    let mut node = 0;
    let mut walked = String::new();
    for token in tokens {
        let next = match tree.kind(node) {
            Kind::Object => tree
                .children(node)
                .filter(|&child| tree.key(child).is_some_and(|key| key == token))
                .last(),
            Kind::Array => index(&token).and_then(|index| tree.children(node).nth(index)),
            Kind::String | Kind::Number | Kind::Boolean | Kind::Null => None,
        };
        let Some(next) = next else {
            return Err(Error::Nowhere { token, parent: tree.kind(node).name(), at: walked });
        };
        node = next;
        walked.push('/');
        walked.push_str(&token.replace('~', "~0").replace('/', "~1"));
    }
    let place = tree.range(node);
    Ok(cut(text, place, place, cap_bytes))
}

fn tokens(pointer: &str) -> Result<Vec<String>, Error> {
    let Some(rest) = pointer.strip_prefix('/') else {
        let bad = Error::BadPointer { reason: "it must be empty or start with a slash" };
        return if pointer.is_empty() { Ok(Vec::new()) } else { Err(bad) };
    };
    let escaped = |token: &str| token.replace("~0", "").replace("~1", "").contains('~');
    if rest.split('/').any(escaped) {
        return Err(Error::BadPointer { reason: "a tilde must be followed by 0 or 1" });
    }
    Ok(rest.split('/').map(|token| token.replace("~1", "/").replace("~0", "~")).collect())
}

/// RFC 6901 section 4: digits without leading zeros.
fn index(token: &str) -> Option<usize> {
    let plain = token == "0"
        || (!token.starts_with('0') && token.bytes().all(|byte| byte.is_ascii_digit()));
    plain.then(|| token.parse().ok())?
}

/// The values a `JSONPath` selects, as a JSON array of them.
pub(super) fn path(
    text: &str,
    path: &str,
    asked: (usize, Option<usize>),
    cap_bytes: usize,
) -> Result<Sliced, Error> {
    let path = Path::parse(path)?;
    let tree = Tree::parse(text).map_err(|source| Error::NotJson { field: "path", source })?;
    let places: Vec<_> =
        select::select(&tree, &path)?.into_iter().map(|node| tree.range(node)).collect();
    pick(text, &places, Unit::Match, Join::Array, asked, cap_bytes)
}
