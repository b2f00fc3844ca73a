//! Owns the record of writes by key. Invariant: a call that may have had its effect is never sent
//! again under the same key, unless the upstream honours that key; one that surely had none may be.

use contract::Timestamp;
use contract::id::{self, Id};
use serde_json::Value;
use sqlx::{Row, SqliteConnection, SqlitePool};
use tenancy::permit::Plane;

use crate::gate::{Prior, State};
use crate::store::{Applying, Change, Fault};

/// Which call.
#[derive(Debug, Clone)]
pub(crate) struct Key {
    /// The digest of principal, target and what the caller gave.
    pub(crate) key: [u8; 32],
    /// The digest of the canonical arguments.
    pub(crate) arguments: [u8; 32],
}

/// What is known of a call before.
#[derive(Debug)]
pub(crate) struct Known {
    /// For the Gate.
    pub(crate) prior: Prior,
    /// What it answered, if it is done.
    pub(crate) answer: Option<Value>,
    /// The sending that was never heard of, if that is where it stands.
    pub(crate) unheard: Option<Unheard>,
}

impl Known {
    /// Nothing that counts.
    pub(crate) const NOTHING: Self = Self { prior: Prior::None, answer: None, unheard: None };
}

/// A write that was sent and never heard of.
#[derive(Debug, Clone)]
pub(crate) struct Unheard {
    /// Under which ruling it was sent.
    pub(crate) ruling: Id<id::Ruling>,
    /// The digest of the definition that it was sent by.
    pub(crate) definition: String,
    /// When it was given up at the latest.
    pub(crate) given_up: Timestamp,
}

/// Marks a call as being made.
#[derive(Debug)]
pub(crate) struct Begin {
    /// Which.
    pub(crate) key: Key,
    /// Whose.
    pub(crate) principal: Id<id::Principal>,
    /// What it reaches.
    pub(crate) target: String,
    /// Under which ruling.
    pub(crate) ruling: Id<id::Ruling>,
    /// When.
    pub(crate) now: Timestamp,
    /// Until when it counts.
    pub(crate) expires: Timestamp,
    /// Whether the upstream honours the key: what was never heard of may be sent again under it.
    pub(crate) honoured: bool,
    /// The digest of the definition that it is sent by.
    pub(crate) definition: String,
    /// When it is given up if it is not heard of until then.
    pub(crate) given_up: Timestamp,
}

impl Change for Begin {
    fn apply<'a>(&'a self, connection: &'a mut SqliteConnection) -> Applying<'a> {
        Box::pin(async move {
            let done = sqlx::query(
                "INSERT INTO idempotency (key, principal, target, argument_digest, state, ruling, \
                 created_ms, expires_ms, definition, given_up_ms) \
                 VALUES ($1, $2, $3, $4, 'in_flight', $5, $6, $7, $9, $10) \
                 ON CONFLICT (key) DO UPDATE SET argument_digest = $4, state = 'in_flight', \
                 definition = $9, given_up_ms = $10, \
                 ruling = $5, answer = NULL, content = NULL, created_ms = $6, expires_ms = \
                 CASE idempotency.state WHEN 'outcome_unknown' THEN idempotency.expires_ms \
                 ELSE $7 END \
                 WHERE idempotency.state = 'failed_before_send' \
                 OR (idempotency.state = 'done' AND idempotency.expires_ms <= $6) \
                 OR ($8 AND idempotency.state = 'outcome_unknown' \
                     AND idempotency.argument_digest = $4 AND idempotency.expires_ms > $6)",
            )
            .bind(self.key.key.to_vec())
            .bind(self.principal.to_string())
            .bind(self.target.clone())
            .bind(self.key.arguments.to_vec())
            .bind(self.ruling.to_string())
            .bind(self.now.ms())
            .bind(self.expires.ms())
            .bind(self.honoured)
            .bind(self.definition.clone())
            .bind(self.given_up.ms())
            .execute(connection)
            .await?;
            if done.rows_affected() == 1 { Ok(()) } else { Err(Fault::Conflict("the same call")) }
        })
    }
}

/// How a call that was being made ended.
#[derive(Debug)]
pub(crate) enum End {
    /// It was made; this is its body, without one-time secrets.
    Done(Value),
    /// Nothing was sent.
    FailedBeforeSend,
    /// It was sent and never heard of.
    OutcomeUnknown,
}

