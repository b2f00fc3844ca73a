//! Owns approvals: calls that wait for a person, as they are stored. Invariants: a release lets
//! exactly the call through whose digest is stored, once; what was decided is never decided again.

use contract::id::{self, Id};
use contract::verbs::approval::State;
use contract::{Address, Effect, Labels, Scope, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteConnection, SqlitePool};
use tenancy::permit::Plane;

use crate::store::{Applying, Change, Fault};

/// The exact call that waits: what its digest is taken of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Call {
    /// Who called.
    pub(crate) principal: Id<id::Principal>,
    /// By which token.
    pub(crate) token: Id<id::Token>,
    /// In which run.
    pub(crate) run: Id<id::Run>,
    /// What, in full.
    pub(crate) address: Address,
    /// The tool itself: its id, its server's and its definition's digest; empty for a seat. An address
    /// and its numbers can come to name another tool.
    pub(crate) tool: String,
    /// Which declaration; 0 for a seat.
    pub(crate) declaration: u32,
    /// Which classification; 0 for a seat.
    pub(crate) classification: u32,
    /// Which credential, at which version; empty without one.
    pub(crate) credential: String,
    /// With which arguments.
    pub(crate) arguments: Value,
    /// The caller's own key.
    pub(crate) idempotency_key: Option<String>,
    /// Where it came in.
    pub(crate) surface: String,
    /// What it does to the world.
    pub(crate) effect: Effect,
}

impl Call {
    /// The digest of exactly this call: principal, run, resolved target, declaration,
    /// classification, credential version and arguments.
    ///
    /// # Errors
    /// When the arguments hold a number that canonical JSON cannot keep.
    pub(crate) fn digest(&self) -> Result<[u8; 32], contract::canonical::Error> {
        contract::canonical::digest(&serde_json::json!({
            "principal": self.principal, "run": self.run, "address": self.address, "tool": self.tool,
            "declaration": self.declaration, "classification": self.classification,
            "credential": self.credential, "arguments": self.arguments,
            "key": self.idempotency_key,
        }))
    }
}

/// An approval as it is stored.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    /// Its id.
    pub(crate) id: Id<id::Approval>,
    /// The ruling that held the call.
    pub(crate) ruling: Id<id::Ruling>,
    /// The scope the call reaches.
    pub(crate) scope: Scope,
    /// The call.
    pub(crate) call: Call,
    /// Its digest.
    pub(crate) digest: [u8; 32],
    /// What each check said, as JSON.
    pub(crate) checks: Value,
    /// The labels the run held.
    pub(crate) labels: Labels,
    /// Where it stands.
    pub(crate) state: State,
    /// When it was held.
    pub(crate) created: Timestamp,
    /// When it stops waiting.
    pub(crate) expires: Timestamp,
    /// Who decided.
    pub(crate) decided_by: Option<Id<id::Principal>>,
    /// Why they decided so.
    pub(crate) reason: Option<String>,
    /// What the call answered.
    pub(crate) answer: Option<Value>,
    /// The content that it answered.
    pub(crate) content: Option<Id<id::Content>>,
    /// Its version.
    pub(crate) version: i64,
}

impl Record {
    /// Where it stands at `now`: a pending one that nobody decided in time has expired, and one that
    /// whoever made the call refused was taken back.
    pub(crate) fn state_at(&self, now: Timestamp) -> State {
        if self.state == State::Refused && self.decided_by == Some(self.call.principal) {
            return State::Cancelled;
        }
        if self.state == State::Pending && self.expires <= now {
            State::Expired
        } else {
            self.state
        }
    }
}

/// Stores a held call.
#[derive(Debug)]
pub(crate) struct Hold(pub(crate) Record);

