//! Check 7, autonomy: a supervised agent's calls that do more than read wait for a person.

use contract::Effect;
use contract::verbs::principal::{Kind, Stage};

use super::{Asked, Said};

const CHECK: &str = "autonomy";

pub(super) fn check(asked: &Asked<'_, '_>) -> Said {
    let principal = asked.caller().principal();
    let supervised = principal.kind == Kind::Agent && principal.stage == Stage::Supervised;
    if !supervised || asked.resolved.effect == Effect::Read || super::harmless(asked) {
        return Said::allow(CHECK, "The caller may do this without a person.");
    }
    let say = format!(
        "{} is supervised, and this tool's effect is `{}`.",
        principal.name,
        asked.resolved.effect.as_str()
    );
    if asked.released {
        Said::allow(CHECK, format!("{say} A person released this call."))
    } else {
        Said::approve(CHECK, "supervised", say)
    }
}
