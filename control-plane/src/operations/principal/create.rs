//! `principal.create`: makes a user or an agent.

use contract::hint::Kind as Hint;
use contract::verbs::principal::{CreateInput, Kind, Principal, Stage};
use contract::{Action, Written};

use crate::call::{Write, already_exists};
use crate::done::Done;
use crate::failure::Failure;
use crate::store::{self, principal::New};

pub(crate) async fn run(
    call: &mut Write<'_>,
    input: CreateInput,
) -> Result<Done<Principal>, Failure> {
    let permit = call.may(Action::PrincipalManage, call.root())?;
    if store::principal::is_named(&mut call.tx, &permit, &input.name).await? {
        let say = format!("There is a principal `{}` already.", input.name);
        return Err(already_exists("name", say).into());
    }
    let stage = match input.kind {
        Kind::User => Stage::Autonomous,
        Kind::Agent => input.stage.unwrap_or_default(),
    };
    let (id, now) = (call.new_id(), call.now());
    let new = New { id, kind: input.kind, name: &input.name, stage, now };
    let principal = store::principal::insert(&mut call.tx, &permit, &new).await?;
    let written = Written::new("principals", principal.id, principal.version);
    let say = "Give it a role with `grant.create`, then a token with `token.create`.";
    Ok(Done::wrote(principal, permit.scope(), written).hint(Hint::NextStep, say))
}
