//! Owns the `run` table.

use contract::id::{self, Id};
use contract::{Labels, Scope, Timestamp};
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteConnection, SqlitePool};

use super::{Packs, Record};
use crate::content::mask::Numbering;
use crate::store::{Applying, Change, Fault};

const COLUMNS: &str = "id, principal, parent, scope, title, labels, sources, is_default, is_clean, \
                       started_ms, ended_ms, mask_key, numbering, token, packs";

/// Stores a new run.
#[derive(Debug)]
pub(crate) struct Started(pub(crate) Record);

impl Change for Started {
    fn apply<'a>(&'a self, connection: &'a mut SqliteConnection) -> Applying<'a> {
        Box::pin(async move {
            let run = &self.0;
            let done = sqlx::query(
                "INSERT INTO run (id, principal, parent, scope, title, labels, sources, is_default, \
                 started_ms, mask_key, is_clean, token, packs) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) \
                 ON CONFLICT DO NOTHING",
            )
            .bind(run.id.to_string())
            .bind(run.principal.to_string())
            .bind(run.parent.map(|id| id.to_string()))
            .bind(run.scope.to_string())
            .bind(run.title.clone())
            .bind(i64::from(run.labels.bits()))
            .bind(json(&run.sources))
            .bind(i64::from(run.default))
            .bind(run.started.ms())
            .bind(run.mask_key.to_vec())
            .bind(i64::from(run.clean))
            .bind(run.token.map(|token| token.to_string()))
            .bind(run.packs.to_json())
            .execute(connection)
            .await?;
            if done.rows_affected() == 1 { Ok(()) } else { Err(Fault::Conflict("the run")) }
        })
    }
}

/// Stores the labels a run holds now.
#[derive(Debug)]
pub(crate) struct Labelled {
    /// Which run.
    pub(crate) run: Id<id::Run>,
    /// All its labels.
    pub(crate) labels: Labels,
    /// What brought them.
    pub(crate) sources: Vec<String>,
}

impl Change for Labelled {
    fn apply<'a>(&'a self, connection: &'a mut SqliteConnection) -> Applying<'a> {
        Box::pin(async move {
            // Concurrent calls may store their unions in any order: the table takes the union too.
            sqlx::query("UPDATE run SET labels = labels | $2, sources = $3 WHERE id = $1")
                .bind(self.run.to_string())
                .bind(i64::from(self.labels.bits()))
                .bind(json(&self.sources))
                .execute(connection)
                .await?;
            Ok(())
        })
    }
}

/// Stores that a run has ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// Which run.
    pub(crate) run: Id<id::Run>,
    /// When.
    pub(crate) at: Timestamp,
}

impl Change for Ended {
    fn apply<'a>(&'a self, connection: &'a mut SqliteConnection) -> Applying<'a> {
        Box::pin(async move {
            let done = sqlx::query(
                "UPDATE run SET ended_ms = $2, version = version + 1 WHERE id = $1 AND ended_ms IS NULL",
            )
            .bind(self.run.to_string())
            .bind(self.at.ms())
            .execute(connection)
            .await?;
            if done.rows_affected() == 1 { Ok(()) } else { Err(Fault::Conflict("the run")) }
        })
    }
}

/// The labels of a stored bit set.
pub(crate) fn labels_of(bits: i64) -> Labels {
    Labels::from_bits(u8::try_from(bits & 7).unwrap_or(7))
}

/// Stores which value has which placeholder in a run.
#[derive(Debug)]
pub(crate) struct Numbered {
    /// Which run.
    pub(crate) run: Id<id::Run>,
    /// All its placeholders.
    pub(crate) numbering: Numbering,
}

impl Change for Numbered {
    fn apply<'a>(&'a self, connection: &'a mut SqliteConnection) -> Applying<'a> {
        Box::pin(async move {
            // Numbers are only ever added: of two concurrent stores, the longer holds the shorter.
            let text = json(&self.numbering);
            sqlx::query(
                "UPDATE run SET numbering = $2 WHERE id = $1 AND length(numbering) <= length($2)",
            )
            .bind(self.run.to_string())
            .bind(text)
            .execute(connection)
            .await?;
            Ok(())
        })
    }
}

