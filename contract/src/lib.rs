//! What is said: names, scopes, typed ids, verbs, schemas, the envelope, refusals, hints, addresses
//! and labels.
//!
//! The split that justifies this crate: everything a caller can see is declared here once, and the
//! three surfaces (MCP, REST, command line) are rendered from it. It does no I/O, knows no store,
//! no clock and no runtime, and depends on nothing else of ours.

pub mod action;
pub mod address;
pub mod canonical;
pub mod effect;
pub mod envelope;
pub mod hint;
pub mod id;
pub mod idempotency;
pub mod label;
pub mod name;
pub mod refusal;
pub mod render;
pub mod sample;
pub mod schema;
pub mod scope;
pub mod shape;
pub mod time;
pub mod typed;
pub mod validate;
pub mod verb;
pub mod verbs;

pub use action::Action;
pub use address::{Address, Place};
pub use effect::Effect;
pub use envelope::{Answer, Envelope, Held, Unavailable, Written};
pub use hint::Hint;
pub use id::Id;
pub use label::{Label, Labels};
pub use name::{Name, ToolName};
pub use refusal::{Code, Fault, Refusal};
pub use scope::Scope;
pub use time::Timestamp;
pub use verb::{Registry, Verb};
