//! `server.get`: one server with its tools and where each stands.

use contract::Action;
use contract::verbs::server::{Server, Which};

use super::find;
use crate::call::Read;
use crate::done::Done;
use crate::failure::Failure;

pub(crate) async fn run(call: &mut Read<'_>, input: Which) -> Result<Done<Server>, Failure> {
    let (_, server) = find(call, Action::ServerRead, input.server).await?;
    Ok(Done::of(server))
}
