//! `usage.query`: counts of calls, by what the caller asks them to be by.

use contract::verbs::usage::{Figures, QueryInput, Row};
use contract::{Action, Code, Refusal, Timestamp};

use crate::call::Read;
use crate::done::Done;
use crate::failure::Failure;
use crate::store::{self, usage::Wanted};

/// The most rows of an answer.
const ROWS_MAX: u32 = 1_000;
/// What is counted together.
const HOUR_MS: i64 = 60 * 60 * 1_000;
/// How far back is counted when nothing is said.
const DAY_MS: i64 = 24 * HOUR_MS;

pub(crate) async fn run(call: &mut Read<'_>, input: QueryInput) -> Result<Done<Figures>, Failure> {
    let scope = input.scope.as_ref().unwrap_or_else(|| call.root());
    let permit = call.may(Action::UsageRead, scope).map_err(naming_scope)?;
    let (from, to) = span(&input, call.now())?;
    let by = input.group_by.unwrap_or_default();
    // One more than is told shows whether there are more.
    let limit = ROWS_MAX.saturating_add(1);
    let wanted = Wanted { from, to, principal: input.principal, by: &by, limit };
    let mut rows = store::usage::figures(&mut call.tx, &permit, &wanted).await?;
    let most = usize::try_from(ROWS_MAX).unwrap_or(usize::MAX);
    let truncated = rows.len() > most;
    rows.truncate(most);
    if by.is_empty() && rows.is_empty() {
        rows.push(NOTHING);
    }
    let fresh_until = store::usage::fresh_until(&mut call.tx, &permit).await?;
    Ok(Done::of(Figures { rows, truncated, fresh_until }))
}

/// The one row of everything, where there is nothing.
const NOTHING: Row = Row {
    hour: None,
    scope: None,
    principal: None,
    address: None,
    effect: None,
    calls: 0,
    refused: 0,
    bytes_sent: 0,
    bytes_stored: 0,
};

/// From which hour until which moment.
fn span(input: &QueryInput, now: Timestamp) -> Result<(Timestamp, Timestamp), Failure> {
    let from = input.from.unwrap_or_else(|| now.plus_ms(-DAY_MS));
    let to = input.to.unwrap_or(now);
    if from >= to && (input.from.is_some() || input.to.is_some()) {
        let field = if input.from.is_some() { "from" } else { "to" };
        let say = format!("Nothing lies between {from} and {to}.");
        let fix = "Send a `from` that lies before `to`.";
        return Err(Refusal::of_field(field, say, fix).into());
    }
    let into_hour = from.ms().rem_euclid(HOUR_MS);
    Ok((from.plus_ms(-into_hour), to))
}

/// Whoever may not see the figures of the whole identity may see those of a scope.
fn naming_scope(mut failure: Failure) -> Failure {
    if let Failure::Refused(refused) = &mut failure
        && matches!(refused.refusal.code, Code::NotGranted | Code::Narrowed)
    {
        refused.refusal.field = Some("scope".to_owned());
        refused.refusal.fix = String::from(
            "Name in `scope` one at which you hold `usage.read`; left out, it is your whole \
             identity.",
        );
    }
    failure
}
