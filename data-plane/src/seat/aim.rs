//! Owns where a seat's call reaches: the scope of the record that it is about, and the action needed
//! there. Invariant: a record that is not there aims nowhere and is answered like one that may not
//! be seen.

use contract::verb::{Needs, Verb};
use contract::{Action, Scope};
use serde_json::Value;
use tenancy::authority;

use crate::catalogue::resolve::{Asking, Record, Resolved};
use crate::store::Fault;
use crate::worker::Worker;

impl Worker {
    /// Aims a seat's call: sets scope, action and record of `resolved`.
    pub(crate) async fn aim(
        &self,
        asking: Asking<'_, '_>,
        verb: &Verb,
        arguments: &Value,
        resolved: &mut Resolved,
    ) -> Result<(), Fault> {
        if let Needs::Action(action) = verb.needs {
            resolved.action = Some(action);
        }
        match verb.noun() {
            "content" => self.aim_content(asking, arguments, resolved).await,
            "approval" => self.aim_approval(asking, verb, arguments, resolved).await,
            "run" => self.aim_run(asking, arguments, resolved).await,
            "ledger" => {
                resolved.scope = match arguments.get("scope").and_then(Value::as_str) {
                    Some(scope) => scope.parse().unwrap_or_else(|_| resolved.scope.clone()),
                    None if verb.act() == "export" => resolved.scope.root(),
                    None => resolved.scope.clone(),
                };
                Ok(())
            }
            _ => Ok(()),
        }
    }

    async fn aim_content(
        &self,
        asking: Asking<'_, '_>,
        arguments: &Value,
        resolved: &mut Resolved,
    ) -> Result<(), Fault> {
        let Some(handle) = arguments.get("handle").and_then(Value::as_str) else {
            // A search is decided scope by scope, over those within home where the caller may read.
            resolved.scope = widest(asking, Action::ContentRead, &resolved.scope);
            return Ok(());
        };
        let Ok(handle) = handle.parse() else { return Ok(()) };
        let plane = self.plane();
        match crate::content::store::own(self.store().readers(), plane, handle).await? {
            None => resolved.record = Record::Absent { field: "handle" },
            Some(record) => {
                let mine = record.principal == asking.caller.principal().id;
                resolved.scope = record.scope;
                resolved.action =
                    Some(if mine { Action::ContentRead } else { Action::ContentReadAny });
                resolved.record = Record::There { field: "handle" };
            }
        }
        Ok(())
    }

    async fn aim_approval(
        &self,
        asking: Asking<'_, '_>,
        verb: &Verb,
        arguments: &Value,
        resolved: &mut Resolved,
    ) -> Result<(), Fault> {
        let Some(Ok(id)) = arguments.get("approval").and_then(Value::as_str).map(str::parse) else {
            return Ok(());
        };
        match crate::approval::by_id(self.store().readers(), self.plane(), id).await? {
            None => resolved.record = Record::Absent { field: "approval" },
            Some(record) => {
                let mine = record.call.principal == asking.caller.principal().id;
                resolved.scope = record.scope;
                resolved.record = Record::There { field: "approval" };
                let own = mine && reaches(asking, Action::ContentRead, &resolved.scope);
                match verb.act() {
                    "get" => resolved.action = (!own).then_some(Action::ApprovalRead),
                    // Another's call is not theirs to take back, whatever they may do with it.
                    "cancel" if !own => resolved.record = Record::Absent { field: "approval" },
                    _ => {}
                }
            }
        }
        Ok(())
    }

    async fn aim_run(
        &self,
        asking: Asking<'_, '_>,
        arguments: &Value,
        resolved: &mut Resolved,
    ) -> Result<(), Fault> {
        let Some(Ok(id)) = arguments.get("run").and_then(Value::as_str).map(str::parse) else {
            return Ok(());
        };
        match self.run(id).await? {
            None => resolved.record = Record::Absent { field: "run" },
            Some(run) => {
                let mine = run.principal() == asking.caller.principal().id;
                resolved.scope = run.record().scope;
                resolved.record = Record::There { field: "run" };
                let own = mine && reaches(asking, Action::RunRead, &resolved.scope);
                resolved.action = (!own).then_some(Action::RunManage);
            }
        }
        Ok(())
    }
}

/// Whether the caller's token, as it was narrowed, leaves the action there: what is one's own is not
/// every child token's.
fn reaches(asking: Asking<'_, '_>, action: Action, scope: &Scope) -> bool {
    let caller = asking.caller;
    caller.narrowed_actions().has(action)
        && caller.narrowed_scope().is_none_or(|narrowed| narrowed.covers(scope))
}

/// `home` if the action is granted there, else the first scope within it where it is, else `home`.
fn widest(asking: Asking<'_, '_>, action: Action, home: &Scope) -> Scope {
    let reachable = authority::reachable(&asking.standing, asking.caller, action, asking.now);
    reachable
        .unwrap_or_default()
        .into_iter()
        .find(|scope| home.covers(scope) || scope.covers(home))
        .map_or_else(
            || home.clone(),
            |scope| if scope.covers(home) { home.clone() } else { scope.clone() },
        )
}
