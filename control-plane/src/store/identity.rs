//! Owns the rows of identities. Invariant: a tenant is made whole: with its owner, the owner's grant
//! and the owner's token.

use contract::verbs::identity::Identity;
use contract::{Id, Name, Scope, Timestamp, id};
use tenancy::permit::{self, Operator};
use tenancy::role::BuiltIn;
use tenancy::seal::Wrapped;
use tenancy::token;
use tenancy::view::{LIVE, Settings};

use super::Error;
use super::row::{Row, args, json};
use super::tx::{Conn, Writing};

/// Everything a new tenant starts with.
#[derive(Debug)]
pub(crate) struct Founding<'f> {
    /// Its id.
    pub(crate) id: Id<id::Identity>,
    /// Its name.
    pub(crate) name: &'f Name,
    /// What its tokens carry.
    pub(crate) route: &'f token::Route,
    /// Its data key, wrapped.
    pub(crate) dek: &'f Wrapped,
    /// The first user's id.
    pub(crate) owner: Id<id::Principal>,
    /// The first user's name.
    pub(crate) owner_name: &'f Name,
    /// The id of the grant of everything.
    pub(crate) grant: Id<id::Grant>,
    /// The id of the first token.
    pub(crate) token: Id<id::Token>,
    /// The hash of the first token.
    pub(crate) hash: token::Hash,
    /// The moment.
    pub(crate) now: Timestamp,
}

/// What opens an identity's sealed records, still wrapped.
#[derive(Debug)]
pub(crate) struct Sealing {
    /// The identity's id, which the wrapping authenticates.
    pub(crate) id: Id<id::Identity>,
    /// What its tokens carry.
    pub(crate) route: token::Route,
    /// The wrapped data key.
    pub(crate) dek: Wrapped,
}

fn decode(row: &Row) -> Result<Identity, Error> {
    Ok(Identity {
        id: row.parse("id")?,
        name: row.parse("name")?,
        suspended: row.flag("suspended")?,
        created: row.time("created_ms")?,
        version: row.int("version")?,
    })
}

/// The name of the identity that has this route. A route is no secret and opens nothing.
pub(crate) async fn by_route(conn: &mut Conn, route: &str) -> Result<Option<Name>, Error> {
    let row = conn.one("SELECT name FROM identities WHERE route = $1", args![route]).await?;
    row.map(|row| row.parse("name")).transpose()
}

/// Whether there is an identity of this name.
pub(crate) async fn exists(conn: &mut Conn, name: &Name) -> Result<bool, Error> {
    let row = conn.one("SELECT name FROM identities WHERE name = $1", args![name]).await?;
    Ok(row.is_some())
}

/// The wrapped key of one identity, whichever: what tells that the right key-encryption key was given.
pub(crate) async fn any_dek(conn: &mut Conn) -> Result<Option<Wrapped>, Error> {
    let row = conn.one("SELECT dek FROM identities LIMIT 1", args![]).await?;
    row.map(|row| row.parse("dek")).transpose()
}

/// What the plane needs to hand over or use the identity's key, and to mint tokens.
pub(crate) async fn sealing(conn: &mut Conn, plane: &permit::Plane) -> Result<Sealing, Error> {
    let row = conn
        .one("SELECT id, route, dek FROM identities WHERE name = $1", args![plane.identity()])
        .await?
        .ok_or(Error::Gone { what: "the identity" })?;
    Ok(Sealing { id: row.parse("id")?, route: row.parse("route")?, dek: row.parse("dek")? })
}

/// One tenant.
pub(crate) async fn get(
    conn: &mut Conn,
    _: &Operator,
    name: &Name,
) -> Result<Option<Identity>, Error> {
    const SQL: &str =
        "SELECT name, id, suspended, created_ms, version FROM identities WHERE name = $1";
    conn.one(SQL, args![name]).await?.as_ref().map(decode).transpose()
}

/// The tenants after `after`, by name.
pub(crate) async fn page(
    conn: &mut Conn,
    _: &Operator,
    after: &str,
    limit: u32,
) -> Result<Vec<Identity>, Error> {
    const SQL: &str = "SELECT name, id, suspended, created_ms, version FROM identities \
        WHERE name > $1 ORDER BY name LIMIT $2";
    conn.all(SQL, args![after, limit]).await?.iter().map(decode).collect()
}

/// Makes a tenant.
pub(crate) async fn found(
    tx: &mut Writing,
    _: &Operator,
    new: &Founding<'_>,
) -> Result<Identity, Error> {
    tx.run(
        "INSERT INTO identities (name, id, route, suspended, dek, settings, revision, catalogue, \
         outbox, usage_fresh_ms, created_ms, version) \
         VALUES ($1, $2, $3, 0, $4, $5, 1, 0, 0, $6, $6, 1)",
        args![
            new.name,
            new.id,
            new.route.as_str(),
            new.dek.to_string(),
            json("the settings", &Settings::default())?,
            new.now
        ],
    )
    .await?;
    tx.run(
        "INSERT INTO principals (identity, id, kind, name, stage, suspended, created_ms, version) \
         VALUES ($1, $2, 'user', $3, 'autonomous', 0, $4, 1)",
        args![new.name, new.owner, new.owner_name, new.now],
    )
    .await?;
    let root = Scope::identity(new.name);
    tx.run(
        "INSERT INTO grants (identity, id, principal, scope, role, expires_ms, revoked, created_ms, \
         version) VALUES ($1, $2, $3, $4, $5, NULL, 0, $6, 1)",
        args![new.name, new.grant, new.owner, &root, BuiltIn::Owner.as_str(), new.now],
    )
    .await?;
    let packs = serde_json::json!([{ "name": LIVE }]).to_string();
    tx.run(
        "INSERT INTO tokens (identity, id, principal, kind, parent, hash, scope, home, actions, \
         packs, expires_ms, revoked, created_ms, version) \
         VALUES ($1, $2, $3, 'user', NULL, $4, NULL, $5, NULL, $6, NULL, 0, $7, 1)",
        args![new.name, new.token, new.owner, new.hash, &root, packs, new.now],
    )
    .await?;
    Ok(Identity {
        id: new.id,
        name: new.name.clone(),
        suspended: false,
        created: new.now,
        version: 1,
    })
}

/// Suspends or resumes a tenant, which counts its version up.
pub(crate) async fn suspend(
    tx: &mut Writing,
    _: &Operator,
    name: &Name,
    suspended: bool,
) -> Result<Identity, Error> {
    let row = tx
        .one(
            "UPDATE identities SET suspended = $2, version = version + 1 WHERE name = $1 \
             RETURNING name, id, suspended, created_ms, version",
            args![name, suspended],
        )
        .await?;
    decode(&row.ok_or(Error::Gone { what: "the identity" })?)
}
