//! Owns the link between two planes in one process. Invariant: what crosses it is bytes, as it would
//! be between two machines.

use std::sync::Arc;

use tenancy::plane::{Boxed, Gone, Link};
use tokio::sync::mpsc;

use super::Plane;

/// A link to a control plane in this process.
#[derive(Debug, Clone)]
pub struct Local(Arc<Plane>);

impl Local {
    /// A link to `plane`.
    pub const fn new(plane: Arc<Plane>) -> Self {
        Self(plane)
    }
}

impl Link for Local {
    fn ask(&self, frame: Vec<u8>) -> Boxed<'_, Result<Vec<u8>, Gone>> {
        // A task of its own: an asker that gives up does not stop a revocation half-way.
        let plane = Arc::clone(&self.0);
        Box::pin(async move {
            let answering = tokio::spawn(async move { plane.answer(&frame).await });
            answering.await.map_err(|error| Gone(error.to_string()))
        })
    }

    fn pushes(&self, node: &str) -> mpsc::Receiver<Vec<u8>> {
        self.0.pushes(node)
    }
}
