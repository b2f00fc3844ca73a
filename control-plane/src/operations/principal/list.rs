//! `principal.list`: the principals of the caller's identity.

use contract::verbs::principal::Principal;
use contract::verbs::{ListInput, Page};
use contract::{Action, Name};

use crate::call::Read;
use crate::done::Done;
use crate::failure::Failure;
use crate::page::Pager;
use crate::store;

pub(crate) async fn run(
    call: &mut Read<'_>,
    input: ListInput,
) -> Result<Done<Page<Principal>>, Failure> {
    let is_key = |key: &str| key.parse::<Name>().is_ok();
    let mut page = Pager::new(input.cursor.as_deref(), input.limit, is_key)?;
    let permit = call.may(Action::PrincipalRead, call.root())?;
    let window = page.window();
    page.add(store::principal::page(&mut call.tx, &permit, window).await?);
    Ok(page.done(|principal: &Principal| principal.name.to_string()))
}
