//! Owns carrying a call out: the ruling is written, then the effect happens, then the outcome is
//! written with everything that came of it, and only then is the call answered.

use contract::id::{self, Id};
use contract::shape::{Instance, http};
use contract::verb::Plane;
use contract::{Answer, Code, Effect, Envelope, Fault, Labels, Refusal};
use serde_json::{Map, Value};
use tenancy::plane::{Answered, ToControl, VerbCall};
use tenancy::seal::{Binding, Sealed};
use tokio::time::Instant;

use super::Worker;
use super::answer::broken;
use super::call::{Found, Incoming};
use crate::approval;
use crate::catalogue::Target;
use crate::catalogue::http::client::SendOptions;
use crate::catalogue::http::failure::{Failure, Reached};
use crate::catalogue::http::received::Received;
use crate::catalogue::http::request::{self, Built};
use crate::catalogue::http::secret::{Placed, Secret};
use crate::catalogue::index::Version;
use crate::catalogue::resolve::ToolTarget;
use crate::content::store::{Keep, Origin};
use crate::gate::Ruling;
use crate::idempotency::{self, End, Key};
use crate::ledger::entry::body::{self, Body};
use crate::store::{Applying, Batch, Change};

/// How long a write's key counts when its tool declares no window: a day.
const WINDOW_MS: i64 = 24 * 60 * 60 * 1000;

/// What is to be carried out, once the Gate has let it through.
pub(crate) struct Prepared<'a> {
    incoming: &'a Incoming,
    built: Option<Built>,
    key: Option<Key>,
    ruling: Id<id::Ruling>,
    released: Option<Id<id::Approval>>,
}

impl<'a> Prepared<'a> {
    pub(crate) fn new(
        worker: &Worker,
        _: &Found<'_>,
        incoming: &'a Incoming,
        built: Option<Built>,
        key: Option<Key>,
        released: Option<Id<id::Approval>>,
    ) -> Self {
        Self { incoming, built, key, ruling: worker.new_id(), released }
    }
}

/// The credential that a tool's server sends along.
pub(crate) fn credential_of(tool: &ToolTarget) -> Option<Id<id::Credential>> {
    let Instance::Http(server) = &tool.server.instance;
    server.credential.as_ref().and_then(|credential| credential.id.parse().ok())
}

/// Marks a ruling as one whose outcome is not written yet.
#[derive(Debug)]
struct Open {
    ruling: Id<id::Ruling>,
    effect: Effect,
    key: Option<[u8; 32]>,
}

impl Change for Open {
    fn apply<'a>(&'a self, connection: &'a mut sqlx::SqliteConnection) -> Applying<'a> {
        Box::pin(async move {
            sqlx::query(
                "INSERT INTO ruling_open (ruling, seq, at_ms, effect, idempotency_key) \
                 SELECT $1, seq, at_ms, $2, $3 FROM ledger WHERE ruling = $1 AND kind = 'ruling'",
            )
            .bind(self.ruling.to_string())
            .bind(self.effect.as_str())
            .bind(self.key.map(|key| key.to_vec()))
            .execute(connection)
            .await?;
            Ok(())
        })
    }
}

/// Takes that mark away.
#[derive(Debug)]
pub(crate) struct Close(pub(super) Id<id::Ruling>);

impl Change for Close {
    fn apply<'a>(&'a self, connection: &'a mut sqlx::SqliteConnection) -> Applying<'a> {
        Box::pin(async move {
            sqlx::query("DELETE FROM ruling_open WHERE ruling = $1")
                .bind(self.0.to_string())
                .execute(connection)
                .await?;
            Ok(())
        })
    }
}

/// How a tool's call ended.
enum Ended {
    /// With an answer to keep.
    Good(Received),
    /// Without one.
    Bad(Box<Bad>),
}

/// A call without a good answer.
struct Bad {
    answer: Answer,
    end: End,
    status: &'static str,
    /// What the upstream said in its error, if it said anything.
    body: Option<Received>,
}

