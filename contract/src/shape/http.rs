//! Owns what may be declared of a system that speaks HTTP, and the one check of it. Invariant:
//! nothing a caller says can change where a request goes: scheme, host, port, the number of path
//! segments and the names of query pairs and headers are the declaration's.

pub mod address_guard;
pub mod cidr;
pub mod declaration;
pub mod diff;
pub mod fault;
pub mod header_rule;
pub mod origin;

pub use cidr::Cidr;
pub use declaration::{
    Endpoint, Lookup, Placement, Policy, Server, Validated, input_schema, validate, validate_server,
};
pub use origin::Origin;
