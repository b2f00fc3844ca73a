//! Owns the operations on principals. They live in the identity, so each is decided there.

pub(crate) mod create;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod resume;
pub(crate) mod suspend;
pub(crate) mod update;

use contract::verbs::principal::{ChangeInput, Principal};
use contract::{Action, Id, Refusal, Written, id};
use tenancy::permit::Permit;

use crate::call::{Call, Write, expect_version};
use crate::done::Done;
use crate::failure::Failure;
use crate::store::tx::Conn;
use crate::store::{self, principal::Change};

/// How a principal that is not there is told.
const NAMED: (&str, &str) = ("principal", "principal");

/// The principal of that id, with the permit to do `action`.
async fn find<T: AsMut<Conn>>(
    call: &mut Call<'_, T>,
    action: Action,
    id: Id<id::Principal>,
) -> Result<(Permit, Principal), Failure> {
    let permit = call.may_see(action, call.root(), NAMED)?;
    let found = store::principal::get(call.tx.as_mut(), &permit, id).await?;
    let principal = found.ok_or_else(|| Refusal::not_found(NAMED.0, NAMED.1))?;
    Ok((permit, principal))
}

/// Suspends a principal or ends its suspension.
async fn set_suspended(
    call: &mut Write<'_>,
    input: &ChangeInput,
    suspended: bool,
) -> Result<Done<Principal>, Failure> {
    let (permit, principal) = find(call, Action::PrincipalManage, input.principal).await?;
    expect_version(input.expected_version, principal.version)?;
    if principal.suspended == suspended {
        return Ok(Done::of(principal));
    }
    let change = Change::Suspended(suspended);
    let principal = store::principal::change(&mut call.tx, &permit, principal.id, change).await?;
    let written = Written::new("principals", principal.id, principal.version);
    Ok(Done::wrote(principal, permit.scope(), written))
}
