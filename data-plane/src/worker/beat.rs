//! Owns what a worker does by itself, again and again. Invariant: the lease is renewed by a task that
//! does nothing else, so however long the rest takes, no lease runs out for it.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::time::{Interval, MissedTickBehavior, interval};

use super::Worker;
use super::session::Session;
use super::ship::Shipped;
use super::sign::Signing;

/// How often the chores are seen to.
const CHORES_MS: u64 = 1000;

/// What the chores remember from one time to the next.
#[derive(Debug)]
pub(super) struct Chores {
    /// One fold at a time.
    pub(super) folding: tokio::sync::Mutex<()>,
    /// How far usage totals are acknowledged.
    pub(super) shipped: tokio::sync::Mutex<Shipped>,
    /// The last checkpoint; one is made at a time, so that none arrives after a larger one.
    pub(super) signing: tokio::sync::Mutex<Signing>,
}

impl Chores {
    /// Nothing done yet, at `boot_ms`.
    pub(super) fn new(boot_ms: u64) -> Self {
        Self {
            folding: tokio::sync::Mutex::default(),
            shipped: tokio::sync::Mutex::default(),
            signing: tokio::sync::Mutex::new(Signing::begun(boot_ms)),
        }
    }
}

fn every(ms: u64) -> Interval {
    let mut beat = interval(Duration::from_millis(ms.max(1)));
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    beat
}

/// Renews the lease of `session` until it is dropped, or its lease was taken away.
pub(super) fn renew(session: &Arc<Session>) {
    let renew_ms = u64::from(session.timing().renew_ms());
    let session = Arc::downgrade(session);
    tokio::spawn(async move {
        let mut beat = every(renew_ms);
        loop {
            beat.tick().await;
            let Some(session) = session.upgrade() else { return };
            if let Err(error) = session.renew().await {
                tracing::warn!(identity = %session.identity, %error, "the lease was not renewed");
            }
            if session.is_over() {
                return;
            }
        }
    });
}

/// Sees to the chores of `worker` until it is dropped, or its lease was taken away.
pub(super) fn chores(worker: &Arc<Worker>) {
    let worker: Weak<Worker> = Arc::downgrade(worker);
    tokio::spawn(async move {
        let mut beat = every(CHORES_MS);
        loop {
            beat.tick().await;
            let Some(worker) = worker.upgrade() else { return };
            if worker.over() {
                return;
            }
            worker.see_to_chores().await;
        }
    });
}

impl Worker {
    /// Folds acts of administration in, ships usage totals, makes a checkpoint when one is due. All
    /// of it is asked of the control plane as the holder, so without a lease none of it is tried.
    async fn see_to_chores(&self) {
        if !self.standing().stands_at(self.clock.boot_ms()) {
            return;
        }
        self.fold().await;
        self.ship_usage().await;
        self.ship_uses().await;
        self.checkpoint_when_due().await;
    }
}

#[cfg(test)]
mod tests;
