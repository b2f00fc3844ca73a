//! Owns the content tables: what is stored of a result, and how it is read back.

use contract::id::{self, Id};
use contract::{Address, Label, Labels, Scope, Timestamp};
use sha2::{Digest, Sha256};
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteConnection, SqlitePool};
use tenancy::permit::{Permit, Plane};

use super::detect::{self, Sensitivity, Span};
use super::mask;
use crate::store::{Applying, Change};

/// How long a passage of the word index is, about.
const PASSAGE_BYTES: usize = 1200;
/// How much of a content is indexed. What is beyond can still be read by slices.
const INDEXED_MAX_BYTES: usize = 4 * 1024 * 1024;

/// What is stored of a result, beside its payload.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    /// Its handle.
    pub(crate) id: Id<id::Content>,
    /// Where it belongs.
    pub(crate) scope: Scope,
    /// Whose call produced it.
    pub(crate) principal: Id<id::Principal>,
    /// In which run.
    pub(crate) run: Id<id::Run>,
    /// Under which ruling.
    pub(crate) ruling: Option<Id<id::Ruling>>,
    /// What answered it.
    pub(crate) address: Address,
    /// Its media type.
    pub(crate) media_type: String,
    /// Its size.
    pub(crate) bytes: u64,
    /// Its lines, if it is a text.
    pub(crate) lines: Option<u64>,
    /// What it is.
    pub(crate) labels: Labels,
    /// Its salted digest.
    pub(crate) digest: [u8; 32],
    /// When it was stored.
    pub(crate) created: Timestamp,
    /// When its payload was erased.
    pub(crate) erased: Option<Timestamp>,
}

/// A result to be stored.
#[derive(Debug)]
pub(crate) struct Keep {
    /// The row.
    pub(crate) record: Record,
    /// Salts the digest; goes with the payload.
    pub(crate) salt: [u8; 16],
    /// The payload, byte for byte.
    pub(crate) payload: Vec<u8>,
    /// Where personal values and secrets lie in it.
    pub(crate) spans: Vec<Span>,
    /// The summary, of the masked text.
    pub(crate) summary: String,
}

/// Where a result came from.
#[derive(Debug, Clone)]
pub(crate) struct Origin {
    /// Its handle.
    pub(crate) id: Id<id::Content>,
    /// Where it belongs.
    pub(crate) scope: Scope,
    /// Whose call produced it.
    pub(crate) principal: Id<id::Principal>,
    /// In which run.
    pub(crate) run: Id<id::Run>,
    /// Under which ruling.
    pub(crate) ruling: Option<Id<id::Ruling>>,
    /// What answered it.
    pub(crate) address: Address,
    /// When.
    pub(crate) created: Timestamp,
    /// Salts the digest.
    pub(crate) salt: [u8; 16],
}

/// The text of a payload, as far as it is one: what is not UTF-8 is read as U+FFFD, one for one, so
/// that nothing is lost in the payload itself.
pub(crate) fn text_of(payload: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(payload)
}

impl Keep {
    /// Detects, labels and summarises a payload. `declared` are the labels of the tool it came from.
    pub(crate) fn of(origin: Origin, media_type: &str, payload: Vec<u8>, declared: Labels) -> Self {
        let text = text_of(&payload);
        let spans = detect::detect_for(media_type, &text);
        let labels = spans.iter().fold(declared, |labels, span| {
            labels
                | Labels::of(match span.kind.sensitivity() {
                    Sensitivity::Personal => Label::Personal,
                    Sensitivity::Confidential => Label::Confidential,
                })
        });
        let masked = mask::mask_for_index(&text, &spans);
        let summary = super::summary::summarise(&masked.text, Some(media_type));
        let lines = u64::try_from(text.lines().count()).ok();
        let summary = serde_json::to_string(&summary).unwrap_or_default();
        let digest = contract::canonical::salted_digest_of_bytes(&origin.salt, &payload);
        let record = Record {
            id: origin.id,
            scope: origin.scope,
            principal: origin.principal,
            run: origin.run,
            ruling: origin.ruling,
            address: origin.address,
            media_type: media_type.to_owned(),
            bytes: u64::try_from(payload.len()).unwrap_or(u64::MAX),
            lines,
            labels,
            digest,
            created: origin.created,
            erased: None,
        };
        drop(text);
        Self { record, salt: origin.salt, payload, spans, summary }
    }
}

