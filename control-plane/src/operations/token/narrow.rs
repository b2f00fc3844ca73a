//! `token.narrow`: mints a child of the token that asks, which may do less.

use contract::verbs::token::{Minted, NarrowInput};
use contract::{Code, Fault, Refusal, Timestamp, Written};
use tenancy::role::ActionSet;
use tenancy::token::Kind;
use tenancy::view::ANCESTORS_MAX;

use super::bind::{expiry_fault, includes, line, pack_faults};
use super::mint;
use crate::call::Write;
use crate::done::Done;
use crate::failure::Failure;
use crate::store::{self, token::New};

/// How many children of one token may be alive.
pub(super) const CHILDREN_MAX: u64 = 100;
/// How long a child lives when nothing is said.
const LIFE_MS: i64 = 60 * 60 * 1000;

pub(crate) async fn run(call: &mut Write<'_>, input: NarrowInput) -> Result<Done<Minted>, Failure> {
    check(call, &input)?;
    let depth = room(call).await?;
    let now = call.now();
    let life = now.plus_ms(LIFE_MS);
    let end = parents_end(call).map_or(life, |end| end.min(life));
    // A child is a program's, whoever its parent is: what only a person may do, it may not.
    let kind = Kind::Agent;
    let secret = mint(call, kind).await?;
    let new = New {
        id: call.new_id(),
        principal: call.caller.principal().id,
        kind,
        hash: secret.hash(),
        scope: input.scope,
        actions: input.actions.map(|actions| actions.into_iter().collect()),
        packs: input.packs.unwrap_or_else(|| call.caller.packs().to_vec()),
        expires: Some(input.expires.unwrap_or(end)),
        now,
    };
    let token = store::token::insert_child(&mut call.tx, &call.caller, depth, &new).await?;
    let written = Written::new("tokens", token.id, token.version);
    let scope = token.scope.clone().unwrap_or_else(|| call.caller.home().clone());
    let minted = Minted { token, secret: secret.expose().to_owned() };
    Ok(Done::wrote(minted, &scope, written).shown_once("secret"))
}

/// The earliest end of the token that asks and those it descends from.
fn parents_end(call: &Write<'_>) -> Option<Timestamp> {
    let line = line(call.caller.view(), call.caller.token());
    line.iter().filter_map(|token| token.expires).min()
}

/// Every fault of the input together: what cannot be, and what would be more than the parent's.
fn check(call: &Write<'_>, input: &NarrowInput) -> Result<(), Failure> {
    let caller = &call.caller;
    let packs = input.packs.as_deref().unwrap_or_default();
    let mut faults = pack_faults(caller.view(), packs);
    faults.extend(expiry_fault(input.expires, call.now()));
    let malformed = !faults.is_empty();
    let mut more = |field: &str, say: &str| {
        faults.push(Fault::new(field, say, "Send what the token you are using may do, or less."));
    };
    if input.scope.as_ref().is_some_and(|scope| !caller.home().covers(scope)) {
        more("scope", "The token you are using does not reach this scope.");
    }
    let actions: ActionSet = input.actions.iter().flatten().copied().collect();
    if !caller.narrowed_actions().holds(actions) {
        more("actions", "The token you are using is narrowed to fewer actions.");
    }
    if packs.iter().any(|pack| !includes(caller.packs(), pack)) {
        more("packs", "The token you are using is not bound to this pack.");
    }
    let end = parents_end(call);
    if input.expires.zip(end).is_some_and(|(wanted, end)| wanted > end) {
        more("expires", "The token you are using expires earlier.");
    }
    if faults.is_empty() {
        return Ok(());
    }
    let mut refusal = Refusal::of_input(faults);
    if !malformed {
        refusal.code = Code::BeyondOwnAuthority;
    }
    Err(refusal.into())
}

/// That the token that asks may have one more child; how many tokens that child descends from.
async fn room(call: &mut Write<'_>) -> Result<u32, Failure> {
    let above = line(call.caller.view(), call.caller.token()).len();
    if above > ANCESTORS_MAX {
        return Err(Refusal::new(
            Code::WrongState,
            format!("A token descends from {ANCESTORS_MAX} others at most, and this one does."),
            "Narrow a token that is higher up.",
        )
        .into());
    }
    let now = call.now();
    let own = call.caller.token().id;
    if store::token::children_alive(&mut call.tx, &call.caller, own, now).await? >= CHILDREN_MAX {
        return Err(Refusal::new(
            Code::WrongState,
            format!("A token has {CHILDREN_MAX} children alive at most, and this one does."),
            "Revoke a child with `token.revoke`, or wait until one expires.",
        )
        .into());
    }
    Ok(u32::try_from(above).unwrap_or(u32::MAX))
}
