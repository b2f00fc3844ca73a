//! Owns the operations on grants. The model of a noun whose records lie at scopes.

pub(crate) mod create;
pub(crate) mod list;
pub(crate) mod revoke;

use contract::verbs::grant::Grant;
use contract::{Action, Id, Refusal, id};
use tenancy::permit::Permit;

use crate::call::Write;
use crate::failure::Failure;
use crate::store;

/// The grant of that id, with the permit to do `action` at its scope.
async fn find(
    call: &mut Write<'_>,
    action: Action,
    id: Id<id::Grant>,
) -> Result<(Permit, Grant), Failure> {
    for permit in call.reach(action)? {
        if let Some(grant) = store::grant::get(&mut call.tx, &permit, id).await? {
            return Ok((call.may(action, &grant.scope)?, grant));
        }
    }
    Err(Refusal::not_found("grant", "grant").into())
}
