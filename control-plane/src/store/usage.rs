//! Owns the rows of usage totals. Invariant: a total only grows, however often and in whatever order
//! it is told.

use contract::verbs::usage;
use contract::{Id, Timestamp, id};
use tenancy::permit::{self, Permit};
use tenancy::plane::Total;

use super::Error;
use super::row::{Row, args, big, word};
use super::tx::{Conn, Upkeep};

/// Which figures are wanted, of the calls that reached the permit's scope or below it.
#[derive(Debug)]
pub(crate) struct Wanted<'w> {
    /// From this hour.
    pub(crate) from: Timestamp,
    /// Until this moment, not included.
    pub(crate) to: Timestamp,
    /// Only calls of this principal.
    pub(crate) principal: Option<Id<id::Principal>>,
    /// What a row is by.
    pub(crate) by: &'w [usage::Dimension],
    /// How many rows at most.
    pub(crate) limit: u32,
}

/// Merges one total by maximum.
pub(crate) async fn merge(
    tx: &mut Upkeep,
    plane: &permit::Plane,
    total: &Total,
) -> Result<(), Error> {
    let args = args![
        plane.identity(),
        total.hour,
        &total.scope,
        total.principal,
        total.address.to_string(),
        word("an effect", &total.effect)?,
        big("an incarnation", total.incarnation)?,
        big("a count of calls", total.calls)?,
        big("a count of refusals", total.refused)?,
        big("a count of bytes", total.bytes_sent)?,
        big("a count of bytes", total.bytes_stored)?,
    ];
    tx.run(
        "INSERT INTO usage (identity, hour_ms, scope, principal, address, effect, incarnation, \
         calls, refused, bytes_sent, bytes_stored) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) \
         ON CONFLICT (identity, hour_ms, scope, principal, address, effect, incarnation) \
         DO UPDATE SET \
         calls = CASE WHEN excluded.calls > usage.calls THEN excluded.calls ELSE usage.calls END, \
         refused = CASE WHEN excluded.refused > usage.refused THEN excluded.refused \
         ELSE usage.refused END, \
         bytes_sent = CASE WHEN excluded.bytes_sent > usage.bytes_sent THEN excluded.bytes_sent \
         ELSE usage.bytes_sent END, \
         bytes_stored = CASE WHEN excluded.bytes_stored > usage.bytes_stored \
         THEN excluded.bytes_stored ELSE usage.bytes_stored END",
        args,
    )
    .await
    .map(drop)
}

/// Everything up to `until` is counted.
pub(crate) async fn freshen(
    tx: &mut Upkeep,
    plane: &permit::Plane,
    until: Timestamp,
) -> Result<(), Error> {
    tx.run(
        "UPDATE identities SET usage_fresh_ms = $2 WHERE name = $1 AND usage_fresh_ms < $2",
        args![plane.identity(), until],
    )
    .await
    .map(drop)
}

/// Up to when everything is counted.
pub(crate) async fn fresh_until(conn: &mut Conn, permit: &Permit) -> Result<Timestamp, Error> {
    let row = conn
        .one("SELECT usage_fresh_ms FROM identities WHERE name = $1", args![permit.identity()])
        .await?;
    row.ok_or(Error::Gone { what: "the identity" })?.time("usage_fresh_ms")
}

/// The figures where the permit reaches, most calls first. What a row is not by, it does not tell.
pub(crate) async fn figures(
    conn: &mut Conn,
    permit: &Permit,
    wanted: &Wanted<'_>,
) -> Result<Vec<usage::Row>, Error> {
    const SQL: &str = "SELECT CASE WHEN $6 = 1 THEN hour_ms END AS by_hour, \
        CASE WHEN $7 = 1 THEN scope END AS by_scope, \
        CASE WHEN $8 = 1 THEN principal END AS by_principal, \
        CASE WHEN $9 = 1 THEN address END AS by_address, \
        CASE WHEN $10 = 1 THEN effect END AS by_effect, \
        CAST(SUM(calls) AS BIGINT) AS calls, CAST(SUM(refused) AS BIGINT) AS refused, \
        CAST(SUM(bytes_sent) AS BIGINT) AS bytes_sent, \
        CAST(SUM(bytes_stored) AS BIGINT) AS bytes_stored \
        FROM usage WHERE identity = $1 \
        AND (scope = $2 OR (scope >= $2 || '/' AND scope < $2 || '0')) \
        AND hour_ms >= $3 AND hour_ms < $4 AND ($5 IS NULL OR principal = $5) \
        GROUP BY 1, 2, 3, 4, 5 ORDER BY 6 DESC, 7 DESC, 1, 2, 3, 4, 5 LIMIT $11";
    let by = |dimension| wanted.by.contains(&dimension);
    let args = args![
        permit.identity(),
        permit.scope(),
        wanted.from,
        wanted.to,
        wanted.principal,
        by(usage::Dimension::Hour),
        by(usage::Dimension::Scope),
        by(usage::Dimension::Principal),
        by(usage::Dimension::Address),
        by(usage::Dimension::Effect),
        wanted.limit,
    ];
    conn.all(SQL, args).await?.iter().map(decode).collect()
}

fn decode(row: &Row) -> Result<usage::Row, Error> {
    let effect = row.opt_text("by_effect")?.map(|_| row.word("by_effect")).transpose()?;
    Ok(usage::Row {
        hour: row.opt_time("by_hour")?,
        scope: row.opt_parse("by_scope")?,
        principal: row.opt_parse("by_principal")?,
        address: row.opt_parse("by_address")?,
        effect,
        calls: row.count("calls")?,
        refused: row.count("refused")?,
        bytes_sent: row.count("bytes_sent")?,
        bytes_stored: row.count("bytes_stored")?,
    })
}
