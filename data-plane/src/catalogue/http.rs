//! The `http` shape: a declared endpoint is a tool.
//!
//! Owns everything between a declaration and the bytes that leave: what may be declared
//! ([`contract::shape::http`]), how arguments become one request ([`request`]), which addresses may be
//! reached ([`address_guard`]), and the one client that sends it ([`client`]).
//!
//! The invariant: nothing a caller says can change where a request goes. Scheme, host, port, the
//! number of path segments and the names of query pairs and headers are the declaration's; a
//! value that would change them is refused, never repaired. Deliberately absent: a generic
//! request tool, redirects, cookies, proxies, and a way past the address guard.

mod body;
pub mod client;
pub mod connect;
pub mod failure;
mod pool;
pub mod received;
pub mod request;
pub mod scrub;
pub mod secret;

#[cfg(test)]
mod fixture;

pub use ::contract::shape::http::{address_guard, cidr, declaration, fault, header_rule, origin};
