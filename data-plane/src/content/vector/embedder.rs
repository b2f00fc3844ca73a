//! The port through which the platform itself asks a model what a text means.
//!
//! There is no such model yet: [`Absent`] stands here, callers give the vectors of what they ask, and
//! search is by words where they do not. What an endpoint or a local model will answer with comes in by
//! this trait and is looked at like what a caller gives. Invariant: nothing here makes up a vector from
//! a text's letters; those add no meaning and made ranking worse.

use async_trait::async_trait;

use super::Vector;

/// What a text means to a model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Meaning {
    /// The model, by the name that vectors are kept under.
    pub(crate) model: String,
    /// The vector it gives the text.
    pub(crate) vector: Vector,
}

/// Makes vectors of texts.
#[async_trait]
pub(crate) trait Embedder: Send + Sync + std::fmt::Debug {
    /// What a text means; nothing if there is no model to ask, or it does not answer in time. The text
    /// is what a caller typed: it leaves this process only for where the identity said it may go.
    async fn meaning(&self, text: &str) -> Option<Meaning>;
}

/// No model.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Absent;

#[async_trait]
impl Embedder for Absent {
    async fn meaning(&self, _: &str) -> Option<Meaning> {
        None
    }
}
