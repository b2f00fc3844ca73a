//! Owns the way of one verb call: find the verb, authenticate the caller, check the input, carry it
//! out in one transaction with its act, tell the holder, answer.
//!
//! Invariant: the caller is authenticated by the view read in the very transaction that the operation
//! runs in, so nothing is written by an authority that was revoked before. A write is answered once
//! the holder of the identity decides by the revision it made, or can no longer decide.

mod anyone;
mod operator;
mod repeat;

use contract::hint::{self, Hint};
use contract::verb::{Needs, Plane as Of, Registry};
use contract::verbs::principal::Kind;
use contract::{Answer, Code, Effect, Envelope, Id, Refusal, Scope, Verb, id, idempotency};
use tenancy::authority::{Caller, Now, authenticate};
use tenancy::clock;
use tenancy::lease::Standing;
use tenancy::permit;
use tenancy::plane::{Act, RefusedAct, VerbCall};
use tenancy::token::{self, Presented};
use tenancy::view::AuthorityView;

use crate::call::{Read, Write};
use crate::done::Finished;
use crate::failure::{Failure, Refused, operators_only, unauthenticated};
use crate::plane::Plane;
use crate::store::tx::{Conn, Draft, Recorded, Writing};
use crate::{operations, store, uses};
use repeat::Repeat;

/// When a caller may try again that the store did not answer.
const RETRY_AFTER_MS: u64 = 1_000;

impl Plane {
    /// Answers a verb call.
    pub(crate) async fn verb(&self, call: &VerbCall) -> Answer {
        match Box::pin(self.carry_out(call)).await {
            Ok(envelope) => envelope.into(),
            Err(Failure::Refused(refused)) => refused.refusal.into(),
            Err(Failure::Unavailable(error)) => {
                let error: &dyn std::error::Error = &error;
                tracing::error!(verb = call.verb, error, "the control store does not answer");
                Answer::unavailable("control store", RETRY_AFTER_MS)
            }
        }
    }

    async fn carry_out(&self, call: &VerbCall) -> Result<Envelope, Failure> {
        let verb = Registry::get()
            .verb(&call.verb)
            .filter(|verb| verb.plane == Of::Control)
            .ok_or_else(|| operations::no_such_verb(&call.verb))?;
        if verb.needs == Needs::Anyone {
            return self.for_anyone(verb, call).await;
        }
        let presented = Presented::parse(&call.token).map_err(|_| unauthenticated())?;
        if presented.kind() == token::Kind::Operator {
            self.operate(verb, call, &presented).await
        } else {
            self.serve(verb, call, &presented).await
        }
    }

    /// Carries a tenant's call out, and writes its refusal down.
    async fn serve(
        &self,
        verb: &'static Verb,
        call: &VerbCall,
        presented: &Presented<'_>,
    ) -> Result<Envelope, Failure> {
        let mut conn = self.store.read().await?;
        let identity = store::identity::by_route(&mut conn, presented.route()).await?;
        let plane = permit::Plane::of(identity.ok_or_else(unauthenticated)?);
        let view = self.views.current(&mut conn, &plane, self.source.now()).await?;
        let view = view.ok_or_else(unauthenticated)?;
        let caller = self.enter(&view, presented)?;
        uses::note(&self.uses, caller.identity(), caller.token().id, self.source.now());
        let carried = match admit(verb, call, &caller) {
            Err(failure) => {
                drop(conn);
                Err(failure)
            }
            Ok(()) if verb.effect == Effect::Read => self.read(call, conn, caller).await,
            Ok(()) => {
                drop(conn);
                self.write(verb, call, presented, &plane).await
            }
        };
        match carried {
            Err(Failure::Refused(refused)) if refused.refusal.code != Code::Unauthenticated => {
                Err(self.write_refusal(verb, &caller, *refused).await?)
            }
            carried => carried,
        }
    }

