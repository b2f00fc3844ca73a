//! Owns the operations on identities. Operators only; none reads a record inside an identity.

pub(crate) mod create;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod resume;
pub(crate) mod suspend;

use contract::verbs::identity::{ChangeInput, Identity};
use contract::{Refusal, Scope, Written};

use crate::call::{Operate, expect_version};
use crate::done::Done;
use crate::failure::Failure;
use crate::store;
use crate::store::tx::Writing;

/// How an identity that is not there is told.
fn missing() -> Refusal {
    Refusal::not_found("identity", "identity")
}

/// Suspends an identity or ends its suspension.
async fn set_suspended(
    call: &mut Operate<'_, Writing>,
    input: &ChangeInput,
    suspended: bool,
) -> Result<Done<Identity>, Failure> {
    let found = store::identity::get(&mut call.tx, &call.operator, &input.identity).await?;
    let identity = found.ok_or_else(missing)?;
    expect_version(input.expected_version, identity.version)?;
    let scope = Scope::identity(&identity.name);
    if identity.suspended == suspended {
        return Ok(Done::of(identity).at(&scope));
    }
    let (tx, operator) = (&mut call.tx, &call.operator);
    let identity = store::identity::suspend(tx, operator, &identity.name, suspended).await?;
    let written = Written::new("identities", identity.id, identity.version);
    Ok(Done::wrote(identity, &scope, written))
}