impl Worker {
    /// Builds the request upstream, if the call is one. What cannot be built is for check 2 to say.
    pub(crate) fn build(&self, found: &Found<'_>) -> Result<Option<Built>, Vec<Fault>> {
        let Target::Tool(tool) = &found.resolved.target else { return Ok(None) };
        let Some(Ok(endpoint)) = tool.version.as_ref().map(|version| &version.endpoint) else {
            return Ok(None);
        };
        let empty = Map::new();
        let arguments = found.named.arguments.as_object().unwrap_or(&empty);
        let inside = |mut fault: Fault| {
            fault.field = format!("arguments.{}", fault.field);
            fault
        };
        request::build(endpoint, arguments)
            .map(Some)
            .map_err(|faults| faults.into_iter().map(inside).collect())
    }

    /// Carries a call out under its ruling.
    pub(crate) async fn carry_out(
        self: &std::sync::Arc<Self>,
        prepared: Prepared<'_>,
        found: &Found<'_>,
        ruling: &Ruling,
    ) -> Answer {
        match &found.resolved.target {
            Target::Seat(verb) if verb.plane == Plane::Control => {
                self.pass_on(&prepared, found, ruling).await
            }
            Target::Seat(verb) => self.sit(verb, found, ruling, prepared.ruling).await,
            Target::Tool(tool) => self.call_tool(prepared, found, tool, ruling).await,
        }
    }

    /// Passes a verb of the control plane on, with the caller's own token.
    async fn pass_on(&self, prepared: &Prepared<'_>, found: &Found<'_>, ruling: &Ruling) -> Answer {
        let Target::Seat(verb) = &found.resolved.target else {
            return Answer::unavailable("catalogue", 500);
        };
        let writes = verb.effect != Effect::Read;
        let entry = self.ruling_entry(found, ruling, prepared.ruling, self.new_id(), None);
        let open = Open { ruling: prepared.ruling, effect: verb.effect, key: None };
        let mut batch = Batch::of(entry).with(open);
        batch.durable = writes;
        if let Err(fault) = self.store.commit(batch).await {
            return broken(&fault);
        }
        let message = ToControl::Verb(Box::new(VerbCall {
            token: prepared.incoming.token.clone(),
            verb: verb.name.to_owned(),
            input: found.named.arguments.clone(),
            idempotency_key: found.named.options.idempotency_key.clone(),
            surface: found.named.surface.as_str().to_owned(),
            gated: true,
            dry_run: false,
        }));
        let answer = match super::session::ask(self.session.link(), message).await {
            Ok(Answered::Verb(answer)) => answer,
            Ok(_) | Err(_) => Answer::unavailable("control plane", 1000),
        };
        let (status, done) = match &answer {
            Answer::Done(_) => ("ok", true),
            Answer::Refused(refusal) => (refusal.code.as_str(), false),
            Answer::Held(_) => ("held", false),
            Answer::Unavailable(_) => ("unavailable", false),
        };
        let sent = u64::try_from(answer.body().to_string().len()).unwrap_or(u64::MAX);
        let mut outcome = super::outcome::ended(prepared.ruling, status, sent);
        if let (Body::Outcome(outcome), Answer::Done(envelope)) = (&mut outcome, &answer) {
            outcome.written = envelope.written.iter().map(written).collect();
        }
        let mut batch = Batch::of(outcome)
            .with(Close(prepared.ruling))
            .with(self.count(found, done, sent, 0));
        batch.durable = writes;
        if let Some(approval) = prepared.released {
            batch = batch.with(approval::Answered { id: approval, answer: answer.body() });
        }
        match self.store.commit(batch).await {
            Ok(_) => answer,
            Err(fault) => broken(&fault),
        }
    }

