//! Owns the judgement of one call: what the Gate is told is gathered, the Gate rules, and what it says is
//! done. Invariant: nothing is carried out but under a ruling, and every ruling that says what becomes of
//! a call is in the ledger.

use std::sync::Arc;

use contract::id::{self, Id};
use contract::{Answer, Envelope, Fault, Hint, hint};
use serde_json::Value;

use super::Worker;
use super::answer::broken;
use super::call::{Found, Incoming};
use super::execute::Prepared;
use super::lookup::LookedUp;
use crate::catalogue::http::request::Built;
use crate::gate::{self, Asked, Limiter, Ruling, Verdict};
use crate::idempotency::{self, Key, Known};

/// A call with the Gate's ruling on it.
pub(crate) struct Weighed {
    /// The key of a write.
    pub(crate) key: Option<Key>,
    /// What is known of the same call before.
    pub(crate) known: Known,
    /// The request upstream, or why it cannot be built.
    built: Result<Option<Built>, Vec<Fault>>,
    /// The approval that a person released, when this is that call.
    released: Option<Id<id::Approval>>,
    /// The ruling.
    pub(crate) ruling: Ruling,
}

/// What a judgement came to.
pub(crate) enum Judged {
    /// The call is answered.
    Answered(Answer),
    /// Nobody knew what came of the same call before, and that is settled now: the call goes its way once
    /// more, from the token on, since the look-up took its time.
    Settled(Settled),
}

/// What was settled of the same call before: what is on record of it, if it took effect.
#[derive(Debug, Clone)]
pub(crate) struct Settled(pub(crate) Option<Value>);

impl From<Answer> for Judged {
    fn from(answer: Answer) -> Self {
        Self::Answered(answer)
    }
}

impl Worker {
    /// Rules on a call, and does what the ruling says. `released` is the approval that a person
    /// released, when this is that call; `settled` is what was settled the first time round.
    pub(crate) async fn judge(
        self: &Arc<Self>,
        found: Found<'_>,
        incoming: &Incoming,
        released: Option<Id<id::Approval>>,
        settled: Option<Settled>,
    ) -> Judged {
        let mut weighed = match self.weigh(&found, released).await {
            Ok(weighed) => weighed,
            Err(answer) => return (*answer).into(),
        };
        match settled {
            // Once is enough: whoever is not told now asks again.
            Some(Settled(recorded)) => weighed.known.answer = recorded.or(weighed.known.answer),
            None => match self.look_up(&found, incoming, &weighed).await {
                LookedUp::Nothing => {}
                LookedUp::Settled(settled) => return Judged::Settled(settled),
                LookedUp::Unknown(refusal) => {
                    let ruling = Ruling::refusing("idempotency", "outcome_unknown", *refusal);
                    return self.refuse(&found, &ruling).await.into();
                }
            },
        }
        self.act(&found, incoming, weighed).await.into()
    }

    /// Gathers what the Gate looks at, and has it rule.
    pub(crate) async fn weigh(
        &self,
        found: &Found<'_>,
        released: Option<Id<id::Approval>>,
    ) -> Result<Weighed, Box<Answer>> {
        // What cannot be kept exactly is for check 2 to say, once the caller may reach the tool at all.
        let (key, built) = match self.key_of(found) {
            Ok(key) => (key, super::execute::build(found)),
            Err(refusal) => (None, Err(refusal.faults)),
        };
        let failed = |fault| Box::new(broken(&fault));
        let released = self.released(found, released).await.map_err(failed)?;
        let known = match &key {
            None => Known::NOTHING,
            Some(key) => {
                let honoured = found.version().is_some_and(|version| version.honours_key());
                let readers = self.store.readers();
                idempotency::known(readers, &self.plane, key, honoured, self.now())
                    .await
                    .map_err(|error| failed(error.into()))?
            }
        };
        let held = self.held(found).await.map_err(failed)?;
        let asked = Asked {
            asking: found.asking,
            resolved: &found.resolved,
            arguments: &found.named.arguments,
            run: &found.run,
            held,
            placeholder: super::answer::placeholder_in(found),
            unbuilt: built.as_ref().err().cloned(),
            prior: known.prior,
            rate: match found.own_rate {
                gate::Rate::Within => self.tool_rate(found, Limiter::peek),
                exceeded @ gate::Rate::Exceeded { .. } => exceeded,
            },
            released: released.is_some(),
        };
        let ruling = gate::rule(&asked);
        Ok(Weighed { key, known, built, released, ruling })
    }

    /// Does what a ruling says.
    async fn act(
        self: &Arc<Self>,
        found: &Found<'_>,
        incoming: &Incoming,
        weighed: Weighed,
    ) -> Answer {
        let ruling = &weighed.ruling;
        // Looked up right after check 2: no later check keeps a caller from the first answer.
        let repeats = ruling.admitted() && weighed.known.answer.is_some();
        if repeats && !found.named.options.dry_run {
            let recorded = weighed.known.answer.unwrap_or_default();
            return self.repeat(found, recorded, weighed.released).await;
        }
        // What a caller may not reach is refused to a dry run too, in the words for what is not there.
        if found.named.options.dry_run && !ruling.beyond_reach() {
            return self.dry_run(found, ruling).await;
        }
        match ruling.verdict {
            Verdict::Block => self.refuse(found, ruling).await,
            Verdict::Approve if super::facts::holds_secret(found) => {
                let ruling =
                    Ruling::refusing("autonomy", "secret", super::facts::secret_not_held());
                self.refuse(found, &ruling).await
            }
            Verdict::Approve => self.hold(found, ruling).await,
            Verdict::Allow | Verdict::Constrain => self.admit(found, incoming, weighed).await,
        }
    }

    /// Carries out a call that the Gate let through, once its tool's rate is taken.
    pub(crate) async fn admit(
        self: &Arc<Self>,
        found: &Found<'_>,
        incoming: &Incoming,
        weighed: Weighed,
    ) -> Answer {
        let taken = self.tool_rate(found, Limiter::take);
        if taken != gate::Rate::Within {
            let ruling = Ruling::refusing("reservation", "rate", gate::too_many(taken));
            return self.refuse(found, &ruling).await;
        }
        let Weighed { key, built, released, ruling, .. } = weighed;
        match built {
            Ok(built) => {
                let prepared = Prepared::new(self, incoming, built, key, released);
                self.carry_out(prepared, found, &ruling).await
            }
            Err(_) => self.refuse(found, &ruling).await,
        }
    }

    async fn dry_run(&self, found: &Found<'_>, ruling: &Ruling) -> Answer {
        let decision = self.new_id();
        let id = self.new_id();
        let entry = self.ruling_entry(found, ruling, id, decision, Some("dry_run"));
        let mut batch = crate::store::Batch::of(entry);
        batch.entries.push(super::outcome::ended(id, "dry_run", 0));
        if let Err(fault) = self.store.commit(batch).await {
            return broken(&fault);
        }
        let result = serde_json::json!({
            "verdict": gate::word(ruling.verdict),
            "checks": ruling.checks(),
            "address": found.resolved.address,
            "scope": found.resolved.scope,
            "effect": found.resolved.effect,
        });
        Envelope::of(result).hint(Hint::new(hint::Kind::DryRun, "Nothing was done.")).into()
    }
}
