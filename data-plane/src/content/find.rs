//! Owns the reads that find passages: by the words they hold, by their numbers, by what stands beside
//! them. Invariant: each takes a permit and has its scope in the SQL, so that what a list names and
//! the caller may not read is not there.

use std::collections::HashMap;

use contract::id::{self, Id};
use contract::{Address, Label, Labels, Timestamp};
use sqlx::sqlite::{SqliteArguments, SqliteRow};
use sqlx::{Row, Sqlite, SqliteConnection};
use tenancy::permit::Permit;

use super::store::{COLUMNS, Record, below, record};

/// Which content to look through.
#[derive(Debug, Default)]
pub(crate) struct Filter {
    /// Only what this run produced.
    pub(crate) run: Option<Id<id::Run>>,
    /// Only what this address answered.
    pub(crate) address: Option<Address>,
    /// Only what has this label.
    pub(crate) label: Option<Label>,
    /// Only this media type.
    pub(crate) media_type: Option<String>,
    /// Only what was stored since.
    pub(crate) since: Option<Timestamp>,
}

/// Who reads, and what of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reach<'a> {
    /// Who, and where.
    pub(crate) permit: &'a Permit,
    /// Whether what other principals' calls produced is read too.
    pub(crate) any: bool,
    /// Whether the reader sees personal values there.
    pub(crate) unmasks: bool,
    /// What is looked through.
    pub(crate) filter: &'a Filter,
}

/// The parameters $2 to $11 of a query over `content`; $1 is what is asked for.
const WITHIN: &str = "(content.scope = $2 OR (content.scope >= $3 AND content.scope < $4)) \
     AND ($5 OR content.principal = $6) AND ($7 IS NULL OR content.run = $7) \
     AND ($8 IS NULL OR content.address = $8) AND ($9 IS NULL OR content.labels & $9 <> 0) \
     AND ($10 IS NULL OR content.media_type = $10) AND ($11 IS NULL OR content.created_ms >= $11)";

type Query = sqlx::query::Query<'static, Sqlite, SqliteArguments>;

impl Reach<'_> {
    fn bind(&self, sql: String, asked: String) -> Query {
        let (from, to) = below(self.permit.scope());
        let filter = self.filter;
        sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(asked)
            .bind(self.permit.scope().to_string())
            .bind(from)
            .bind(to)
            .bind(self.any)
            .bind(self.permit.principal().to_string())
            .bind(filter.run.map(|run| run.to_string()))
            .bind(filter.address.as_ref().map(ToString::to_string))
            .bind(filter.label.map(|label| i64::from(Labels::of(label).bits())))
            .bind(filter.media_type.clone())
            .bind(filter.since.map(Timestamp::ms))
    }
}

/// A passage that was found.
#[derive(Debug, Clone)]
pub(crate) struct Passage {
    /// Its row.
    pub(crate) chunk: i64,
    /// What it is of.
    pub(crate) record: Record,
    /// Its number in that content, from 0.
    pub(crate) number: u32,
    /// Its words, masked: the whole, or where it was found by words what stands around them.
    pub(crate) text: String,
    /// How well it fits by BM25, as FTS5 says it: the less, the better. It can be compared with that
    /// of any other passage of the same query, since it is weighed by the whole index. Nothing where
    /// it was not found by words.
    pub(crate) rank: f64,
}

fn passage(row: &SqliteRow) -> Result<Passage, sqlx::Error> {
    Ok(Passage {
        chunk: row.try_get("chunk")?,
        record: record(row)?,
        number: u32::try_from(row.try_get::<i64, _>("ordinal")?).unwrap_or(u32::MAX),
        text: row.try_get("passage")?,
        rank: row.try_get("rank")?,
    })
}

/// Passages that hold words of an FTS5 query, best first.
pub(crate) async fn by_words(
    connection: &mut SqliteConnection,
    reach: Reach<'_>,
    query: &str,
    limit: usize,
) -> Result<Vec<Passage>, sqlx::Error> {
    let sql = format!(
        "SELECT {COLUMNS}, content_chunk.chunk, content_chunk.ordinal, \
         snippet(content_fts, 0, '', '', '…', 40) AS passage, rank FROM content_fts \
         JOIN content_chunk ON content_chunk.chunk = content_fts.rowid \
         JOIN content ON content.id = content_chunk.content \
         WHERE content_fts MATCH $1 AND {WITHIN} ORDER BY rank LIMIT $12"
    );
    let query = reach.bind(sql, query.to_owned()).bind(i64::try_from(limit).unwrap_or(i64::MAX));
    query.fetch_all(connection).await?.iter().map(passage).collect()
}

