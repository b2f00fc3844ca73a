//! Owns the control plane as a value: opened once, asked in frames. Invariant: every frame gets an
//! answer; one that cannot be read is denied, one that the store cannot answer is unavailable and
//! takes nobody's lease, and nothing in here panics.

pub mod local;
mod open;

use std::fmt;

use contract::shape::http::Policy;
use contract::{Id, Name, id};
use tenancy::clock;
use tenancy::lease::Timing;
use tenancy::permit;
use tenancy::plane::{Answered, ToControl, decode, encode};
use tenancy::seal::Kek;
use tenancy::token::Uses;
use tokio::sync::mpsc;

pub use open::{Error, Opened, Options};

use crate::call::Means;
use crate::checkpoint::Countersigner;
use crate::lease::Holders;
use crate::lease::push::Pushers;
use crate::store::{self, Store};
use crate::views::Views;

/// The control plane.
pub struct Plane {
    pub(crate) store: Store,
    pub(crate) views: Views,
    pub(crate) holders: Holders,
    pub(crate) pushers: Pushers,
    pub(crate) source: clock::Shared,
    pub(crate) kek: Kek,
    pub(crate) countersigner: Countersigner,
    pub(crate) timing: Timing,
    pub(crate) policy: Policy,
    pub(crate) uses: Uses<(Name, Id<id::Token>)>,
}

impl fmt::Debug for Plane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plane").field("timing", &self.timing).finish_non_exhaustive()
    }
}

impl Plane {
    /// Answers a frame of [`ToControl`] with one of [`Answered`].
    pub async fn answer(&self, frame: &[u8]) -> Vec<u8> {
        let answered = match decode(frame) {
            Ok(message) => Box::pin(self.message(message)).await,
            Err(error) => {
                let error: &dyn std::error::Error = &error;
                tracing::warn!(error, "a frame that cannot be read");
                Answered::Denied("the frame cannot be read".to_owned())
            }
        };
        // What is answered is made of texts and numbers, which JSON can say; if it ever is not, an
        // empty frame is unreadable for whoever asked.
        encode(answered).unwrap_or_default()
    }

    /// Frames of [`Push`](tenancy::plane::Push) for the identities that `node` holds. Whoever asks
    /// again for the same node gets them from then on. A full queue drops the push: the renewal heals
    /// it.
    pub fn pushes(&self, node: &str) -> mpsc::Receiver<Vec<u8>> {
        self.pushers.attach(node)
    }

    /// The countersigner's public key in the form that verifiers of signed notes take
    /// (`<name>+<key id>+<key>`, C2SP signed-note).
    pub fn verifier_key(&self) -> String {
        self.countersigner.verifier_key()
    }

    /// Closes the database. What is asked afterwards is answered as unavailable.
    pub async fn close(&self) {
        self.write_uses_down().await;
        self.store.close().await;
    }

    pub(crate) fn means(&self) -> Means<'_> {
        let Self { source, kek, policy, uses, .. } = self;
        Means { source: &**source, kek, policy, uses }
    }

    async fn message(&self, message: ToControl) -> Answered {
        let answered = match message {
            ToControl::Verb(call) => {
                let answer = self.verb(&call).await;
                self.write_uses_down().await;
                return Answered::Verb(answer);
            }
            ToControl::Route { route } => self.route(&route).await,
            ToControl::Exists { identity } => self.exists(identity).await,
            ToControl::Acquire { identity, node } => self.acquire(identity, node).await,
            ToControl::Renew { identity, epoch, revision, catalogue } => {
                let held = (revision, catalogue);
                self.renew(&permit::Plane::of(identity), epoch, held).await
            }
            ToControl::Ack { identity, epoch, revision } => {
                self.ack(&permit::Plane::of(identity), epoch, revision).await
            }
            ToControl::Release { identity, epoch } => {
                self.release(&permit::Plane::of(identity), epoch).await
            }
            ToControl::Outbox { identity, epoch, folded, limit } => {
                self.outbox(&permit::Plane::of(identity), epoch, folded, limit).await
            }
            ToControl::Usage { identity, epoch, totals, fresh_until } => {
                self.usage(&permit::Plane::of(identity), epoch, &totals, fresh_until).await
            }
            ToControl::Used { identity, epoch, uses } => {
                self.used(&permit::Plane::of(identity), epoch, &uses).await
            }
            ToControl::Checkpoint { identity, epoch, note } => {
                self.checkpoint(&permit::Plane::of(identity), epoch, &note).await
            }
        };
        answered.unwrap_or_else(|error| {
            let error: &dyn std::error::Error = &error;
            tracing::error!(error, "the control store does not answer");
            Answered::Unavailable("the control store does not answer".to_owned())
        })
    }

    async fn route(&self, route: &str) -> Result<Answered, store::Error> {
        let mut conn = self.store.read().await?;
        Ok(Answered::Identity(store::identity::by_route(&mut conn, route).await?))
    }

    async fn exists(&self, identity: Name) -> Result<Answered, store::Error> {
        let mut conn = self.store.read().await?;
        let exists = store::identity::exists(&mut conn, &identity).await?;
        Ok(Answered::Identity(exists.then_some(identity)))
    }
}
