//! Owns the rows of operators' tokens. They belong to no identity.

use contract::{Id, Timestamp, id};
use tenancy::permit::OperatorToken;
use tenancy::token;

use super::Error;
use super::row::args;
use super::tx::{Conn, Upkeep};

/// The operator's token of that hash, dead or alive.
pub(crate) async fn by_hash(
    conn: &mut Conn,
    hash: token::Hash,
) -> Result<Option<OperatorToken>, Error> {
    let row = conn
        .one("SELECT id, expires_ms, revoked FROM operators WHERE hash = $1", args![hash])
        .await?;
    row.map(|row| {
        Ok(OperatorToken {
            id: row.parse("id")?,
            hash,
            expires: row.opt_time("expires_ms")?,
            revoked: row.flag("revoked")?,
        })
    })
    .transpose()
}

/// Whether there was ever an operator's token.
pub(crate) async fn any(conn: &mut Conn) -> Result<bool, Error> {
    Ok(conn.one("SELECT id FROM operators LIMIT 1", args![]).await?.is_some())
}

/// Adds a token that does not expire.
pub(crate) async fn insert(
    tx: &mut Upkeep,
    id: Id<id::Token>,
    hash: token::Hash,
    now: Timestamp,
) -> Result<(), Error> {
    tx.run(
        "INSERT INTO operators (id, hash, expires_ms, revoked, created_ms) \
         VALUES ($1, $2, NULL, 0, $3)",
        args![id, hash, now],
    )
    .await
    .map(drop)
}

/// Revokes every token there is.
pub(crate) async fn revoke_all(tx: &mut Upkeep) -> Result<(), Error> {
    tx.run("UPDATE operators SET revoked = 1", args![]).await.map(drop)
}

/// Revokes the token whose text was reported as leaked. Answers whether there was one to revoke.
pub(crate) async fn revoke_leaked(
    tx: &mut Upkeep,
    presented: &token::Presented<'_>,
) -> Result<bool, Error> {
    let sql = "UPDATE operators SET revoked = 1 WHERE hash = $1 AND revoked = 0";
    Ok(tx.run(sql, args![presented.hash()]).await? > 0)
}
