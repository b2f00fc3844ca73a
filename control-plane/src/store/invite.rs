//! Owns the rows of invites. Invariant: only hashes are kept, and an invite leaves the state `open` once.

use contract::verbs::invite::{Invite, State};
use contract::{Id, Timestamp, Written, id};
use tenancy::permit::{self, Permit};
use tenancy::token::{self, Presented};

use super::Error;
use super::row::{Row, args};
use super::tx::{Conn, Writing};

/// What makes an invite.
#[derive(Debug)]
pub(crate) struct New<'n> {
    /// Its id.
    pub(crate) id: Id<id::Invite>,
    /// Whom it invites.
    pub(crate) principal: Id<id::Principal>,
    /// Their e-mail address.
    pub(crate) email: &'n str,
    /// The token that invites.
    pub(crate) inviter: Id<id::Token>,
    /// The SHA-256 of the secret.
    pub(crate) hash: token::Hash,
    /// Until when it can be accepted.
    pub(crate) expires: Timestamp,
    /// The moment.
    pub(crate) now: Timestamp,
}

/// An invite and the token that invited.
#[derive(Debug)]
pub(crate) struct Record {
    /// The invite.
    pub(crate) invite: Invite,
    /// The token that invited.
    pub(crate) inviter: Id<id::Token>,
}

fn decode(row: &Row, now: Timestamp) -> Result<Record, Error> {
    let expires = row.time("expires_ms")?;
    let stored: State = row.word("state")?;
    let state = if stored == State::Open && expires <= now { State::Expired } else { stored };
    let invite = Invite {
        id: row.parse("id")?,
        principal: row.parse("principal")?,
        email: row.text("email")?,
        state,
        expires,
        created: row.time("created_ms")?,
        version: row.int("version")?,
    };
    Ok(Record { invite, inviter: row.parse("inviter")? })
}

/// The invite of that id.
pub(crate) async fn get(
    conn: &mut Conn,
    permit: &Permit,
    id: Id<id::Invite>,
    now: Timestamp,
) -> Result<Option<Invite>, Error> {
    let row = conn
        .one(
            "SELECT * FROM invites WHERE identity = $1 AND identity = $2 AND id = $3",
            args![permit.identity(), permit.scope(), id],
        )
        .await?;
    row.map(|row| Ok(decode(&row, now)?.invite)).transpose()
}

/// The invites after `after`, by id.
pub(crate) async fn page(
    conn: &mut Conn,
    permit: &Permit,
    (after, limit): (&str, u32),
    now: Timestamp,
) -> Result<Vec<Invite>, Error> {
    let rows = conn
        .all(
            "SELECT * FROM invites WHERE identity = $1 AND identity = $2 AND id > $3 \
             ORDER BY id LIMIT $4",
            args![permit.identity(), permit.scope(), after, limit],
        )
        .await?;
    rows.iter().map(|row| Ok(decode(row, now)?.invite)).collect()
}

/// How many invites of a principal can be accepted.
pub(crate) async fn open_of(
    conn: &mut Conn,
    permit: &Permit,
    principal: Id<id::Principal>,
    now: Timestamp,
) -> Result<u64, Error> {
    let row = conn
        .one(
            "SELECT count(*) AS open FROM invites WHERE identity = $1 AND identity = $2 \
             AND principal = $3 AND state = 'open' AND expires_ms > $4",
            args![permit.identity(), permit.scope(), principal, now],
        )
        .await?;
    row.map_or(Ok(0), |row| row.count("open"))
}

/// Makes an invite.
pub(crate) async fn insert(
    tx: &mut Writing,
    permit: &Permit,
    new: &New<'_>,
) -> Result<Invite, Error> {
    let row = tx
        .one(
            "INSERT INTO invites (identity, id, principal, email, inviter, hash, state, expires_ms, \
             created_ms, version) SELECT $1, $3, $4, $5, $6, $7, 'open', $8, $9, 1 WHERE $1 = $2 \
             RETURNING *",
            args![
                permit.identity(),
                permit.scope(),
                new.id,
                new.principal,
                new.email,
                new.inviter,
                new.hash,
                new.expires,
                new.now,
            ],
        )
        .await?;
    let row = row.ok_or(Error::Gone { what: "the identity's own scope" })?;
    Ok(decode(&row, new.now)?.invite)
}

/// Revokes an invite that is open.
pub(crate) async fn revoke(
    tx: &mut Writing,
    permit: &Permit,
    id: Id<id::Invite>,
    now: Timestamp,
) -> Result<Option<Invite>, Error> {
    let row = tx
        .one(
            "UPDATE invites SET state = 'revoked', version = version + 1 \
             WHERE identity = $1 AND identity = $2 AND id = $3 AND state = 'open' RETURNING *",
            args![permit.identity(), permit.scope(), id],
        )
        .await?;
    row.map(|row| Ok(decode(&row, now)?.invite)).transpose()
}

/// Uses the invite with that text up, if it can be accepted at `now`. To hold the text is the right.
pub(crate) async fn accept(
    tx: &mut Writing,
    plane: &permit::Plane,
    presented: &Presented<'_>,
    now: Timestamp,
) -> Result<Option<Record>, Error> {
    let row = tx
        .one(
            "UPDATE invites SET state = 'accepted', version = version + 1 \
             WHERE identity = $1 AND hash = $2 AND state = 'open' AND expires_ms > $3 RETURNING *",
            args![plane.identity(), presented.hash(), now],
        )
        .await?;
    row.map(|row| decode(&row, now)).transpose()
}

/// Ends the invite with that text, if it is open: somebody reported it as leaked.
pub(crate) async fn leaked(
    tx: &mut Writing,
    plane: &permit::Plane,
    presented: &Presented<'_>,
) -> Result<Option<Written>, Error> {
    let row = tx
        .one(
            "UPDATE invites SET state = 'leaked', version = version + 1 \
             WHERE identity = $1 AND hash = $2 AND state = 'open' RETURNING id, version",
            args![plane.identity(), presented.hash()],
        )
        .await?;
    row.map(|row| {
        let id: Id<id::Invite> = row.parse("id")?;
        Ok(Written::new("invites", id, row.int("version")?))
    })
    .transpose()
}
