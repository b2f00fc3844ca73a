//! `pack.list`: the packs of the caller's identity, each at its newest version.

use contract::verbs::pack::Pack;
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
) -> Result<Done<Page<Pack>>, Failure> {
    let is_key = |key: &str| key.parse::<Name>().is_ok();
    let mut page = Pager::new(input.cursor.as_deref(), input.limit, is_key)?;
    let permit = call.may(Action::PackRead, call.root())?;
    let window = page.window();
    page.add(store::pack::page(&mut call.tx, &permit, window).await?);
    Ok(page.done(|pack: &Pack| pack.name.to_string()))
}
