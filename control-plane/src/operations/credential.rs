//! Owns the operations on credentials. Invariant: what is sealed here is never answered, written down
//! or told in a fault, not even in part.

pub(crate) mod create;
pub(crate) mod destroy;
pub(crate) mod list;
pub(crate) mod rotate;

use contract::{Action, Fault, Id, Refusal, id};
use tenancy::permit::{self, Permit};
use tenancy::seal::{self, Binding, Sealed, Secret};

use crate::call::Write;
use crate::failure::Failure;
use crate::store::credential::Record;
use crate::store::{self, Error};

/// The credential of that id, with the permit to manage it.
async fn find(call: &mut Write<'_>, id: Id<id::Credential>) -> Result<(Permit, Record), Failure> {
    for permit in call.reach(Action::CredentialManage)? {
        if let Some(found) = store::credential::get(&mut call.tx, &permit, id).await? {
            return Ok((call.may(Action::CredentialManage, &found.credential.scope)?, found));
        }
    }
    Err(Refusal::not_found("credential", "credential").into())
}

/// Seals `secret` under the identity's data key, for one version of one credential and its origins.
async fn seal(
    call: &mut Write<'_>,
    (credential, version): (Id<id::Credential>, i64),
    origins: &[String],
    secret: &Secret,
) -> Result<Sealed, Error> {
    let version = u64::try_from(version).map_err(|_| Error::Range { what: "a version" })?;
    let plane = permit::Plane::of(call.caller.identity().clone());
    let sealing = store::identity::sealing(&mut call.tx, &plane).await?;
    let broken = |error: seal::Error| Error::Corrupt { column: "dek", why: error.to_string() };
    let dek = sealing.dek.open(call.means.kek, sealing.id).map_err(broken)?;
    let binding = Binding { identity: sealing.id, record: credential, version, origins };
    dek.seal(&binding, secret.expose(), call.means.source).map_err(broken)
}

/// What is wrong with a secret. It is not told what was sent.
fn secret_fault(secret: &Secret) -> Option<Fault> {
    let text = secret.expose_text().unwrap_or_default();
    (text != text.trim()).then(|| {
        Fault::new(
            "secret",
            "The secret begins or ends with white space.",
            "Send it without the line break or blanks around it.",
        )
    })
}
