//! `credential-grant.create`: lets the servers at a scope use a credential, by someone who may give
//! it both there and where it is managed.

use contract::verbs::credential_grant::{CreateInput, CredentialGrant};
use contract::{Action, Fault, Refusal, Written};

use crate::call::Write;
use crate::done::Done;
use crate::failure::Failure;
use crate::store::{self, credential_grant::New};

pub(crate) async fn run(
    call: &mut Write<'_>,
    input: CreateInput,
) -> Result<Done<CredentialGrant>, Failure> {
    let permit = call.may(Action::CredentialGrant, &input.scope)?;
    check(call, &input).await?;
    let new = New {
        id: call.new_id(),
        credential: input.credential,
        expires: input.expires,
        now: call.now(),
    };
    let grant = store::credential_grant::insert(&mut call.tx, &permit, &new).await?;
    let written = Written::new("credential_grants", grant.id, grant.version);
    Ok(Done::wrote(grant, permit.scope(), written))
}

/// Every fault of the input together.
async fn check(call: &mut Write<'_>, input: &CreateInput) -> Result<(), Failure> {
    let mut faults = Vec::new();
    if !may_give(call, input).await? {
        faults.push(Fault::new(
            "credential",
            "There is no such credential, or it is not yours to give.",
            "Send the id of a credential at a scope where you hold `credential.grant`: \
             `credential.list` lists those you may see.",
        ));
    }
    if input.expires.is_some_and(|end| end <= call.now()) {
        faults.push(Fault::new(
            "expires",
            "The credential grant would be over before it begins.",
            "Send a time to come, or leave it out.",
        ));
    }
    if faults.is_empty() { Ok(()) } else { Err(Refusal::of_input(faults).into()) }
}

/// Whether there is such a credential and the caller may give it at its own scope.
async fn may_give(call: &mut Write<'_>, input: &CreateInput) -> Result<bool, Failure> {
    for permit in call.reach(Action::CredentialGrant)? {
        let found = store::credential::get(&mut call.tx, &permit, input.credential).await?;
        if let Some(found) = found {
            return Ok(!found.destroyed);
        }
    }
    Ok(false)
}