impl Change for Keep {
    fn apply<'a>(&'a self, connection: &'a mut SqliteConnection) -> Applying<'a> {
        Box::pin(async move {
            let row = &self.record;
            sqlx::query(
                "INSERT INTO content (id, scope, principal, run, ruling, address, media_type, bytes, \
                 lines, labels, digest, created_ms) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
            )
            .bind(row.id.to_string())
            .bind(row.scope.to_string())
            .bind(row.principal.to_string())
            .bind(row.run.to_string())
            .bind(row.ruling.map(|ruling| ruling.to_string()))
            .bind(row.address.to_string())
            .bind(row.media_type.clone())
            .bind(i64::try_from(row.bytes).unwrap_or(i64::MAX))
            .bind(row.lines.and_then(|lines| i64::try_from(lines).ok()))
            .bind(i64::from(row.labels.bits()))
            .bind(row.digest.to_vec())
            .bind(row.created.ms())
            .execute(&mut *connection)
            .await?;
            sqlx::query(
                "INSERT INTO content_payload (content, salt, summary, spans, payload) \
                 VALUES ($1, $2, $3, $4, $5)",
            )
            .bind(row.id.to_string())
            .bind(self.salt.to_vec())
            .bind(self.summary.clone())
            .bind(serde_json::to_string(&self.spans).unwrap_or_else(|_| "[]".to_owned()))
            .bind(self.payload.clone())
            .execute(&mut *connection)
            .await?;
            self.index(connection).await?;
            Ok(())
        })
    }
}

impl Keep {
    async fn index(&self, connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
        let text = text_of(&self.payload);
        let masked = mask::mask_for_index(&text, &self.spans).text;
        for (ordinal, (start, passage)) in passages(&masked).enumerate() {
            sqlx::query(
                "INSERT INTO content_chunk (content, ordinal, start, bytes, masked) \
                 VALUES ($1, $2, $3, $4, $5)",
            )
            .bind(self.record.id.to_string())
            .bind(i64::try_from(ordinal).unwrap_or(i64::MAX))
            .bind(i64::try_from(start).unwrap_or(i64::MAX))
            .bind(i64::try_from(passage.len()).unwrap_or(i64::MAX))
            .bind(passage.to_owned())
            .execute(&mut *connection)
            .await?;
        }
        Ok(())
    }
}

/// A text in passages of about [`PASSAGE_BYTES`], cut at line ends where there are any.
fn passages(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let limit = text.floor_char_boundary(INDEXED_MAX_BYTES);
    let mut at = 0;
    std::iter::from_fn(move || {
        if at >= limit {
            return None;
        }
        let start = at;
        let most = text.floor_char_boundary((start + PASSAGE_BYTES).min(limit));
        let window = text.get(start..most)?;
        let cut = if most == limit { None } else { window.rfind('\n').map(|line| line + 1) };
        let cut =
            cut.or_else(|| (most != limit).then(|| window.rfind(' ').map(|space| space + 1))?);
        // A character longer than a passage cannot be: a passage is never empty.
        at = start + cut.unwrap_or(window.len()).max(1);
        Some((start, text.get(start..at)?))
    })
}

pub(super) fn decode<E: std::error::Error + Send + Sync + 'static>(error: E) -> sqlx::Error {
    sqlx::Error::Decode(Box::new(error))
}

pub(super) fn record(row: &SqliteRow) -> Result<Record, sqlx::Error> {
    let text = |column: &str| row.try_get::<String, _>(column);
    let optional = |column: &str| row.try_get::<Option<String>, _>(column);
    let count = |column: &str| row.try_get::<Option<i64>, _>(column);
    Ok(Record {
        id: text("id")?.parse().map_err(decode)?,
        scope: text("scope")?.parse().map_err(decode)?,
        principal: text("principal")?.parse().map_err(decode)?,
        run: optional("run")?.unwrap_or_default().parse().map_err(decode)?,
        ruling: optional("ruling")?.map(|ruling| ruling.parse().map_err(decode)).transpose()?,
        address: text("address")?.parse().map_err(decode)?,
        media_type: text("media_type")?,
        bytes: count("bytes")?.and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or(0),
        lines: count("lines")?.and_then(|lines| u64::try_from(lines).ok()),
        labels: crate::run::labels_of(row.try_get("labels")?),
        digest: row
            .try_get::<Vec<u8>, _>("digest")?
            .try_into()
            .map_err(|_| sqlx::Error::Decode("a digest has 32 bytes".into()))?,
        created: Timestamp::from_ms(row.try_get("created_ms")?),
        erased: count("erased_ms")?.map(Timestamp::from_ms),
    })
}

