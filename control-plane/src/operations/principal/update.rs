//! `principal.update`: changes how far an agent is let.

use contract::verbs::principal::{Kind, Principal, UpdateInput};
use contract::{Action, Code, Refusal, Written};

use super::find;
use crate::call::{Write, expect_version};
use crate::done::Done;
use crate::failure::Failure;
use crate::store::{self, principal::Change};

pub(crate) async fn run(
    call: &mut Write<'_>,
    input: UpdateInput,
) -> Result<Done<Principal>, Failure> {
    let (permit, principal) = find(call, Action::PrincipalManage, input.principal).await?;
    if principal.kind == Kind::User {
        return Err(Refusal::new(
            Code::WrongState,
            "This principal is a user, and a stage means nothing for a user.",
            "Name an agent.",
        )
        .into());
    }
    expect_version(Some(input.expected_version), principal.version)?;
    let change = Change::Stage(input.stage);
    let principal = store::principal::change(&mut call.tx, &permit, principal.id, change).await?;
    let written = Written::new("principals", principal.id, principal.version);
    Ok(Done::wrote(principal, permit.scope(), written))
}
