//! `pack.publish`: the next version of a pack, which pins each tool at what was judged last.

use std::collections::HashMap;

use contract::hint::Kind as Hint;
use contract::verbs::pack::{Pack, Pin, PublishInput};
use contract::verbs::tool::State;
use contract::{Action, Code, Fault, Id, Refusal, Written, id};
use tenancy::view::LIVE;

use crate::call::Write;
use crate::done::Done;
use crate::failure::Failure;
use crate::store::tool::Candidate;
use crate::store::{self, Error};

pub(crate) async fn run(call: &mut Write<'_>, input: PublishInput) -> Result<Done<Pack>, Failure> {
    let permit = call.may(Action::PackManage, call.root())?;
    let pins = pins(call, &input).await?;
    let last = store::pack::get(&mut call.tx, &permit, (&input.name, None)).await?;
    let version = last.as_ref().map_or(0, |last| last.version).checked_add(1);
    let version = version.ok_or(Error::Range { what: "a pack's version" })?;
    expect(input.expected_version, version)?;
    let pack = Pack {
        id: last.map_or_else(|| call.new_id(), |last| last.id),
        name: input.name,
        version,
        pins,
        created: call.now(),
    };
    store::pack::insert(&mut call.tx, &permit, &pack).await?;
    let written = Written::new("packs", pack.id, i64::from(version));
    let say = format!(
        "Bind a token to it with `token.create` or `token.rebind`, naming pack `{}` at version \
         {version}.",
        pack.name
    );
    Ok(Done::wrote(pack, permit.scope(), written).hint(Hint::NextStep, say))
}

/// The pins of the tools, by id, or every fault of the input together.
async fn pins(call: &mut Write<'_>, input: &PublishInput) -> Result<Vec<Pin>, Failure> {
    let mut faults = Vec::new();
    if input.name.as_str() == LIVE {
        faults.push(Fault::new(
            "name",
            format!("`{LIVE}` is built in: whatever is classified, at its newest."),
            "Choose another name.",
        ));
    }
    let candidates = visible(call, &input.tools).await?;
    let mut pins = Vec::with_capacity(input.tools.len());
    for (index, tool) in input.tools.iter().enumerate() {
        let field = format!("tools.{index}");
        if input.tools.iter().take(index).any(|before| before == tool) {
            let say = format!("{tool} is named twice.");
            faults.push(Fault::new(field, say, "Name each tool once."));
            continue;
        }
        match pin(candidates.get(tool)) {
            Ok(pin) => pins.push(pin),
            Err((say, fix)) => faults.push(Fault::new(field, say, fix)),
        }
    }
    if !faults.is_empty() {
        return Err(Refusal::of_input(faults).into());
    }
    pins.sort_by_key(|pin| pin.tool);
    Ok(pins)
}

/// The tools between the least and the greatest of `tools` that the caller may see.
async fn visible(
    call: &mut Write<'_>,
    tools: &[Id<id::Tool>],
) -> Result<HashMap<Id<id::Tool>, Candidate>, Failure> {
    let mut candidates = HashMap::new();
    let (Some(first), Some(last)) = (tools.iter().min(), tools.iter().max()) else {
        return Ok(candidates);
    };
    for permit in call.reach(Action::ServerRead)? {
        let found = store::tool::candidates(&mut call.tx, &permit, (*first, *last)).await?;
        candidates.extend(found.into_iter().map(|tool| (tool.id, tool)));
    }
    Ok(candidates)
}

/// How a tool is pinned, or what stands against it and what to do.
fn pin(candidate: Option<&Candidate>) -> Result<Pin, (&'static str, &'static str)> {
    let Some(&Candidate { id: tool, state, judged }) = candidate else {
        return Err((
            "There is no such tool, or you may not see it.",
            "Send ids of tools: `tool.list` lists those you may see.",
        ));
    };
    match judged {
        _ if state == State::Withdrawn => {
            Err(("The tool was withdrawn.", "Leave it out: nobody can call it."))
        }
        Some((classification, declaration)) => Ok(Pin { tool, declaration, classification }),
        None => Err((
            "The tool has not been classified.",
            "Have a curator judge it with `tool.classify`, or leave it out.",
        )),
    }
}

/// That `next` is the version that the caller expects to publish, if they said one.
fn expect(expected: Option<u32>, next: u32) -> Result<(), Failure> {
    if expected.is_none_or(|expected| expected == next) {
        return Ok(());
    }
    let mut refusal = Refusal::new(
        Code::VersionMismatch,
        format!("This would be version {next} of the pack."),
        format!("Send {next} as `expected_version`, or leave it out."),
    );
    refusal.field = Some("expected_version".to_owned());
    Err(refusal.with("current_version", next.saturating_sub(1)).into())
}
