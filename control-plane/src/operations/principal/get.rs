//! `principal.get`: one principal.

use contract::Action;
use contract::verbs::principal::{Principal, Which};

use super::find;
use crate::call::Read;
use crate::done::Done;
use crate::failure::Failure;

pub(crate) async fn run(call: &mut Read<'_>, input: Which) -> Result<Done<Principal>, Failure> {
    let (_, principal) = find(call, Action::PrincipalRead, input.principal).await?;
    Ok(Done::of(principal))
}
