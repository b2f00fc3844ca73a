//! `token.rebind`: binds a token to other packs. To take packs away, managing tokens is enough; whoever
//! adds one confers what it opens.

use contract::verbs::token::{RebindInput, Token};
use contract::{Code, Fault, Refusal, Written};

use super::bind::{Bound, includes, may_bind, pack_faults};
use super::find;
use crate::call::{Write, expect_version};
use crate::done::Done;
use crate::failure::Failure;
use crate::store;

pub(crate) async fn run(call: &mut Write<'_>, input: RebindInput) -> Result<Done<Token>, Failure> {
    let now = call.now();
    let (permit, record) = find(call, input.token).await?;
    let token = record.token;
    expect_version(Some(input.expected_version), token.version)?;
    check(call, &input, &token)?;
    if input.packs.iter().any(|pack| !includes(&token.packs, pack)) {
        let scope = token.scope.as_ref();
        let actions = token.actions.map(|actions| actions.into_iter().collect());
        let (principal, packs) = (token.principal, input.packs.as_slice());
        may_bind(call, &Bound { principal, scope, actions, packs })?;
    }
    let token = store::token::rebind(&mut call.tx, &permit, token.id, &input.packs, now).await?;
    let written = Written::new("tokens", token.id, token.version);
    Ok(Done::wrote(token, permit.scope(), written))
}

/// Every fault of the input together.
fn check(call: &Write<'_>, input: &RebindInput, token: &Token) -> Result<(), Failure> {
    if token.revoked {
        let fix = "Mint another with `token.create`.";
        return Err(Refusal::new(Code::WrongState, "The token was revoked.", fix).into());
    }
    let view = call.caller.view();
    let mut faults = pack_faults(view, &input.packs);
    let parent = token.parent.and_then(|parent| view.token(parent));
    if parent.is_some_and(|parent| input.packs.iter().any(|pack| !includes(&parent.packs, pack))) {
        faults.push(Fault::new(
            "packs",
            "The token is a child of one that is not bound to this pack.",
            "Bind the parent first, or send packs that it is bound to.",
        ));
    }
    if faults.is_empty() { Ok(()) } else { Err(Refusal::of_input(faults).into()) }
}
