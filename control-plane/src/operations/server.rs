//! Owns the operations on servers. Invariant: of a declaration with a fault nothing is written, and
//! every fault is answered together.

pub(crate) mod get;
pub(crate) mod import;
pub(crate) mod list;
pub(crate) mod publish;
pub(crate) mod register;
pub(crate) mod withdraw;

pub(super) mod declared;

use contract::verbs::server::Server;
use contract::{Action, Id, Refusal, id};
use tenancy::permit::Permit;

use crate::call::{Call, Write};
use crate::failure::Failure;
use crate::store::tx::Conn;
use crate::store::{self, Error};

/// What tells that tools wait for a curator.
const UNCLASSIFIED: &str = "Until a curator has judged them, its new declarations are refused: read \
     each with `tool.get` and judge it with `tool.classify`.";

/// The server of that id, with the permit to do `action` at its scope.
async fn find<T: AsMut<Conn>>(
    call: &mut Call<'_, T>,
    action: Action,
    id: Id<id::Server>,
) -> Result<(Permit, Server), Failure> {
    for permit in call.reach(action)? {
        if let Some(server) = store::server::get(call.tx.as_mut(), &permit, id).await? {
            return Ok((call.may(action, &server.scope)?, server));
        }
    }
    Err(Refusal::not_found("server", "server").into())
}

/// The server as it is after what was written.
async fn read_back(
    call: &mut Write<'_>,
    permit: &Permit,
    id: Id<id::Server>,
) -> Result<Server, Error> {
    let server = store::server::get(&mut call.tx, permit, id).await?;
    server.ok_or(Error::Gone { what: "the server" })
}
