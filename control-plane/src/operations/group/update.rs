//! `group.update`: gives a group another title.

use contract::Written;
use contract::verbs::group::{Group, UpdateInput};

use super::{find, told};
use crate::call::{Write, expect_version};
use crate::done::Done;
use crate::failure::Failure;
use crate::store;

pub(crate) async fn run(call: &mut Write<'_>, input: UpdateInput) -> Result<Done<Group>, Failure> {
    let (permit, record) = find(call, &input.group).await?;
    expect_version(Some(input.expected_version), record.version)?;
    let group = told(store::scope::retitle(&mut call.tx, &permit, &input.title).await?)?;
    let written = Written::new("groups", group.id, group.version);
    Ok(Done::wrote(group, permit.scope(), written))
}
