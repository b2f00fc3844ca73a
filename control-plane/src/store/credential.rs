//! Owns the rows of credentials. Invariant: a secret is in them only sealed, and once it was destroyed
//! not at all.

use contract::verbs::credential::Credential;
use contract::{Id, Name, Timestamp, id};
use tenancy::permit::Permit;
use tenancy::seal::Sealed;

use super::Error;
use super::row::{Row, args, json};
use super::tx::{Conn, Writing};

/// What makes a credential. Its scope is the permit's.
#[derive(Debug)]
pub(crate) struct New<'n> {
    /// Its id.
    pub(crate) id: Id<id::Credential>,
    /// Its name.
    pub(crate) name: &'n Name,
    /// The origins it may go to, in their one spelling.
    pub(crate) origins: &'n [String],
    /// The secret, sealed for all of this at version 1.
    pub(crate) sealed: &'n Sealed,
    /// The moment.
    pub(crate) now: Timestamp,
}

/// A credential, which may be without its secret by now.
#[derive(Debug)]
pub(crate) struct Record {
    /// What is told of it.
    pub(crate) credential: Credential,
    /// Whether its secret was destroyed.
    pub(crate) destroyed: bool,
}

fn decode(row: &Row) -> Result<Credential, Error> {
    Ok(Credential {
        id: row.parse("id")?,
        name: row.parse("name")?,
        scope: row.parse("scope")?,
        origins: row.json("origins")?,
        rotated: row.time("rotated_ms")?,
        version: row.int("version")?,
    })
}

/// The credential of that id, if it is managed where the permit reaches.
pub(crate) async fn get(
    conn: &mut Conn,
    permit: &Permit,
    id: Id<id::Credential>,
) -> Result<Option<Record>, Error> {
    let row = conn
        .one(
            "SELECT * FROM credentials WHERE identity = $1 \
             AND (scope = $2 OR (scope >= $2 || '/' AND scope < $2 || '0')) AND id = $3",
            args![permit.identity(), permit.scope(), id],
        )
        .await?;
    row.map(|row| {
        let destroyed = row.opt_text("sealed")?.is_none();
        Ok(Record { credential: decode(&row)?, destroyed })
    })
    .transpose()
}

/// The credentials after `after` that are managed where the permit reaches, by name. Those whose
/// secret was destroyed are not among them.
pub(crate) async fn page(
    conn: &mut Conn,
    permit: &Permit,
    (after, limit): (&str, u32),
) -> Result<Vec<Credential>, Error> {
    let rows = conn
        .all(
            "SELECT id, name, scope, origins, rotated_ms, version FROM credentials \
             WHERE identity = $1 AND (scope = $2 OR (scope >= $2 || '/' AND scope < $2 || '0')) \
             AND sealed IS NOT NULL AND name > $3 ORDER BY name LIMIT $4",
            args![permit.identity(), permit.scope(), after, limit],
        )
        .await?;
    rows.iter().map(decode).collect()
}

/// Makes a credential at the permit's scope; `None` if its name is taken in the identity.
pub(crate) async fn insert(
    tx: &mut Writing,
    permit: &Permit,
    new: &New<'_>,
) -> Result<Option<Credential>, Error> {
    let row = tx
        .one(
            "INSERT INTO credentials (identity, id, name, scope, origins, sealed, rotated_ms, \
             created_ms, version) VALUES ($1, $2, $3, $4, $5, $6, $7, $7, 1) \
             ON CONFLICT DO NOTHING RETURNING *",
            args![
                permit.identity(),
                new.id,
                new.name,
                permit.scope(),
                json("origins", new.origins)?,
                new.sealed.to_string(),
                new.now,
            ],
        )
        .await?;
    row.as_ref().map(decode).transpose()
}

/// Puts another secret, sealed for the next version, in place of the one of a credential at the
/// permit's scope.
pub(crate) async fn rotate(
    tx: &mut Writing,
    permit: &Permit,
    credential: &Credential,
    (sealed, now): (&Sealed, Timestamp),
) -> Result<Credential, Error> {
    let row = tx
        .one(
            "UPDATE credentials SET sealed = $5, rotated_ms = $6, version = version + 1 \
             WHERE identity = $1 AND scope = $2 AND id = $3 AND version = $4 \
             AND sealed IS NOT NULL RETURNING *",
            args![
                permit.identity(),
                permit.scope(),
                credential.id,
                credential.version,
                sealed.to_string(),
                now,
            ],
        )
        .await?;
    decode(&row.ok_or(Error::Gone { what: "the credential" })?)
}

/// Destroys the secret of a credential at the permit's scope.
pub(crate) async fn destroy(
    tx: &mut Writing,
    permit: &Permit,
    id: Id<id::Credential>,
) -> Result<Credential, Error> {
    let row = tx
        .one(
            "UPDATE credentials SET sealed = NULL, version = version + 1 \
             WHERE identity = $1 AND scope = $2 AND id = $3 RETURNING *",
            args![permit.identity(), permit.scope(), id],
        )
        .await?;
    decode(&row.ok_or(Error::Gone { what: "the credential" })?)
}
