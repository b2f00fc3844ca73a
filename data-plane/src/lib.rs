//! Serves: the front, the workers, the Gate, the ledger, content, the catalogue's shapes, discovery.
//!
//! The split that justifies this crate: everything on the way of a call, from the listener to the
//! effect and back. It never imports the control plane: the two speak the messages of
//! [`tenancy::plane`].

mod approval;
pub mod catalogue;
mod content;
mod front;
mod gate;
mod idempotency;
pub mod ledger;
mod ledger_rows;
mod meter;
mod replay;
mod run;
mod seat;
mod store;
pub mod surface;
mod worker;

pub use front::{Reach, router, serve};
pub use worker::Config;
