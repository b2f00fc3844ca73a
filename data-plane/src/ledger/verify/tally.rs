//! What the entries of an export amount to.
//!
//! Invariant: it judges nothing. A ruling without an outcome is reported, not refused, since a
//! crash leaves one and an export may be taken while a call is in flight.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{OPEN_NAMED_MAX, OpenRuling};
use crate::ledger::entry::Entry;

/// A fold over the entries.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) entries: u64,
    pub(super) first_at_ms: Option<i64>,
    pub(super) last_at_ms: Option<i64>,
    pub(super) kinds: BTreeMap<String, u64>,
    pub(super) stray_outcomes: u64,
    open: BTreeMap<String, u64>,
}

impl Tally {
    pub(super) fn take(&mut self, entry: &Entry) {
        self.entries += 1;
        self.first_at_ms.get_or_insert_with(|| entry.at_ms());
        self.last_at_ms = Some(entry.at_ms());
        *self.kinds.entry(entry.kind().to_owned()).or_default() += 1;
        let text = |name: &str| entry.body().get(name).and_then(Value::as_str);
        match entry.kind() {
            // Only these verdicts let a call through; the others have no outcome to wait for.
            "ruling" if matches!(text("verdict"), Some("allow" | "constrain")) => {
                if let Some(id) = text("id") {
                    self.open.insert(id.to_owned(), entry.seq());
                }
            }
            "outcome" | "outcome_unknown" => {
                let ruled = text("ruling").and_then(|id| self.open.remove(id));
                self.stray_outcomes += u64::from(ruled.is_none());
            }
            _ => {}
        }
    }

    /// How many rulings are open.
    pub(super) fn open_rulings(&self) -> u64 {
        self.open.len() as u64
    }

    /// The first of them, by place.
    pub(super) fn into_open_rulings(self) -> Vec<OpenRuling> {
        let mut open: Vec<OpenRuling> =
            self.open.into_iter().map(|(id, seq)| OpenRuling { seq, id }).collect();
        open.sort_unstable_by_key(|ruling| ruling.seq);
        open.truncate(OPEN_NAMED_MAX);
        open
    }
}
