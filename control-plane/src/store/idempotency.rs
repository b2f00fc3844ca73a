//! Owns what writes with an idempotency key have answered. Invariant: no one-time secret is kept, and
//! a key belongs to one caller and one verb.

use contract::{Envelope, Timestamp};

use super::Error;
use super::row::{Arg, args, json};
use super::tx::Conn;

/// How long a key is remembered.
pub(crate) const WINDOW_MS: i64 = 24 * 60 * 60 * 1000;

/// Whose key it is, for which verb.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Key<'k> {
    /// The identity's name; empty for an operator.
    pub(crate) identity: &'k str,
    /// The principal's id, or the operator's token's.
    pub(crate) caller: &'k str,
    /// The verb.
    pub(crate) verb: &'k str,
    /// What the caller sent.
    pub(crate) sent: &'k str,
}

/// What was asked and answered first.
#[derive(Debug)]
pub(crate) struct First {
    /// The keyed digest of the input.
    pub(crate) digest: String,
    /// The scope that was reached: a repeat is authorised there anew. Empty for an operator.
    pub(crate) scope: String,
    /// The answer, without one-time secrets.
    pub(crate) answer: Envelope,
    /// When.
    pub(crate) at: Timestamp,
}

/// What was answered first, unless it is longer ago than the window.
pub(crate) async fn get(
    conn: &mut Conn,
    key: &Key<'_>,
    now: Timestamp,
) -> Result<Option<First>, Error> {
    let row = conn
        .one(
            "SELECT digest, scope, answer, at_ms FROM idempotency \
             WHERE identity = $1 AND caller = $2 AND verb = $3 AND key = $4 AND at_ms > $5",
            args![key.identity, key.caller, key.verb, key.sent, now.ms() - WINDOW_MS],
        )
        .await?;
    row.map(|row| {
        Ok(First {
            digest: row.text("digest")?,
            scope: row.text("scope")?,
            answer: row.json("answer")?,
            at: row.time("at_ms")?,
        })
    })
    .transpose()
}

/// The statement that keeps `first`. Run by [`Recorded::remember`](super::tx::Recorded::remember), and
/// by nothing else.
pub(super) fn insert(key: &Key<'_>, first: &First) -> Result<(&'static str, Vec<Arg>), Error> {
    // A key that is older than the window may be used for something else.
    let sql = "INSERT INTO idempotency (identity, caller, verb, key, digest, scope, answer, at_ms) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8) \
        ON CONFLICT (identity, caller, verb, key) DO UPDATE SET digest = excluded.digest, \
        scope = excluded.scope, answer = excluded.answer, at_ms = excluded.at_ms";
    let args = args![
        key.identity,
        key.caller,
        key.verb,
        key.sent,
        first.digest.as_str(),
        first.scope.as_str(),
        json("an answer", &first.answer)?,
        first.at,
    ];
    Ok((sql, args))
}

/// The statement that forgets what is older than the window.
pub(super) fn forget(now: Timestamp) -> (&'static str, Vec<Arg>) {
    ("DELETE FROM idempotency WHERE at_ms <= $1", args![now.ms() - WINDOW_MS])
}