    fn enter<'v>(
        &self,
        view: &'v AuthorityView,
        presented: &Presented<'_>,
    ) -> Result<Caller<'v>, Failure> {
        let now = Now::of(&*self.source);
        authenticate(view, &Standing::Primary, &presented.hash(), presented.kind(), now)
            .map_err(|_| unauthenticated().into())
    }

    async fn read(
        &self,
        call: &VerbCall,
        tx: Conn,
        caller: Caller<'_>,
    ) -> Result<Envelope, Failure> {
        let mut read = Read { caller, tx, means: self.means() };
        let finished = operations::read(&call.verb, &mut read, call.input.clone()).await?;
        Ok(if call.dry_run { dry(&finished) } else { finished.envelope })
    }

    async fn write(
        &self,
        verb: &'static Verb,
        call: &VerbCall,
        presented: &Presented<'_>,
        plane: &permit::Plane,
    ) -> Result<Envelope, Failure> {
        let mut tx = self.store.write().await?;
        // Somebody else may have written since the caller was found: this is what counts.
        let view = self.views.current(&mut tx, plane, self.source.now()).await?;
        let view = view.ok_or_else(unauthenticated)?;
        let caller = self.enter(&view, presented)?;
        let principal = caller.principal().id.to_string();
        let repeat = Repeat::of(call, plane.identity().as_str(), &principal, &self.kek)?;
        let mut write = Write { caller, tx, means: self.means() };
        if let Some(first) =
            repeat::first(repeat.as_ref(), &mut write.tx, self.source.now()).await?
        {
            repeat::authorise(&write, verb, &first)?;
            drop(write);
            self.settle_now(plane).await?;
            return Ok(repeat::again(first.answer));
        }
        let finished = operations::write(verb.name, &mut write, call.input.clone()).await?;
        if call.dry_run {
            return Ok(dry(&finished));
        }
        if !finished.changed() {
            drop(write);
            self.settle_now(plane).await?;
            return Ok(finished.envelope);
        }
        let (principal, token) = (caller.principal().id, caller.token().id);
        let act = self.act(verb, Some(principal), Some(token), &finished, view.root());
        let recorded = record(write.tx, plane, act, &finished).await?;
        self.conclude(plane, recorded, repeat, finished).await
    }

    /// Commits, tells the holder, and waits until it decides by what was committed.
    async fn conclude(
        &self,
        plane: &permit::Plane,
        mut recorded: Recorded,
        repeat: Option<Repeat<'_>>,
        finished: Finished,
    ) -> Result<Envelope, Failure> {
        if let Some(repeat) = repeat {
            repeat.remember(&mut recorded, &finished, self.source.now()).await?;
        }
        let committed = recorded.commit().await?;
        self.publish(plane, &committed).await;
        self.settle(plane.identity(), committed.revision, committed.lease).await;
        Ok(finished.envelope)
    }

    /// What was done, as the ledger is to know it.
    fn act(
        &self,
        verb: &Verb,
        principal: Option<Id<id::Principal>>,
        token: Option<Id<id::Token>>,
        finished: &Finished,
        root: &Scope,
    ) -> Act {
        Act {
            seq: 0,
            at: self.source.now(),
            verb: verb.name.to_owned(),
            principal,
            token,
            scope: finished.scope.clone().unwrap_or_else(|| root.clone()),
            objects: finished.objects(),
            revision: 0,
            refused: None,
        }
    }

    /// Gives a refusal its decision, and writes it down for the ledger. If it cannot be written down
    /// it is not answered as a refusal either.
    async fn write_refusal(
        &self,
        verb: &Verb,
        caller: &Caller<'_>,
        mut refused: Refused,
    ) -> Result<Failure, Failure> {
        let decision = clock::new_id(&*self.source);
        refused.refusal = refused.refusal.decided(decision);
        let root = caller.view().root();
        let needed = match verb.needs {
            Needs::Action(action) => Some(action),
            Needs::Caller | Needs::Operator | Needs::Anyone => None,
        };
        let act = Act {
            seq: 0,
            at: self.source.now(),
            verb: verb.name.to_owned(),
            principal: Some(caller.principal().id),
            token: Some(caller.token().id),
            // A scope of another identity is not written into this one's ledger.
            scope: refused
                .scope
                .take()
                .filter(|at| root.covers(at))
                .unwrap_or_else(|| root.clone()),
            objects: Vec::new(),
            revision: caller.revision(),
            refused: None,
        };
        let code = refused.refusal.code.as_str().to_owned();
        let refusal = RefusedAct { code, action: refused.action.or(needed), decision };
        let plane = permit::Plane::of(caller.identity().clone());
        self.store.write().await?.record_refusal(&plane, act, refusal).await?;
        Ok(Failure::Refused(Box::new(refused)))
    }
}

async fn record(
    tx: Writing,
    plane: &permit::Plane,
    act: Act,
    finished: &Finished,
) -> Result<Recorded, store::Error> {
    tx.record(plane, Draft { act, catalogue: finished.catalogue }).await
}

/// What is checked of every tenant's call before its operation sees it.
fn admit(verb: &Verb, call: &VerbCall, caller: &Caller<'_>) -> Result<(), Failure> {
    if verb.needs == Needs::Operator {
        return Err(operators_only().into());
    }
    check_input(verb, call)?;
    let agent = caller.principal().kind == Kind::Agent;
    if agent && verb.effect != Effect::Read && !call.gated {
        return Err(Refusal::new(
            Code::UserRequired,
            "An agent's write goes through the data plane, where it is ruled on and may be held.",
            "Send the same call to the data plane: over MCP, or to its REST address.",
        )
        .into());
    }
    Ok(())
}

/// Every fault of the input together, those of the idempotency key included.
fn check_input(verb: &Verb, call: &VerbCall) -> Result<(), Failure> {
    let mut faults = verb.validator.faults(&call.input, "");
    faults.extend(call.idempotency_key.as_deref().and_then(idempotency::fault));
    if faults.is_empty() { Ok(()) } else { Err(Refusal::of_input(faults).into()) }
}

/// The answer of a call that was carried out but for the commit.
pub(crate) fn dry(finished: &Finished) -> Envelope {
    let say = "Nothing was done: this is what would have been answered.";
    finished.without_secret().hint(Hint::new(hint::Kind::DryRun, say))
}
