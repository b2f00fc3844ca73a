//! Owns a declaration of a tool as it is called: checked against its digest, and what it says of itself.

use std::sync::{Arc, OnceLock};

use contract::shape::{Instance, http};
use contract::validate::Validator;
use contract::verbs::server::Declaration;
use serde_json::Value;
use tenancy::plane;

/// A declaration of a tool, ready to be called.
#[derive(Debug)]
pub(crate) struct Version {
    /// Its number.
    pub(crate) number: u32,
    /// The digest of the definition.
    pub(crate) digest: String,
    /// The definition.
    pub(crate) declared: Declaration,
    /// The schema of the arguments.
    pub(crate) input_schema: Value,
    pub(super) instance: Arc<Instance>,
    pub(super) policy: Arc<http::Policy>,
    pub(super) endpoint: OnceLock<Result<http::Validated, String>>,
    pub(super) validator: OnceLock<Validator>,
}

impl Version {
    /// What the shape makes of it, or why it cannot be called. Made when it is first asked for: most
    /// of a large catalogue is never called.
    pub(crate) fn endpoint(&self) -> Result<&http::Validated, &str> {
        let made = self.endpoint.get_or_init(|| {
            let Instance::Http(server) = &*self.instance;
            match plane::definition_digest(&self.instance, &self.declared) {
                Ok(digest) if digest == self.digest => {
                    http::validate(server, &self.declared.endpoint, &self.policy).map_err(
                        |faults| {
                            let faults: Vec<_> =
                                faults.iter().map(|fault| fault.say.as_str()).collect();
                            faults.join(" ")
                        },
                    )
                }
                Ok(_) => Err("Its definition is not the one its digest was taken of.".to_owned()),
                Err(error) => Err(error.to_string()),
            }
        });
        made.as_ref().map_err(String::as_str)
    }

    /// Whether the declaration says that the upstream honours the platform's idempotency key.
    pub(crate) fn honours_key(&self) -> bool {
        let idempotency = self.declared.endpoint.idempotency.as_ref();
        idempotency.is_some_and(|declared| declared.upstream_header.is_some())
    }

    /// How long the key of a write counts: as declared, or a day.
    pub(crate) fn window_ms(&self) -> i64 {
        const DAY_MS: i64 = 24 * 60 * 60 * 1000;
        let declared = self.declared.endpoint.idempotency.as_ref();
        declared.map_or(DAY_MS, |declared| i64::from(declared.window_seconds) * 1000)
    }

    /// The read that tells whether a write took effect, if one is declared.
    pub(crate) fn lookup(&self) -> Option<&http::Lookup> {
        self.declared.endpoint.lookup.as_ref()
    }

    /// What becomes of a write that is sent again when nobody knows whether it took effect.
    pub(crate) fn resend(&self) -> Resend {
        match (self.honours_key(), self.lookup()) {
            (true, _) => Resend::SameKey,
            (false, Some(_)) => Resend::LookedUp,
            (false, None) => Resend::Never,
        }
    }

    /// Checks arguments against the schema.
    pub(crate) fn validator(&self) -> &Validator {
        self.validator.get_or_init(|| Validator::new(&self.input_schema))
    }
}

/// What becomes of a write that is sent again when nobody knows whether it took effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resend {
    /// It is not sent.
    Never,
    /// It is sent under the same key, which the upstream honours.
    SameKey,
    /// It is looked up first.
    LookedUp,
}
