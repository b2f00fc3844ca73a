//! Owns `access.explain`. Invariant: about oneself one learns no more than a refusal said; about
//! others, and in full, it needs the action `access.explain` at the scope in question.

use contract::verbs::access as said;
use contract::{Action, Address, Refusal, Scope, hint};
use serde_json::Value;
use tenancy::authority::{self, Asked, Subject};

use super::{Call, Sat, Seated, Unsat};
use crate::catalogue::{Target, resolve};

pub(super) async fn explain(call: &Call<'_, '_>) -> Seated {
    let input: said::ExplainInput = call.input()?;
    match input.decision {
        Some(decision) => replay(call, decision).await,
        None => ask(call, &input),
    }
}

/// What a recorded refusal was about.
struct Recorded {
    principal: String,
    token: Option<String>,
    scope: Scope,
    action: Option<Action>,
    address: String,
    check: String,
    rule: String,
    verdict: String,
    revision: u64,
}

impl Recorded {
    fn of(body: &Value) -> Option<Self> {
        let text = |member: &str| body.get(member).and_then(Value::as_str).map(str::to_owned);
        Some(Self {
            principal: text("principal")?,
            token: text("token"),
            scope: text("scope")?.parse().ok()?,
            action: text("action").and_then(|action| action.parse().ok()),
            address: text("address")?,
            check: text("check").unwrap_or_else(|| "none".to_owned()),
            rule: text("rule").unwrap_or_else(|| "none".to_owned()),
            verdict: text("verdict")?,
            revision: body.get("revision").and_then(Value::as_u64).unwrap_or_default(),
        })
    }
}

async fn replay(call: &Call<'_, '_>, id: contract::Id<contract::id::Decision>) -> Seated {
    let missing = || Unsat::from(Refusal::not_found("decision", "decision"));
    let readers = call.worker.store().readers();
    let body = crate::ledger_rows::ruling_of(readers, call.worker.plane(), id).await?;
    let recorded = body.as_ref().and_then(Recorded::of).ok_or_else(missing)?;
    let caller = call.found.asking.caller;
    let mine = recorded.principal == caller.principal().id.to_string();
    let full = call.may(Action::AccessExplain, &recorded.scope);
    if !mine && !full {
        return Err(missing());
    }
    let decided = said::Step {
        step: recorded.check.clone(),
        passed: recorded.verdict == "allow",
        say: format!("{} at {}: rule `{}`.", recorded.verdict, recorded.scope, recorded.rule),
    };
    let mut explanation = said::Explanation {
        allowed: recorded.verdict == "allow",
        say: format!(
            "The call to {} ended in `{}` at the check `{}` (rule `{}`), decided at revision {}.",
            recorded.address, recorded.verdict, recorded.check, recorded.rule, recorded.revision
        ),
        steps: vec![decided],
        revision: recorded.revision,
        would_allow: Vec::new(),
    };
    if full && let Some(action) = recorded.action {
        let token = recorded.token.as_deref().and_then(|token| token.parse().ok());
        let principal = recorded.principal.parse().ok();
        let subject = match (token, principal) {
            (Some(token), _) => Some(Subject::Token(token)),
            (None, Some(principal)) => Some(Subject::Principal(principal)),
            (None, None) => None,
        };
        if let Some(now) =
            subject.and_then(|subject| judged(call, subject, action, &recorded.scope))
        {
            explanation.steps.extend(now.steps);
            explanation.would_allow = now.would_allow;
            explanation.revision = now.revision;
        }
    }
    let sat = Sat::of(&explanation);
    Ok(if full {
        sat
    } else {
        sat.hint(
            hint::Kind::NextStep,
            "Whoever holds `access.explain` at that scope can see every step and what would allow it.",
        )
    })
}

