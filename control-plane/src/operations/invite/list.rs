//! `invite.list`: the invites of the caller's identity.

use contract::verbs::invite::Invite;
use contract::verbs::{ListInput, Page};
use contract::{Action, Id, id};

use crate::call::Read;
use crate::done::Done;
use crate::failure::Failure;
use crate::page::Pager;
use crate::store;

pub(crate) async fn run(
    call: &mut Read<'_>,
    input: ListInput,
) -> Result<Done<Page<Invite>>, Failure> {
    let is_key = |key: &str| key.parse::<Id<id::Invite>>().is_ok();
    let mut page = Pager::new(input.cursor.as_deref(), input.limit, is_key)?;
    let permit = call.may(Action::PrincipalRead, call.root())?;
    let now = call.now();
    let window = page.window();
    page.add(store::invite::page(&mut call.tx, &permit, window, now).await?);
    Ok(page.done(|invite: &Invite| invite.id.to_string()))
}
