//! Owns `content.search`, `slice` and `metadata`. Invariant: what is read back is masked by its
//! labels, cut to the inline limit, and brings its labels into the run.

use contract::verbs::content as said;
use contract::{Action, Code, Labels, Refusal, hint};
use serde_json::{Value, json};
use tenancy::authority;
use tenancy::permit::Permit;

use super::{Call, Sat, Seated, Unsat};
use crate::content::slice::{self, Selector, Unit};
use crate::content::store::{self, Filter, Record};
use crate::content::words;

/// Over how many separately granted scopes one search goes.
const SCOPES_MAX: usize = 64;

impl Call<'_, '_> {
    /// The row of a handle, under the permit that the Gate decided at its scope.
    async fn row(&self, handle: contract::Id<contract::id::Content>) -> Result<Record, Unsat> {
        let resolved = &self.found.resolved;
        let action = resolved.action.unwrap_or(Action::ContentReadAny);
        let permit = self.permit(action, &resolved.scope)?;
        let any = action == Action::ContentReadAny;
        store::by_handle(self.worker.store().readers(), &permit, any, handle)
            .await?
            .ok_or_else(|| Refusal::not_found("handle", "record").into())
    }
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
        return Err(Refusal::new(
            Code::WrongState,
            "The payload of this content was erased.",
            "Call the tool that answered it again, if it is still needed.",
        )
        .into());
    };
    let (text, masked) =
        crate::worker::render::shown(call.found, &record, &payload.bytes, &payload.spans);
    let limit = call.found.asking.caller.view().settings().inline_limit_bytes;
    let cap = usize::try_from(limit).unwrap_or(8192);
    let sliced = slice::slice(&text, &record.media_type, &selector, cap)
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

pub(super) async fn search(call: &Call<'_, '_>) -> Seated {
    let input: said::SearchInput = call.input()?;
    let limit = input.limit.unwrap_or(10);
    let Some(query) = words::fts5_query(&input.query) else {
        return Ok(nothing("The query holds no word to look for."));
    };
    let filter = Filter {
        run: input.run,
        address: input.address,
        label: input.label,
        media_type: input.media_type,
        since: input.since,
    };
    let (permits, left_out) = permits(call)?;
    let mut found = Vec::new();
    for permit in permits {
        let any = call.may(Action::ContentReadAny, permit.scope());
        let readers = call.worker.store().readers();
        found.extend(store::search(readers, &permit, any, &query, &filter, limit).await?);
    }
    // Each scope's own are in order; only together they are the best of all.
    found.sort_by(|one, other| one.rank.total_cmp(&other.rank));
    found.truncate(usize::try_from(limit).unwrap_or(10));
    let labels = found.iter().fold(Labels::NONE, |labels, found| labels | found.record.labels);
    let source = found.first().map(|found| found.record.id.to_string()).unwrap_or_default();
    let hits: Vec<said::Hit> = found
        .into_iter()
        .zip(1..)
        .map(|(found, words_rank)| said::Hit {
            handle: found.record.id,
            address: found.record.address,
            labels: found.record.labels,
            passage: found.text,
            words_rank,
        })
        .collect();
    if hits.is_empty() {
        return Ok(partly(nothing("Nothing that is held matches these words."), left_out));
    }
    let mut sat = Sat::of(&said::Found { hits, mode: "words".to_owned() })
        .hint(hint::Kind::WordsOnly, "Found by words alone: there is no vector to compare with.");
    sat.labels = labels;
    sat.source = source;
    Ok(partly(sat, left_out))
}

/// What was found, and where it was not looked.
fn partly(sat: Sat, left_out: usize) -> Sat {
    if left_out == 0 {
        return sat;
    }
    let say = format!(
        "The first {SCOPES_MAX} scopes were looked through, and {left_out} more were not. Search again \
         with a token that is narrowed to one of those, or ask for one grant above them all."
    );
    sat.hint(hint::Kind::LookElsewhere, say)
}

fn nothing(say: &str) -> Sat {
    Sat::of(&said::Found { hits: Vec::new(), mode: "words".to_owned() }).hint(
        hint::Kind::LookElsewhere,
        format!("{say} Find a tool that can fetch it with `catalogue_search`."),
    )
}

/// A permit for each scope within home where the caller may read content, up to [`SCOPES_MAX`] of
/// them; and how many scopes are left out.
fn permits(call: &Call<'_, '_>) -> Result<(Vec<Permit>, usize), Unsat> {
    let asking = &call.found.asking;
    let home = asking.caller.home();
    let reachable =
        authority::reachable(&asking.standing, asking.caller, Action::ContentRead, asking.now)
            .unwrap_or_default();
    let within: Vec<_> = reachable
        .into_iter()
        .filter_map(|scope| match (home.covers(scope), scope.covers(home)) {
            (true, _) => Some(scope),
            (false, true) => Some(home),
            (false, false) => None,
        })
        .collect();
    let permits = within.iter().take(SCOPES_MAX);
    let permits = permits.map(|scope| call.permit(Action::ContentRead, scope));
    let left_out = within.len().saturating_sub(SCOPES_MAX);
    Ok((permits.collect::<Result<_, _>>()?, left_out))
}