    async fn call_tool(
        &self,
        mut prepared: Prepared<'_>,
        found: &Found<'_>,
        tool: &ToolTarget,
        ruling: &Ruling,
    ) -> Answer {
        let (Some(version), Some(mut built)) = (&tool.version, prepared.built.take()) else {
            return Answer::unavailable("catalogue", 500);
        };
        let placed = match self.open_credential(found, tool) {
            Ok(placed) => placed,
            Err(refusal) => return (*refusal).into(),
        };
        if let Some(key) = &prepared.key {
            let digest = super::answer::hex(&key.key);
            built.set_idempotency_key(&digest);
        }
        if let Err(answer) = self.write_ruling(&prepared, found, version, ruling).await {
            return *answer;
        }
        let started = self.clock.boot_ms();
        let ended = self.send(found, version, &built, placed.as_ref()).await;
        let took_ms = self.clock.boot_ms().saturating_sub(started);
        self.finish(&prepared, found, version, ended, took_ms).await
    }

    async fn write_ruling(
        &self,
        prepared: &Prepared<'_>,
        found: &Found<'_>,
        version: &Version,
        ruling: &Ruling,
    ) -> Result<(), Box<Answer>> {
        let effect = found.resolved.effect;
        let entry = self.ruling_entry(found, ruling, prepared.ruling, self.new_id(), None);
        let key = prepared.key.as_ref();
        let open = Open { ruling: prepared.ruling, effect, key: key.map(|key| key.key) };
        let mut batch = Batch::of(entry).with(open);
        batch.durable = effect != Effect::Read;
        if let Some(key) = key {
            let window_ms = version
                .declared
                .endpoint
                .idempotency
                .as_ref()
                .map_or(WINDOW_MS, |declared| i64::from(declared.window_seconds) * 1000);
            let now = self.now();
            batch = batch.with(idempotency::Begin {
                key: key.clone(),
                principal: found.asking.caller.principal().id,
                target: found.resolved.address.to_string(),
                ruling: prepared.ruling,
                now,
                expires: now.plus_ms(window_ms),
            });
        }
        self.store.commit(batch).await.map(drop).map_err(|fault| {
            Box::new(match fault {
                crate::store::Fault::Conflict("the same call") => Refusal::new(
                    Code::InFlight,
                    "The same call is being made at this moment.",
                    "Send it again in a moment: it will be answered from the first.",
                )
                .into(),
                fault => broken(&fault),
            })
        })
    }

    /// Opens the credential of a tool's server, for the origins that its seal names.
    fn open_credential(
        &self,
        found: &Found<'_>,
        tool: &ToolTarget,
    ) -> Result<Option<Placed>, Box<Refusal>> {
        let Instance::Http(server) = &tool.server.instance;
        let Some(declared) = &server.credential else { return Ok(None) };
        let closed = || {
            Box::new(Refusal::new(
                Code::NotGranted,
                "The credential of this server cannot be opened.",
                "Ask whoever manages credentials there to rotate it.",
            ))
        };
        let view = found.asking.caller.view();
        let id: Id<id::Credential> = declared.id.parse().map_err(|_| closed())?;
        let credential = view.credential(id).ok_or_else(closed)?;
        let binding = Binding {
            identity: view.identity_id(),
            record: id,
            version: u64::from(credential.version),
            origins: &credential.origins,
        };
        let sealed: Sealed = credential.sealed.parse().map_err(|_| closed())?;
        let secret = self.session.key.open(&binding, &sealed).map_err(|error| {
            tracing::error!(credential = %id, %error, "a credential does not open");
            closed()
        })?;
        let origins =
            credential.origins.iter().filter_map(|origin| origin.parse().ok()).collect();
        let secret = Secret::new(secret.expose().to_vec());
        Ok(Some(Placed::new(declared.id.clone(), secret, declared.placement.clone(), origins)))
    }

    async fn send(
        &self,
        found: &Found<'_>,
        version: &Version,
        built: &Built,
        placed: Option<&Placed>,
    ) -> Ended {
        let Ok(endpoint) = &version.endpoint else {
            return Ended::Bad(Box::new(Bad {
                answer: Answer::unavailable("catalogue", 500),
                end: End::FailedBeforeSend,
                status: "unavailable",
                body: None,
            }));
        };
        let identity = self.identity.to_string();
        let options = SendOptions::declared(endpoint, identity, Instant::now());
        match self.client.send(built, &options, placed).await {
            Ok(received) => Ended::Good(received),
            Err(failure) => Ended::Bad(Box::new(bad(failure, found.resolved.effect))),
        }
    }

