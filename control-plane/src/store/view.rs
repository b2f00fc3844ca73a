//! Owns the reading of one identity's whole authority: the view's document, at one revision.
//! Invariant: it is read in one transaction, so no two records are of different revisions.

use contract::{Scope, Timestamp};
use tenancy::permit;
use tenancy::role::{ActionSet, Role};
use tenancy::view::{
    Credential, CredentialGrant, Document, Grant, Pack, Pin, Principal, ScopeRecord, Token,
};

use super::Error;
use super::row::{Row, args};
use super::tx::Conn;

/// The authority revision and the catalogue's, if there is such an identity.
pub(crate) async fn revisions(
    conn: &mut Conn,
    plane: &permit::Plane,
) -> Result<Option<(u64, u64)>, Error> {
    let row = conn
        .one("SELECT revision, catalogue FROM identities WHERE name = $1", args![plane.identity()])
        .await?;
    row.map(|row| Ok((row.count("revision")?, row.count("catalogue")?))).transpose()
}

/// The document, if there is such an identity. Tokens that are revoked or expired at `now` are left
/// out: a child of a token that is not there is dead.
pub(crate) async fn document(
    conn: &mut Conn,
    plane: &permit::Plane,
    now: Timestamp,
) -> Result<Option<Document>, Error> {
    let row = conn
        .one(
            "SELECT id, suspended, settings, revision, catalogue FROM identities WHERE name = $1",
            args![plane.identity()],
        )
        .await?;
    let Some(row) = row else { return Ok(None) };
    let mut document =
        Document::empty(plane.identity().clone(), row.parse("id")?, row.count("revision")?);
    document.catalogue_revision = row.count("catalogue")?;
    document.suspended = row.flag("suspended")?;
    document.settings = row.json("settings")?;
    document.scopes = scopes(conn, plane).await?;
    document.principals = principals(conn, plane).await?;
    document.tokens = tokens(conn, plane, now).await?;
    document.grants = grants(conn, plane).await?;
    document.roles = roles(conn, plane).await?;
    document.credentials = credentials(conn, plane).await?;
    document.credential_grants = credential_grants(conn, plane).await?;
    document.packs = packs(conn, plane).await?;
    Ok(Some(document))
}

async fn scopes(conn: &mut Conn, plane: &permit::Plane) -> Result<Vec<ScopeRecord>, Error> {
    const SQL: &str = "SELECT scope, id, archived FROM scopes WHERE identity = $1";
    let decode = |row: &Row| {
        Ok(ScopeRecord {
            scope: row.parse("scope")?,
            id: row.text("id")?,
            archived: row.flag("archived")?,
        })
    };
    conn.all(SQL, args![plane.identity()]).await?.iter().map(decode).collect()
}

async fn principals(conn: &mut Conn, plane: &permit::Plane) -> Result<Vec<Principal>, Error> {
    const SQL: &str = "SELECT id, kind, name, stage, suspended FROM principals WHERE identity = $1";
    let decode = |row: &Row| {
        Ok(Principal {
            id: row.parse("id")?,
            kind: row.word("kind")?,
            name: row.parse("name")?,
            display: None,
            stage: row.word("stage")?,
            suspended: row.flag("suspended")?,
        })
    };
    conn.all(SQL, args![plane.identity()]).await?.iter().map(decode).collect()
}

async fn tokens(
    conn: &mut Conn,
    plane: &permit::Plane,
    now: Timestamp,
) -> Result<Vec<Token>, Error> {
    const SQL: &str = "SELECT id, principal, kind, parent, family, hash, scope, actions, packs, expires_ms \
        FROM tokens WHERE identity = $1 AND revoked = 0 \
        AND (expires_ms IS NULL OR expires_ms > $2)";
    let decode = |row: &Row| {
        Ok(Token {
            id: row.parse("id")?,
            principal: row.parse("principal")?,
            kind: row.word("kind")?,
            parent: row.opt_parse("parent")?,
            family: row.opt_parse("family")?,
            hash: row.word("hash")?,
            scope: row.opt_parse::<Scope>("scope")?,
            actions: row.opt_json::<ActionSet>("actions")?,
            packs: row.json("packs")?,
            expires: row.opt_time("expires_ms")?,
            revoked: false,
        })
    };
    conn.all(SQL, args![plane.identity(), now]).await?.iter().map(decode).collect()
}

