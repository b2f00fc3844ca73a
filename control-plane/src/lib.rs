//! Manages: identities, groups, projects, principals, tokens, grants, credentials, the catalogue and
//! usage; and says who serves an identity, and by which authority.
//!
//! The split that justifies this crate: it is the one place where a tenant's intent is written. It
//! authenticates every caller itself and speaks to data planes only in the messages of
//! [`tenancy::plane`]; it imports none.
//!
//! A verb's way: `operations` finds and authorises it, one file per verb carries it out against
//! `store`, its row, its act and the revision are one transaction, and it is answered once the holder
//! of the identity decides by that revision (`lease`).

pub mod plane;

mod call;
mod checkpoint;
mod done;
mod failure;
mod fold;
mod lease;
mod openapi;
mod operations;
mod page;
mod store;
mod uses;
mod verb;
mod views;

pub use plane::local::Local;
pub use plane::{Opened, Options, Plane};
pub use store::Error as StoreError;
