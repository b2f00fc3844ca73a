//! Owns the verbs on approvals. Invariants: a release answers what labels, rules and autonomy asked
//! and nothing that a check blocked; the call is made once; nobody releases what they could not do
//! themselves at that scope, or what they may not see.

mod made;

use contract::id::{self, Id};
use contract::verb::Needs;
use contract::verbs::approval as said;
use contract::{Action, Answer, Code, Refusal, Timestamp, Written, hint};
use serde_json::Value;

use super::{Call, Sat, Seated, Unsat, cursor_of, limit_of, page};
use crate::approval::{self, Decide, Record};
use crate::content::detect;
use crate::ledger::entry::body::{self, Body};
use crate::store::Batch;
use crate::worker::answer::hex;

impl Call<'_, '_> {
    async fn approval(&self, id: Id<id::Approval>) -> Result<Record, Unsat> {
        approval::by_id(self.worker.store().readers(), self.worker.plane(), id)
            .await?
            .ok_or_else(|| Refusal::not_found("approval", "record").into())
    }

    /// The approval as this caller may see it.
    fn told(&self, record: &Record) -> said::Approval {
        let mine = record.call.principal == self.found.asking.caller.principal().id;
        let reads = mine || self.may(Action::ContentReadAny, &record.scope);
        said::Approval {
            id: record.id,
            state: record.state_at(self.worker.clock_now()),
            principal: record.call.principal,
            run: record.call.run,
            scope: record.scope.clone(),
            address: record.call.address.clone(),
            effect: record.call.effect,
            arguments: self.arguments(record),
            labels: record.labels,
            checks: serde_json::from_value(record.checks.clone()).unwrap_or_default(),
            created: record.created,
            expires: record.expires,
            decided_by: record.decided_by,
            reason: record.reason.clone(),
            answer: record.answer.clone().filter(|_| reads),
            version: record.version,
        }
    }

    /// The exact arguments, masked for those who do not see personal values there. Whoever made the
    /// call knows them.
    fn arguments(&self, record: &Record) -> Value {
        let mine = record.call.principal == self.found.asking.caller.principal().id;
        if mine || self.may(Action::Unmask, &record.scope) {
            return record.call.arguments.clone();
        }
        let text = record.call.arguments.to_string();
        let spans = detect::detect_json(&text);
        let masked = self.found.run.mask(&text, &spans).text;
        serde_json::from_str(&masked).unwrap_or(Value::Null)
    }
}

pub(super) async fn get(call: &Call<'_, '_>) -> Seated {
    let input: said::Which = call.input()?;
    let record = call.approval(input.approval).await?;
    let pending = record.state_at(call.worker.clock_now()) == said::State::Pending;
    let mut told = call.told(&record);
    if told.answer.is_some()
        && let Some(content) = record.content
    {
        // Masked and labelled anew, for whoever reads it and for the run they read it in.
        let envelope = call.worker.render_stored(call.found, content).await?;
        told.answer = Some(Answer::Done(envelope).body());
    }
    let sat = Sat::of(&told);
    Ok(if pending {
        sat.hint(
            hint::Kind::NextStep,
            "A person has not decided yet. Ask again later, or send the same call again.",
        )
    } else {
        sat
    })
}

pub(super) async fn list(call: &Call<'_, '_>) -> Seated {
    let input: said::ListInput = call.input()?;
    let limit = usize::try_from(limit_of(input.limit)).unwrap_or(50);
    let mut before = cursor_of(input.cursor.as_deref())?;
    let mine = call.found.asking.caller.principal().id;
    let now = call.worker.clock_now();
    let mut items = Vec::new();
    let mut cursor = None;
    // What may not be seen is passed over; the walk is bounded, and goes on from its cursor.
    'walk: for _ in 0..20 {
        let readers = call.worker.store().readers();
        let records = approval::page(readers, call.worker.plane(), before, 200).await?;
        let Some(last) = records.last() else {
            cursor = None;
            break;
        };
        before = Some(last.id);
        cursor = Some(last.id.to_string());
        let full = records.len() == 200;
        for record in records {
            let wanted = wanted(&input, &record, now);
            let seen =
                record.call.principal == mine || call.may(Action::ApprovalRead, &record.scope);
            if wanted && seen {
                if items.len() == limit {
                    cursor = items.last().map(|last: &said::Approval| last.id.to_string());
                    break 'walk;
                }
                // A list says where each stands; what it answered is read one by one.
                items.push(said::Approval { answer: None, ..call.told(&record) });
            }
        }
        if !full {
            cursor = None;
            break;
        }
    }
    Ok(page(items, cursor))
}

/// Whether a list asks for this one.
fn wanted(input: &said::ListInput, record: &Record, now: Timestamp) -> bool {
    input.state.is_none_or(|state| record.state_at(now) == state)
        && input.principal.is_none_or(|principal| record.call.principal == principal)
        && input.run.is_none_or(|run| record.call.run == run)
        && input.scope.as_ref().is_none_or(|scope| scope.covers(&record.scope))
}

pub(super) async fn refuse(call: &Call<'_, '_>) -> Seated {
    let input: said::DecideInput = call.input()?;
    let record = decidable(call, &input).await?;
    decide(call, &record, input.reason, Act::Refused).await?;
    let record = call.approval(record.id).await?;
    let mut sat = Sat::of(&call.told(&record));
    sat.envelope.written.push(Written::new("approvals", record.id, record.version));
    Ok(sat)
}

