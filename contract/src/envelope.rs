//! Owns the envelope and the four kinds of answer that a client tells apart by shape alone: done
//! (which may be empty), refused, held and unavailable. Invariant: one [`Answer`] renders to the
//! same JSON on every surface.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::hint::Hint;
use crate::id::{Approval, Id};
use crate::refusal::Refusal;
use crate::time::Timestamp;
use crate::verbs::approval::CheckSaid;
use crate::{Address, Effect, Scope};

/// The object that a call changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Object {
    /// The kind of record, in the plural: `grants`.
    pub table: String,
    /// Its id or name.
    pub id: String,
}

/// One object that a call changed, with the version it has now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Written {
    /// Which object.
    pub object: Object,
    /// The version it has now.
    pub version: i64,
}

impl Written {
    /// `table`'s record `id`, now at `version`.
    #[expect(clippy::needless_pass_by_value, reason = "ids are small and written in place")]
    pub fn new(table: &str, id: impl ToString, version: i64) -> Self {
        Self { object: Object { table: table.to_owned(), id: id.to_string() }, version }
    }
}

/// An ordinary answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Envelope {
    /// What was asked for.
    pub result: Value,
    /// Every object the call changed, with its new version.
    #[serde(default)]
    pub written: Vec<Written>,
    /// What the answer teaches.
    #[serde(default)]
    pub hints: Vec<Hint>,
}

impl Envelope {
    /// An answer that changed nothing.
    pub fn of(result: Value) -> Self {
        Self { result, written: Vec::new(), hints: Vec::new() }
    }

    /// This answer with one more object changed.
    #[must_use]
    pub fn wrote(mut self, written: Written) -> Self {
        self.written.push(written);
        self
    }

    /// This answer with one more hint.
    #[must_use]
    pub fn hint(mut self, hint: Hint) -> Self {
        self.hints.push(hint);
        self
    }
}

/// A call that waits for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Held {
    /// Which approval: read its answer with `approval.get`.
    pub approval: Id<Approval>,
    /// Why it was stopped.
    pub why: String,
    /// When it stops waiting.
    pub expires: Timestamp,
}

/// What a dry run answers as its `result` where the Gate rules on the call: what it would have met.
/// The control plane answers a dry run with what it would have answered. Nothing was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DryRun {
    /// How the call would have been ruled: `allow`, `constrain`, `approve` or `block`.
    pub verdict: String,
    /// What each check said, in their order.
    pub checks: Vec<CheckSaid>,
    /// What would have been called.
    pub address: Address,
    /// The scope it would have reached.
    pub scope: Scope,
    /// What the call would have done to the world.
    pub effect: Effect,
}

/// A call that could not be decided or carried out now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unavailable {
    /// What does not answer.
    pub what: String,
    /// When to try again.
    pub retry_after_ms: u64,
}

/// Every way a call can be answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Done.
    Done(Envelope),
    /// Refused: nothing was done.
    Refused(Box<Refusal>),
    /// Waits for a person.
    Held(Held),
    /// Not now.
    Unavailable(Unavailable),
}

impl Answer {
    /// What does not answer, and when to try again.
    pub fn unavailable(what: impl Into<String>, retry_after_ms: u64) -> Self {
        Self::Unavailable(Unavailable { what: what.into(), retry_after_ms })
    }

    /// The HTTP status of the REST surface.
    pub fn status(&self) -> u16 {
        match self {
            Self::Done(_) => 200,
            Self::Held(_) => 202,
            Self::Refused(refusal) => refusal.code.status(),
            Self::Unavailable(_) => 503,
        }
    }

    /// The exit code of the command line.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Done(_) => 0,
            Self::Refused(_) => 2,
            Self::Unavailable(_) => 3,
            Self::Held(_) => 4,
        }
    }

    /// Whether the MCP surface marks it as an error.
    pub fn is_error(&self) -> bool {
        matches!(self, Self::Refused(_) | Self::Unavailable(_))
    }

    /// The JSON body, the same on every surface.
    pub fn body(&self) -> Value {
        match self {
            Self::Done(envelope) => {
                json!({ "result": envelope.result, "written": envelope.written, "hints": envelope.hints })
            }
            Self::Refused(refusal) => refusal.body(),
            Self::Held(held) => json!({ "held": held }),
            Self::Unavailable(unavailable) => {
                json!({ "unavailable": unavailable, "retryable": true })
            }
        }
    }
}

impl From<Refusal> for Answer {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(Box::new(refusal))
    }
}

impl From<Box<Refusal>> for Answer {
    fn from(refusal: Box<Refusal>) -> Self {
        Self::Refused(refusal)
    }
}

impl From<Envelope> for Answer {
    fn from(envelope: Envelope) -> Self {
        Self::Done(envelope)
    }
}
