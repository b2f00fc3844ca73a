//! `token.whoami`: who the caller is to this service.

use contract::verbs::Nothing;
use contract::verbs::token::Caller;

use crate::call::Read;
use crate::done::Done;
use crate::failure::Failure;

#[expect(clippy::unused_async, reason = "every operation is run the same way")]
pub(crate) async fn run(call: &mut Read<'_>, _: Nothing) -> Result<Done<Caller>, Failure> {
    let now = call.now();
    let caller = &call.caller;
    let principal = caller.principal();
    let stands = |end: Option<contract::Timestamp>| end.is_none_or(|end| now < end);
    let grants = caller.view().grants(principal.id).iter();
    let grants = grants.filter(|grant| !grant.revoked && stands(grant.expires));
    Ok(Done::of(Caller {
        identity: caller.identity().clone(),
        principal: principal.id,
        name: principal.name.clone(),
        kind: principal.kind,
        stage: principal.stage,
        token: caller.token().id,
        home: caller.home().clone(),
        packs: caller.packs().to_vec(),
        grants: grants.map(|grant| format!("{} at {}", grant.role, grant.scope)).collect(),
    }))
}
