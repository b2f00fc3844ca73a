//! Owns what a worker decides by: the lease, and the authority and catalogue it was told. Invariants:
//! an older view never takes the place of a newer one; without a valid lease there is no decision;
//! what is acknowledged is already what calls are decided by.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arc_swap::ArcSwap;
use contract::Name;
use contract::shape::http;
use tenancy::authority::Now;
use tenancy::clock::Shared;
use tenancy::lease::{Lease, Standing, Timing};
use tenancy::plane::{self, Answered, Gone, Granted, Link, Push, ToControl};
use tenancy::seal::Dek;
use tenancy::view::AuthorityView;

use crate::catalogue::Index;

/// One revision of everything a call is decided by.
#[derive(Debug)]
pub(crate) struct World {
    /// Who may.
    pub(crate) view: Arc<AuthorityView>,
    /// What there is.
    pub(crate) index: Arc<Index>,
}

/// Why an identity cannot be served here now.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    /// The control plane does not answer.
    #[error(transparent)]
    Gone(#[from] Gone),
    /// The control plane does not let this node serve it.
    #[error("the control plane does not grant the lease: {0}")]
    Denied(String),
    /// The control plane answers that it cannot say now.
    #[error("the control plane cannot say now: {0}")]
    Unavailable(String),
    /// What the control plane sent cannot be used.
    #[error("what the control plane sent cannot be used: {0}")]
    Unusable(String),
}

/// A worker's standing with the control plane.
#[derive(Debug)]
pub(crate) struct Session {
    /// Which identity.
    pub(crate) identity: Name,
    /// The fencing token.
    pub(crate) epoch: u64,
    /// Opens the identity's sealed records.
    pub(crate) key: Dek,
    ends_boot_ms: AtomicU64,
    world: ArcSwap<World>,
    link: Arc<dyn Link>,
    clock: Shared,
    timing: Timing,
    policy: Arc<http::Policy>,
}

/// Asks the control plane and reads its answer.
pub(crate) async fn ask(link: &dyn Link, message: ToControl) -> Result<Answered, Fault> {
    let unusable = |error: plane::Unreadable| Fault::Unusable(error.to_string());
    let frame = plane::encode(message).map_err(unusable)?;
    let answer = link.ask(frame).await?;
    plane::decode(&answer).map_err(unusable)
}

impl Session {
    /// Acquires the lease of an identity for this node.
    pub(crate) async fn acquire(
        identity: Name,
        node: &str,
        link: Arc<dyn Link>,
        clock: Shared,
        policy: Arc<http::Policy>,
    ) -> Result<Self, Fault> {
        let timing = Timing::default();
        let sent = clock.boot_ms();
        let message = ToControl::Acquire { identity: identity.clone(), node: node.to_owned() };
        let answered = ask(&*link, message).await?;
        let Answered::Granted(granted) = answered else { return Err(other(answered)) };
        let Granted { epoch, key, view, catalogue, .. } = *granted;
        let unusable = |error: &dyn std::fmt::Display| Fault::Unusable(error.to_string());
        let view = Arc::new(AuthorityView::new(view).map_err(|error| unusable(&error))?);
        let key = Dek::from_text(&key).ok_or_else(|| unusable(&"the key is none"))?;
        let index = Arc::new(Index::build(catalogue, &policy, None));
        index.index_words();
        let lease = Lease::sent_at(epoch, sent, &timing);
        Ok(Self {
            identity,
            epoch,
            key,
            ends_boot_ms: AtomicU64::new(lease.ends_boot_ms),
            world: ArcSwap::from_pointee(World { view, index }),
            link,
            clock,
            timing,
            policy,
        })
    }

    /// What calls are decided by at this moment.
    pub(crate) fn world(&self) -> Arc<World> {
        self.world.load_full()
    }

    /// By which right.
    pub(crate) fn standing(&self) -> Standing {
        let ends_boot_ms = self.ends_boot_ms.load(Ordering::Acquire);
        Standing::Held(Lease { epoch: self.epoch, ends_boot_ms })
    }

