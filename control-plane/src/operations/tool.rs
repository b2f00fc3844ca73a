//! Owns the operations on tools as a curator sees them.

pub(crate) mod classify;
pub(crate) mod diff;
pub(crate) mod get;
pub(crate) mod list;

use contract::verbs::tool::Tool;
use contract::{Action, Id, Refusal, id};
use tenancy::permit::Permit;

use crate::call::Call;
use crate::failure::Failure;
use crate::store;
use crate::store::tx::Conn;

/// The tool of that id, with the permit to do `action` at its scope.
async fn find<T: AsMut<Conn>>(
    call: &mut Call<'_, T>,
    action: Action,
    id: Id<id::Tool>,
) -> Result<(Permit, Tool), Failure> {
    for permit in call.reach(action)? {
        if let Some(tool) = store::tool::get(call.tx.as_mut(), &permit, id).await? {
            return Ok((call.may(action, &tool.scope)?, tool));
        }
    }
    Err(Refusal::not_found("tool", "tool").into())
}
