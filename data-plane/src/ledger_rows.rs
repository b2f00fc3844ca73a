//! Owns how the ledger's table is read. Invariant: what a caller reads of it lies where their permit
//! reaches; nothing here changes an entry.

use contract::id::{self, Id};
use contract::{Address, Timestamp};
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteConnection, SqlitePool};
use tenancy::permit::{Permit, Plane};

use crate::ledger::merkle::Hash;
use crate::store::{Applying, Change};

/// An entry as it is stored.
#[derive(Debug)]
pub(crate) struct Stored {
    /// Its place.
    pub(crate) seq: u64,
    /// When it was written.
    pub(crate) at_ms: i64,
    /// What it records.
    pub(crate) kind: String,
    /// The hash before it.
    pub(crate) prev: Hash,
    /// Its hash.
    pub(crate) hash: Hash,
    /// Its body, as it was hashed.
    pub(crate) body: String,
}

/// Which entries.
#[derive(Debug, Default)]
pub(crate) struct Filter {
    /// Of this kind.
    pub(crate) kind: Option<String>,
    /// Of this run.
    pub(crate) run: Option<Id<id::Run>>,
    /// Of this principal.
    pub(crate) principal: Option<Id<id::Principal>>,
    /// About this address.
    pub(crate) address: Option<Address>,
    /// With this verdict.
    pub(crate) verdict: Option<String>,
    /// Written at this moment or later.
    pub(crate) from: Option<Timestamp>,
    /// Written before this moment.
    pub(crate) to: Option<Timestamp>,
}

fn stored(row: &SqliteRow) -> Result<Stored, sqlx::Error> {
    let hash = |column: &str| {
        let bytes: Vec<u8> = row.try_get(column)?;
        <[u8; 32]>::try_from(bytes)
            .map(Hash::new)
            .map_err(|_| sqlx::Error::Decode("a hash has 32 bytes".into()))
    };
    Ok(Stored {
        seq: u64::try_from(row.try_get::<i64, _>("seq")?).unwrap_or_default(),
        at_ms: row.try_get("at_ms")?,
        kind: row.try_get("kind")?,
        prev: hash("prev")?,
        hash: hash("hash")?,
        body: row.try_get("body")?,
    })
}

/// Entries before `before`, newest first, at the permit's scope and below it. Entries without a
/// scope (outcomes, starts) follow the ruling they belong to, or the identity.
pub(crate) async fn page(
    readers: &SqlitePool,
    permit: &Permit,
    filter: &Filter,
    before: Option<i64>,
    limit: u32,
) -> Result<Vec<Stored>, sqlx::Error> {
    let scope = permit.scope();
    let rows = sqlx::query(
        "SELECT seq, at_ms, kind, prev, hash, body FROM ledger WHERE ($1 IS NULL OR seq < $1) \
         AND (scope = $2 OR (scope >= $3 AND scope < $4) OR (scope IS NULL AND ($5 OR EXISTS \
         (SELECT 1 FROM ledger AS ruled WHERE ruled.ruling = ledger.ruling AND ruled.kind = 'ruling' \
          AND (ruled.scope = $2 OR (ruled.scope >= $3 AND ruled.scope < $4)))))) \
         AND ($6 IS NULL OR kind = $6) AND ($7 IS NULL OR run = $7) \
         AND ($8 IS NULL OR principal = $8) AND ($9 IS NULL OR address = $9) \
         AND ($10 IS NULL OR verdict = $10) AND ($12 IS NULL OR at_ms >= $12) \
         AND ($13 IS NULL OR at_ms < $13) ORDER BY seq DESC LIMIT $11",
    )
    .bind(before)
    .bind(scope.to_string())
    .bind(format!("{scope}/"))
    .bind(format!("{scope}0"))
    .bind(scope.level() == contract::scope::Level::Identity)
    .bind(filter.kind.clone())
    .bind(filter.run.map(|run| run.to_string()))
    .bind(filter.principal.map(|principal| principal.to_string()))
    .bind(filter.address.as_ref().map(ToString::to_string))
    .bind(filter.verdict.clone())
    .bind(i64::from(limit))
    .bind(filter.from.map(Timestamp::ms))
    .bind(filter.to.map(Timestamp::ms))
    .fetch_all(readers)
    .await?;
    rows.iter().map(stored).collect()
}

/// Entries from `next` on, up to `size` in all. Takes a permit for the identity: a chain is read
/// whole or not at all.
pub(crate) async fn from(
    readers: &SqlitePool,
    permit: &Permit,
    next: u64,
    size: u64,
    limit: u32,
) -> Result<Vec<Stored>, sqlx::Error> {
    if permit.scope().level() != contract::scope::Level::Identity {
        return Ok(Vec::new());
    }
    let rows = sqlx::query(
        "SELECT seq, at_ms, kind, prev, hash, body FROM ledger WHERE seq >= $1 AND seq < $2 \
         ORDER BY seq LIMIT $3",
    )
    .bind(i64::try_from(next).unwrap_or(i64::MAX))
    .bind(i64::try_from(size).unwrap_or(i64::MAX))
    .bind(i64::from(limit))
    .fetch_all(readers)
    .await?;
    rows.iter().map(stored).collect()
}

/// The ruling of a decision. The caller of this judges who may see it: its scope is in the body.
pub(crate) async fn ruling_of(
    readers: &SqlitePool,
    _: &Plane,
    decision: Id<id::Decision>,
) -> Result<Option<serde_json::Value>, sqlx::Error> {
    let row =
        sqlx::query("SELECT body FROM ledger WHERE decision = $1 AND kind = 'ruling' LIMIT 1")
            .bind(decision.to_string())
            .fetch_optional(readers)
            .await?;
    let body: Option<String> = row.map(|row| row.try_get("body")).transpose()?;
    Ok(body.and_then(|body| serde_json::from_str(&body).ok()))
}

/// The signed checkpoint over the first `size` entries.
pub(crate) async fn checkpoint(
    readers: &SqlitePool,
    size: u64,
) -> Result<Option<String>, sqlx::Error> {
    let row = sqlx::query("SELECT note FROM checkpoint WHERE size = $1")
        .bind(i64::try_from(size).unwrap_or(i64::MAX))
        .fetch_optional(readers)
        .await?;
    row.map(|row| row.try_get("note")).transpose()
}

/// Keeps a signed checkpoint.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    /// Over how many entries.
    pub(crate) size: u64,
    /// The note.
    pub(crate) note: String,
    /// When it was signed.
    pub(crate) at: Timestamp,
}

impl Change for Checkpoint {
    fn apply<'a>(&'a self, connection: &'a mut SqliteConnection) -> Applying<'a> {
        Box::pin(async move {
            sqlx::query(
                "INSERT INTO checkpoint (size, note, at_ms) VALUES ($1, $2, $3) \
                 ON CONFLICT (size) DO UPDATE SET note = $2, at_ms = $3",
            )
            .bind(i64::try_from(self.size).unwrap_or(i64::MAX))
            .bind(self.note.clone())
            .bind(self.at.ms())
            .execute(connection)
            .await?;
            Ok(())
        })
    }
}
