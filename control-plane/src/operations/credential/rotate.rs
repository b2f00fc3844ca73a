//! `credential.rotate`: seals a new secret in place of the old one, for the same origins.

use contract::verbs::credential::{Credential, RotateInput};
use contract::{Code, Refusal, Written};
use tenancy::seal::Secret;

use super::{find, seal, secret_fault};
use crate::call::{Write, expect_version};
use crate::done::Done;
use crate::failure::Failure;
use crate::store::{self, Error, credential::Record};

pub(crate) async fn run(
    call: &mut Write<'_>,
    input: RotateInput,
) -> Result<Done<Credential>, Failure> {
    let secret = Secret::from(input.secret);
    let (permit, Record { credential, destroyed }) = find(call, input.credential).await?;
    if destroyed {
        return Err(gone().into());
    }
    expect_version(Some(input.expected_version), credential.version)?;
    if let Some(fault) = secret_fault(&secret) {
        return Err(Refusal::of_input(vec![fault]).into());
    }
    let next = credential.version.checked_add(1).ok_or(Error::Range { what: "a version" })?;
    let sealed = seal(call, (credential.id, next), &credential.origins, &secret).await?;
    let set = (&sealed, call.now());
    let credential = store::credential::rotate(&mut call.tx, &permit, &credential, set).await?;
    let written = Written::new("credentials", credential.id, credential.version);
    Ok(Done::wrote(credential, permit.scope(), written))
}

fn gone() -> Refusal {
    Refusal::new(
        Code::WrongState,
        "The credential's secret was destroyed.",
        "Create another with `credential.create`.",
    )
}