/// Those of these passages that may be read and fit the filter, in no order.
pub(crate) async fn by_chunks(
    connection: &mut SqliteConnection,
    reach: Reach<'_>,
    chunks: &[i64],
) -> Result<Vec<Passage>, sqlx::Error> {
    let sql = format!(
        "SELECT {COLUMNS}, content_chunk.chunk, content_chunk.ordinal, \
         content_chunk.masked AS passage, 0.0 AS rank FROM json_each($1) AS asked \
         JOIN content_chunk ON content_chunk.chunk = asked.value \
         JOIN content ON content.id = content_chunk.content WHERE {WITHIN}"
    );
    let chunks = serde_json::to_string(chunks).unwrap_or_default();
    reach.bind(sql, chunks).fetch_all(connection).await?.iter().map(passage).collect()
}

/// A passage of content that is known, and whether its reader gave a vector for it.
#[derive(Debug)]
pub(crate) struct Numbered {
    /// Its number in the content, from 0.
    pub(crate) number: u32,
    /// Its words, masked.
    pub(crate) text: String,
    /// Whether there is a vector of the model that was asked about.
    pub(crate) embedded: bool,
}

/// Passages of content whose row was read under a permit, by their numbers, in order. `model` is the
/// one by which `embedded` is said.
pub(crate) async fn numbered(
    connection: &mut SqliteConnection,
    permit: &Permit,
    content: &Record,
    numbers: std::ops::Range<u32>,
    model: &str,
) -> Result<Vec<Numbered>, sqlx::Error> {
    let rows = sqlx::query(
        "SELECT ordinal, masked, EXISTS (SELECT 1 FROM content_vector \
         WHERE content_vector.chunk = content_chunk.chunk AND giver = $4 AND model = $5) AS embedded \
         FROM content_chunk WHERE content = $1 AND ordinal >= $2 AND ordinal < $3 ORDER BY ordinal",
    )
    .bind(content.id.to_string())
    .bind(i64::from(numbers.start))
    .bind(i64::from(numbers.end))
    .bind(permit.principal().to_string())
    .bind(model.to_owned())
    .fetch_all(connection)
    .await?;
    let numbered = |row: &SqliteRow| {
        Ok(Numbered {
            number: u32::try_from(row.try_get::<i64, _>("ordinal")?).unwrap_or(u32::MAX),
            text: row.try_get("masked")?,
            embedded: row.try_get("embedded")?,
        })
    };
    rows.iter().map(numbered).collect()
}

/// How many passages there are of content whose row was read under a permit. None once its payload is
/// erased.
pub(crate) async fn count(
    connection: &mut SqliteConnection,
    content: &Record,
) -> Result<u32, sqlx::Error> {
    let count: i64 = sqlx::query_scalar("SELECT count(*) FROM content_chunk WHERE content = $1")
        .bind(content.id.to_string())
        .fetch_one(connection)
        .await?;
    Ok(u32::try_from(count).unwrap_or(u32::MAX))
}

/// The rows of passages by their numbers, of content whose row was read under a permit.
pub(crate) async fn chunks(
    connection: &mut SqliteConnection,
    _: &Permit,
    content: &Record,
    numbers: &[u32],
) -> Result<HashMap<u32, i64>, sqlx::Error> {
    let rows = sqlx::query(
        "SELECT chunk, ordinal FROM json_each($2) AS asked JOIN content_chunk \
         ON content_chunk.content = $1 AND content_chunk.ordinal = asked.value",
    )
    .bind(content.id.to_string())
    .bind(serde_json::to_string(numbers).unwrap_or_default())
    .fetch_all(connection)
    .await?;
    let pair = |row: &SqliteRow| {
        let number: i64 = row.try_get("ordinal")?;
        Ok((u32::try_from(number).unwrap_or(u32::MAX), row.try_get("chunk")?))
    };
    rows.iter().map(pair).collect()
}
