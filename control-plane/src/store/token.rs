//! Owns the rows of tokens. Invariant: only hashes are kept. A token is managed at its `home`; a
//! caller's own token and the children of it are the caller's, whatever the caller may do elsewhere.

use contract::verbs::token::{PackRef, Token};
use contract::{Id, Scope, Timestamp, id};
use tenancy::authority::Caller;
use tenancy::permit::Permit;
use tenancy::role::ActionSet;
use tenancy::token;

use super::Error;
use super::row::{Row, args, json};
use super::tx::{Conn, Writing};

/// What makes a token.
#[derive(Debug)]
pub(crate) struct New {
    /// Its id.
    pub(crate) id: Id<id::Token>,
    /// Whose it is to be.
    pub(crate) principal: Id<id::Principal>,
    /// Who presents it.
    pub(crate) kind: token::Kind,
    /// The SHA-256 of the whole.
    pub(crate) hash: token::Hash,
    /// The scope it is narrowed to.
    pub(crate) scope: Option<Scope>,
    /// The actions it is narrowed to.
    pub(crate) actions: Option<ActionSet>,
    /// The packs it is bound to.
    pub(crate) packs: Vec<PackRef>,
    /// When it expires.
    pub(crate) expires: Option<Timestamp>,
    /// The moment.
    pub(crate) now: Timestamp,
}

/// A token and where it is managed.
#[derive(Debug)]
pub(crate) struct Record {
    /// The token.
    pub(crate) token: Token,
    /// Where it stands.
    pub(crate) home: Scope,
}

fn decode(row: &Row) -> Result<Record, Error> {
    let actions: Option<ActionSet> = row.opt_json("actions")?;
    let token = Token {
        id: row.parse("id")?,
        principal: row.parse("principal")?,
        parent: row.opt_parse("parent")?,
        scope: row.opt_parse("scope")?,
        actions: actions.map(|actions| actions.iter().collect()),
        packs: row.json("packs")?,
        expires: row.opt_time("expires_ms")?,
        revoked: row.flag("revoked")?,
        created: row.time("created_ms")?,
        version: row.int("version")?,
    };
    Ok(Record { token, home: row.parse("home")? })
}

/// The token of that id, if it is managed where the permit reaches.
pub(crate) async fn get(
    conn: &mut Conn,
    permit: &Permit,
    id: Id<id::Token>,
) -> Result<Option<Record>, Error> {
    let row = conn
        .one(
            "SELECT * FROM tokens WHERE identity = $1 \
             AND (home = $2 OR (home >= $2 || '/' AND home < $2 || '0')) AND id = $3",
            args![permit.identity(), permit.scope(), id],
        )
        .await?;
    row.as_ref().map(decode).transpose()
}

/// The tokens after `after` that are managed where the permit reaches, by id; only those of
/// `principal`, if one is named.
pub(crate) async fn page(
    conn: &mut Conn,
    permit: &Permit,
    principal: Option<Id<id::Principal>>,
    (after, limit): (&str, u32),
) -> Result<Vec<Token>, Error> {
    let rows = conn
        .all(
            "SELECT * FROM tokens WHERE identity = $1 \
             AND (home = $2 OR (home >= $2 || '/' AND home < $2 || '0')) \
             AND ($3 IS NULL OR principal = $3) AND id > $4 ORDER BY id LIMIT $5",
            args![permit.identity(), permit.scope(), principal, after, limit],
        )
        .await?;
    rows.iter().map(|row| Ok(decode(row)?.token)).collect()
}

/// The caller's own token, or a child of it, by its id.
pub(crate) async fn own(
    conn: &mut Conn,
    caller: &Caller<'_>,
    id: Id<id::Token>,
) -> Result<Option<Record>, Error> {
    let row = conn
        .one(
            "WITH RECURSIVE line (id) AS (SELECT id FROM tokens WHERE identity = $1 AND id = $2 \
             UNION ALL SELECT t.id FROM tokens t JOIN line ON t.parent = line.id \
             WHERE t.identity = $1) \
             SELECT * FROM tokens WHERE identity = $1 AND id = $3 AND principal = $4 \
             AND id IN (SELECT id FROM line)",
            args![caller.identity(), caller.token().id, id, caller.principal().id],
        )
        .await?;
    row.as_ref().map(decode).transpose()
}

