//! `role.list`: the built-in roles, and the identity's own for those who may see grants over all of it.

use contract::verbs::role::Role;
use contract::verbs::{ListInput, Page};
use contract::{Action, Name};
use tenancy::role::BuiltIn;

use crate::call::Read;
use crate::done::Done;
use crate::failure::Failure;
use crate::page::Pager;
use crate::store::{self, Error};

pub(crate) async fn run(
    call: &mut Read<'_>,
    input: ListInput,
) -> Result<Done<Page<Role>>, Failure> {
    let is_key = |key: &str| key.parse::<Name>().is_ok();
    let mut page = Pager::new(input.cursor.as_deref(), input.limit, is_key)?;
    let permits = call.reach_any(Action::GrantRead)?;
    let (after, _) = page.window();
    let built_in = built_in(after)?;
    page.add(built_in);
    // One is enough: over the whole identity there is no other.
    if let Some(permit) = permits.first() {
        let window = page.window();
        page.add(store::role::page(&mut call.tx, permit, window).await?);
    }
    Ok(page.done(|role: &Role| role.name.to_string()))
}

/// The built-in roles after this name.
fn built_in(after: &str) -> Result<Vec<Role>, Error> {
    let told = |role: BuiltIn| {
        let name = role.as_str().parse();
        Ok(Role {
            name: name.map_err(|_| Error::Range { what: "the name of a role" })?,
            id: None,
            title: role.about().to_owned(),
            actions: role.actions().iter().collect(),
            built_in: true,
            created: None,
            version: 0,
        })
    };
    BuiltIn::ALL.into_iter().filter(|role| role.as_str() > after).map(told).collect()
}
