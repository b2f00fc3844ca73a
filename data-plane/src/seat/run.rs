//! Owns the verbs on runs. Invariant: a run starts with the labels of what it comes from, unless a
//! person, or a holder of `run.open_clean`, says otherwise.

use contract::verbs::ListInput;
use contract::verbs::run as said;
use contract::{Action, Code, Labels, Refusal, Written, hint};
use tenancy::authority;

use super::{Call, Sat, Seated, Unsat, cursor_of, page, paged};
use crate::run::{self, Ended, Packs, Run, Started};
use crate::worker::runs::{ABOVE_MAX, started, told};

impl Call<'_, '_> {
    /// A person signed in as such, or a holder of `run.open_clean` at home.
    fn may_open_clean(&self) -> bool {
        let caller = self.found.asking.caller;
        caller.is_person() || self.may(Action::RunOpenClean, caller.home())
    }
}

fn clean_refused(what: &str) -> Unsat {
    Refusal::new(
        Code::NotGranted,
        format!("{what} needs a person, or the action `run.open_clean`."),
        "Ask a person to do it.",
    )
    .into()
}

pub(super) async fn start(call: &Call<'_, '_>) -> Seated {
    let input: said::StartInput = call.input()?;
    let caller = call.found.asking.caller;
    let parent = match input.parent {
        None => call.worker.default_run(caller).await?,
        Some(parent) => call
            .worker
            .run(parent)
            .await?
            .filter(|run| run.named_by(caller.principal().id, caller.token().id))
            .ok_or_else(|| Unsat::from(Refusal::not_found("parent", "run")))?,
    };
    if parent.clean() && call.worker.above(&parent).await?.len() + 1 >= ABOVE_MAX {
        return Err(Refusal::of_field(
            "parent",
            "Runs are nested too deeply.",
            "Start it from a run higher up.",
        )
        .into());
    }
    let inherited = parent.labels();
    let labels = if input.clean { Labels::NONE } else { inherited };
    if input.clean && !call.may_open_clean() {
        return Err(clean_refused("Starting a run without labels"));
    }
    let title = input.title.unwrap_or_default();
    let mut record =
        call.worker.new_record(caller, input.parent.map(|_| parent.id()), title, labels, false);
    record.clean = input.clean || parent.clean();
    // A person, or whoever may open a clean run, takes the packs afresh. Any other run keeps what its
    // parent keeps, and else what the run of this call keeps: starting one widens nothing.
    if !input.clean {
        let here = Packs::of(caller, &call.found.run.packs());
        record.packs = here.under(&parent.packs());
    }
    if !labels.is_empty() {
        record.sources = vec![parent.id().to_string()];
    }
    let mut sat = Sat::of(&record.answer());
    sat.envelope.written.push(Written::new("runs", record.id, 1));
    sat.entries.push(started(&record));
    sat.changes.push(Box::new(Started(record)));
    Ok(if labels.is_empty() {
        sat
    } else {
        sat.hint(
            hint::Kind::RunLabelled,
            format!("This run starts with what its parent has read: {labels}."),
        )
    })
}

pub(super) async fn get(call: &Call<'_, '_>) -> Seated {
    let input: said::Which = call.input()?;
    let run = found(call, input.run).await?;
    Ok(Sat::of(&run.record().answer()))
}

async fn found(
    call: &Call<'_, '_>,
    id: contract::Id<contract::id::Run>,
) -> Result<std::sync::Arc<Run>, Unsat> {
    call.worker.run(id).await?.ok_or_else(|| Refusal::not_found("run", "run").into())
}

pub(super) async fn list(call: &Call<'_, '_>) -> Seated {
    let input: ListInput = call.input()?;
    let (cursor, limit) = paged(&input);
    let before = cursor_of(cursor)?;
    let caller = call.found.asking.caller;
    let asking = &call.found.asking;
    let managed = authority::reachable(&asking.standing, caller, Action::RunManage, asking.now);
    let whose = (caller.principal().id, managed.unwrap_or_default());
    let mut records = run::page(call.worker.store().readers(), &whose, before, limit + 1).await?;
    let more = records.len() > usize::try_from(limit).unwrap_or(usize::MAX);
    records.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    let cursor = more.then(|| records.last().map(|last| last.id.to_string())).flatten();
    let visible = records
        .into_iter()
        .map(|record| match call.worker.known_run(record.id) {
            Some(run) => run.record().answer(),
            None => record.answer(),
        })
        .collect();
    Ok(page::<said::Run>(visible, cursor))
}

pub(super) async fn end(call: &Call<'_, '_>) -> Seated {
    let input: said::Which = call.input()?;
    let run = found(call, input.run).await?;
    let record = run.record();
    if record.ended.is_some() {
        return Err(
            Refusal::new(Code::RunEnded, "This run has ended.", "There is nothing to do.").into()
        );
    }
    if record.default && !record.labels.is_empty() && !call.may_open_clean() {
        return Err(clean_refused("Ending a default run that holds labels"));
    }
    let at = call.worker.clock_now();
    let mut ended = record;
    ended.ended = Some(at);
    // In memory first: no call that starts from here on may use it.
    run.end(at);
    let mut sat = Sat::of(&ended.answer());
    sat.envelope.written.push(Written::new("runs", ended.id, 2));
    sat.entries.push(told(&ended, "ended"));
    sat.changes.push(Box::new(Ended { run: ended.id, at }));
    Ok(sat)
}