/// The scopes below which a permit reaches, as a range of texts: the scope itself, or texts between
/// `scope/` and `scope0` (`0` follows `/`).
pub(super) fn below(scope: &Scope) -> (String, String) {
    (format!("{scope}/"), format!("{scope}0"))
}

pub(super) const COLUMNS: &str = "content.id, content.scope, content.principal, content.run, content.ruling, \
     content.address, content.media_type, content.bytes, content.lines, content.labels, \
     content.digest, content.created_ms, content.erased_ms";

/// The row of a handle, if it lies where the permit reaches and, unless `any`, is the permit
/// holder's own.
pub(crate) async fn by_handle(
    readers: &SqlitePool,
    permit: &Permit,
    any: bool,
    handle: Id<id::Content>,
) -> Result<Option<Record>, sqlx::Error> {
    let (from, to) = below(permit.scope());
    let sql = sqlx::AssertSqlSafe(format!(
        "SELECT {COLUMNS} FROM content WHERE id = $1 AND (scope = $2 OR (scope >= $3 AND scope < $4)) \
         AND ($5 OR principal = $6)"
    ));
    let row = sqlx::query(sql)
        .bind(handle.to_string())
        .bind(permit.scope().to_string())
        .bind(from)
        .bind(to)
        .bind(any)
        .bind(permit.principal().to_string())
        .fetch_optional(readers)
        .await?;
    row.as_ref().map(record).transpose()
}

/// The row of a handle, wherever it lies: for the platform's own work, and for finding the scope at
/// which a caller is to be judged.
pub(crate) async fn own(
    readers: &SqlitePool,
    _: &Plane,
    handle: Id<id::Content>,
) -> Result<Option<Record>, sqlx::Error> {
    let sql = sqlx::AssertSqlSafe(format!("SELECT {COLUMNS} FROM content WHERE id = $1"));
    let row = sqlx::query(sql).bind(handle.to_string()).fetch_optional(readers).await?;
    row.as_ref().map(record).transpose()
}

/// A payload with where its personal values and secrets lie.
#[derive(Debug)]
pub(crate) struct Payload {
    /// Byte for byte.
    pub(crate) bytes: Vec<u8>,
    /// What detection found.
    pub(crate) spans: Vec<Span>,
}

/// The payload of content whose row was read under a permit; absent once it is erased.
pub(crate) async fn payload(
    readers: &SqlitePool,
    content: &Record,
) -> Result<Option<Payload>, sqlx::Error> {
    let row = sqlx::query("SELECT spans, payload FROM content_payload WHERE content = $1")
        .bind(content.id.to_string())
        .fetch_optional(readers)
        .await?;
    let Some(row) = row else { return Ok(None) };
    let spans: String = row.try_get("spans")?;
    Ok(Some(Payload {
        bytes: row.try_get("payload")?,
        spans: serde_json::from_str(&spans).map_err(decode)?,
    }))
}

/// The summary of such content, as JSON, without its payload; absent once that is erased.
pub(crate) async fn summary(
    readers: &SqlitePool,
    content: &Record,
) -> Result<Option<String>, sqlx::Error> {
    let sql = "SELECT coalesce(summary, '') FROM content_payload WHERE content = $1";
    sqlx::query_scalar(sql).bind(content.id.to_string()).fetch_optional(readers).await
}

/// A key for an idempotency record and the like: SHA-256 over parts that are told apart.
pub(crate) fn key_of(parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        hasher.update(part);
    }
    hasher.finalize().into()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::passages;

    proptest! {
        #[test]
        fn passages_put_together_are_the_text(text in "[a-zé→\n ]{0,4000}") {
            let together: String = passages(&text).map(|(_, passage)| passage).collect();
            prop_assert_eq!(together, text);
        }
    }
}
