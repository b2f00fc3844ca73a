//! Owns what the Gate is told of a call beside the call itself: its key, its rates, what its caller
//! holds of other runs, and whether a person released it.

use contract::id::{self, Id};
use contract::verb::Plane;
use contract::{Code, Effect, Refusal};
use serde_json::Value;
use tenancy::authority::Caller;

use super::Worker;
use super::call::Found;
use crate::approval;
use crate::catalogue::Target;
use crate::gate::{self, Limiter};
use crate::idempotency::Key;
use crate::store::Fault;

impl Worker {
    /// The approval under which this call is made: the one that is being released, or, for a verb of
    /// the control plane, one that was released before. Only its caller's own token can be passed on,
    /// so such a call is made when they send it again.
    pub(crate) async fn released(
        &self,
        found: &Found<'_>,
        released: Option<Id<id::Approval>>,
    ) -> Result<Option<Id<id::Approval>>, Fault> {
        let Target::Seat(verb) = found.resolved.target else { return Ok(released) };
        if released.is_some() || verb.plane == Plane::Data || verb.effect == Effect::Read {
            return Ok(released);
        }
        let Ok(digest) = super::outcome::call_of(found).digest() else { return Ok(None) };
        Ok(approval::released(self.store.readers(), &self.plane, &digest, self.now()).await?)
    }

    /// What the caller holds beside what its run holds: a run that was started earlier, and has read
    /// nothing, launders nothing.
    pub(crate) async fn held(&self, found: &Found<'_>) -> Result<contract::Labels, Fault> {
        if found.run.clean() {
            let above = self.above(&found.run).await?;
            let labels = above.iter().map(|run| run.labels());
            return Ok(labels.fold(contract::Labels::NONE, |all, labels| all | labels));
        }
        if found.run.default() {
            return Ok(contract::Labels::NONE);
        }
        Ok(self.default_run(found.asking.caller).await?.labels())
    }

    /// The key of a write: by the caller's own key, or by the canonical arguments. A read has none,
    /// and the control plane keeps the keys of its own verbs.
    pub(crate) fn key_of(&self, found: &Found<'_>) -> Result<Option<Key>, Box<Refusal>> {
        let Target::Tool(tool) = &found.resolved.target else { return Ok(None) };
        if found.resolved.effect == Effect::Read {
            return Ok(None);
        }
        let inexact = |error: contract::canonical::Error| {
            Box::new(Refusal::of_field(
                "arguments",
                error.to_string(),
                "Send the number as a string.",
            ))
        };
        let arguments = contract::canonical::digest(&found.named.arguments).map_err(inexact)?;
        let principal = found.asking.caller.principal().id.to_string();
        let address = format!("{} {}", found.resolved.address, tool.tool.id);
        let given = found.named.options.idempotency_key.as_deref();
        let (kind, what): (&[u8], &[u8]) = match given {
            Some(key) => (b"key", key.as_bytes()),
            None => (b"arguments", &arguments),
        };
        let identity = self.identity.as_str().as_bytes();
        let parts = [identity, principal.as_bytes(), address.as_bytes(), kind, what];
        Ok(Some(Key { key: crate::content::store::key_of(&parts), arguments }))
    }

    /// Takes one call out of the caller's own rate.
    pub(crate) fn take_own(&self, caller: &Caller<'_>) -> gate::Rate {
        let per_minute = caller.view().settings().calls_per_minute;
        self.callers.take(&caller.principal().id, per_minute, 60_000, self.clock.boot_ms())
    }

    /// What the tool's declared rate says, asked or taken. Only a call that is carried out takes from
    /// it: who may not call the tool cannot use it up for those who may.
    pub(crate) fn tool_rate(&self, found: &Found<'_>, ask: Ask) -> gate::Rate {
        let Target::Tool(target) = &found.resolved.target else { return gate::Rate::Within };
        let declared =
            target.version.as_ref().and_then(|version| version.declared.endpoint.rate_limit);
        declared.map_or(gate::Rate::Within, |limit| {
            let per_ms = u64::from(limit.per_seconds) * 1000;
            ask(&self.tools, &target.tool.id, limit.calls, per_ms, self.clock.boot_ms())
        })
    }
}

/// Asks a tool's rate, or takes from it.
pub(crate) type Ask = fn(&Limiter<Id<id::Tool>>, &Id<id::Tool>, u32, u64, u64) -> gate::Rate;

/// Whether the arguments of a verb hold a secret: a held call is stored with its arguments.
pub(crate) fn holds_secret(found: &Found<'_>) -> bool {
    let Target::Seat(verb) = found.resolved.target else { return false };
    let fields = verb.input.get("properties").and_then(Value::as_object);
    fields.into_iter().flatten().any(|(name, schema)| {
        let secret = schema.get("writeOnly").and_then(Value::as_bool).unwrap_or(false);
        secret && found.named.arguments.get(name).is_some()
    })
}

pub(crate) fn secret_not_held() -> Refusal {
    Refusal::new(
        Code::UserRequired,
        "A person would have to release this call, and a call with a secret in it is never kept.",
        "A person must make it themselves, signed in as such.",
    )
}
