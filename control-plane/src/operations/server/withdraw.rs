//! `server.withdraw`: takes a server or some of its tools out of the catalogue for good, whatever
//! packs pin them.

use contract::verbs::server::{Server, WithdrawInput};
use contract::{Action, Fault, Id, Refusal, ToolName, Written, id};

use super::{find, read_back};
use crate::call::{Write, expect_version};
use crate::done::Done;
use crate::failure::Failure;
use crate::store::{self, tool::Live};

pub(crate) async fn run(
    call: &mut Write<'_>,
    input: WithdrawInput,
) -> Result<Done<Server>, Failure> {
    let (permit, server) = find(call, Action::ServerManage, input.server).await?;
    expect_version(Some(input.expected_version), server.version)?;
    if server.withdrawn && input.tools.is_none() {
        return Ok(Done::of(server));
    }
    let live = store::tool::live(&mut call.tx, &permit, server.id).await?;
    let going = match &input.tools {
        None => live.iter().map(|tool| tool.id).collect(),
        Some(names) => named(&live, names)?,
    };
    let mut tools = Vec::with_capacity(going.len());
    for tool in going {
        let version = store::tool::withdraw(&mut call.tx, &permit, tool).await?;
        tools.push(Written::new("tools", tool, version));
    }
    if input.tools.is_none() {
        store::server::withdraw(&mut call.tx, &permit, server.id).await?;
    } else {
        store::server::touch(&mut call.tx, &permit, server.id).await?;
    }
    let server = read_back(call, &permit, server.id).await?;
    let written = Written::new("servers", server.id, server.version);
    let done = Done::wrote(server, permit.scope(), written).catalogue();
    Ok(tools.into_iter().fold(done, Done::and_wrote))
}

/// The tools of these names, each once, or every fault of them together.
fn named(live: &[Live], names: &[ToolName]) -> Result<Vec<Id<id::Tool>>, Failure> {
    let mut faults = Vec::new();
    let mut going = Vec::with_capacity(names.len());
    for (index, name) in names.iter().enumerate() {
        match live.iter().find(|tool| tool.name == *name) {
            Some(tool) if going.contains(&tool.id) => {}
            Some(tool) => going.push(tool.id),
            None => faults.push(Fault::new(
                format!("tools.{index}"),
                format!("The server has no tool `{name}` that is not withdrawn."),
                "Send names of its tools: `server.get` lists them.",
            )),
        }
    }
    if faults.is_empty() { Ok(going) } else { Err(Refusal::of_input(faults).into()) }
}
