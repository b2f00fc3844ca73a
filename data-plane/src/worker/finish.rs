//! Owns the end of a tool's call: what came of it is stored, labelled, recorded and counted in one
//! transaction, and only then answered.

use contract::shape::http;
use contract::{Answer, Effect, Hint, Labels, hint};
use serde_json::Value;

use super::Worker;
use super::answer::{broken, hex};
use super::call::Found;
use super::execute::{Close, Prepared};
use super::upstream::Ended;
use crate::approval;
use crate::catalogue::Target;
use crate::catalogue::http::received::Received;
use crate::catalogue::index::{Resend, Version};
use crate::content::store::{Keep, Origin};
use crate::idempotency::{self, End};
use crate::ledger::entry::body::{self, Body};
use crate::store::{Batch, Fault, Place};

/// How long a call took, and where its outcome is to be written.
#[derive(Debug)]
pub(crate) struct Done {
    /// Milliseconds from ruling to outcome.
    pub(crate) took_ms: u64,
    /// The place that was kept for it.
    pub(crate) place: Place,
}

impl Worker {
    /// Writes that nobody knows what came of an effect, when what came of it could not be written.
    /// Until that is written too, the ruling stays open and is marked at the next start.
    async fn lost(
        &self,
        prepared: &Prepared<'_>,
        effect: Effect,
        resend: Resend,
        fault: &Fault,
    ) -> Answer {
        let unavailable = broken(fault);
        if effect == Effect::Read {
            return unavailable;
        }
        let (ruling, reason) = (prepared.ruling.to_string(), "not_written".to_owned());
        let entry = Body::OutcomeUnknown(body::OutcomeUnknown { ruling, reason });
        let finish = idempotency::Finish { ruling: prepared.ruling, end: End::OutcomeUnknown };
        let batch = Batch::of(entry).with(Close(prepared.ruling)).with(finish).durable();
        if let Err(fault) = self.store.commit(batch).await {
            tracing::error!(error = %fault, "an unknown outcome was not written");
        }
        let say = "What came of the call could not be written down";
        super::upstream::unknown(say, resend).into()
    }

    /// Stores what came of a tool's call, writes the outcome, and answers.
    pub(crate) async fn finish(
        &self,
        prepared: &Prepared<'_>,
        found: &Found<'_>,
        version: &Version,
        ended: Ended,
        done: Done,
    ) -> Answer {
        let (failed, end, status, heard, received) = match ended {
            Ended::Good(received) => (None, End::Done(Value::Null), "ok", true, Some(received)),
            Ended::Bad(bad) => (Some(bad.answer), bad.end, bad.status, bad.heard, bad.body),
        };
        let declared = match &found.resolved.target {
            Target::Tool(tool) => {
                tool.classification.as_ref().map_or(Labels::NONE, |judged| judged.labels)
            }
            Target::Seat(_) => Labels::NONE,
        };
        let keep = received.map(|received| self.keep(prepared, found, declared, &received));
        let before = found.run.labels();
        let labels = keep.as_ref().map_or(Labels::NONE, |keep| keep.record.labels);
        // A media type or a place to redirect to is the upstream's words too.
        let labels = if heard { labels | declared } else { labels };
        let (caller, source) = (found.asking.caller, found.resolved.address.to_string());
        let labelled = match self.label(caller, &found.run, labels, &source).await {
            Ok(labelled) => labelled,
            Err(fault) => return broken(&fault),
        };
        let good = failed.is_none();
        let answer = match failed {
            None => good_answer(found, version, keep.as_ref(), before),
            Some(answer) => super::render::with_body(answer, found, keep.as_ref()),
        };
        let handle = keep.as_ref().map(|keep| keep.record.id);
        let end = if good { End::Done(serde_json::json!({ "content": handle })) } else { end };
        let sent = u64::try_from(answer.body().to_string().len()).unwrap_or(u64::MAX);
        let stored = keep.as_ref().map_or(0, |keep| keep.record.bytes);
        let outcome = outcome(prepared, &end, status, keep.as_ref(), done.took_ms);
        let mut batch = Batch::of(outcome)
            .with(Close(prepared.ruling))
            .with(self.count(found, good, sent, stored));
        batch.durable = found.resolved.effect != Effect::Read;
        if let Some(keep) = keep {
            batch = batch.with(keep);
        }
        if let Some(numbered) = found.run.numbered() {
            batch = batch.with(numbered);
        }
        for labelled in labelled {
            batch = batch.with(labelled);
        }
        if prepared.key.is_some() {
            batch = batch.with(idempotency::Finish { ruling: prepared.ruling, end });
        }
        if let Some(approval) = prepared.released {
            batch = batch.with(approval::Answered {
                id: approval,
                answer: kept_body(&answer, handle),
                content: handle,
            });
        }
        match done.place.commit(batch).await {
            Ok(_) => {
                if let (true, Some(handle)) = (good, handle) {
                    found.note_stored(handle);
                }
                answer
            }
            Err(fault) => {
                self.lost(prepared, found.resolved.effect, version.resend(), &fault).await
            }
        }
    }

