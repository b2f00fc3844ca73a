//! Owns the one writer of a namespace. Every write of a worker, whatever it is about, goes through
//! [`Store::commit`]: a batch of ledger entries and of changes, applied in one transaction with
//! those of concurrent calls.
//!
//! Invariants: entries are chained in the order in which they are stored; a batch is applied whole or
//! not at all; a writer whose lease was taken over (another epoch stands in the file) writes nothing;
//! the queue is bounded.

mod writer;

use std::fmt;
use std::pin::Pin;

use sqlx::{SqliteConnection, SqlitePool};
use tokio::sync::{mpsc, oneshot};

use crate::ledger::entry::Body;
use crate::ledger::merkle::Hash;
use tenancy::clock::Shared;

pub(crate) use writer::Opened;

/// How many batches may wait for the writer.
const QUEUE_MAX: usize = 1024;

/// A future of a change being applied.
pub(crate) type Applying<'a> = Pin<Box<dyn Future<Output = Result<(), Fault>> + Send + 'a>>;

/// One change of the namespace's tables. Each module that owns a table owns its changes.
pub(crate) trait Change: Send + Sync + fmt::Debug {
    /// Applies it inside the writer's transaction.
    fn apply<'a>(&'a self, connection: &'a mut SqliteConnection) -> Applying<'a>;
}

/// Why a batch was not applied. Nothing of it was.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    /// What a change expected to find is no longer so.
    #[error("{0} changed in the meantime")]
    Conflict(&'static str),
    /// The namespace cannot be written, or another worker took over.
    #[error("the namespace is not written")]
    Namespace(#[from] tenancy::namespace::Error),
    /// The group of writes that this was in was not committed.
    #[error("the group of writes was not committed")]
    Group,
    /// The database refused.
    #[error("the namespace store failed")]
    Sql(#[from] sqlx::Error),
    /// An entry cannot be written.
    #[error("the entry cannot be written")]
    Entry(#[from] crate::ledger::entry::Error),
    /// Too much is waiting to be written.
    #[error("too much is waiting to be written")]
    Full,
    /// The writer has stopped.
    #[error("the writer has stopped")]
    Stopped,
}

/// What is to be written together.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    /// Entries of the ledger, in order.
    pub(crate) entries: Vec<Body>,
    /// Changes of other tables.
    pub(crate) changes: Vec<Box<dyn Change>>,
    /// Whether it must be on the disk, and not only safe from this process, before it is answered.
    pub(crate) durable: bool,
}

impl Batch {
    /// A batch of one entry.
    pub(crate) fn of(entry: Body) -> Self {
        Self { entries: vec![entry], ..Self::default() }
    }

    /// This batch with one more change.
    #[must_use]
    pub(crate) fn with(mut self, change: impl Change + 'static) -> Self {
        self.changes.push(Box::new(change));
        self
    }

    /// This batch, on the disk before it is answered.
    #[must_use]
    pub(crate) fn durable(mut self) -> Self {
        self.durable = true;
        self
    }
}

struct Request {
    batch: Batch,
    done: oneshot::Sender<Result<u64, Fault>>,
}

/// The state of the chain after the last commit.
#[derive(Debug, Clone)]
pub(crate) struct Tip {
    /// How many entries there are.
    pub(crate) size: u64,
    /// The root of the Merkle tree over them.
    pub(crate) root: Hash,
}

/// A namespace that is being served.
#[derive(Debug, Clone)]
pub(crate) struct Store {
    queue: mpsc::Sender<Request>,
    readers: SqlitePool,
    tip: tokio::sync::watch::Receiver<Tip>,
}

impl Store {
    /// Starts the writer over an opened chain.
    pub(crate) fn start(opened: Opened, readers: SqlitePool, clock: Shared) -> Self {
        let (queue, requests) = mpsc::channel(QUEUE_MAX);
        let (tip_sender, tip) = tokio::sync::watch::channel(opened.tip());
        tokio::spawn(opened.run(requests, tip_sender, clock));
        Self { queue, readers, tip }
    }

    /// Writes a batch, and answers the number of its first entry.
    ///
    /// # Errors
    /// When nothing of it was written: see [`Fault`].
    pub(crate) async fn commit(&self, batch: Batch) -> Result<u64, Fault> {
        let (done, answer) = oneshot::channel();
        self.queue.try_send(Request { batch, done }).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => Fault::Full,
            mpsc::error::TrySendError::Closed(_) => Fault::Stopped,
        })?;
        answer.await.map_err(|_| Fault::Stopped)?
    }

    /// A place in the queue, taken before an effect so that its outcome can be written after it.
    ///
    /// # Errors
    /// When too much is waiting to be written, or the writer has stopped.
    pub(crate) fn reserve(&self) -> Result<Place, Fault> {
        let reserved = self.queue.clone().try_reserve_owned();
        reserved.map(Place).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => Fault::Full,
            mpsc::error::TrySendError::Closed(_) => Fault::Stopped,
        })
    }

    /// Connections that read.
    pub(crate) fn readers(&self) -> &SqlitePool {
        &self.readers
    }

    /// Where the chain stands.
    pub(crate) fn tip(&self) -> Tip {
        self.tip.borrow().clone()
    }
}

/// A place in the writer's queue.
#[derive(Debug)]
pub(crate) struct Place(mpsc::OwnedPermit<Request>);

impl Place {
    /// Writes a batch, and answers the number of its first entry.
    ///
    /// # Errors
    /// When nothing of it was written: see [`Fault`].
    pub(crate) async fn commit(self, batch: Batch) -> Result<u64, Fault> {
        let (done, answer) = oneshot::channel();
        self.0.send(Request { batch, done });
        answer.await.map_err(|_| Fault::Stopped)?
    }
}

#[cfg(test)]
mod tests;
