//! `invite.accept`: yields the invited person's token, once. Invariant: whatever stands against it, the
//! refusal is the same one.

use contract::verbs::invite::{AcceptInput, Accepted};
use contract::{Action, Code, Refusal, Scope, Written};
use tenancy::authority::{self, Now};
use tenancy::lease::Standing;
use tenancy::role::ActionSet;
use tenancy::token::{self, Kind};

use crate::call::Open;
use crate::done::Done;
use crate::failure::Failure;
use crate::operations::token::bind::lacks_of_owner;
use crate::operations::token::create::live;
use crate::store::{self, invite::Record, token::New};

pub(crate) async fn run(call: &mut Open<'_>, _: AcceptInput) -> Result<Done<Accepted>, Failure> {
    let now = call.now();
    let accepted = store::invite::accept(&mut call.tx, call.plane, call.presented, now).await?;
    let record = accepted.filter(|record| may_confer(call, record)).ok_or_else(refused)?;
    let invite = record.invite;
    let principal = call.view.principal(invite.principal).ok_or_else(refused)?;
    let sealing = store::identity::sealing(&mut call.tx, call.plane).await?;
    let secret = token::mint(call.means.source, Kind::User, &sealing.route);
    let new = New {
        id: call.new_id(),
        principal: invite.principal,
        kind: Kind::User,
        hash: secret.hash(),
        scope: None,
        actions: None,
        packs: live()?,
        expires: None,
        now,
    };
    let token =
        store::token::insert_invited(&mut call.tx, call.plane, record.inviter, &new).await?;
    let root: &Scope = call.view.root();
    let written = Written::new("invites", invite.id, invite.version);
    let minted = Written::new("tokens", token.id, token.version);
    let identity = call.plane.identity().clone();
    let name = principal.name.clone();
    let secret = secret.expose().to_owned();
    let accepted = Accepted { identity, name, token, secret };
    let done = Done::wrote(accepted, root, written).and_wrote(minted).by(invite.principal);
    Ok(done.shown_once("secret"))
}

/// Whether the inviter is still somebody who may invite, and could mint this token now; and whether the person is not
/// suspended. What was granted to the person since the invite, the inviter may not hold: else the
/// secret, which they know, would be worth more than they are.
fn may_confer(call: &Open<'_>, record: &Record) -> bool {
    let now = Now::of(call.means.source);
    let principal = record.invite.principal;
    let stands = call.view.principal(principal).is_some_and(|whose| !whose.suspended);
    let inviter = authority::resume(call.view, &Standing::Primary, record.inviter, now);
    stands
        && inviter.is_ok_and(|inviter| {
            let root = call.view.root();
            let invites = [Action::PrincipalManage, Action::TokenManage].iter().all(|action| {
                authority::decide(&Standing::Primary, &inviter, *action, root, now).permit().is_ok()
            });
            let owns = lacks_of_owner(&inviter, root, now).is_ok_and(ActionSet::is_empty);
            let mints =
                authority::may_mint(&Standing::Primary, &inviter, principal, (None, None), now)
                    .is_ok_and(|missing| missing.is_empty());
            invites && owns && mints
        })
}

/// The one refusal of every secret that yields nothing.
pub(crate) fn refused() -> Refusal {
    let mut refusal = Refusal::new(
        Code::NotFound,
        "This invite is not known, or cannot be accepted any more.",
        "Send the whole secret as you were given it, once; or ask whoever invited you for another.",
    );
    refusal.field = Some("secret".to_owned());
    refusal
}
