//! Owns finding out whether a write that was never heard of took effect, by the read that its tool
//! declares for that. Invariant: the read is called as the caller, through the Gate and into the
//! ledger; that a write took no effect is believed only when it can no longer be on its way.

use std::sync::{Arc, OnceLock};

use contract::shape::http::Lookup;
use contract::{Address, Answer, Code, Effect, Refusal};
use serde_json::Value;

use super::Worker;
use super::answer::broken;
use super::call::{Found, Incoming, Named, Options};
use super::judge::Weighed;
use crate::content::store;
use crate::gate::{Ruling, Verdict};
use crate::idempotency::{Settle, Unheard};
use crate::ledger::entry::body::{self, Body};
use crate::store::{Batch, Fault};

/// What a look-up found.
pub(crate) enum LookedUp {
    /// There was nothing to look up, or nothing to look it up by.
    Nothing,
    /// It is known now, and on record: the call is to be weighed anew.
    Settled,
    /// It is still not known.
    Unknown(Box<Refusal>),
}

/// What the read said.
enum Told {
    /// The write took effect: this is what the read answered.
    Took(contract::Id<contract::id::Content>),
    /// It did not.
    Not,
    /// The read did not say, and this is why.
    Silent(String),
}

impl Worker {
    /// Looks up whether the same write, sent before and never heard of, took effect.
    pub(crate) async fn look_up(
        self: &Arc<Self>,
        found: &Found<'_>,
        incoming: &Incoming,
        weighed: &Weighed,
    ) -> LookedUp {
        let Some(unheard) = weighed.known.unheard else { return LookedUp::Nothing };
        let Some(lookup) = found.version().and_then(|version| version.lookup()) else {
            return LookedUp::Nothing;
        };
        let decisive = weighed.ruling.decisive();
        if found.named.options.dry_run || decisive.is_none_or(|said| said.check != "idempotency") {
            return LookedUp::Nothing;
        }
        let Some(address) = beside(&lookup.address, &found.resolved.address) else {
            return LookedUp::Nothing;
        };
        match self.ask(found, incoming, lookup, address.clone()).await {
            Ok(Told::Took(handle)) => self.settle(unheard, &address, Some(handle)).await,
            Ok(Told::Not) => {
                let settled = unheard.sent.plus_ms(i64::from(lookup.settles_seconds) * 1000);
                if self.now() < settled {
                    return LookedUp::Unknown(Box::new(not_yet(&address, settled)));
                }
                self.settle(unheard, &address, None).await
            }
            Ok(Told::Silent(why)) => LookedUp::Unknown(Box::new(silent(&address, &why))),
            Err(fault) => LookedUp::Unknown(Box::new(silent(&address, &said(&broken(&fault))))),
        }
    }

    /// Calls the read as the caller, and reads what it answered.
    async fn ask(
        self: &Arc<Self>,
        found: &Found<'_>,
        incoming: &Incoming,
        lookup: &Lookup,
        address: Address,
    ) -> Result<Told, Fault> {
        let run = Some(found.run.id());
        let named = Named {
            address,
            arguments: Value::Object(lookup.arguments_of(&found.named.arguments)),
            options: Options { run, dry_run: false, idempotency_key: None },
            surface: found.named.surface,
        };
        let resolved = match self.resolve(&found.world, found.asking, &named).await {
            Ok(resolved) => resolved,
            Err(answer) => {
                let answer = self.unresolved(found.asking, &named, &found.run, *answer).await;
                return Ok(Told::Silent(said(&answer)));
            }
        };
        let read = Found {
            world: Arc::clone(&found.world),
            asking: found.asking,
            resolved,
            named,
            run: Arc::clone(&found.run),
            own_rate: self.take_own(found.asking.caller),
            kept: OnceLock::new(),
        };
        let answer = self.read(&read, incoming).await;
        if let (Answer::Done(_), Some(handle)) = (&answer, read.kept.get()) {
            let Some(record) = store::own(self.store.readers(), &self.plane, *handle).await? else {
                return Ok(Told::Silent("what it answered was erased".to_owned()));
            };
            let payload = store::payload(self.store.readers(), &record).await?;
            let payload = payload.map(|payload| payload.bytes).unwrap_or_default();
            return Ok(match serde_json::from_slice::<Value>(&payload) {
                Ok(said) if lookup.says_done(&said) => Told::Took(*handle),
                Ok(_) => Told::Not,
                Err(_) => Told::Silent("it answered something that is not JSON".to_owned()),
            });
        }
        if let Answer::Refused(refusal) = &answer {
            let status = refusal.more.get("upstream_status").and_then(Value::as_u64);
            let absent =
                |status| lookup.absent_statuses.iter().any(|one| u64::from(*one) == status);
            if status.is_some_and(absent) {
                return Ok(Told::Not);
            }
        }
        Ok(Told::Silent(said(&answer)))
    }

