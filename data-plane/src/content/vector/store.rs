//! Owns the tables of vectors: what a caller gives is added to, and what may be compared is read.
//!
//! Whose vectors count: those that whoever asks has given, and those given by whoever the content is
//! of; of two for one passage the asker's own. A third principal's say nothing, so that nobody can move
//! what others find. Invariants: nobody's vector replaces another's; one giver's vectors of one model
//! have one width; a vector whose giver saw personal values is compared only for those who see them.

use contract::Scope;
use contract::id::{self, Id};
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteConnection};
use tenancy::permit::Permit;

use super::rank::Likeness;
use super::{BLOCK_ROWS, Vector, row_bytes};
use crate::content::find::Reach;
use crate::content::store::{Record, below};
use crate::store::{Applying, Change, Fault};

#[cfg(test)]
mod tests;

/// Vectors of one call, to be kept.
#[derive(Debug)]
pub(crate) struct Given {
    /// Where the content lies.
    pub(crate) scope: Scope,
    /// Whose call produced it.
    pub(crate) principal: Id<id::Principal>,
    /// Who gives them.
    pub(crate) giver: Id<id::Principal>,
    /// Whether the giver sees personal values there.
    pub(crate) unmasked: bool,
    /// What made them.
    pub(crate) model: String,
    /// By passage. All have one width, and there is at least one.
    pub(crate) vectors: Vec<(i64, Vector)>,
}

/// A block with room, as it is filled.
#[derive(Debug, Default)]
struct Room {
    block: Option<i64>,
    used: usize,
    rows: Vec<u8>,
}

impl Given {
    fn width(&self) -> i64 {
        let width = self.vectors.first().map_or(0, |(_, vector)| vector.width());
        i64::try_from(width).unwrap_or(i64::MAX)
    }

    /// The block of this kind that has room, or a new one.
    async fn room(&self, connection: &mut SqliteConnection) -> Result<Room, Fault> {
        let row = sqlx::query(
            "SELECT block, used, rows FROM vector_block WHERE model = $1 AND scope = $2 \
             AND principal = $3 AND giver = $4 AND unmasked = $5 AND width = $6 AND used < $7 LIMIT 1",
        )
        .bind(self.model.clone())
        .bind(self.scope.to_string())
        .bind(self.principal.to_string())
        .bind(self.giver.to_string())
        .bind(self.unmasked)
        .bind(self.width())
        .bind(i64::try_from(BLOCK_ROWS).unwrap_or(i64::MAX))
        .fetch_optional(connection)
        .await?;
        let Some(row) = row else { return Ok(Room::default()) };
        Ok(Room {
            block: Some(row.try_get("block")?),
            used: usize::try_from(row.try_get::<i64, _>("used")?).unwrap_or(BLOCK_ROWS),
            rows: row.try_get("rows")?,
        })
    }

    /// Puts as many vectors into a block as it has room for.
    async fn fill(
        &self,
        connection: &mut SqliteConnection,
        mut room: Room,
        vectors: &[(i64, Vector)],
    ) -> Result<(), Fault> {
        let first = room.used;
        for (chunk, vector) in vectors {
            room.rows.extend(vector.row(*chunk));
        }
        let added = i64::try_from(vectors.len()).unwrap_or(i64::MAX);
        let block: i64 = match room.block {
            Some(block) => {
                sqlx::query(
                    "UPDATE vector_block SET used = used + $2, live = live + $2, rows = $3 \
                     WHERE block = $1",
                )
                .bind(block)
                .bind(added)
                .bind(room.rows)
                .execute(&mut *connection)
                .await?;
                block
            }
            None => sqlx::query_scalar(
                "INSERT INTO vector_block (scope, principal, giver, unmasked, model, width, used, \
                     live, rows) VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $8) RETURNING block",
            )
            .bind(self.scope.to_string())
            .bind(self.principal.to_string())
            .bind(self.giver.to_string())
            .bind(self.unmasked)
            .bind(self.model.clone())
            .bind(self.width())
            .bind(added)
            .bind(room.rows)
            .fetch_one(&mut *connection)
            .await?,
        };
        for ((chunk, _), slot) in vectors.iter().zip(first..) {
            sqlx::query(
                "INSERT INTO content_vector (chunk, giver, model, block, slot) \
                 VALUES ($1, $2, $3, $4, $5)",
            )
            .bind(*chunk)
            .bind(self.giver.to_string())
            .bind(self.model.clone())
            .bind(block)
            .bind(i64::try_from(slot).unwrap_or(i64::MAX))
            .execute(&mut *connection)
            .await?;
        }
        Ok(())
    }
}

impl Change for Given {
    fn apply<'a>(&'a self, connection: &'a mut SqliteConnection) -> Applying<'a> {
        Box::pin(async move {
            // The giver's own of before go first, and their slots are overwritten with them.
            for (chunk, _) in &self.vectors {
                sqlx::query(
                    "DELETE FROM content_vector WHERE chunk = $1 AND giver = $2 AND model = $3",
                )
                .bind(*chunk)
                .bind(self.giver.to_string())
                .bind(self.model.clone())
                .execute(&mut *connection)
                .await?;
            }
            let held = held(connection, self.giver, &self.model).await?;
            if held.width.is_some_and(|width| Some(width) != usize::try_from(self.width()).ok()) {
                return Err(Fault::Conflict("the width of the model's vectors"));
            }
            let mut rest = self.vectors.as_slice();
            while !rest.is_empty() {
                let room = self.room(connection).await?;
                let many = BLOCK_ROWS.saturating_sub(room.used).min(rest.len());
                let (now, later) = rest.split_at(many);
                self.fill(connection, room, now).await?;
                rest = later;
            }
            Ok(())
        })
    }
}

