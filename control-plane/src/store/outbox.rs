//! Owns reading and emptying the outbox. It is written by [`Writing::record`](super::tx::Writing).
//! Invariant: an act leaves the outbox only once the holder has said that it is folded.

use tenancy::permit;
use tenancy::plane::Act;

use super::Error;
use super::row::{args, big};
use super::tx::{Conn, Upkeep};

/// The number of the identity's last act; 0 before the first.
pub(crate) async fn last(conn: &mut Conn, plane: &permit::Plane) -> Result<u64, Error> {
    let row =
        conn.one("SELECT outbox FROM identities WHERE name = $1", args![plane.identity()]).await?;
    row.ok_or(Error::Gone { what: "the identity" })?.count("outbox")
}

/// The acts after number `folded`, in order, at most `limit`.
pub(crate) async fn after(
    conn: &mut Conn,
    plane: &permit::Plane,
    folded: u64,
    limit: u32,
) -> Result<Vec<Act>, Error> {
    let rows = conn
        .all(
            "SELECT act FROM outbox WHERE identity = $1 AND seq > $2 ORDER BY seq LIMIT $3",
            args![plane.identity(), big("an act's number", folded)?, limit],
        )
        .await?;
    rows.iter().map(|row| row.json("act")).collect()
}

/// Forgets the acts up to number `folded`.
pub(crate) async fn forget(
    tx: &mut Upkeep,
    plane: &permit::Plane,
    folded: u64,
) -> Result<(), Error> {
    tx.run(
        "DELETE FROM outbox WHERE identity = $1 AND seq <= $2",
        args![plane.identity(), big("an act's number", folded)?],
    )
    .await
    .map(drop)
}
