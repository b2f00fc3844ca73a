//! Owns the operations on projects.

pub(crate) mod archive;
pub(crate) mod create;
pub(crate) mod list;
pub(crate) mod update;

use contract::verbs::project::Project;
use contract::{Action, Name, Refusal};
use tenancy::permit::Permit;

use crate::call::Write;
use crate::failure::Failure;
use crate::store::{self, Error, scope::Record};

/// A project, as it is told.
fn told(record: Record) -> Result<Project, Error> {
    Ok(Project {
        id: record.id.parse().map_err(|_| Error::Corrupt {
            column: "id",
            why: "not the id of a project".to_owned(),
        })?,
        scope: record.scope,
        title: record.title,
        archived: record.archived,
        created: record.created,
        version: record.version,
    })
}

/// The project of that name in that group, with the permit to change it.
async fn find(
    call: &mut Write<'_>,
    group: &Name,
    project: &Name,
) -> Result<(Permit, Record), Failure> {
    let missing = || Refusal::not_found("project", "project");
    let scope = call.root().child(group).and_then(|group| group.child(project));
    let scope = scope.ok_or_else(missing)?;
    let permit = call.may_see(Action::ScopeManage, &scope, ("project", "project"))?;
    let record = store::scope::get(&mut call.tx, &permit).await?.ok_or_else(missing)?;
    Ok((permit, record))
}
