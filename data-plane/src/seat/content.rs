//! Owns the verbs of the `content` seat, `slice` and `metadata` here. Invariant: what is read back is
//! masked by its labels, cut to the inline limit, and brings its labels into the run.

mod embed;
mod near;
mod passages;
mod reach;
mod search;

use contract::verbs::content as said;
use contract::{Action, Code, Refusal, hint};
use serde_json::{Value, json};
use tenancy::permit::Permit;

use super::{Call, Sat, Seated, Unsat};
use crate::content::slice::{self, Selector, Unit};
use crate::content::store::{self, Record};

pub(super) use embed::embed;
pub(super) use near::near;
pub(super) use passages::passages;
pub(super) use search::search;

impl Call<'_, '_> {
    /// The permit that the Gate decided at the scope of a handle.
    fn at_handle(&self) -> Result<Permit, Unsat> {
        let resolved = &self.found.resolved;
        self.permit(resolved.action.unwrap_or(Action::ContentReadAny), &resolved.scope)
    }

    /// The row of a handle, under that permit.
    async fn row(&self, handle: contract::Id<contract::id::Content>) -> Result<Record, Unsat> {
        let permit = self.at_handle()?;
        let any = permit.action() == Action::ContentReadAny;
        store::by_handle(self.worker.store().readers(), &permit, any, handle)
            .await?
            .ok_or_else(|| Refusal::not_found("handle", "record").into())
    }

    /// How many bytes of content one answer holds at the most.
    fn inline_limit(&self) -> usize {
        let limit = self.found.asking.caller.view().settings().inline_limit_bytes;
        usize::try_from(limit).unwrap_or(8192)
    }
}

fn erased() -> Unsat {
    Refusal::new(
        Code::WrongState,
        "The payload of this content was erased.",
        "Call the tool that answered it again, if it is still needed.",
    )
    .into()
}

/// Why there is no passage of some content.
fn no_passages(record: &Record) -> Unsat {
    if record.bytes > 0 {
        return erased();
    }
    let say = "This content is empty: there is no passage of it.";
    Refusal::new(Code::WrongState, say, "There is nothing to do.").into()
}

pub(super) async fn metadata(call: &Call<'_, '_>) -> Seated {
    let input: said::MetadataInput = call.input()?;
    let record = call.row(input.handle).await?;
    // The payload itself may be large, and nothing of it is answered.
    let kept = store::summary(call.worker.store().readers(), &record).await?;
    let summary: Value =
        kept.as_ref().and_then(|kept| serde_json::from_str(kept).ok()).unwrap_or_default();
    // The names of keys and columns are the content's own words.
    let (labels, source) = (record.labels, record.id.to_string());
    let mut sat = Sat::of(&said::Metadata {
        handle: record.id,
        scope: record.scope,
        address: record.address,
        principal: record.principal,
        run: record.run,
        labels: record.labels,
        media_type: record.media_type,
        bytes: record.bytes,
        lines: record.lines.unwrap_or_default(),
        structure: summary.get("structure").cloned().unwrap_or_else(|| json!({})),
        derived_from: Vec::new(),
        created: record.created,
        erased: record.erased.is_some() || kept.is_none(),
    });
    sat.labels = labels;
    sat.source = source;
    Ok(sat)
}

pub(super) async fn slice(call: &Call<'_, '_>) -> Seated {
    let input: said::SliceInput = call.input()?;
    let selector = selector(&input)?;
    let record = call.row(input.handle).await?;
    let Some(payload) = store::payload(call.worker.store().readers(), &record).await? else {
        return Err(erased());
    };
    let (text, masked) =
        crate::worker::render::shown(call.found, &record, &payload.bytes, &payload.spans);
    let sliced = slice::slice(&text, &record.media_type, &selector, call.inline_limit())
        .map_err(|error| Refusal::of_field(error.field(), format!("{error}."), error.fix()))?;
    let unit = match sliced.range.unit {
        Unit::Line => "lines",
        Unit::Byte => "bytes",
        Unit::Row => "rows",
        Unit::Match => "matches",
    };
    let wide = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
    let mut sat = Sat::of(&said::Sliced {
        handle: record.id,
        text: sliced.text,
        unit: unit.to_owned(),
        range: Some(said::Range { start: wide(sliced.range.start), end: wide(sliced.range.end) }),
        of: wide(sliced.range.of),
        left: wide(sliced.left_after),
        truncated: sliced.truncated,
        labels: record.labels,
    });
    sat.labels = record.labels;
    sat.source = record.id.to_string();
    if sliced.left_after > 0 {
        sat = sat.hint(
            hint::Kind::MoreFollows,
            format!("{} {unit} are left: go on from {}.", sliced.left_after, sliced.range.end),
        );
    }
    if masked {
        sat = sat.hint(hint::Kind::Masked, "Personal values and secrets are masked.");
    }
    Ok(sat)
}

fn selector(input: &said::SliceInput) -> Result<Selector, Unsat> {
    let narrow = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    let range = |range: said::Range| (narrow(range.start), Some(narrow(range.end)));
    let mut given = Vec::new();
    if let Some(lines) = input.lines {
        let (start, end) = range(lines);
        given.push(Selector::Lines { start, end });
    }
    if let Some(bytes) = input.bytes {
        let (start, end) = range(bytes);
        given.push(Selector::Bytes { start, end });
    }
    if let Some(rows) = input.rows {
        let (start, end) = range(rows);
        given.push(Selector::Rows { start, end });
    }
    if let Some(pointer) = &input.pointer {
        given.push(Selector::Pointer { pointer: pointer.clone() });
    }
    if let Some(path) = &input.path {
        given.push(Selector::Path { path: path.clone(), start: 0, end: None });
    }
    match (given.pop(), given.is_empty()) {
        (None, _) => Ok(Selector::Lines { start: 0, end: Some(100) }),
        (Some(one), true) => Ok(one),
        (Some(_), false) => Err(Refusal::of_field(
            "lines",
            "More than one of `lines`, `bytes`, `rows`, `pointer` and `path` is given.",
            "Give one of them.",
        )
        .into()),
    }
}
