//! Owns what a principal was granted, indexed by scope. Invariant: what the index gives at a moment
//! is what the grants give at that moment, so an expiry needs no new view.

use std::collections::{HashMap, HashSet};

use contract::id;
use contract::{Id, Scope, Timestamp};

use super::index::{Inconsistent, insert_once, once};
use super::{Grant, Principal, role_in};
use crate::role::{ActionSet, Role};

/// Until when something holds. `For ever` is later than every moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Until {
    /// Up to, and not at, the moment.
    At(Timestamp),
    /// No end.
    Forever,
}

impl Until {
    pub(crate) fn of(expires: Option<Timestamp>) -> Self {
        expires.map_or(Self::Forever, Self::At)
    }

    pub(crate) fn after(self, now: Timestamp) -> bool {
        match self {
            Self::At(end) => now < end,
            Self::Forever => true,
        }
    }
}

/// What all the grants of one principal at one scope give together, latest end first: each step is
/// what holds until its end, those before it included.
#[derive(Debug)]
pub(crate) struct Held(Box<[(Until, ActionSet)]>);

impl Held {
    pub(super) fn new(mut grants: Vec<(Until, ActionSet)>) -> Self {
        grants.sort_by_key(|(until, _)| std::cmp::Reverse(*until));
        let mut steps: Vec<(Until, ActionSet)> = Vec::new();
        for (until, actions) in grants {
            let so_far = steps.last().map_or(ActionSet::EMPTY, |step| step.1);
            match steps.last_mut() {
                Some(step) if step.0 == until => step.1 |= actions,
                // What adds nothing to what lasts longer needs no step.
                _ if so_far.holds(actions) => {}
                _ => steps.push((until, so_far | actions)),
            }
        }
        Self(steps.into())
    }

    /// What holds at `now`.
    pub(crate) fn live(&self, now: Timestamp) -> ActionSet {
        let standing = self.0.partition_point(|(until, _)| until.after(now));
        let last = standing.checked_sub(1).and_then(|at| self.0.get(at));
        last.map_or(ActionSet::EMPTY, |step| step.1)
    }
}

/// A principal and what it was granted.
#[derive(Debug)]
pub(crate) struct Holder {
    pub(crate) record: Principal,
    /// By id, for explanations.
    pub(crate) grants: Vec<Grant>,
    /// By scope, for decisions.
    pub(crate) held: HashMap<Scope, Held>,
}

impl Holder {
    /// What it is granted at `scope`: there and at the scopes above.
    pub(crate) fn granted(&self, scope: &Scope, now: Timestamp) -> ActionSet {
        scope
            .upward()
            .filter_map(|at| self.held.get(at))
            .fold(ActionSet::EMPTY, |set, held| set | held.live(now))
    }
}

pub(super) fn index(
    principals: Vec<Principal>,
    grants: Vec<Grant>,
    roles: &[Role],
) -> Result<HashMap<Id<id::Principal>, Holder>, Inconsistent> {
    let mut by_principal: HashMap<_, Vec<Grant>> = HashMap::with_capacity(principals.len());
    let mut seen = HashSet::with_capacity(grants.len());
    for grant in grants {
        once(&mut seen, &grant.id, "grant")?;
        by_principal.entry(grant.principal).or_default().push(grant);
    }
    let mut holders = HashMap::with_capacity(principals.len());
    let mut names = HashSet::with_capacity(principals.len());
    for record in principals {
        if !names.insert(record.name.clone()) {
            let which = record.name.to_string();
            return Err(Inconsistent::Twice { what: "principal", which });
        }
        let mut grants = by_principal.remove(&record.id).unwrap_or_default();
        grants.sort_by_key(|grant| grant.id);
        let held = index_grants(&grants, roles);
        let id = record.id;
        let holder = Holder { record, grants, held };
        insert_once(&mut holders, id, holder, "principal", ToString::to_string)?;
    }
    Ok(holders)
}

fn index_grants(grants: &[Grant], roles: &[Role]) -> HashMap<Scope, Held> {
    let mut by_scope: HashMap<&Scope, Vec<(Until, ActionSet)>> = HashMap::new();
    for grant in grants.iter().filter(|grant| !grant.revoked) {
        let actions = role_in(roles, grant.role.as_str()).unwrap_or(ActionSet::EMPTY);
        by_scope.entry(&grant.scope).or_default().push((Until::of(grant.expires), actions));
    }
    by_scope.into_iter().map(|(scope, held)| (scope.clone(), Held::new(held))).collect()
}