fn json<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

fn parse<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, sqlx::Error> {
    serde_json::from_str(text).map_err(|error| sqlx::Error::Decode(Box::new(error)))
}

fn id_of<K: id::Kind>(text: &str) -> Result<Id<K>, sqlx::Error> {
    text.parse().map_err(|error| sqlx::Error::Decode(Box::new(error)))
}

fn record(row: &SqliteRow) -> Result<Record, sqlx::Error> {
    let parent: Option<String> = row.try_get("parent")?;
    Ok(Record {
        id: id_of(&row.try_get::<String, _>("id")?)?,
        principal: id_of(&row.try_get::<String, _>("principal")?)?,
        parent: parent.as_deref().map(id_of).transpose()?,
        token: row.try_get::<Option<String>, _>("token")?.as_deref().map(id_of).transpose()?,
        scope: row
            .try_get::<String, _>("scope")?
            .parse()
            .map_err(|error| sqlx::Error::Decode(Box::new(error)))?,
        title: row.try_get("title")?,
        labels: labels_of(row.try_get("labels")?),
        sources: parse(&row.try_get::<String, _>("sources")?)?,
        default: row.try_get::<i64, _>("is_default")? != 0,
        clean: row.try_get::<i64, _>("is_clean")? != 0,
        packs: Packs::parse(&row.try_get::<String, _>("packs")?)?,
        started: Timestamp::from_ms(row.try_get("started_ms")?),
        ended: row.try_get::<Option<i64>, _>("ended_ms")?.map(Timestamp::from_ms),
        mask_key: row
            .try_get::<Vec<u8>, _>("mask_key")?
            .try_into()
            .map_err(|_| sqlx::Error::Decode("a mask key has 32 bytes".into()))?,
        numbering: parse(&row.try_get::<String, _>("numbering")?)?,
    })
}

/// The run of that id.
pub(crate) async fn by_id(
    readers: &SqlitePool,
    run: Id<id::Run>,
) -> Result<Option<Record>, sqlx::Error> {
    let sql = sqlx::AssertSqlSafe(format!("SELECT {COLUMNS} FROM run WHERE id = $1"));
    let row = sqlx::query(sql).bind(run.to_string()).fetch_optional(readers).await?;
    row.as_ref().map(record).transpose()
}

/// The live default run of a principal.
pub(crate) async fn default_of(
    readers: &SqlitePool,
    principal: Id<id::Principal>,
) -> Result<Option<Record>, sqlx::Error> {
    let sql = sqlx::AssertSqlSafe(format!(
        "SELECT {COLUMNS} FROM run WHERE principal = $1 AND is_default = 1 AND ended_ms IS NULL"
    ));
    let row = sqlx::query(sql).bind(principal.to_string()).fetch_optional(readers).await?;
    row.as_ref().map(record).transpose()
}

/// Runs, newest first, before `before`: those of a principal, and those that stand at or below one of the
/// scopes where it manages the runs of others.
pub(crate) async fn page(
    readers: &SqlitePool,
    (principal, managed): &(Id<id::Principal>, Vec<&Scope>),
    before: Option<Id<id::Run>>,
    limit: u32,
) -> Result<Vec<Record>, sqlx::Error> {
    let sql = sqlx::AssertSqlSafe(format!(
        "SELECT {COLUMNS} FROM run WHERE (principal = $1 OR EXISTS (SELECT 1 FROM json_each($4) AS at \
         WHERE scope = at.value OR (scope >= at.value || '/' AND scope < at.value || '0'))) \
         AND ($2 IS NULL OR id < $2) ORDER BY id DESC LIMIT $3"
    ));
    let rows = sqlx::query(sql)
        .bind(principal.to_string())
        .bind(before.map(|id| id.to_string()))
        .bind(i64::from(limit))
        .bind(json(managed))
        .fetch_all(readers)
        .await?;
    rows.iter().map(record).collect()
}
