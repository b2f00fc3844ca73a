//! Owns the checks of a decision and their order. Invariant: deciding and explaining run the same
//! [`judge`]; no check looks at what an earlier one found.
//!
//! The order keeps a refusal from telling whether a scope exists: up to the narrowing, every check
//! compares texts and would answer the same for a scope that is not there.

use std::sync::Arc;

use contract::{Action, Scope, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Called, Caller, Now, Reason, pack};
use crate::lease::Standing;
use crate::permit::Permit;
use crate::role::ActionSet;
use crate::token;
use crate::view::{AuthorityView, Bearer, Holder, PackRef, PrincipalKind};

/// What authority says.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Decision {
    /// It may.
    Permit(Permit),
    /// It may not.
    Refused(Reason),
    /// It cannot be said: this plane holds no valid lease. The call can be sent again.
    Unavailable,
}

impl Decision {
    /// The permit, or what stands against it.
    pub fn permit(self) -> Result<Permit, Objection> {
        match self {
            Self::Permit(permit) => Ok(permit),
            Self::Refused(reason) => Err(Objection::Refused(reason)),
            Self::Unavailable => Err(Objection::Unavailable),
        }
    }
}

/// What stands against a question's being answered with yes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Objection {
    /// It was judged, and refused.
    #[error("refused: {0}")]
    Refused(Reason),
    /// It cannot be judged: this plane holds no valid lease.
    #[error("no valid lease to decide under")]
    Unavailable,
}

/// One step of a decision, in order.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// The identity is not suspended.
    Identity,
    /// The token and its ancestors are neither revoked nor expired.
    Token,
    /// The principal is not suspended.
    Principal,
    /// A person does what only a person may.
    Person,
    /// A grant allows the action at the target or above it.
    Grant,
    /// The token's narrowing allows the action at the target.
    Narrowing,
    /// The target exists and is not archived.
    Scope,
    /// The token's packs hold the tool at its version.
    Pack,
}

/// What may not be done at an archived scope: what acts there. Reading and taking away stay possible,
/// and with them the actions that do both: destroying a leaked secret is `credential.manage`, and
/// withdrawing a server `server.manage`. That nothing is added there by these two, their verbs see to.
const FROZEN: ActionSet = ActionSet::of(&[
    Action::CatalogueRead,
    Action::CallRead,
    Action::CallWrite,
    Action::CallDestructive,
    Action::CallFinancial,
    Action::ToolClassify,
    Action::PackManage,
    Action::RunOpenClean,
    Action::ApprovalDecide,
]);

/// Decides whether the caller may do `action` at `target`.
pub fn decide(
    standing: &Standing,
    caller: &Caller<'_>,
    action: Action,
    target: &Scope,
    now: Now,
) -> Decision {
    conclude(standing, caller, &Question { action, target, called: None, now: now.wall }, now)
}

/// Decides whether the caller may do `action` at `target` by calling `called`: as [`decide`], and the
/// token's packs must hold the tool.
pub fn decide_call(
    standing: &Standing,
    caller: &Caller<'_>,
    called: &Called,
    action: Action,
    target: &Scope,
    now: Now,
) -> Decision {
    let question = Question { action, target, called: Some(called), now: now.wall };
    conclude(standing, caller, &question, now)
}

fn conclude(
    standing: &Standing,
    caller: &Caller<'_>,
    question: &Question<'_>,
    now: Now,
) -> Decision {
    if !standing.stands_at(now.boot_ms) {
        return Decision::Unavailable;
    }
    match judge(&caller.claim(), question, &mut First) {
        Ok(grounds) => {
            Decision::Permit(Permit::issue(grounds, caller, question.action, question.target))
        }
        Err(reason) => Decision::Refused(reason),
    }
}

/// That [`judge`] found nothing against it. Nothing else can make one.
#[derive(Debug)]
pub(crate) struct Grounds(());

/// Who is judged: a principal, with the token it came by unless an explanation asks about the
/// principal alone.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Claim<'v> {
    pub(crate) view: &'v AuthorityView,
    pub(crate) holder: &'v Holder,
    pub(crate) bearer: Option<&'v Bearer>,
    /// The packs that the run keeps for the token's line.
    pub(crate) kept: &'v [Arc<[PackRef]>],
}

/// What is asked about them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Question<'q> {
    pub(crate) action: Action,
    pub(crate) target: &'q Scope,
    pub(crate) called: Option<&'q Called>,
    pub(crate) now: Timestamp,
}

