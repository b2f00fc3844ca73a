//! Owns the ends of tokens, and when they were last used. Invariant: a token takes with it every
//! successor that it made for itself, so that nobody slips out of a revocation by rotating first. Its
//! children need no mark: a child of a token that is not taken is dead.

use contract::verbs::token::{Because, Token};
use contract::{Id, Timestamp, Written, id};
use tenancy::permit;

use super::super::row::{args, word};
use super::super::tx::{Upkeep, Writing};
use super::{Error, Right, reread};

/// A token that was ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// As it is now.
    pub(crate) token: Token,
    /// It and its successors, as far as they were taken until now.
    pub(crate) written: Vec<Written>,
}

/// Revokes the token of that id, and the successors that it and they made for themselves.
pub(crate) async fn revoke(
    tx: &mut Writing,
    right: Right<'_>,
    id: Id<id::Token>,
    (because, now): (Because, Timestamp),
) -> Result<Ended, Error> {
    let rows = tx
        .all(
            "WITH RECURSIVE line (id) AS (SELECT id FROM tokens WHERE identity = $1 AND id = $3 \
             UNION SELECT t.id FROM tokens t JOIN line ON t.predecessor = line.id \
             AND t.minted_by = line.id WHERE t.identity = $1) \
             UPDATE tokens SET revoked = 1, revoked_because = $4, revoked_ms = $5, \
             version = version + 1 WHERE identity = $1 AND home = $2 AND revoked = 0 \
             AND id IN (SELECT id FROM line) RETURNING id, version",
            args![right.identity, right.home, id, word("a reason", &because)?, now],
        )
        .await?;
    let mut written = Vec::with_capacity(rows.len());
    for row in rows {
        let id: Id<id::Token> = row.parse("id")?;
        written.push(Written::new("tokens", id, row.int("version")?));
    }
    Ok(Ended { token: reread(tx, right, id, now).await?, written })
}

/// Ends a token that has a successor now: at `end`, and never later than it would have.
pub(crate) async fn retire(
    tx: &mut Writing,
    right: Right<'_>,
    id: Id<id::Token>,
    (end, now): (Timestamp, Timestamp),
) -> Result<Token, Error> {
    if end <= now {
        tx.run(
            "UPDATE tokens SET revoked = 1, revoked_because = 'rotated', revoked_ms = $4, \
             version = version + 1 WHERE identity = $1 AND home = $2 AND id = $3",
            args![right.identity, right.home, id, now],
        )
        .await?;
    } else {
        tx.run(
            "UPDATE tokens SET expires_ms = min(coalesce(expires_ms, $4), $4), \
             version = version + 1 WHERE identity = $1 AND home = $2 AND id = $3",
            args![right.identity, right.home, id, end],
        )
        .await?;
    }
    reread(tx, right, id, now).await
}

/// Writes down when a token was last used.
pub(crate) async fn used(
    tx: &mut Upkeep,
    plane: &permit::Plane,
    id: Id<id::Token>,
    at: Timestamp,
) -> Result<(), Error> {
    tx.run(
        "UPDATE tokens SET last_used_ms = $3 WHERE identity = $1 AND id = $2 \
         AND (last_used_ms IS NULL OR last_used_ms < $3)",
        args![plane.identity(), id, at],
    )
    .await
    .map(drop)
}
