//! `role.create`: defines a role, by someone who holds all of it over the whole identity.

use contract::hint::Kind as Hint;
use contract::verbs::role::{CreateInput, Role};
use contract::{Action, Code, Refusal, Written};
use tenancy::role::{ActionSet, BuiltIn};

use crate::call::{Write, already_exists};
use crate::done::Done;
use crate::failure::Failure;
use crate::store::{self, role::New};

/// How many roles an identity has of its own at most.
const ROLES_MAX: u64 = 100;

pub(crate) async fn run(call: &mut Write<'_>, input: CreateInput) -> Result<Done<Role>, Failure> {
    let permit = call.may(Action::GrantManage, call.root())?;
    let name = &input.name;
    if BuiltIn::named(name.as_str()).is_some() {
        return Err(already_exists("name", format!("`{name}` is a built-in role.")).into());
    }
    if store::role::get(&mut call.tx, &permit, name).await?.is_some() {
        return Err(already_exists("name", format!("There is a role `{name}` already.")).into());
    }
    let actions: ActionSet = input.actions.iter().copied().collect();
    call.may_confer(actions, call.root())?;
    if store::role::count(&mut call.tx, &permit).await? >= ROLES_MAX {
        return Err(Refusal::new(
            Code::WrongState,
            format!("An identity has {ROLES_MAX} roles of its own at most, and this one does."),
            "Delete one that nobody is granted, with `role.delete`.",
        )
        .into());
    }
    let title = input.title.as_deref().unwrap_or_default();
    let new = New { id: call.new_id(), name, title, actions, now: call.now() };
    let role = store::role::insert(&mut call.tx, &permit, &new).await?;
    let written = Written::new("roles", new.id, role.version);
    let say = "Give it to a principal with `grant.create`.";
    Ok(Done::wrote(role, permit.scope(), written).hint(Hint::NextStep, say))
}
