//! `grant.list`: the grants at the scopes where the caller may see them.

use contract::verbs::Page;
use contract::verbs::grant::{Grant, ListInput};
use contract::{Action, Id, id};

use crate::call::Read;
use crate::done::Done;
use crate::failure::Failure;
use crate::page::Pager;
use crate::store;

pub(crate) async fn run(
    call: &mut Read<'_>,
    input: ListInput,
) -> Result<Done<Page<Grant>>, Failure> {
    let is_key = |key: &str| key.parse::<Id<id::Grant>>().is_ok();
    let mut page = Pager::new(input.cursor.as_deref(), input.limit, is_key)?;
    for permit in call.reach_any(Action::GrantRead)? {
        let window = page.window();
        page.add(store::grant::page(&mut call.tx, &permit, input.principal, window).await?);
    }
    Ok(page.done(|grant: &Grant| grant.id.to_string()))
}
