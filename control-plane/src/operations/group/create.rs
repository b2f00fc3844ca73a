//! `group.create`: makes a group in the caller's identity.

use contract::verbs::group::{CreateInput, Group};
use contract::{Action, Refusal, Written, id};

use super::told;
use crate::call::{Write, already_exists};
use crate::done::Done;
use crate::failure::Failure;
use crate::store::{self, scope::Record};

pub(crate) async fn run(call: &mut Write<'_>, input: CreateInput) -> Result<Done<Group>, Failure> {
    let permit = call.may(Action::ScopeManage, call.root())?;
    let scope = permit.scope().child(&input.name);
    let scope = scope.ok_or_else(|| Refusal::not_found("name", "scope"))?;
    if call.caller.view().scope(&scope).is_some() {
        return Err(already_exists("name", format!("There is a group {scope} already.")).into());
    }
    let record = Record {
        id: call.new_id::<id::Group>().to_string(),
        scope,
        title: input.title.unwrap_or_else(|| input.name.to_string()),
        archived: false,
        created: call.now(),
        version: 1,
    };
    store::scope::insert(&mut call.tx, &permit, &record).await?;
    let group = told(record)?;
    let written = Written::new("groups", group.id, group.version);
    let scope = group.scope.clone();
    Ok(Done::wrote(group, &scope, written))
}
