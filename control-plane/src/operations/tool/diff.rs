//! `tool.diff`: what changed from one declaration of a tool to another.

use contract::hint::Kind as Hint;
use contract::shape::http::diff::{self, Change, Group};
use contract::verbs::server::Declaration;
use contract::verbs::tool::{Changes, DiffInput, Side, State, Tool};
use contract::{Action, Refusal};
use serde_json::Value;
use tenancy::permit::Permit;

use super::find;
use crate::call::Read;
use crate::done::Done;
use crate::failure::Failure;
use crate::store::{self, Error};

/// The most changes that are listed.
const CHANGES_MAX: usize = 500;

pub(crate) async fn run(call: &mut Read<'_>, input: DiffInput) -> Result<Done<Changes>, Failure> {
    let (permit, tool) = find(call, Action::ServerRead, input.tool).await?;
    let to = input.to.unwrap_or(tool.declaration);
    let judged = tool.classification.as_ref().map(|judged| judged.declaration);
    let from = input.from.or(judged).unwrap_or_else(|| to.saturating_sub(1).max(1));
    let older = declaration(call, &permit, &tool, ("from", from)).await?;
    let newer = declaration(call, &permit, &tool, ("to", to)).await?;
    let waits =
        matches!(tool.state, State::Unclassified | State::Drifted) && to == tool.declaration;
    let done = Done::of(changes(&tool, (from, older), (to, newer))?);
    if !waits {
        return Ok(done);
    }
    let say = "A curator who has read this judges the newer one with `tool.classify`, sending its \
               digest.";
    Ok(done.hint(Hint::NextStep, say))
}

async fn declaration(
    call: &mut Read<'_>,
    permit: &Permit,
    tool: &Tool,
    (field, number): (&str, u32),
) -> Result<(Declaration, String), Failure> {
    let found = store::tool::declaration(&mut call.tx, permit, (tool.id, number)).await?;
    found.ok_or_else(|| {
        let say =
            format!("The tool has no declaration {number}: its newest is {}.", tool.declaration);
        Refusal::of_field(field, say, "Send the number of one that it has, or leave it out.").into()
    })
}

fn changes(
    tool: &Tool,
    (from, (older, older_digest)): (u32, (Declaration, String)),
    (to, (newer, newer_digest)): (u32, (Declaration, String)),
) -> Result<Changes, Error> {
    let mut found = diff::diff(&value(&older)?, &value(&newer)?);
    let more = found.len().saturating_sub(CHANGES_MAX);
    found.truncate(CHANGES_MAX);
    let mut text = diff::text(&found);
    if more > 0 {
        text.push_str("and ");
        text.push_str(&more.to_string());
        text.push_str(" more\n");
    }
    let of = |wanted: Group| -> Vec<Change> {
        let of_group = found.iter().filter(|(group, _)| *group == wanted);
        of_group.map(|(_, change)| change.clone()).collect()
    };
    Ok(Changes {
        tool: tool.id,
        digest_differs: older_digest != newer_digest,
        from: Side { declaration: from, digest: older_digest },
        to: Side { declaration: to, digest: newer_digest },
        widens: of(Group::Widens),
        narrows: of(Group::Narrows),
        words: of(Group::Words),
        other: of(Group::Other),
        more: u32::try_from(more).unwrap_or(u32::MAX),
        text,
    })
}

fn value(declaration: &Declaration) -> Result<Value, Error> {
    let what = "a declaration";
    serde_json::to_value(declaration).map_err(|source| Error::Unwritable { what, source })
}
