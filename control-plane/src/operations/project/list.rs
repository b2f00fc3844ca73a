//! `project.list`: the projects of a group that the caller may see. A group of which the caller may
//! see nothing is like one that is not there.

use contract::verbs::Page;
use contract::verbs::project::{ListInput, Project};
use contract::{Action, Refusal, Scope};

use super::told;
use crate::call::Read;
use crate::done::Done;
use crate::failure::Failure;
use crate::page::Pager;
use crate::store;

pub(crate) async fn run(
    call: &mut Read<'_>,
    input: ListInput,
) -> Result<Done<Page<Project>>, Failure> {
    let missing = || Refusal::not_found("group", "group");
    let is_key = |key: &str| key.parse::<Scope>().is_ok();
    let mut page = Pager::new(input.cursor.as_deref(), input.limit, is_key)?;
    let group = call.root().child(&input.group).ok_or_else(missing)?;
    let mut permits = call.reach(Action::ScopeRead)?;
    permits.retain(|permit| permit.scope().covers(&group) || group.covers(permit.scope()));
    if permits.is_empty() || call.caller.view().scope(&group).is_none() {
        return Err(missing().into());
    }
    for permit in permits {
        let records = store::scope::page(&mut call.tx, &permit, &group, page.window()).await?;
        page.add(records.into_iter().map(told).collect::<Result<_, _>>()?);
    }
    Ok(page.done(|project: &Project| project.scope.to_string()))
}
