//! Owns the rows of tokens. Invariant: only hashes are kept. A token is managed at its `home`; a
//! caller's own token, its children and the successors it made for itself are the caller's, whatever
//! the caller may do elsewhere.

mod end;

use contract::verbs::token::{Because, PackRef, Token};
use contract::{Id, Name, Scope, Timestamp, id};
use tenancy::authority::Caller;
use tenancy::permit::{self, Permit};
use tenancy::role::ActionSet;
use tenancy::token::{self, Presented};

use super::Error;
use super::row::{Row, args, json};
use super::tx::{Conn, Writing};

pub(crate) use end::{Ended, retire, revoke, used};

/// Tokens with what is told of them, at the moment `$1`.
macro_rules! tokens {
    ($rest:literal) => {
        concat!(
            "SELECT t.*, CASE WHEN t.revoked = 1 OR t.expires_ms <= $1 THEN 0 ELSE \
             (SELECT count(*) FROM tokens c WHERE c.identity = t.identity AND c.parent = t.id \
             AND c.revoked = 0 AND (c.expires_ms IS NULL OR c.expires_ms > $1)) END AS children, \
             (SELECT max(s.id) FROM tokens s WHERE s.identity = t.identity \
             AND s.predecessor = t.id AND s.revoked = 0) AS successor FROM tokens t ",
            $rest
        )
    };
}

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

/// What a token comes of.
#[derive(Debug, Clone, Copy, Default)]
struct Descent {
    parent: Option<Id<id::Token>>,
    depth: u32,
    predecessor: Option<Id<id::Token>>,
    minted_by: Option<Id<id::Token>>,
}

/// A token and where it is managed.
#[derive(Debug)]
pub(crate) struct Record {
    /// The token.
    pub(crate) token: Token,
    /// Who presents it.
    pub(crate) kind: token::Kind,
    /// Where it stands.
    pub(crate) home: Scope,
}

/// By which right a token is changed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Right<'r> {
    identity: &'r Name,
    home: &'r Scope,
}

impl<'r> Right<'r> {
    /// That of whoever manages tokens at the permit's scope.
    pub(crate) const fn of(permit: &'r Permit) -> Self {
        Self { identity: permit.identity(), home: permit.scope() }
    }

    /// That of a holder over what [`own`] found for them.
    pub(crate) const fn own(caller: &'r Caller<'_>, own: &'r Record) -> Self {
        Self { identity: caller.identity(), home: &own.home }
    }

    /// That of whoever holds the text that [`of_text`] found a token by.
    pub(crate) const fn text(plane: &'r permit::Plane, found: &'r Record) -> Self {
        Self { identity: plane.identity(), home: &found.home }
    }
}

fn decode(row: &Row) -> Result<Record, Error> {
    let actions: Option<ActionSet> = row.opt_json("actions")?;
    let because: Option<Because> =
        row.opt_text("revoked_because")?.map(|_| row.word("revoked_because")).transpose()?;
    let token = Token {
        id: row.parse("id")?,
        principal: row.parse("principal")?,
        parent: row.opt_parse("parent")?,
        depth: row.small("depth")?,
        children: row.small("children")?,
        predecessor: row.opt_parse("predecessor")?,
        successor: row.opt_parse("successor")?,
        scope: row.opt_parse("scope")?,
        actions: actions.map(|actions| actions.iter().collect()),
        packs: row.json("packs")?,
        expires: row.opt_time("expires_ms")?,
        revoked: row.flag("revoked")?,
        revoked_because: because,
        revoked_at: row.opt_time("revoked_ms")?,
        last_used: row.opt_time("last_used_ms")?,
        created: row.time("created_ms")?,
        version: row.int("version")?,
    };
    Ok(Record { token, kind: row.word("kind")?, home: row.parse("home")? })
}

/// The token of that id, if it is managed where the permit reaches.
pub(crate) async fn get(
    conn: &mut Conn,
    permit: &Permit,
    id: Id<id::Token>,
    now: Timestamp,
) -> Result<Option<Record>, Error> {
    let sql = tokens!(
        "WHERE t.identity = $2 AND (t.home = $3 OR (t.home >= $3 || '/' AND t.home < $3 || '0')) \
         AND t.id = $4"
    );
    let row = conn.one(sql, args![now, permit.identity(), permit.scope(), id]).await?;
    row.as_ref().map(decode).transpose()
}

/// The tokens after `after` that are managed where the permit reaches, by id; only those of
/// `principal`, if one is named.
pub(crate) async fn page(
    conn: &mut Conn,
    permit: &Permit,
    principal: Option<Id<id::Principal>>,
    (after, limit): (&str, u32),
    now: Timestamp,
) -> Result<Vec<Token>, Error> {
    let sql = tokens!(
        "WHERE t.identity = $2 AND (t.home = $3 OR (t.home >= $3 || '/' AND t.home < $3 || '0')) \
         AND ($4 IS NULL OR t.principal = $4) AND t.id > $5 ORDER BY t.id LIMIT $6"
    );
    let args = args![now, permit.identity(), permit.scope(), principal, after, limit];
    conn.all(sql, args).await?.iter().map(|row| Ok(decode(row)?.token)).collect()
}

