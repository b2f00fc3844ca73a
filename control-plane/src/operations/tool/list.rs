//! `tool.list`: the tools at the scopes where the caller may see them.

use contract::verbs::Page;
use contract::verbs::tool::{ListInput, Tool};
use contract::{Action, Id, id};

use crate::call::Read;
use crate::done::Done;
use crate::failure::Failure;
use crate::page::Pager;
use crate::store;

pub(crate) async fn run(
    call: &mut Read<'_>,
    input: ListInput,
) -> Result<Done<Page<Tool>>, Failure> {
    let is_key = |key: &str| key.parse::<Id<id::Tool>>().is_ok();
    let mut page = Pager::new(input.cursor.as_deref(), input.limit, is_key)?;
    for permit in call.reach_any(Action::ServerRead)? {
        let window = page.window();
        page.add(store::tool::page(&mut call.tx, &permit, input.state, window).await?);
    }
    Ok(page.done(|tool: &Tool| tool.id.to_string()))
}