pub(super) async fn cancel(call: &Call<'_, '_>) -> Seated {
    let said::CancelInput { approval, expected_version } = call.input()?;
    let input = said::DecideInput { approval, reason: None, expected_version };
    let record = decidable(call, &input).await?;
    decide(call, &record, None, Act::Cancelled).await?;
    let record = call.approval(record.id).await?;
    let mut sat = Sat::of(&call.told(&record));
    sat.envelope.written.push(Written::new("approvals", record.id, record.version));
    Ok(sat)
}

/// What is done with a held call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    Released,
    Refused,
    /// By whoever made it.
    Cancelled,
}

impl Act {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Released => "released",
            Self::Refused => "refused",
            Self::Cancelled => "cancelled",
        }
    }
}

pub(super) async fn release(call: &Call<'_, '_>) -> Seated {
    let input: said::DecideInput = call.input()?;
    let record = decidable(call, &input).await?;
    for (action, scope) in conferred(call, &record) {
        call.permit(action, &scope).map_err(|_| {
            Unsat::from(Refusal::new(
                Code::BeyondOwnAuthority,
                format!("You do not hold `{action}` at {scope} yourself."),
                "Ask somebody who does to release it.",
            ))
        })?;
    }
    let text = record.call.arguments.to_string();
    if !detect::detect_json(&text).is_empty() && !call.may(Action::Unmask, &record.scope) {
        return Err(Refusal::new(
            Code::NotGranted,
            "The arguments hold values that you may not see, so you cannot judge them.",
            "Ask somebody with the action `unmask` at that scope to release it.",
        )
        .into());
    }
    let four_eyes = call.found.asking.caller.view().settings().four_eyes;
    if four_eyes && record.call.principal == call.found.asking.caller.principal().id {
        return Err(Refusal::new(
            Code::BeyondOwnAuthority,
            "Nobody releases their own call here.",
            "Ask somebody else to release it.",
        )
        .into());
    }
    decide(call, &record, input.reason, Act::Released).await?;
    let answer = made::make(call, &record).await;
    let record = call.approval(record.id).await?;
    let mut sat = Sat::of(&call.told(&record));
    sat.envelope.written.push(Written::new("approvals", record.id, record.version));
    Ok(match answer {
        Some(Answer::Refused(refusal)) => {
            sat.hint(hint::Kind::NextStep, format!("The call was refused: {}", refusal.say))
        }
        Some(Answer::Unavailable(what)) => sat.hint(
            hint::Kind::NextStep,
            format!("The call was not made: {} does not answer.", what.what),
        ),
        Some(_) => sat,
        None => sat.hint(
            hint::Kind::NextStep,
            "It is made when its caller sends it again, with their own token.",
        ),
    })
}

/// What a release would confer: the action of the effect; for a verb of the control plane its own
/// action, and every action of the role that it grants, where it grants it, or defines.
fn conferred(call: &Call<'_, '_>, record: &Record) -> Vec<(Action, contract::Scope)> {
    let scope = record.scope.clone();
    let Some(verb) = crate::catalogue::resolve::seat(&record.call.address) else {
        return vec![(record.call.effect.action(), scope)];
    };
    let mut needed = Vec::new();
    if let Needs::Action(action) = verb.needs {
        needed.push((action, scope.clone()));
    }
    let said = |field: &str| record.call.arguments.get(field).and_then(Value::as_str);
    if matches!(verb.name, "role.create" | "role.update") {
        let root = call.found.asking.caller.view().root();
        let actions = record.call.arguments.get("actions").and_then(Value::as_array);
        let named = actions.into_iter().flatten().filter_map(Value::as_str);
        let named = named.filter_map(|action| action.parse().ok());
        needed.extend(named.map(|action| (action, root.clone())));
    }
    if let Some(role) = said("role").filter(|_| verb.name == "grant.create") {
        let at = said("scope").and_then(|at| at.parse().ok()).unwrap_or(scope);
        let actions = call.found.asking.caller.view().role(role);
        needed.extend(
            actions
                .into_iter()
                .flat_map(|set| set.iter().map(|a| (a, at.clone())).collect::<Vec<_>>()),
        );
    }
    needed
}

/// The approval, if it still waits and is at the version that the caller read.
async fn decidable(call: &Call<'_, '_>, input: &said::DecideInput) -> Result<Record, Unsat> {
    let record = call.approval(input.approval).await?;
    let state = record.state_at(call.worker.clock_now());
    if state != said::State::Pending {
        return Err(Refusal::new(
            Code::ApprovalClosed,
            "This approval no longer waits.",
            "Read it with `approval.get`.",
        )
        .with("state", serde_json::json!(state))
        .into());
    }
    match input.expected_version {
        Some(expected) if expected != record.version => {
            let mut refusal = Refusal::new(
                Code::VersionMismatch,
                format!("The version is {}, not {expected}.", record.version),
                "Read it again with `approval.get`, and decide anew.",
            )
            .with("current_version", record.version);
            refusal.field = Some("expected_version".to_owned());
            Err(refusal.into())
        }
        _ => Ok(record),
    }
}

async fn decide(
    call: &Call<'_, '_>,
    record: &Record,
    reason: Option<String>,
    act: Act,
) -> Result<(), Unsat> {
    let by = call.found.asking.caller.principal().id;
    let entry = Body::Approval(body::Approval {
        id: record.id.to_string(),
        ruling: record.ruling.to_string(),
        act: act.as_str().to_owned(),
        principal: Some(by.to_string()),
        scope: record.scope.to_string(),
        call_digest: hex(&record.digest),
        expires_at_ms: None,
    });
    let change = Decide {
        id: record.id,
        version: record.version,
        released: act == Act::Released,
        by,
        reason,
        at: call.worker.clock_now(),
    };
    call.worker.store().commit(Batch::of(entry).with(change).durable()).await?;
    Ok(())
}
