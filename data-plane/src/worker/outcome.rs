//! Owns what the ledger says of a call: its ruling before, its outcome after, and its count.

use contract::id::{self, Id};
use contract::verb::{Registry, Verb};
use contract::{Labels, hint};

use super::Worker;
use super::call::{Found, Named};
use crate::approval;
use crate::catalogue::Target;
use crate::catalogue::resolve::{Asking, Resolved, ToolTarget};
use crate::gate::Ruling;
use crate::ledger::entry::body::{self, Body};
use crate::meter::Count;
use crate::run::Run;

/// What a ruling is told of.
pub(crate) struct Told<'a, 'v> {
    pub(crate) asking: Asking<'a, 'v>,
    pub(crate) resolved: &'a Resolved,
    pub(crate) named: &'a Named,
    pub(crate) run: &'a Run,
}

/// The labels as words.
pub(crate) fn words(labels: Labels) -> Vec<String> {
    labels.iter().map(|label| label.as_str().to_owned()).collect()
}

/// The outcome of a call that stored nothing.
pub(crate) fn ended(ruling: Id<id::Ruling>, status: &str, bytes: u64) -> Body {
    Body::Outcome(body::Outcome {
        ruling: ruling.to_string(),
        status: status.to_owned(),
        result_digest: None,
        result_bytes: bytes.min(crate::ledger::entry::INTEGER_MAX),
        result_labels: Vec::new(),
        handle: None,
        duration_ms: 0,
        written: Vec::new(),
    })
}

impl Worker {
    pub(crate) fn ruling_entry(
        &self,
        found: &Found<'_>,
        ruling: &Ruling,
        id: Id<id::Ruling>,
        decision: Id<id::Decision>,
        rule: Option<&str>,
    ) -> Body {
        let told = Told {
            asking: found.asking,
            resolved: &found.resolved,
            named: &found.named,
            run: &found.run,
        };
        self.entry_of(&told, ruling, id, decision, rule)
    }

    pub(crate) fn entry_of(
        &self,
        told: &Told<'_, '_>,
        ruling: &Ruling,
        id: Id<id::Ruling>,
        decision: Id<id::Decision>,
        rule: Option<&str>,
    ) -> Body {
        let decisive = ruling.decisive();
        let salt: [u8; 16] = self.random();
        let digest = contract::canonical::salted_digest(&salt, &told.named.arguments)
            .map(|digest| super::answer::hex(&digest))
            .unwrap_or_default();
        let declaration = match &told.resolved.target {
            Target::Tool(tool) => tool.version.as_ref().map(|version| u64::from(version.number)),
            Target::Seat(_) => None,
        };
        let caller = told.asking.caller;
        Body::Ruling(Box::new(body::Ruling {
            id: id.to_string(),
            scope: told.resolved.scope.to_string(),
            principal: caller.principal().id.to_string(),
            on_behalf_of: None,
            token: Some(caller.token().id.to_string()),
            run: Some(told.run.id().to_string()),
            address: told.resolved.address.to_string(),
            action: told.resolved.action.map(|action| action.as_str().to_owned()),
            effect: Some(told.resolved.effect.as_str().to_owned()),
            revision: caller.revision(),
            declaration_version: declaration,
            argument_digest: digest,
            argument_salted: true,
            labels: words(told.run.labels()),
            verdict: ruling.verdict,
            check: decisive.map(|said| said.check.to_owned()),
            rule: rule.or_else(|| decisive.map(|said| said.rule)).map(str::to_owned),
            policy_hash: None,
            reservation: None,
            surface: told.named.surface.as_str().to_owned(),
            decision_id: decision.to_string(),
        }))
    }

    /// The count of one call.
    pub(crate) fn count(&self, found: &Found<'_>, done: bool, sent: u64, stored: u64) -> Count {
        Count {
            at: self.now(),
            scope: found.resolved.scope.clone(),
            principal: found.asking.caller.principal().id,
            address: found.resolved.address.clone(),
            effect: found.resolved.effect,
            done,
            bytes_out: sent,
            bytes_stored: stored,
        }
    }
}

/// The verb `catalogue.call`, which calls to addresses that name nothing are counted under.
pub(crate) fn call_verb() -> &'static Verb {
    static FALLBACK: std::sync::OnceLock<Verb> = std::sync::OnceLock::new();
    Registry::get()
        .verb("catalogue.call")
        .unwrap_or_else(|| FALLBACK.get_or_init(Verb::of::<contract::verbs::catalogue::Call>))
}

/// The exact call, as an approval keeps it.
pub(crate) fn call_of(found: &Found<'_>) -> approval::Call {
    let caller = found.asking.caller;
    let (tool, declaration, classification, credential) = match &found.resolved.target {
        Target::Seat(_) => (String::new(), 0, 0, String::new()),
        Target::Tool(tool) => (
            identity_of(tool),
            tool.version.as_ref().map_or(0, |version| version.number),
            tool.classification.as_ref().map_or(0, |judged| judged.version),
            super::execute::credential_of(tool)
                .and_then(|id| caller.view().credential(id))
                .map_or_else(String::new, |credential| {
                    format!("{}@{}", credential.id, credential.version)
                }),
        ),
    };
    approval::Call {
        principal: caller.principal().id,
        token: caller.token().id,
        run: found.run.id(),
        address: found.resolved.address.clone(),
        tool,
        declaration,
        classification,
        credential,
        arguments: found.named.arguments.clone(),
        idempotency_key: found.named.options.idempotency_key.clone(),
        surface: found.named.surface.as_str().to_owned(),
        effect: found.resolved.effect,
    }
}

/// Which tool this is, whatever address comes to name it: its id, its server's, and the digest of its
/// definition.
pub(crate) fn identity_of(tool: &ToolTarget) -> String {
    let digest = tool.version.as_ref().map_or("", |version| version.digest.as_str());
    format!("{} {} {digest}", tool.tool.id, tool.server.id)
}

/// The hint that a run now holds labels it did not hold before.
pub(crate) fn labelled(before: Labels, after: Labels) -> Option<contract::Hint> {
    let new: Labels = after.iter().filter(|label| !before.has(*label)).collect();
    (!new.is_empty()).then(|| {
        contract::Hint::new(
            hint::Kind::RunLabelled,
            format!("This run now holds: {new}. What it may still do may have changed."),
        )
    })
}
