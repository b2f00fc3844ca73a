//! `role.delete`: deletes a role that nobody is granted. Invariant: no grant that stands names a role
//! that is not there, so that defining a role of that name again gives nobody anything.

use contract::verbs::role::{Role, Which};
use contract::{Code, Refusal, Written};
use serde_json::json;

use super::find;
use crate::call::Write;
use crate::done::Done;
use crate::failure::Failure;
use crate::store::{self, Error, role::Held};

/// How many grants a refusal names.
const NAMED_MAX: u32 = 20;

pub(crate) async fn run(call: &mut Write<'_>, input: Which) -> Result<Done<Role>, Failure> {
    let (permit, role) = find(call, &input.role).await?;
    let window = (call.now(), NAMED_MAX);
    let held = store::role::held(&mut call.tx, &permit, &role.name, window).await?;
    if !held.is_empty() {
        return Err(still_granted(&role, &held).into());
    }
    store::role::delete(&mut call.tx, &permit, &role.name).await?;
    let id = role.id.ok_or(Error::Gone { what: "the role's id" })?;
    let written = Written::new("roles", id, role.version);
    Ok(Done::wrote(role, permit.scope(), written))
}

fn still_granted(role: &Role, held: &[Held]) -> Refusal {
    let who: Vec<String> =
        held.iter().map(|held| format!("{} at {}", held.principal, held.scope)).collect();
    let grants: Vec<_> = held
        .iter()
        .map(
            |held| json!({ "grant": held.grant, "principal": held.principal, "scope": held.scope }),
        )
        .collect();
    Refusal::new(
        Code::WrongState,
        format!("The role `{}` is granted to {}.", role.name, who.join(", ")),
        "Revoke the grants that `grants` names with `grant.revoke`, then delete it.",
    )
    .with("grants", grants)
}
