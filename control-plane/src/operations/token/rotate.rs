//! `token.rotate`: puts a successor that may do exactly the same in a token's place, with an overlap.
//! Invariant: of a token and the one before it, and the one after it, at most two are taken at a time,
//! and rotating confers nothing that minting the same token would not.

use contract::verbs::token::{RotateInput, Rotated, Token};
use contract::{Code, Fault, Refusal, Timestamp, Written};
use tenancy::role::ActionSet;

use super::bind::{Bound, expiry_fault, may_bind};
use super::narrow::CHILDREN_MAX;
use super::{find, mint};
use crate::call::{Write, expect_version};
use crate::done::Done;
use crate::failure::Failure;
use crate::store;
use crate::store::token::{New, Record, Right};

/// How long the old token is taken when nothing is said.
const OVERLAP_SECONDS: u32 = 300;

pub(crate) async fn run(
    call: &mut Write<'_>,
    input: RotateInput,
) -> Result<Done<Rotated>, Failure> {
    let now = call.now();
    let own = store::token::own(&mut call.tx, &call.caller, input.token, now).await?;
    let (record, permit) = if let Some(own) = own {
        (own, None)
    } else {
        let (permit, record) = find(call, input.token).await?;
        (record, Some(permit))
    };
    expect_version(input.expected_version, record.token.version)?;
    stands(call, &record.token).await?;
    let expires = input.expires.or(record.token.expires);
    check(input.expires, &record.token, permit.is_none(), now)?;
    let actions: Option<ActionSet> =
        record.token.actions.as_ref().map(|actions| actions.iter().copied().collect());
    if permit.is_some() {
        let Token { principal, scope, packs, .. } = &record.token;
        may_bind(call, &Bound { principal: *principal, scope: scope.as_ref(), actions, packs })?;
    }
    let overlap = input.overlap_seconds.unwrap_or(OVERLAP_SECONDS);
    room(call, &record.token, overlap).await?;
    let secret = mint(call, record.kind).await?;
    let new = New {
        id: call.new_id(),
        principal: record.token.principal,
        kind: record.kind,
        hash: secret.hash(),
        scope: record.token.scope.clone(),
        actions,
        packs: record.token.packs.clone(),
        expires,
        now,
    };
    let Record { token: old, home, .. } = &record;
    let right = permit.as_ref().map_or_else(|| Right::own(&call.caller, &record), Right::of);
    let by = call.caller.token().id;
    let token = store::token::insert_successor(&mut call.tx, right, (old, by), &new).await?;
    let end = now.plus_ms(i64::from(overlap) * 1000);
    let old = store::token::retire(&mut call.tx, right, old.id, (end, now)).await?;
    let written = Written::new("tokens", token.id, token.version);
    let ended = Written::new("tokens", old.id, old.version);
    let rotated = Rotated { token, secret: secret.expose().to_owned(), old };
    Ok(Done::wrote(rotated, home, written).and_wrote(ended).shown_once("secret"))
}

/// That the token is still taken, has no successor, and that the one before it is not taken any more.
async fn stands(call: &mut Write<'_>, token: &Token) -> Result<(), Failure> {
    let now = call.now();
    let ended = token.revoked || token.expires.is_some_and(|end| end <= now);
    let (say, fix) = if ended {
        let say = "The token is revoked or has expired.".to_owned();
        (say, "Mint another with `token.create`.")
    } else if let Some(successor) = token.successor {
        let say = format!("The token was rotated already: {successor} takes its place.");
        (say, "Rotate that one, or revoke it if its secret was lost, and rotate this one again.")
    } else if store::token::predecessor_alive(&mut call.tx, &call.caller, token, now).await? {
        let say = "The token that this one took the place of is still taken.".to_owned();
        (say, "Wait until it ends, or revoke it.")
    } else {
        return Ok(());
    };
    Err(Refusal::new(Code::WrongState, say, fix).into())
}

/// What is wrong with the wanted end. Who rotates their own token puts off no end of it.
fn check(wanted: Option<Timestamp>, old: &Token, own: bool, now: Timestamp) -> Result<(), Failure> {
    if let Some(fault) = expiry_fault(wanted, now) {
        return Err(Refusal::of_input(vec![fault]).into());
    }
    if own && wanted.zip(old.expires).is_some_and(|(wanted, end)| wanted > end) {
        let say = "The token expires earlier, and does not put off its own end.";
        let fix = "Send an end no later than its own, or ask whoever manages tokens to rotate it.";
        let mut refusal = Refusal::of_input(vec![Fault::new("expires", say, fix)]);
        refusal.code = Code::BeyondOwnAuthority;
        return Err(refusal.into());
    }
    Ok(())
}

/// That the parent has room for one more child, if the old one stays for a while.
async fn room(call: &mut Write<'_>, old: &Token, overlap_seconds: u32) -> Result<(), Failure> {
    let Some(parent) = old.parent.filter(|_| overlap_seconds > 0) else { return Ok(()) };
    let now = call.now();
    if store::token::children_alive(&mut call.tx, &call.caller, parent, now).await? < CHILDREN_MAX {
        return Ok(());
    }
    Err(Refusal::new(
        Code::WrongState,
        format!(
            "The parent has {CHILDREN_MAX} children alive, and with an overlap it had one more."
        ),
        "Rotate it with `overlap_seconds` 0, or revoke another child.",
    )
    .into())
}
