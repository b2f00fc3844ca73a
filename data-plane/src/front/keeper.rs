//! Owns the workers of this node: started when the first call for an identity comes, restarted when
//! their lease was taken from them. Invariant: one worker an identity, and only so many starts at
//! once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use contract::Name;
use tenancy::clock::Shared;
use tenancy::plane::{self, Link, Push};
use tokio::sync::{OnceCell, Semaphore};

use super::Reach;
use super::proxy::Served;
use crate::worker::{Config, Fault, Worker};

/// How many workers start at the same time.
const STARTS_MAX: usize = 8;
/// How many identities one node serves.
const WORKERS_MAX: usize = 5_000;

type Slot = Arc<OnceCell<Arc<Served>>>;

/// The workers of this node.
#[derive(Debug)]
pub(crate) struct Keeper {
    link: Arc<dyn Link>,
    clock: Shared,
    config: Config,
    reach: Reach,
    slots: Mutex<HashMap<Name, Slot>>,
    starts: Semaphore,
}

impl Keeper {
    /// Starts keeping: no worker yet, but pushes are listened for.
    pub(crate) fn start(
        link: Arc<dyn Link>,
        clock: Shared,
        config: Config,
        reach: Reach,
    ) -> Arc<Self> {
        let mut pushes = link.pushes(&config.node);
        let keeper = Arc::new(Self {
            link,
            clock,
            config,
            reach,
            slots: Mutex::default(),
            starts: Semaphore::new(STARTS_MAX),
        });
        let weak = Arc::downgrade(&keeper);
        tokio::spawn(async move {
            while let Some(frame) = pushes.recv().await {
                let Some(keeper) = weak.upgrade() else { return };
                match plane::decode::<Push>(&frame) {
                    Ok(push) => keeper.push(push),
                    Err(error) => tracing::warn!(%error, "a push cannot be read"),
                }
            }
        });
        keeper
    }

    fn slots(&self) -> std::sync::MutexGuard<'_, HashMap<Name, Slot>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many workers there are.
    pub(crate) fn count(&self) -> usize {
        self.slots().values().filter(|slot| slot.initialized()).count()
    }

    fn push(&self, push: Push) {
        let slot = self.slots().get(&push.identity).cloned();
        let Some(served) = slot.and_then(|slot| slot.get().cloned()) else { return };
        // Installed beside others: a push of one identity does not wait for another's.
        tokio::spawn(async move { served.worker().install(push).await });
    }

    /// The worker of an identity, started if it is not there or its lease is over for good.
    pub(crate) async fn worker(&self, identity: &Name) -> Result<Arc<Served>, Fault> {
        let slot = {
            let mut slots = self.slots();
            if slots.len() >= WORKERS_MAX && !slots.contains_key(identity) {
                return Err(Fault::Denied(
                    "this node serves as many identities as it may".to_owned(),
                ));
            }
            let over = |slot: &Slot| slot.get().is_some_and(|served| served.worker().over());
            if slots.get(identity).is_some_and(over) {
                slots.remove(identity);
            }
            Arc::clone(slots.entry(identity.clone()).or_default())
        };
        let served = slot
            .get_or_try_init(|| async {
                let _start = self
                    .starts
                    .acquire()
                    .await
                    .map_err(|_| Fault::Denied("this node is stopping".to_owned()))?;
                let worker = Worker::start(
                    identity.clone(),
                    Arc::clone(&self.link),
                    Arc::clone(&self.clock),
                    &self.config,
                )
                .await?;
                Ok::<_, Fault>(Arc::new(Served::new(worker, &self.reach)))
            })
            .await?;
        Ok(Arc::clone(served))
    }
}
