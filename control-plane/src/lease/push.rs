//! Owns the pushing of views to whoever holds an identity. Invariant: a push is a convenience: one
//! that is lost is healed by the renewal, and nothing waits for it to be taken.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use tenancy::permit;
use tenancy::plane::{Push, encode};
use tokio::sync::mpsc;

use crate::plane::Plane;
use crate::store::tx::Committed;
use crate::store::{self, Error};

/// How many pushes wait for a node before the next is dropped.
const QUEUED_MAX: usize = 64;

/// The nodes that are listening.
#[derive(Debug, Default)]
pub(crate) struct Pushers(Mutex<HashMap<String, mpsc::Sender<Vec<u8>>>>);

impl Pushers {
    /// What is pushed to `node` from now on.
    pub(crate) fn attach(&self, node: &str) -> mpsc::Receiver<Vec<u8>> {
        let (sender, receiver) = mpsc::channel(QUEUED_MAX);
        let mut nodes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        nodes.retain(|_, sender| !sender.is_closed());
        nodes.insert(node.to_owned(), sender);
        receiver
    }

    fn send(&self, node: &str, frame: Vec<u8>) {
        let nodes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = nodes.get(node).map(|sender| sender.try_send(frame));
        if !matches!(sent, Some(Ok(()))) {
            tracing::debug!(node, "a push was not taken; the renewal heals it");
        }
    }
}

impl Plane {
    /// Pushes the view, and the catalogue if it changed, to whoever held the identity when this was
    /// committed. What fails is logged: the holder hears of it when it renews.
    pub(crate) async fn publish(&self, plane: &permit::Plane, committed: &Committed) {
        if let Err(error) = self.push(plane, committed).await {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(error, identity = %plane.identity(), "a view was not pushed");
        }
    }

    async fn push(&self, plane: &permit::Plane, committed: &Committed) -> Result<(), Error> {
        let Some(lease) = committed.lease.as_ref().filter(|lease| !lease.node.is_empty()) else {
            return Ok(());
        };
        let mut conn = self.store.read().await?;
        let document = store::view::document(&mut conn, plane, self.source.now()).await?;
        let view = document.ok_or(Error::Gone { what: "the identity" })?;
        let catalogue = if committed.catalogue {
            Some(store::catalogue::load(&mut conn, plane).await?)
        } else {
            None
        };
        let identity = plane.identity().clone();
        match encode(Push { identity, epoch: lease.epoch, view, catalogue }) {
            Ok(frame) => self.pushers.send(&lease.node, frame),
            Err(error) => {
                let error: &dyn std::error::Error = &error;
                tracing::error!(error, "a push cannot be written down");
            }
        }
        Ok(())
    }
}
