//! Check 4, policy: the identity's own rules. There are no rules yet: an identity without rules is
//! allowed everything that the other checks allow, and the ruling says so.

use super::{Asked, Said};

const CHECK: &str = "policy";

pub(super) fn check(_: &Asked<'_, '_>) -> Said {
    Said::allow(CHECK, "The identity has no rules of its own.")
}
