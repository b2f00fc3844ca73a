//! `group.archive`: nothing in the group can be called from the next call on.

use contract::Written;
use contract::verbs::group::{ArchiveInput, Group};

use super::{find, told};
use crate::call::{Write, expect_version};
use crate::done::Done;
use crate::failure::Failure;
use crate::store;

pub(crate) async fn run(call: &mut Write<'_>, input: ArchiveInput) -> Result<Done<Group>, Failure> {
    let (permit, record) = find(call, &input.group).await?;
    expect_version(Some(input.expected_version), record.version)?;
    if record.archived {
        return Ok(Done::of(told(record)?));
    }
    let group = told(store::scope::archive(&mut call.tx, &permit).await?)?;
    let written = Written::new("groups", group.id, group.version);
    Ok(Done::wrote(group, permit.scope(), written))
}
