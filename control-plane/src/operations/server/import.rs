//! `server.import`: an OpenAPI document as proposals for a server's tools, and those published if it is
//! asked for. Publishing is that of `server.publish`, with all that it checks.

use contract::hint::Kind as Hint;
use contract::shape::{Instance, http};
use contract::verbs::server::{
    Declaration, ImportInput, Imported, LeftOut, Proposal, PublishInput, Reason, Server, Stands,
};
use contract::{Action, Fault, Refusal};
use tenancy::plane::definition_digest;

use super::{find, publish};
use crate::call::{Write, expect_version};
use crate::done::Done;
use crate::failure::Failure;
use crate::openapi::{self, Asked, Found, Proposed};
use crate::store::{self, tool::Live};

/// How many proposals are made if nothing is said.
const LIMIT_DEFAULT: u32 = 100;

pub(crate) async fn run(
    call: &mut Write<'_>,
    input: ImportInput,
) -> Result<Done<Imported>, Failure> {
    let (_, server) = find(call, Action::ServerManage, input.server).await?;
    let permit = call.may_add(Action::ServerManage, &server.scope)?;
    if server.withdrawn {
        return Err(publish::withdrawn().into());
    }
    expect_version(input.expected_version, server.version)?;
    let live = store::tool::live(&mut call.tx, &permit, server.id).await?;
    let Instance::Http(target) = &server.instance;
    let found = read(&input, target, call.means.policy)?;
    let imported = imported(&server, found, &live);
    let elsewhere = elsewhere(&imported, target);
    let done = if input.publish {
        publish(call, imported, &input).await?
    } else {
        Done::of(imported).hint(Hint::NextStep, NOT_STORED)
    };
    Ok(elsewhere.into_iter().fold(done, |done, say| done.hint(Hint::LookElsewhere, say)))
}

const NOT_STORED: &str = "Nothing was stored. Prune with `tags` and `paths`, then send the same with \
     `publish` and `version` as `expected_version`; or send some of the `tool`s to `server.publish`.";

/// What the document holds, or every fault of the input together.
fn read(
    input: &ImportInput,
    server: &http::Server,
    policy: &http::Policy,
) -> Result<Found, Failure> {
    let mut faults = Vec::new();
    if input.publish && input.expected_version.is_none() {
        faults.push(Fault::new(
            "expected_version",
            "What is to be published says which version of the server it was made for.",
            "Send the server's version: `server.get` and this verb without `publish` answer it.",
        ));
    }
    let asked = Asked {
        document: &input.document,
        tags: &input.tags,
        paths: &input.paths,
        base_path: input.base_path.as_deref(),
        output_schemas: input.output_schemas,
        limit: usize::try_from(input.limit.unwrap_or(LIMIT_DEFAULT)).unwrap_or(usize::MAX),
        server,
        policy,
    };
    match openapi::read(&asked) {
        Ok(found) if faults.is_empty() => Ok(found),
        Ok(_) => Err(Refusal::of_input(faults).into()),
        Err(found) => {
            faults.extend(found);
            Err(Refusal::of_input(faults).into())
        }
    }
}

fn imported(server: &Server, found: Found, live: &[Live]) -> Imported {
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let proposal = |proposed: Proposed| Proposal {
        stands: stands(server, &proposed.tool, live),
        operation: proposed.operation,
        at: proposed.at,
        tool: proposed.tool,
        without: proposed.without,
    };
    Imported {
        server: server.id,
        version: server.version,
        published: false,
        proposals: found.proposals.into_iter().map(proposal).collect(),
        left_out: found.left_out,
        operations: count(found.operations),
        pruned: count(found.pruned),
        tags: found.tags,
        base_path: found.base_path,
        origins: found.origins,
        credentials: found.credentials,
    }
}

fn stands(server: &Server, tool: &Declaration, live: &[Live]) -> Stands {
    let Some(there) = live.iter().find(|one| one.name == tool.name) else { return Stands::New };
    let digest = definition_digest(&server.instance, tool).ok();
    if digest.as_ref() == Some(&there.digest) { Stands::Same } else { Stands::Changed }
}

/// Publishes what the server has not yet, or has otherwise and is to have so.
async fn publish(
    call: &mut Write<'_>,
    mut imported: Imported,
    input: &ImportInput,
) -> Result<Done<Imported>, Failure> {
    if !input.replace {
        let (taken, kept) =
            imported.proposals.into_iter().partition(|one| one.stands == Stands::Changed);
        imported.proposals = kept;
        imported.left_out.extend(taken.into_iter().map(name_taken));
    }
    imported.published = true;
    let tools: Vec<_> = imported.proposals.iter().map(|one| one.tool.clone()).collect();
    if tools.is_empty() {
        return Ok(Done::of(imported));
    }
    let expected_version = input.expected_version.unwrap_or(imported.version);
    let publish = PublishInput { server: input.server, tools, expected_version };
    let done = publish::run(call, publish).await?;
    Ok(done.map(|server| Imported { version: server.version, ..imported }))
}

fn name_taken(proposal: Proposal) -> LeftOut {
    let Proposal { operation, at, tool, .. } = proposal;
    let say = format!(
        "The server has a tool `{}` that is declared otherwise: send `replace` to declare it anew.",
        tool.name
    );
    LeftOut { operation, at, reason: Reason::NameTaken, say }
}

/// What the reader may not expect.
fn elsewhere(imported: &Imported, server: &http::Server) -> Vec<String> {
    let mut says = Vec::new();
    if !imported.origins.is_empty() && !imported.origins.contains(&server.origin) {
        says.push(format!(
            "The document says that its system is at {}. Calls go to {}, the origin that the server \
             declares: register another server if that is not meant.",
            imported.origins.join(", "),
            server.origin
        ));
    }
    if imported.proposals.is_empty() {
        let say = "Nothing is proposed: `pruned` says how many operations `tags` and `paths` kept \
                   away, `tags` which tags there are, and `left_out` why the others are not proposed.";
        says.push(say.to_owned());
    }
    says
}
