//! `pack.get`: one version of a pack.

use contract::verbs::pack::{Pack, Which};
use contract::{Action, Refusal};

use crate::call::Read;
use crate::done::Done;
use crate::failure::Failure;
use crate::store;

pub(crate) async fn run(call: &mut Read<'_>, input: Which) -> Result<Done<Pack>, Failure> {
    let permit = call.may_see(Action::PackRead, call.root(), ("pack", "pack"))?;
    let which = (&input.pack, input.version);
    let found = store::pack::get(&mut call.tx, &permit, which).await?;
    Ok(Done::of(found.ok_or_else(|| Refusal::not_found("pack", "pack"))?))
}
