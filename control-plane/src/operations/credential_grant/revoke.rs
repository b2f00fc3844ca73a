//! `credential-grant.revoke`: ends a credential grant. Revoking it again changes nothing, and is
//! answered only once the first revocation holds.

use contract::verbs::credential_grant::{CredentialGrant, Which};
use contract::{Action, Id, Refusal, Written, id};
use tenancy::permit::Permit;

use crate::call::Write;
use crate::done::Done;
use crate::failure::Failure;
use crate::store;

pub(crate) async fn run(
    call: &mut Write<'_>,
    input: Which,
) -> Result<Done<CredentialGrant>, Failure> {
    let (permit, grant) = find(call, input.credential_grant).await?;
    if grant.revoked {
        return Ok(Done::of(grant));
    }
    let grant = store::credential_grant::revoke(&mut call.tx, &permit, grant.id).await?;
    let written = Written::new("credential_grants", grant.id, grant.version);
    Ok(Done::wrote(grant, permit.scope(), written))
}

/// The credential grant of that id, with the permit to revoke it.
async fn find(
    call: &mut Write<'_>,
    id: Id<id::CredentialGrant>,
) -> Result<(Permit, CredentialGrant), Failure> {
    for permit in call.reach(Action::CredentialGrant)? {
        let found = store::credential_grant::get(&mut call.tx, &permit, id).await?;
        if let Some(grant) = found {
            return Ok((call.may(Action::CredentialGrant, &grant.scope)?, grant));
        }
    }
    Err(Refusal::not_found("credential_grant", "credential grant").into())
}