/// How many children of the caller's token are alive.
pub(crate) async fn children_alive(
    conn: &mut Conn,
    caller: &Caller<'_>,
    now: Timestamp,
) -> Result<u64, Error> {
    let row = conn
        .one(
            "SELECT count(*) AS alive FROM tokens WHERE identity = $1 AND parent = $2 \
             AND revoked = 0 AND (expires_ms IS NULL OR expires_ms > $3)",
            args![caller.identity(), caller.token().id, now],
        )
        .await?;
    row.map_or(Ok(0), |row| row.count("alive"))
}

/// Keeps a token that is managed at the permit's scope.
pub(crate) async fn insert(tx: &mut Writing, permit: &Permit, new: &New) -> Result<Token, Error> {
    put(tx, (permit.identity().as_str(), permit.scope()), None, new).await
}

/// Keeps a child of the caller's own token.
pub(crate) async fn insert_child(
    tx: &mut Writing,
    caller: &Caller<'_>,
    new: &New,
) -> Result<Token, Error> {
    let home = new.scope.as_ref().unwrap_or_else(|| caller.home());
    put(tx, (caller.identity().as_str(), home), Some(caller.token().id), new).await
}

async fn put(
    tx: &mut Writing,
    (identity, home): (&str, &Scope),
    parent: Option<Id<id::Token>>,
    new: &New,
) -> Result<Token, Error> {
    let actions = new.actions.map(|actions| json("the actions", &actions)).transpose()?;
    let args = args![
        identity,
        new.id,
        new.principal,
        new.kind.as_str(),
        parent,
        new.hash,
        new.scope.as_ref(),
        home,
        actions,
        json("the packs", &new.packs)?,
        new.expires,
        new.now,
    ];
    let row = tx
        .one(
            "INSERT INTO tokens (identity, id, principal, kind, parent, hash, scope, home, actions, \
             packs, expires_ms, revoked, created_ms, version) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 0, $12, 1) RETURNING *",
            args,
        )
        .await?;
    Ok(decode(&row.ok_or(Error::Gone { what: "the token" })?)?.token)
}

/// Binds the token of that id, managed at the permit's scope, to other packs.
pub(crate) async fn rebind(
    tx: &mut Writing,
    permit: &Permit,
    id: Id<id::Token>,
    packs: &[PackRef],
) -> Result<Token, Error> {
    let row = tx
        .one(
            "UPDATE tokens SET packs = $4, version = version + 1 \
             WHERE identity = $1 AND home = $2 AND id = $3 RETURNING *",
            args![permit.identity(), permit.scope(), id, json("the packs", packs)?],
        )
        .await?;
    Ok(decode(&row.ok_or(Error::Gone { what: "the token" })?)?.token)
}

/// Revokes the token of that id, managed at the permit's scope.
pub(crate) async fn revoke(
    tx: &mut Writing,
    permit: &Permit,
    id: Id<id::Token>,
) -> Result<Token, Error> {
    let row = tx
        .one(
            "UPDATE tokens SET revoked = 1, version = version + 1 \
             WHERE identity = $1 AND home = $2 AND id = $3 RETURNING *",
            args![permit.identity(), permit.scope(), id],
        )
        .await?;
    Ok(decode(&row.ok_or(Error::Gone { what: "the token" })?)?.token)
}

/// Revokes a token of the caller's own that [`own`] found in the same transaction.
pub(crate) async fn revoke_own(
    tx: &mut Writing,
    caller: &Caller<'_>,
    own: &Record,
) -> Result<Token, Error> {
    let row = tx
        .one(
            "UPDATE tokens SET revoked = 1, version = version + 1 \
             WHERE identity = $1 AND principal = $2 AND home = $3 AND id = $4 RETURNING *",
            args![caller.identity(), caller.principal().id, &own.home, own.token.id],
        )
        .await?;
    Ok(decode(&row.ok_or(Error::Gone { what: "the token" })?)?.token)
}
