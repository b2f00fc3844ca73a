//! `tool.get`: one tool, its newest declaration word for word, and what it was judged to be last.

use contract::Action;
use contract::hint::Kind as Hint;
use contract::verbs::tool::{State, Tool, Which};

use super::find;
use crate::call::Read;
use crate::done::Done;
use crate::failure::Failure;

pub(crate) async fn run(call: &mut Read<'_>, input: Which) -> Result<Done<Tool>, Failure> {
    let (_, tool) = find(call, Action::ServerRead, input.tool).await?;
    let waits = matches!(tool.state, State::Unclassified | State::Drifted);
    let done = Done::of(tool);
    if !waits {
        return Ok(done);
    }
    let say = "A curator who has read `declared` judges it with `tool.classify`, sending `digest`.";
    Ok(done.hint(Hint::NextStep, say))
}
