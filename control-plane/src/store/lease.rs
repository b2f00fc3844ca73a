//! Owns the rows of leases: who serves which identity, under which epoch, until when. Invariant: an
//! identity's epoch only grows.

use tenancy::permit;

use super::Error;
use super::row::{args, big};
use super::tx::{Conn, Upkeep};

/// A lease as it was last written. It may be over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lease {
    /// The fencing token.
    pub(crate) epoch: u64,
    /// Who holds it; empty once it was handed back.
    pub(crate) node: String,
    /// The moment on this machine's boot clock at which it ends.
    pub(crate) ends_boot_ms: u64,
}

/// The identity's lease, if it ever had one.
pub(crate) async fn get(conn: &mut Conn, plane: &permit::Plane) -> Result<Option<Lease>, Error> {
    let row = conn
        .one(
            "SELECT epoch, node, ends_boot_ms FROM leases WHERE identity = $1",
            args![plane.identity()],
        )
        .await?;
    row.map(|row| {
        Ok(Lease {
            epoch: row.count("epoch")?,
            node: row.text("node")?,
            ends_boot_ms: row.count("ends_boot_ms")?,
        })
    })
    .transpose()
}

/// Puts `lease`, which lasts `lasts_ms` at the longest, in the place of the identity's last one.
pub(crate) async fn put(
    tx: &mut Upkeep,
    plane: &permit::Plane,
    lease: &Lease,
    lasts_ms: u32,
) -> Result<(), Error> {
    let args = args![
        plane.identity(),
        big("an epoch", lease.epoch)?,
        lease.node.as_str(),
        big("a lease's end", lease.ends_boot_ms)?,
        lasts_ms,
    ];
    tx.run(
        "INSERT INTO leases (identity, epoch, node, ends_boot_ms, lasts_ms) \
         VALUES ($1, $2, $3, $4, $5) ON CONFLICT (identity) DO UPDATE SET \
         epoch = excluded.epoch, node = excluded.node, ends_boot_ms = excluded.ends_boot_ms, \
         lasts_ms = excluded.lasts_ms",
        args,
    )
    .await
    .map(drop)
}

/// Shortens every lease to what it can last at the longest from `boot_ms`: the boot clock that its
/// end was written by may have started again since. A lease that was given before this clock started
/// and would end before `boot_ms` by it is over in truth, for the clock has run that long.
pub(crate) async fn bound(tx: &mut Upkeep, boot_ms: u64) -> Result<(), Error> {
    tx.run(
        "UPDATE leases SET ends_boot_ms = $1 + lasts_ms WHERE ends_boot_ms > $1 + lasts_ms",
        args![big("the boot clock", boot_ms)?],
    )
    .await
    .map(drop)
}