/// What a giver has given so far, wherever it lies.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Held {
    /// The width of their vectors of the model that was asked about.
    pub(crate) width: Option<usize>,
    /// How many models they have given vectors of.
    pub(crate) models: i64,
    /// How many vectors they have given.
    pub(crate) vectors: i64,
}

/// What a principal has given so far: asked by themselves, or by the writer in their name.
pub(crate) async fn held(
    connection: &mut SqliteConnection,
    giver: Id<id::Principal>,
    model: &str,
) -> Result<Held, sqlx::Error> {
    let row = sqlx::query(
        "SELECT max(CASE WHEN model = $2 THEN width END) AS width, count(DISTINCT model) AS models, \
         coalesce(sum(live), 0) AS vectors FROM vector_block WHERE giver = $1",
    )
    .bind(giver.to_string())
    .bind(model.to_owned())
    .fetch_one(connection)
    .await?;
    let width: Option<i64> = row.try_get("width")?;
    Ok(Held {
        width: width.and_then(|width| usize::try_from(width).ok()),
        models: row.try_get("models")?,
        vectors: row.try_get("vectors")?,
    })
}

/// A block that may be compared, without its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Block {
    id: i64,
    /// The width of its vectors.
    pub(crate) width: usize,
    /// How many there are.
    pub(crate) live: usize,
    own: bool,
}

/// The blocks of a model that may be compared within a reach.
pub(crate) async fn blocks(
    connection: &mut SqliteConnection,
    reach: Reach<'_>,
    model: &str,
) -> Result<Vec<Block>, sqlx::Error> {
    let (from, to) = below(reach.permit.scope());
    let rows = sqlx::query(
        "SELECT block, width, live, giver = $6 AS own FROM vector_block WHERE model = $1 \
         AND (scope = $2 OR (scope >= $3 AND scope < $4)) AND ($5 OR principal = $6) \
         AND (giver = $6 OR giver = principal) AND (unmasked = 0 OR $7) ORDER BY block",
    )
    .bind(model.to_owned())
    .bind(reach.permit.scope().to_string())
    .bind(from)
    .bind(to)
    .bind(reach.any)
    .bind(reach.permit.principal().to_string())
    .bind(reach.unmasks)
    .fetch_all(connection)
    .await?;
    let block = |row: &SqliteRow| {
        let count =
            |column: &str| row.try_get(column).map(|n: i64| usize::try_from(n).unwrap_or(0));
        Ok(Block {
            id: row.try_get("block")?,
            width: count("width")?,
            live: count("live")?,
            own: row.try_get("own")?,
        })
    };
    rows.iter().map(block).collect()
}

/// How like a vector each row of a block is. The block is one that [`blocks`] answered in the same
/// transaction.
pub(crate) async fn compare(
    connection: &mut SqliteConnection,
    block: Block,
    vector: &Vector,
    all: &mut Vec<Likeness>,
) -> Result<(), sqlx::Error> {
    let rows: Option<Vec<u8>> =
        sqlx::query_scalar("SELECT rows FROM vector_block WHERE block = $1")
            .bind(block.id)
            .fetch_optional(connection)
            .await?;
    let rows = rows.unwrap_or_default();
    let likes = rows.chunks_exact(row_bytes(block.width)).filter_map(|row| vector.like(row));
    all.extend(likes.map(|(passage, like)| Likeness { passage, like, own: block.own }));
    Ok(())
}

/// The vector of one passage of content whose row was read under this permit; the reader's own before
/// that of whoever the content is of.
pub(crate) async fn of_passage(
    connection: &mut SqliteConnection,
    permit: &Permit,
    unmasks: bool,
    content: &Record,
    number: u32,
    model: &str,
) -> Result<Option<(i64, Vector)>, sqlx::Error> {
    let row = sqlx::query(
        "SELECT content_vector.chunk, substr(rows, slot * (width + 12) + 1, width + 12) AS row \
         FROM content_chunk JOIN content_vector ON content_vector.chunk = content_chunk.chunk \
         JOIN vector_block ON vector_block.block = content_vector.block \
         WHERE content_chunk.content = $1 AND content_chunk.ordinal = $2 \
         AND content_vector.model = $3 AND content_vector.giver IN ($4, $5) \
         AND (vector_block.unmasked = 0 OR $6) ORDER BY content_vector.giver <> $4 LIMIT 1",
    )
    .bind(content.id.to_string())
    .bind(i64::from(number))
    .bind(model.to_owned())
    .bind(permit.principal().to_string())
    .bind(content.principal.to_string())
    .bind(unmasks)
    .fetch_optional(connection)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let vector = Vector::of_row(&row.try_get::<Vec<u8>, _>("row")?);
    Ok(vector.map(|vector| (row.try_get("chunk").unwrap_or_default(), vector)))
}
