//! Connections that are kept for the next call.
//!
//! The invariant: a connection is only ever used again under the very same key: identity,
//! credential, origin and allow-list. The number of calls under way and the number of idle
//! connections, for each key and in all, are bounded; an idle one is closed when its time is up or
//! its room is needed.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::cidr::Cidr;
use super::connect::Counted;
use super::origin::Origin;

/// Headers of one answer: how many, and how many bytes together.
pub(super) const MAX_HEADERS: usize = 128;
pub(super) const MAX_HEADER_BYTES: usize = 32 << 10;

/// How long a finished connection may take to be ready again.
const SETTLE: Duration = Duration::from_millis(20);

/// How many connections there may be, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Calls under way at once; the others wait for their turn until their time is up.
    pub active: usize,
    /// Idle connections kept in all.
    pub idle: usize,
    /// Idle connections kept for one key.
    pub idle_per_key: usize,
    /// How long an idle connection is kept.
    pub idle_for: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { active: 256, idle: 64, idle_per_key: 32, idle_for: Duration::from_secs(30) }
    }
}

/// What two calls must share to share a connection.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Key {
    identity: String,
    credential: Option<String>,
    origin: Origin,
    allow: Vec<Cidr>,
}

impl Key {
    pub(super) fn new(
        identity: &str,
        credential: Option<&str>,
        origin: &Origin,
        allow: &[Cidr],
    ) -> Self {
        let mut allow = allow.to_vec();
        allow.sort_unstable();
        Self {
            identity: identity.to_owned(),
            credential: credential.map(str::to_owned),
            origin: origin.clone(),
            allow,
        }
    }
}

/// One open connection. Dropping it closes it.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) sender: SendRequest<Full<Bytes>>,
    driver: JoinHandle<()>,
    written: Arc<AtomicU64>,
}

impl Connection {
    pub(super) async fn open(io: Counted) -> hyper::Result<Self> {
        let written = io.written();
        let (sender, connection) = http1::Builder::new()
            .max_headers(MAX_HEADERS)
            .max_header_size(MAX_HEADER_BYTES)
            .max_buf_size(2 * MAX_HEADER_BYTES)
            .handshake(TokioIo::new(io))
            .await?;
        let driver = tokio::spawn(async move {
            // How it ended is told to whoever waits for an answer on it.
            let _ = connection.await;
        });
        Ok(Self { sender, driver, written })
    }

    /// Bytes handed to the connection so far.
    pub(super) fn written(&self) -> u64 {
        self.written.load(Ordering::SeqCst)
    }

    /// Closes the connection, and only then says how many bytes were handed to it: while it was
    /// still driven, the count could have grown after it was read.
    pub(super) async fn halt(mut self) -> u64 {
        self.driver.abort();
        let _ = (&mut self.driver).await;
        self.written()
    }

    /// Whether it can take another request, which it cannot if the upstream closes it.
    async fn is_settled(&mut self) -> bool {
        matches!(tokio::time::timeout(SETTLE, self.sender.ready()).await, Ok(Ok(())))
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

/// The idle connections, and the turns of calls.
#[derive(Debug)]
pub(super) struct Pool {
    limits: Limits,
    idle: Mutex<HashMap<Key, Vec<(Instant, Connection)>>>,
    turns: Semaphore,
}

impl Pool {
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, idle: Mutex::default(), turns: Semaphore::new(limits.active) }
    }

    /// Waits for a call's turn, which lasts until the permit is dropped. Idle connections hold none,
    /// so that they keep no call waiting.
    pub(super) async fn turn(&self) -> Option<SemaphorePermit<'_>> {
        self.turns.acquire().await.ok()
    }

    /// An idle connection of this key that can take a request: the one used last.
    pub(super) fn take(&self, key: &Key) -> Option<Connection> {
        let mut idle = self.lock();
        self.sweep(&mut idle);
        let kept = idle.get_mut(key)?;
        let found = loop {
            match kept.pop() {
                Some((_, connection)) if connection.sender.is_ready() => break Some(connection),
                Some(_) => {}
                None => break None,
            }
        };
        if kept.is_empty() {
            idle.remove(key);
        }
        found
    }

    /// Keeps a connection whose answer was read to its end, if it can take another request.
    pub(super) async fn keep(&self, key: Key, mut connection: Connection) {
        if !connection.is_settled().await {
            return;
        }
        let mut idle = self.lock();
        self.sweep(&mut idle);
        if idle.get(&key).map_or(0, Vec::len) >= self.limits.idle_per_key {
            return;
        }
        if idle.values().map(Vec::len).sum::<usize>() >= self.limits.idle {
            drop_oldest(&mut idle);
        }
        idle.entry(key).or_default().push((Instant::now(), connection));
    }

    /// How many idle connections there are.
    #[cfg(test)]
    pub(super) fn idle_count(&self) -> usize {
        self.lock().values().map(Vec::len).sum()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Vec<(Instant, Connection)>>> {
        // Nothing is left half done under the lock, so a panic elsewhere does not spoil what it holds.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sweep(&self, idle: &mut HashMap<Key, Vec<(Instant, Connection)>>) {
        for kept in idle.values_mut() {
            kept.retain(|(since, connection)| {
                since.elapsed() < self.limits.idle_for && !connection.sender.is_closed()
            });
        }
        idle.retain(|_, kept| !kept.is_empty());
    }
}

fn drop_oldest(idle: &mut HashMap<Key, Vec<(Instant, Connection)>>) {
    let oldest = idle
        .iter()
        .filter_map(|(key, kept)| Some((kept.first()?.0, key.clone())))
        .min_by_key(|(since, _)| *since);
    if let Some((_, key)) = oldest
        && let Some(kept) = idle.get_mut(&key)
    {
        kept.remove(0);
        if kept.is_empty() {
            idle.remove(&key);
        }
    }
}
