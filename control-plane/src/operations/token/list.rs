//! `token.list`: the tokens that are managed where the caller may see them.

use contract::verbs::Page;
use contract::verbs::token::{ListInput, Token};
use contract::{Action, Id, id};

use crate::call::Read;
use crate::done::Done;
use crate::failure::Failure;
use crate::page::Pager;
use crate::store;

pub(crate) async fn run(
    call: &mut Read<'_>,
    input: ListInput,
) -> Result<Done<Page<Token>>, Failure> {
    let is_key = |key: &str| key.parse::<Id<id::Token>>().is_ok();
    let mut page = Pager::new(input.cursor.as_deref(), input.limit, is_key)?;
    let now = call.now();
    for permit in call.reach_any(Action::TokenRead)? {
        let window = page.window();
        let tokens =
            store::token::page(&mut call.tx, &permit, input.principal, window, now).await?;
        page.add(tokens.into_iter().map(|token| with_last_use(call, token)).collect());
    }
    Ok(page.done(|token: &Token| token.id.to_string()))
}

/// The token with the use that is not written down yet, if it was used here since.
fn with_last_use(call: &Read<'_>, token: Token) -> Token {
    let key = (call.caller.identity().clone(), token.id);
    let last_used = token.last_used.max(call.means.uses.last(&key));
    Token { last_used, ..token }
}
