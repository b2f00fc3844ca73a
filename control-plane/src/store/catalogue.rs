//! Owns the reading of one identity's whole catalogue, as the holder of the identity gets it.
//! Invariant: what was withdrawn is not in it, and a tool has only the declarations that can be
//! called: the newest, the newest classified and those that packs pin.

use std::collections::HashMap;

use contract::{Id, id};
use tenancy::permit;
use tenancy::plane::{Catalogue, Declared, Server, Tool};

use super::Error;
use super::row::{Row, args};
use super::tx::Conn;

/// The catalogue, at its current revision.
pub(crate) async fn load(conn: &mut Conn, plane: &permit::Plane) -> Result<Catalogue, Error> {
    let revisions = super::view::revisions(conn, plane).await?;
    let (_, revision) = revisions.ok_or(Error::Gone { what: "the identity" })?;
    let mut tools = tools(conn, plane).await?;
    declarations(conn, plane, &mut tools).await?;
    classifications(conn, plane, &mut tools).await?;
    let mut by_server: HashMap<Id<id::Server>, Vec<Tool>> = HashMap::new();
    for (server, tool) in tools {
        by_server.entry(server).or_default().push(tool);
    }
    let servers = servers(conn, plane, &mut by_server).await?;
    Ok(Catalogue { revision, servers })
}

type Tools = Vec<(Id<id::Server>, Tool)>;

async fn servers(
    conn: &mut Conn,
    plane: &permit::Plane,
    tools: &mut HashMap<Id<id::Server>, Vec<Tool>>,
) -> Result<Vec<Server>, Error> {
    const SQL: &str = "SELECT id, scope, name, title, interchangeable, instance FROM servers \
        WHERE identity = $1 AND withdrawn = 0 ORDER BY scope, name";
    let mut servers = Vec::new();
    for row in conn.all(SQL, args![plane.identity()]).await? {
        let id = row.parse("id")?;
        servers.push(Server {
            id,
            scope: row.parse("scope")?,
            name: row.parse("name")?,
            title: row.text("title")?,
            interchangeable: row.flag("interchangeable")?,
            instance: row.json("instance")?,
            tools: tools.remove(&id).unwrap_or_default(),
        });
    }
    Ok(servers)
}

/// The tools, by id.
async fn tools(conn: &mut Conn, plane: &permit::Plane) -> Result<Tools, Error> {
    const SQL: &str = "SELECT id, server, name FROM tools \
        WHERE identity = $1 AND withdrawn = 0 ORDER BY id";
    let decode = |row: &Row| {
        let tool = Tool {
            id: row.parse("id")?,
            name: row.parse("name")?,
            declarations: Vec::new(),
            classifications: Vec::new(),
        };
        Ok((row.parse("server")?, tool))
    };
    conn.all(SQL, args![plane.identity()]).await?.iter().map(decode).collect()
}

fn tool_of<'t>(tools: &'t mut Tools, row: &Row) -> Result<Option<&'t mut Tool>, Error> {
    let id: Id<id::Tool> = row.parse("tool")?;
    let at = tools.binary_search_by_key(&id, |(_, tool)| tool.id);
    Ok(at.ok().and_then(|at| tools.get_mut(at)).map(|(_, tool)| tool))
}

async fn declarations(
    conn: &mut Conn,
    plane: &permit::Plane,
    tools: &mut Tools,
) -> Result<(), Error> {
    const SQL: &str = "SELECT d.tool, d.version, d.digest, d.declaration FROM declarations d \
        JOIN tools t ON t.identity = d.identity AND t.id = d.tool \
        LEFT JOIN classifications c ON c.identity = t.identity AND c.tool = t.id \
        AND c.version = t.classification \
        WHERE d.identity = $1 AND t.withdrawn = 0 AND (d.version = t.declaration \
        OR d.version = c.declaration OR EXISTS (SELECT 1 FROM pins p WHERE p.identity = d.identity \
        AND p.tool = d.tool AND p.declaration = d.version)) ORDER BY d.tool, d.version";
    for row in conn.all(SQL, args![plane.identity()]).await? {
        if let Some(tool) = tool_of(tools, &row)? {
            tool.declarations.push(Declared {
                version: row.small("version")?,
                digest: row.text("digest")?,
                declaration: row.json("declaration")?,
            });
        }
    }
    Ok(())
}

async fn classifications(
    conn: &mut Conn,
    plane: &permit::Plane,
    tools: &mut Tools,
) -> Result<(), Error> {
    const SQL: &str = "SELECT c.tool, c.classification FROM classifications c \
        JOIN tools t ON t.identity = c.identity AND t.id = c.tool \
        WHERE c.identity = $1 AND t.withdrawn = 0 AND (c.version = t.classification \
        OR EXISTS (SELECT 1 FROM pins p WHERE p.identity = c.identity \
        AND p.tool = c.tool AND p.classification = c.version)) ORDER BY c.tool, c.version";
    for row in conn.all(SQL, args![plane.identity()]).await? {
        if let Some(tool) = tool_of(tools, &row)? {
            tool.classifications.push(row.json("classification")?);
        }
    }
    Ok(())
}
