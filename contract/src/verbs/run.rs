//! Owns the verbs on runs. Invariant: no verb lowers a run's labels.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ListInput, Page};
use crate::id::{self, Id};
use crate::sample;
use crate::verb::{Needs, verb};
use crate::{Labels, Scope, Timestamp};

/// A run: one piece of an agent's work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// Its id.
    pub id: Id<id::Run>,
    /// Whose it is.
    pub principal: Id<id::Principal>,
    /// The run it was started from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Id<id::Run>>,
    /// The home scope of the token that started it.
    pub scope: Scope,
    /// What it is for.
    pub title: String,
    /// The labels of everything it has read.
    pub labels: Labels,
    /// What first brought a label: addresses and handles.
    pub sources: Vec<String>,
    /// Whether calls that name no run belong to it.
    pub default: bool,
    /// When it was started.
    pub started: Timestamp,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Timestamp>,
}

/// What starts a run.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StartInput {
    /// What it is for (up to 200 characters).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    pub title: Option<String>,
    /// The run it comes from; your default run if left out. It inherits that run's labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Id<id::Run>>,
    /// Start without labels. Only a person, or a holder of `run.open_clean`, may.
    #[serde(default)]
    pub clean: bool,
}

/// Which run.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Which {
    /// The run's id.
    pub run: Id<id::Run>,
}

verb! {
    /// Starts a run: one piece of work. It inherits the labels of its parent or of your default run,
    /// since what was read is still held; only a person, or a holder of `run.open_clean`, starts clean.
    Start = "run.start", Post "/v1/runs", Write, Data,
    needs Needs::Caller, StartInput => Run, hints [RunLabelled],
    example { "title": "Refunds of November" } => {
        "id": sample::text("run", 9), "principal": sample::text("principal", 2), "scope": "acme",
        "title": "Refunds of November", "labels": [], "sources": [], "default": false,
        "started": "2026-11-30T12:00:00Z"
    }
}
verb! {
    /// Answers one run: its labels and what brought them.
    Get = "run.get", Get "/v1/runs/{run}", Read, Data,
    needs Needs::Caller, Which => Run, hints [],
    example { "run": sample::text("run", 1) } => {
        "id": sample::text("run", 1), "principal": sample::text("principal", 2), "scope": "acme",
        "title": "", "labels": ["untrusted"], "sources": ["shop/tickets.log.read"], "default": true,
        "started": "2026-11-30T12:00:00Z"
    }
}
verb! {
    /// Lists runs, newest first: your own, and others' where you hold `run.manage`.
    List = "run.list", Get "/v1/runs", Read, Data,
    needs Needs::Caller, ListInput => Page<Run>, hints [MoreFollows],
    example { "limit": 1 } => { "items": [{
        "id": sample::text("run", 2), "principal": sample::text("principal", 2), "scope": "acme",
        "title": "Refunds of November", "labels": [], "sources": [], "default": false,
        "started": "2026-11-30T12:00:00Z"
    }], "cursor": sample::text("run", 2) }
}
verb! {
    /// Ends a run: no call can name it any more. Ending a tainted default run, so that the next one
    /// is clean, needs a person or `run.open_clean`.
    End = "run.end", Post "/v1/runs/{run}/end", Write, Data,
    needs Needs::Caller, Which => Run, hints [],
    example { "run": sample::text("run", 2) } => {
        "id": sample::text("run", 2), "principal": sample::text("principal", 2), "scope": "acme",
        "title": "Refunds of November", "labels": [], "sources": [], "default": false,
        "started": "2026-11-30T12:00:00Z", "ended": "2026-11-30T12:30:00Z"
    }
}
