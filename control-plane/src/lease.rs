//! Owns the leases: who serves an identity, and when a write is answered. Invariant: once a write is
//! answered, no holder decides by an older revision: it has said that it decides by this one or a
//! later, or it can no longer decide.
//!
//! 1. A lease is given to another node only once the last one has ended and the margin has passed; its
//!    view is read in the transaction that gives it. Asking for it ends the same node's earlier lease:
//!    a node asks only when nothing of it decides by that one any more.
//! 2. A lease ends, for the holder, counted from when it sent its request, and here from when the
//!    request was carried out, which is later.
//! 3. A write reads holder and end in its own transaction. What is renewed afterwards carries the new
//!    view, so the write waits for that end only.
//!
//! Whoever holds the answer of a call waits in memory: there is one control plane per database file.

mod holders;
pub(crate) mod push;

use std::time::Duration;

use contract::Name;
use tenancy::permit;
use tenancy::plane::{Answered, Granted, Renewed};

pub(crate) use holders::Holders;

use crate::plane::Plane;
use crate::store::lease::Lease;
use crate::store::tx::Conn;
use crate::store::{self, Error};

/// How often a waiting write looks at the boot clock.
const LOOK_MS: u64 = 20;

/// What whoever no longer holds an identity is told.
pub(crate) fn not_held() -> Answered {
    Answered::Denied("the lease is over, or another's".to_owned())
}

impl Plane {
    /// Gives the identity's lease to `node`, unless another holds it.
    pub(crate) async fn acquire(&self, identity: Name, node: String) -> Result<Answered, Error> {
        if node.is_empty() {
            // An empty name is what a lease that was handed back has.
            return Ok(Answered::Denied("a node has a name".to_owned()));
        }
        let plane = &permit::Plane::of(identity);
        let mut tx = self.store.upkeep().await?;
        let Some(view) = store::view::document(&mut tx, plane, self.source.now()).await? else {
            return Ok(Answered::Denied("there is no such identity".to_owned()));
        };
        let last = store::lease::get(&mut tx, plane).await?;
        if last.as_ref().is_some_and(|last| last.node != node && !self.is_over(last)) {
            return Ok(Answered::Denied("another node holds it".to_owned()));
        }
        let lasts_ms = self.timing.lease_ms();
        let lease = Lease {
            epoch: last.map_or(0, |last| last.epoch).saturating_add(1),
            node,
            ends_boot_ms: self.source.boot_ms().saturating_add(u64::from(lasts_ms)),
        };
        store::lease::put(&mut tx, plane, &lease, lasts_ms).await?;
        let key = self.hand_over_key(&mut tx, plane).await?;
        let catalogue = store::catalogue::load(&mut tx, plane).await?;
        tx.commit().await?;
        self.holders.acked(plane.identity(), lease.epoch, view.revision);
        let lease_ms = u64::from(lasts_ms);
        let granted = Granted { epoch: lease.epoch, lease_ms, key, view, catalogue };
        Ok(Answered::Granted(Box::new(granted)))
    }

    /// Lets the lease run anew. `held` are the revisions by which the holder decides.
    pub(crate) async fn renew(
        &self,
        plane: &permit::Plane,
        epoch: u64,
        held: (u64, u64),
    ) -> Result<Answered, Error> {
        let mut tx = self.store.upkeep().await?;
        let Some(lease) = self.held(&mut tx, plane, epoch).await? else {
            return Ok(not_held());
        };
        let lasts_ms = self.timing.lease_ms();
        let ends_boot_ms = self.source.boot_ms().saturating_add(u64::from(lasts_ms));
        store::lease::put(&mut tx, plane, &Lease { ends_boot_ms, ..lease }, lasts_ms).await?;
        tx.commit().await?;
        // What changed is read outside of the transaction that renewed: a large catalogue holds up
        // no other lease.
        let mut conn = self.store.read().await?;
        let revisions = store::view::revisions(&mut conn, plane).await?;
        let (revision, catalogue) = revisions.ok_or(Error::Gone { what: "the identity" })?;
        let view = if revision > held.0 {
            store::view::document(&mut conn, plane, self.source.now()).await?
        } else {
            None
        };
        let catalogue = if catalogue > held.1 {
            Some(store::catalogue::load(&mut conn, plane).await?)
        } else {
            None
        };
        self.holders.acked(plane.identity(), epoch, held.0.min(revision));
        let lease_ms = u64::from(lasts_ms);
        Ok(Answered::Renewed(Box::new(Renewed { lease_ms, view, catalogue })))
    }

