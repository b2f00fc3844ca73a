//! Owns the way of a verb that anyone may use, where it comes in with a token all the same: over MCP, or
//! by its address. Invariant: the secret in its input goes to the control plane and nowhere else. No
//! ruling is written, no run takes part and nothing is held or kept: the record of it is the act of
//! administration, in the ledger of the identity that the secret belongs to.

use contract::verb::{Needs, Verb};
use contract::{Address, Answer};
use tenancy::plane::{Answered, ToControl, VerbCall};

use super::Worker;
use super::call::Named;
use super::session::ask;
use crate::catalogue::resolve;
use crate::gate;

/// The verb at this address, if anyone may use it.
pub(super) fn verb(address: &Address) -> Option<&'static Verb> {
    resolve::seat(address).filter(|verb| verb.needs == Needs::Anyone)
}

impl Worker {
    /// Passes the verb on without the caller's token, within the caller's own rate.
    pub(super) async fn for_anyone(
        &self,
        verb: &'static Verb,
        named: Named,
        own_rate: gate::Rate,
    ) -> Answer {
        if own_rate != gate::Rate::Within {
            return gate::too_many(own_rate).into();
        }
        let message = ToControl::Verb(Box::new(VerbCall {
            token: String::new(),
            verb: verb.name.to_owned(),
            input: named.arguments,
            idempotency_key: named.options.idempotency_key,
            surface: named.surface.as_str().to_owned(),
            gated: false,
            dry_run: named.options.dry_run,
        }));
        match ask(self.session.link(), message).await {
            Ok(Answered::Verb(answer)) => answer,
            _ => Answer::unavailable("control plane", 1000),
        }
    }
}
