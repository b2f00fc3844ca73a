//! Owns the link that the messages travel on. Invariant: what travels is bytes, in both directions.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

/// A boxed future.
pub type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The other plane does not answer.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the control plane does not answer: {0}")]
pub struct Gone(pub String);

/// How a data plane reaches the control plane.
pub trait Link: Send + Sync + fmt::Debug {
    /// Asks, and waits for the answer: frames of [`ToControl`](super::ToControl) and
    /// [`Answered`](super::Answered).
    fn ask(&self, frame: Vec<u8>) -> Boxed<'_, Result<Vec<u8>, Gone>>;
    /// Frames of [`Push`](super::Push) for the identities this node holds. A full queue drops the
    /// push: the renewal heals it.
    fn pushes(&self, node: &str) -> tokio::sync::mpsc::Receiver<Vec<u8>>;
}
