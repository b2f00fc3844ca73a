//! Owns the rows of credential grants.

use contract::verbs::credential_grant::CredentialGrant;
use contract::{Id, Timestamp, id};
use tenancy::permit::Permit;

use super::Error;
use super::row::{Row, args};
use super::tx::{Conn, Writing};

/// What makes a credential grant. Its scope is the permit's.
#[derive(Debug)]
pub(crate) struct New {
    /// Its id.
    pub(crate) id: Id<id::CredentialGrant>,
    /// Which credential.
    pub(crate) credential: Id<id::Credential>,
    /// Until when.
    pub(crate) expires: Option<Timestamp>,
    /// The moment.
    pub(crate) now: Timestamp,
}

fn decode(row: &Row) -> Result<CredentialGrant, Error> {
    Ok(CredentialGrant {
        id: row.parse("id")?,
        credential: row.parse("credential")?,
        scope: row.parse("scope")?,
        expires: row.opt_time("expires_ms")?,
        revoked: row.flag("revoked")?,
        created: row.time("created_ms")?,
        version: row.int("version")?,
    })
}

/// The credential grant of that id, if it lies where the permit reaches.
pub(crate) async fn get(
    conn: &mut Conn,
    permit: &Permit,
    id: Id<id::CredentialGrant>,
) -> Result<Option<CredentialGrant>, Error> {
    let row = conn
        .one(
            "SELECT * FROM credential_grants WHERE identity = $1 \
             AND (scope = $2 OR (scope >= $2 || '/' AND scope < $2 || '0')) AND id = $3",
            args![permit.identity(), permit.scope(), id],
        )
        .await?;
    row.as_ref().map(decode).transpose()
}

/// The credential grants after `after` where the permit reaches, by id.
pub(crate) async fn page(
    conn: &mut Conn,
    permit: &Permit,
    (after, limit): (&str, u32),
) -> Result<Vec<CredentialGrant>, Error> {
    let rows = conn
        .all(
            "SELECT * FROM credential_grants WHERE identity = $1 \
             AND (scope = $2 OR (scope >= $2 || '/' AND scope < $2 || '0')) \
             AND id > $3 ORDER BY id LIMIT $4",
            args![permit.identity(), permit.scope(), after, limit],
        )
        .await?;
    rows.iter().map(decode).collect()
}

/// Gives a credential grant at the permit's scope.
pub(crate) async fn insert(
    tx: &mut Writing,
    permit: &Permit,
    new: &New,
) -> Result<CredentialGrant, Error> {
    let row = tx
        .one(
            "INSERT INTO credential_grants (identity, id, credential, scope, expires_ms, revoked, \
             created_ms, version) VALUES ($1, $2, $3, $4, $5, 0, $6, 1) RETURNING *",
            args![permit.identity(), new.id, new.credential, permit.scope(), new.expires, new.now,],
        )
        .await?;
    decode(&row.ok_or(Error::Gone { what: "the credential grant" })?)
}

/// Revokes the credential grant of that id at the permit's scope.
pub(crate) async fn revoke(
    tx: &mut Writing,
    permit: &Permit,
    id: Id<id::CredentialGrant>,
) -> Result<CredentialGrant, Error> {
    let row = tx
        .one(
            "UPDATE credential_grants SET revoked = 1, version = version + 1 \
             WHERE identity = $1 AND scope = $2 AND id = $3 RETURNING *",
            args![permit.identity(), permit.scope(), id],
        )
        .await?;
    decode(&row.ok_or(Error::Gone { what: "the credential grant" })?)
}
