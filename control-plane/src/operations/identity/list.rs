//! `identity.list`: the tenants by name.

use contract::Name;
use contract::verbs::identity::Identity;
use contract::verbs::{ListInput, Page};

use crate::call::Operate;
use crate::done::Done;
use crate::failure::Failure;
use crate::page::Pager;
use crate::store;
use crate::store::tx::Conn;

pub(crate) async fn run(
    call: &mut Operate<'_, Conn>,
    input: ListInput,
) -> Result<Done<Page<Identity>>, Failure> {
    let is_key = |key: &str| key.parse::<Name>().is_ok();
    let mut page = Pager::new(input.cursor.as_deref(), input.limit, is_key)?;
    let (after, limit) = page.window();
    page.add(store::identity::page(&mut call.tx, &call.operator, after, limit).await?);
    Ok(page.done(|identity: &Identity| identity.name.to_string()))
}
