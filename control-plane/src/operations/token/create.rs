//! `token.create`: mints a token for a principal and answers its secret once.

use contract::verbs::principal::Kind as Whose;
use contract::verbs::token::{CreateInput, Minted, PackRef};
use contract::{Action, Fault, Name, Refusal, Written};
use tenancy::role::ActionSet;
use tenancy::token::Kind;
use tenancy::view::LIVE;

use super::bind::{Bound, expiry_fault, may_bind, pack_faults};
use super::mint;
use crate::call::Write;
use crate::done::Done;
use crate::failure::Failure;
use crate::store::{self, Error, token::New};

pub(crate) async fn run(call: &mut Write<'_>, input: CreateInput) -> Result<Done<Minted>, Failure> {
    let home = input.scope.as_ref().unwrap_or_else(|| call.root());
    let permit = call.may(Action::TokenManage, home)?;
    let kind = check(call, &input)?;
    let packs = input.packs.map_or_else(live, Ok)?;
    let actions = input.actions.map(|actions| actions.into_iter().collect::<ActionSet>());
    let scope = input.scope.as_ref();
    may_bind(call, &Bound { principal: input.principal, scope, actions, packs: &packs })?;
    let secret = mint(call, kind).await?;
    let new = New {
        id: call.new_id(),
        principal: input.principal,
        kind,
        hash: secret.hash(),
        scope: input.scope,
        actions,
        packs,
        expires: input.expires,
        now: call.now(),
    };
    let token = store::token::insert(&mut call.tx, &permit, &new).await?;
    let written = Written::new("tokens", token.id, token.version);
    let minted = Minted { token, secret: secret.expose().to_owned() };
    Ok(Done::wrote(minted, permit.scope(), written).shown_once("secret"))
}

/// Every fault of the input together; the kind of the token, if there is none.
fn check(call: &Write<'_>, input: &CreateInput) -> Result<Kind, Failure> {
    let view = call.caller.view();
    let mut faults = pack_faults(view, input.packs.as_deref().unwrap_or_default());
    faults.extend(expiry_fault(input.expires, call.now()));
    match view.principal(input.principal) {
        Some(_) if !faults.is_empty() => Err(Refusal::of_input(faults).into()),
        Some(principal) => Ok(match principal.kind {
            Whose::User => Kind::User,
            Whose::Agent => Kind::Agent,
        }),
        None => {
            faults.push(Fault::new(
                "principal",
                "There is no such principal in your identity.",
                "Send the id of a principal: `principal.list` lists them.",
            ));
            Err(Refusal::of_input(faults).into())
        }
    }
}

/// The packs of a token for which none was named.
pub(crate) fn live() -> Result<Vec<PackRef>, Error> {
    let name: Name = LIVE.parse().map_err(|_| Error::Range { what: "the name of a pack" })?;
    Ok(vec![PackRef { name, version: None }])
}
