//! Owns `ledger.query` and `ledger.export`; `ledger.replay` is in [`replay`]. Invariant: an export that was read to its end verifies
//! with no server: it stops at the size it had when its first part was asked for.

pub(super) mod replay;

use contract::verbs::ledger as said;
use contract::{Action, Refusal, Timestamp, hint};

use super::{Call, Sat, Seated, Unsat, limit_of, page};
use crate::ledger::chain;
use crate::ledger::checkpoint::Note;
use crate::ledger::export::{self, Header, Role, Row, Stretch};
use crate::ledger::merkle::Frontier;
use crate::ledger_rows::{self, Filter};
use crate::store::Fault;
use crate::worker::sign::Signed;

/// How much of an export is in one part, about.
const PART_BYTES: usize = 512 * 1024;
/// How many entries are read at a time.
const ROWS: u32 = 500;

pub(super) async fn query(call: &Call<'_, '_>) -> Seated {
    let input: said::QueryInput = call.input()?;
    let permit = call.permit(Action::LedgerRead, &call.found.resolved.scope)?;
    let before = before(input.cursor.as_deref())?;
    let limit = limit_of(input.limit);
    let filter = Filter {
        kind: input.kind,
        run: input.run,
        principal: input.principal,
        address: input.address,
        verdict: input.verdict,
        from: None,
        to: None,
    };
    let readers = call.worker.store().readers();
    let mut entries = ledger_rows::page(readers, &permit, &filter, before, limit + 1).await?;
    let more = entries.len() > usize::try_from(limit).unwrap_or(usize::MAX);
    entries.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    let cursor = more.then(|| entries.last().map(|last| last.seq.to_string())).flatten();
    let items = entries
        .into_iter()
        .map(|stored| said::Entry {
            seq: stored.seq,
            at: Timestamp::from_ms(stored.at_ms),
            kind: stored.kind,
            hash: stored.hash.to_string(),
            body: serde_json::from_str(&stored.body).unwrap_or_default(),
        })
        .collect();
    Ok(page::<said::Entry>(items, cursor))
}

/// The entry that a list goes on before.
fn before(cursor: Option<&str>) -> Result<Option<i64>, Unsat> {
    let parse = |cursor: &str| {
        cursor.parse::<i64>().map_err(|_| {
            Unsat::from(Refusal::of_field(
                "cursor",
                "This is not a cursor of this list.",
                "Send the `cursor` of the answer before, as it was.",
            ))
        })
    };
    cursor.map(parse).transpose()
}

/// A cursor says the next entry and the size that the export stops at.
fn place(cursor: &str) -> Option<(u64, u64)> {
    let (next, size) = cursor.split_once('.')?;
    let place = (next.parse().ok()?, size.parse().ok()?);
    (place.0 <= place.1).then_some(place)
}

pub(super) async fn export(call: &Call<'_, '_>) -> Seated {
    let input: said::ExportInput = call.input()?;
    let permit = call.permit(Action::LedgerRead, &call.found.resolved.scope)?;
    let readers = call.worker.store().readers();
    let broken =
        |error: export::Error| Unsat::Broken(Fault::Sql(sqlx::Error::Decode(error.into())));
    let mut out = Vec::with_capacity(PART_BYTES + 64 * 1024);
    let (mut next, size, note) = match input.cursor.as_deref() {
        None => {
            let signed = call.worker.checkpoint().await?;
            let header = header(call, &signed);
            export::write_header(&mut out, &header).map_err(broken)?;
            (0, signed.note.checkpoint.size, signed.note)
        }
        Some(cursor) => {
            let wrong = || {
                Unsat::from(Refusal::of_field(
                    "cursor",
                    "This is not a cursor of an export.",
                    "Send the `cursor` of the part before, as it was, or leave it out to start anew.",
                ))
            };
            let (next, size) = place(cursor).ok_or_else(wrong)?;
            let note = ledger_rows::checkpoint(readers, size).await?.ok_or_else(wrong)?;
            (next, size, Note::parse(&note).map_err(|_| wrong())?)
        }
    };
    while next < size && out.len() < PART_BYTES {
        let rows = ledger_rows::from(readers, &permit, next, size, ROWS).await?;
        if rows.is_empty() {
            break;
        }
        for stored in rows {
            let row = Row {
                seq: stored.seq,
                at_ms: stored.at_ms,
                prev: stored.prev,
                hash: stored.hash,
                body_text: &stored.body,
            };
            export::write_entry(&mut out, row).map_err(broken)?;
            next = stored.seq + 1;
            if out.len() >= PART_BYTES {
                break;
            }
        }
    }
    let done = next >= size;
    if done {
        export::write_checkpoint(&mut out, &note).map_err(broken)?;
    }
    let text = String::from_utf8_lossy(&out).into_owned();
    let cursor = (!done).then(|| format!("{next}.{size}"));
    let sat = Sat::of(&said::Part { text, cursor });
    Ok(if done {
        sat
    } else {
        sat.hint(
            hint::Kind::MoreFollows,
            "The export goes on: send `cursor` and put the texts together.",
        )
    })
}

fn header(call: &Call<'_, '_>, signed: &Signed) -> Header {
    let id = call.found.asking.caller.view().identity_id().to_string();
    let own = call.worker.signer().key();
    let mut keys = vec![(own.clone(), Role::Worker)];
    keys.extend(signed.countersigned.iter().map(|key| (key.clone(), Role::ControlPlane)));
    let next_seq = signed.note.checkpoint.size;
    let stretch = Stretch { prev: chain::genesis(&id), before: Frontier::default(), next_seq };
    Header::new(&id, own.name(), &stretch, 1, &keys)
}
