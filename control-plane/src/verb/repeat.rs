//! Owns the repeating of writes: the same idempotency key gets the first answer again. Invariant: a
//! repeat is authorised anew, and a key is never good for another input; what is kept of an input, which
//! may hold a secret, tells whoever reads the database nothing without the key-encryption key.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use contract::hint::{self, Hint};
use contract::verb::Needs;
use contract::{Code, Envelope, Refusal, Scope, Timestamp, Verb, canonical, idempotency};
use tenancy::plane::VerbCall;
use tenancy::seal::Kek;

use crate::call::Write;
use crate::done::Finished;
use crate::failure::Failure;
use crate::store::idempotency::{First, Key};
use crate::store::tx::{Conn, Recorded};
use crate::store::{self, Error};

/// What the digests of inputs are keyed for.
const PURPOSE: &str = "idempotency input";

/// A call that carries an idempotency key.
#[derive(Debug)]
pub(super) struct Repeat<'c> {
    key: Key<'c>,
    digest: String,
}

impl<'c> Repeat<'c> {
    /// What repeats `call`, if it carries a key.
    pub(super) fn of(
        call: &'c VerbCall,
        identity: &'c str,
        caller: &'c str,
        kek: &Kek,
    ) -> Result<Option<Self>, Failure> {
        let Some(sent) = call.idempotency_key.as_deref() else { return Ok(None) };
        let input = canonical::to_canonical(&call.input).map_err(|error| {
            Refusal::new(
                Code::InvalidInput,
                format!("The input has no canonical form: {error}."),
                "Send numbers that a double can hold.",
            )
        })?;
        let digest = STANDARD.encode(kek.keyed_digest(PURPOSE, &input));
        Ok(Some(Self { key: Key { identity, caller, verb: &call.verb, sent }, digest }))
    }

    /// Keeps the answer with the transaction that it is of.
    pub(super) async fn remember(
        self,
        recorded: &mut Recorded,
        finished: &Finished,
        now: Timestamp,
    ) -> Result<(), Error> {
        let scope = finished.scope.as_ref().map(Scope::to_string).unwrap_or_default();
        let answer = finished.without_secret();
        let first = First { digest: self.digest, scope, answer, at: now };
        recorded.remember(&self.key, &first).await
    }
}

/// What was answered the first time, if this is not the first.
///
/// # Errors
/// Refused if the key was used with another input.
pub(super) async fn first(
    repeat: Option<&Repeat<'_>>,
    conn: &mut Conn,
    now: Timestamp,
) -> Result<Option<First>, Failure> {
    let Some(repeat) = repeat else { return Ok(None) };
    match store::idempotency::get(conn, &repeat.key, now).await? {
        Some(first) if first.digest != repeat.digest => {
            let mut refusal = Refusal::new(
                Code::IdempotencyMismatch,
                "This idempotency key was used with another input.",
                "Send a new key for a new call, or the first input to hear its answer again.",
            );
            refusal.field = Some(idempotency::FIELD.to_owned());
            Err(refusal.into())
        }
        first => Ok(first),
    }
}

/// That the caller may still do what was done the first time, where it was done.
pub(super) fn authorise(call: &Write<'_>, verb: &Verb, first: &First) -> Result<(), Failure> {
    let Needs::Action(action) = verb.needs else { return Ok(()) };
    let scope: Scope = first.scope.parse().map_err(|_| Error::Corrupt {
        column: "scope",
        why: "not the scope of a repeat".to_owned(),
    })?;
    call.may(action, &scope).map(drop)
}

/// The first answer, as a repeat.
pub(super) fn again(answer: Envelope) -> Envelope {
    let say = "This call was done before; this is its first answer, without one-time secrets.";
    answer.hint(Hint::new(hint::Kind::Repeated, say))
}
