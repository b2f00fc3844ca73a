//! Why a part cannot be given, with the field at fault and the way to mend it.

use super::Unit;
use crate::content::json;

/// A request for a part that does not fit the text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Error {
    #[error("`end` ({end}) lies before `start` ({start})")]
    Backwards { start: usize, end: usize },
    #[error("`start` ({start}) lies past the last {} (there are {of})", unit.name())]
    Beyond { unit: Unit, start: usize, of: usize },
    #[error("`{field}` needs JSON and this content is none")]
    NotJson { field: &'static str, source: json::Error },
    #[error("this content has no rows")]
    NoRows,
    #[error("`pointer` is no JSON pointer: {reason}")]
    BadPointer { reason: &'static str },
    #[error("`pointer` leads nowhere: there is no `{token}` in the {parent} at `{at}`")]
    Nowhere { token: String, parent: &'static str, at: String },
    #[error("`path` is no JSONPath at byte {at}: {reason}")]
    BadPath { at: usize, reason: &'static str },
    #[error("`path` visits too many values")]
    TooBroad,
}

impl Error {
    /// The argument at fault.
    pub(crate) const fn field(&self) -> &'static str {
        match self {
            Self::Backwards { .. } => "end",
            Self::Beyond { .. } => "start",
            Self::NotJson { field, .. } => field,
            Self::NoRows => "rows",
            Self::BadPointer { .. } | Self::Nowhere { .. } => "pointer",
            Self::BadPath { .. } | Self::TooBroad => "path",
        }
    }

    /// What to send instead.
    pub(crate) fn fix(&self) -> String {
        match self {
            Self::Backwards { start, .. } => format!("give an `end` of {start} or more, or leave it out"),
            Self::Beyond { of, .. } => format!("give a `start` from 0 to {of}"),
            Self::NotJson { .. } | Self::NoRows => "ask by line or by byte".to_owned(),
            Self::BadPointer { .. } => {
                "write it as in `/items/0/name`, with `~1` for a slash and `~0` for a tilde in a name".to_owned()
            }
            Self::Nowhere { at, .. } => {
                format!("ask for `{at}` or read the keys from the content's metadata")
            }
            Self::BadPath { .. } => "write it as in `$.items[0:5].name` or `$.items[?@.state == 'open']`".to_owned(),
            Self::TooBroad => "name the way down instead of using `..` or `*` so often".to_owned(),
        }
    }
}
