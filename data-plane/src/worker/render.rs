//! Owns what a caller is answered of a result: the whole, masked, when it is short; a summary and a
//! handle when it is not. Invariant: masking is decided by labels and roles, never by the caller.

use contract::id::{self, Id};
use contract::{Action, Answer, Envelope, Hint, hint};
use serde_json::{Value, json};
use tenancy::authority;

use super::Worker;
use super::call::Found;
use crate::content::detect::Span;
use crate::content::store::{self, Keep, Record};
use crate::content::summary;
use crate::store::{Batch, Fault};

/// How much of an upstream's error is told.
const ERROR_BYTES: usize = 1024;

/// Whether this caller sees personal values there.
pub(crate) fn unmasks(found: &Found<'_>, scope: &contract::Scope) -> bool {
    let asking = &found.asking;
    authority::decide(&asking.standing, asking.caller, Action::Unmask, scope, asking.now)
        .permit()
        .is_ok()
}

/// The text of a payload as this caller may see it, and whether something was masked.
pub(crate) fn shown(
    found: &Found<'_>,
    record: &Record,
    payload: &[u8],
    spans: &[Span],
) -> (String, bool) {
    let text = store::text_of(payload);
    if spans.is_empty() || unmasks(found, &record.scope) {
        return (text.into_owned(), false);
    }
    (found.run.mask(&text, spans).text, true)
}

/// What a stored result is answered with.
pub(crate) fn render(
    found: &Found<'_>,
    record: &Record,
    payload: &[u8],
    spans: &[Span],
) -> Envelope {
    let (text, masked) = shown(found, record, payload, spans);
    let limit = found.asking.caller.view().settings().inline_limit_bytes;
    let short = text.len() <= usize::try_from(limit).unwrap_or(usize::MAX);
    let mut envelope = if short {
        Envelope::of(value_of(&record.media_type, text))
    } else {
        let summary = json!(summary::summarise(&text, Some(&record.media_type)));
        let told = summary.to_string().len();
        let result = json!({ "handle": record.id, "labels": record.labels, "summary": summary });
        Envelope::of(result).hint(Hint::new(
            hint::Kind::ReadBySlices,
            format!(
                "{} bytes are kept under {}, and this summary of them has {told}. Read parts with \
                 `content.slice`, find words with `content.search`.",
                record.bytes, record.id
            ),
        ))
    };
    if masked {
        envelope.hints.push(Hint::new(
            hint::Kind::Masked,
            "Personal values and secrets are masked; equal placeholders are equal values in this run.",
        ));
    }
    envelope
}

/// A refusal with what the upstream said, cut, masked and by its handle.
pub(crate) fn with_body(answer: Answer, found: &Found<'_>, keep: Option<&Keep>) -> Answer {
    let (Answer::Refused(mut refusal), Some(keep)) = (answer.clone(), keep) else {
        return answer;
    };
    let (text, _) = shown(found, &keep.record, &keep.payload, &keep.spans);
    let cut = text.floor_char_boundary(ERROR_BYTES);
    let body = text.get(..cut).unwrap_or_default();
    refusal.more.insert("body".to_owned(), Value::String(body.to_owned()));
    refusal.more.insert("handle".to_owned(), json!(keep.record.id));
    refusal.more.insert("labels".to_owned(), json!(keep.record.labels));
    Answer::Refused(refusal)
}

impl Worker {
    /// What content that is stored already is answered with, in this run.
    pub(crate) async fn render_stored(
        &self,
        found: &Found<'_>,
        handle: Id<id::Content>,
    ) -> Result<Envelope, Fault> {
        let gone = || Envelope::of(json!({ "handle": handle, "erased": true }));
        let readers = self.store.readers();
        let Some(record) = store::own(readers, &self.plane, handle).await? else {
            return Ok(gone());
        };
        let Some(payload) = store::payload(readers, &record).await? else { return Ok(gone()) };
        let before = found.run.labels();
        let (caller, source) = (found.asking.caller, handle.to_string());
        let labelled = self.label(caller, &found.run, record.labels, &source).await?;
        let mut envelope = render(found, &record, &payload.bytes, &payload.spans);
        let mut batch = labelled.into_iter().fold(Batch::default(), Batch::with);
        batch = found.run.numbered().into_iter().fold(batch, Batch::with);
        if !batch.changes.is_empty() {
            self.store.commit(batch).await?;
        }
        envelope.hints.extend(super::outcome::labelled(before, found.run.labels()));
        Ok(envelope)
    }
}

/// JSON as JSON, everything else as a text.
fn value_of(media_type: &str, text: String) -> Value {
    if media_type.ends_with("json")
        && let Ok(value) = serde_json::from_str(&text)
    {
        return value;
    }
    Value::String(text)
}
