//! `identity.get`: one tenant, without anything inside it.

use contract::verbs::identity::{Identity, Which};

use super::missing;
use crate::call::Operate;
use crate::done::Done;
use crate::failure::Failure;
use crate::store;
use crate::store::tx::Conn;

pub(crate) async fn run(
    call: &mut Operate<'_, Conn>,
    input: Which,
) -> Result<Done<Identity>, Failure> {
    let found = store::identity::get(&mut call.tx, &call.operator, &input.identity).await?;
    Ok(Done::of(found.ok_or_else(missing)?))
}
