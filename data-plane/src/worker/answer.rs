//! Owns the answers of calls that are not carried out: refused, held, repeated, broken. Invariant:
//! each is in the ledger before it is answered, with the check and the rule that decided.

use contract::id::{self, Id};
use contract::{Answer, Code, Envelope, Held, Hint, Refusal, hint};
use serde_json::Value;

use super::Worker;
use super::call::{Found, Named};
use crate::approval;
use crate::catalogue::Target;
use crate::catalogue::resolve::{self, Asking, Record, Resolved};
use crate::content::mask;
use crate::gate::{Ruling, Said, Verdict};
use crate::ledger::entry::body::{self, Body};
use crate::run::Run;
use crate::store::{Batch, Fault};

/// A store that does not answer: the call can be sent again.
pub(crate) fn broken(fault: &Fault) -> Answer {
    if let Fault::Conflict(what) = fault {
        return Refusal::new(
            Code::WrongState,
            format!("{what} changed in the meantime."),
            "Read it again and decide anew.",
        )
        .into();
    }
    tracing::error!(error = %fault, source = ?std::error::Error::source(fault), "the store failed");
    Answer::unavailable("store", 500)
}

/// The first argument that carries a masked placeholder.
pub(crate) fn placeholder_in(found: &Found<'_>) -> Option<String> {
    fn walk(path: &str, value: &Value) -> Option<String> {
        match value {
            Value::String(text) => mask::contains_placeholder(text).map(|_| path.to_owned()),
            Value::Array(items) => {
                items.iter().enumerate().find_map(|(at, item)| walk(&format!("{path}.{at}"), item))
            }
            Value::Object(map) => {
                map.iter().find_map(|(name, item)| walk(&format!("{path}.{name}"), item))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => None,
        }
    }
    match &found.resolved.target {
        Target::Tool(_) => walk("arguments", &found.named.arguments),
        // A search for a placeholder finds what it stands for nowhere; it harms nobody.
        Target::Seat(_) => None,
    }
}

impl Worker {
    /// Writes the ruling of a blocked call and answers its refusal.
    pub(crate) async fn refuse(&self, found: &Found<'_>, ruling: &Ruling) -> Answer {
        let decision = self.new_id();
        let entry = self.ruling_entry(found, ruling, self.new_id(), decision, None);
        let batch = Batch::of(entry).with(self.count(found, false, 0, 0));
        if let Err(fault) = self.store.commit(batch).await {
            return broken(&fault);
        }
        let refusal = ruling.decisive().and_then(|said| said.refusal.clone());
        refusal.map_or_else(
            || Answer::unavailable("gate", 500),
            |refusal| refusal.decided(decision).into(),
        )
    }

    /// Writes the ruling of a call that names a run which is not the caller's, or has ended.
    pub(crate) async fn unfit_run(
        &self,
        asking: Asking<'_, '_>,
        named: &Named,
        answer: Answer,
    ) -> Answer {
        match self.default_run(asking.caller).await {
            Ok(run) => self.unresolved(asking, named, &run, answer).await,
            Err(fault) => broken(&fault),
        }
    }

    /// Writes the ruling of a call whose address names nothing that this caller may reach.
    pub(crate) async fn unresolved(
        &self,
        asking: Asking<'_, '_>,
        named: &Named,
        run: &Run,
        answer: Answer,
    ) -> Answer {
        let Answer::Refused(refusal) = answer else { return answer };
        let decision = self.new_id();
        let scope = named
            .address
            .place
            .as_ref()
            .and_then(|place| place.scope(asking.caller.view().root()))
            .unwrap_or_else(|| asking.caller.home().clone());
        let said = Said {
            check: "authority",
            verdict: Verdict::Block,
            rule: if refusal.code == Code::NotGranted { "no_grant" } else { refusal.code.as_str() },
            say: refusal.say.clone(),
            refusal: None,
        };
        let ruling = Ruling { verdict: Verdict::Block, said: vec![said] };
        let resolved = Resolved {
            address: named.address.clone(),
            scope,
            target: Target::Seat(super::outcome::call_verb()),
            effect: contract::Effect::Read,
            chosen: false,
            action: None,
            record: Record::None,
        };
        let entry = self.entry_of(
            &super::outcome::Told { asking, resolved: &resolved, named, run },
            &ruling,
            self.new_id(),
            decision,
            None,
        );
        match self.store.commit(Batch::of(entry)).await {
            Ok(_) => refusal.decided(decision).into(),
            Err(fault) => broken(&fault),
        }
    }

    /// Suspends a call until a person decides. The same call, sent again while it waits, is answered
    /// with the approval that waits already.
    pub(crate) async fn hold(&self, found: &Found<'_>, ruling: &Ruling) -> Answer {
        let call = super::outcome::call_of(found);
        let Ok(digest) = call.digest() else {
            return Refusal::of_field(
                "arguments",
                "A number is larger than can be kept exactly.",
                "Send it as a string.",
            )
            .into();
        };
        let now = self.now();
        match approval::pending(self.store.readers(), &self.plane, &digest, now).await {
            Ok(Some(waiting)) => return held(&waiting, ruling),
            Ok(None) => {}
            Err(error) => return broken(&error.into()),
        }
        let ruling_id: Id<id::Ruling> = self.new_id();
        let ttl_ms = found.asking.caller.view().settings().approval_ttl_ms;
        let record = approval::Record {
            id: self.new_id(),
            ruling: ruling_id,
            scope: found.resolved.scope.clone(),
            call,
            digest,
            checks: serde_json::to_value(ruling.checks()).unwrap_or_default(),
            labels: found.run.labels(),
            state: contract::verbs::approval::State::Pending,
            created: now,
            expires: now.plus_ms(i64::from(ttl_ms)),
            decided_by: None,
            reason: None,
            answer: None,
            content: None,
            version: 1,
        };
        let mut batch = Batch::of(self.ruling_entry(found, ruling, ruling_id, self.new_id(), None));
        batch.entries.push(Body::Approval(body::Approval {
            id: record.id.to_string(),
            ruling: ruling_id.to_string(),
            act: "held".to_owned(),
            principal: Some(record.call.principal.to_string()),
            scope: record.scope.to_string(),
            call_digest: hex(&record.digest),
            expires_at_ms: Some(record.expires.ms()),
        }));
        let answer = held(&record, ruling);
        let batch =
            batch.with(approval::Hold(record)).with(self.count(found, false, 0, 0)).durable();
        match self.store.commit(batch).await {
            Ok(_) => answer,
            // The same call was held by a concurrent one: that approval is the answer.
            Err(Fault::Conflict(_)) => {
                match approval::pending(self.store.readers(), &self.plane, &digest, now).await {
                    Ok(Some(waiting)) => held(&waiting, ruling),
                    Ok(None) => Answer::unavailable("store", 100),
                    Err(error) => broken(&error.into()),
                }
            }
            Err(fault) => broken(&fault),
        }
    }

    /// Answers a write that was done before from its record: authorised by the Gate just now, masked
    /// and labelled anew.
    pub(crate) async fn repeat(
        &self,
        found: &Found<'_>,
        recorded: Value,
        released: Option<Id<id::Approval>>,
    ) -> Answer {
        let lookup = recorded.get("lookup").and_then(Value::as_str);
        let lookup = lookup.map(|address| (address, may_call(found, address)));
        let say = match lookup {
            None => "This call was made before; this is its first answer.".to_owned(),
            Some((_, false)) => "This call was made before and took effect; its answer was never \
                 heard."
                .to_owned(),
            Some((address, true)) => format!(
                "This call was made before and its answer never heard; this is what `{address}` \
                 answered, by which it took effect."
            ),
        };
        let hint = Hint::new(hint::Kind::Repeated, say);
        let said = Said {
            check: "idempotency",
            verdict: Verdict::Allow,
            rule: "repeated",
            say: hint.say.clone(),
            refusal: None,
        };
        let ruling = Ruling { verdict: Verdict::Allow, said: vec![said] };
        let id: Id<id::Ruling> = self.new_id();
        let hidden = lookup.is_some_and(|(_, may)| !may);
        let answer = match self.recorded(found, &recorded, hidden).await {
            Ok(Answer::Done(envelope)) => Answer::Done(envelope.hint(hint)),
            Ok(answer) => answer,
            Err(fault) => return broken(&fault),
        };
        let sent = u64::try_from(answer.body().to_string().len()).unwrap_or(u64::MAX);
        let mut batch =
            Batch::of(self.ruling_entry(found, &ruling, id, self.new_id(), Some("repeated")));
        batch.entries.push(super::outcome::ended(id, "repeated", sent));
        let mut batch = batch.with(self.count(found, true, sent, 0));
        if let Some(approval) = released {
            let content = recorded.get("content").and_then(Value::as_str);
            batch = batch.with(approval::Answered {
                id: approval,
                content: content.and_then(|content| content.parse().ok()),
                answer: recorded,
            });
        }
        match self.store.commit(batch).await {
            Ok(_) => answer,
            Err(fault) => broken(&fault),
        }
    }

    /// What is on record of a write: the content it answered, or that its answer could not be used. What
    /// is hidden is only said to be there: a look-up may have reached where this caller does not.
    async fn recorded(
        &self,
        found: &Found<'_>,
        recorded: &Value,
        hidden: bool,
    ) -> Result<Answer, Fault> {
        if hidden {
            return Ok(Envelope::of(serde_json::json!({ "took_effect": true })).into());
        }
        let handle = recorded.get("content").and_then(Value::as_str);
        if let Some(handle) = handle.and_then(|handle| handle.parse().ok()) {
            return self.render_stored(found, handle).await.map(Answer::Done);
        }
        let refusal = recorded.get("refusal").cloned();
        let refusal = refusal.and_then(|refusal| serde_json::from_value::<Refusal>(refusal).ok());
        Ok(refusal.map_or_else(|| Envelope::of(recorded.clone()).into(), Answer::from))
    }
}

/// Whether the caller may call what that address names, now.
pub(crate) fn may_call(found: &Found<'_>, address: &str) -> bool {
    let Ok(address) = address.parse() else { return false };
    let resolved = resolve::resolve(&found.world.index, found.asking, &address);
    resolved.is_ok_and(|resolved| resolve::callable(found.asking, &resolved))
}

fn held(approval: &approval::Record, ruling: &Ruling) -> Answer {
    let why: Vec<&str> = ruling
        .said
        .iter()
        .filter(|said| said.verdict == Verdict::Approve)
        .map(|said| said.say.as_str())
        .collect();
    Answer::Held(Held { approval: approval.id, why: why.join(" "), expires: approval.expires })
}

/// Lower-case hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit =
        |nibble: u8| DIGITS.get(usize::from(nibble)).map_or('0', |digit| char::from(*digit));
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
