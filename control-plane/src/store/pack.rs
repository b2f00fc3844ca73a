//! Owns the rows of packs and their pins. They lie at no scope but the identity: a permit for anything
//! narrower reaches none. Invariant: a version, once written, is never changed.

use contract::Name;
use contract::verbs::pack::{Pack, Pin};
use tenancy::permit::Permit;

use super::Error;
use super::row::{Row, args};
use super::tx::{Conn, Writing};

fn decode(row: &Row) -> Result<Pack, Error> {
    Ok(Pack {
        id: row.parse("id")?,
        name: row.parse("name")?,
        version: row.small("version")?,
        pins: Vec::new(),
        created: row.time("created_ms")?,
    })
}

/// A version of the pack of that name; the newest, if none is said.
pub(crate) async fn get(
    conn: &mut Conn,
    permit: &Permit,
    (name, version): (&Name, Option<u32>),
) -> Result<Option<Pack>, Error> {
    let row = conn
        .one(
            "SELECT id, name, version, created_ms FROM packs \
             WHERE identity = $1 AND identity = $2 AND name = $3 AND ($4 IS NULL OR version = $4) \
             ORDER BY version DESC LIMIT 1",
            args![permit.identity(), permit.scope(), name, version],
        )
        .await?;
    let Some(mut pack) = row.as_ref().map(decode).transpose()? else { return Ok(None) };
    pack.pins = pins(conn, permit, &pack).await?;
    Ok(Some(pack))
}

/// The packs after `after`, each at its newest version, by name.
pub(crate) async fn page(
    conn: &mut Conn,
    permit: &Permit,
    (after, limit): (&str, u32),
) -> Result<Vec<Pack>, Error> {
    let rows = conn
        .all(
            "SELECT id, name, version, created_ms FROM packs p \
             WHERE identity = $1 AND identity = $2 AND name > $3 AND version = \
             (SELECT MAX(version) FROM packs n WHERE n.identity = p.identity AND n.name = p.name) \
             ORDER BY name LIMIT $4",
            args![permit.identity(), permit.scope(), after, limit],
        )
        .await?;
    let mut packs = rows.iter().map(decode).collect::<Result<Vec<_>, _>>()?;
    for pack in &mut packs {
        pack.pins = pins(conn, permit, pack).await?;
    }
    Ok(packs)
}

async fn pins(conn: &mut Conn, permit: &Permit, pack: &Pack) -> Result<Vec<Pin>, Error> {
    let rows = conn
        .all(
            "SELECT tool, declaration, classification FROM pins WHERE identity = $1 \
             AND identity = $2 AND pack = $3 AND pack_version = $4 ORDER BY tool",
            args![permit.identity(), permit.scope(), &pack.name, pack.version],
        )
        .await?;
    let decode = |row: &Row| {
        Ok(Pin {
            tool: row.parse("tool")?,
            declaration: row.small("declaration")?,
            classification: row.small("classification")?,
        })
    };
    rows.iter().map(decode).collect()
}

/// Publishes a version of a pack.
pub(crate) async fn insert(tx: &mut Writing, permit: &Permit, pack: &Pack) -> Result<(), Error> {
    let made = tx
        .run(
            "INSERT INTO packs (identity, name, version, id, created_ms) \
             SELECT $1, $3, $4, $5, $6 WHERE $1 = $2",
            args![
                permit.identity(),
                permit.scope(),
                &pack.name,
                pack.version,
                pack.id,
                pack.created,
            ],
        )
        .await?;
    if made == 0 {
        return Err(Error::Gone { what: "the identity's own scope" });
    }
    for pin in &pack.pins {
        tx.run(
            "INSERT INTO pins (identity, pack, pack_version, tool, declaration, classification) \
             VALUES ($1, $2, $3, $4, $5, $6)",
            args![
                permit.identity(),
                &pack.name,
                pack.version,
                pin.tool,
                pin.declaration,
                pin.classification,
            ],
        )
        .await?;
    }
    Ok(())
}
