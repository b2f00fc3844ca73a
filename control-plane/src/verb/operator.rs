//! Owns the way of an operator's call. Invariant: it leads to operators' verbs only, and opens no
//! tenant's record. What an operator does to an identity is an act in that identity's outbox; what is
//! refused to an operator belongs to no identity, and is logged.

use contract::verb::Needs;
use contract::{Code, Effect, Envelope, Name, Refusal, Verb};
use tenancy::permit::{self, Operator};
use tenancy::plane::VerbCall;
use tenancy::token::Presented;

use super::repeat::{self, Repeat};
use super::{check_input, dry, record};
use crate::call::Operate;
use crate::failure::{Failure, unauthenticated};
use crate::plane::Plane;
use crate::{operations, store};

impl Plane {
    /// Carries an operator's call out.
    pub(super) async fn operate(
        &self,
        verb: &'static Verb,
        call: &VerbCall,
        presented: &Presented<'_>,
    ) -> Result<Envelope, Failure> {
        let mut conn = self.store.read().await?;
        let stored = store::operator::by_hash(&mut conn, presented.hash()).await?;
        let operator = stored
            .and_then(|stored| Operator::verify(presented, &stored, self.source.now()))
            .ok_or_else(unauthenticated)?;
        if verb.needs != Needs::Operator {
            tracing::warn!(verb = verb.name, token = %operator.token(), "refused to an operator");
            return Err(tenants_only().into());
        }
        check_input(verb, call)?;
        if verb.effect == Effect::Read {
            let mut read = Operate { operator, tx: conn, means: self.means() };
            let found = operations::operate_read(verb.name, &mut read, call.input.clone()).await?;
            return Ok(if call.dry_run { dry(&found) } else { found.envelope });
        }
        drop(conn);
        self.operate_write(verb, call, operator).await
    }

    async fn operate_write(
        &self,
        verb: &'static Verb,
        call: &VerbCall,
        operator: Operator,
    ) -> Result<Envelope, Failure> {
        let token = operator.token();
        let caller = token.to_string();
        let repeat = Repeat::of(call, "", &caller, &self.kek)?;
        let tx = self.store.write().await?;
        let mut write = Operate { operator, tx, means: self.means() };
        if let Some(first) =
            repeat::first(repeat.as_ref(), &mut write.tx, self.source.now()).await?
        {
            drop(write);
            if let Ok(identity) = first.scope.parse::<Name>() {
                self.settle_now(&permit::Plane::of(identity)).await?;
            }
            return Ok(repeat::again(first.answer));
        }
        let finished = operations::operate_write(verb.name, &mut write, call.input.clone()).await?;
        if call.dry_run {
            return Ok(dry(&finished));
        }
        let root = finished.scope.clone().ok_or(store::Error::Gone { what: "the identity" })?;
        let identity = root.identity_str().parse::<Name>();
        let identity = identity.map_err(|_| store::Error::Gone { what: "the identity" })?;
        let plane = permit::Plane::of(identity);
        if !finished.changed() {
            drop(write);
            self.settle_now(&plane).await?;
            return Ok(finished.envelope);
        }
        let act = self.act(verb, None, Some(token), &finished, &root);
        let recorded = record(write.tx, &plane, act, &finished).await?;
        self.conclude(&plane, recorded, repeat, finished).await
    }
}

/// What no operator may do.
fn tenants_only() -> Refusal {
    Refusal::new(
        Code::NotGranted,
        "An operator's token opens no tenant's records.",
        "Use a token of a principal of that tenant.",
    )
}
