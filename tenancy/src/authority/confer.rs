//! Owns the rule that nobody confers what they do not hold. Invariant: what is conferred is compared
//! with what the conferrer holds at that very scope, after their own token's narrowing.

use contract::id;
use contract::{Id, Scope, Timestamp};

use super::decide::First;
use super::{Caller, Now, Objection, Reason};
use crate::lease::Standing;
use crate::role::ActionSet;
use crate::view::{PrincipalKind, common};

/// What someone would confer at a scope and does not hold there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// Where.
    pub scope: Scope,
    /// What.
    pub actions: ActionSet,
}

/// Those of `actions` that the caller does not hold at `at`; if none, the caller may confer them
/// there and below. That the caller may give grants at all is a decision of its own.
///
/// # Errors
/// As [`authenticate`](super::authenticate).
pub fn may_confer(
    standing: &Standing,
    caller: &Caller<'_>,
    actions: ActionSet,
    at: &Scope,
    now: Now,
) -> Result<ActionSet, Objection> {
    ask(standing, caller, now)?;
    Ok(actions - caller.claim().held_at(at, now.wall))
}

/// What a token for `principal`, narrowed as said, would confer beyond what the caller holds, grant by
/// grant; if nothing, the caller may mint it. A principal mints for itself by narrowing its own token.
///
/// # Errors
/// As [`authenticate`](super::authenticate), and refused if there is no such principal.
pub fn may_mint(
    standing: &Standing,
    caller: &Caller<'_>,
    principal: Id<id::Principal>,
    narrowed: (Option<&Scope>, Option<ActionSet>),
    now: Now,
) -> Result<Vec<Missing>, Objection> {
    ask(standing, caller, now)?;
    let holder = caller.view().holder(principal).ok_or(Objection::Refused(Reason::NoGrant))?;
    let (scope, actions) = narrowed;
    let mut cut = actions.unwrap_or(ActionSet::ALL);
    if holder.record.kind == PrincipalKind::Agent {
        cut = cut.for_machines();
    }
    let mut missing: Vec<_> = holder
        .held
        .keys()
        .filter_map(|granted| match scope {
            None => Some(granted.clone()),
            Some(scope) => common(granted.clone(), scope),
        })
        .map(|at| Missing {
            actions: lacking(caller, holder.granted(&at, now.wall) & cut, &at, now.wall),
            scope: at,
        })
        .filter(|missing| !missing.actions.is_empty())
        .collect();
    missing.sort_by(|a, b| a.scope.cmp(&b.scope));
    missing.dedup();
    Ok(missing)
}

fn lacking(caller: &Caller<'_>, conferred: ActionSet, at: &Scope, now: Timestamp) -> ActionSet {
    conferred - caller.claim().held_at(at, now)
}

fn ask(standing: &Standing, caller: &Caller<'_>, now: Now) -> Result<(), Objection> {
    if !standing.stands_at(now.boot_ms) {
        return Err(Objection::Unavailable);
    }
    caller.claim().alive(now.wall, &mut First).map_err(Objection::Refused)
}
