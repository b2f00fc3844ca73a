//! Members of one object whose names differ by letter case alone.
//!
//! Invariant: a pair that some reader folds into one name is found at any depth.

use std::collections::HashMap;

use serde_json::Value;

/// The first two members of one object, at any depth, whose names differ only by letter case.
///
/// Such a body means one thing to a reader that folds case and another to one that does not, so
/// it could be routed by one name and authorised by the other. ASCII letters fold, and with them
/// the two characters outside ASCII that Unicode folds to an ASCII letter: U+017F (to `s`) and
/// U+212A (to `k`).
pub fn case_twins(value: &Value) -> Option<(String, String)> {
    match value {
        Value::Object(members) => {
            let mut seen: HashMap<String, &String> = HashMap::with_capacity(members.len());
            for key in members.keys() {
                if let Some(twin) = seen.insert(folded(key), key) {
                    return Some((twin.clone(), key.clone()));
                }
            }
            members.values().find_map(case_twins)
        }
        Value::Array(items) => items.iter().find_map(case_twins),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

fn folded(key: &str) -> String {
    let fold = |character: char| match character {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        other => other.to_ascii_lowercase(),
    };
    key.chars().map(fold).collect()
}
