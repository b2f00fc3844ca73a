//! Owns the rows of groups and projects. Which of the two a row is, its scope says.

use contract::{Scope, Timestamp};
use tenancy::permit::Permit;

use super::Error;
use super::row::{Row, args};
use super::tx::{Conn, Writing};

/// A group or a project.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    /// Its id (`group_…`, `project_…`).
    pub(crate) id: String,
    /// Its scope.
    pub(crate) scope: Scope,
    /// Its title.
    pub(crate) title: String,
    /// Whether it was archived itself.
    pub(crate) archived: bool,
    /// When it was created.
    pub(crate) created: Timestamp,
    /// Its version.
    pub(crate) version: i64,
}

fn decode(row: &Row) -> Result<Record, Error> {
    Ok(Record {
        id: row.text("id")?,
        scope: row.parse("scope")?,
        title: row.text("title")?,
        archived: row.flag("archived")?,
        created: row.time("created_ms")?,
        version: row.int("version")?,
    })
}

/// The record of the permit's scope.
pub(crate) async fn get(conn: &mut Conn, permit: &Permit) -> Result<Option<Record>, Error> {
    let row = conn
        .one(
            "SELECT * FROM scopes WHERE identity = $1 AND scope = $2",
            args![permit.identity(), permit.scope()],
        )
        .await?;
    row.as_ref().map(decode).transpose()
}

/// The records one level below `above` that lie where the permit reaches, after `after`, by scope.
pub(crate) async fn page(
    conn: &mut Conn,
    permit: &Permit,
    above: &Scope,
    (after, limit): (&str, u32),
) -> Result<Vec<Record>, Error> {
    let rows = conn
        .all(
            "SELECT * FROM scopes WHERE identity = $1 \
             AND (scope = $2 OR (scope >= $2 || '/' AND scope < $2 || '0')) \
             AND scope >= $3 || '/' AND scope < $3 || '0' \
             AND scope NOT LIKE $3 || '/%/%' AND scope > $4 ORDER BY scope LIMIT $5",
            args![permit.identity(), permit.scope(), above, after, limit],
        )
        .await?;
    rows.iter().map(decode).collect()
}

/// Makes `scope`, which must be one level below the permit's.
pub(crate) async fn insert(tx: &mut Writing, permit: &Permit, new: &Record) -> Result<(), Error> {
    if new.scope.parent().as_ref() != Some(permit.scope()) {
        return Err(Error::Gone { what: "the scope above" });
    }
    tx.run(
        "INSERT INTO scopes (identity, scope, id, title, archived, created_ms, version) \
         VALUES ($1, $2, $3, $4, 0, $5, 1)",
        args![permit.identity(), &new.scope, new.id.as_str(), new.title.as_str(), new.created],
    )
    .await
    .map(drop)
}

/// Gives the permit's scope another title.
pub(crate) async fn retitle(
    tx: &mut Writing,
    permit: &Permit,
    title: &str,
) -> Result<Record, Error> {
    let row = tx
        .one(
            "UPDATE scopes SET title = $3, version = version + 1 \
             WHERE identity = $1 AND scope = $2 RETURNING *",
            args![permit.identity(), permit.scope(), title],
        )
        .await?;
    decode(&row.ok_or(Error::Gone { what: "the scope" })?)
}

/// Archives the permit's scope.
pub(crate) async fn archive(tx: &mut Writing, permit: &Permit) -> Result<Record, Error> {
    let row = tx
        .one(
            "UPDATE scopes SET archived = 1, version = version + 1 \
             WHERE identity = $1 AND scope = $2 RETURNING *",
            args![permit.identity(), permit.scope()],
        )
        .await?;
    decode(&row.ok_or(Error::Gone { what: "the scope" })?)
}
