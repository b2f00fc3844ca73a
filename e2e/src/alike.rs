//! Owns what two answers are compared by: everything but ids, hashes, times and secrets.

use contract::Timestamp;
use serde_json::{Map, Value};

/// An answer with its ids, hashes, times, secrets and decisions put out of sight; `say` has the last
/// word on every text.
pub fn alike(value: &Value, say: &dyn Fn(String) -> Value) -> Value {
    match value {
        Value::String(text) if text.parse::<Timestamp>().is_ok() => "TIME".into(),
        Value::String(text) => say(plain(text)),
        Value::Array(items) => items.iter().map(|item| alike(item, say)).collect(),
        Value::Object(map) => {
            let kept = map.iter().filter(|(name, _)| *name != "decision_id");
            let members = kept.map(|(name, item)| (name.clone(), alike(item, say)));
            Value::Object(members.collect::<Map<_, _>>())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// A text with every id (by its prefix), hash and secret in it put out of sight.
fn plain(text: &str) -> String {
    let in_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let hex = |text: &str, len| text.len() == len && text.bytes().all(|b| b.is_ascii_hexdigit());
    let mut out = String::with_capacity(text.len());
    for word in text.split_inclusive(|c| !in_word(c)) {
        let bare = word.trim_end_matches(|c| !in_word(c));
        let end = word.strip_prefix(bare).unwrap_or_default();
        match bare.rsplit_once('_') {
            Some((prefix, rest)) if hex(rest, 32) => {
                out.push_str(prefix);
                out.push_str("_ID");
            }
            _ if hex(bare, 64) => out.push_str("HASH"),
            _ if bare.starts_with("bw_") => out.push_str("SECRET"),
            _ => out.push_str(bare),
        }
        out.push_str(end);
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_differs_each_time_is_out_of_sight_and_all_else_is_seen() {
        let id = contract::sample::text("run", 7);
        let value = json!({
            "at": "2026-11-30T12:00:00Z", "say": format!("Run {id}, at last: bw_agent_x_y."),
            "hash": "0".repeat(64), "n": 7, "decision_id": "x", "deep": [format!("/{id}/{id}")]
        });
        let seen = json!({
            "at": "TIME", "say": "Run run_ID, at last: SECRET.", "hash": "HASH", "n": 7,
            "deep": ["/run_ID/run_ID"]
        });
        assert_eq!(alike(&value, &Value::from), seen);
    }
}
