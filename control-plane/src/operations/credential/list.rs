//! `credential.list`: the credentials at the scopes where the caller may see them, without their
//! secrets.

use contract::verbs::credential::Credential;
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
) -> Result<Done<Page<Credential>>, Failure> {
    let is_key = |key: &str| key.parse::<Name>().is_ok();
    let mut page = Pager::new(input.cursor.as_deref(), input.limit, is_key)?;
    for permit in call.reach_any(Action::CredentialRead)? {
        let window = page.window();
        page.add(store::credential::page(&mut call.tx, &permit, window).await?);
    }
    Ok(page.done(|credential: &Credential| credential.name.to_string()))
}