/// Sees the outcome of each check and says whether to go on (`Ok`) or to stop there.
pub(crate) trait Trace {
    fn see(&mut self, check: Check, outcome: Result<(), Reason>) -> Result<(), Reason>;
}

/// Stops at the first objection.
pub(crate) struct First;

impl Trace for First {
    fn see(&mut self, _: Check, outcome: Result<(), Reason>) -> Result<(), Reason> {
        outcome
    }
}

/// Runs the checks in order. `Ok` only if `trace` let every one pass.
pub(crate) fn judge(
    claim: &Claim<'_>,
    question: &Question<'_>,
    trace: &mut impl Trace,
) -> Result<Grounds, Reason> {
    claim.alive(question.now, trace)?;
    trace.see(Check::Person, claim.person(question.action))?;
    trace.see(Check::Grant, claim.grant(question))?;
    trace.see(Check::Narrowing, claim.narrowing(question))?;
    trace.see(Check::Scope, claim.scope(question))?;
    trace.see(Check::Pack, claim.pack(question))?;
    Ok(Grounds(()))
}

impl Claim<'_> {
    /// Whether whoever claims is still anyone.
    pub(crate) fn alive(&self, now: Timestamp, trace: &mut impl Trace) -> Result<(), Reason> {
        let unless = |fault, reason| if fault { Err(reason) } else { Ok(()) };
        let (view, record) = (self.view, &self.holder.record);
        trace.see(Check::Identity, unless(view.suspended(), Reason::IdentitySuspended))?;
        let token = self.bearer.map_or(Ok(()), |bearer| match bearer {
            Bearer { revoked: true, .. } => Err(Reason::TokenRevoked),
            Bearer { until, .. } => unless(!until.after(now), Reason::TokenExpired),
        });
        trace.see(Check::Token, token)?;
        trace.see(Check::Principal, unless(record.suspended, Reason::PrincipalSuspended))
    }

    /// Whether this is a person signed in as such. A child token is never that, whoever holds it.
    pub(crate) fn is_person(&self) -> bool {
        self.holder.record.kind == PrincipalKind::User
            && self.bearer.is_none_or(|bearer| {
                bearer.record.kind == token::Kind::User && bearer.record.parent.is_none()
            })
    }

    /// What they hold at `scope`: granted, cut by the token, and within what their kind may do.
    pub(crate) fn held_at(&self, scope: &Scope, now: Timestamp) -> ActionSet {
        let granted = self.holder.granted(scope, now);
        let cut = self.bearer.map_or(granted, |bearer| match &bearer.reach {
            Some(reach) if reach.covers(scope) => granted & bearer.actions,
            _ => ActionSet::EMPTY,
        });
        if self.is_person() { cut } else { cut.for_machines() }
    }

    fn person(&self, action: Action) -> Result<(), Reason> {
        if action.users_only() && !self.is_person() { Err(Reason::UserRequired) } else { Ok(()) }
    }

    fn grant(&self, question: &Question<'_>) -> Result<(), Reason> {
        if self.holder.granted(question.target, question.now).has(question.action) {
            Ok(())
        } else if self.view.root().covers(question.target) {
            Err(Reason::NoGrant)
        } else {
            Err(Reason::ForeignIdentity)
        }
    }

    fn narrowing(&self, question: &Question<'_>) -> Result<(), Reason> {
        let Some(bearer) = self.bearer else {
            return Ok(());
        };
        if !bearer.actions.has(question.action) {
            return Err(Reason::NarrowedAction);
        }
        match &bearer.reach {
            Some(reach) if reach.covers(question.target) => Ok(()),
            _ => Err(Reason::NarrowedScope),
        }
    }

    fn scope(&self, question: &Question<'_>) -> Result<(), Reason> {
        match self.view.archived(question.target) {
            None => Err(Reason::UnknownScope),
            Some(true) if FROZEN.has(question.action) => Err(Reason::ScopeArchived),
            Some(_) => Ok(()),
        }
    }

    fn pack(&self, question: &Question<'_>) -> Result<(), Reason> {
        let (Some(bearer), Some(called)) = (self.bearer, question.called) else {
            return Ok(());
        };
        if !pack::line_allows(bearer, called) {
            return Err(Reason::NotInPack);
        }
        if pack::kept_allow(self.view, self.kept, called) { Ok(()) } else { Err(Reason::NotInRun) }
    }
}
