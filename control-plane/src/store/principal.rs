//! Owns the rows of principals. They lie at no scope but the identity: a permit for anything narrower
//! reaches none.

use contract::verbs::principal::{Kind, Principal, Stage};
use contract::{Id, Name, Timestamp, id};
use tenancy::permit::Permit;

use super::Error;
use super::row::{Row, args, word};
use super::tx::{Conn, Writing};

/// What makes a principal.
#[derive(Debug)]
pub(crate) struct New<'n> {
    /// Its id.
    pub(crate) id: Id<id::Principal>,
    /// What it is.
    pub(crate) kind: Kind,
    /// Its name.
    pub(crate) name: &'n Name,
    /// How far it is let.
    pub(crate) stage: Stage,
    /// The moment.
    pub(crate) now: Timestamp,
}

/// What is changed about a principal.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Change {
    /// How far it is let.
    Stage(Stage),
    /// Whether its calls are refused.
    Suspended(bool),
}

fn decode(row: &Row) -> Result<Principal, Error> {
    Ok(Principal {
        id: row.parse("id")?,
        kind: row.word("kind")?,
        name: row.parse("name")?,
        stage: row.word("stage")?,
        suspended: row.flag("suspended")?,
        created: row.time("created_ms")?,
        version: row.int("version")?,
    })
}

/// The principal of that id.
pub(crate) async fn get(
    conn: &mut Conn,
    permit: &Permit,
    id: Id<id::Principal>,
) -> Result<Option<Principal>, Error> {
    let row = conn
        .one(
            "SELECT * FROM principals WHERE identity = $1 AND identity = $2 AND id = $3",
            args![permit.identity(), permit.scope(), id],
        )
        .await?;
    row.as_ref().map(decode).transpose()
}

/// Whether the name is taken.
pub(crate) async fn is_named(conn: &mut Conn, permit: &Permit, name: &Name) -> Result<bool, Error> {
    let row = conn
        .one(
            "SELECT id FROM principals WHERE identity = $1 AND identity = $2 AND name = $3",
            args![permit.identity(), permit.scope(), name],
        )
        .await?;
    Ok(row.is_some())
}

/// The principals after `after`, by name.
pub(crate) async fn page(
    conn: &mut Conn,
    permit: &Permit,
    (after, limit): (&str, u32),
) -> Result<Vec<Principal>, Error> {
    let rows = conn
        .all(
            "SELECT * FROM principals WHERE identity = $1 AND identity = $2 AND name > $3 \
             ORDER BY name LIMIT $4",
            args![permit.identity(), permit.scope(), after, limit],
        )
        .await?;
    rows.iter().map(decode).collect()
}

/// Makes a principal.
pub(crate) async fn insert(
    tx: &mut Writing,
    permit: &Permit,
    new: &New<'_>,
) -> Result<Principal, Error> {
    let row = tx
        .one(
            "INSERT INTO principals (identity, id, kind, name, stage, suspended, created_ms, \
             version) SELECT $1, $3, $4, $5, $6, 0, $7, 1 WHERE $1 = $2 RETURNING *",
            args![
                permit.identity(),
                permit.scope(),
                new.id,
                word("a kind", &new.kind)?,
                new.name,
                word("a stage", &new.stage)?,
                new.now,
            ],
        )
        .await?;
    decode(&row.ok_or(Error::Gone { what: "the identity's own scope" })?)
}

/// Changes a principal, which counts its version up.
pub(crate) async fn change(
    tx: &mut Writing,
    permit: &Permit,
    id: Id<id::Principal>,
    change: Change,
) -> Result<Principal, Error> {
    let key = args![permit.identity(), permit.scope(), id];
    let row = match change {
        Change::Stage(stage) => {
            let args = [key, args![word("a stage", &stage)?]].concat();
            tx.one(
                "UPDATE principals SET stage = $4, version = version + 1 \
                 WHERE identity = $1 AND identity = $2 AND id = $3 RETURNING *",
                args,
            )
            .await?
        }
        Change::Suspended(suspended) => {
            tx.one(
                "UPDATE principals SET suspended = $4, version = version + 1 \
                 WHERE identity = $1 AND identity = $2 AND id = $3 RETURNING *",
                [key, args![suspended]].concat(),
            )
            .await?
        }
    };
    decode(&row.ok_or(Error::Gone { what: "the principal" })?)
}
