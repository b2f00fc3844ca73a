//! `project.archive`: nothing in the project can be called from the next call on.

use contract::Written;
use contract::verbs::project::{ArchiveInput, Project};

use super::{find, told};
use crate::call::{Write, expect_version};
use crate::done::Done;
use crate::failure::Failure;
use crate::store;

pub(crate) async fn run(
    call: &mut Write<'_>,
    input: ArchiveInput,
) -> Result<Done<Project>, Failure> {
    let (permit, record) = find(call, &input.group, &input.project).await?;
    expect_version(Some(input.expected_version), record.version)?;
    if record.archived {
        return Ok(Done::of(told(record)?));
    }
    let project = told(store::scope::archive(&mut call.tx, &permit).await?)?;
    let written = Written::new("projects", project.id, project.version);
    Ok(Done::wrote(project, permit.scope(), written))
}