    /// Stores what came of a tool's call, writes the outcome, and answers.
    async fn finish(
        &self,
        prepared: &Prepared<'_>,
        found: &Found<'_>,
        version: &Version,
        ended: Ended,
        took_ms: u64,
    ) -> Answer {
        let (answer, end, status, received) = match ended {
            Ended::Good(received) => {
                (None, End::Done(Value::Null), "ok", Some(received))
            }
            Ended::Bad(bad) => (Some(bad.answer), bad.end, bad.status, bad.body),
        };
        let declared = match &found.resolved.target {
            Target::Tool(tool) => {
                tool.classification.as_ref().map_or(Labels::NONE, |judged| judged.labels)
            }
            Target::Seat(_) => Labels::NONE,
        };
        let keep = received.map(|received| self.keep(prepared, found, declared, received));
        let before = found.run.labels();
        let labels = keep.as_ref().map_or(Labels::NONE, |keep| keep.record.labels);
        let labelled = found.run.label(labels, &found.resolved.address.to_string());
        let good = answer.is_none();
        let mut envelope = match (&answer, &keep) {
            (None, Some(keep)) => {
                if let Ok(endpoint) = &version.endpoint {
                    remember_clean(found, endpoint, &keep.payload);
                }
                self.render(found, &keep.record, &keep.payload, &keep.spans)
            }
            _ => Envelope::of(Value::Null),
        };
        envelope.hints.extend(super::outcome::labelled(before, found.run.labels()));
        if found.resolved.chosen {
            envelope.hints.push(contract::Hint::new(
                contract::hint::Kind::ChosenPlace,
                format!("Answered by {}, the nearest that may.", found.resolved.address),
            ));
        }
        let answer = match answer {
            None => Answer::Done(envelope),
            Some(answer) => self.with_body(answer, found, keep.as_ref()),
        };
        let end = match end {
            End::Done(_) if good => End::Done(serde_json::json!({
                "content": keep.as_ref().map(|keep| keep.record.id)
            })),
            end => end,
        };
        let sent = u64::try_from(answer.body().to_string().len()).unwrap_or(u64::MAX);
        let stored = keep.as_ref().map_or(0, |keep| keep.record.bytes);
        let unknown = matches!(end, End::OutcomeUnknown);
        let outcome = if unknown {
            Body::OutcomeUnknown(body::OutcomeUnknown {
                ruling: prepared.ruling.to_string(),
                reason: "connection_lost".to_owned(),
            })
        } else {
            Body::Outcome(body::Outcome {
                ruling: prepared.ruling.to_string(),
                status: status.to_owned(),
                result_digest: keep.as_ref().map(|keep| super::answer::hex(&keep.record.digest)),
                result_bytes: stored,
                result_labels: super::outcome::words(labels),
                handle: keep.as_ref().map(|keep| keep.record.id.to_string()),
                duration_ms: took_ms,
                written: Vec::new(),
            })
        };
        let mut batch = Batch::of(outcome)
            .with(Close(prepared.ruling))
            .with(self.count(found, good, sent, stored));
        batch.durable = found.resolved.effect != Effect::Read;
        if let Some(keep) = keep {
            batch = batch.with(keep);
        }
        if let Some(labelled) = labelled {
            batch = batch.with(labelled);
        }
        if prepared.key.is_some() {
            batch = batch.with(idempotency::Finish { ruling: prepared.ruling, end });
        }
        if let Some(approval) = prepared.released {
            batch = batch.with(approval::Answered { id: approval, answer: answer.body() });
        }
        match self.store.commit(batch).await {
            Ok(_) => answer,
            Err(fault) => broken(&fault),
        }
    }

    fn keep(
        &self,
        prepared: &Prepared<'_>,
        found: &Found<'_>,
        declared: Labels,
        received: Received,
    ) -> Keep {
        let origin = Origin {
            id: self.new_id(),
            scope: found.resolved.scope.clone(),
            principal: found.asking.caller.principal().id,
            run: found.run.id(),
            ruling: Some(prepared.ruling),
            address: found.resolved.address.clone(),
            created: self.now(),
            salt: self.random(),
        };
        let media_type = received.media_type.as_deref().unwrap_or("application/octet-stream");
        Keep::of(origin, media_type, received.body.to_vec(), declared)
    }
}

