//! Owns the count of calls by hour, scope, principal, address and effect. Invariant: a count is
//! written in the transaction of the ledger entry that it counts, so the two never differ.

use contract::id::{self, Id};
use contract::{Address, Effect, Scope, Timestamp};
use sqlx::{Row, SqliteConnection, SqlitePool};
use tenancy::permit::Plane;
use tenancy::plane::Total;

use crate::store::{Applying, Change};

/// The totals of a namespace count from its first day on: they have one incarnation.
const INCARNATION: u64 = 1;
const HOUR_MS: i64 = 3_600_000;

/// One call, to be counted.
#[derive(Debug, Clone)]
pub(crate) struct Count {
    /// When.
    pub(crate) at: Timestamp,
    /// The scope it reached.
    pub(crate) scope: Scope,
    /// Who called.
    pub(crate) principal: Id<id::Principal>,
    /// What.
    pub(crate) address: Address,
    /// Its effect.
    pub(crate) effect: Effect,
    /// Whether it was carried out.
    pub(crate) done: bool,
    /// Bytes answered.
    pub(crate) bytes_out: u64,
    /// Bytes kept.
    pub(crate) bytes_stored: u64,
}

impl Change for Count {
    fn apply<'a>(&'a self, connection: &'a mut SqliteConnection) -> Applying<'a> {
        Box::pin(async move {
            sqlx::query(
                "INSERT INTO usage_bucket (hour_ms, scope, principal, address, effect, calls, refused, \
                 bytes_out, bytes_stored, grown_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, \
                 (SELECT coalesce(max(seq) + 1, 0) FROM ledger)) \
                 ON CONFLICT (hour_ms, scope, principal, address, effect) DO UPDATE SET \
                 calls = calls + $6, refused = refused + $7, bytes_out = bytes_out + $8, \
                 bytes_stored = bytes_stored + $9, grown_at = excluded.grown_at",
            )
            .bind(hour_of(self.at))
            .bind(self.scope.to_string())
            .bind(self.principal.to_string())
            .bind(self.address.to_string())
            .bind(self.effect.as_str())
            .bind(i64::from(self.done))
            .bind(i64::from(!self.done))
            .bind(i64::try_from(self.bytes_out).unwrap_or(i64::MAX))
            .bind(i64::try_from(self.bytes_stored).unwrap_or(i64::MAX))
            .execute(connection)
            .await?;
            Ok(())
        })
    }
}

/// The start of the hour that a moment lies in.
pub(crate) fn hour_of(at: Timestamp) -> i64 {
    at.ms() - at.ms().rem_euclid(HOUR_MS)
}

/// The hour of the newest total, if there is one.
pub(crate) async fn newest(readers: &SqlitePool, _: &Plane) -> Result<Option<i64>, sqlx::Error> {
    sqlx::query_scalar("SELECT max(hour_ms) FROM usage_bucket").fetch_one(readers).await
}

/// Some totals that grew.
#[derive(Debug)]
pub(crate) struct Grown {
    /// The totals, those that grew first before the others.
    pub(crate) totals: Vec<Total>,
    /// Nothing that grew up to this size of the ledger is left out.
    pub(crate) to: u64,
    /// Whether nothing at all is left out.
    pub(crate) whole: bool,
}

/// The totals that grew after the ledger had the size `since.0`, of the hours since `since.1`, about
/// `limit` of them: those that grew with the same entry are not torn apart.
pub(crate) async fn grown(
    readers: &SqlitePool,
    _: &Plane,
    since: (u64, i64),
    limit: usize,
) -> Result<Grown, sqlx::Error> {
    let (after, since_ms) = (i64::try_from(since.0).unwrap_or(i64::MAX), since.1);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = sqlx::query(
        "SELECT hour_ms, scope, principal, address, effect, calls, refused, bytes_out, bytes_stored, \
         grown_at FROM usage_bucket WHERE grown_at > $1 AND hour_ms >= $2 AND grown_at <= coalesce(\
         (SELECT grown_at FROM usage_bucket WHERE grown_at > $1 AND hour_ms >= $2 \
          ORDER BY grown_at LIMIT 1 OFFSET $3), $4) ORDER BY grown_at",
    )
    .bind(after)
    .bind(since_ms)
    .bind(limit - 1)
    .bind(i64::MAX)
    .fetch_all(readers)
    .await?;
    let mut to = after;
    for row in &rows {
        to = to.max(row.try_get("grown_at")?);
    }
    Ok(Grown {
        whole: i64::try_from(rows.len()).unwrap_or(i64::MAX) < limit,
        totals: rows.iter().map(total).collect::<Result<_, _>>()?,
        to: u64::try_from(to).unwrap_or_default(),
    })
}

fn total(row: &sqlx::sqlite::SqliteRow) -> Result<Total, sqlx::Error> {
    let decode = |error| sqlx::Error::Decode(Box::new(error));
    let text = |column: &str| row.try_get::<String, _>(column);
    let count = |column: &str| {
        row.try_get::<i64, _>(column).map(|count| u64::try_from(count).unwrap_or_default())
    };
    let effect = text("effect")?;
    Ok(Total {
        hour: Timestamp::from_ms(row.try_get("hour_ms")?),
        scope: text("scope")?.parse().map_err(decode)?,
        principal: text("principal")?.parse().map_err(decode)?,
        address: text("address")?.parse().map_err(decode)?,
        effect: Effect::ALL
            .into_iter()
            .find(|known| known.as_str() == effect)
            .ok_or_else(|| sqlx::Error::Decode("the effect is not known".into()))?,
        incarnation: INCARNATION,
        calls: count("calls")?,
        refused: count("refused")?,
        bytes_sent: count("bytes_out")?,
        bytes_stored: count("bytes_stored")?,
    })
}
