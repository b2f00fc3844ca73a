//! The seats: the platform's own verbs that a worker carries out itself, one module a noun.
//!
//! Invariant: a seat reads and writes a tenant's records under a permit for the scope that the call
//! reaches, which the Gate decided just before; what it answers of content carries that content's
//! labels into the run.

mod access;
mod aim;
mod approval;
mod catalogue;
mod content;
mod ledger;
mod run;

use std::sync::Arc;

use contract::id::{self, Id};
use contract::verb::Verb;
use contract::verbs::{self, ListInput};
use contract::{Answer, Code, Effect, Envelope, Hint, Labels, Refusal, Scope, hint};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tenancy::authority;
use tenancy::permit::Permit;

use crate::gate::Ruling;
use crate::ledger::entry::body::Body;
use crate::store::{Batch, Change, Fault};
use crate::worker::call::Found;
use crate::worker::execute::{Close, Open};
use crate::worker::{Worker, answer, outcome};

/// What a seat's verb came to.
#[derive(Debug)]
struct Sat {
    envelope: Envelope,
    /// The labels of the content that is answered, and where they come from.
    labels: Labels,
    source: String,
    entries: Vec<Body>,
    changes: Vec<Box<dyn Change>>,
}

impl Sat {
    /// An answer that changed nothing and holds nothing labelled.
    fn of(result: &impl Serialize) -> Self {
        let result = serde_json::to_value(result).unwrap_or_default();
        Self {
            envelope: Envelope::of(result),
            labels: Labels::NONE,
            source: String::new(),
            entries: Vec::new(),
            changes: Vec::new(),
        }
    }

    fn hint(mut self, kind: hint::Kind, say: impl Into<String>) -> Self {
        self.envelope.hints.push(Hint::new(kind, say));
        self
    }
}

/// Why a seat's verb was not carried out.
#[derive(Debug)]
enum Unsat {
    /// Refused.
    Refused(Box<Refusal>),
    /// The store failed.
    Broken(Fault),
}

impl From<Refusal> for Unsat {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(Box::new(refusal))
    }
}
impl From<Fault> for Unsat {
    fn from(fault: Fault) -> Self {
        Self::Broken(fault)
    }
}
impl From<sqlx::Error> for Unsat {
    fn from(error: sqlx::Error) -> Self {
        Self::Broken(error.into())
    }
}

type Seated = Result<Sat, Unsat>;

/// A call to a seat.
struct Call<'a, 'v> {
    worker: &'a Arc<Worker>,
    found: &'a Found<'v>,
}

impl Call<'_, '_> {
    fn input<T: DeserializeOwned>(&self) -> Result<T, Unsat> {
        contract::typed::typed(self.found.named.arguments.clone()).map_err(|error| {
            Refusal::of_field("arguments", error.to_string(), "Read the schema of this verb.")
                .into()
        })
    }

    /// The permit for an action at a scope, or the refusal.
    fn permit(&self, action: contract::Action, scope: &Scope) -> Result<Permit, Unsat> {
        let asking = &self.found.asking;
        authority::decide(&asking.standing, asking.caller, action, scope, asking.now)
            .permit()
            .map_err(|objection| match objection {
                authority::Objection::Refused(reason) => crate::gate::refusal(reason).into(),
                authority::Objection::Unavailable => Unsat::Broken(Fault::Stopped),
            })
    }

    fn may(&self, action: contract::Action, scope: &Scope) -> bool {
        self.permit(action, scope).is_ok()
    }
}

/// Where a list goes on after the record with this id.
fn cursor_of<K: id::Kind>(cursor: Option<&str>) -> Result<Option<Id<K>>, Unsat> {
    cursor
        .map(|cursor| {
            cursor.parse().map_err(|_| {
                Refusal::of_field(
                    "cursor",
                    "This is not a cursor of this list.",
                    "Send the `cursor` of the answer before, as it was.",
                )
                .into()
            })
        })
        .transpose()
}

fn limit_of(limit: Option<u32>) -> u32 {
    limit.unwrap_or(verbs::PAGE_DEFAULT).clamp(1, verbs::PAGE_MAX)
}

fn paged(input: &ListInput) -> (Option<&str>, u32) {
    (input.cursor.as_deref(), limit_of(input.limit))
}

