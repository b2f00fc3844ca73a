//! Owns `ledger.replay`. Invariant: it reads what the caller may read of the ledger, proposes nothing
//! about grants that the caller may not see, looks at a bounded number of rulings, and changes nothing.

use std::collections::BTreeMap;

use contract::verbs::ledger::{self as said, Would};
use contract::{Action, Fault, Id, Refusal, Timestamp, hint, id};
use tenancy::permit::Permit;
use tenancy::role::Role;
use tenancy::view::{AuthorityView, Grant, Proposal};

use super::super::{Call, Sat, Seated, Unsat};
use super::before;
use crate::ledger_rows::{self, Filter, Stored};
use crate::replay::{Judges, Past, judge};

/// How many rulings are looked at when nothing is said, and at most.
const LIMIT: u32 = 500;
const LIMIT_MAX: u32 = 2_000;
/// How many are read at a time.
const ROWS: u32 = 200;
/// How many changes one answer names.
const CHANGES_MAX: usize = 200;

pub(in crate::seat) async fn replay(call: &Call<'_, '_>) -> Seated {
    let input: said::ReplayInput = call.input()?;
    let scope = &call.found.resolved.scope;
    let permit = call.permit(Action::LedgerRead, scope)?;
    call.permit(Action::AccessExplain, scope)?;
    let asking = &call.found.asking;
    let today = asking.caller.view();
    let proposed = proposed(call, today, &input)?;
    let effects = input.effects.iter().map(|one| (one.address.to_string(), one.effect)).collect();
    let (standing, boot_ms) = (asking.standing, asking.now.boot_ms);
    let by = Judges { today, proposed: &proposed, effects, standing, boot_ms };
    let mut tally = Tally { revision: today.revision(), ..Tally::default() };
    walk(call, &permit, &input, |stored| tally.add(stored, &by)).await.map(|cursor| {
        let more = cursor.is_some();
        let sat = Sat::of(&tally.told(cursor));
        if more {
            let say = "Earlier rulings follow: send `cursor` to go on, and add the figures up.";
            sat.hint(hint::Kind::MoreFollows, say)
        } else {
            sat
        }
    })
}

/// Reads the rulings, newest first, up to the limit. Answers where to go on.
async fn walk(
    call: &Call<'_, '_>,
    permit: &Permit,
    input: &said::ReplayInput,
    mut see: impl FnMut(&Stored),
) -> Result<Option<String>, Unsat> {
    let filter = Filter {
        kind: Some("ruling".to_owned()),
        run: None,
        principal: input.principal,
        address: input.address.clone(),
        verdict: None,
        from: input.from,
        to: input.to,
    };
    let mut next = before(input.cursor.as_deref())?;
    let mut left = input.limit.unwrap_or(LIMIT).clamp(1, LIMIT_MAX);
    let readers = call.worker.store().readers();
    while left > 0 {
        let limit = left.min(ROWS);
        let rows = ledger_rows::page(readers, permit, &filter, next, limit).await?;
        rows.iter().for_each(&mut see);
        let full = u32::try_from(rows.len()).unwrap_or(u32::MAX) >= limit;
        let Some(last) = rows.last().filter(|_| full) else { return Ok(None) };
        next = i64::try_from(last.seq).ok();
        left -= limit;
    }
    Ok(next.map(|seq| seq.to_string()))
}

/// The authority as it is proposed. Every fault of the proposal together.
fn proposed(
    call: &Call<'_, '_>,
    today: &AuthorityView,
    input: &said::ReplayInput,
) -> Result<AuthorityView, Unsat> {
    let mut faults = Vec::new();
    for (at, grant) in input.without_grants.iter().enumerate() {
        if !seen(call, today, *grant) {
            let field = format!("without_grants.{at}");
            let say = "There is no such grant, or you may not see it.";
            faults.push(Fault::new(field, say, "Send the id of a grant: `grant.list` lists them."));
        }
    }
    let defined = |name: &str| input.roles.iter().any(|role| role.role.as_str() == name);
    for (at, grant) in input.with_grants.iter().enumerate() {
        let role = grant.role.as_str();
        if today.role(role).is_none() && !defined(role) {
            let say = format!("There is no role `{role}`, and none is proposed.");
            let fix = "Send a role that `role.list` lists, or propose it under `roles`.";
            faults.push(Fault::new(format!("with_grants.{at}.role"), say, fix));
        }
    }
    if !faults.is_empty() {
        return Err(Refusal::of_input(faults).into());
    }
    let proposal = Proposal {
        without: input.without_grants.iter().copied().collect(),
        with: input.with_grants.iter().map(|grant| given(call, grant)).collect(),
        roles: input.roles.iter().map(role).collect(),
    };
    today.proposed(&proposal).map_err(|error| {
        let say = format!("The proposal contradicts itself: {error}.");
        Refusal::of_field(
            "roles",
            say,
            "Name no built-in role, no role twice, and no other identity.",
        )
        .into()
    })
}

fn seen(call: &Call<'_, '_>, today: &AuthorityView, grant: Id<id::Grant>) -> bool {
    let of = |principal| today.grants(principal).iter().find(|held| held.id == grant);
    let found = today.principals().find_map(|principal| of(principal.id));
    found.is_some_and(|found| call.may(Action::GrantRead, &found.scope))
}

fn given(call: &Call<'_, '_>, grant: &said::ProposedGrant) -> Grant {
    Grant {
        id: call.worker.new_proposed_id(),
        principal: grant.principal,
        scope: grant.scope.clone(),
        role: grant.role.clone(),
        expires: None,
        revoked: false,
    }
}

fn role(role: &said::ProposedRole) -> Role {
    Role { name: role.role.clone(), actions: role.actions.iter().copied().collect() }
}

/// What was counted so far.
#[derive(Debug, Default)]
struct Tally {
    counts: BTreeMap<Would, u32>,
    unsaid: BTreeMap<String, u32>,
    changes: Vec<said::Change>,
    revision: u64,
}

impl Tally {
    fn add(&mut self, stored: &Stored, by: &Judges<'_>) {
        let body = serde_json::from_str(&stored.body).unwrap_or_default();
        let at = Timestamp::from_ms(stored.at_ms);
        let past = Past::of(at, &body);
        let judged = judge(&past, by);
        *self.counts.entry(judged.would).or_default() += 1;
        let changes = matches!(judged.would, Would::Refuse | Would::Allow);
        if judged.would == Would::CannotSay {
            *self.unsaid.entry(judged.say).or_default() += 1;
        } else if changes && self.changes.len() < CHANGES_MAX {
            self.changes.push(said::Change {
                seq: stored.seq,
                at,
                principal: past.principal,
                address: past.address,
                scope: past.scope,
                was: past.verdict,
                would: judged.would,
                say: judged.say,
                today_too: judged.today_too,
            });
        }
    }

    fn told(self, cursor: Option<String>) -> said::Replayed {
        let count = |would| self.counts.get(&would).copied().unwrap_or_default();
        let unsaid = |(say, count)| said::Unsaid { say, count };
        said::Replayed {
            looked_at: self.counts.values().sum(),
            same: count(Would::Same),
            would_refuse: count(Would::Refuse),
            would_allow: count(Would::Allow),
            cannot_say: count(Would::CannotSay),
            unsaid: self.unsaid.into_iter().map(unsaid).collect(),
            changes: self.changes,
            revision: self.revision,
            cursor,
        }
    }
}
