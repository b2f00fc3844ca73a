//! `grant.revoke`: ends a grant. Revoking it again changes nothing, and is answered only once the
//! first revocation holds.

use contract::verbs::grant::{Grant, Which};
use contract::{Action, Written};

use super::find;
use crate::call::Write;
use crate::done::Done;
use crate::failure::Failure;
use crate::store;

pub(crate) async fn run(call: &mut Write<'_>, input: Which) -> Result<Done<Grant>, Failure> {
    let (permit, grant) = find(call, Action::GrantManage, input.grant).await?;
    if grant.revoked {
        return Ok(Done::of(grant));
    }
    let grant = store::grant::revoke(&mut call.tx, &permit, grant.id).await?;
    let written = Written::new("grants", grant.id, grant.version);
    Ok(Done::wrote(grant, permit.scope(), written))
}
