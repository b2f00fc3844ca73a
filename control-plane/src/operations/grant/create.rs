//! `grant.create`: gives a principal a role at a scope, by someone who holds all of it there.

use contract::verbs::grant::{CreateInput, Grant};
use contract::{Action, Fault, Refusal, Written};
use tenancy::role::BuiltIn;

use crate::call::Write;
use crate::done::Done;
use crate::failure::Failure;
use crate::store::{self, grant::New};

pub(crate) async fn run(call: &mut Write<'_>, input: CreateInput) -> Result<Done<Grant>, Failure> {
    let permit = call.may(Action::GrantManage, &input.scope)?;
    check(call, &input)?;
    let actions = call.caller.view().role(input.role.as_str()).unwrap_or_default();
    call.may_confer(actions, &input.scope)?;
    let new = New {
        id: call.new_id(),
        principal: input.principal,
        role: &input.role,
        expires: input.expires,
        now: call.now(),
    };
    let grant = store::grant::insert(&mut call.tx, &permit, &new).await?;
    let written = Written::new("grants", grant.id, grant.version);
    Ok(Done::wrote(grant, permit.scope(), written))
}

/// Every fault of the input together.
fn check(call: &Write<'_>, input: &CreateInput) -> Result<(), Failure> {
    let view = call.caller.view();
    let mut faults = Vec::new();
    if view.principal(input.principal).is_none() {
        faults.push(Fault::new(
            "principal",
            "There is no such principal in your identity.",
            "Send the id of a principal: `principal.list` lists them.",
        ));
    }
    if view.role(input.role.as_str()).is_none() {
        let roles: Vec<_> = BuiltIn::ALL.iter().map(|role| role.as_str()).collect();
        let say = format!("There is no role `{}`.", input.role);
        faults.push(Fault::new(
            "role",
            say,
            format!("Send one of {}, or of your identity's own.", roles.join(", ")),
        ));
    }
    if input.expires.is_some_and(|end| end <= call.now()) {
        faults.push(Fault::new(
            "expires",
            "The grant would be over before it begins.",
            "Send a time to come, or leave it out.",
        ));
    }
    if faults.is_empty() { Ok(()) } else { Err(Refusal::of_input(faults).into()) }
}