fn written(written: &contract::Written) -> body::Written {
    body::Written {
        table: written.object.table.clone(),
        id: written.object.id.clone(),
        version: u64::try_from(written.version).unwrap_or_default(),
    }
}

/// What typed extraction declares clean may feed the next read.
fn remember_clean(found: &Found<'_>, endpoint: &http::Validated, payload: &[u8]) {
    if let Ok(answer) = serde_json::from_slice(payload) {
        for clean in endpoint.clean_values(&answer) {
            found.run.add_clean(&clean.value);
        }
    }
}

/// What a failure means for the caller, and for the key of a write.
fn bad(failure: Failure, effect: Effect) -> Bad {
    let reached = failure.reached();
    let end = match reached {
        Reached::Never => End::FailedBeforeSend,
        // The upstream refused the request: it can be mended and sent again.
        Reached::Answered(400..=499) => End::FailedBeforeSend,
        Reached::Answered(200..=299) => End::Done(Value::Null),
        Reached::Unknown | Reached::Answered(_) => End::OutcomeUnknown,
    };
    let end = if effect == Effect::Read && matches!(end, End::OutcomeUnknown) {
        End::FailedBeforeSend
    } else {
        end
    };
    let say = failure.to_string();
    let refusal = |code: Code, fix: &str| Answer::from(Refusal::new(code, format!("{say}."), fix));
    let mut body = None;
    let answer = match failure {
        Failure::BeforeSend { .. } | Failure::Timeout { sent: false, .. } => {
            Answer::unavailable(format!("upstream: {say}"), 1000)
        }
        Failure::Denied(_) => refusal(
            Code::EgressDenied,
            "Ask the operator to allow the address, if it is meant to be reached.",
        ),
        Failure::Credential { .. } => {
            refusal(Code::NotGranted, "Ask for a credential that is bound to this origin.")
        }
        Failure::Unknown { .. } | Failure::Timeout { .. } if effect == Effect::Read => {
            Answer::unavailable(format!("upstream: {say}"), 1000)
        }
        Failure::Unknown { .. } | Failure::Timeout { .. } => refusal(
            Code::OutcomeUnknown,
            "Look the effect up at the system itself. The call is not sent again under this key.",
        ),
        Failure::Upstream(received) => {
            let status = received.status;
            body = Some(*received);
            refusal_with(Code::UpstreamFailed, &say, status)
        }
        Failure::Redirect { ref origin, .. } => {
            let mut refusal = Refusal::new(
                Code::UpstreamRedirect,
                format!("{say}."),
                "Ask whoever declared the tool to declare the place it redirects to.",
            );
            if let Some(origin) = origin {
                refusal = refusal.with("origin", origin.clone());
            }
            refusal.into()
        }
        Failure::TooLarge { limit, .. } => Refusal::new(
            Code::ResponseTooLarge,
            format!("{say}."),
            "Ask for less, by the tool's own arguments.",
        )
        .with("limit", limit)
        .into(),
        Failure::MediaType { .. } | Failure::Undecodable { .. } => refusal(
            Code::UpstreamMediaType,
            "Ask whoever declared the tool to declare what the upstream sends.",
        ),
    };
    let end = match end {
        // The effect took place, and its answer cannot be used: a repeat is told so, not sent.
        End::Done(_) => End::Done(answer.body()),
        end => end,
    };
    let status = match &answer {
        Answer::Refused(refusal) => refusal.code.as_str(),
        _ => "unavailable",
    };
    Bad { answer, end, status, body }
}

fn refusal_with(code: Code, say: &str, status: u16) -> Answer {
    Refusal::new(
        code,
        format!("{say}."),
        "Read what the upstream said in `body`; mend the arguments if it is about them.",
    )
    .with("upstream_status", status)
    .into()
}