    /// Takes note that the holder decides by `revision` from now on.
    pub(crate) async fn ack(
        &self,
        plane: &permit::Plane,
        epoch: u64,
        revision: u64,
    ) -> Result<Answered, Error> {
        let mut conn = self.store.read().await?;
        let last = store::lease::get(&mut conn, plane).await?;
        if last.is_none_or(|last| last.epoch != epoch) {
            return Ok(not_held());
        }
        let revisions = store::view::revisions(&mut conn, plane).await?;
        // Nobody can decide by a revision that is yet to come.
        let now = revisions.map_or(0, |(now, _)| now);
        self.holders.acked(plane.identity(), epoch, revision.min(now));
        Ok(Answered::Done)
    }

    /// Takes the lease back.
    pub(crate) async fn release(
        &self,
        plane: &permit::Plane,
        epoch: u64,
    ) -> Result<Answered, Error> {
        let mut tx = self.store.upkeep().await?;
        match store::lease::get(&mut tx, plane).await? {
            Some(last) if last.epoch == epoch => {
                let ended = Lease { node: String::new(), ends_boot_ms: 0, ..last };
                store::lease::put(&mut tx, plane, &ended, 0).await?;
                tx.commit().await?;
                self.holders.released(plane.identity(), epoch);
                Ok(Answered::Done)
            }
            _ => Ok(not_held()),
        }
    }

    /// The lease, if it is of this epoch and has not ended.
    pub(crate) async fn held(
        &self,
        conn: &mut Conn,
        plane: &permit::Plane,
        epoch: u64,
    ) -> Result<Option<Lease>, Error> {
        let last = store::lease::get(conn, plane).await?;
        let now = self.source.boot_ms();
        Ok(last.filter(|last| last.epoch == epoch && now < last.ends_boot_ms))
    }

    /// Waits until the holder decides by `revision` or later, or can no longer decide.
    pub(crate) async fn settle(&self, identity: &Name, revision: u64, lease: Option<Lease>) {
        let Some(lease) = lease else { return };
        let mut standing = self.holders.watch(identity);
        while !self.is_over(&lease) {
            if standing.borrow_and_update().has_left_behind(lease.epoch, revision) {
                return;
            }
            let look = Duration::from_millis(LOOK_MS);
            // Woken by an ack or by time: both are looked at above.
            let _ = tokio::time::timeout(look, standing.changed()).await;
        }
    }

    /// Waits for the revision that is the current one: for whoever is told of something that another
    /// call did.
    pub(crate) async fn settle_now(&self, plane: &permit::Plane) -> Result<(), Error> {
        let mut conn = self.store.read().await?;
        let Some((revision, _)) = store::view::revisions(&mut conn, plane).await? else {
            return Ok(());
        };
        let lease = store::lease::get(&mut conn, plane).await?;
        drop(conn);
        self.settle(plane.identity(), revision, lease).await;
        Ok(())
    }

    /// Whether nobody decides under `lease` any more, whatever their clock says.
    fn is_over(&self, lease: &Lease) -> bool {
        let margin_ms = u64::from(self.timing.margin_ms());
        lease.node.is_empty()
            || self.source.boot_ms() >= lease.ends_boot_ms.saturating_add(margin_ms)
    }

    /// The identity's data key, as the holder gets it.
    async fn hand_over_key(&self, conn: &mut Conn, plane: &permit::Plane) -> Result<String, Error> {
        let sealing = store::identity::sealing(conn, plane).await?;
        let dek = sealing.dek.open(&self.kek, sealing.id);
        let dek = dek.map_err(|error| Error::Corrupt { column: "dek", why: error.to_string() })?;
        Ok(dek.to_text().to_string())
    }
}
