//! `identity.suspend`: every call of every one of the tenant's callers is refused.

use contract::verbs::identity::{ChangeInput, Identity};

use super::set_suspended;
use crate::call::Operate;
use crate::done::Done;
use crate::failure::Failure;
use crate::store::tx::Writing;

pub(crate) async fn run(
    call: &mut Operate<'_, Writing>,
    input: ChangeInput,
) -> Result<Done<Identity>, Failure> {
    set_suspended(call, &input, true).await
}
