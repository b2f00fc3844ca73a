//! `invite.revoke`: ends an invite that was not accepted yet. Of one that has ended nothing changes.

use contract::verbs::invite::{Invite, Which};
use contract::{Action, Refusal, Written};

use crate::call::Write;
use crate::done::Done;
use crate::failure::Failure;
use crate::store;

pub(crate) async fn run(call: &mut Write<'_>, input: Which) -> Result<Done<Invite>, Failure> {
    let named = ("invite", "invite");
    let permit = call.may_see(Action::PrincipalManage, call.root(), named)?;
    let now = call.now();
    let found = store::invite::get(&mut call.tx, &permit, input.invite, now).await?;
    let found = found.ok_or_else(|| Refusal::not_found(named.0, named.1))?;
    let revoked = store::invite::revoke(&mut call.tx, &permit, input.invite, now).await?;
    let Some(revoked) = revoked else { return Ok(Done::of(found)) };
    let written = Written::new("invites", revoked.id, revoked.version);
    Ok(Done::wrote(revoked, permit.scope(), written))
}