/// Stores how a call ended.
#[derive(Debug)]
pub(crate) struct Finish {
    /// Under which ruling it was made.
    pub(crate) ruling: Id<id::Ruling>,
    /// How it ended.
    pub(crate) end: End,
}

impl Change for Finish {
    fn apply<'a>(&'a self, connection: &'a mut SqliteConnection) -> Applying<'a> {
        Box::pin(async move {
            let (state, answer) = match &self.end {
                End::Done(answer) => ("done", Some(answer.to_string())),
                End::FailedBeforeSend => ("failed_before_send", None),
                End::OutcomeUnknown => ("outcome_unknown", None),
            };
            sqlx::query("UPDATE idempotency SET state = $2, answer = $3 WHERE ruling = $1")
                .bind(self.ruling.to_string())
                .bind(state)
                .bind(answer)
                .execute(connection)
                .await?;
            Ok(())
        })
    }
}

/// Stores what a look-up found out of a write that was never heard of. A conflict where the same write was
/// settled or sent again in the meantime.
#[derive(Debug)]
pub(crate) struct Settle {
    /// The sending that was looked up.
    pub(crate) ruling: Id<id::Ruling>,
    /// What is to be answered of it, if it took effect. If it did not, it may be sent again.
    pub(crate) took_effect: Option<Value>,
    /// Until when that counts, if it would not count any longer.
    pub(crate) expires: Timestamp,
}

impl Change for Settle {
    fn apply<'a>(&'a self, connection: &'a mut SqliteConnection) -> Applying<'a> {
        Box::pin(async move {
            let state = if self.took_effect.is_some() { "done" } else { "failed_before_send" };
            let done = sqlx::query(
                "UPDATE idempotency SET state = $2, answer = $3, expires_ms = max(expires_ms, $4) \
                 WHERE ruling = $1 AND state = 'outcome_unknown'",
            )
            .bind(self.ruling.to_string())
            .bind(state)
            .bind(self.took_effect.as_ref().map(Value::to_string))
            .bind(self.expires.ms())
            .execute(connection)
            .await?;
            if done.rows_affected() == 1 { Ok(()) } else { Err(Fault::Conflict("the same call")) }
        })
    }
}

/// What is known of a call with this key. `honoured` says whether the upstream honours it too; it is
/// relied on no longer than the declared window after the first time it was sent.
pub(crate) async fn known(
    readers: &SqlitePool,
    _: &Plane,
    key: &Key,
    honoured: bool,
    now: Timestamp,
) -> Result<Known, sqlx::Error> {
    let row = sqlx::query(
        "SELECT argument_digest, state, answer, ruling, definition, given_up_ms, expires_ms \
         FROM idempotency WHERE key = $1",
    )
    .bind(key.key.to_vec())
    .fetch_optional(readers)
    .await?;
    let Some(row) = row else { return Ok(Known::NOTHING) };
    let state: String = row.try_get("state")?;
    let expired = row.try_get::<i64, _>("expires_ms")? <= now.ms();
    if state == "failed_before_send" || (state == "done" && expired) {
        return Ok(Known::NOTHING);
    }
    if row.try_get::<Vec<u8>, _>("argument_digest")? != key.arguments {
        return Ok(Known { prior: Prior::OtherArguments, ..Known::NOTHING });
    }
    let answer: Option<String> = row.try_get("answer")?;
    let state = match state.as_str() {
        "done" => State::Done,
        "in_flight" => State::InFlight,
        _ if honoured && !expired => State::Honoured,
        _ => State::OutcomeUnknown,
    };
    let answer = answer.and_then(|answer| serde_json::from_str(&answer).ok());
    let unheard = match state {
        State::OutcomeUnknown => Some(Unheard {
            ruling: row
                .try_get::<String, _>("ruling")?
                .parse()
                .map_err(|error| sqlx::Error::Decode(Box::new(error)))?,
            definition: row.try_get("definition")?,
            given_up: Timestamp::from_ms(row.try_get("given_up_ms")?),
        }),
        State::InFlight | State::Done | State::Honoured => None,
    };
    Ok(Known { prior: Prior::Same(state), answer, unheard })
}
