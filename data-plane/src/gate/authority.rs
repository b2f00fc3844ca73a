//! Check 1, authority: is there a grant for this action at the scope that the call reaches, within
//! the token's narrowing and packs, with nothing revoked, expired or suspended on the way?

use contract::verb::{Needs, Plane};
use contract::{Action, Code, Refusal};
use tenancy::authority::{self, Decision, Reason};

use super::{Asked, Said};
use crate::catalogue::Target;
use crate::catalogue::resolve::{self, Record, ToolTarget};

const CHECK: &str = "authority";

pub(super) fn check(asked: &Asked<'_, '_>) -> Said {
    match &asked.resolved.target {
        Target::Seat(verb) if verb.plane == Plane::Control => control(asked, verb.needs),
        Target::Seat(_) => seat(asked),
        Target::Tool(target) => tool(asked, target),
    }
}

/// A verb of the control plane, which authenticates the caller itself and decides at the scope of the
/// record. Who holds the action nowhere is refused here: nobody is to be asked to release that.
fn control(asked: &Asked<'_, '_>, needs: Needs) -> Said {
    let asking = &asked.asking;
    if let Needs::Action(action) = needs {
        if action.users_only() && !asking.caller.is_person() {
            return block(Reason::UserRequired);
        }
        let held = authority::reachable(&asking.standing, asking.caller, action, asking.now);
        if held.is_ok_and(|held| held.is_empty()) {
            return block(Reason::NoGrant);
        }
    }
    Said::allow(CHECK, "The control plane decides where it reaches, with the caller's own token.")
}

/// A seat's verb: at the scope of the record it is about, which is not there for those who may not
/// see it.
fn seat(asked: &Asked<'_, '_>) -> Said {
    let hidden = |field| Said::block(CHECK, "not_found", Refusal::not_found(field, "record"));
    if let Record::Absent { field } = asked.resolved.record {
        // That only a person may do it is true of every record, there or not.
        let person = asked.resolved.action.is_some_and(Action::users_only);
        let agent = !asked.asking.caller.is_person();
        return if person && agent { block(Reason::UserRequired) } else { hidden(field) };
    }
    let Some(action) = asked.resolved.action else {
        return Said::allow(CHECK, "Any caller may, within what they may see.");
    };
    let asking = &asked.asking;
    let scope = &asked.resolved.scope;
    let said = said(authority::decide(&asking.standing, asking.caller, action, scope, asking.now));
    match (asked.resolved.record, &said.refusal) {
        (Record::There { field }, Some(refusal)) if refusal.code == Code::NotGranted => {
            hidden(field)
        }
        _ => said,
    }
}

fn tool(asked: &Asked<'_, '_>, target: &ToolTarget) -> Said {
    let asking = &asked.asking;
    let (action, scope) = (asked.resolved.effect.action(), &asked.resolved.scope);
    let decision = match &target.called {
        Some(called) => authority::decide_call(
            &asking.standing,
            asking.caller,
            called,
            action,
            scope,
            asking.now,
        ),
        // Not in the packs, or classified by nobody: the grant is asked first, so that only those
        // who could reach the tool learn which of the two it is.
        None => authority::decide(&asking.standing, asking.caller, action, scope, asking.now),
    };
    let said = said(decision);
    if said.refusal.is_some() {
        return said;
    }
    if target.called.is_none() && target.tool.newest_classified().is_some() {
        return block(Reason::NotInPack);
    }
    if resolve::credential_usable(*asking, target) {
        said
    } else {
        block(Reason::CredentialNotGranted)
    }
}

fn said(decision: Decision) -> Said {
    match decision {
        Decision::Permit(permit) => {
            Said::allow(CHECK, format!("{} at {} is granted.", permit.action(), permit.scope()))
        }
        Decision::Refused(reason) => block(reason),
        // The caller of the Gate asked for the lease before; it can only have run out since.
        Decision::Unavailable => block(Reason::NoGrant),
    }
}

fn block(reason: Reason) -> Said {
    Said::block(CHECK, reason.as_str(), refusal(reason))
}

/// What a caller is told of a reason.
pub(crate) fn refusal(reason: Reason) -> Refusal {
    let reason = reason.public();
    let (code, fix) = match reason {
        Reason::UnknownToken
        | Reason::TokenRevoked
        | Reason::TokenExpired
        | Reason::PrincipalSuspended
        | Reason::IdentitySuspended => {
            (Code::Unauthenticated, "Ask whoever runs your identity for a token that stands.")
        }
        Reason::UserRequired => {
            (Code::UserRequired, "A person must do this, signed in as such, not an agent.")
        }
        Reason::NarrowedScope | Reason::NarrowedAction => {
            (Code::Narrowed, "Use the token that this one was narrowed from.")
        }
        Reason::NotInPack => (
            Code::NotInPack,
            "Ask for the token to be bound to a pack that holds this tool (`token.rebind`).",
        ),
        Reason::NotInRun => (
            Code::NotInPack,
            "The run that follows your default run takes the packs that the token is bound to now: have \
             the default run ended (`run.end`), by a person where it holds labels.",
        ),
        Reason::CredentialNotGranted => {
            (Code::NotGranted, "Ask whoever manages credentials there for a credential grant.")
        }
        Reason::NoGrant
        | Reason::ForeignIdentity
        | Reason::UnknownScope
        | Reason::ScopeArchived => (
            Code::NotGranted,
            "Call what `catalogue.overview` shows, or ask for a grant; `access.explain` with the \
             decision id says more.",
        ),
    };
    Refusal::new(code, reason.say(), fix)
}
