//! `token.revoke`: ends a token and every child of it. The token that asks and its children may always
//! be revoked by it.

use contract::Written;
use contract::verbs::token::{Token, Which};

use super::find;
use crate::call::Write;
use crate::done::Done;
use crate::failure::Failure;
use crate::store;

pub(crate) async fn run(call: &mut Write<'_>, input: Which) -> Result<Done<Token>, Failure> {
    let own = store::token::own(&mut call.tx, &call.caller, input.token).await?;
    let (token, home) = match own {
        Some(own) if own.token.revoked => return Ok(Done::of(own.token)),
        Some(own) => {
            let token = store::token::revoke_own(&mut call.tx, &call.caller, &own).await?;
            (token, own.home)
        }
        None => {
            let (permit, record) = find(call, input.token).await?;
            if record.token.revoked {
                return Ok(Done::of(record.token));
            }
            (store::token::revoke(&mut call.tx, &permit, input.token).await?, record.home)
        }
    };
    let written = Written::new("tokens", token.id, token.version);
    Ok(Done::wrote(token, &home, written))
}
