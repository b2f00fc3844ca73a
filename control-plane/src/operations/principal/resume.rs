//! `principal.resume`: ends a suspension.

use contract::verbs::principal::{ChangeInput, Principal};

use super::set_suspended;
use crate::call::Write;
use crate::done::Done;
use crate::failure::Failure;

pub(crate) async fn run(
    call: &mut Write<'_>,
    input: ChangeInput,
) -> Result<Done<Principal>, Failure> {
    set_suspended(call, &input, false).await
}
