//! Owns the rows of tools, of their declarations and of what curators judged them to be. Invariant: a
//! declaration and a classification, once written, are never changed, and a tool that was withdrawn
//! stays so.

use contract::verbs::server::{Declaration, ToolState};
use contract::verbs::tool::{Classification, State, Tool};
use contract::{Address, Id, Place, Scope, Timestamp, ToolName, id};
use tenancy::permit::Permit;

use super::Error;
use super::row::{Row, args, json, word};
use super::tx::{Conn, Writing};

/// A definition and its digest.
#[derive(Debug)]
pub(crate) struct Definition<'d> {
    /// The declaration.
    pub(crate) declared: &'d Declaration,
    /// Its digest, over the server's instance too.
    pub(crate) digest: &'d str,
    /// The moment.
    pub(crate) now: Timestamp,
}

/// A tool that was not withdrawn, as its server's next version is judged against it.
#[derive(Debug)]
pub(crate) struct Live {
    /// Its id.
    pub(crate) id: Id<id::Tool>,
    /// Its name.
    pub(crate) name: ToolName,
    /// The number of its newest declaration.
    pub(crate) declaration: u32,
    /// The digest of that.
    pub(crate) digest: String,
}

/// A tool, as a pack is to pin it.
#[derive(Debug)]
pub(crate) struct Candidate {
    /// Its id.
    pub(crate) id: Id<id::Tool>,
    /// Where it stands.
    pub(crate) state: State,
    /// Its newest judgement, and the declaration that was judged.
    pub(crate) judged: Option<(u32, u32)>,
}

fn decode(row: &Row) -> Result<Tool, Error> {
    let scope: Scope = row.parse("scope")?;
    Ok(Tool {
        id: row.parse("id")?,
        address: Address {
            place: Some(Place::of(&scope)),
            server: row.parse("server_name")?,
            tool: row.parse("name")?,
        },
        scope,
        state: row.word("state")?,
        declaration: row.small("declaration")?,
        digest: row.text("digest")?,
        declared: row.json("declared")?,
        classification: row.opt_json("judged")?,
    })
}

/// The tool of that id, if it lies where the permit reaches.
pub(crate) async fn get(
    conn: &mut Conn,
    permit: &Permit,
    id: Id<id::Tool>,
) -> Result<Option<Tool>, Error> {
    let row = conn
        .one(
            "SELECT * FROM tool_states WHERE identity = $1 \
             AND (scope = $2 OR (scope >= $2 || '/' AND scope < $2 || '0')) AND id = $3",
            args![permit.identity(), permit.scope(), id],
        )
        .await?;
    row.as_ref().map(decode).transpose()
}

/// A tool's declaration of that number, with its digest, if it lies where the permit reaches.
pub(crate) async fn declaration(
    conn: &mut Conn,
    permit: &Permit,
    (tool, number): (Id<id::Tool>, u32),
) -> Result<Option<(Declaration, String)>, Error> {
    let row = conn
        .one(
            "SELECT declaration, digest FROM declarations WHERE identity = $1 \
             AND (scope = $2 OR (scope >= $2 || '/' AND scope < $2 || '0')) \
             AND tool = $3 AND version = $4",
            args![permit.identity(), permit.scope(), tool, number],
        )
        .await?;
    row.map(|row| Ok((row.json("declaration")?, row.text("digest")?))).transpose()
}

/// The tools after `after` where the permit reaches, by id; only those that stand as `state` says, if
/// it does.
pub(crate) async fn page(
    conn: &mut Conn,
    permit: &Permit,
    state: Option<State>,
    (after, limit): (&str, u32),
) -> Result<Vec<Tool>, Error> {
    let state = state.map(|state| word("a state", &state)).transpose()?;
    let rows = conn
        .all(
            "SELECT * FROM tool_states WHERE identity = $1 \
             AND (scope = $2 OR (scope >= $2 || '/' AND scope < $2 || '0')) \
             AND ($3 IS NULL OR state = $3) AND id > $4 ORDER BY id LIMIT $5",
            args![permit.identity(), permit.scope(), state, after, limit],
        )
        .await?;
    rows.iter().map(decode).collect()
}

/// Where the tools of the servers from `first` to `last` stand, as far as the permit reaches, by
/// server and name.
pub(crate) async fn states(
    conn: &mut Conn,
    permit: &Permit,
    (first, last): (Id<id::Server>, Id<id::Server>),
) -> Result<Vec<(Id<id::Server>, ToolState)>, Error> {
    let rows = conn
        .all(
            "SELECT server, id, name, declaration, state FROM tool_states WHERE identity = $1 \
             AND (scope = $2 OR (scope >= $2 || '/' AND scope < $2 || '0')) \
             AND server >= $3 AND server <= $4 ORDER BY server, name, id",
            args![permit.identity(), permit.scope(), first, last],
        )
        .await?;
    let decode = |row: &Row| {
        let state = ToolState {
            id: row.parse("id")?,
            name: row.parse("name")?,
            declaration: row.small("declaration")?,
            state: row.word("state")?,
        };
        Ok((row.parse("server")?, state))
    };
    rows.iter().map(decode).collect()
}

