//! Owns the rows of an identity's own roles. They lie at no scope but the identity: a permit for anything
//! narrower reaches none.

use contract::verbs::role::Role;
use contract::{Id, Name, Timestamp, id};
use tenancy::permit::Permit;
use tenancy::role::ActionSet;

use super::Error;
use super::row::{Row, args, json};
use super::tx::{Conn, Writing};

/// What defines a role.
#[derive(Debug)]
pub(crate) struct New<'n> {
    /// Its id.
    pub(crate) id: Id<id::Role>,
    /// Its name.
    pub(crate) name: &'n Name,
    /// What it is.
    pub(crate) title: &'n str,
    /// What it allows.
    pub(crate) actions: ActionSet,
    /// The moment.
    pub(crate) now: Timestamp,
}

/// A grant of a role that stands.
#[derive(Debug)]
pub(crate) struct Held {
    /// The grant.
    pub(crate) grant: Id<id::Grant>,
    /// Who has it.
    pub(crate) principal: Name,
    /// Where.
    pub(crate) scope: String,
}

fn decode(row: &Row) -> Result<Role, Error> {
    let actions: ActionSet = row.json("actions")?;
    Ok(Role {
        name: row.parse("name")?,
        id: row.opt_parse("id")?,
        title: row.text("title")?,
        actions: actions.iter().collect(),
        built_in: false,
        created: row.opt_time("created_ms")?,
        version: row.int("version")?,
    })
}

/// The role of that name.
pub(crate) async fn get(
    conn: &mut Conn,
    permit: &Permit,
    name: &Name,
) -> Result<Option<Role>, Error> {
    let row = conn
        .one(
            "SELECT * FROM roles WHERE identity = $1 AND identity = $2 AND name = $3",
            args![permit.identity(), permit.scope(), name],
        )
        .await?;
    row.as_ref().map(decode).transpose()
}

/// The roles after `after`, by name.
pub(crate) async fn page(
    conn: &mut Conn,
    permit: &Permit,
    (after, limit): (&str, u32),
) -> Result<Vec<Role>, Error> {
    let rows = conn
        .all(
            "SELECT * FROM roles WHERE identity = $1 AND identity = $2 AND name > $3 \
             ORDER BY name LIMIT $4",
            args![permit.identity(), permit.scope(), after, limit],
        )
        .await?;
    rows.iter().map(decode).collect()
}

/// How many roles there are.
pub(crate) async fn count(conn: &mut Conn, permit: &Permit) -> Result<u64, Error> {
    let row = conn
        .one(
            "SELECT count(*) AS roles FROM roles WHERE identity = $1 AND identity = $2",
            args![permit.identity(), permit.scope()],
        )
        .await?;
    row.map_or(Ok(0), |row| row.count("roles"))
}

/// The grants of a role that stand at `now`, at most `limit` of them, by id.
pub(crate) async fn held(
    conn: &mut Conn,
    permit: &Permit,
    name: &Name,
    (now, limit): (Timestamp, u32),
) -> Result<Vec<Held>, Error> {
    let rows = conn
        .all(
            "SELECT g.id, p.name, g.scope FROM grants g \
             JOIN principals p ON p.identity = g.identity AND p.id = g.principal \
             WHERE g.identity = $1 AND g.identity = $2 AND g.role = $3 AND g.revoked = 0 \
             AND (g.expires_ms IS NULL OR g.expires_ms > $4) ORDER BY g.id LIMIT $5",
            args![permit.identity(), permit.scope(), name, now, limit],
        )
        .await?;
    let decode = |row: &Row| {
        Ok(Held {
            grant: row.parse("id")?,
            principal: row.parse("name")?,
            scope: row.text("scope")?,
        })
    };
    rows.iter().map(decode).collect()
}

/// Defines a role.
pub(crate) async fn insert(
    tx: &mut Writing,
    permit: &Permit,
    new: &New<'_>,
) -> Result<Role, Error> {
    let row = tx
        .one(
            "INSERT INTO roles (identity, name, id, title, actions, created_ms, version) \
             SELECT $1, $3, $4, $5, $6, $7, 1 WHERE $1 = $2 RETURNING *",
            args![
                permit.identity(),
                permit.scope(),
                new.name,
                new.id,
                new.title,
                json("the actions", &new.actions)?,
                new.now,
            ],
        )
        .await?;
    decode(&row.ok_or(Error::Gone { what: "the identity's own scope" })?)
}

/// Changes a role, which counts its version up.
pub(crate) async fn change(
    tx: &mut Writing,
    permit: &Permit,
    name: &Name,
    (title, actions): (&str, ActionSet),
) -> Result<Role, Error> {
    let row = tx
        .one(
            "UPDATE roles SET title = $4, actions = $5, version = version + 1 \
             WHERE identity = $1 AND identity = $2 AND name = $3 RETURNING *",
            args![permit.identity(), permit.scope(), name, title, json("the actions", &actions)?],
        )
        .await?;
    decode(&row.ok_or(Error::Gone { what: "the role" })?)
}

/// Deletes a role.
pub(crate) async fn delete(tx: &mut Writing, permit: &Permit, name: &Name) -> Result<(), Error> {
    tx.run(
        "DELETE FROM roles WHERE identity = $1 AND identity = $2 AND name = $3",
        args![permit.identity(), permit.scope(), name],
    )
    .await
    .map(drop)
}
