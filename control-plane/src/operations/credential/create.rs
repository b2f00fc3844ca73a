//! `credential.create`: seals a secret, bound to its origins for ever.

use std::collections::BTreeMap;

use contract::hint::Kind as Hint;
use contract::shape::http;
use contract::verbs::credential::{CreateInput, Credential};
use contract::{Action, Fault, Refusal, Written};
use tenancy::seal::Secret;

use super::{seal, secret_fault};
use crate::call::{Write, already_exists};
use crate::done::Done;
use crate::failure::Failure;
use crate::operations::server::declared::told;
use crate::store::{self, credential::New};

pub(crate) async fn run(
    call: &mut Write<'_>,
    input: CreateInput,
) -> Result<Done<Credential>, Failure> {
    let permit = call.may_add(Action::CredentialManage, &input.scope)?;
    let secret = Secret::from(input.secret);
    let origins = check(&input.origins, &secret, call.means.policy)?;
    let (id, now) = (call.new_id(), call.now());
    let sealed = seal(call, (id, 1), &origins, &secret).await?;
    let new = New { id, name: &input.name, origins: &origins, sealed: &sealed, now };
    let made = store::credential::insert(&mut call.tx, &permit, &new).await?;
    let credential = made.ok_or_else(|| {
        already_exists("name", format!("There is a credential `{}` already.", input.name))
    })?;
    let written = Written::new("credentials", credential.id, credential.version);
    let say = "Let the servers at a scope use it with `credential-grant.create`.";
    Ok(Done::wrote(credential, permit.scope(), written).hint(Hint::NextStep, say))
}

/// The origins in their one spelling, or every fault of the input together. An origin may be named
/// that a server could be registered at with all that an operator allows.
fn check(
    origins: &[String],
    secret: &Secret,
    policy: &http::Policy,
) -> Result<Vec<String>, Failure> {
    let mut faults = Vec::new();
    let mut known = Vec::with_capacity(origins.len());
    for (index, origin) in origins.iter().enumerate() {
        let field = format!("origins.{index}");
        let server = http::Server {
            origin: origin.clone(),
            allow_http: policy.http,
            allow_private: policy.private.clone(),
            credential: None,
            static_headers: BTreeMap::new(),
        };
        match http::validate_server(&server, policy) {
            Ok(target) => {
                let origin = target.origin().to_string();
                if known.contains(&origin) {
                    let say = format!("{origin} is named twice.");
                    faults.push(Fault::new(field, say, "Name each origin once."));
                } else {
                    known.push(origin);
                }
            }
            Err(found) => {
                faults.extend(found.into_iter().map(|fault| told(&fault, field.clone())));
            }
        }
    }
    faults.extend(secret_fault(secret));
    if faults.is_empty() { Ok(known) } else { Err(Refusal::of_input(faults).into()) }
}
