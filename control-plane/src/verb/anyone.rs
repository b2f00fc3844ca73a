//! Owns the way of a call that anyone may make: one whose input holds a secret, which is all the right
//! there is. Invariants: no token that comes along is looked at; a secret that is not known is answered
//! like one that is not taken, and in the same time to a coarse grain; the secret is kept nowhere, so
//! such a call has no idempotency key (each of these verbs does the same when it is sent again).

use std::time::Duration;

use contract::{Envelope, Verb};
use tenancy::permit;
use tenancy::plane::VerbCall;
use tenancy::token::{Kind, Presented};

use super::{check_input, dry, record};
use crate::call::Open;
use crate::failure::Failure;
use crate::operations;
use crate::plane::Plane;

/// How long every answer takes at least: longer than a revocation takes to hold, if the identity's
/// holder answers.
const GRAIN: Duration = Duration::from_millis(250);

impl Plane {
    /// Carries the call out, and answers no sooner than after [`GRAIN`].
    pub(super) async fn for_anyone(
        &self,
        verb: &'static Verb,
        call: &VerbCall,
    ) -> Result<Envelope, Failure> {
        check_input(verb, call)?;
        let carried = Box::pin(self.carry_open(verb, call));
        let (carried, ()) = tokio::join!(carried, tokio::time::sleep(GRAIN));
        carried
    }

    async fn carry_open(&self, verb: &'static Verb, call: &VerbCall) -> Result<Envelope, Failure> {
        let secret = call.input.get("secret").and_then(serde_json::Value::as_str);
        let presented = secret.and_then(|text| Presented::parse(text.trim()).ok());
        let Some(presented) = presented else { return operations::of_no_secret(verb, call) };
        if presented.kind() == Kind::Operator {
            return self.of_operator(verb, call, &presented).await;
        }
        let mut tx = self.store.write().await?;
        let identity = crate::store::identity::by_route(&mut tx, presented.route()).await?;
        let Some(plane) = identity.map(permit::Plane::of) else {
            return operations::of_no_secret(verb, call);
        };
        let view = self.views.current(&mut tx, &plane, self.source.now()).await?;
        let Some(view) = view else { return operations::of_no_secret(verb, call) };
        let (presented, means) = (&presented, self.means());
        let mut open = Open { presented, plane: &plane, view: &view, tx, means };
        let finished = operations::open(verb.name, &mut open, call.input.clone()).await?;
        if call.dry_run {
            return Ok(finished.told(dry(&finished)));
        }
        if !finished.changed() {
            drop(open);
            self.settle_now(&plane).await?;
            return Ok(finished.told(finished.envelope.clone()));
        }
        let act = self.act(verb, finished.by, None, &finished, view.root());
        let recorded = record(open.tx, &plane, act, &finished).await?;
        let told = finished.told(finished.envelope.clone());
        self.conclude(&plane, recorded, None, finished).await?;
        Ok(told)
    }

    /// An operator's token that leaked is revoked too. It belongs to no identity's ledger, so it is
    /// logged; `--new-operator-token` makes another.
    async fn of_operator(
        &self,
        verb: &'static Verb,
        call: &VerbCall,
        presented: &Presented<'_>,
    ) -> Result<Envelope, Failure> {
        let answer = operations::of_no_secret(verb, call)?;
        if !call.dry_run {
            let mut tx = self.store.upkeep().await?;
            if crate::store::operator::revoke_leaked(&mut tx, presented).await? {
                tx.commit().await?;
                tracing::warn!("an operator's token was reported as leaked, and is revoked");
            }
        }
        Ok(answer)
    }
}
