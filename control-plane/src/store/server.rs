//! Owns the rows of servers. Invariant: what a server is an instance of never changes, and one that
//! was withdrawn stays so.

use contract::shape::Instance;
use contract::verbs::server::{Server, ToolState};
use contract::{Id, Name, Timestamp, id};
use tenancy::permit::Permit;

use super::row::{Row, args, json};
use super::tx::{Conn, Writing};
use super::{Error, tool};

/// What makes a server. Its scope is the permit's.
#[derive(Debug)]
pub(crate) struct New<'n> {
    /// Its id.
    pub(crate) id: Id<id::Server>,
    /// Its name.
    pub(crate) name: &'n Name,
    /// What it is, for people.
    pub(crate) title: &'n str,
    /// Whether it may answer a call that names no place.
    pub(crate) interchangeable: bool,
    /// What it is an instance of.
    pub(crate) instance: &'n Instance,
    /// The moment.
    pub(crate) now: Timestamp,
}

fn decode(row: &Row) -> Result<Server, Error> {
    Ok(Server {
        id: row.parse("id")?,
        scope: row.parse("scope")?,
        name: row.parse("name")?,
        title: row.text("title")?,
        interchangeable: row.flag("interchangeable")?,
        instance: row.json("instance")?,
        tools: Vec::new(),
        withdrawn: row.flag("withdrawn")?,
        created: row.time("created_ms")?,
        version: row.int("version")?,
    })
}

/// The server of that id with its tools, if it lies where the permit reaches.
pub(crate) async fn get(
    conn: &mut Conn,
    permit: &Permit,
    id: Id<id::Server>,
) -> Result<Option<Server>, Error> {
    let row = conn
        .one(
            "SELECT * FROM servers WHERE identity = $1 \
             AND (scope = $2 OR (scope >= $2 || '/' AND scope < $2 || '0')) AND id = $3",
            args![permit.identity(), permit.scope(), id],
        )
        .await?;
    let mut servers: Vec<_> = row.iter().map(decode).collect::<Result<_, _>>()?;
    add_tools(conn, permit, &mut servers).await?;
    Ok(servers.pop())
}

/// The servers after `after` where the permit reaches, with their tools, by id.
pub(crate) async fn page(
    conn: &mut Conn,
    permit: &Permit,
    (after, limit): (&str, u32),
) -> Result<Vec<Server>, Error> {
    let rows = conn
        .all(
            "SELECT * FROM servers WHERE identity = $1 \
             AND (scope = $2 OR (scope >= $2 || '/' AND scope < $2 || '0')) \
             AND id > $3 ORDER BY id LIMIT $4",
            args![permit.identity(), permit.scope(), after, limit],
        )
        .await?;
    let mut servers = rows.iter().map(decode).collect::<Result<Vec<_>, _>>()?;
    add_tools(conn, permit, &mut servers).await?;
    Ok(servers)
}

/// Gives `servers`, which are ordered by id, their tools.
async fn add_tools(conn: &mut Conn, permit: &Permit, servers: &mut [Server]) -> Result<(), Error> {
    let (Some(first), Some(last)) = (servers.first(), servers.last()) else { return Ok(()) };
    let states: Vec<(Id<id::Server>, ToolState)> =
        tool::states(conn, permit, (first.id, last.id)).await?;
    for (server, state) in states {
        let at = servers.binary_search_by_key(&server, |server| server.id);
        if let Some(server) = at.ok().and_then(|at| servers.get_mut(at)) {
            server.tools.push(state);
        }
    }
    Ok(())
}

/// Makes a server without tools at the permit's scope; `None` if its name is taken there.
pub(crate) async fn insert(
    tx: &mut Writing,
    permit: &Permit,
    new: &New<'_>,
) -> Result<Option<Server>, Error> {
    let row = tx
        .one(
            "INSERT INTO servers (identity, id, scope, name, title, interchangeable, instance, \
             withdrawn, created_ms, version) VALUES ($1, $2, $3, $4, $5, $6, $7, 0, $8, 1) \
             ON CONFLICT DO NOTHING RETURNING *",
            args![
                permit.identity(),
                new.id,
                permit.scope(),
                new.name,
                new.title,
                new.interchangeable,
                json("an instance", new.instance)?,
                new.now,
            ],
        )
        .await?;
    row.as_ref().map(decode).transpose()
}

/// Counts up the version of a server at the permit's scope, because of its tools.
pub(crate) async fn touch(
    tx: &mut Writing,
    permit: &Permit,
    id: Id<id::Server>,
) -> Result<(), Error> {
    tx.run(
        "UPDATE servers SET version = version + 1 WHERE identity = $1 AND scope = $2 AND id = $3",
        args![permit.identity(), permit.scope(), id],
    )
    .await
    .map(drop)
}

/// Withdraws a server at the permit's scope. Its tools are withdrawn apart.
pub(crate) async fn withdraw(
    tx: &mut Writing,
    permit: &Permit,
    id: Id<id::Server>,
) -> Result<(), Error> {
    tx.run(
        "UPDATE servers SET withdrawn = 1, version = version + 1 \
         WHERE identity = $1 AND scope = $2 AND id = $3",
        args![permit.identity(), permit.scope(), id],
    )
    .await
    .map(drop)
}
