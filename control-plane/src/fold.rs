//! Owns what a holder brings and fetches: acts of administration for its ledger, and usage totals.
//! Invariant: only the holder of the current epoch is heard, and hearing it twice changes nothing.

use contract::Scope;
use contract::Timestamp;
use tenancy::permit;
use tenancy::plane::{Answered, Total};

use crate::lease::not_held;
use crate::plane::Plane;
use crate::store::{self, Error};

/// The most acts of one answer.
const ACTS_MAX: u32 = 1_000;

impl Plane {
    /// The acts after number `folded`; it and those before it are forgotten.
    pub(crate) async fn outbox(
        &self,
        plane: &permit::Plane,
        epoch: u64,
        folded: u64,
        limit: u32,
    ) -> Result<Answered, Error> {
        let mut tx = self.store.upkeep().await?;
        if self.held(&mut tx, plane, epoch).await?.is_none() {
            return Ok(not_held());
        }
        // Else acts that are yet to come would be forgotten unread.
        if folded > store::outbox::last(&mut tx, plane).await? {
            return Ok(Answered::Denied("no act has this number".to_owned()));
        }
        store::outbox::forget(&mut tx, plane, folded).await?;
        let limit = limit.clamp(1, ACTS_MAX);
        let acts = store::outbox::after(&mut tx, plane, folded, limit).await?;
        tx.commit().await?;
        Ok(Answered::Outbox(acts))
    }

    /// Merges totals.
    pub(crate) async fn usage(
        &self,
        plane: &permit::Plane,
        epoch: u64,
        totals: &[Total],
        fresh_until: Timestamp,
    ) -> Result<Answered, Error> {
        let mut tx = self.store.upkeep().await?;
        if self.held(&mut tx, plane, epoch).await?.is_none() {
            return Ok(not_held());
        }
        let root = Scope::identity(plane.identity());
        if totals.iter().any(|total| !root.covers(&total.scope)) {
            return Ok(Answered::Denied("a total is of another identity".to_owned()));
        }
        for total in totals {
            store::usage::merge(&mut tx, plane, total).await?;
        }
        store::usage::freshen(&mut tx, plane, fresh_until).await?;
        tx.commit().await?;
        Ok(Answered::Done)
    }
}
