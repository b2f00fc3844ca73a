//! `credential-grant.list`: the credential grants at the scopes where the caller may see them.

use contract::verbs::credential_grant::CredentialGrant;
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
) -> Result<Done<Page<CredentialGrant>>, Failure> {
    let is_key = |key: &str| key.parse::<Id<id::CredentialGrant>>().is_ok();
    let mut page = Pager::new(input.cursor.as_deref(), input.limit, is_key)?;
    for permit in call.reach_any(Action::CredentialRead)? {
        let window = page.window();
        page.add(store::credential_grant::page(&mut call.tx, &permit, window).await?);
    }
    Ok(page.done(|grant: &CredentialGrant| grant.id.to_string()))
}
