//! `identity.resume`: ends the suspension of a tenant.

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
    set_suspended(call, &input, false).await
}
