//! `server.register`: declares a system as a server with tools, at a scope.

use contract::hint::Kind as Hint;
use contract::verb::Registry;
use contract::verbs::server::{RegisterInput, Server};
use contract::{Action, Fault, Refusal, Written};

use super::{UNCLASSIFIED, declared, read_back};
use crate::call::{Write, already_exists};
use crate::done::Done;
use crate::failure::Failure;
use crate::store::server::New;
use crate::store::{self, tool::Definition};

pub(crate) async fn run(
    call: &mut Write<'_>,
    input: RegisterInput,
) -> Result<Done<Server>, Failure> {
    let permit = call.may_add(Action::ServerManage, &input.scope)?;
    let digests = check(call, &input)?;
    let now = call.now();
    let new = New {
        id: call.new_id(),
        name: &input.name,
        title: input.title.as_deref().unwrap_or(input.name.as_str()),
        interchangeable: input.interchangeable,
        instance: &input.instance,
        now,
    };
    let made = store::server::insert(&mut call.tx, &permit, &new).await?;
    let server = made.ok_or_else(|| {
        let say = format!("There is a server `{}` at {} already.", input.name, input.scope);
        already_exists("name", say)
    })?;
    let mut tools = Vec::with_capacity(input.tools.len());
    for (declared, digest) in input.tools.iter().zip(&digests) {
        let tool = call.new_id();
        let definition = Definition { declared, digest, now };
        store::tool::insert(&mut call.tx, &permit, (server.id, tool), &definition).await?;
        tools.push(Written::new("tools", tool, 1));
    }
    let server = read_back(call, &permit, server.id).await?;
    let written = Written::new("servers", server.id, server.version);
    let done = Done::wrote(server, permit.scope(), written).catalogue();
    let done = tools.into_iter().fold(done, Done::and_wrote);
    Ok(done.hint(Hint::NextStep, UNCLASSIFIED))
}

/// The digests of the tools' definitions, or every fault of the input together.
fn check(call: &Write<'_>, input: &RegisterInput) -> Result<Vec<String>, Failure> {
    let policy = call.means.policy;
    let mut faults = Vec::new();
    if Registry::get().nouns().contains(&input.name.as_str()) {
        faults.push(Fault::new(
            "name",
            format!("`{}` is one of the platform's own.", input.name),
            "Choose another name.",
        ));
    }
    faults.extend(declared::instance_faults(&input.instance, call.caller.view(), policy));
    match declared::digests(&input.instance, &input.tools, policy) {
        Ok(digests) if faults.is_empty() => Ok(digests),
        Ok(_) => Err(Refusal::of_input(faults).into()),
        Err(found) => {
            faults.extend(found);
            Err(Refusal::of_input(faults).into())
        }
    }
}