/// The caller's own token, a child of it, or a successor that one of these made for itself, by its id.
pub(crate) async fn own(
    conn: &mut Conn,
    caller: &Caller<'_>,
    id: Id<id::Token>,
    now: Timestamp,
) -> Result<Option<Record>, Error> {
    let sql = concat!(
        "WITH RECURSIVE line (id) AS (SELECT id FROM tokens WHERE identity = $2 AND id = $3 \
         UNION SELECT t.id FROM tokens t JOIN line ON t.parent = line.id \
         OR (t.predecessor = line.id AND t.minted_by = line.id) WHERE t.identity = $2) ",
        tokens!(
            "WHERE t.identity = $2 AND t.id = $4 AND t.principal = $5 \
             AND t.id IN (SELECT id FROM line)"
        )
    );
    let args = args![now, caller.identity(), caller.token().id, id, caller.principal().id];
    conn.one(sql, args).await?.as_ref().map(decode).transpose()
}

/// The token with that text. To hold it is the right; what is found is not told.
pub(crate) async fn of_text(
    conn: &mut Conn,
    plane: &permit::Plane,
    presented: &Presented<'_>,
    now: Timestamp,
) -> Result<Option<Record>, Error> {
    let sql = tokens!("WHERE t.identity = $2 AND t.hash = $3");
    let row = conn.one(sql, args![now, plane.identity(), presented.hash()]).await?;
    row.as_ref().map(decode).transpose()
}

/// How many children of a token of the caller's identity are alive.
pub(crate) async fn children_alive(
    conn: &mut Conn,
    caller: &Caller<'_>,
    parent: Id<id::Token>,
    now: Timestamp,
) -> Result<u64, Error> {
    let row = conn
        .one(
            "SELECT count(*) AS alive FROM tokens WHERE identity = $1 AND parent = $2 \
             AND revoked = 0 AND (expires_ms IS NULL OR expires_ms > $3)",
            args![caller.identity(), parent, now],
        )
        .await?;
    row.map_or(Ok(0), |row| row.count("alive"))
}

/// Whether the token that `token` took the place of is still taken.
pub(crate) async fn predecessor_alive(
    conn: &mut Conn,
    caller: &Caller<'_>,
    token: &Token,
    now: Timestamp,
) -> Result<bool, Error> {
    let row = conn
        .one(
            "SELECT id FROM tokens WHERE identity = $1 AND id = $2 AND revoked = 0 \
             AND (expires_ms IS NULL OR expires_ms > $3)",
            args![caller.identity(), token.predecessor, now],
        )
        .await?;
    Ok(row.is_some())
}

/// Keeps a token that is managed at the permit's scope.
pub(crate) async fn insert(tx: &mut Writing, permit: &Permit, new: &New) -> Result<Token, Error> {
    put(tx, Right::of(permit), Descent::default(), new).await
}

/// Keeps a child of the caller's own token.
pub(crate) async fn insert_child(
    tx: &mut Writing,
    caller: &Caller<'_>,
    depth: u32,
    new: &New,
) -> Result<Token, Error> {
    let home = new.scope.as_ref().unwrap_or_else(|| caller.home());
    let parent = Some(caller.token().id);
    let descent = Descent { parent, depth, minted_by: parent, predecessor: None };
    put(tx, Right { identity: caller.identity(), home }, descent, new).await
}

/// Keeps the token that an invite yields: the text of it was the right.
pub(crate) async fn insert_invited(
    tx: &mut Writing,
    plane: &permit::Plane,
    inviter: Id<id::Token>,
    new: &New,
) -> Result<Token, Error> {
    let home = Scope::identity(plane.identity());
    let descent = Descent { minted_by: Some(inviter), ..Descent::default() };
    put(tx, Right { identity: plane.identity(), home: &home }, descent, new).await
}

/// Keeps the successor of `old`, which has the same parent, and which the token `by` asked for.
pub(crate) async fn insert_successor(
    tx: &mut Writing,
    right: Right<'_>,
    (old, by): (&Token, Id<id::Token>),
    new: &New,
) -> Result<Token, Error> {
    let descent = Descent {
        parent: old.parent,
        depth: old.depth,
        predecessor: Some(old.id),
        minted_by: Some(by),
    };
    put(tx, right, descent, new).await
}

async fn put(
    tx: &mut Writing,
    right: Right<'_>,
    descent: Descent,
    new: &New,
) -> Result<Token, Error> {
    let actions = new.actions.map(|actions| json("the actions", &actions)).transpose()?;
    let args = args![
        right.identity,
        new.id,
        new.principal,
        new.kind.as_str(),
        descent.parent,
        new.hash,
        new.scope.as_ref(),
        right.home,
        actions,
        json("the packs", &new.packs)?,
        new.expires,
        new.now,
        descent.depth,
        descent.predecessor,
        descent.minted_by,
    ];
    let row = tx
        .one(
            "INSERT INTO tokens (identity, id, principal, kind, parent, hash, scope, home, actions, \
             packs, expires_ms, revoked, created_ms, version, depth, predecessor, minted_by, family) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 0, $12, 1, $13, $14, $15, \
             (SELECT coalesce(family, id) FROM tokens WHERE identity = $1 AND id = $14)) \
             RETURNING *, 0 AS children, NULL AS successor",
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
    now: Timestamp,
) -> Result<Token, Error> {
    tx.run(
        "UPDATE tokens SET packs = $4, version = version + 1 \
         WHERE identity = $1 AND home = $2 AND id = $3",
        args![permit.identity(), permit.scope(), id, json("the packs", packs)?],
    )
    .await?;
    reread(tx, Right::of(permit), id, now).await
}

/// The token as it is after a change.
async fn reread(
    tx: &mut Writing,
    right: Right<'_>,
    id: Id<id::Token>,
    now: Timestamp,
) -> Result<Token, Error> {
    let sql = tokens!("WHERE t.identity = $2 AND t.home = $3 AND t.id = $4");
    let row = tx.one(sql, args![now, right.identity, right.home, id]).await?;
    Ok(decode(&row.ok_or(Error::Gone { what: "the token" })?)?.token)
}
