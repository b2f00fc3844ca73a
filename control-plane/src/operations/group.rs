//! Owns the operations on groups.

pub(crate) mod archive;
pub(crate) mod create;
pub(crate) mod list;
pub(crate) mod update;

use contract::verbs::group::Group;
use contract::{Action, Name, Refusal};
use tenancy::permit::Permit;

use crate::call::Write;
use crate::failure::Failure;
use crate::store::{self, Error, scope::Record};

/// A group, as it is told.
fn told(record: Record) -> Result<Group, Error> {
    Ok(Group {
        id: record.id.parse().map_err(|_| Error::Corrupt {
            column: "id",
            why: "not the id of a group".to_owned(),
        })?,
        scope: record.scope,
        title: record.title,
        archived: record.archived,
        created: record.created,
        version: record.version,
    })
}

/// The group of that name, with the permit to change it.
async fn find(call: &mut Write<'_>, group: &Name) -> Result<(Permit, Record), Failure> {
    let missing = || Refusal::not_found("group", "group");
    let scope = call.root().child(group).ok_or_else(missing)?;
    let permit = call.may_see(Action::ScopeManage, &scope, ("group", "group"))?;
    let record = store::scope::get(&mut call.tx, &permit).await?.ok_or_else(missing)?;
    Ok((permit, record))
}
