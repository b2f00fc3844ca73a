//! The surfaces of a worker: REST and MCP, both over HTTP. The command line speaks REST.
//!
//! Owns reading requests and writing answers. Invariant: what a verb is called, takes and answers is
//! the contract's; nothing here names a field of any verb.

pub mod mcp;
pub(crate) mod rest;
