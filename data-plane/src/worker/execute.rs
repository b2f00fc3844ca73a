//! Owns carrying a call out: the ruling is written, then the effect happens, then the outcome is
//! written with everything that came of it, and only then is the call answered.

use contract::id::{self, Id};
use contract::shape::Instance;
use contract::verb::{Plane, Verb};
use contract::{Answer, Code, Effect, Fault, Refusal};
use serde_json::{Map, Value};
use tenancy::plane::{Answered, ToControl, VerbCall};
use tenancy::seal::{Binding, Sealed};
use tokio::time::Instant;

use super::Worker;
use super::answer::broken;
use super::call::{Found, Incoming};
use super::finish::Done;
use super::upstream::{Bad, Ended, bad};
use crate::approval;
use crate::catalogue::Target;
use crate::catalogue::http::client::SendOptions;
use crate::catalogue::http::request::{self, Built};
use crate::catalogue::http::secret::{Placed, Secret};
use crate::catalogue::index::Version;
use crate::catalogue::resolve::ToolTarget;
use crate::gate::Ruling;
use crate::idempotency::{self, End, Key};
use crate::ledger::entry::body::{self, Body};
use crate::store::{self, Applying, Batch, Change};

/// What is to be carried out, once the Gate has let it through.
pub(crate) struct Prepared<'a> {
    incoming: &'a Incoming,
    built: Option<Built>,
    /// The key of a write.
    pub(crate) key: Option<Key>,
    /// The id of its ruling.
    pub(crate) ruling: Id<id::Ruling>,
    /// The approval that a person released, when this is that call.
    pub(crate) released: Option<Id<id::Approval>>,
}

impl<'a> Prepared<'a> {
    pub(crate) fn new(
        worker: &Worker,
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
    let Instance::Http(server) = &*tool.server.instance;
    server.credential.as_ref().and_then(|credential| credential.id.parse().ok())
}

/// Marks a ruling as one whose outcome is not written yet.
#[derive(Debug)]
pub(crate) struct Open {
    /// The ruling.
    pub(crate) ruling: Id<id::Ruling>,
    /// The effect it was judged by.
    pub(crate) effect: Effect,
    /// The key of a write.
    pub(crate) key: Option<[u8; 32]>,
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
pub(crate) struct Close(pub(crate) Id<id::Ruling>);

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

impl Worker {
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
        if let Some(approval) = prepared.released {
            batch = batch.with(approval::Making(approval));
        }
        match self.store.commit(batch).await {
            Ok(_) => {}
            Err(store::Fault::Conflict("the same call")) => return self.in_flight(found).await,
            Err(fault) => return broken(&fault),
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
            _ => Answer::unavailable("control plane", 1000),
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
        let mut batch =
            Batch::of(outcome).with(Close(prepared.ruling)).with(self.count(found, done, sent, 0));
        batch.durable = writes;
        if let Some(approval) = prepared.released {
            batch = batch.with(approval::Answered {
                id: approval,
                answer: kept_body(verb, &answer),
                content: None,
            });
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
            Err(refusal) => {
                let ruling = Ruling::refusing("authority", "credential_closed", *refusal);
                return self.refuse(found, &ruling).await;
            }
        };
        if let Some(key) = &prepared.key {
            let digest = super::answer::hex(&key.key);
            built.set_idempotency_key(&digest);
        }
        // What comes of the effect will find its place in the queue, however full it is by then.
        let place = match self.store.reserve() {
            Ok(place) => place,
            Err(fault) => return broken(&fault),
        };
        match self.write_ruling(&prepared, found, version, ruling).await {
            Ok(()) => {}
            Err(store::Fault::Conflict("the same call")) => return self.in_flight(found).await,
            Err(fault) => return broken(&fault),
        }
        let started = self.clock.boot_ms();
        // A process that was stopped between the ruling and here may have been taken for gone: whoever
        // came after it has marked this call as unknown.
        if !self.session.standing().stands_at(started) {
            return Answer::unavailable("authority", 1000);
        }
        let ended = self.send(found, version, &built, placed.as_ref()).await;
        let took_ms = self.clock.boot_ms().saturating_sub(started);
        self.finish(&prepared, found, version, ended, Done { took_ms, place }).await
    }

