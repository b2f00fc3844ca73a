//! `role.update`: changes what a role is and allows, for everybody who was granted it. To take actions
//! out, managing grants is enough; whoever puts one in confers the role anew, and needs all of it.

use contract::Written;
use contract::verbs::role::{Role, UpdateInput};
use tenancy::role::ActionSet;

use super::find;
use crate::call::{Write, expect_version};
use crate::done::Done;
use crate::failure::Failure;
use crate::store::{self, Error};

pub(crate) async fn run(call: &mut Write<'_>, input: UpdateInput) -> Result<Done<Role>, Failure> {
    let (permit, role) = find(call, &input.role).await?;
    expect_version(Some(input.expected_version), role.version)?;
    let before: ActionSet = role.actions.iter().copied().collect();
    let after = input.actions.map_or(before, |actions| actions.into_iter().collect());
    if !before.holds(after) {
        call.may_confer(after, permit.scope())?;
    }
    let title = input.title.as_deref().unwrap_or(&role.title);
    let to = (title, after);
    let role = store::role::change(&mut call.tx, &permit, &input.role, to).await?;
    let id = role.id.ok_or(Error::Gone { what: "the role's id" })?;
    let written = Written::new("roles", id, role.version);
    Ok(Done::wrote(role, permit.scope(), written))
}