impl Change for Hold {
    fn apply<'a>(&'a self, connection: &'a mut SqliteConnection) -> Applying<'a> {
        Box::pin(async move {
            let held = &self.0;
            let done = sqlx::query(
                "INSERT INTO approval (id, ruling, principal, token, run, scope, address, tool, \
                 call_hash, call, checks, labels, created_ms, expires_ms) \
                 SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14 WHERE NOT EXISTS \
                 (SELECT 1 FROM approval WHERE call_hash = $9 AND state = 'pending' AND expires_ms > $13)",
            )
            .bind(held.id.to_string())
            .bind(held.ruling.to_string())
            .bind(held.call.principal.to_string())
            .bind(held.call.token.to_string())
            .bind(held.call.run.to_string())
            .bind(held.scope.to_string())
            .bind(held.call.address.to_string())
            .bind(format!("{}.{}", held.call.address.server, held.call.address.tool))
            .bind(held.digest.to_vec())
            .bind(serde_json::to_string(&held.call).unwrap_or_default())
            .bind(held.checks.to_string())
            .bind(i64::from(held.labels.bits()))
            .bind(held.created.ms())
            .bind(held.expires.ms())
            .execute(connection)
            .await?;
            expect_one(done.rows_affected(), "the approval")
        })
    }
}

/// Stores a person's decision on a pending approval.
#[derive(Debug)]
pub(crate) struct Decide {
    /// Which.
    pub(crate) id: Id<id::Approval>,
    /// The version that was read.
    pub(crate) version: i64,
    /// What was decided.
    pub(crate) released: bool,
    /// Who.
    pub(crate) by: Id<id::Principal>,
    /// Why.
    pub(crate) reason: Option<String>,
    /// When.
    pub(crate) at: Timestamp,
}

impl Change for Decide {
    fn apply<'a>(&'a self, connection: &'a mut SqliteConnection) -> Applying<'a> {
        Box::pin(async move {
            let done = sqlx::query(
                "UPDATE approval SET state = $3, decided_by = $4, decided_ms = $5, reason = $6, \
                 version = version + 1 \
                 WHERE id = $1 AND version = $2 AND state = 'pending' AND expires_ms > $5",
            )
            .bind(self.id.to_string())
            .bind(self.version)
            .bind(if self.released { "released" } else { "refused" })
            .bind(self.by.to_string())
            .bind(self.at.ms())
            .bind(self.reason.clone())
            .execute(connection)
            .await?;
            expect_one(done.rows_affected(), "the approval")
        })
    }
}

/// Marks a released call as being made, so that it is made once.
#[derive(Debug)]
pub(crate) struct Making(pub(crate) Id<id::Approval>);

impl Change for Making {
    fn apply<'a>(&'a self, connection: &'a mut SqliteConnection) -> Applying<'a> {
        Box::pin(async move {
            let done = sqlx::query(
                "UPDATE approval SET state = 'done', version = version + 1 \
                 WHERE id = $1 AND state = 'released'",
            )
            .bind(self.0.to_string())
            .execute(connection)
            .await?;
            expect_one(done.rows_affected(), "the same call")
        })
    }
}

/// Stores what a released call answered.
#[derive(Debug)]
pub(crate) struct Answered {
    /// Which.
    pub(crate) id: Id<id::Approval>,
    /// The whole body, where it is not content that is kept.
    pub(crate) answer: Value,
    /// The content that it answered.
    pub(crate) content: Option<Id<id::Content>>,
}

impl Change for Answered {
    fn apply<'a>(&'a self, connection: &'a mut SqliteConnection) -> Applying<'a> {
        Box::pin(async move {
            sqlx::query(
                "UPDATE approval SET state = 'done', answer = $2, content = $3, version = version + 1 \
                 WHERE id = $1 AND state IN ('released', 'done') AND answer IS NULL",
            )
            .bind(self.id.to_string())
            .bind(self.answer.to_string())
            .bind(self.content.map(|content| content.to_string()))
            .execute(connection)
            .await?;
            Ok(())
        })
    }
}

fn expect_one(rows: u64, what: &'static str) -> Result<(), Fault> {
    if rows == 1 { Ok(()) } else { Err(Fault::Conflict(what)) }
}

fn decode<E: std::error::Error + Send + Sync + 'static>(error: E) -> sqlx::Error {
    sqlx::Error::Decode(Box::new(error))
}

