//! Owns the operations on tokens. Invariant: a secret is answered once, by the operation that mints
//! it; whoever mints or binds confers no more than they hold.

pub(super) mod bind;
pub(crate) mod create;
pub(crate) mod list;
pub(crate) mod narrow;
pub(crate) mod rebind;
pub(crate) mod report_leaked;
pub(crate) mod revoke;
pub(crate) mod rotate;
pub(crate) mod whoami;

use contract::{Action, Id, Refusal, id};
use tenancy::permit::Permit;
use tenancy::token::{self, Kind};

use crate::call::Write;
use crate::failure::Failure;
use crate::store;
use crate::store::token::Record;

/// The token of that id, with the permit to manage it.
async fn find(call: &mut Write<'_>, id: Id<id::Token>) -> Result<(Permit, Record), Failure> {
    let now = call.now();
    for permit in call.reach(Action::TokenManage)? {
        if let Some(record) = store::token::get(&mut call.tx, &permit, id, now).await? {
            return Ok((call.may(Action::TokenManage, &record.home)?, record));
        }
    }
    Err(Refusal::not_found("token", "token").into())
}

/// A new secret of the caller's identity.
pub(super) async fn mint(call: &mut Write<'_>, kind: Kind) -> Result<token::Secret, Failure> {
    let plane = tenancy::permit::Plane::of(call.caller.identity().clone());
    let sealing = store::identity::sealing(&mut call.tx, &plane).await?;
    Ok(token::mint(call.means.source, kind, &sealing.route))
}