    fn keep(
        &self,
        prepared: &Prepared<'_>,
        found: &Found<'_>,
        declared: Labels,
        received: &Received,
    ) -> Keep {
        let origin = Origin {
            id: self.new_id(),
            scope: found.resolved.scope.clone(),
            principal: found.asking.caller.principal().id,
            run: found.run.id(),
            ruling: Some(prepared.ruling),
            address: found.resolved.address.clone(),
            created: self.now(),
            salt: self.random(),
        };
        let media_type = received.media_type.as_deref().unwrap_or("application/octet-stream");
        Keep::of(origin, media_type, received.body.to_vec(), declared)
    }
}

fn good_answer(
    found: &Found<'_>,
    version: &Version,
    keep: Option<&Keep>,
    before: Labels,
) -> Answer {
    let Some(keep) = keep else { return Answer::unavailable("content", 500) };
    if let Ok(endpoint) = version.endpoint() {
        remember_clean(found, endpoint, &keep.payload);
    }
    let mut envelope = super::render::render(found, &keep.record, &keep.payload, &keep.spans);
    envelope.hints.extend(super::outcome::labelled(before, found.run.labels()));
    if found.resolved.chosen {
        envelope.hints.push(Hint::new(
            hint::Kind::ChosenPlace,
            format!("Answered by {}, the nearest that may.", found.resolved.address),
        ));
    }
    Answer::Done(envelope)
}

fn outcome(
    prepared: &Prepared<'_>,
    end: &End,
    status: &str,
    keep: Option<&Keep>,
    took_ms: u64,
) -> Body {
    let ruling = prepared.ruling.to_string();
    if matches!(end, End::OutcomeUnknown) {
        let reason = "connection_lost".to_owned();
        return Body::OutcomeUnknown(body::OutcomeUnknown { ruling, reason });
    }
    let labels = keep.map_or(Labels::NONE, |keep| keep.record.labels);
    Body::Outcome(body::Outcome {
        ruling,
        status: status.to_owned(),
        result_digest: keep.map(|keep| hex(&keep.record.digest)),
        result_bytes: keep.map_or(0, |keep| keep.record.bytes),
        result_labels: super::outcome::words(labels),
        handle: keep.map(|keep| keep.record.id.to_string()),
        duration_ms: took_ms,
        written: Vec::new(),
    })
}

/// What typed extraction declares clean may feed the next read.
fn remember_clean(found: &Found<'_>, endpoint: &http::Validated, payload: &[u8]) {
    if let Ok(answer) = serde_json::from_slice(payload) {
        for clean in endpoint.clean_values(&answer) {
            found.run.add_clean(&clean.value);
        }
    }
}

/// What an approval keeps of an answer: nothing of content that is kept already, so that it is masked
/// and labelled anew for whoever reads it.
fn kept_body(answer: &Answer, content: Option<contract::Id<contract::id::Content>>) -> Value {
    match (answer, content) {
        (Answer::Done(_), Some(content)) => serde_json::json!({ "content": content }),
        _ => answer.body(),
    }
}
