//! `tool.classify`: a person says what a tool is, for the definition that they read.

use contract::verbs::tool::{Classification, ClassifyInput, State, Tool};
use contract::{Action, Code, Refusal, Written};

use super::find;
use crate::call::Write;
use crate::done::Done;
use crate::failure::Failure;
use crate::store::{self, Error};

pub(crate) async fn run(call: &mut Write<'_>, input: ClassifyInput) -> Result<Done<Tool>, Failure> {
    let (permit, tool) = find(call, Action::ToolClassify, input.tool).await?;
    check(&input, &tool)?;
    let last = tool.classification.as_ref().map_or(0, |judged| judged.version);
    let version = last.checked_add(1).ok_or(Error::Range { what: "a judgement's number" })?;
    let judged = Classification {
        version,
        declaration: tool.declaration,
        digest: input.digest,
        effect: input.effect,
        labels: input.labels,
        cleared: input.cleared,
        on_tainted: input.on_tainted,
        by: permit.principal(),
        at: call.now(),
    };
    let version = store::tool::classify(&mut call.tx, &permit, tool.id, &judged).await?;
    let written = Written::new("tools", tool.id, version);
    let tool = Tool { state: State::Classified, classification: Some(judged), ..tool };
    Ok(Done::wrote(tool, permit.scope(), written).catalogue())
}

/// That what was read is what there is.
fn check(input: &ClassifyInput, tool: &Tool) -> Result<(), Failure> {
    if tool.state == State::Withdrawn {
        return Err(Refusal::new(
            Code::WrongState,
            "The tool was withdrawn.",
            "Judge a tool that is not withdrawn: `tool.list` lists what waits.",
        )
        .into());
    }
    if input.digest == tool.digest {
        return Ok(());
    }
    let mut refusal = Refusal::new(
        Code::VersionMismatch,
        "The tool's newest definition is not the one with this digest.",
        "Read it again with `tool.get`, then send the digest that it answers.",
    );
    refusal.field = Some("digest".to_owned());
    let refusal = refusal
        .with("current_version", tool.declaration)
        .with("current_digest", tool.digest.as_str());
    Err(refusal.into())
}
