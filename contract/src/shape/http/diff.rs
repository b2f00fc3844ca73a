//! What changed from one declaration to another, field by field, as a curator wants to read it.
//!
//! The invariant: nothing is left out. Two declarations without a change between them have the same
//! canonical form, and the changes put into the older one make the newer.

mod judge;
mod text;

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::canonical::to_canonical;

pub use text::text;

/// What a change means to whoever judges the tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// It lets through, reaches or trusts what it did not.
    Widens,
    /// It no longer lets through, reaches or trusts something.
    Narrows,
    /// Only what is said to the reader changed.
    Words,
    /// Anything else, and what cannot be told.
    Other,
}

/// One field that changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// The field: a JSON pointer into the declaration, in which an argument stands by its name and a
    /// clean output by its pointer. Where one was added, removed or put elsewhere as a whole, theirs.
    pub at: String,
    /// What it was; absent if it was not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Value>,
    /// What it is; absent if it is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Value>,
    /// What that means, in a sentence.
    pub say: String,
}

/// The lists that are compared by a member of their items instead of by place.
const KEYED: [(&str, &str); 2] = [("arguments", "name"), ("clean_outputs", "pointer")];

/// Every change from `before` to `after`, two declarations as JSON, by group and then by field.
pub fn diff(before: &Value, after: &Value) -> Vec<(Group, Change)> {
    let (mut before, mut after) = (before.clone(), after.clone());
    let mut walk = Walk::default();
    for (list, member) in KEYED {
        walk.key(&mut before, &mut after, list, member);
    }
    walk.compare(&mut Vec::new(), Some(&before), Some(&after));
    walk.changes.sort_by(|(one, a), (other, b)| one.cmp(other).then_with(|| a.at.cmp(&b.at)));
    walk.changes
}

#[derive(Debug, Default)]
struct Walk {
    changes: Vec<(Group, Change)>,
}

impl Walk {
    /// Makes objects of both sides' lists, and notes where the order is another. The items that stay
    /// come first, and after them those that are new, by name: that order says itself.
    fn key(&mut self, before: &mut Value, after: &mut Value, list: &str, member: &str) {
        let found = |side: &Value| side.get("endpoint")?.get(list).cloned();
        let sides = (found(before), found(after));
        let (Some(one), Some(other)) = sides else { return };
        let (Some(one), Some(other)) = (by_member(&one, member), by_member(&other, member)) else {
            return;
        };
        let stay = one.keys().filter(|key| other.contains_key(*key));
        let come: BTreeSet<_> = other.keys().filter(|key| !one.contains_key(*key)).collect();
        if !stay.chain(come).eq(other.keys()) {
            let names = |side: &Map<String, Value>| side.keys().cloned().collect::<Value>();
            let at = format!("/endpoint/{list}");
            let (before, after) = (Some(names(&one)), Some(names(&other)));
            let say = "The same stand in another order.".to_owned();
            self.changes.push((Group::Other, Change { at, before, after, say }));
        }
        for (side, keyed) in [(before, one), (after, other)] {
            if let Some(place) = side.get_mut("endpoint").and_then(|inner| inner.get_mut(list)) {
                *place = Value::Object(keyed);
            }
        }
    }

    fn compare(&mut self, at: &mut Vec<String>, before: Option<&Value>, after: Option<&Value>) {
        if let (Some(Value::Object(one)), Some(Value::Object(other))) = (before, after) {
            let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
            for name in names {
                at.push(name.clone());
                self.compare(at, one.get(name), other.get(name));
                at.pop();
            }
            return;
        }
        if same(before, after) {
            return;
        }
        let path: Vec<&str> = at.iter().map(String::as_str).collect();
        let (group, say) = judge::judge(&path, before, after);
        let change = Change {
            at: pointer(&path),
            before: before.cloned(),
            after: after.cloned(),
            say: say.to_owned(),
        };
        self.changes.push((group, change));
    }
}

/// The items of a list by a member that each has and no two share; none if it is no such list.
fn by_member(list: &Value, member: &str) -> Option<Map<String, Value>> {
    let items = list.as_array()?;
    let named = items.iter().map(|item| Some((item.get(member)?.as_str()?.to_owned(), item)));
    let named: Map<String, Value> =
        named.map(|one| one.map(|(name, item)| (name, item.clone()))).collect::<Option<_>>()?;
    (named.len() == items.len()).then_some(named)
}

/// Whether both are the same by what a digest is taken over: `1.0` is `1`.
fn same(before: Option<&Value>, after: Option<&Value>) -> bool {
    match (before, after) {
        (Some(one), Some(other)) => {
            let canonical = || Some(to_canonical(one).ok()? == to_canonical(other).ok()?);
            one == other || canonical().unwrap_or(false)
        }
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// An RFC 6901 pointer.
fn pointer(path: &[&str]) -> String {
    let mut out = String::new();
    for part in path {
        out.push('/');
        out.push_str(&part.replace('~', "~0").replace('/', "~1"));
    }
    out
}

#[cfg(test)]
mod tests;
