//! Owns making a held call once a person released it. Invariant: it goes the way of any call, from its
//! token on, with every check run again; the release answers only what waited for a person.

use contract::{Answer, Code, Refusal};
use serde_json::Value;
use tenancy::authority::{self, Objection};

use super::super::Call;
use crate::approval::{self, Record};
use crate::catalogue::resolve::Asking;
use crate::store::Batch;
use crate::worker::call::{Found, Incoming, Named, Options, Surface};
use crate::worker::judge::{Judged, Settled};

/// Makes the held call, with every check run again. `None` for a verb of the control plane: only its
/// caller's own token can be passed on, so it is made when they send it again.
pub(super) async fn make(call: &Call<'_, '_>, record: &Record) -> Option<Answer> {
    let seat = crate::catalogue::resolve::seat(&record.call.address);
    if seat.is_some_and(|verb| verb.plane == contract::verb::Plane::Control) {
        return None;
    }
    let mut settled = None;
    loop {
        match pass(call, record, settled.take()).await {
            Judged::Answered(answer) => return Some(answer),
            Judged::Settled(once) => settled = Some(once),
        }
    }
}

/// The held call's way, from its token on.
async fn pass(call: &Call<'_, '_>, record: &Record, settled: Option<Settled>) -> Judged {
    let worker = call.worker;
    let world = worker.world();
    let (standing, now) = (worker.standing(), worker.moment());
    let caller = match authority::resume(&world.view, &standing, record.call.token, now) {
        Ok(caller) => caller,
        Err(Objection::Refused(reason)) => {
            return closed(call, record, crate::gate::refusal(reason)).await.into();
        }
        Err(Objection::Unavailable) => return Answer::unavailable("authority", 1000).into(),
    };
    let Ok(Some(run)) = worker.run(record.call.run).await.map(|run| run.filter(|run| !run.ended()))
    else {
        let refusal =
            Refusal::new(Code::RunEnded, "The run of this call has ended.", "Start another.");
        return closed(call, record, refusal).await.into();
    };
    let packs = match worker.packs_of(&caller, &run).await {
        Ok(packs) => packs,
        Err(answer) => return (*answer).into(),
    };
    let caller = caller.in_run(&packs);
    let surface = if record.call.surface == "mcp" { Surface::Mcp } else { Surface::Rest };
    let named = named(record, surface);
    let asking = Asking { caller: &caller, standing, now };
    let resolved = match worker.resolve(&world, asking, &named).await {
        Ok(resolved) => resolved,
        Err(answer) => {
            let Answer::Refused(refusal) = *answer else { return (*answer).into() };
            return closed(call, record, *refusal).await.into();
        }
    };
    let incoming = Incoming {
        token: String::new(),
        verb: crate::worker::outcome::call_verb(),
        input: Value::Null,
        options: named.options.clone(),
        surface,
    };
    let own_rate = crate::gate::Rate::Within;
    let stored = std::sync::OnceLock::new();
    let world = std::sync::Arc::clone(&world);
    let found = Found { world, asking, resolved, named, run, own_rate, stored };
    let same = crate::worker::outcome::call_of(&found)
        .digest()
        .is_ok_and(|digest| digest == record.digest);
    if !same {
        let refusal = Refusal::new(
            Code::Drifted,
            "What this call would reach is not what it was when it was held.",
            "Send the call again: it is judged anew.",
        );
        return closed(call, record, refusal).await.into();
    }
    match Box::pin(worker.judge(found, &incoming, Some(record.id), settled)).await {
        Judged::Answered(Answer::Refused(refusal)) => closed(call, record, *refusal).await.into(),
        judged @ (Judged::Answered(_) | Judged::Settled(_)) => judged,
    }
}

/// The held call, as it is named.
fn named(record: &Record, surface: Surface) -> Named {
    let call = &record.call;
    let options = Options {
        run: Some(call.run),
        dry_run: false,
        idempotency_key: call.idempotency_key.clone(),
    };
    Named { address: call.address.clone(), arguments: call.arguments.clone(), options, surface }
}

/// Keeps a refusal as what the released call came to.
async fn closed(call: &Call<'_, '_>, record: &Record, refusal: Refusal) -> Answer {
    let answered = approval::Answered { id: record.id, answer: refusal.body(), content: None };
    let batch = Batch::default().with(answered).durable();
    match call.worker.store().commit(batch).await {
        Ok(_) => refusal.into(),
        Err(fault) => crate::worker::answer::broken(&fault),
    }
}