fn record(row: &SqliteRow) -> Result<Record, sqlx::Error> {
    let text = |column: &str| row.try_get::<String, _>(column);
    let optional = |column: &str| row.try_get::<Option<String>, _>(column);
    Ok(Record {
        id: text("id")?.parse().map_err(decode)?,
        ruling: text("ruling")?.parse().map_err(decode)?,
        scope: text("scope")?.parse().map_err(decode)?,
        call: serde_json::from_str(&optional("call")?.unwrap_or_default()).map_err(decode)?,
        digest: row
            .try_get::<Vec<u8>, _>("call_hash")?
            .try_into()
            .map_err(|_| sqlx::Error::Decode("a digest has 32 bytes".into()))?,
        checks: serde_json::from_str(&text("checks")?).map_err(decode)?,
        labels: crate::run::labels_of(row.try_get("labels")?),
        state: match text("state")?.as_str() {
            "pending" => State::Pending,
            "refused" => State::Refused,
            "expired" => State::Expired,
            _ => State::Released,
        },
        created: Timestamp::from_ms(row.try_get("created_ms")?),
        expires: Timestamp::from_ms(row.try_get("expires_ms")?),
        decided_by: optional("decided_by")?.map(|by| by.parse().map_err(decode)).transpose()?,
        reason: optional("reason")?,
        answer: optional("answer")?
            .map(|answer| serde_json::from_str(&answer).map_err(decode))
            .transpose()?,
        content: optional("content")?.map(|content| content.parse().map_err(decode)).transpose()?,
        version: row.try_get("version")?,
    })
}

const COLUMNS: &str = "id, ruling, scope, call, call_hash, checks, labels, state, created_ms, \
                       expires_ms, decided_by, reason, answer, content, version";

/// An approval by its id. The caller of this judges who may see it: its scope is in the record.
pub(crate) async fn by_id(
    readers: &SqlitePool,
    _: &Plane,
    id: Id<id::Approval>,
) -> Result<Option<Record>, sqlx::Error> {
    let sql = sqlx::AssertSqlSafe(format!("SELECT {COLUMNS} FROM approval WHERE id = $1"));
    let row = sqlx::query(sql).bind(id.to_string()).fetch_optional(readers).await?;
    row.as_ref().map(record).transpose()
}

/// The pending approval of exactly this call.
pub(crate) async fn pending(
    readers: &SqlitePool,
    _: &Plane,
    digest: &[u8; 32],
    now: Timestamp,
) -> Result<Option<Record>, sqlx::Error> {
    let sql = sqlx::AssertSqlSafe(format!(
        "SELECT {COLUMNS} FROM approval WHERE call_hash = $1 AND state = 'pending' AND expires_ms > $2"
    ));
    let row = sqlx::query(sql).bind(digest.to_vec()).bind(now.ms()).fetch_optional(readers).await?;
    row.as_ref().map(record).transpose()
}

/// The released approval of exactly this call, if it was not made yet.
pub(crate) async fn released(
    readers: &SqlitePool,
    _: &Plane,
    digest: &[u8; 32],
    now: Timestamp,
) -> Result<Option<Id<id::Approval>>, sqlx::Error> {
    let row = sqlx::query(
        "SELECT id FROM approval WHERE call_hash = $1 AND state = 'released' AND expires_ms > $2 \
         ORDER BY id LIMIT 1",
    )
    .bind(digest.to_vec())
    .bind(now.ms())
    .fetch_optional(readers)
    .await?;
    row.map(|row| row.try_get::<String, _>("id")?.parse().map_err(decode)).transpose()
}

/// Approvals before `before`, newest first. The caller of this judges who may see each.
pub(crate) async fn page(
    readers: &SqlitePool,
    _: &Plane,
    before: Option<Id<id::Approval>>,
    limit: u32,
) -> Result<Vec<Record>, sqlx::Error> {
    let sql = sqlx::AssertSqlSafe(format!(
        "SELECT {COLUMNS} FROM approval WHERE ($1 IS NULL OR id < $1) AND call IS NOT NULL \
         ORDER BY id DESC LIMIT $2"
    ));
    let rows = sqlx::query(sql)
        .bind(before.map(|id| id.to_string()))
        .bind(i64::from(limit))
        .fetch_all(readers)
        .await?;
    rows.iter().map(record).collect()
}