    /// Whether the control plane denied a renewal.
    pub(crate) fn is_over(&self) -> bool {
        self.ends_boot_ms.load(Ordering::Acquire) == 0
    }

    /// The moment, on both clocks.
    pub(crate) fn now(&self) -> Now {
        Now::of(&*self.clock)
    }

    /// The link to the control plane.
    pub(crate) fn link(&self) -> &dyn Link {
        &*self.link
    }

    /// How often the lease is renewed.
    pub(crate) const fn timing(&self) -> &Timing {
        &self.timing
    }

    /// Installs a push, if it is newer than what is held, and acknowledges what is held then.
    pub(crate) async fn install(&self, push: Push) -> Result<(), Fault> {
        if push.epoch == self.epoch {
            self.put(Some(push.view), push.catalogue)?;
        }
        self.acknowledge().await
    }

    async fn acknowledge(&self) -> Result<(), Fault> {
        let revision = self.world.load().view.revision();
        let message =
            ToControl::Ack { identity: self.identity.clone(), epoch: self.epoch, revision };
        ask(&*self.link, message).await.map(drop)
    }

    /// Puts newer parts in place. A view and a catalogue that came together are seen together.
    fn put(
        &self,
        view: Option<tenancy::view::Document>,
        catalogue: Option<plane::Catalogue>,
    ) -> Result<(), Fault> {
        let held = Arc::clone(&self.world.load().index);
        let build = |catalogue| Arc::new(Index::build(catalogue, &self.policy, Some(&held)));
        let index = catalogue.map(build);
        let view = view
            .map(AuthorityView::new)
            .transpose()
            .map_err(|error| Fault::Unusable(error.to_string()))?
            .map(Arc::new);
        self.world.rcu(|held| {
            let newer = view.as_ref().filter(|view| view.revision() > held.view.revision());
            let index = index.as_ref().filter(|index| index.revision > held.index.revision);
            match (newer, index) {
                (None, None) => Arc::clone(held),
                (newer, index) => Arc::new(World {
                    view: Arc::clone(newer.unwrap_or(&held.view)),
                    index: Arc::clone(index.unwrap_or(&held.index)),
                }),
            }
        });
        if let Some(index) = index.filter(|index| index.lacks_words()) {
            // Its own thread: what is decided meanwhile is decided by the whole of this index, and
            // only a search looks at the words of the one before.
            tokio::task::spawn_blocking(move || index.index_words());
        }
        Ok(())
    }

    /// Renews the lease, and installs what changed since. A renewal that is denied ends the lease at
    /// once, and for good; one that is not answered, or with no more than that it cannot be said now,
    /// leaves it to run out.
    pub(crate) async fn renew(&self) -> Result<(), Fault> {
        let sent = self.clock.boot_ms();
        let (revision, catalogue) = {
            let world = self.world.load();
            (world.view.revision(), world.index.revision)
        };
        let message = ToControl::Renew {
            identity: self.identity.clone(),
            epoch: self.epoch,
            revision,
            catalogue,
        };
        let answered = ask(&*self.link, message).await?;
        if let Answered::Renewed(renewed) = answered {
            let changed = renewed.view.is_some() || renewed.catalogue.is_some();
            self.put(renewed.view, renewed.catalogue)?;
            let lease = Lease::sent_at(self.epoch, sent, &self.timing);
            self.ends_boot_ms.fetch_max(lease.ends_boot_ms, Ordering::AcqRel);
            return if changed { self.acknowledge().await } else { Ok(()) };
        }
        let fault = other(answered);
        if matches!(fault, Fault::Denied(_)) {
            self.ends_boot_ms.store(0, Ordering::Release);
        }
        Err(fault)
    }
}

/// What an answer that was not hoped for means.
fn other(answered: Answered) -> Fault {
    match answered {
        Answered::Denied(why) => Fault::Denied(why),
        Answered::Unavailable(what) => Fault::Unavailable(what),
        Answered::Verb(_)
        | Answered::Identity(_)
        | Answered::Granted(_)
        | Answered::Renewed(_)
        | Answered::Outbox(_)
        | Answered::Countersigned(_)
        | Answered::Done => Fault::Unusable("it answered something else".to_owned()),
    }
}
