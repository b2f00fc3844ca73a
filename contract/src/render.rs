//! Owns what a [`crate::Verb`] looks like on each surface: REST, MCP, the OpenAPI document and the
//! command line. Invariant: everything here is read from the declarations and from nothing else, so
//! that no surface can take a field, a limit or a word that another does not.

pub mod cli;
pub mod docs;
pub mod mcp;
pub mod openapi;
pub mod reference;
pub mod rest;

#[cfg(test)]
mod tests;
