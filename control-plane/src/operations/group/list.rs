//! `group.list`: the groups that the caller may see.

use contract::verbs::group::Group;
use contract::verbs::{ListInput, Page};
use contract::{Action, Scope};

use super::told;
use crate::call::Read;
use crate::done::Done;
use crate::failure::Failure;
use crate::page::Pager;
use crate::store;

pub(crate) async fn run(
    call: &mut Read<'_>,
    input: ListInput,
) -> Result<Done<Page<Group>>, Failure> {
    let is_key = |key: &str| key.parse::<Scope>().is_ok();
    let mut page = Pager::new(input.cursor.as_deref(), input.limit, is_key)?;
    let root = call.root().clone();
    for permit in call.reach_any(Action::ScopeRead)? {
        let records = store::scope::page(&mut call.tx, &permit, &root, page.window()).await?;
        page.add(records.into_iter().map(told).collect::<Result<_, _>>()?);
    }
    Ok(page.done(|group: &Group| group.scope.to_string()))
}
