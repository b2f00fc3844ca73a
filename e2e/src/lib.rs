//! A world to test against: both planes in one process, as `bailiwick serve` starts them, over a real
//! listener and real files, with an upstream of our own on loopback.
//!
//! Invariant: a test acts on the world only as a caller does, over HTTP with tokens.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    reason = "this crate is for tests: what is not as it must be stops the test"
)]

pub mod alike;
pub mod clock;
mod copied;
pub mod mcp;
pub mod power;
pub mod process;
pub mod surface;
pub mod upstream;
pub mod world;

pub use process::Process;
pub use surface::Surface;
pub use upstream::Upstream;
pub use world::{Said, World};
