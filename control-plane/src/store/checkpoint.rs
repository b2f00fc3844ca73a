//! Owns the last checkpoint of each ledger. Invariant: a ledger neither shrinks nor forks from what
//! was countersigned.

use contract::Timestamp;
use tenancy::permit;

use super::Error;
use super::row::{args, big};
use super::tx::{Conn, Upkeep};

/// What a checkpoint states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Checkpoint {
    /// Which ledger.
    pub(crate) origin: String,
    /// Entries covered.
    pub(crate) size: u64,
    /// The root over them, in base64.
    pub(crate) root: String,
}

/// Whether any was ever countersigned.
pub(crate) async fn any(conn: &mut Conn) -> Result<bool, Error> {
    Ok(conn.one("SELECT identity FROM checkpoints LIMIT 1", args![]).await?.is_some())
}

/// The last one of the identity.
pub(crate) async fn get(
    conn: &mut Conn,
    plane: &permit::Plane,
) -> Result<Option<Checkpoint>, Error> {
    let row = conn
        .one(
            "SELECT origin, size, root FROM checkpoints WHERE identity = $1",
            args![plane.identity()],
        )
        .await?;
    row.map(|row| {
        Ok(Checkpoint {
            origin: row.text("origin")?,
            size: row.count("size")?,
            root: row.text("root")?,
        })
    })
    .transpose()
}

/// Puts `checkpoint` in the place of the last one.
pub(crate) async fn put(
    tx: &mut Upkeep,
    plane: &permit::Plane,
    checkpoint: &Checkpoint,
    now: Timestamp,
) -> Result<(), Error> {
    let args = args![
        plane.identity(),
        checkpoint.origin.as_str(),
        big("a ledger's size", checkpoint.size)?,
        checkpoint.root.as_str(),
        now,
    ];
    tx.run(
        "INSERT INTO checkpoints (identity, origin, size, root, at_ms) VALUES ($1, $2, $3, $4, $5) \
         ON CONFLICT (identity) DO UPDATE SET origin = excluded.origin, size = excluded.size, \
         root = excluded.root, at_ms = excluded.at_ms",
        args,
    )
    .await
    .map(drop)
}
