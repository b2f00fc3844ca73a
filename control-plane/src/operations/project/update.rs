//! `project.update`: gives a project another title.

use contract::Written;
use contract::verbs::project::{Project, UpdateInput};

use super::{find, told};
use crate::call::{Write, expect_version};
use crate::done::Done;
use crate::failure::Failure;
use crate::store;

pub(crate) async fn run(
    call: &mut Write<'_>,
    input: UpdateInput,
) -> Result<Done<Project>, Failure> {
    let (permit, record) = find(call, &input.group, &input.project).await?;
    expect_version(Some(input.expected_version), record.version)?;
    let project = told(store::scope::retitle(&mut call.tx, &permit, &input.title).await?)?;
    let written = Written::new("projects", project.id, project.version);
    Ok(Done::wrote(project, permit.scope(), written))
}
