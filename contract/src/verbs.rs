//! Owns the declarations of every verb, one module a noun. Invariant: what is not declared here does
//! not exist on any surface.

pub mod access;
pub mod approval;
pub mod catalogue;
pub mod content;
pub mod credential;
pub mod credential_grant;
pub mod grant;
pub mod group;
pub mod identity;
pub mod invite;
pub mod ledger;
pub mod pack;
pub mod principal;
pub mod project;
pub mod role;
pub mod run;
pub mod server;
pub mod token;
pub mod tool;
pub mod usage;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::verb::Verb;

/// The longest page of a list.
pub const PAGE_MAX: u32 = 200;
/// The page of a list when none is asked for.
pub const PAGE_DEFAULT: u32 = 50;

/// Which page of a list.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListInput {
    /// Where to go on: the `cursor` of the answer before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 400))]
    pub cursor: Option<String>,
    /// How many at most (1 to 200, 50 if not said).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 200))]
    pub limit: Option<u32>,
}

/// One page of a list.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Page<T> {
    /// The records of this page, in a fixed order.
    pub items: Vec<T>,
    /// Send it to read on; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// An input without fields.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// Every verb, in no order.
pub fn all() -> Vec<Verb> {
    macro_rules! list {
        ($($noun:ident :: { $($verb:ident),+ $(,)? }),+ $(,)?) => {
            vec![$($(Verb::of::<$noun::$verb>()),+),+]
        };
    }
    list![
        access::{Explain},
        approval::{Get, List, Release, Refuse, Cancel},
        catalogue::{Tops, Place, Search, Describe, Call},
        content::{Search, Near, Read, Embed, Slice, Describe},
        credential::{Create, List, Rotate, Destroy},
        credential_grant::{Create, List, Revoke},
        grant::{Create, List, Revoke},
        group::{Create, List, Update, Archive},
        identity::{Create, Get, List, Suspend, Resume},
        invite::{Create, List, Revoke, Accept},
        ledger::{Query, Export, Replay},
        pack::{Publish, List, Get},
        principal::{Create, Get, List, Update, Suspend, Resume},
        project::{Create, List, Update, Archive},
        role::{Create, List, Update, Delete},
        run::{Start, Get, List, End},
        server::{Register, Publish, Import, Get, List, Withdraw},
        tool::{List, Get, Diff, Classify},
        token::{Create, Narrow, List, Rebind, Revoke, Rotate, ReportLeaked, Whoami},
        usage::{Query},
    ]
}

#[cfg(test)]
mod tests;
