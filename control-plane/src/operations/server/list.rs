//! `server.list`: the servers at the scopes where the caller may see them, withdrawn ones included.

use contract::verbs::server::Server;
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
) -> Result<Done<Page<Server>>, Failure> {
    let is_key = |key: &str| key.parse::<Id<id::Server>>().is_ok();
    let mut page = Pager::new(input.cursor.as_deref(), input.limit, is_key)?;
    for permit in call.reach_any(Action::ServerRead)? {
        let window = page.window();
        page.add(store::server::page(&mut call.tx, &permit, window).await?);
    }
    Ok(page.done(|server: &Server| server.id.to_string()))
}
