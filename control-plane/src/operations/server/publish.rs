//! `server.publish`: the next declarations of some of a server's tools, and tools it did not have.
//! What was not changed keeps its number; a tool that was withdrawn is another tool if it comes again.

use contract::hint::Kind as Hint;
use contract::verbs::server::{Declaration, PublishInput, Server};
use contract::{Action, Code, Fault, Refusal, Written};
use tenancy::permit::Permit;

use super::{UNCLASSIFIED, declared, find, read_back};
use crate::call::{Write, expect_version};
use crate::done::Done;
use crate::failure::Failure;
use crate::store::tool::{Definition, Live};
use crate::store::{self, Error};

/// The most tools of a server.
const TOOLS_MAX: usize = 500;

pub(crate) async fn run(
    call: &mut Write<'_>,
    input: PublishInput,
) -> Result<Done<Server>, Failure> {
    let (_, server) = find(call, Action::ServerManage, input.server).await?;
    let permit = call.may_add(Action::ServerManage, &server.scope)?;
    if server.withdrawn {
        return Err(withdrawn().into());
    }
    expect_version(Some(input.expected_version), server.version)?;
    let live = store::tool::live(&mut call.tx, &permit, server.id).await?;
    let digests = check(call, &server, &input, &live)?;
    let written = write(call, &permit, &input, (&live, &digests)).await?;
    if written.is_empty() {
        return Ok(Done::of(server));
    }
    store::server::touch(&mut call.tx, &permit, server.id).await?;
    let server = read_back(call, &permit, server.id).await?;
    let first = Written::new("servers", server.id, server.version);
    let done = Done::wrote(server, permit.scope(), first).catalogue();
    let done = written.into_iter().fold(done, Done::and_wrote);
    Ok(done.hint(Hint::NextStep, UNCLASSIFIED))
}

/// Writes what is new; answers the tools that were changed.
async fn write(
    call: &mut Write<'_>,
    permit: &Permit,
    input: &PublishInput,
    (live, digests): (&[Live], &[String]),
) -> Result<Vec<Written>, Error> {
    let now = call.now();
    let mut written = Vec::new();
    for (declared, digest) in input.tools.iter().zip(digests) {
        let definition = Definition { declared, digest, now };
        match live.iter().find(|tool| tool.name == declared.name) {
            Some(tool) if tool.digest == *digest => {}
            Some(tool) => {
                let version = store::tool::declare(&mut call.tx, permit, tool, &definition).await?;
                written.push(Written::new("tools", tool.id, version));
            }
            None => {
                let tool = call.new_id();
                let ids = (input.server, tool);
                store::tool::insert(&mut call.tx, permit, ids, &definition).await?;
                written.push(Written::new("tools", tool, 1));
            }
        }
    }
    Ok(written)
}

/// The digests of the tools' definitions, or every fault of the input together.
fn check(
    call: &Write<'_>,
    server: &Server,
    input: &PublishInput,
    live: &[Live],
) -> Result<Vec<String>, Failure> {
    let mut faults = Vec::new();
    let is_new = |declared: &&Declaration| live.iter().all(|tool| tool.name != declared.name);
    let new = input.tools.iter().filter(is_new).count();
    if live.len().saturating_add(new) > TOOLS_MAX {
        faults.push(Fault::new(
            "tools",
            format!("The server would have more than {TOOLS_MAX} tools."),
            "Withdraw some, or register another server for the same system.",
        ));
    }
    match declared::digests(&server.instance, &input.tools, call.means.policy) {
        Ok(digests) if faults.is_empty() => Ok(digests),
        Ok(_) => Err(Refusal::of_input(faults).into()),
        Err(found) => {
            faults.extend(found);
            Err(Refusal::of_input(faults).into())
        }
    }
}

/// Nothing can be added to a server that was withdrawn.
pub(super) fn withdrawn() -> Refusal {
    Refusal::new(
        Code::WrongState,
        "The server was withdrawn.",
        "Register it anew with `server.register`: its name is free.",
    )
}
