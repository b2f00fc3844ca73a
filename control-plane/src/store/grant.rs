//! Owns the rows of grants.

use contract::verbs::grant::Grant;
use contract::{Id, Name, Timestamp, id};
use tenancy::permit::Permit;

use super::Error;
use super::row::{Row, args};
use super::tx::{Conn, Writing};

/// What makes a grant. Its scope is the permit's.
#[derive(Debug)]
pub(crate) struct New<'n> {
    /// Its id.
    pub(crate) id: Id<id::Grant>,
    /// Who may.
    pub(crate) principal: Id<id::Principal>,
    /// What: the role's name.
    pub(crate) role: &'n Name,
    /// Until when.
    pub(crate) expires: Option<Timestamp>,
    /// The moment.
    pub(crate) now: Timestamp,
}

fn decode(row: &Row) -> Result<Grant, Error> {
    Ok(Grant {
        id: row.parse("id")?,
        principal: row.parse("principal")?,
        scope: row.parse("scope")?,
        role: row.parse("role")?,
        expires: row.opt_time("expires_ms")?,
        revoked: row.flag("revoked")?,
        created: row.time("created_ms")?,
        version: row.int("version")?,
    })
}

/// The grant of that id, if it lies where the permit reaches.
pub(crate) async fn get(
    conn: &mut Conn,
    permit: &Permit,
    id: Id<id::Grant>,
) -> Result<Option<Grant>, Error> {
    let row = conn
        .one(
            "SELECT * FROM grants WHERE identity = $1 \
             AND (scope = $2 OR (scope >= $2 || '/' AND scope < $2 || '0')) AND id = $3",
            args![permit.identity(), permit.scope(), id],
        )
        .await?;
    row.as_ref().map(decode).transpose()
}

/// The grants after `after` where the permit reaches, by id; only those of `principal`, if one is
/// named.
pub(crate) async fn page(
    conn: &mut Conn,
    permit: &Permit,
    principal: Option<Id<id::Principal>>,
    (after, limit): (&str, u32),
) -> Result<Vec<Grant>, Error> {
    let rows = conn
        .all(
            "SELECT * FROM grants WHERE identity = $1 \
             AND (scope = $2 OR (scope >= $2 || '/' AND scope < $2 || '0')) \
             AND ($3 IS NULL OR principal = $3) AND id > $4 ORDER BY id LIMIT $5",
            args![permit.identity(), permit.scope(), principal, after, limit],
        )
        .await?;
    rows.iter().map(decode).collect()
}

/// Gives a grant at the permit's scope.
pub(crate) async fn insert(
    tx: &mut Writing,
    permit: &Permit,
    new: &New<'_>,
) -> Result<Grant, Error> {
    tx.run(
        "INSERT INTO grants (identity, id, principal, scope, role, expires_ms, revoked, created_ms, \
         version) VALUES ($1, $2, $3, $4, $5, $6, 0, $7, 1)",
        args![
            permit.identity(),
            new.id,
            new.principal,
            permit.scope(),
            new.role,
            new.expires,
            new.now
        ],
    )
    .await?;
    Ok(Grant {
        id: new.id,
        principal: new.principal,
        scope: permit.scope().clone(),
        role: new.role.clone(),
        expires: new.expires,
        revoked: false,
        created: new.now,
        version: 1,
    })
}

/// Revokes the grant of that id at the permit's scope.
pub(crate) async fn revoke(
    tx: &mut Writing,
    permit: &Permit,
    id: Id<id::Grant>,
) -> Result<Grant, Error> {
    let row = tx
        .one(
            "UPDATE grants SET revoked = 1, version = version + 1 \
             WHERE identity = $1 AND scope = $2 AND id = $3 RETURNING *",
            args![permit.identity(), permit.scope(), id],
        )
        .await?;
    decode(&row.ok_or(Error::Gone { what: "the grant" })?)
}
