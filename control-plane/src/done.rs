//! Owns what an operation answers when it was carried out. Invariant: a one-time secret is in the
//! answer that is sent and in nothing that is kept.

use contract::hint::{self, Hint};
use contract::{Envelope, Id, Scope, Written, id};
use serde::Serialize;
use serde_json::Value;

use crate::store;

/// What stands in a secret's place when an answer is repeated.
const NOT_REPEATED: &str = "shown once, not repeated";

/// An operation's answer.
#[derive(Debug)]
pub(crate) struct Done<T> {
    result: T,
    written: Vec<Written>,
    hints: Vec<Hint>,
    secret: Option<&'static str>,
    scope: Option<Scope>,
    catalogue: bool,
    by: Option<Id<id::Principal>>,
    untold: bool,
}

impl<T> Done<T> {
    /// An answer that changed nothing.
    pub(crate) fn of(result: T) -> Self {
        Self {
            result,
            written: Vec::new(),
            hints: Vec::new(),
            secret: None,
            scope: None,
            catalogue: false,
            by: None,
            untold: false,
        }
    }

    /// An answer that changed `written` at `scope`.
    pub(crate) fn wrote(result: T, scope: &Scope, written: Written) -> Self {
        Self { written: vec![written], scope: Some(scope.clone()), ..Self::of(result) }
    }

    /// Where nothing had to be changed.
    #[must_use]
    pub(crate) fn at(mut self, scope: &Scope) -> Self {
        self.scope = Some(scope.clone());
        self
    }

    /// One more object changed.
    #[must_use]
    pub(crate) fn and_wrote(mut self, written: Written) -> Self {
        self.written.push(written);
        self
    }

    /// The catalogue changed too: the holder gets it anew.
    #[must_use]
    pub(crate) fn catalogue(mut self) -> Self {
        self.catalogue = true;
        self
    }

    /// Who acted, where no token said so.
    #[must_use]
    pub(crate) const fn by(mut self, principal: Id<id::Principal>) -> Self {
        self.by = Some(principal);
        self
    }

    /// Whoever asked is not told what was written, nor whether anything was.
    #[must_use]
    pub(crate) const fn untold(mut self) -> Self {
        self.untold = true;
        self
    }

    /// One more hint.
    #[must_use]
    pub(crate) fn hint(mut self, kind: hint::Kind, say: impl Into<String>) -> Self {
        self.hints.push(Hint::new(kind, say));
        self
    }

    /// The result's member `member` is a secret that is shown this once.
    #[must_use]
    pub(crate) fn shown_once(mut self, member: &'static str) -> Self {
        self.secret = Some(member);
        self.hint(hint::Kind::ShownOnce, format!("Keep `{member}`: it cannot be shown again."))
    }
}

impl<T> Done<T> {
    /// The same, answered in another form.
    pub(crate) fn map<U>(self, form: impl FnOnce(T) -> U) -> Done<U> {
        let Self { result, written, hints, secret, scope, catalogue, by, untold } = self;
        Done { result: form(result), written, hints, secret, scope, catalogue, by, untold }
    }
}

impl<T: Serialize> Done<T> {
    /// The answer, whatever its type.
    pub(crate) fn finish(self) -> Result<Finished, store::Error> {
        let result = serde_json::to_value(&self.result);
        let result =
            result.map_err(|source| store::Error::Unwritable { what: "the answer", source })?;
        Ok(Finished {
            envelope: Envelope { result, written: self.written, hints: self.hints },
            secret: self.secret,
            scope: self.scope,
            catalogue: self.catalogue,
            by: self.by,
            untold: self.untold,
        })
    }
}

/// An operation's answer as it goes out.
#[derive(Debug)]
pub(crate) struct Finished {
    /// What is sent.
    pub(crate) envelope: Envelope,
    secret: Option<&'static str>,
    /// Where something changed.
    pub(crate) scope: Option<Scope>,
    /// Whether the catalogue changed.
    pub(crate) catalogue: bool,
    /// Who acted, where no token said so.
    pub(crate) by: Option<Id<id::Principal>>,
    untold: bool,
}

impl Finished {
    /// Whether something changed.
    pub(crate) fn changed(&self) -> bool {
        !self.envelope.written.is_empty()
    }

    /// What changed, as `table/id`.
    pub(crate) fn objects(&self) -> Vec<String> {
        let objects = self.envelope.written.iter().map(|written| &written.object);
        objects.map(|object| format!("{}/{}", object.table, object.id)).collect()
    }

    /// The answer as whoever asked is told it.
    pub(crate) fn told(&self, mut envelope: Envelope) -> Envelope {
        if self.untold {
            envelope.written.clear();
        }
        envelope
    }

    /// The answer without its secret: what may be kept, and what a dry run tells.
    pub(crate) fn without_secret(&self) -> Envelope {
        let mut envelope = self.envelope.clone();
        let member = self.secret.and_then(|member| envelope.result.get_mut(member));
        if let Some(member) = member {
            *member = Value::String(NOT_REPEATED.to_owned());
        }
        envelope
    }
}