    /// Carries the read out if the Gate allows it. Nobody is asked to release one: what waits for a
    /// person answers nothing now.
    async fn read(self: &Arc<Self>, read: &Found<'_>, incoming: &Incoming) -> Answer {
        let weighed = match self.weigh(read, None).await {
            Ok(weighed) => weighed,
            Err(answer) => return *answer,
        };
        if read.resolved.effect != Effect::Read && !weighed.ruling.beyond_reach() {
            return self.refuse(read, &Ruling::refusing("contract", "no_read", no_read())).await;
        }
        match weighed.ruling.verdict {
            Verdict::Allow | Verdict::Constrain => self.admit(read, incoming, weighed).await,
            Verdict::Block => self.refuse(read, &weighed.ruling).await,
            Verdict::Approve => {
                let ruling = Ruling::refusing("autonomy", "lookup_held", must_wait());
                self.refuse(read, &ruling).await
            }
        }
    }

    /// Puts on record what was found out.
    async fn settle(
        &self,
        unheard: Unheard,
        address: &Address,
        handle: Option<contract::Id<contract::id::Content>>,
    ) -> LookedUp {
        let entry = Body::Settled(body::Settled {
            ruling: unheard.ruling.to_string(),
            took_effect: handle.is_some(),
            lookup: address.to_string(),
            handle: handle.map(|handle| handle.to_string()),
        });
        let took_effect =
            handle.map(|handle| serde_json::json!({ "content": handle, "lookup": address }));
        let change = Settle { ruling: unheard.ruling, took_effect };
        match self.store.commit(Batch::of(entry).with(change).durable()).await {
            Ok(_) => LookedUp::Settled,
            Err(fault) => LookedUp::Unknown(Box::new(silent(address, &said(&broken(&fault))))),
        }
    }
}

/// The address of the read: without a place, at the place of the write.
fn beside(text: &str, write: &Address) -> Option<Address> {
    let mut address: Address = text.parse().ok()?;
    address.place = address.place.or_else(|| write.place.clone());
    Some(address)
}

/// Why the read did not say, in its own words.
fn said(answer: &Answer) -> String {
    match answer {
        Answer::Refused(refusal) => format!("it was refused: {}", refusal.say),
        Answer::Unavailable(unavailable) => format!("it is unavailable: {}", unavailable.what),
        Answer::Held(_) | Answer::Done(_) => "it gave no answer to read".to_owned(),
    }
}

fn silent(address: &Address, why: &str) -> Refusal {
    Refusal::new(
        Code::OutcomeUnknown,
        format!("The same call was sent and its answer never heard. Its look-up `{address}` does not say: {why}"),
        "Send it again once the look-up answers, or look the effect up at the system itself.",
    )
    .with("lookup", address.to_string())
}

fn not_yet(address: &Address, settled: contract::Timestamp) -> Refusal {
    Refusal::new(
        Code::OutcomeUnknown,
        format!(
            "The same call was sent and its answer never heard. Its look-up `{address}` does not find \
             it, and until {settled} it may still be on its way."
        ),
        "Send it again then: what did not take effect is sent.",
    )
    .with("lookup", address.to_string())
    .with("settles", settled.to_string())
}

fn no_read() -> Refusal {
    Refusal::new(
        Code::WrongState,
        "The look-up that this tool declares is not a read.",
        "Ask whoever declared the tool to declare the address of a read.",
    )
}

fn must_wait() -> Refusal {
    Refusal::new(
        Code::WrongState,
        "A person would have to release this look-up, and a look-up does not wait for one.",
        "Call the read yourself, and have it released.",
    )
}
