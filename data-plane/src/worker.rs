//! Owns the worker: everything that serves one identity. Invariants: it holds one namespace, opened
//! for its identity and no other; it decides only under its lease; a call is recorded before its
//! effect; what was ruled and never finished is found at the next start.

pub(crate) mod answer;
mod anyone;
mod beat;
pub(crate) mod call;
pub(crate) mod execute;
mod facts;
mod finish;
#[cfg(test)]
mod fixture;
mod fold;
pub(crate) mod judge;
mod lookup;
pub(crate) mod outcome;
mod recover;
pub(crate) mod render;
pub(crate) mod routes;
pub(crate) mod runs;
pub(crate) mod session;
mod ship;
pub(crate) mod sign;
mod upstream;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use contract::id::{self, Id};
use contract::shape::http::Policy;
use contract::{Name, Timestamp};
use tenancy::clock::{Shared, new_id};
use tenancy::namespace::Namespace;
use tenancy::permit::Plane;
use tenancy::plane::{Link, Push};
use tenancy::token::Uses;

use crate::catalogue::http::client::{Client, Settings};
use crate::content::vector::embedder::{self, Embedder};
use crate::gate::Limiter;
use crate::ledger::checkpoint::Signer;
use crate::run::Known;
use crate::store::{Opened, Store};

pub(crate) use call::{Incoming, Options, Surface};
pub(crate) use session::Fault;
use session::Session;

/// What a worker is started with.
#[derive(Debug, Clone)]
pub struct Config {
    /// The data folder.
    pub dir: PathBuf,
    /// What this node is called.
    pub node: String,
    /// What the operator allows declared endpoints.
    pub policy: Policy,
    /// The seed of the key that signs checkpoints.
    pub signing_seed: [u8; 32],
    /// The listeners and stores of the service itself. No declared endpoint reaches them, whatever
    /// `policy` allows.
    pub own: Vec<SocketAddr>,
}

/// Serves one identity.
#[derive(Debug)]
pub(crate) struct Worker {
    identity: Name,
    session: Arc<Session>,
    store: Store,
    runs: Known,
    callers: Limiter<Id<id::Principal>>,
    tools: Limiter<Id<id::Tool>>,
    uses: Uses<Id<id::Token>>,
    client: Client,
    embedder: Arc<dyn Embedder>,
    signer: Signer,
    clock: Shared,
    plane: Plane,
    chores: beat::Chores,
}

impl Worker {
    /// Acquires the identity, opens its namespace, takes the ledger over, finishes what a crash left
    /// unfinished, and keeps the lease alive until it is dropped.
    pub(crate) async fn start(
        identity: Name,
        link: Arc<dyn Link>,
        clock: Shared,
        config: &Config,
    ) -> Result<Arc<Self>, Fault> {
        let session = Session::acquire(
            identity.clone(),
            &config.node,
            link,
            Arc::clone(&clock),
            Arc::new(config.policy.clone()),
        )
        .await?;
        // From here on, since what follows may take longer than a lease lasts.
        let session = Arc::new(session);
        beat::renew(&session);
        let unusable = |error: &dyn std::fmt::Display| Fault::Unusable(error.to_string());
        let id = session.world().view.identity_id();
        let namespace = Namespace::open(&config.dir, id).await.map_err(|error| unusable(&error))?;
        let writer = namespace.writer(session.epoch).await.map_err(|error| unusable(&error))?;
        let opened =
            Opened::read(writer, &id.to_string()).await.map_err(|error| unusable(&error))?;
        let store = Store::start(opened, namespace.readers().clone(), Arc::clone(&clock));
        let origin = format!("bailiwick/{id}");
        let worker = Arc::new(Self {
            plane: Plane::of(identity.clone()),
            signer: Signer::from_seed(&origin, &config.signing_seed)
                .map_err(|error| unusable(&error))?,
            identity,
            session,
            store,
            runs: Known::default(),
            callers: Limiter::default(),
            tools: Limiter::default(),
            uses: Uses::default(),
            client: Client::new(Settings { own: config.own.clone(), ..Settings::default() })
                .map_err(|error| unusable(&error))?,
            embedder: Arc::new(embedder::Absent),
            chores: beat::Chores::new(clock.boot_ms()),
            clock,
        });
        worker.recover(&config.node).await.map_err(|error| unusable(&error))?;
        beat::chores(&worker);
        Ok(worker)
    }

    /// What makes vectors of texts.
    pub(crate) fn embedder(&self) -> &dyn Embedder {
        &*self.embedder
    }

    /// Installs a push of the control plane and acknowledges it.
    pub(crate) async fn install(&self, push: Push) {
        if let Err(error) = self.session.install(push).await {
            tracing::warn!(identity = %self.identity, %error, "a push was not installed");
        }
    }

    /// Whether the lease was taken away for good: another worker has to be started.
    pub(crate) fn over(&self) -> bool {
        self.session.is_over()
    }

    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    fn new_id<K: id::Kind>(&self) -> Id<K> {
        new_id(&*self.clock)
    }

    fn random<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.clock.random(&mut bytes);
        bytes
    }

    /// The store.
    pub(crate) const fn store(&self) -> &Store {
        &self.store
    }

    /// The plane's own permit.
    pub(crate) const fn plane(&self) -> &Plane {
        &self.plane
    }

    /// The key that signs checkpoints.
    pub(crate) const fn signer(&self) -> &Signer {
        &self.signer
    }

    /// What calls are decided by at this moment.
    pub(crate) fn world(&self) -> Arc<session::World> {
        self.session.world()
    }

    /// By which right.
    pub(crate) fn standing(&self) -> tenancy::lease::Standing {
        self.session.standing()
    }

    /// The moment, on both clocks.
    pub(crate) fn moment(&self) -> tenancy::authority::Now {
        self.session.now()
    }

    /// The wall clock.
    pub(crate) fn clock_now(&self) -> Timestamp {
        self.now()
    }

    /// A run that is in memory.
    pub(crate) fn known_run(&self, run: Id<id::Run>) -> Option<Arc<crate::run::Run>> {
        self.runs.get(run)
    }

    /// A new ruling's id.
    pub(crate) fn new_ruling_id(&self) -> Id<id::Ruling> {
        self.new_id()
    }

    /// An id for a grant that is only proposed.
    pub(crate) fn new_proposed_id(&self) -> Id<id::Grant> {
        self.new_id()
    }

    /// A new decision's id.
    pub(crate) fn new_seat_id(&self) -> Id<id::Decision> {
        self.new_id()
    }
}