fn ask(call: &Call<'_, '_>, input: &said::ExplainInput) -> Seated {
    let caller = call.found.asking.caller;
    let (action, scope) = aimed(call, input)?;
    let mine = input.principal.is_none_or(|principal| principal == caller.principal().id);
    let full = call.may(Action::AccessExplain, &scope);
    if !mine && !full {
        return Err(Refusal::not_found("principal", "principal").into());
    }
    let subject = match input.principal {
        Some(principal) if !mine => Subject::Principal(principal),
        _ => Subject::Token(caller.token().id),
    };
    let mut explanation = judged(call, subject, action, &scope)
        .ok_or_else(|| Unsat::from(Refusal::not_found("principal", "principal")))?;
    if !full {
        // No more than a refusal says: whether, and not what lies at that scope, nor whether anything
        // does.
        explanation.steps.clear();
        explanation.would_allow.clear();
    }
    Ok(Sat::of(&explanation))
}

fn aimed(call: &Call<'_, '_>, input: &said::ExplainInput) -> Result<(Action, Scope), Unsat> {
    let place = |address: &Address| {
        let asking = call.found.asking;
        let resolved = resolve::resolve(&call.found.world.index, asking, address).ok()?;
        // A tool that the caller may not call is not there for them, unless they may ask about it.
        let there = matches!(resolved.target, Target::Seat(_))
            || resolve::callable(asking, &resolved)
            || call.may(Action::AccessExplain, &resolved.scope);
        if there { Some((resolved.action?, resolved.scope)) } else { None }
    };
    let (action, scope) = match (&input.address, input.action, &input.scope) {
        (Some(address), ..) => {
            return place(address).ok_or_else(|| Refusal::not_found("address", "tool").into());
        }
        (None, Some(action), Some(scope)) => (action, scope.clone()),
        (None, action, _) => {
            let field = if action.is_none() { "action" } else { "scope" };
            return Err(Refusal::of_field(
                field,
                "The question is not whole.",
                "Give `decision`, or `address`, or both `action` and `scope`.",
            )
            .into());
        }
    };
    Ok((action, scope))
}

fn judged(
    call: &Call<'_, '_>,
    subject: Subject,
    action: Action,
    scope: &Scope,
) -> Option<said::Explanation> {
    let asking = &call.found.asking;
    let view = asking.caller.view();
    let asked = Asked { action, target: scope, called: None };
    let found = authority::explain(view, &asking.standing, subject, &asked, asking.now).ok()?;
    let who = view.principal(found.principal).map_or("It", |principal| principal.name.as_str());
    let winning = found
        .winning_grant
        .and_then(|id| found.grants.iter().find(|considered| considered.grant == id));
    let say = match (found.permitted, winning, found.reason) {
        (true, Some(grant), _) => {
            format!("{who} may {action} at {scope}: grant `{}` at {}.", grant.role, grant.scope)
        }
        (true, None, _) => format!("{who} may {action} at {scope}."),
        (false, _, Some(reason)) => {
            // Whether there is such a scope is told to those who may ask about it.
            let reason =
                if call.may(Action::AccessExplain, scope) { reason } else { reason.public() };
            format!("{who} may not {action} at {scope}: {}", reason.say())
        }
        (false, _, None) => format!("{who} may not {action} at {scope}."),
    };
    let mut steps: Vec<said::Step> = found
        .steps
        .iter()
        .map(|step| said::Step {
            step: word(&step.check),
            passed: step.reason.is_none(),
            say: step.say.clone(),
        })
        .collect();
    // A grant that lies elsewhere decides nothing here, and is shown to those who may ask there.
    let shown = found
        .grants
        .iter()
        .filter(|grant| grant.scope.covers(scope) || call.may(Action::AccessExplain, &grant.scope));
    steps.extend(shown.map(|grant| said::Step {
        step: "grant".to_owned(),
        passed: grant.verdict == authority::GrantVerdict::Gives,
        say: format!(
            "{} `{}` at {}: {}.",
            grant.grant,
            grant.role,
            grant.scope,
            word(&grant.verdict)
        ),
    }));
    Some(said::Explanation {
        allowed: found.permitted,
        say,
        steps,
        revision: found.revision,
        would_allow: found
            .what_would_change
            .iter()
            .map(|remedy| format!("grant `{}` at {}", remedy.role, remedy.scope))
            .collect(),
    })
}

fn word(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value)
        .ok()
        .and_then(|value| value.as_str().map(str::to_owned))
        .unwrap_or_default()
}