/// The tools of a server at the permit's scope that were not withdrawn, by name.
pub(crate) async fn live(
    conn: &mut Conn,
    permit: &Permit,
    server: Id<id::Server>,
) -> Result<Vec<Live>, Error> {
    let rows = conn
        .all(
            "SELECT id, name, declaration, digest FROM tool_states \
             WHERE identity = $1 AND scope = $2 AND server = $3 AND state <> 'withdrawn' \
             ORDER BY name",
            args![permit.identity(), permit.scope(), server],
        )
        .await?;
    let decode = |row: &Row| {
        Ok(Live {
            id: row.parse("id")?,
            name: row.parse("name")?,
            declaration: row.small("declaration")?,
            digest: row.text("digest")?,
        })
    };
    rows.iter().map(decode).collect()
}

/// The tools from `first` to `last` where the permit reaches, as a pack is to pin them, by id.
pub(crate) async fn candidates(
    conn: &mut Conn,
    permit: &Permit,
    (first, last): (Id<id::Tool>, Id<id::Tool>),
) -> Result<Vec<Candidate>, Error> {
    let rows = conn
        .all(
            "SELECT id, state, classification, classified FROM tool_states WHERE identity = $1 \
             AND (scope = $2 OR (scope >= $2 || '/' AND scope < $2 || '0')) \
             AND id >= $3 AND id <= $4 ORDER BY id",
            args![permit.identity(), permit.scope(), first, last],
        )
        .await?;
    let decode = |row: &Row| {
        let judged = row.opt_small("classification")?.zip(row.opt_small("classified")?);
        Ok(Candidate { id: row.parse("id")?, state: row.word("state")?, judged })
    };
    rows.iter().map(decode).collect()
}

/// Adds a tool, at declaration 1, to a server at the permit's scope.
pub(crate) async fn insert(
    tx: &mut Writing,
    permit: &Permit,
    (server, tool): (Id<id::Server>, Id<id::Tool>),
    definition: &Definition<'_>,
) -> Result<(), Error> {
    tx.run(
        "INSERT INTO tools (identity, id, server, scope, name, declaration, classification, \
         withdrawn, version) VALUES ($1, $2, $3, $4, $5, 1, NULL, 0, 1)",
        args![permit.identity(), tool, server, permit.scope(), definition.declared.name.as_str(),],
    )
    .await?;
    write_down(tx, permit, (tool, 1), definition).await
}

/// Declares a tool at the permit's scope anew, under the next number; answers the tool's version.
pub(crate) async fn declare(
    tx: &mut Writing,
    permit: &Permit,
    tool: &Live,
    definition: &Definition<'_>,
) -> Result<i64, Error> {
    let number = tool.declaration.checked_add(1);
    let number = number.ok_or(Error::Range { what: "a declaration's number" })?;
    write_down(tx, permit, (tool.id, number), definition).await?;
    let row = tx
        .one(
            "UPDATE tools SET declaration = $4, version = version + 1 \
             WHERE identity = $1 AND scope = $2 AND id = $3 RETURNING version",
            args![permit.identity(), permit.scope(), tool.id, number],
        )
        .await?;
    row.ok_or(Error::Gone { what: "the tool" })?.int("version")
}

async fn write_down(
    tx: &mut Writing,
    permit: &Permit,
    (tool, number): (Id<id::Tool>, u32),
    definition: &Definition<'_>,
) -> Result<(), Error> {
    tx.run(
        "INSERT INTO declarations (identity, tool, version, scope, digest, declaration, \
         created_ms) VALUES ($1, $2, $3, $4, $5, $6, $7)",
        args![
            permit.identity(),
            tool,
            number,
            permit.scope(),
            definition.digest,
            json("a declaration", definition.declared)?,
            definition.now,
        ],
    )
    .await
    .map(drop)
}

/// Withdraws a tool at the permit's scope; answers its version.
pub(crate) async fn withdraw(
    tx: &mut Writing,
    permit: &Permit,
    tool: Id<id::Tool>,
) -> Result<i64, Error> {
    let row = tx
        .one(
            "UPDATE tools SET withdrawn = 1, version = version + 1 \
             WHERE identity = $1 AND scope = $2 AND id = $3 RETURNING version",
            args![permit.identity(), permit.scope(), tool],
        )
        .await?;
    row.ok_or(Error::Gone { what: "the tool" })?.int("version")
}

/// Writes down what a tool at the permit's scope was judged to be; answers the tool's version.
pub(crate) async fn classify(
    tx: &mut Writing,
    permit: &Permit,
    tool: Id<id::Tool>,
    judged: &Classification,
) -> Result<i64, Error> {
    tx.run(
        "INSERT INTO classifications (identity, tool, version, scope, declaration, digest, \
         classification) VALUES ($1, $2, $3, $4, $5, $6, $7)",
        args![
            permit.identity(),
            tool,
            judged.version,
            permit.scope(),
            judged.declaration,
            judged.digest.as_str(),
            json("a classification", judged)?,
        ],
    )
    .await?;
    let row = tx
        .one(
            "UPDATE tools SET classification = $4, version = version + 1 \
             WHERE identity = $1 AND scope = $2 AND id = $3 RETURNING version",
            args![permit.identity(), permit.scope(), tool, judged.version],
        )
        .await?;
    row.ok_or(Error::Gone { what: "the tool" })?.int("version")
}
