//! Owns finding out whether a write that was never heard of took effect, by the read that its tool
//! declares for that. Invariant: the read is called as the caller, through the Gate and into the
//! ledger; that a write took no effect is believed only when it can no longer be on its way.

use std::sync::{Arc, OnceLock};

use contract::id::{self, Id};
use contract::shape::http::Lookup;
use contract::{Address, Answer, Code, Effect, Refusal, Timestamp};
use serde_json::Value;

use super::Worker;
use super::answer::{broken, may_call};
use super::call::{Found, Incoming, Named, Options};
use super::judge::{Settled, Weighed};
use crate::catalogue::index::Version;
use crate::content::store;
use crate::gate::{Ruling, Verdict};
use crate::idempotency::{Settle, Unheard};
use crate::ledger::entry::body::{self, Body};
use crate::store::{Batch, Fault};

/// What a look-up found.
pub(crate) enum LookedUp {
    /// There was nothing to look up, or nothing to look it up by.
    Nothing,
    /// It is known now, and on record.
    Settled(Settled),
    /// It is still not known.
    Unknown(Box<Refusal>),
}

/// What the read said.
enum Told {
    /// The write took effect: this is where what the read answered is kept.
    Took(Handle),
    /// It did not.
    Not,
    /// The read did not say, and this is why.
    Silent(String),
}

type Handle = Id<id::Content>;

impl Worker {
    /// Looks up whether the same write, sent before and never heard of, took effect.
    pub(crate) async fn look_up(
        self: &Arc<Self>,
        found: &Found<'_>,
        incoming: &Incoming,
        weighed: &Weighed,
    ) -> LookedUp {
        let (Some(unheard), Some(version)) = (&weighed.known.unheard, found.version()) else {
            return LookedUp::Nothing;
        };
        let Some(lookup) = version.lookup() else { return LookedUp::Nothing };
        let decisive = weighed.ruling.decisive();
        if found.named.options.dry_run || decisive.is_none_or(|said| said.check != "idempotency") {
            return LookedUp::Nothing;
        }
        let Some(address) = beside(&lookup.address, &found.resolved.address) else {
            return LookedUp::Nothing;
        };
        let shown = may_call(found, &address.to_string()).then_some(&address);
        let silent = |why: &str| LookedUp::Unknown(Box::new(silent(shown, why)));
        // What the read sees is how things stood no later than when it was asked.
        let asked = self.now();
        match self.ask(found, incoming, lookup, address.clone()).await {
            Ok(Told::Took(handle)) => self.settle(version, unheard, &address, Some(handle)).await,
            Ok(Told::Not) if unheard.definition != version.digest => {
                silent("it was sent by another declaration, which may have reached elsewhere.")
            }
            Ok(Told::Not) => {
                let settles_ms = i64::from(lookup.settles_seconds) * 1000;
                let settles = unheard.given_up.plus_ms(settles_ms);
                if asked < settles {
                    return LookedUp::Unknown(Box::new(not_yet(shown, settles)));
                }
                self.settle(version, unheard, &address, None).await
            }
            Ok(Told::Silent(why)) => silent(&why),
            Err(fault) => silent(&said(&broken(&fault))),
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
        let arguments = match lookup.arguments_of(&found.named.arguments) {
            Ok(arguments) => Value::Object(arguments),
            Err(pointer) => {
                return Ok(Told::Silent(format!(
                    "the call has nothing at `{pointer}` to look it up by."
                )));
            }
        };
        let run = Some(found.run.id());
        let named = Named {
            address,
            arguments,
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
            stored: OnceLock::new(),
        };
        let answer = self.read(&read, incoming).await;
        if let (Answer::Done(_), Some(handle)) = (&answer, read.stored.get()) {
            let Some(record) = store::own(self.store.readers(), &self.plane, *handle).await? else {
                return Ok(Told::Silent("what it answered was erased.".to_owned()));
            };
            let payload = store::payload(self.store.readers(), &record).await?;
            let payload = payload.map(|payload| payload.bytes).unwrap_or_default();
            return Ok(match serde_json::from_slice::<Value>(&payload) {
                Ok(said) => match lookup.says_done(&said) {
                    Some(true) => Told::Took(*handle),
                    Some(false) => Told::Not,
                    None => Told::Silent(format!("its answer has nothing at `{}`.", lookup.done)),
                },
                Err(_) => Told::Silent("it answered something that is not JSON.".to_owned()),
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

    /// Puts on record what was found out. Where the same write was settled or sent again in the meantime,
    /// that is what counts.
    async fn settle(
        &self,
        version: &Version,
        unheard: &Unheard,
        address: &Address,
        handle: Option<Handle>,
    ) -> LookedUp {
        let entry = Body::Settled(body::Settled {
            ruling: unheard.ruling.to_string(),
            took_effect: handle.is_some(),
            lookup: address.to_string(),
            handle: handle.map(|handle| handle.to_string()),
        });
        let recorded =
            handle.map(|handle| serde_json::json!({ "content": handle, "lookup": address }));
        let change = Settle {
            ruling: unheard.ruling,
            took_effect: recorded.clone(),
            expires: self.now().plus_ms(version.window_ms()),
        };
        match self.store.commit(Batch::of(entry).with(change).durable()).await {
            Ok(_) => LookedUp::Settled(Settled(recorded)),
            Err(Fault::Conflict(_)) => LookedUp::Settled(Settled(None)),
            Err(fault) => LookedUp::Unknown(Box::new(silent(None, &said(&broken(&fault))))),
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

/// The refusal of a write whose look-up does not say. The look-up is named to those who may call it.
fn silent(address: Option<&Address>, why: &str) -> Refusal {
    let refusal = Refusal::new(
        Code::OutcomeUnknown,
        format!(
            "The same call was sent and its answer never heard. Its look-up{} does not say whether it \
             took effect: {why}",
            address.map(|address| format!(" `{address}`")).unwrap_or_default()
        ),
        "Send it again once the look-up answers, or look the effect up at the system itself.",
    );
    with_lookup(refusal, address)
}

fn not_yet(address: Option<&Address>, settles: Timestamp) -> Refusal {
    let refusal = Refusal::new(
        Code::OutcomeUnknown,
        format!(
            "The same call was sent and its answer never heard. Its look-up does not find it, and until \
             {settles} it may still take effect."
        ),
        "Send it again then: what did not take effect is sent.",
    );
    with_lookup(refusal.with("settles", settles.to_string()), address)
}

fn with_lookup(refusal: Refusal, address: Option<&Address>) -> Refusal {
    match address {
        Some(address) => refusal.with("lookup", address.to_string()),
        None => refusal,
    }
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
