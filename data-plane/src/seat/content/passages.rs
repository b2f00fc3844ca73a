//! Owns `content.passages`: content as it is searched. Invariant: what is answered is the text of the
//! index, masked for everybody alike, so a vector that is made of it holds nothing that is masked.

use contract::hint;
use contract::verbs::content as said;

use super::super::{Call, Sat, Seated};
use crate::content::find;

pub(in super::super) async fn passages(call: &Call<'_, '_>) -> Seated {
    let input: said::PassagesInput = call.input()?;
    let start = input.start.unwrap_or(0);
    let end = start.saturating_add(input.limit.unwrap_or(10));
    let record = call.row(input.handle).await?;
    let permit = call.at_handle()?;
    let model = input.model.as_deref();
    let mut reading = call.worker.store().readers().begin().await?;
    let of = find::count(&mut reading, &record).await?;
    if of == 0 && record.bytes > 0 {
        return Err(super::no_passages(&record));
    }
    let asked = start..end;
    let found =
        find::numbered(&mut reading, &permit, &record, asked, model.unwrap_or_default()).await?;
    drop(reading);
    let mut passages = Vec::new();
    let mut bytes = 0;
    for one in found {
        bytes += one.text.len();
        if bytes > call.inline_limit() && !passages.is_empty() {
            break;
        }
        passages.push(said::Passage {
            number: one.number,
            text: one.text,
            embedded: model.map(|_| one.embedded),
        });
    }
    let next = passages.last().map_or(start, |last| last.number.saturating_add(1));
    let left = of.saturating_sub(next);
    let mut sat = Sat::of(&said::PassagesRead {
        handle: record.id,
        passages,
        of,
        left,
        labels: record.labels,
    });
    if left > 0 {
        let say = format!("{left} passages are left: go on from {next}.");
        sat = sat.hint(hint::Kind::MoreFollows, say);
    }
    sat.labels = record.labels;
    sat.source = record.id.to_string();
    Ok(sat)
}
