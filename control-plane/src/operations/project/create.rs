//! `project.create`: makes a project in a group that is not archived.

use contract::verbs::project::{CreateInput, Project};
use contract::{Action, Code, Refusal, Written, id};

use super::told;
use crate::call::{Write, already_exists};
use crate::done::Done;
use crate::failure::Failure;
use crate::store::{self, scope::Record};

pub(crate) async fn run(
    call: &mut Write<'_>,
    input: CreateInput,
) -> Result<Done<Project>, Failure> {
    let missing = || Refusal::not_found("group", "group");
    let group = call.root().child(&input.group).ok_or_else(missing)?;
    let permit = call.may_see(Action::ScopeManage, &group, ("group", "group"))?;
    let scope = group.child(&input.name).ok_or_else(missing)?;
    let view = call.caller.view();
    if view.archived(&group) == Some(true) {
        let mut refusal = Refusal::new(
            Code::WrongState,
            "The group is archived.",
            "Choose a group that is not archived.",
        );
        refusal.field = Some("group".to_owned());
        return Err(refusal.into());
    }
    if view.scope(&scope).is_some() {
        return Err(already_exists("name", format!("There is a project {scope} already.")).into());
    }
    let record = Record {
        id: call.new_id::<id::Project>().to_string(),
        scope,
        title: input.title.unwrap_or_else(|| input.name.to_string()),
        archived: false,
        created: call.now(),
        version: 1,
    };
    store::scope::insert(&mut call.tx, &permit, &record).await?;
    let project = told(record)?;
    let written = Written::new("projects", project.id, project.version);
    let scope = project.scope.clone();
    Ok(Done::wrote(project, &scope, written))
}
