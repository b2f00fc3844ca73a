//! Owns the shipping of usage totals, and of when tokens were last used, to the control plane. Totals are cumulative and merged there by
//! maximum, so that sending one again is harmless. Invariant: a total that grew is sent until it was
//! acknowledged; one that did not is sent again only by the full resend, which heals what the control
//! plane lost; no message holds more than [`TOTALS_MAX`].

use contract::Timestamp;
use tenancy::plane::{Answered, ToControl};

use super::Worker;
use super::session::ask;
use crate::meter;

/// How many totals are in one message.
pub(super) const TOTALS_MAX: usize = 500;
/// How many last uses of tokens are in one message; what is left over waits for the next.
const USES_MAX: usize = 1_000;
/// How many messages are sent at a time; what is left over waits for the next.
const MESSAGES_MAX: usize = 8;
/// How often all totals of the last hours are sent again.
pub(super) const RESEND_MS: u64 = 10 * 60 * 1000;
/// How far back a full resend goes, from the newest total there is.
const RESEND_BACK_MS: i64 = 2 * 60 * 60 * 1000;
/// How often it is said that nothing grew.
const FRESH_MS: u64 = 10 * 1000;

/// How far totals are acknowledged.
#[derive(Debug, Default)]
pub(crate) struct Shipped {
    /// What grew up to this size of the ledger is acknowledged.
    to: u64,
    /// Totals of the hours before are not sent.
    since_ms: i64,
    /// When the last full resend began, on the boot clock; none did at first.
    resent_boot_ms: Option<u64>,
    /// When anything was last acknowledged, on the boot clock.
    told_boot_ms: Option<u64>,
}

impl Worker {
    /// Sends the totals that grew since the last ones that were acknowledged.
    pub(crate) async fn ship_usage(&self) {
        let mut shipped = self.chores.shipped.lock().await;
        if let Err(error) = self.ship(&mut shipped).await {
            tracing::warn!(identity = %self.identity, error, "usage totals were not sent");
        }
    }

    async fn ship(&self, shipped: &mut Shipped) -> Result<(), String> {
        let boot_ms = self.clock.boot_ms();
        let passed =
            |since: Option<u64>, ms| since.is_none_or(|at| boot_ms.saturating_sub(at) >= ms);
        let readers = self.store.readers();
        if passed(shipped.resent_boot_ms, RESEND_MS) {
            let newest = meter::newest(readers, &self.plane).await;
            let newest = newest.map_err(|error| error.to_string())?.unwrap_or_default();
            let since_ms =
                meter::hour_of(Timestamp::from_ms(newest.saturating_sub(RESEND_BACK_MS)));
            *shipped = Shipped { to: 0, since_ms, resent_boot_ms: Some(boot_ms), ..*shipped };
        }
        for _ in 0..MESSAGES_MAX {
            let now = self.now();
            let since = (shipped.to, shipped.since_ms);
            let grown = meter::grown(readers, &self.plane, since, TOTALS_MAX).await;
            let meter::Grown { totals, to, whole } = grown.map_err(|error| error.to_string())?;
            if totals.is_empty() && !passed(shipped.told_boot_ms, FRESH_MS) {
                return Ok(());
            }
            // What is left out of this message is not in the figures yet, so they are no fresher.
            let fresh_until = if whole { now } else { Timestamp::from_ms(0) };
            self.tell(ToControl::Usage {
                identity: self.identity.clone(),
                epoch: self.session.epoch,
                totals,
                fresh_until,
            })
            .await?;
            shipped.to = shipped.to.max(to);
            shipped.told_boot_ms = Some(boot_ms);
            if whole {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Sends when tokens were last used, as far as that was not sent yet.
    pub(crate) async fn ship_uses(&self) {
        let uses = self.uses.untold(USES_MAX);
        if uses.is_empty() {
            return;
        }
        let (identity, epoch) = (self.identity.clone(), self.session.epoch);
        match self.tell(ToControl::Used { identity, epoch, uses: uses.clone() }).await {
            Ok(()) => self.uses.told(&uses),
            Err(error) => {
                tracing::warn!(identity = %self.identity, error, "last uses were not sent");
            }
        }
    }

    async fn tell(&self, message: ToControl) -> Result<(), String> {
        match ask(self.session.link(), message).await {
            Ok(Answered::Done) => Ok(()),
            Ok(other) => Err(format!("{other:?}")),
            Err(error) => Err(error.to_string()),
        }
    }
}