async fn grants(conn: &mut Conn, plane: &permit::Plane) -> Result<Vec<Grant>, Error> {
    const SQL: &str =
        "SELECT id, principal, scope, role, expires_ms, revoked FROM grants WHERE identity = $1";
    let decode = |row: &Row| {
        Ok(Grant {
            id: row.parse("id")?,
            principal: row.parse("principal")?,
            scope: row.parse("scope")?,
            role: row.parse("role")?,
            expires: row.opt_time("expires_ms")?,
            revoked: row.flag("revoked")?,
        })
    };
    conn.all(SQL, args![plane.identity()]).await?.iter().map(decode).collect()
}

async fn roles(conn: &mut Conn, plane: &permit::Plane) -> Result<Vec<Role>, Error> {
    const SQL: &str = "SELECT name, actions FROM roles WHERE identity = $1";
    let decode = |row: &Row| Ok(Role { name: row.parse("name")?, actions: row.json("actions")? });
    conn.all(SQL, args![plane.identity()]).await?.iter().map(decode).collect()
}

async fn credentials(conn: &mut Conn, plane: &permit::Plane) -> Result<Vec<Credential>, Error> {
    const SQL: &str = "SELECT id, name, version, origins, sealed FROM credentials \
        WHERE identity = $1 AND sealed IS NOT NULL";
    let decode = |row: &Row| {
        Ok(Credential {
            id: row.parse("id")?,
            name: row.parse("name")?,
            version: row.small("version")?,
            origins: row.json("origins")?,
            sealed: row.text("sealed")?,
        })
    };
    conn.all(SQL, args![plane.identity()]).await?.iter().map(decode).collect()
}

async fn credential_grants(
    conn: &mut Conn,
    plane: &permit::Plane,
) -> Result<Vec<CredentialGrant>, Error> {
    const SQL: &str = "SELECT id, credential, scope, expires_ms, revoked FROM credential_grants \
        WHERE identity = $1";
    let decode = |row: &Row| {
        Ok(CredentialGrant {
            id: row.parse("id")?,
            credential: row.parse("credential")?,
            scope: row.parse("scope")?,
            expires: row.opt_time("expires_ms")?,
            revoked: row.flag("revoked")?,
        })
    };
    conn.all(SQL, args![plane.identity()]).await?.iter().map(decode).collect()
}

async fn packs(conn: &mut Conn, plane: &permit::Plane) -> Result<Vec<Pack>, Error> {
    const PACKS: &str =
        "SELECT id, name, version FROM packs WHERE identity = $1 ORDER BY name, version";
    const PINS: &str = "SELECT pack, pack_version, tool, declaration, classification FROM pins \
        WHERE identity = $1 ORDER BY pack, pack_version, tool";
    let decode = |row: &Row| {
        Ok(Pack {
            id: row.parse("id")?,
            name: row.parse("name")?,
            version: row.small("version")?,
            pins: Vec::new(),
        })
    };
    let rows = conn.all(PACKS, args![plane.identity()]).await?;
    let mut packs: Vec<Pack> = rows.iter().map(decode).collect::<Result<_, Error>>()?;
    for row in conn.all(PINS, args![plane.identity()]).await? {
        let (name, version) = (row.text("pack")?, row.small("pack_version")?);
        let at = packs.binary_search_by(|pack| {
            (pack.name.as_str(), pack.version).cmp(&(name.as_str(), version))
        });
        let pack = at.ok().and_then(|at| packs.get_mut(at));
        pack.ok_or(Error::Gone { what: "the pack of a pin" })?.pins.push(Pin {
            tool: row.parse("tool")?,
            declaration: row.small("declaration")?,
            classification: row.small("classification")?,
        });
    }
    Ok(packs)
}
