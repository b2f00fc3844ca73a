//! `token.revoke`: ends a token, every child of it, and every successor that it made for itself. The
//! token that asks and what came of it may always be revoked by it.

use contract::verbs::token::{Because, Token, Which};

use super::find;
use crate::call::Write;
use crate::done::Done;
use crate::failure::Failure;
use crate::store;
use crate::store::token::{Ended, Right};

pub(crate) async fn run(call: &mut Write<'_>, input: Which) -> Result<Done<Token>, Failure> {
    let now = call.now();
    let how = (Because::Revoked, now);
    let own = store::token::own(&mut call.tx, &call.caller, input.token, now).await?;
    let (ended, home) = if let Some(own) = own {
        let right = Right::own(&call.caller, &own);
        (store::token::revoke(&mut call.tx, right, input.token, how).await?, own.home)
    } else {
        let (permit, record) = find(call, input.token).await?;
        let right = Right::of(&permit);
        (store::token::revoke(&mut call.tx, right, input.token, how).await?, record.home)
    };
    let Ended { token, written } = ended;
    Ok(written.into_iter().fold(Done::of(token).at(&home), Done::and_wrote))
}
