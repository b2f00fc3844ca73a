//! The key or column name under which a text stands, judged once.

use super::assignment::{self, Strength};
use super::hint;

/// The name's words and what they promise. Empty for a text that stands under none.
#[derive(Debug, Clone, Default)]
pub(super) struct Key {
    pub(super) words: Vec<String>,
    /// What kind of secret stands under the name, if one does.
    pub(super) strength: Option<Strength>,
}

impl Key {
    pub(super) fn of(name: &str) -> Self {
        let words = hint::words(name);
        Self { strength: assignment::strength(&words), words }
    }
}
