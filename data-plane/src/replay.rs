//! Owns deciding past rulings anew: what check 1 would have said by another authority. Invariant: it is
//! pure, a function of a ruling as it is recorded and of two views; what the record does not tell is said
//! to be unknown, never guessed.
//!
//! Each is judged at the moment of its ruling, so that what has expired since is not taken for missing.
//! Of a call that authority let pass, the token's narrowing let it pass too, and no proposal changes
//! that: its principal alone is judged. Of one that authority refused, the token must still be there.

use std::collections::BTreeMap;

use contract::verbs::ledger::Would;
use contract::{Action, Effect, Id, Scope, Timestamp, id};
use serde_json::Value;
use tenancy::authority::{Asked, Now, Subject, explain};
use tenancy::lease::Standing;
use tenancy::view::AuthorityView;

/// What is judged by.
#[derive(Debug)]
pub(crate) struct Judges<'v> {
    /// The authority as it is.
    pub(crate) today: &'v AuthorityView,
    /// The authority as it is proposed.
    pub(crate) proposed: &'v AuthorityView,
    /// Tools that would be classified otherwise, by address.
    pub(crate) effects: BTreeMap<String, Effect>,
    /// By which right it is judged at all.
    pub(crate) standing: Standing,
    /// The moment on the boot clock, for the lease.
    pub(crate) boot_ms: u64,
}

/// A ruling, as far as it is judged.
#[derive(Debug, Clone)]
pub(crate) struct Past {
    pub(crate) at: Timestamp,
    pub(crate) principal: String,
    pub(crate) token: Option<Id<id::Token>>,
    pub(crate) scope: String,
    pub(crate) address: String,
    pub(crate) action: Option<Action>,
    pub(crate) effect: Option<String>,
    pub(crate) verdict: String,
    pub(crate) check: String,
    pub(crate) rule: String,
}

/// What a ruling would have been.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Judged {
    pub(crate) would: Would,
    pub(crate) say: String,
    /// Whether today's authority says so too.
    pub(crate) today_too: bool,
}

impl Judged {
    fn of(would: Would, say: impl Into<String>) -> Self {
        Self { would, say: say.into(), today_too: false }
    }
}

impl Past {
    /// The ruling in a stored body.
    pub(crate) fn of(at: Timestamp, body: &Value) -> Self {
        let text = |member: &str| body.get(member).and_then(Value::as_str).map(str::to_owned);
        let must = |member: &str| text(member).unwrap_or_default();
        Self {
            at,
            principal: must("principal"),
            token: text("token").and_then(|token| token.parse().ok()),
            scope: must("scope"),
            address: must("address"),
            action: text("action").and_then(|action| action.parse().ok()),
            effect: text("effect"),
            verdict: must("verdict"),
            check: must("check"),
            rule: must("rule"),
        }
    }

    fn passed(&self) -> bool {
        self.verdict != "block"
    }
}

/// Decides one ruling anew.
pub(crate) fn judge(past: &Past, by: &Judges<'_>) -> Judged {
    let proposed = judge_by(past, by, by.proposed, true);
    if proposed.would == Would::Same {
        return proposed;
    }
    let today = judge_by(past, by, by.today, false);
    Judged { today_too: today.would == proposed.would, ..proposed }
}

fn judge_by(past: &Past, by: &Judges<'_>, view: &AuthorityView, anew: bool) -> Judged {
    if !past.passed() && past.check != "authority" {
        return Judged::of(Would::Same, format!("The check `{}` refused it.", past.check));
    }
    let effect = by.effects.get(&past.address).copied().filter(|_| anew);
    let Some(action) = effect.map(Effect::action).or(past.action) else {
        let say = "The record does not say which action was needed: the control plane decided it, or \
                   the address named nothing.";
        return Judged::of(Would::CannotSay, say);
    };
    let subject = match (past.passed(), past.token, past.principal.parse()) {
        (false, Some(token), _) if view.token(token).is_some() => Subject::Token(token),
        (_, _, Ok(principal)) => Subject::Principal(principal),
        (_, _, Err(_)) => {
            return Judged::of(Would::CannotSay, "The record does not name a principal.");
        }
    };
    let Ok(target) = past.scope.parse::<Scope>() else {
        return Judged::of(Would::CannotSay, "The record does not name a scope.");
    };
    let now = Now { wall: past.at, boot_ms: by.boot_ms };
    let asked = Asked { action, target: &target, called: None };
    let Ok(told) = explain(view, &by.standing, subject, &asked, now) else {
        return Judged::of(Would::CannotSay, "The principal is not there any more.");
    };
    match (past.passed(), told.permitted) {
        (true, true) => still_passes(past, effect),
        (true, false) => {
            let why = told.reason.map_or("", |reason| reason.say());
            Judged::of(Would::Refuse, format!("`{action}` there: {why}"))
        }
        (false, false) => Judged::of(Would::Same, "Authority refuses it all the same."),
        (false, true) => would_pass(past, subject, action),
    }
}

/// What authority would let pass as it did.
fn still_passes(past: &Past, effect: Option<Effect>) -> Judged {
    let same = effect.is_none_or(|effect| past.effect.as_deref() == Some(effect.as_str()));
    if same {
        return Judged::of(Would::Same, "Authority lets it pass all the same.");
    }
    let say = "Authority lets it pass with the other effect, too; labels, keys and autonomy ask \
               differently by effect, and what they would have said is not recorded.";
    Judged::of(Would::CannotSay, say)
}

/// What authority refused, and would not any more.
fn would_pass(past: &Past, subject: Subject, action: Action) -> Judged {
    match (past.rule.as_str(), subject) {
        ("no_grant" | "narrowed_scope" | "narrowed_action", Subject::Token(_)) => {
            let say =
                format!("`{action}` there would be granted; what later checks say is not known.");
            Judged::of(Would::Allow, say)
        }
        ("no_grant" | "narrowed_scope" | "narrowed_action", Subject::Principal(_)) => {
            let say = "The token is not there any more, so how it was narrowed is not known.";
            Judged::of(Would::CannotSay, say)
        }
        ("not_in_pack" | "user_required" | "scope_archived" | "credential_not_granted", _) => {
            Judged::of(Would::Same, format!("It was refused by `{}`, which stays.", past.rule))
        }
        _ => {
            let say = "It was refused where the record lies, or as not there; the ledger does not say \
                       which.";
            Judged::of(Would::CannotSay, say)
        }
    }
}

#[cfg(test)]
mod tests;