impl Worker {
    /// Carries a seat's verb out, writes what the ledger says of it, and answers.
    pub(crate) async fn sit(
        self: &Arc<Self>,
        verb: &'static Verb,
        found: &Found<'_>,
        ruling: &Ruling,
        id: Id<id::Ruling>,
    ) -> Answer {
        let entry = self.ruling_entry(found, ruling, id, self.new_seat_id(), None);
        let mut before = vec![entry];
        if verb.effect != Effect::Read {
            let batch = Batch { entries: std::mem::take(&mut before), ..Batch::default() };
            let batch = batch.with(Open { ruling: id, effect: verb.effect, key: None });
            if let Err(fault) = self.store().commit(batch.durable()).await {
                return answer::broken(&fault);
            }
        }
        let seated = dispatch(verb.name, &Call { worker: self, found }).await;
        let mut batch = Batch { entries: before, ..Batch::default() };
        batch.durable = verb.effect != Effect::Read;
        let answered = match seated {
            Ok(sat) => {
                let (held, caller) = (found.run.labels(), found.asking.caller);
                match self.label(caller, &found.run, sat.labels, &sat.source).await {
                    Ok(labelled) => batch = labelled.into_iter().fold(batch, Batch::with),
                    Err(fault) => return answer::broken(&fault),
                }
                batch.entries.extend(sat.entries);
                batch.changes.extend(sat.changes);
                let mut envelope = sat.envelope;
                envelope.hints.extend(outcome::labelled(held, found.run.labels()));
                Answer::Done(envelope)
            }
            Err(Unsat::Refused(refusal)) => {
                let decision = self.new_seat_id();
                let ruling = refusing(&refusal);
                let of = self.new_ruling_id();
                batch.entries.push(self.ruling_entry(found, &ruling, of, decision, None));
                Answer::Refused(Box::new(refusal.decided(decision)))
            }
            Err(Unsat::Broken(fault)) => answer::broken(&fault),
        };
        let status = match &answered {
            Answer::Refused(refusal) => refusal.code.as_str(),
            Answer::Done(_) => "ok",
            Answer::Held(_) => "held",
            Answer::Unavailable(_) => "unavailable",
        };
        let sent = u64::try_from(answered.body().to_string().len()).unwrap_or(u64::MAX);
        batch.entries.push(outcome::ended(id, status, sent));
        if verb.effect != Effect::Read {
            batch = batch.with(Close(id));
        }
        if let Some(numbered) = found.run.numbered() {
            batch = batch.with(numbered);
        }
        let done = matches!(answered, Answer::Done(_));
        let batch = batch.with(self.count(found, done, sent, 0));
        match self.store().commit(batch).await {
            Ok(_) => answered,
            Err(fault) => answer::broken(&fault),
        }
    }
}

/// What the ledger says of a refusal that the seat itself found: the Gate had let the call pass.
fn refusing(refusal: &Refusal) -> Ruling {
    let check = if refusal.code == Code::InvalidInput { "contract" } else { "authority" };
    Ruling::refusing(check, refusal.code.as_str(), refusal.clone())
}

async fn dispatch(verb: &str, call: &Call<'_, '_>) -> Seated {
    match verb {
        "access.explain" => access::explain(call).await,
        "approval.cancel" => approval::cancel(call).await,
        "approval.get" => approval::get(call).await,
        "approval.list" => approval::list(call).await,
        "approval.refuse" => approval::refuse(call).await,
        // A release makes the held call, which may be a seat's: the future holds one of its own kind.
        "approval.release" => Box::pin(approval::release(call)).await,
        "catalogue.describe" => catalogue::describe(call),
        "catalogue.overview" => Ok(catalogue::overview(call)),
        "catalogue.place" => catalogue::place(call),
        "catalogue.search" => catalogue::search(call),
        "content.embed" => content::embed(call).await,
        "content.metadata" => content::metadata(call).await,
        "content.near" => content::near(call).await,
        "content.passages" => content::passages(call).await,
        "content.search" => content::search(call).await,
        "content.slice" => content::slice(call).await,
        "ledger.export" => ledger::export(call).await,
        "ledger.query" => ledger::query(call).await,
        "ledger.replay" => ledger::replay::replay(call).await,
        "run.end" => run::end(call).await,
        "run.get" => run::get(call).await,
        "run.list" => run::list(call).await,
        "run.start" => run::start(call).await,
        other => Err(Refusal::of_field(
            "address",
            format!("`{other}` is not carried out here."),
            "Call what `catalogue.overview` shows.",
        )
        .into()),
    }
}

/// A result whose hints are only known once it is there.
fn page<T: Serialize>(items: Vec<T>, cursor: Option<String>) -> Sat {
    let more = cursor.is_some();
    let sat = Sat::of(&verbs::Page { items, cursor });
    if more {
        sat.hint(hint::Kind::MoreFollows, "The list goes on: send `cursor` to read the rest.")
    } else {
        sat
    }
}