    async fn write_ruling(
        &self,
        prepared: &Prepared<'_>,
        found: &Found<'_>,
        version: &Version,
        ruling: &Ruling,
    ) -> Result<(), store::Fault> {
        let effect = found.resolved.effect;
        let entry = self.ruling_entry(found, ruling, prepared.ruling, self.new_id(), None);
        let key = prepared.key.as_ref();
        let open = Open { ruling: prepared.ruling, effect, key: key.map(|key| key.key) };
        let mut batch = Batch::of(entry).with(open);
        batch.durable = effect != Effect::Read;
        if let Some(key) = key {
            let now = self.now();
            let timeout_ms =
                i64::try_from(version.declared.endpoint.timeout_ms).unwrap_or(i64::MAX);
            batch = batch.with(idempotency::Begin {
                key: key.clone(),
                principal: found.asking.caller.principal().id,
                target: found.resolved.address.to_string(),
                ruling: prepared.ruling,
                now,
                expires: now.plus_ms(version.window_ms()),
                honoured: version.honours_key(),
                definition: version.digest.clone(),
                given_up: now.plus_ms(timeout_ms),
            });
        }
        self.store.commit(batch).await.map(drop)
    }

    /// Refuses a call that the same call went before by a moment.
    async fn in_flight(&self, found: &Found<'_>) -> Answer {
        let ruling = Ruling::refusing("idempotency", "in_flight", in_flight());
        self.refuse(found, &ruling).await
    }

    /// Opens the credential of a tool's server, for the origins that its seal names.
    fn open_credential(
        &self,
        found: &Found<'_>,
        tool: &ToolTarget,
    ) -> Result<Option<Placed>, Box<Refusal>> {
        let Instance::Http(server) = &*tool.server.instance;
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
        let origins = credential.origins.iter().filter_map(|origin| origin.parse().ok()).collect();
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
        let Ok(endpoint) = version.endpoint() else {
            return Ended::Bad(Box::new(Bad {
                answer: Answer::unavailable("catalogue", 500),
                end: End::FailedBeforeSend,
                status: "unavailable",
                heard: false,
                body: None,
            }));
        };
        let identity = self.identity.to_string();
        let options = SendOptions::declared(endpoint, identity, Instant::now());
        match self.client.send(built, &options, placed).await {
            Ok(received) => super::upstream::shaped(endpoint, received),
            Err(failure) => {
                Ended::Bad(Box::new(bad(&failure, found.resolved.effect, version.resend())))
            }
        }
    }
}

/// Builds the request upstream, if the call is one. What cannot be built is for check 2 to say.
pub(crate) fn build(found: &Found<'_>) -> Result<Option<Built>, Vec<Fault>> {
    let Target::Tool(tool) = &found.resolved.target else { return Ok(None) };
    let Some(Ok(endpoint)) = tool.version.as_ref().map(|version| version.endpoint()) else {
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

fn written(written: &contract::Written) -> body::Written {
    body::Written {
        table: written.object.table.clone(),
        id: written.object.id.clone(),
        version: u64::try_from(written.version).unwrap_or_default(),
    }
}

/// What an approval keeps of an answer: no secret that is shown once.
fn kept_body(verb: &Verb, answer: &Answer) -> Value {
    let once = verb.hints.contains(&contract::hint::Kind::ShownOnce);
    if once && matches!(answer, Answer::Done(_)) {
        return serde_json::json!({ "result": null, "written": [], "hints": [
            { "hint": "shown_once", "say": "It was made, and its secret shown to whoever made the call." }
        ] });
    }
    answer.body()
}

fn in_flight() -> Refusal {
    Refusal::new(
        Code::InFlight,
        "The same call is being made at this moment.",
        "Send it again in a moment: it will be answered from the first.",
    )
}
