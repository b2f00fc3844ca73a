//! Owns explanations: the same [`judge`] as a decision, let past every objection and written down.
//! Invariant: `permitted` is what a decision at that moment by that view would say.
//!
//! An explanation tells what a refusal keeps back. Who may read it is the asking verb's to decide.

mod record;

use std::cmp::Reverse;

use contract::id;
use contract::{Id, Name};

use super::decide::{Claim, Question, Trace, judge};
use super::{Check, Now, Reason};
use crate::lease::Standing;
use crate::role::{ActionSet, BuiltIn};
use crate::view::{AuthorityView, Grant, Until};

pub use record::{
    Asked, Considered, Explanation, GrantVerdict, Remedy, Step, Subject, Unexplained,
};

/// How many grants an explanation lists.
const CONSIDERED_MAX: usize = 50;
/// How many grants that would help it proposes.
const REMEDIES_MAX: usize = 5;

/// Explains what a decision about the subject would say, and why.
///
/// # Errors
/// When the view does not hold the subject, or without a valid lease.
pub fn explain(
    view: &AuthorityView,
    standing: &Standing,
    subject: Subject,
    asked: &Asked<'_>,
    now: Now,
) -> Result<Explanation, Unexplained> {
    if !standing.stands_at(now.boot_ms) {
        return Err(Unexplained::Unavailable);
    }
    let claim = claim(view, subject).ok_or(Unexplained::NoSubject)?;
    let Asked { action, target, called } = *asked;
    let question = Question { action, target, called, now: now.wall };
    let mut story = Story { claim, steps: Vec::new() };
    // The story lets every check pass, so that all of them are run; what it wrote down decides.
    let _ = judge(&claim, &question, &mut story);
    let objections: Vec<_> = story.steps.iter().filter_map(|step| step.reason).collect();
    let mut grants = considered(&claim, &question);
    let winning_grant = winner(&grants);
    let left_out = grants.len().saturating_sub(CONSIDERED_MAX);
    grants.truncate(CONSIDERED_MAX);
    Ok(Explanation {
        principal: claim.holder.record.id,
        token: claim.bearer.map(|bearer| bearer.record.id),
        action,
        scope: target.clone(),
        at: now.wall,
        revision: view.revision(),
        permitted: objections.is_empty(),
        reason: objections.first().copied(),
        what_would_change: remedies(view, &objections, &question),
        steps: story.steps,
        grants,
        grants_left_out: u32::try_from(left_out).unwrap_or(u32::MAX),
        winning_grant,
    })
}

fn claim(view: &AuthorityView, subject: Subject) -> Option<Claim<'_>> {
    let (principal, bearer) = match subject {
        Subject::Principal(principal) => (principal, None),
        Subject::Token(token) => {
            let bearer = view.bearer_of(token)?;
            (bearer.record.principal, Some(bearer))
        }
    };
    Some(Claim { view, holder: view.holder(principal)?, bearer, kept: &[] })
}

/// Writes every outcome down and objects to nothing.
struct Story<'v> {
    claim: Claim<'v>,
    steps: Vec<Step>,
}

impl Trace for Story<'_> {
    fn see(&mut self, check: Check, outcome: Result<(), Reason>) -> Result<(), Reason> {
        let reason = outcome.err();
        let say = reason.map_or_else(|| self.passed(check), |reason| reason.say().to_owned());
        self.steps.push(Step { check, reason, say });
        Ok(())
    }
}

impl Story<'_> {
    fn passed(&self, check: Check) -> String {
        let narrowed = self
            .claim
            .bearer
            .is_some_and(|bearer| bearer.narrowed || bearer.actions != ActionSet::ALL);
        match check {
            Check::Identity => "The identity is not suspended.",
            Check::Token if self.claim.bearer.is_none() => "The question is about no token.",
            Check::Token => "Neither the token nor one it descends from is revoked or expired.",
            Check::Principal => "The principal is not suspended.",
            Check::Person => "The caller is of a kind that may do this.",
            Check::Grant => "A live grant allows the action here.",
            Check::Narrowing if narrowed => "The token's narrowing leaves the action here.",
            Check::Narrowing => "No token narrows this.",
            Check::Scope => "The scope is there, and open to this action.",
            Check::Pack => "No pack stands against this.",
        }
        .to_owned()
    }
}

fn considered(claim: &Claim<'_>, question: &Question<'_>) -> Vec<Considered> {
    let mut considered: Vec<_> = claim
        .holder
        .grants
        .iter()
        .filter_map(|grant| Some((verdict(claim.view, grant, question)?, grant)))
        .map(|(verdict, grant)| Considered {
            grant: grant.id,
            role: grant.role.clone(),
            scope: grant.scope.clone(),
            expires: grant.expires,
            verdict,
        })
        .collect();
    // Nearest first: of scopes that cover one target, the longer is the lower.
    considered.sort_by_key(|seen| {
        let until = Until::of(seen.expires);
        let depth = seen.scope.level();
        (seen.verdict, Reverse((depth, until)), seen.grant)
    });
    considered
}

/// What the grant does for the question, or `None` if it has nothing to do with it.
fn verdict(view: &AuthorityView, grant: &Grant, question: &Question<'_>) -> Option<GrantVerdict> {
    let covers = grant.scope.covers(question.target);
    let actions = view.role(grant.role.as_str());
    let has = actions.is_some_and(|actions| actions.has(question.action));
    let live = !grant.revoked && Until::of(grant.expires).after(question.now);
    Some(match (covers, has) {
        (true, _) if grant.revoked => GrantVerdict::Revoked,
        (true, _) if !live => GrantVerdict::Expired,
        (true, true) => GrantVerdict::Gives,
        (true, false) if actions.is_none() => GrantVerdict::UnknownRole,
        (true, false) => GrantVerdict::RoleLacks,
        (false, true) if live => GrantVerdict::Elsewhere,
        (false, _) => return None,
    })
}

fn winner(considered: &[Considered]) -> Option<Id<id::Grant>> {
    let first = considered.first()?;
    (first.verdict == GrantVerdict::Gives).then_some(first.grant)
}

/// Roles that have the action and of which no other one is a part, smallest first. None if something
/// else than a grant is missing.
fn remedies(view: &AuthorityView, objections: &[Reason], question: &Question<'_>) -> Vec<Remedy> {
    if objections != [Reason::NoGrant] {
        return Vec::new();
    }
    let built_in = BuiltIn::ALL
        .into_iter()
        .filter_map(|role| Some((role.as_str().parse::<Name>().ok()?, role.actions())));
    let own = view.roles().iter().map(|role| (role.name.clone(), role.actions));
    let mut roles: Vec<_> =
        built_in.chain(own).filter(|(_, actions)| actions.has(question.action)).collect();
    let sets: Vec<_> = roles.iter().map(|(_, actions)| *actions).collect();
    roles.retain(|(_, actions)| !sets.iter().any(|set| set != actions && actions.holds(*set)));
    roles.sort_by(|a, b| (a.1.len(), &a.0).cmp(&(b.1.len(), &b.0)));
    roles.truncate(REMEDIES_MAX);
    let also = |actions: ActionSet| actions - ActionSet::of(&[question.action]);
    roles
        .into_iter()
        .map(|(role, actions)| Remedy { role, scope: question.target.clone(), also: also(actions) })
        .collect()
}
