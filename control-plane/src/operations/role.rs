//! Owns the operations on roles. They are the identity's, so each is decided there. Invariant: a role
//! never comes to confer what whoever made it so does not hold over the whole identity.

pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod list;
pub(crate) mod update;

use contract::verbs::role::Role;
use contract::{Action, Code, Name, Refusal};
use tenancy::permit::Permit;
use tenancy::role::BuiltIn;

use crate::call::Write;
use crate::failure::Failure;
use crate::store;

/// The role of that name, with the permit to change it.
async fn find(call: &mut Write<'_>, name: &Name) -> Result<(Permit, Role), Failure> {
    let permit = call.may_see(Action::GrantManage, call.root(), ("role", "role"))?;
    if BuiltIn::named(name.as_str()).is_some() {
        let mut refusal = Refusal::new(
            Code::WrongState,
            format!("`{name}` is a built-in role, and means the same for ever."),
            "Define a role of your own with `role.create`.",
        );
        refusal.field = Some("role".to_owned());
        return Err(refusal.into());
    }
    let found = store::role::get(&mut call.tx, &permit, name).await?;
    Ok((permit, found.ok_or_else(|| Refusal::not_found("role", "role"))?))
}
