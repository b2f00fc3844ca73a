//! Owns finding the run that a call belongs to. Invariant: a call that names none belongs to its
//! principal's default run, so leaving the run out launders nothing.

use std::sync::Arc;

use contract::id::{self, Id};
use contract::verbs::token::PackRef;
use contract::{Answer, Code, Labels, Refusal};
use tenancy::authority::Caller;

use super::Worker;
use super::answer::broken;
use crate::ledger::entry::body::{self, Body};
use crate::run::{self, Labelled, Packs, Record, Run, Started, TOKENS_MAX};
use crate::store::{Batch, Fault};

/// How many runs above a clean run are looked at. `run.start` nests no deeper.
pub(crate) const ABOVE_MAX: usize = 16;

impl Worker {
    /// The run a call belongs to.
    pub(crate) async fn run_of(
        &self,
        caller: &Caller<'_>,
        named: Option<Id<id::Run>>,
    ) -> Result<Arc<Run>, Box<Answer>> {
        match named {
            Some(run) => self.named_run(caller, run).await,
            None => self.default_run(caller).await.map_err(|fault| Box::new(broken(&fault))),
        }
    }

    async fn named_run(
        &self,
        caller: &Caller<'_>,
        id: Id<id::Run>,
    ) -> Result<Arc<Run>, Box<Answer>> {
        let found = self.run(id).await.map_err(|fault| Box::new(broken(&fault)))?;
        let (principal, token) = (caller.principal().id, caller.token().id);
        let run = found.filter(|run| run.named_by(principal, token));
        let run = run.ok_or_else(|| Box::new(Refusal::not_found("run", "run").into()))?;
        if run.ended() {
            let refusal = Refusal::new(
                Code::RunEnded,
                "This run has ended.",
                "Start another with `run.start`, or leave the run out.",
            );
            return Err(Box::new(refusal.into()));
        }
        Ok(run)
    }

    /// The run of that id, whosever it is.
    pub(crate) async fn run(&self, id: Id<id::Run>) -> Result<Option<Arc<Run>>, Fault> {
        if let Some(run) = self.runs.get(id) {
            return Ok(Some(run));
        }
        let record = run::by_id(self.store.readers(), id).await?;
        Ok(record.map(|record| self.runs.keep(Run::of(record))))
    }

    /// The default run of the caller's principal; started now if there is none.
    pub(crate) async fn default_run(&self, caller: &Caller<'_>) -> Result<Arc<Run>, Fault> {
        let principal = caller.principal().id;
        if let Some(run) = self.found_default(principal).await? {
            return Ok(run);
        }
        let record = self.new_record(caller, None, String::new(), Labels::NONE, true);
        let batch = Batch::of(started(&record)).with(Started(record.clone()));
        match self.store.commit(batch).await {
            Ok(_) => Ok(self.runs.keep(Run::of(record))),
            // A concurrent call started it.
            Err(Fault::Conflict(_)) => run::default_of(self.store.readers(), principal)
                .await?
                .map(|record| self.runs.keep(Run::of(record)))
                .ok_or(Fault::Conflict("the default run")),
            Err(fault) => Err(fault),
        }
    }

    async fn found_default(&self, principal: Id<id::Principal>) -> Result<Option<Arc<Run>>, Fault> {
        if let Some(run) = self.runs.default_of(principal) {
            return Ok(Some(run));
        }
        let record = run::default_of(self.store.readers(), principal).await?;
        Ok(record.map(|record| self.runs.keep(Run::of(record))))
    }

    /// The packs that a run holds the caller to, kept and stored from its first call in it on.
    pub(crate) async fn packs_of(
        &self,
        caller: &Caller<'_>,
        run: &Run,
    ) -> Result<Vec<Arc<[PackRef]>>, Box<Answer>> {
        let Some(bound) = run.bind(caller) else {
            let refusal = Refusal::new(
                Code::WrongState,
                format!("More than {TOKENS_MAX} live tokens have called in this run."),
                "End it (`run.end`), or start another.",
            );
            return Err(Box::new(refusal.into()));
        };
        if let Some(change) = bound.change {
            let stored = self.store.commit(Batch::default().with(change.clone())).await;
            stored.map_err(|fault| Box::new(broken(&fault)))?;
            run.bound(&change);
        }
        Ok(bound.packs)
    }

    /// The packs that calls which name no run are held to, if such calls were made before.
    pub(crate) async fn default_packs(
        &self,
        caller: &Caller<'_>,
    ) -> Result<Vec<Arc<[PackRef]>>, Box<Answer>> {
        let found = self.found_default(caller.principal().id).await;
        match found.map_err(|fault| Box::new(broken(&fault)))? {
            Some(run) => self.packs_of(caller, &run).await,
            None => Ok(Vec::new()),
        }
    }

    /// The clean runs that a clean run was started from, nearest first: what is read in one of the
    /// family is held in all of it.
    pub(crate) async fn above(&self, run: &Run) -> Result<Vec<Arc<Run>>, Fault> {
        let (mut above, mut next) = (Vec::new(), run.parent());
        while let Some(parent) = next.filter(|_| above.len() < ABOVE_MAX) {
            match self.run(parent).await? {
                Some(parent) if parent.clean() => {
                    next = parent.parent();
                    above.push(parent);
                }
                _ => break,
            }
        }
        Ok(above)
    }

    /// Adds labels to a run, and to its principal's default run: what was read in one run is still
    /// held by whoever leaves the run out, or starts the next. Answers the changes to store.
    pub(crate) async fn label(
        &self,
        caller: &Caller<'_>,
        run: &Run,
        labels: Labels,
        source: &str,
    ) -> Result<Vec<Labelled>, Fault> {
        let mut changes: Vec<Labelled> = run.label(labels, source).into_iter().collect();
        if labels.is_empty() {
            return Ok(changes);
        }
        if run.clean() {
            for above in self.above(run).await? {
                changes.extend(above.label(labels, source));
            }
        } else {
            changes.extend(self.default_run(caller).await?.label(labels, source));
        }
        Ok(changes)
    }

    /// A record of a run that starts now.
    pub(crate) fn new_record(
        &self,
        caller: &Caller<'_>,
        parent: Option<Id<id::Run>>,
        title: String,
        labels: Labels,
        default: bool,
    ) -> Record {
        Record {
            id: self.new_id(),
            principal: caller.principal().id,
            token: Some(caller.token().id),
            parent,
            scope: caller.home().clone(),
            title,
            labels,
            sources: Vec::new(),
            default,
            clean: false,
            packs: Packs::of(caller, &Packs::default()),
            started: self.now(),
            ended: None,
            mask_key: self.random(),
            numbering: crate::content::mask::Numbering::default(),
        }
    }
}

/// The entry of a run that started.
pub(crate) fn started(record: &Record) -> Body {
    told(record, "started")
}

/// The entry of a run that ended.
pub(crate) fn told(record: &Record, act: &str) -> Body {
    Body::Run(body::Run {
        id: record.id.to_string(),
        act: act.to_owned(),
        principal: record.principal.to_string(),
        scope: record.scope.to_string(),
        parent: record.parent.map(|parent| parent.to_string()),
        labels: super::outcome::words(record.labels),
    })
}
